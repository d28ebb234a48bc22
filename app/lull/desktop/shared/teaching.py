"""Asks what an answer that was rated bad should have said, and lets the user make a skill of an
answer: what they write as the better answer becomes the skill's text, which is put into later
prompts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import plain, skill_title, tr, translated
from lull.desktop.service.client import Reply
from lull.desktop.service.state import AppState, OutcomeMessage, Subject
from lull.desktop.shared.new_skill import NewSkillDialog, slug
from lull.desktop.shared.skill_words import FlagLook, flag_look
from lull.desktop.widgets.chat.correction_box import CorrectionBox, question
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import Card, label
from lull.desktop.widgets.text.long_text import breakable
from lull.desktop.widgets.tokens import GAP

Show = Callable[[], object]
WORDS_OF_A_NAME: Final = 4
"""Number of a request's first words that make the suggested name of its skill."""
MOST_OF_A_REQUEST: Final = 80


def teach(
    kit: Kit,
    turn: Json,
    client: str,
    parent: QWidget,
    *,
    written: Json | None = None,
    words: str = "",
) -> NewSkillDialog:
    """Open the dialog in which the user writes a skill about a chat turn, such as what a bad answer
    should have said.

    `written` fills the fields with what the user wrote before, if the service refused that;
    `words` are what they have written beside the answer, as the first text of the skill.
    """
    request = " ".join(plain(str(turn.get("request", ""))).split())
    about = tr("You asked: %1", _short(request))
    if turn.get("answer"):
        answer = " ".join(plain(str(turn["answer"])).split())
        about = f"{about}\n{tr('It answered: %1', _short(answer))}"
    start = written or {
        "name": slug(" ".join(request.split()[:WORDS_OF_A_NAME])),
        "description": tr("When asked something like “%1”", _short(request)),
        "body": words,
    }
    bad = turn.get("label") == "bad"
    title = question() if bad else tr("Make a skill of this")
    dialog = NewSkillDialog(parent, title=title, about=about, start=start, client=client)
    dialog.given.connect(lambda wanted: _add(kit, turn, client, parent, wanted))
    dialog.open()
    return dialog


def rate_and_teach(kit: Kit, turn: str, label: str, parent: QWidget, *, show: Show) -> None:
    """Rate an answer (by its turn's id); after the rating "bad" ask the user what it should have
    said.

    `show` is called before asking, and brings the window to the front.
    """

    def ask(answer: Reply) -> None:
        if answer.ok:
            show()
            CorrectionDialog(kit, {**answer.value, "label": label}, parent).open()

    def then(done: bool) -> None:
        if done and label == "bad":
            kit.state.get(routes.TURN.format(id=turn), ask)

    kit.actions.rate(turn, label, then)


def _add(kit: Kit, turn: Json, client: str, parent: QWidget, wanted: Json) -> None:
    def then(done: bool) -> None:
        _look(kit.state)
        if not done:  # the words are the user's: they get them back
            teach(kit, turn, client, parent, written=wanted)

    kit.state.act(
        routes.SKILLS_CHANGE,
        {"do": "add", **wanted},
        words=tr("Adding a skill"),
        done=tr("Added: %1.", skill_title(wanted["name"])),
        undo=lambda: _take_back(kit.state, wanted),
        answered=lambda answer: show_flags(kit.state, answer),
        then=then,
    )


def _take_back(state: AppState, wanted: Json) -> None:
    """Undo the adding of a skill by archiving it; other changes stay."""
    state.act(
        routes.SKILLS_CHANGE,
        {"do": "delete", "name": wanted["name"], "client": wanted["client"]},
        words=tr("Undoing"),
        done=tr("Archived: %1.", skill_title(wanted["name"])),
        then=lambda _: _look(state),
    )


def show_flags(state: AppState, answer: Reply) -> None:
    """Show what was found in a skill that the user has written; the skill is active in spite of
    it. Only what calls for caution is shown as a warning.
    """
    flags = answer.value.get("flags", ())
    if flags:
        texts = " ".join(dict.fromkeys(translated(flag) for flag in flags))
        calm = all(flag_look(flag) is FlagLook.NEUTRAL for flag in flags)
        state.told.emit(OutcomeMessage(text=tr("Look at this. %1", plain(texts)), good=calm))


def _look(state: AppState) -> None:
    state.touch(Subject.SKILLS, Subject.GENERATIONS, Subject.PROPOSALS, Subject.STATUS)


def _short(text: str) -> str:
    if len(text) <= MOST_OF_A_REQUEST:
        return text
    return f"{text[: MOST_OF_A_REQUEST - 1].rstrip()}…"


class CorrectionDialog(QDialog):
    """Small dialog after the user rated an answer bad, which asks what it should have said."""

    def __init__(self, kit: Kit, turn: Json, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(question())
        self.resize(520, 0)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.addWidget(label(_rated_bad(turn), "muted", wrap=True))
        self.asked = CorrectionBox()
        box.addWidget(self.asked)
        _connect(self.asked, kit, lambda: turn, parent, self.accept)
        self.asked.text.setFocus()


class TeachCard(Card):
    """Card that appears after the user rated an answer bad, and asks what the model should have
    said.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__(question())
        self._kit = kit
        self._turn: Json = {}
        self._words = label("", "muted", wrap=True)
        self.asked = CorrectionBox()
        self.box.addWidget(self._words)
        self.box.addWidget(self.asked)
        _connect(self.asked, kit, lambda: self._turn, self, self.hide)
        self.hide()

    def ask(self, turn: Json) -> None:
        """Show the card with the question what the model should have said in this turn, which was
        just rated bad.
        """
        if turn.get("id") != self._turn.get("id"):
            self.asked.text.clear()
        self._show(turn)
        self.asked.text.setFocus()

    def _show(self, turn: Json) -> None:
        self._turn = {**turn, "label": "bad"}
        self._words.setText(_rated_bad(turn))
        self.show()

    def draft(self) -> str:
        """Return the turn that is asked about and the words written so far; "" if there are
        none.
        """
        begun = {"turn": self._turn, "words": self.asked.text.toPlainText()}
        return json.dumps(begun) if self.asked.words and not self.isHidden() else ""

    def take_draft(self, written: str) -> None:
        """Let the user go on with the words of a `draft` after the window was replaced."""
        begun = json.loads(written)
        self._show(begun["turn"])
        self.asked.text.setPlainText(begun["words"])
        self.asked.text.moveCursor(QTextCursor.MoveOperation.End)


def _rated_bad(turn: Json) -> str:
    request = " ".join(plain(str(turn.get("request", ""))).split())
    return breakable(tr("You rated the answer to “%1” bad.", _short(request)))


def _connect(
    asked: CorrectionBox, kit: Kit, turn: Callable[[], Json], parent: QWidget, close: Show
) -> None:
    """Let the question about a turn do what its buttons say, and close it then."""

    def say(words: str) -> None:
        def then(done: bool) -> None:
            if done:  # else the words stay where the user wrote them
                asked.text.clear()
                close()

        kit.actions.correct(str(turn()["id"]), words, then)

    def skill(words: str) -> None:
        close()
        client = str(turn().get("client") or "")
        teach(kit, turn(), client, parent.window(), words=words)

    asked.said.connect(say)
    asked.skill_wanted.connect(skill)
    asked.left.connect(close)
