"""The part of the Settings page that is folded at first: settings that few people change, in one
card for each group (the part of a setting's key before the dot).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.desktop.language.words import tr
from lull.desktop.pages.settings.finding import Query, said_in
from lull.desktop.pages.settings.lines import SettingLine, SettingsCard
from lull.desktop.pages.settings.searched_card import texts_on
from lull.desktop.shared.setting_names import group_title
from lull.desktop.widgets.parts import Card, button, label, row
from lull.desktop.widgets.tokens import GAP

ADVANCED_OPEN: Final = "settings/advanced-open"
"""Key in the window's preferences: whether the advanced settings are unfolded."""


class Advanced(QWidget):
    """Widget with the advanced settings of the Settings page, folded at first; a search that
    matches any of them unfolds them.

    While it is folded its lines need not have been made: they are most of the page's widgets.
    """

    unfolded = Signal()
    """Emitted when the user unfolds the settings."""

    def __init__(self, preferences: QSettings, reset: Callable[[SettingsCard], object]) -> None:
        super().__init__()
        self._preferences = preferences
        self._reset = reset
        self.opened = bool(preferences.value(ADVANCED_OPEN, False, type=bool))
        """Whether the settings are unfolded, apart from a search."""
        self.has_more = False
        """Whether there are settings whose lines were not made."""
        self.cards: dict[str, SettingsCard] = {}
        """The cards by the groups of their settings' keys."""
        self.head = Card()
        self.fold = button("", self._turn)
        self.head.box.addLayout(row(label(tr("Advanced"), "head"), None, self.fold))
        text = tr("For fine-tuning. Most people never need these.")
        self.head.box.addWidget(label(text, "muted", wrap=True))
        self.body = QWidget()
        self._cards_box = QVBoxLayout(self.body)
        box = QVBoxLayout(self)
        for one in (self._cards_box, box):
            one.setContentsMargins(0, 0, 0, 0)
            one.setSpacing(GAP * 2)
        box.addWidget(self.head)
        box.addWidget(self.body)
        self._show(opened=self.opened, offered=True)
        self.hide()

    def add(self, line: SettingLine) -> None:
        """Add a setting's line to the card of its group."""
        group = line.key.split(".", 1)[0]
        if group not in self.cards:
            self.cards[group] = SettingsCard(group_title(group), self._reset)
            self._cards_box.addWidget(self.cards[group])
        self.cards[group].add(line)

    def look_for(self, query: Query) -> bool:
        """Show only the advanced settings that match a search; return whether there are any.

        After a search all settings are shown again, folded or unfolded as the user left them.
        """
        searched = bool(query.words)
        found = [card.look_for(query) for card in self.cards.values()]
        if searched and not any(found) and query.fits(said_in(texts_on(self.head))):
            found = [card.look_for(Query()) for card in self.cards.values()]
        self._show(opened=self.opened or searched, offered=not searched)
        shown = any(found) or (self.has_more and not searched)
        self.setVisible(shown)
        return shown

    def _turn(self) -> None:
        self.opened = not self.opened
        self._preferences.setValue(ADVANCED_OPEN, self.opened)
        if self.opened:
            self.unfolded.emit()
        self._show(opened=self.opened, offered=True)

    def _show(self, *, opened: bool, offered: bool) -> None:
        """Unfold or fold the cards; the button for that is shown only if `offered`, which is not so
        during a search.
        """
        words = tr("Hide advanced settings") if opened else tr("Show advanced settings")
        self.fold.setText(words)
        self.fold.setAccessibleName(words)
        self.fold.setVisible(offered)
        self.body.setVisible(opened)
