"""Asks what is to become of the skills that came from words which, as the user says, were no
correction: keep or disable them.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.checks.rules.phrases import without_leading_no
from lull.desktop.language.words import skill_title, tr
from lull.desktop.service.state import AppState, Subject
from lull.desktop.widgets.fitted_dialog import FittedDialog
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP


class DeniedDialog(FittedDialog):
    """Dialog with two buttons: keep the skills that came from the denied words in use, or disable
    them. The Enter key and closing it keep them.
    """

    def __init__(self, state: AppState, skills: Sequence[Json], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._state, self._skills = state, skills
        self.setWindowTitle(tr("Keep the skill?"))
        self.setMinimumWidth(440)
        head = tr("A skill came from these words: %1.", _titles(skills))
        if len(skills) > 1:
            head = tr("Skills came from these words: %1.", _titles(skills))
        words = tr(
            "It is used in your chats, whatever the words were about. You can change this later on "
            "the Skills page."
        )
        self.keep = button(tr("Keep using it"), self.close, main=True)
        self.disable = button(tr("Disable it"), self._disable)
        self.disable.setAutoDefault(False)
        self.keep.setDefault(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(head, "head", wrap=True))
        box.addWidget(label(words, "muted", wrap=True))
        box.addLayout(row(None, self.disable, self.keep))
        self.keep.setFocus()

    def _disable(self) -> None:
        for skill in self._skills:
            _switch(self._state, skill, "disable", tr("Disabled: %1", _titles([skill])))
        self.close()


def skills_of_words(state: AppState, turn: Json) -> list[Json]:
    """Return the active skills that hold, word for word, what the user said after an answer."""
    signals = turn.get("signals") or ()
    wishes = [str(one["values"][0]) for one in signals if one.get("code") == "signal-wish"]
    said = [without_leading_no(wish).strip().rstrip(".") for wish in wishes]
    there = state.value(Subject.SKILLS).get("skills") or ()
    active = (one for one in there if one.get("status") == "active")
    return [one for one in active if any(words and words in one["body"] for words in said)]


def _titles(skills: Sequence[Json]) -> str:
    return ", ".join(tr("“%1”", skill_title(one["name"])) for one in skills)


def _switch(state: AppState, skill: Json, action: str, done: str) -> None:
    """Enable or disable a skill; disabling it can be undone."""
    undone = tr("Enabled: %1", _titles([skill]))
    state.act(
        routes.SKILLS_CHANGE,
        {"do": action, "name": skill["name"], "client": skill.get("client") or ""},
        words=done,
        done=done,
        undo=(lambda: _switch(state, skill, "enable", undone)) if action == "disable" else None,
        then=lambda _: state.touch(Subject.SKILLS, Subject.GENERATIONS, Subject.STATUS),
    )
