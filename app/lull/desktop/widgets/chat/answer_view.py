"""Widget for one answer of a model while it streams: a heading, the text, and the progress in
words.
"""

from __future__ import annotations

import time

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.desktop.language.words import length, plain, tr
from lull.desktop.widgets.parts import label, set_kind
from lull.desktop.widgets.text.long_text import ScrollingText
from lull.desktop.widgets.tokens import GAP


class AnswerView(QWidget):
    """A column that shows one answer of a model as it streams in: a heading, the text and the
    progress.
    """

    def __init__(self, head: str) -> None:
        super().__init__()
        self._began_s = 0.0
        self.skills = label("", "small", wrap=True)
        self.standing = label("", "muted", wrap=True)
        self.text = ScrollingText()
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(head)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP // 2)
        box.addWidget(label(head, "head", wrap=True))
        box.addWidget(self.skills)
        box.addWidget(self.text, 1)
        box.addWidget(self.standing)

    def show_waiting(self, words: str) -> None:
        """Clear the answer, and show the text `words`, which says what has to happen before the
        model is asked.
        """
        self.text.clear()
        self.skills.clear()
        self.say(words)

    def begin(self) -> None:
        """Show that the model has received the request, and start to measure how long
        the answer takes.
        """
        self._began_s = time.monotonic()
        self.say(tr("The model is reading your request…"))

    def think(self) -> None:
        """Say that the model is thinking."""
        self.say(tr("The model is thinking…"))

    def grow(self, piece: str) -> None:
        """Add a piece to the shown answer; scroll to the new end only if the end was in view
        before.
        """
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
        """Show that the answer is complete and how long it took, or what went wrong."""
        took = length(time.monotonic() - self._began_s)
        self.say(wrong or tr("Done, after %1.", took), "bad" if wrong else "muted")

    def say(self, words: str, kind: str = "muted") -> None:
        """Show a line about the answer's progress; `kind` chooses its look."""
        set_kind(self.standing, kind)
        self.standing.setText(words)
