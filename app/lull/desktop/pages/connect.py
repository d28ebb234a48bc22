"""The Connect page: the chat apps on this computer with their connections to Lull, and the address
for all other apps.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QLineEdit, QVBoxLayout

from lull.desktop.language.words import tr
from lull.desktop.service.state import Subject
from lull.desktop.shared.connect.card import ConnectCard
from lull.desktop.widgets.page import Kit, Page
from lull.desktop.widgets.parts import Card, button, label, row
from lull.desktop.widgets.tokens import GAP

ADDRESS_CHARACTERS: Final = 34
"""Width of the field with Lull's address, in characters; a longer address can be scrolled."""


class ConnectPage(Page):
    """The Connect page: connects chat apps to Lull, tests the connections and undoes them."""

    subjects = (Subject.CLIENTS, Subject.STATUS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Connect"))
        self.card = ConnectCard(kit)
        box = QVBoxLayout(self.body)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP * 2)
        box.addWidget(self.card)
        box.addWidget(self._other_apps())
        box.addStretch(1)

    def _other_apps(self) -> Card:
        card = Card(tr("Any other app"))
        words = tr(
            "Any app that can use Ollama, or a server with OpenAI's API, can use Lull: in its "
            "settings, enter this address in place of the other one."
        )
        card.box.addWidget(label(words, "muted", wrap=True))
        self.address = QLineEdit()
        self.address.setReadOnly(True)
        self.address.setAccessibleName(tr("Lull's address"))
        room = self.address.fontMetrics().averageCharWidth() * ADDRESS_CHARACTERS
        self.address.setMinimumWidth(room)
        self.copy = button(tr("Copy address"), self.kit.actions.copy_address)
        card.box.addLayout(row(self.address, self.copy, None))
        return card

    def show_content(self) -> None:
        address = self.kit.actions.address
        if self.address.text() != address:
            self.address.setText(address)
            self.address.setCursorPosition(0)
