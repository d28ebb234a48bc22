"""Asks below an answer that was rated bad what it should have said.

In the Chat page the words go into the conversation as the user's next message, if the answer is the
newest. Nothing can be sent to an older answer, nor to another chat app; there Lull is told the
words. It reads both as it reads any correction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import tr
from lull.desktop.widgets.chat.correction_box import CorrectionBox, question
from lull.desktop.widgets.parts import label
from lull.desktop.widgets.tokens import GAP


class Correcting(QObject):
    """Which answer the user is asked about, and what they have written so far: the conversation
    around the question is drawn anew whenever the service tells of it.
    """

    changed = Signal()
    """Emitted when another answer is asked about, or none."""
    told = Signal(str, str)
    """Emitted with a turn's id and the user's words, which Lull is to take as a correction."""
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

    @property
    def begun(self) -> dict[str, str]:
        """The id of the turn that the user is asked about, and the words written so far; {} if
        there are none.
        """
        return {"turn": self._turn, "words": self._draft} if self._draft.strip() else {}

    def take(self, begun: Mapping[str, str]) -> None:
        """Let the user go on with words that `begun` returned before the window was replaced."""
        self._turn, self._draft = begun.get("turn", ""), begun.get("words", "")
        self.changed.emit()

    def asks_about(self, turn: Json) -> bool:
        """Whether the question stands below this turn's answer."""
        return bool(turn["id"] == self._turn and turn.get("label") == "bad")

    def box(self, turn: Json, *, answer: str, newest: bool) -> QWidget:
        """Make the widget that asks the user what was wrong with an answer, with a text box and
        buttons. `answer` names the answer, such as "Answer 2"; `newest` says whether it is the
        conversation's last, to which the next message replies.
        """
        sends = newest and self.send is not None
        made = QWidget()
        box = QVBoxLayout(made)
        box.setContentsMargins(0, GAP, 0, 0)
        asked = CorrectionBox(draft=self._draft, answer=answer, sends=sends)
        asked.text.textChanged.connect(lambda: self._keep(asked.text.toPlainText()))
        asked.said.connect(self._send if sends else lambda words: self.told.emit(turn["id"], words))
        asked.skill_wanted.connect(lambda words: self.skill_wanted.emit(turn, words))
        asked.left.connect(self.leave)
        box.addWidget(label(question(), "head", wrap=True))
        box.addWidget(asked)
        return made

    def _keep(self, draft: str) -> None:
        self._draft = draft

    def _send(self, text: str) -> None:
        if self.send is not None and self.send(text):
            self.leave()


def field_name(answer: str) -> str:
    """Return the accessible name of the text box below an answer that is named so."""
    return tr("%1: %2", answer, question())
