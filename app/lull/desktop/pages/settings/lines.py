"""Widgets of the Settings page: a line for one setting (its name, its editor with the unit, and its
explanation), and a card that holds several lines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import in_english, tr, translated
from lull.desktop.pages.settings import units
from lull.desktop.pages.settings.editors import FieldEdit, editor_for
from lull.desktop.pages.settings.finding import Query, Said, said_in
from lull.desktop.pages.settings.model_edit import HELPERS
from lull.desktop.pages.settings.searched_card import texts_on
from lull.desktop.pages.settings.units import NumberUnit
from lull.desktop.pages.settings.values import caution
from lull.desktop.shared.setting_names import NAMES, title_of, without_keys
from lull.desktop.widgets.parts import Card, FlowLabel, button, chip, label, row, unwrapped_row
from lull.desktop.widgets.tokens import GAP


class _Unit(QLabel):
    """The name of a unit, as wide as the longest one on its card, so that the fields before it
    stand in one column.
    """

    def __init__(self, text: str, unit: NumberUnit | None) -> None:
        super().__init__(text)
        self.column = {unit}
        """The units on the card."""
        self._known, self._widest_px = ("", 0), 0
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("kind", "muted")

    def sizeHint(self) -> QSize:  # noqa: N802
        known = (self.font().key(), len(self.column))
        if known != self._known:  # Qt asks often
            metrics = self.fontMetrics()
            words = (units.unit_words(unit, number) for unit in self.column for number in (1, 2))
            self._known = known
            self._widest_px = max(map(metrics.horizontalAdvance, words)) + 2
        return QSize(self._widest_px, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()


class SettingLine(QWidget):
    """The line of one setting: its name, its editor with the unit, and its explanation."""

    entered = Signal(str)
    """Emitted with the value that the user entered, in the form that the service accepts."""

    def __init__(self, one: Json, open_schedule: Callable[[], object]) -> None:
        super().__init__()
        self.key = str(one["key"])
        self.title = title_of(self.key)
        self.unit = units.unit_of(self.key, one["value"])
        self._value, self._default = one["value"], one["default"]
        reason = without_keys(translated(one, "reason"), self.key.split(".", 1)[0])
        self.editor = editor_for(one, open_schedule)
        self.editor.setAccessibleDescription(reason)
        self.editor.entered.connect(self.entered)
        must = units.allowed(one, self.unit)
        first = units.in_words(self._default, self.unit, self.key)
        words = tr("It must be %1. Default: %2.", must, first)
        self.editor.setToolTip(f"{words}\n{self.key}")
        self.unit_label = _Unit(units.unit_words(self.unit), self.unit)
        self.mark = chip(tr("changed"))
        self.mark.setToolTip(tr("Default: %1.", first))
        self.helper: QLabel | None = None
        """For a setting that names a helper model (such as the judge): text saying which model has
        the role now, and why.
        """
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, GAP // 2)
        box.setSpacing(2)
        number = isinstance(self.editor, FieldEdit) and self.editor.of_number
        self.unit_label.setVisible(number)
        # A unit never stands on another line than its number.
        field: QWidget = self.editor
        if number:
            field, beside = QWidget(), unwrapped_row(self.editor, self.unit_label)
            beside.setContentsMargins(0, 0, 0, 0)
            field.setLayout(beside)
        box.addLayout(row(FlowLabel(self.title), self.mark, None, field))
        box.addWidget(label(reason, "small", wrap=True))
        if self.key in HELPERS:
            self.helper = label("", "muted", wrap=True)
            box.addWidget(self.helper)
        self._told = (self.key, NAMES.get(self.key, ""), str(one["reason"]))
        """What the search finds besides the texts that are shown: the key, and the English ones."""
        self._said: Said | None = None
        self.caution = label("", "warn", wrap=True)
        self.caution.hide()
        box.addWidget(self.caution)
        self.put(one)

    def put(self, one: Json, *, anyway: bool = False) -> None:
        """Show the setting's value; `one` is the setting's JSON from the service.

        A value that the user is typing stays, unless `anyway` is true.
        """
        self._value = one["value"]
        self.editor.put(self._value, anyway=anyway)
        self.unit_label.setText(units.unit_beside(self._value, self.unit, self.key))
        self.mark.setVisible(self.changed)
        self._said = None

    def say_of_helper(self, words: str) -> None:
        """Show which model has the role of this setting now, and why; "" hides the text."""
        if self.helper is not None and self.helper.text() != words:
            self.helper.setText(words)
            self._said = None
        if self.helper is not None:
            self.helper.setVisible(bool(words))

    def look_for_mistakes(self, models: Collection[str], *, elsewhere: bool) -> None:
        """Show below the explanation what is probably wrong with the value, which is allowed: it
        names a model or a folder that is not there.
        """
        words = caution(self.key, self._value, models=models, elsewhere=elsewhere)
        self.caution.setText(words)
        self.caution.setVisible(bool(words))

    @property
    def changed(self) -> bool:
        """Whether the setting's value differs from its default."""
        return bool(self._value != self._default)

    @property
    def current_text(self) -> str:
        """Return the setting's current value as text, in the form that the service accepts."""
        return units.api_text(self._value)

    @property
    def at_first(self) -> str:
        """The setting's default value, as the control API writes it."""
        return units.api_text(self._default)

    def look_for(self, query: Query, *, beside: Said) -> bool:
        """Show this setting's line if it matches a search, else hide it; return whether it is
        shown.

        The words may be in the setting's name, explanation, key, unit and choices, or `beside` them
        in the card's title.
        """
        if self._said is None:
            self._said = said_in((*texts_on(self), *self._told))
        reset = said_in((tr("Reset"),)) if self.changed else frozenset()
        found = query.fits(self._said | beside | reset)
        self.setVisible(found)
        return found


class SettingsCard(Card):
    """Card with the lines of some settings, and a button that resets the visible ones to their
    defaults.
    """

    def __init__(self, title: str, reset: Callable[[SettingsCard], object]) -> None:
        super().__init__()
        self.title = title
        self.lines: list[SettingLine] = []
        self._units: set[NumberUnit | None] = set()
        name = tr("Reset %1", title)
        self.reset = button(tr("Reset"), lambda: reset(self), flat=True, name=name)
        self.box.addLayout(row(FlowLabel(title, "head"), None, self.reset))
        self.hide()

    def add(self, line: SettingLine) -> None:
        """Add a setting's line at the bottom."""
        self.lines.append(line)
        self._units.add(line.unit)
        for one in self.lines:
            one.unit_label.column = self._units
            one.unit_label.updateGeometry()
        self.box.addWidget(line)

    def changed(self) -> list[SettingLine]:
        """Return the visible setting lines of this card whose value differs from the default."""
        return [line for line in self.lines if line.changed and not line.isHidden()]

    def look_for(self, query: Query) -> bool:
        """Show only those settings of this card that match a search, and hide the card if there are
        none; return whether there are any.
        """
        beside = said_in((self.title, in_english(self.title)))
        found = [line.look_for(query, beside=beside) for line in self.lines]
        self.setVisible(any(found))
        self.look()
        return any(found)

    def look(self) -> None:
        """Enable the button to reset only if a visible setting differs from its default."""
        self.reset.setEnabled(bool(self.changed()))
