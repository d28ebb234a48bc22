"""Widgets to edit the value of a setting: a switch, a field, a list of choices, or a port. The
editor for hours of the week is in `hours_edit`.

The method `put` of an editor shows a value in it; it does not overwrite what the user is typing.
The signal `entered` is emitted with the user's new value, in the form that the service accepts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import tr
from lull.desktop.pages.settings import units
from lull.desktop.pages.settings.hours_edit import HoursEdit
from lull.desktop.pages.settings.model_edit import HELPERS, LEARNS, ModelEdit
from lull.desktop.pages.settings.units import HOURS_KEYS, NumberUnit
from lull.desktop.pages.settings.values import value_words
from lull.desktop.service.free_port import is_taken, next_free_port
from lull.desktop.shared.setting_names import title_of
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.parts import button, label, unwrapped_row
from lull.desktop.widgets.switch import Switch
from lull.desktop.widgets.tokens import GAP

PORT_KEY: Final = "service.port"
DIGITS: Final = 9
"""Width of a field for a number, in digits."""
FIELD_PX: Final = 22
"""Width in pixels of a field's frame and margins, without its text."""
_HERE: Final = "127.0.0.1"
_PORTS: Final = range(1, 65_536)
_LAST_SYSTEM_PORT: Final = 1023
"""Ports up to here belong to services of the system."""


class SwitchEdit(Switch):
    """Editor for a setting that is on or off."""

    entered = Signal(str)

    def __init__(self, key: str) -> None:
        super().__init__(title_of(key))
        # Emitted for a user's click only, not when a value is put.
        self.clicked.connect(lambda on: self.entered.emit(units.api_text(on)))

    def put(self, value: object, *, anyway: bool = False) -> None:
        """Show a value from the service."""
        self.setChecked(value is True)


class OneOfEdit(Choice):
    """Editor for a setting whose value is one of a few texts."""

    entered = Signal(str)

    def __init__(self, key: str, texts: tuple[str, ...]) -> None:
        super().__init__()
        self.setAccessibleName(title_of(key))
        for text in texts:
            self.addItem(value_words(key, text), text)
        self.activated.connect(lambda _: self.entered.emit(str(self.currentData())))

    def put(self, value: object, *, anyway: bool = False) -> None:
        """Show a value from the service."""
        self.setCurrentIndex(self.findData(value))


class FieldEdit(QLineEdit):
    """Editor for a setting that is a text, a number, or a comma-separated list of texts."""

    entered = Signal(str)

    def __init__(self, key: str, value: object) -> None:
        """Create a field for the setting `key`; whether it takes a text, a number or a list depends
        on the type of `value`.
        """
        super().__init__()
        self._key = key
        self.unit: NumberUnit | None = units.unit_of(key, value)
        self.of_number = isinstance(value, (int, float))
        """Whether the setting is a number, and not a text or a list."""
        self.setAccessibleName(title_of(key))
        if self.of_number:
            self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            self.setAlignment(Qt.AlignmentFlag.AlignRight)
        else:
            self.setMinimumWidth(240)
        if isinstance(value, (list, tuple)):
            self.setPlaceholderText(tr("Separate with commas"))
        self.editingFinished.connect(self._finish)

    def put(self, value: object, *, anyway: bool = False) -> None:
        """Show a value from the service; a text being typed is kept, unless `anyway`."""
        if anyway:
            self.setModified(False)
        text = units.field_text(value, self.unit, self._key)
        if self.isModified() or self.text() == text:
            return  # keep what is typed, and the cursor's position
        self.setText(text)
        self.setCursorPosition(0)

    def _finish(self) -> None:
        if self.isModified():
            self.setModified(False)
            typed = self.text()
            text = units.parse_typed(typed, self.unit, self._key) if self.of_number else typed
            self.entered.emit(text)

    def sizeHint(self) -> QSize:  # noqa: N802
        hint = super().sizeHint()
        metrics = self.fontMetrics()
        if self.of_number:
            return QSize(metrics.horizontalAdvance("0") * DIGITS + FIELD_PX, hint.height())
        least = metrics.horizontalAdvance(self.placeholderText()) + FIELD_PX
        return QSize(max(hint.width(), least), hint.height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint() if self.of_number else super().minimumSizeHint()


class PortEdit(QWidget):
    """Editor for the port that chat apps use, with a button that finds a free port.

    A port on which another program listens is not sent to the service; the editor says so instead.
    """

    entered = Signal(str)

    def __init__(self, value: object) -> None:
        super().__init__()
        self._value = value
        self.field = FieldEdit(PORT_KEY, value)
        self.field.entered.connect(self._enter)
        self.another = button(tr("Find a free port"), self._find, flat=True)
        self.another.setToolTip(tr("Uses the next port that no other program listens on."))
        self.taken = label("", "bad", wrap=True)
        self.taken.hide()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP // 2)
        box.addLayout(unwrapped_row(self.field, self.another))
        box.addWidget(self.taken)
        self.setFocusProxy(self.field)

    def put(self, value: object, *, anyway: bool = False) -> None:
        """Show a port from the service; a text being typed is kept, unless `anyway`."""
        if value != self._value or anyway:
            self.taken.hide()
        self._value = value
        self.field.put(value, anyway=anyway)

    def _enter(self, text: str) -> None:
        port = int(text) if text.isdecimal() else 0
        # the port in use is taken by Lull itself; what is no port is for the service to refuse
        if text != str(self._value) and port in _PORTS and is_taken(_HERE, port):
            self.taken.setText(tr("Another program listens on port %1. Choose another one.", text))
            self.taken.show()
            return
        self.taken.hide()
        self.entered.emit(text)

    def _find(self) -> None:
        shown = self.field.text()
        after = int(shown) if shown.isdecimal() and int(shown) in _PORTS else int(str(self._value))
        if found := next_free_port(_HERE, max(after, _LAST_SYSTEM_PORT)):
            self.taken.hide()
            self.entered.emit(str(found))
            return
        self.taken.setText(
            tr("There is no free port above this one. Enter another one, such as 20000.")
        )
        self.taken.show()


Editor = SwitchEdit | OneOfEdit | ModelEdit | FieldEdit | PortEdit | HoursEdit


def editor_for(one: Json, open_schedule: Callable[[], object]) -> Editor:
    """Create the editor widget that suits a setting; `one` is the setting's JSON from the service.

    `open_schedule` opens the Schedule page, for hours that cannot be edited in place.
    """
    key, value = str(one["key"]), one["value"]
    if isinstance(value, bool):
        return SwitchEdit(key)
    if texts := units.choices(one):
        return OneOfEdit(key, texts)
    if key in (*HELPERS, LEARNS):
        return ModelEdit(key)
    if key in HOURS_KEYS:
        return HoursEdit(key, open_schedule)
    if key == PORT_KEY:
        return PortEdit(value)
    return FieldEdit(key, value)
