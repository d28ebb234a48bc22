"""The Settings page: all settings with their reasons; the window's own are in `own_cards`.

The service checks each change and applies it at once if it can.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from lull.contract import routes
from lull.desktop.client import Reply
from lull.desktop.pages.connect.card import ConnectCard
from lull.desktop.pages.letting_out import LettingOutDialog, lets_out
from lull.desktop.pages.own_cards import DataCard, WindowCard
from lull.desktop.state import Subject, Told
from lull.desktop.welcome.model_choice import ModelChoice
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.page import Kit, Page
from lull.desktop.widgets.parts import Card, beside, button, label, row
from lull.desktop.widgets.tokens import GAP
from lull.desktop.words import named, told, tr

Json = dict[str, Any]

_EXAMINED = ("reader", "judge", "writer")
"""Groups whose model has to pass an exam."""


class SettingsPage(Page):
    """The Settings page: editors for all of Lull's settings, in one card per group."""

    subjects = (Subject.SETTINGS, Subject.MODELS, Subject.STATUS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Settings"))
        self._editors: dict[str, QWidget] = {}
        self._lines: dict[str, QWidget] = {}
        self._rows: list[tuple[QWidget, str]] = []
        self._groups: dict[str, Card] = {}
        self._resets: dict[str, QPushButton] = {}
        self.helpers: dict[str, QLabel] = {}
        """Labels for reader, judge and writer: which model has the role, and why."""
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search settings"))
        self.search.setAccessibleName(tr("Search settings"))
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(260)
        self.search.textChanged.connect(self._filter)
        self.head.addWidget(self.search)
        inner = QWidget()
        self._box = QVBoxLayout(inner)
        self._box.setContentsMargins(0, 0, GAP, 0)
        self._box.setSpacing(GAP * 2)
        self._box.addWidget(self._restart_card())
        self.connect_card = ConnectCard(kit)
        self.window_card = WindowCard(kit)
        self.data_card = DataCard(kit)
        self._own_cards = (
            self._model_card(),
            self.connect_card,
            self.window_card,
            self.data_card,
        )
        for card in self._own_cards:
            self._box.addWidget(card)
        self._box.addStretch(1)
        self._scroll = scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(inner)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.none = label(tr("No setting matches."), "muted")
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
        """Shown while a changed setting waits for the service's next start."""
        self.restart = Card()
        words = label(tr("Some changes apply after Lull restarts."), wrap=True)
        now = button(tr("Restart Lull"), self.kit.actions.restart)
        self.restart.box.addLayout(beside(words, now))
        self.restart.hide()
        return self.restart

    def _model_card(self) -> Card:
        card = Card(tr("The model that learns"))
        self.model = ModelChoice(self.kit)
        card.box.addWidget(self.model)
        return card

    # The service's settings

    def show_content(self) -> None:
        self.model.look()
        for one in self.state.value(Subject.SETTINGS).get("settings", ()):
            editor = self._editors.get(one["key"])
            if editor is None:
                self._add(one)
            else:
                _put(editor, one["value"])
        for group, words in self.helpers.items():
            helper = (self.state.status.get("helpers") or {}).get(group) or {}
            words.setText(told(helper, "why"))
            words.setVisible(bool(words.text()))
        for group, reset in self._resets.items():
            reset.setEnabled(bool(self._changed(group)))
        # Lay out the many new rows now, so that they are never seen squashed.
        self._box.activate()

    def _changed(self, group: str) -> list[Json]:
        """The group's settings that are shown and differ from their defaults."""
        rows = self.state.value(Subject.SETTINGS).get("settings", ())
        return [
            one
            for one in rows
            if one["key"].startswith(f"{group}.")
            and one["value"] != one["default"]
            and not self._lines[one["key"]].isHidden()
        ]

    def _reset(self, group: str) -> None:
        """Set the group's defaults; undo restores the previous values."""
        changed = self._changed(group)
        before = {str(one["key"]): _text(one["value"]) for one in changed}

        def undo() -> None:
            for key, text in before.items():
                self._set(key, text)

        for one in changed:
            last = one is changed[-1]
            self.state.act(
                routes.SETTINGS,
                {"key": one["key"], "value": _text(one["default"])},
                words=_named(str(one["key"])),
                done=tr("%1 settings reset.", _group(group)) if last else "",
                undo=undo if last else None,
                then=lambda _: self.state.touch(Subject.SETTINGS),
            )

    def _add(self, one: Json) -> None:
        group, name = str(one["key"]).split(".", 1)
        if group not in self._groups:
            self._groups[group] = self._group_card(group)
            self._box.insertWidget(self._box.count() - 1, self._groups[group])
        editor = self._editor(one)
        self._editors[one["key"]] = editor
        line = QWidget()
        box = QVBoxLayout(line)
        box.setContentsMargins(0, 0, 0, GAP // 2)
        box.setSpacing(2)
        title = _title(one["key"])
        reason = told(one, "reason")
        self._lines[one["key"]] = line
        top = row(label(title), None, editor)
        box.addLayout(top)
        box.addWidget(label(reason, "small", wrap=True))
        if name == "model" and group in _EXAMINED:
            self.helpers[group] = label("", "muted", wrap=True)
            box.addWidget(self.helpers[group])
        self._groups[group].box.addWidget(line)
        self._rows.append((line, f"{one['key']} {title} {reason}".lower()))

    def _group_card(self, group: str) -> Card:
        card = Card()
        title = _group(group)
        reset = button(
            tr("Reset"),
            lambda: self._reset(group),
            flat=True,
            name=tr("Reset %1", title),
        )
        self._resets[group] = reset
        card.box.addLayout(row(label(title, "head"), None, reset))
        return card

    def _editor(self, one: Json) -> QWidget:
        key, value = str(one["key"]), one["value"]
        editor: QWidget
        if isinstance(value, bool):
            editor = Choice()
            editor.addItem(tr("on"), "true")
            editor.addItem(tr("off"), "false")
            editor.activated.connect(lambda _, e=editor: self._set(key, e.currentData()))
        else:
            editor = QLineEdit()
            editor.setMinimumWidth(240)
            editor.editingFinished.connect(lambda e=editor: self._typed(key, e))
        editor.setAccessibleName(_named(key))
        editor.setToolTip(
            tr("It must be %1. It was %2 at first.", told(one, "allowed"), _text(one["default"]))
        )
        _put(editor, value)
        return editor

    def _typed(self, key: str, editor: QLineEdit) -> None:
        if editor.isModified():
            editor.setModified(False)
            self._set(key, editor.text())

    def _set(self, key: str, text: str) -> None:
        """Set a setting; ask first if that lets data out of this computer."""
        rows = self.state.value(Subject.SETTINGS).get("settings", ())
        before = next((_text(one["value"]) for one in rows if one["key"] == key), None)
        words = lets_out(key, text, before or "")
        if not words or text == before:
            self._send(key, text, before)
            return
        self.asking = LettingOutDialog(_named(key), words, self)
        self.asking.given.connect(lambda: self._send(key, text, before))
        self.asking.rejected.connect(lambda: self._put_back(key))
        self.asking.open()

    def _put_back(self, key: str) -> None:
        """Show the value that is in force in the setting's editor."""
        editor = self._editors[key]
        if isinstance(editor, QLineEdit):
            editor.setModified(False)
        for one in self.state.value(Subject.SETTINGS).get("settings", ()):
            if one["key"] == key:
                _put(editor, one["value"])

    def _send(self, key: str, text: str, before: str | None) -> None:
        def tell(answer: Reply) -> None:
            if answer.value.get("restart_needed"):
                self.restart.show()
                words = tr("%1 saved. Restart Lull to apply it.", _named(key))
                again = self.kit.actions.restart
                self.state.told.emit(Told(text=words, undo=again, button=tr("Restart")))
                return
            words = tr("%1 is now %2.", _named(key), _said(answer.value.get("value")))
            undo = None if before is None else lambda: self._set(key, before)
            self.state.told.emit(Told(text=words, undo=undo))

        def then(_: bool) -> None:
            self._put_back(key)
            self.state.touch(Subject.SETTINGS)

        self.state.act(
            routes.SETTINGS,
            {"key": key, "value": text},
            words=_named(key),
            answered=tell,
            then=then,
        )

    def _filter(self) -> None:
        words = self.search.text().lower().split()
        for line, text in self._rows:
            line.setVisible(all(word in text for word in words))
        for card in self._groups.values():
            lines = [line for line, _ in self._rows if line.parentWidget() is card]
            card.setVisible(any(not line.isHidden() for line in lines))
        for card in self._own_cards:
            said = " ".join(_words_in(card)).lower()
            card.setVisible(all(word in said for word in words))
        for group, reset in self._resets.items():
            reset.setEnabled(bool(self._changed(group)))
        shown = (*self._own_cards, *self._groups.values())
        self.none.setVisible(all(card.isHidden() for card in shown))
        self._scroll.verticalScrollBar().setValue(0)


def _words_in(card: Card) -> list[str]:
    """Everything that a card says, for the search."""
    said = [one.text() for one in card.findChildren(QLabel)]
    return said + [one.text() for one in card.findChildren(QAbstractButton)]


def _group(name: str) -> str:
    return named(f"settings {name}", name.capitalize())


def _title(key: str) -> str:
    name = key.split(".", 1)[1]
    return named(f"setting {key}", name.replace("_", " ").capitalize())


def _named(key: str) -> str:
    """The setting as its card and line call it."""
    group, name = key.split(".", 1)
    return f"{_group(group)}: {named(f'setting {key}', name.replace('_', ' '))}"


def _said(value: object) -> str:
    """The value in words."""
    if isinstance(value, bool):
        return tr("on") if value else tr("off")
    return _text(value) or tr("empty")


def _put(editor: QWidget, value: object) -> None:
    if isinstance(editor, QComboBox):
        editor.setCurrentIndex(0 if value is True else 1)
    elif isinstance(editor, QLineEdit) and not editor.isModified():
        if editor.text() == _text(value):
            return  # keep the cursor's position
        editor.setText(_text(value))
        editor.setCursorPosition(0)


def _text(value: object) -> str:
    """The value in the form that `lull settings set` accepts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one) for one in value)
    return "" if value is None else str(value)
