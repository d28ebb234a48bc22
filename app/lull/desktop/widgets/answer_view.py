"""Shows one answer of a model while it streams: a heading, how it stands, and the text."""

from __future__ import annotations

import time

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.desktop.widgets.long_text import Details
from lull.desktop.widgets.parts import label, set_kind
from lull.desktop.widgets.tokens import GAP
from lull.desktop.words import length, plain, tr


class AnswerView(QWidget):
    """A column with one streamed answer."""

    def __init__(self, head: str) -> None:
        super().__init__()
        self._began_s = 0.0
        self.skills = label("", "small", wrap=True)
        self.standing = label("", "muted", wrap=True)
        self.text = Details()
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(head)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP // 2)
        box.addWidget(label(head, "head", wrap=True))
        box.addWidget(self.skills)
        box.addWidget(self.text, 1)
        box.addWidget(self.standing)

    def wait(self, words: str) -> None:
        """Empty the column and say what is waited for."""
        self.text.clear()
        self.skills.clear()
        self.say(words)

    def begin(self) -> None:
        """Say that the model was asked."""
        self._began_s = time.monotonic()
        self.say(tr("The model reads your request…"))

    def think(self) -> None:
        self.say(tr("The model thinks…"))

    def grow(self, piece: str) -> None:
        """Add a piece of the answer; the view follows it only where it was at its end."""
        if self.text.document().isEmpty():
            self.say(tr("Answering…"))
        bar = self.text.verticalScrollBar()
        follows = bar.value() >= bar.maximum()
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(plain(piece))
        if follows:
            bar.setValue(bar.maximum())

    def end(self, wrong: str) -> None:
        """Say that the answer is whole, or what went wrong."""
        took = length(time.monotonic() - self._began_s)
        self.say(wrong or tr("Done, after %1.", took), "bad" if wrong else "muted")

    def say(self, words: str, kind: str = "muted") -> None:
        set_kind(self.standing, kind)
        self.standing.setText(words)
