"""Card of the Today page with the newest chat requests that were answered with an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtWidgets import QGridLayout

from lull.desktop.language.client_names import client_title
from lull.desktop.language.words import ago, now, tr, translated
from lull.desktop.widgets.parts import Card, clear_layout, label
from lull.desktop.widgets.text.long_text import breakable
from lull.desktop.widgets.tokens import GAP

MOST_SHOWN: Final = 3
"""Most failed requests that the card shows."""


class FailedCard(Card):
    """Card that lists the newest chat requests that were answered with an error: which chat app,
    when and why; hidden while there is none.
    """

    def __init__(self) -> None:
        super().__init__(tr("Failed requests"))
        words = tr("Your chat apps got an error instead of an answer.")
        self.box.addWidget(label(words, "muted", wrap=True))
        self.lines = QGridLayout()
        self.lines.setHorizontalSpacing(GAP * 2)
        self.lines.setColumnStretch(1, 1)
        self.box.addLayout(self.lines)

    def show_failed(self, failed: Sequence[dict[str, Any]]) -> None:
        """Show on the card the newest of these chat requests, which were answered with an error."""
        self.setVisible(bool(failed))
        clear_layout(self.lines)
        for line, one in enumerate(failed[:MOST_SHOWN]):
            client = client_title(one["client"] or "–")
            words = tr("%1: %2 (error %3)", client, translated(one, "why"), one["status"])
            self.lines.addWidget(label(ago(one["at"], now()), "muted"), line, 0)
            self.lines.addWidget(label(breakable(words), wrap=True), line, 1)
