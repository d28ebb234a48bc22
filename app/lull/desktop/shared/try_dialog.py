"""Dialog to try a proposed or an active skill on any request: it shows two answers, without and
with the skill, side by side.

The service builds both requests like those of real chats, and the window sends them one after the
other, so that the user's own chats wait for at most one answer. Nothing is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import plain, skill_title, tr, without_args
from lull.desktop.service.client import Reply
from lull.desktop.service.state import Subject, failure_words
from lull.desktop.widgets.chat.answer_view import AnswerView
from lull.desktop.widgets.chat.chat_model import ChatModelChoice
from lull.desktop.widgets.chat.message_edit import MessageEdit
from lull.desktop.widgets.chat.streamed_chat import UNTOUCHED, ChatAddress, StreamedChat
from lull.desktop.widgets.flow import scrolled
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import button, label, row, set_kind
from lull.desktop.widgets.tokens import GAP

SIDES: Final = ("without", "with")
REQUEST_LINES: Final = 3
BLOCK_LINES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillToTry:
    """The proposed or active skill that the user tries in the Try dialog, with the headings of the
    two answers and the fields of the request to the service.
    """

    name: str
    asked: Mapping[str, str]
    """The fields in a request to the service that say which skill or proposal is tried."""
    heads: tuple[str, str]
    """Headings of the two answers, such as "Without the skill" and "With the skill"."""
    model: str = ""
    """The model for which the skill was proposed; "" for none."""
    turn: str = ""
    """Id of the chat turn from which the skill was proposed; "" for none."""


def proposal_to_try(proposal: Json) -> SkillToTry:
    """Build the Try dialog's description of a proposed skill from the proposal's JSON."""
    heads = {
        "new": (tr("Without the skill"), tr("With the skill")),
        "edit": (tr("With the skill as it is now"), tr("With the changed skill")),
        "retire": (tr("With the skill as it is now"), tr("Without the skill")),
    }
    failures = (proposal.get("turns") or {}).get("failures") or ()
    return SkillToTry(
        name=str(proposal["name"]),
        asked={"proposal": str(proposal["id"]), "sha256": str(proposal["sha256"])},
        heads=heads[str(proposal["kind"])],
        model=str(proposal.get("model") or ""),
        turn=str(failures[0]) if failures else "",
    )


def skill_to_try(skill: Json) -> SkillToTry:
    """Build the Try dialog's description of an active skill from the skill's JSON."""
    return SkillToTry(
        name=str(skill["name"]),
        asked={"skill": str(skill["name"]), "of": str(skill.get("client") or "")},
        heads=(tr("Without the skill"), tr("With the skill")),
    )


class TryDialog(QDialog):
    """Dialog in which the user sends any request and compares the answers without and with a
    skill.
    """

    def __init__(self, kit: Kit, tried: SkillToTry, parent: QWidget) -> None:
        super().__init__(parent)
        self._kit = kit
        self._tried = tried
        self._pair: Json = {}
        self._to = ChatAddress(address="")
        self._left: list[str] = []
        """The sides ("without", "with") for which the model still has to be asked."""
        self._run = 0
        """Number of the current try; late replies to an earlier try are ignored."""
        self._runs = False
        self.setWindowTitle(tr("Try it: %1", skill_title(tried.name)))
        self.resize(880, 640)
        self.request = MessageEdit()
        self.request.setAccessibleName(tr("Your request"))
        self.request.setPlaceholderText(tr("Ask what you like, such as one of your own requests"))
        self.models = ChatModelChoice(kit.state, tried.model)
        self.go = button(tr("Try it"), self._begin, main=True)
        self.halt = button(tr("Stop"), self._stop)
        self.leave = button(tr("Close"), self.close, flat=True)
        self.doing = label("", "muted", wrap=True)
        self.doing.hide()
        self.answers = {
            side: AnswerView(head) for side, head in zip(SIDES, tried.heads, strict=True)
        }
        self.block = QPlainTextEdit()
        self.block.setReadOnly(True)
        self.block.setTabChangesFocus(True)
        self.block.setAccessibleName(tr("What is added to the prompt"))
        self.block.setPlaceholderText(tr("Shown once you try it."))
        self._chat = StreamedChat(self)
        self._lay_out()
        self._connect()
        self._read_request()
        self._look()

    def _lay_out(self) -> None:
        words = tr(
            "Your model answers twice, first one answer, then the other. None of it is stored "
            "or learned from, and no skill changes."
        )
        for text, lines in ((self.request, REQUEST_LINES), (self.block, BLOCK_LINES)):
            text.setFixedHeight((lines + 1) * text.fontMetrics().lineSpacing())
        both_answers = QHBoxLayout()
        both_answers.setSpacing(GAP * 2)
        for shown in self.answers.values():
            both_answers.addWidget(shown, 1)
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP)
        box.addWidget(label(words, "small", wrap=True))
        box.addWidget(label(tr("Your request"), "head"))
        box.addWidget(self.request)
        box.addLayout(row(label(tr("Model"), "muted"), self.models, self.go, self.halt, None))
        box.addWidget(self.doing)
        box.addLayout(both_answers, 1)
        added = tr("Added to the prompt for the answer on the right")
        box.addWidget(label(added, "muted", wrap=True))
        box.addWidget(self.block)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        outer.setSpacing(GAP)
        outer.addWidget(scrolled(inner), 1)
        outer.addLayout(row(None, self.leave))

    def _connect(self) -> None:
        for one in (self.go, self.halt, self.leave):
            one.setAutoDefault(False)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self._begin)
        self.request.sent.connect(self._begin)
        self.request.textChanged.connect(self._look)
        self.models.currentIndexChanged.connect(without_args(self._look))
        self._kit.state.changed.connect(self._hear)
        self._kit.state.phase_changed.connect(self._look)
        self._chat.grown.connect(self._grow)
        self._chat.thinking.connect(self._think)
        self._chat.ended.connect(self._ended)
        self.finished.connect(without_args(self._leave))
        self.request.setFocus()

    # The request that taught it

    def _read_request(self) -> None:
        if self._tried.turn:
            self._kit.state.get(routes.TURN.format(id=self._tried.turn), self._fill)

    def _fill(self, answer: Reply) -> None:
        if answer.ok and not self.request.document().isModified():
            self.request.setPlainText(plain(str(answer.value.get("request") or "")))
            self.request.selectAll()

    # Asking

    def _begin(self) -> None:
        if not self.go.isEnabled():
            return
        self._run += 1
        self._runs = True
        self._pair = {}
        self.doing.hide()
        self.block.clear()
        self.answers["without"].show_waiting(tr("The prompts are being built…"))
        self.answers["with"].show_waiting(tr("Starts when the other answer is finished."))
        had_focus = self.go.hasFocus()
        self._look()
        if had_focus:
            self.halt.setFocus()
        run = self._run
        wanted = {
            **self._tried.asked,
            "request": self.request.toPlainText(),
            "model": self.models.chosen,
        }
        self._kit.state.ask(routes.TRY, wanted, lambda answer: self._take(run, answer))

    def _take(self, run: int, answer: Reply) -> None:
        if run != self._run or not self._runs:
            return
        if not answer.ok:
            for shown in self.answers.values():
                shown.show_waiting("")
            self._say(failure_words(answer), "bad")
            self._end()
            return
        self._pair = answer.value
        self.block.setPlainText(plain(str(answer.value["with"]["block"])))
        self.block.setPlaceholderText(tr("Nothing is added."))
        for side, shown in self.answers.items():
            shown.skills.setText(skill_words(answer.value[side]["skills"]))
        if not answer.value["differ"]:
            self._say(
                tr(
                    "It makes no difference to this request: Lull would not add it here, because "
                    "it is for requests of another kind. Try one that it is for."
                ),
                "warn",
            )
        self._kit.state.get(routes.TOKEN, lambda reply: self._send(run, reply))

    def _send(self, run: int, reply: Reply) -> None:
        if run != self._run or not self._runs:
            return
        token = str(reply.value.get("token") or "")
        self._to = ChatAddress(address=self._kit.actions.address, token=token, headers=UNTOUCHED)
        self._left = list(SIDES)
        self._ask_next()

    def _ask_next(self) -> None:
        self._now.begin()
        self._chat.send(self._to, self._pair["route"], self._pair[self._left[0]]["body"])

    @property
    def _now(self) -> AnswerView:
        """The view of the answer that is streaming."""
        return self.answers[self._left[0]]

    def _grow(self, piece: str) -> None:
        self._now.grow(piece)

    def _think(self) -> None:
        self._now.think()

    def _ended(self, wrong: str) -> None:
        self._now.end(wrong)
        self._left.pop(0)
        if self._left:
            self._ask_next()
        else:
            self._end()

    def _stop(self) -> None:
        self._chat.stop()
        for side in self._left or SIDES:
            self.answers[side].say(tr("Stopped."))
        self._left = []
        self._end()

    def _end(self) -> None:
        had_focus = self.halt.hasFocus()
        self._runs = False
        self._look()
        if had_focus:
            self.go.setFocus()

    def _leave(self) -> None:
        self._run += 1
        self._runs = False
        self._chat.stop()
        self.deleteLater()

    # Showing

    def _hear(self, subject: str) -> None:
        if subject == Subject.MODELS:
            self.models.refresh()
            self._look()

    def _look(self) -> None:
        asks = bool(self.request.toPlainText().strip()) and bool(self.models.chosen)
        self.go.setEnabled(asks and not self._runs)
        self.halt.setEnabled(self._runs)

    def _say(self, words: str, kind: str) -> None:
        set_kind(self.doing, kind)
        self.doing.setText(words)
        self.doing.show()


def skill_words(names: list[str]) -> str:
    """Return a text that lists the names of the skills that were in the prompt of an answer."""
    if not names:
        return tr("No skills in this prompt.")
    return tr("Skills in this prompt: %1", ", ".join(map(skill_title, names)))
