"""Card of the Today page that names connected chat apps which no longer send their requests through
Lull.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lull.desktop.language.words import tr, translated
from lull.desktop.widgets.page import Kit, PageName
from lull.desktop.widgets.parts import Card, button, label, row


class DriftedCard(Card):
    """Card that names the chat apps which Lull once connected and which no longer send their
    requests through Lull.

    It is hidden while there are none. Its button opens the Connect page.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self.words = label("", wrap=True)
        self.box.addWidget(self.words)
        self.go = button(
            tr("Show on Connect"),
            lambda: kit.go(PageName.CONNECT),
            name=tr("Show chat apps on the Connect page"),
        )
        self.box.addLayout(row(self.go, None))
        self.hide()

    def show_drifted(self, drifted: Sequence[dict[str, Any]]) -> None:
        """Show on the card the names of the chat apps that no longer send their requests through
        Lull; hide it if there are none.
        """
        titles = ", ".join(translated(one, "title") for one in drifted)
        one = tr("%1 no longer goes through Lull, so nothing is learned from its chats.", titles)
        many = tr("%1 no longer go through Lull, so nothing is learned from their chats.", titles)
        self.words.setText(one if len(drifted) == 1 else many)
        self.setVisible(bool(drifted))
