"""Fields with which the user filters the list of conversations: text, chat app, rating and
others.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QStringListModel, Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QCompleter, QWidget

from lull.desktop.language.client_names import client_title
from lull.desktop.language.words import plain, skill_title, tr
from lull.desktop.shared.new_skill import slug
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.columns import search_field
from lull.desktop.widgets.flow import Flow

TYPED_MS = 250
"""Milliseconds after the last key press before a search starts (debounce)."""


class ConversationFilter(QWidget):
    """A row of search fields that filter the list of conversations."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._typed = QTimer(self, singleShot=True, interval=TYPED_MS)
        self._typed.timeout.connect(self.changed)
        self.search = search_field(tr("Search conversations"), self._typed.start)
        self.skill = search_field(tr("Skill"), self._typed.start)
        self._names = QStringListModel(self)
        self._of_title: dict[str, str] = {}
        """The names of the suggested skills, by their titles in small letters."""
        completer = QCompleter(self._names, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.skill.setCompleter(completer)
        self.client = self._choice(tr("Chat app"), [(tr("All apps"), "")])
        self.model = self._choice(tr("Model"), [(tr("All models"), "")])
        self.label = self._choice(tr("Rating"), _ratings())
        self.excluded = self._choice(tr("Learning"), _learning())
        box = Flow()
        self.setLayout(box)
        box.addWidget(self.search)
        box.addWidget(self.skill)
        for one in (self.client, self.model, self.label, self.excluded):
            one.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            one.setMinimumContentsLength(7)
            box.addWidget(one)

    def _choice(self, name: str, options: Sequence[tuple[str, str]]) -> QComboBox:
        made = Choice()
        made.setAccessibleName(name)
        made.setToolTip(name)
        for words, value in options:
            made.addItem(words, value)
        made.activated.connect(lambda _: self.changed.emit())
        return made

    def set_options(self, clients: Sequence[str], models: Sequence[str]) -> None:
        """Set the chat clients and the models by which the user can filter conversations; the
        current choice is kept.
        """
        for box, values, shown in (
            (self.client, clients, client_title),
            (self.model, models, plain),
        ):
            chosen = box.currentData()
            while box.count() > 1:
                box.removeItem(1)
            for value in dict.fromkeys([*values, *([chosen] if chosen else [])]):
                box.addItem(shown(value), value)
            box.setCurrentIndex(max(0, box.findData(chosen)))

    def offer_skills(self, names: Sequence[str]) -> None:
        """Set the names of skills that are suggested while the user types."""
        titles = list(map(skill_title, names))
        self._of_title = dict(zip(map(str.casefold, titles), names, strict=True))
        if titles != self._names.stringList():
            self._names.setStringList(titles)

    def query(self) -> dict[str, str]:
        """Return the conversation filters as query parameters; an empty value matches
        everything.
        """
        typed = self.skill.text().strip()
        return {
            "search": self.search.text().strip(),
            "skill": self._of_title.get(typed.casefold()) or slug(typed),
            "client": str(self.client.currentData()),
            "model": str(self.model.currentData()),
            "label": str(self.label.currentData()),
            "excluded": str(self.excluded.currentData()),
        }


def _ratings() -> list[tuple[str, str]]:
    return [
        (tr("Any rating"), ""),
        (tr("Rated good"), "good"),
        (tr("Rated bad"), "bad"),
        (tr("Not rated"), "none"),
    ]


def _learning() -> list[tuple[str, str]]:
    return [
        (tr("Everything"), ""),
        (tr("Included in learning"), "no"),
        (tr("Excluded from learning"), "yes"),
    ]
