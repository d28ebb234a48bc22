"""Lets the user make a skill from a bad answer: what they write as the better answer becomes the
skill's text, which is put into later prompts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtWidgets import QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import plain, skill_title, tr, translated
from lull.desktop.service.client import Reply
from lull.desktop.service.state import AppState, OutcomeMessage, Subject
from lull.desktop.shared.new_skill import NewSkillDialog, slug
from lull.desktop.shared.skill_words import FlagLook, flag_look
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import Card, button, label, row
from lull.desktop.widgets.text.long_text import breakable

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
    title = tr("What should it have said?") if bad else tr("Make a skill of this")
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
            client = str(answer.value.get("client") or "")
            teach(kit, {**answer.value, "label": label}, client, parent)

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
        done=tr("Added: %1", skill_title(wanted["name"])),
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
        done=tr("Archived: %1", skill_title(wanted["name"])),
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
        state.told.emit(OutcomeMessage(text=tr("Look at this: %1", plain(texts)), good=calm))


def _look(state: AppState) -> None:
    state.touch(Subject.SKILLS, Subject.GENERATIONS, Subject.PROPOSALS, Subject.STATUS)


def _short(text: str) -> str:
    if len(text) <= MOST_OF_A_REQUEST:
        return text
    return f"{text[: MOST_OF_A_REQUEST - 1].rstrip()}…"


class TeachCard(Card):
    """Card that appears after the user rated an answer bad, and asks what the model should have
    said.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__(tr("What should it have said?"))
        self._kit = kit
        self._turn: Json = {}
        self._words = label("", "muted", wrap=True)
        self.teach = button(tr("Tell Lull…"), self._teach)
        self.leave = button(tr("Not now"), self.hide, flat=True)
        self.box.addWidget(self._words)
        self.box.addLayout(row(self.teach, self.leave, None))
        self.hide()

    def ask(self, turn: Json) -> None:
        """Show the card with the question what the model should have said in this turn, which was
        just rated bad.
        """
        self._turn = {**turn, "label": "bad"}
        request = " ".join(plain(str(turn.get("request", ""))).split())
        words = tr("You rated the answer to “%1” bad.", _short(request))
        self._words.setText(breakable(words))
        self.show()

    def _teach(self) -> None:
        self.hide()
        teach(self._kit, self._turn, str(self._turn.get("client") or ""), self.window())
