"""Widget to choose whose answers the charts of the Learning page show: those to one client (chat
app), of one model or with one skill in the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from lull.desktop.language.client_names import client_title
from lull.desktop.language.words import plain, skill_title, tr
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.flow import Flow
from lull.desktop.widgets.text.long_text import beginning

MOST_OF_A_TITLE: Final = 36
"""Most characters of a skill's title in the list of skills."""


class ChartFilter(QWidget):
    """A row of three drop-down lists that limit the charts to the answers of one client (chat app),
    of one model or with one skill; each list also offers all.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.client = self._choice(tr("Answers to which chat app"), tr("All chat apps"))
        self.model = self._choice(tr("Answers of which model"), tr("All models"))
        self.skill = self._choice(tr("Answers with which skill"), tr("All skills"))
        box = Flow()
        self.setLayout(box)
        for one in (self.client, self.model, self.skill):
            box.addWidget(one)

    def _choice(self, name: str, every: str) -> Choice:
        made = Choice()
        made.setAccessibleName(name)
        made.setToolTip(name)
        made.addItem(every, "")
        made.activated.connect(lambda _: self.changed.emit())
        return made

    def offer_kinds(self, clients: Iterable[str], models: Iterable[str]) -> None:
        """Set the clients and models that the user can choose from; the current choice is kept."""
        _offer(self.client, clients, shown=client_title)
        _offer(self.model, models)

    def offer_skills(self, names: Iterable[str]) -> None:
        """Set the skills that the user can choose from; the current choice is kept."""
        _offer(self.skill, names, shown=_short_title)

    def query_params(self) -> dict[str, str]:
        """Return the chosen client, model and skill as query parameters of a request to the
        service; "" stands for all.
        """
        return {
            "client": str(self.client.currentData()),
            "model": str(self.model.currentData()),
            "skill": str(self.skill.currentData()),
        }


def _short_title(name: str) -> str:
    return beginning(skill_title(name), MOST_OF_A_TITLE)


def _offer(box: Choice, values: Iterable[str], *, shown: Callable[[str], str] = plain) -> None:
    chosen = box.currentData()
    wanted = [value for value in dict.fromkeys([*values, chosen]) if value]
    if wanted == [box.itemData(n) for n in range(1, box.count())]:
        return
    while box.count() > 1:
        box.removeItem(1)
    for value in wanted:
        box.addItem(shown(value), value)
    box.setCurrentIndex(max(0, box.findData(chosen)))
