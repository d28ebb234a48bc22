"""Asks what a bad answer should have said, with a text box and buttons; the same wherever it is
asked.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.desktop.language.words import tr
from lull.desktop.widgets.chat.message_edit import MessageEdit
from lull.desktop.widgets.parts import button, label, row


def question() -> str:
    """Return the question to the user about an answer that they rated bad."""
    return tr("What should it have said?")


class CorrectionBox(QWidget):
    """A text box in which the user writes what an answer should have been; they tell Lull, make a
    skill of it, or leave the question.
    """

    said = Signal(str)
    """Emitted with the words that Lull is to take as a correction."""
    skill_wanted = Signal(str)
    """Emitted with the words of which the user wants to make a skill; there may be none."""
    left = Signal()

    def __init__(self, *, draft: str = "", answer: str = "", sends: bool = False) -> None:
        """Create the question, with `draft` as the first text.

        `answer` names the answer for a screen reader, such as "Answer 2"; "" if there is only one.
        `sends` says that the words go to the model as the next message of the conversation.
        """
        super().__init__()
        self._answer = answer
        self.text = MessageEdit()
        self.text.setAccessibleName(self._named(question()))
        self.text.setPlainText(draft)
        self.text.moveCursor(QTextCursor.MoveOperation.End)
        self.text.sent.connect(self._say)
        self.text.textChanged.connect(self._look)
        self.tell = button(
            tr("Send") if sends else tr("Tell Lull"),
            self._say,
            main=True,
            name=self._named(tr("Send the correction") if sends else tr("Tell Lull")),
        )
        words = tr("Make a skill of this…")
        skill = self.skill = button(words, self._skill, flat=True, name=self._named(words))
        words = tr("Not now")
        leave = self.leave = button(words, self.left.emit, flat=True, name=self._named(words))
        hint = tr(
            "Lull reads your words as a correction of this answer, as if you had written them in "
            "your chat app, and learns from them."
        )
        if sends:
            hint = tr("Your words are sent as your next message; Lull reads them as a correction.")
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.text)
        box.addLayout(row(self.tell, skill, leave, None))
        box.addWidget(label(hint, "small", wrap=True))
        self._look()

    @property
    def words(self) -> str:
        """What the user has written."""
        return self.text.toPlainText().strip()

    def _named(self, words: str) -> str:
        return tr("%1: %2", self._answer, words) if self._answer else words

    def _look(self) -> None:
        self.tell.setEnabled(bool(self.words))

    def _say(self) -> None:
        if self.words:
            self.said.emit(self.words)

    def _skill(self) -> None:
        self.skill_wanted.emit(self.words)
