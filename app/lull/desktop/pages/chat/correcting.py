"""Asks below an answer that was rated bad what it should have said.

In the Chat page the words go into the conversation as the user's next message, which Lull reads as
it reads any correction. In a conversation of another chat app nothing can be sent; there the words
can become a skill, as they can in the Chat page.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import tr
from lull.desktop.widgets.chat.message_edit import MessageEdit
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP


class Correcting(QObject):
    """Which answer the user is asked about, and what they have written so far: the conversation
    around the question is drawn anew whenever the service tells of it.
    """

    changed = Signal()
    """Emitted when another answer is asked about, or none."""
    skill_wanted = Signal(object, str)
    """Emitted with the turn and the user's words, of which a skill is to be made."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.send: Callable[[str], bool] | None = None
        """Sends a text as the next message of the conversation and returns whether it was sent;
        None where nothing can be sent.
        """
        self._turn = ""
        self._draft = ""
        self.begins = False
        """Whether the question has just been asked, so that its text box gets the focus."""

    def ask(self, turn: str) -> None:
        """Ask what the answer of this turn (its id) should have said, once it is rated bad."""
        if turn != self._turn:
            self._turn, self._draft = turn, ""
        self.begins = True
        self.changed.emit()

    def leave(self) -> None:
        """Ask no longer."""
        self._turn, self._draft, self.begins = "", "", False
        self.changed.emit()

    def asks_about(self, turn: Json) -> bool:
        """Whether the question stands below this turn's answer."""
        return bool(turn["id"] == self._turn and turn.get("label") == "bad")

    def box(self, turn: Json, *, newest: bool) -> QWidget:
        """Make the question with its text box and buttons; `newest` says whether the turn is the
        conversation's last, to which the next message replies.
        """
        made = QWidget()
        box = QVBoxLayout(made)
        box.setContentsMargins(0, GAP, 0, 0)
        text = MessageEdit()
        text.setAccessibleName(field_name(turn))
        text.setPlainText(self._draft)
        text.moveCursor(QTextCursor.MoveOperation.End)
        skill = button(
            tr("Make a skill of this…"),
            lambda: self.skill_wanted.emit(turn, self._draft.strip()),
            flat=True,
            name=tr("Answer %1: %2", turn.get("number", 0) + 1, tr("Make a skill of this…")),
        )
        leave = button(tr("Not now"), self.leave, flat=True)
        box.addWidget(label(tr("What should it have said?"), "head", wrap=True))
        box.addWidget(text)
        if newest and self.send is not None:
            send = button(tr("Send"), self._send, main=True, name=tr("Send the correction"))
            send.setEnabled(bool(self._draft.strip()))
            text.textChanged.connect(lambda: send.setEnabled(bool(text.toPlainText().strip())))
            text.sent.connect(self._send)
            hint = tr("Your words are sent as your next message; Lull reads them as a correction.")
            box.addLayout(row(send, skill, leave, None))
        else:
            text.sent.connect(skill.click)
            hint = tr("Your words become a skill, once you have looked at it.")
            box.addLayout(row(skill, leave, None))
        text.textChanged.connect(lambda: self._keep(text.toPlainText()))
        box.addWidget(label(hint, "small", wrap=True))
        return made

    def _keep(self, draft: str) -> None:
        self._draft = draft

    def _send(self) -> None:
        text = self._draft.strip()
        if text and self.send is not None and self.send(text):
            self.leave()


def field_name(turn: Json) -> str:
    """Return the accessible name of the text box below a turn's answer."""
    return tr("Answer %1: %2", turn.get("number", 0) + 1, tr("What should it have said?"))
