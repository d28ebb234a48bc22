"""The Settings page: cards with the settings that most people use, and all others folded under
Advanced. The cards of the window's own preferences are in `own_cards`.

The service checks each change and applies it at once if it can.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import tr, translated
from lull.desktop.pages.settings import units
from lull.desktop.pages.settings.advanced import Advanced
from lull.desktop.pages.settings.exposure import ExposureDialog, exposure_words
from lull.desktop.pages.settings.finding import Query, queries
from lull.desktop.pages.settings.lines import SettingLine, SettingsCard
from lull.desktop.pages.settings.model_edit import ModelEdit
from lull.desktop.pages.settings.own_cards import DataCard, WindowCard
from lull.desktop.pages.settings.page_cards import ElsewhereCard, LullCard, PrivacyCard
from lull.desktop.pages.settings.searched_card import SearchedCard
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, Subject
from lull.desktop.shared.model_choice import ModelChoice
from lull.desktop.shared.setting_names import EVERYDAY, everyday, title_of
from lull.desktop.widgets.accessible import tab_after
from lull.desktop.widgets.columns import search_field
from lull.desktop.widgets.page import Empty, Kit, Page, PageName, loading
from lull.desktop.widgets.parts import Card, button, label, unwrapped_row
from lull.desktop.widgets.style import style_now
from lull.desktop.widgets.tokens import GAP

_RANK: Final = {key: number for number, key in enumerate(EVERYDAY)}
"""Places of the everyday settings on the page; other settings follow in the order in which the
service sends them.
"""
SEARCH_PX: Final = 240
"""Least width of the search field in pixels."""
LINES_AT_ONCE: Final = 6
"""Settings whose lines are made in one turn of the event loop when the page is first opened."""
_MODEL_AFTER: Final = 1
"""The everyday card after which the choice of the model that learns stands."""


class SettingsPage(Page):
    """The Settings page: cards with the common settings, then all other settings, folded."""

    subjects = (Subject.SETTINGS, Subject.MODELS, Subject.STATUS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Settings"))
        self.lines: dict[str, SettingLine] = {}
        self._has_new_lines = False
        self.search = search_field(tr("Search settings"), self._search)
        self.search.setMinimumWidth(SEARCH_PX)
        self.search.setMaximumWidth(2 * SEARCH_PX)
        self.head.addWidget(self.search)
        inner = QWidget()
        self._box = QVBoxLayout(inner)
        self._box.setContentsMargins(0, 0, GAP, 0)
        self._box.setSpacing(GAP * 2)
        self._card_for: dict[str, SettingsCard] = {}
        """The everyday card of each everyday setting."""
        self.cards: list[SettingsCard] = []
        for title, keys in everyday():
            card = SettingsCard(title, self._reset)
            self.cards.append(card)
            self._card_for |= dict.fromkeys(keys, card)
        self.model_card = self._model_card()
        self.privacy_card = PrivacyCard(self.look_up)
        self.window_card = WindowCard(kit)
        self.data_card = DataCard(kit)
        self.lull_card = LullCard(kit)
        self.elsewhere_card = ElsewhereCard(kit)
        self.own_cards = (
            self.model_card,
            self.privacy_card,
            self.window_card,
            self.data_card,
            self.lull_card,
            self.elsewhere_card,
        )
        self.advanced = Advanced(kit.preferences, self._reset)
        self.advanced.unfolded.connect(self.show_content)
        cards: list[QWidget] = [*self.cards]
        cards.insert(_MODEL_AFTER + 1, self.model_card)
        self._order = (*cards, *self.own_cards[1:], self.advanced)
        self._box.addWidget(self._restart_card())
        for one in self._order:
            self._box.addWidget(one)
        self._box.addStretch(1)
        self.area = scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(inner)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.none = label("", "muted", wrap=True)
        self.none.hide()
        box = QVBoxLayout(self.body)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.none)
        box.addWidget(scroll)
        self.kit.process.started.connect(self.restart.hide)

    def look_up(self, words: str) -> None:
        self.search.setText(words)

    def focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _restart_card(self) -> Card:
        """Make the card that is shown while a changed setting takes effect only at the service's
        next start.
        """
        self.restart = Card()
        words = label(tr("Some changes apply after Lull restarts."), wrap=True)
        now = button(tr("Restart Lull"), self.kit.actions.restart)
        self.restart.box.addLayout(unwrapped_row(words, now))
        self.restart.hide()
        return self.restart

    def _model_card(self) -> SearchedCard:
        card = SearchedCard(tr("The model that learns"))
        self.model = ModelChoice(self.kit)
        card.box.addWidget(self.model)
        return card

    # What the service tells

    def empty(self) -> Empty | None:
        if self.showing_body or not self._missing():
            return None
        # All lines at once would hold up the window before it is seen that the page has opened.
        QTimer.singleShot(0, self, self._make_some)
        return loading()

    def _rows(self) -> list[Json]:
        """The settings that the page shows now, in their order on it."""
        rows = self.state.value(Subject.SETTINGS).get("settings", ())
        searched = bool(self.search.text().strip())
        every = self.advanced.opened or searched or bool(self.advanced.cards)
        self.advanced.has_more = not every and any(one["key"] not in self._card_for for one in rows)
        wanted = (one for one in rows if every or one["key"] in self._card_for)
        return sorted(wanted, key=lambda one: _RANK.get(one["key"], len(_RANK)))

    def _missing(self) -> list[Json]:
        return [one for one in self._rows() if one["key"] not in self.lines]

    def _make_some(self) -> None:
        for one in self._missing()[:LINES_AT_ONCE]:
            style_now(self._add(one))
        self._place_new_lines()
        self._look()

    def show_content(self) -> None:
        self.model.refresh()
        self.lull_card.show_version(str(self.state.status.get("version") or ""))
        self.privacy_card.show_settings(self.state.value(Subject.SETTINGS).get("settings", ()))
        for one in self._rows():
            line = self.lines.get(one["key"])
            if line is not None:
                line.put(one)
            else:
                self._add(one)
        names = [str(one["name"]) for one in self.state.value(Subject.MODELS).get("models", ())]
        rows = self.state.value(Subject.SETTINGS).get("settings", ())
        values = {one["key"]: one["value"] for one in rows}
        for key, line in self.lines.items():
            group = key.split(".", 1)[0]
            if isinstance(line.editor, ModelEdit):
                line.editor.offer(names)
            line.look_for_mistakes(names, elsewhere=bool(values.get(f"{group}.address")))
            if line.helper is not None:
                helper = (self.state.status.get("helpers") or {}).get(group) or {}
                line.say_of_helper(translated(helper, "why"))
        self._place_new_lines()
        for card in (*self.cards, *self.advanced.cards.values()):
            card.look()
        # Lay out the many new rows now, so that they are never seen squashed.
        self._box.activate()

    def _place_new_lines(self) -> None:
        if self._has_new_lines:
            self._has_new_lines = False
            self._find()
            self._order_tabs()

    def _add(self, one: Json) -> SettingLine:
        self._has_new_lines = True
        line = SettingLine(one, lambda: self.kit.go(PageName.SCHEDULE))
        line.entered.connect(lambda text, key=line.key: self._set(key, text))
        self.lines[line.key] = line
        card = self._card_for.get(line.key)
        if card is None:
            self.advanced.add(line)
        else:
            card.add(line)
        return line

    def _order_tabs(self) -> None:
        """Make the Tab key go down the page, since the setting lines were created after the cards
        below them.
        """
        before: QWidget = self.search
        for part in (self.restart, *self._order):
            before = tab_after(before, part)

    # Changing

    def _reset(self, card: SettingsCard) -> None:
        """Reset the settings that a card shows to their defaults; Undo restores the previous
        values.
        """
        changed = card.changed()
        before = {line.key: line.current_text for line in changed}

        def undo() -> None:
            for key, text in before.items():
                self._set(key, text)

        for line in changed:
            last = line is changed[-1]
            self.state.act(
                routes.SETTINGS,
                {"key": line.key, "value": line.at_first},
                words=line.title,
                done=tr("“%1” was reset.", card.title) if last else "",
                undo=undo if last else None,
                then=lambda _: self.state.touch(Subject.SETTINGS),
            )

    def _set(self, key: str, text: str) -> None:
        """Send a setting's new value to the service; ask the user first if it lets data leave this
        computer.
        """
        before = self.lines[key].current_text
        words = exposure_words(key, text, before)
        if not words or text == before:
            self._send(key, text, before)
            return
        self.asking = ExposureDialog(title_of(key), words, self)
        self.asking.given.connect(lambda: self._send(key, text, before))
        self.asking.rejected.connect(lambda: self._put_back(key))
        self.asking.open()

    def _put_back(self, key: str) -> None:
        """Show in the setting's editor the value that the service has now."""
        for one in self.state.value(Subject.SETTINGS).get("settings", ()):
            if one["key"] == key:
                self.lines[key].put(one, anyway=True)

    def _send(self, key: str, text: str, before: str) -> None:
        def tell(answer: Reply) -> None:
            if answer.value.get("restart_needed"):
                self.restart.show()
                words = tr("“%1” is saved. Restart Lull to apply it.", title_of(key))
                again = self.kit.actions.restart
                self.state.told.emit(OutcomeMessage(text=words, undo=again, button=tr("Restart")))
                return
            value = units.in_words(answer.value.get("value"), self.lines[key].unit, key)
            words = tr("%1: now %2.", title_of(key), value)
            self.state.told.emit(OutcomeMessage(text=words, undo=lambda: self._set(key, before)))

        def then(_: bool) -> None:
            self._put_back(key)
            self.state.touch(Subject.SETTINGS)

        self.state.act(
            routes.SETTINGS,
            {"key": key, "value": text},
            words=title_of(key),
            answered=tell,
            then=then,
        )

    # The search

    def _search(self) -> None:
        if self.advanced.has_more:
            self.show_content()
        self._find()
        self.area.verticalScrollBar().setValue(0)

    def _find(self) -> None:
        """Show only what matches the search as closely as anything on the page does; without a
        search, everything except what is folded.
        """
        parts: list[SettingsCard | Advanced | SearchedCard] = [*self.cards, self.advanced]
        parts += self.own_cards
        for query in queries(self.search.text()):
            found = [part.look_for(query) for part in parts]
            if any(found):
                self._say_of_search(query)
                return
        self.none.setText(tr("Nothing matches. Try another word for it."))
        self.none.show()

    def _say_of_search(self, query: Query) -> None:
        close = tr("Nothing matches exactly. This is close.")
        some = tr("Nothing has all of these words. This has some of them.")
        self.none.setText(close if query.needed == len(query.words) else some)
        self.none.setHidden(query.is_exact)
