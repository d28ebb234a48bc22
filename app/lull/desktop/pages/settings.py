"""Settings: everything that can be set, each with its reason; what the window itself remembers;
and where the data lies. A change is checked by the service and holds at once where it can."""

from __future__ import annotations

import functools
from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from lull.contract import routes
from lull.desktop.autostart import Autostart, Part
from lull.desktop.client import Answer
from lull.desktop.model_choice import ModelChoice
from lull.desktop.notices import NoticeKind
from lull.desktop.page import Kit, Page
from lull.desktop.pages.diagnostics_dialog import DiagnosticsDialog
from lull.desktop.pages.wipe_dialog import WipeDialog
from lull.desktop.parts import Card, button, label, row
from lull.desktop.state import Subject, Told
from lull.desktop.tokens import GAP
from lull.desktop.words import plain, tr

Json = dict[str, Any]

_EXAMINED = ("reader", "judge", "writer")
"""Groups whose model is examined."""


class Settings(Page):
    subjects = (Subject.SETTINGS, Subject.MODELS, Subject.STATUS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Settings"))
        self._editors: dict[str, QWidget] = {}
        self._rows: list[tuple[QWidget, str]] = []
        self._groups: dict[str, Card] = {}
        self._resets: dict[str, QPushButton] = {}
        self.helpers: dict[str, QLabel] = {}
        """Beside reader, judge and writer: who has the part, and how its exam went."""
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
        self._box.addWidget(self._model_card())
        self._box.addWidget(self._window_card())
        self._box.addWidget(self._data_card())
        self._box.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(inner)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        box = QVBoxLayout(self.body)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(scroll)

    def focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    # The window's own

    def _window_card(self) -> Card:
        card = Card(tr("This window"))
        card.box.addWidget(label(tr("Notify me about"), "muted"))
        for kind, words in (
            (NoticeKind.PROPOSALS, tr("Skills to review, once a day")),
            (NoticeKind.NIGHT, tr("What a night of training brought or cost")),
            (NoticeKind.WAY_BACK, tr("Something that was taken back by itself")),
            (NoticeKind.NEEDS_YOU, tr("Something that needs me")),
        ):
            key = f"notify/{kind}"
            self._check(
                card,
                words,
                bool(self.kit.preferences.value(key, True, type=bool)),
                functools.partial(self.kit.preferences.setValue, key),
            )
        card.box.addSpacing(GAP)
        card.box.addWidget(label(tr("Start when I log in"), "muted"))
        autostart = Autostart.here(self.kit.place)
        if autostart is None:
            card.box.addWidget(label(tr("This system has no way that Lull knows."), "small"))
            return card
        for part, words in (
            (Part.SERVICE, tr("The service: answers and learns, without a window")),
            (Part.ICON, tr("The icon")),
        ):
            self._check(
                card,
                words,
                autostart.is_on(part),
                functools.partial(self._start_at_login, autostart, part),
            )
        return card

    def _model_card(self) -> Card:
        card = Card(tr("The model that learns"))
        self.model = ModelChoice(self.kit)
        card.box.addWidget(self.model)
        return card

    def _check(self, card: Card, words: str, on: bool, do: Any) -> None:
        box = QCheckBox(words)
        box.setAccessibleName(words)
        box.setChecked(on)
        box.toggled.connect(do)
        card.box.addWidget(box)

    def _start_at_login(self, autostart: Autostart, part: Part, on: bool) -> None:
        try:
            autostart.turn(part, on=on)
            text = tr("It starts when you log in.") if on else tr("It does not start by itself.")
            self.state.told.emit(Told(text=text))
        except OSError as error:
            self.state.told.emit(Told(text=tr("Not done: %1", error.strerror), good=False))

    def _data_card(self) -> Card:
        card = Card(tr("Where is my data?"))
        home = str(self.kit.place.home)
        where = label(home)
        where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        card.box.addWidget(where)
        card.box.addWidget(
            label(
                tr(
                    "All of it is in this folder, on this computer: the database, the skills as "
                    "text files, adapters, logs. Nothing is sent anywhere."
                ),
                "muted",
                wrap=True,
            )
        )
        card.box.addLayout(
            row(
                button(tr("Open the folder"), self._open_home),
                button(tr("Copy the path"), lambda: self.kit.actions.copy(home, tr("Copied."))),
                None,
            )
        )
        self.wipe = button(tr("Wipe…"), lambda: WipeDialog(self.kit, self).open())
        self.diagnose = button(tr("Diagnostics…"), self._diagnose)
        steps = button(tr("Show the first steps"), self.kit.show_first_run)
        card.box.addLayout(row(self.diagnose, steps, self.wipe, None))
        return card

    def _diagnose(self) -> None:
        DiagnosticsDialog(self.kit, self).open()

    def _open_home(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.kit.place.home)))

    # The service's

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
            words.setText(plain(str(helper.get("why", ""))))
            words.setVisible(bool(words.text()))
        for group, reset in self._resets.items():
            reset.setEnabled(bool(self._changed(group)))
        # A hundred new rows at once: laid out now, not seen squashed for a moment.
        self._box.activate()

    def _changed(self, group: str) -> list[Json]:
        """Those that are not as they were at first."""
        rows = self.state.value(Subject.SETTINGS).get("settings", ())
        return [
            one
            for one in rows
            if one["key"].startswith(f"{group}.") and one["value"] != one["default"]
        ]

    def _reset(self, group: str) -> None:
        """As they were at first; undo puts back what stood there."""
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
                words=str(one["key"]),
                done=tr("As it was at first.") if last else "",
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
        title = name.replace("_", " ").capitalize()
        top = row(label(title), None, editor)
        box.addLayout(top)
        box.addWidget(label(str(one["reason"]), "small", wrap=True))
        if name == "model" and group in _EXAMINED:
            self.helpers[group] = label("", "muted", wrap=True)
            box.addWidget(self.helpers[group])
        self._groups[group].box.addWidget(line)
        self._rows.append((line, f"{one['key']} {title} {one['reason']}".lower()))

    def _group_card(self, group: str) -> Card:
        card = Card()
        title = group.capitalize()
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
            editor = QComboBox()
            editor.addItem(tr("on"), "true")
            editor.addItem(tr("off"), "false")
            editor.activated.connect(lambda _, e=editor: self._set(key, e.currentData()))
        else:
            editor = QLineEdit()
            editor.setMinimumWidth(240)
            editor.editingFinished.connect(lambda e=editor: self._typed(key, e))
        editor.setAccessibleName(key)
        editor.setToolTip(
            tr("It must be %1. It was %2 at first.", one["allowed"], _text(one["default"]))
        )
        _put(editor, value)
        return editor

    def _typed(self, key: str, editor: QLineEdit) -> None:
        if editor.isModified():
            editor.setModified(False)
            self._set(key, editor.text())

    def _set(self, key: str, text: str) -> None:
        def tell(answer: Answer) -> None:
            later = bool(answer.value.get("restart_needed"))
            words = tr("Set; it holds from the service's next start.") if later else tr("Set.")
            self.state.told.emit(Told(text=words))

        def then(_: bool) -> None:
            editor = self._editors[key]
            if isinstance(editor, QLineEdit):
                editor.setModified(False)
            for one in self.state.value(Subject.SETTINGS).get("settings", ()):
                if one["key"] == key:
                    _put(editor, one["value"])
            self.state.touch(Subject.SETTINGS)

        self.state.act(
            routes.SETTINGS,
            {"key": key, "value": text},
            words=key,
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


def _put(editor: QWidget, value: object) -> None:
    if isinstance(editor, QComboBox):
        editor.setCurrentIndex(0 if value is True else 1)
    elif isinstance(editor, QLineEdit) and not editor.isModified():
        if editor.text() == _text(value):
            return  # where the cursor stands, it stays
        editor.setText(_text(value))
        editor.setCursorPosition(0)


def _text(value: object) -> str:
    """As `lull settings set` takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one) for one in value)
    return "" if value is None else str(value)
