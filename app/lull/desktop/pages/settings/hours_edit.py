"""Editor for settings that are hours of the week: on which days, from when to when.

The settings keep lines such as "mon-fri 23:00-07:00". One line is edited in place; several are
named, and edited on the Schedule page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.core.idle.hours import HoursRange, parse_hours
from lull.desktop.language.hours_words import days_words, hours_words
from lull.desktop.language.words import tr
from lull.desktop.shared.setting_names import title_of
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.parts import FlowLabel, button, label, row
from lull.desktop.widgets.tokens import GAP

_DAY_MIN: Final = 24 * 60
_MORNING: Final = "07:00"
_EVERY_DAY: Final = "daily"


class HoursEdit(QWidget):
    """Editor for one line of weekly hours: its days, its start and its end.

    Several lines are shown as texts, with a button that opens the Schedule page.
    """

    entered = Signal(str)

    def __init__(self, key: str, open_schedule: Callable[[], object]) -> None:
        super().__init__()
        name = title_of(key)
        self.start = self._times(tr("%1: from", name))
        self.end = self._times(tr("%1: to", name))
        self.start.insertItem(0, tr("not set"), "")
        self.between = label(tr("to"))
        self.days = self._made(tr("%1: days", name))
        for days in (_EVERY_DAY, "mon-fri", "sat-sun"):
            self.days.addItem(days_words(days), days)
        self.lines = FlowLabel("", "muted")
        self.several = button(tr("Change on Schedule"), open_schedule)
        self.several.setAccessibleName(tr("%1: change on Schedule", name))
        self.note = label(tr("Start and end are the same: these hours last all day."), "small")
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP // 2)
        parts = (self.days, self.start, self.between, self.end, self.lines, self.several)
        box.addLayout(row(*parts))
        box.addWidget(self.note)
        self.put([])

    def _made(self, name: str) -> Choice:
        made = Choice()
        made.setAccessibleName(name)
        made.activated.connect(self._enter)
        return made

    def _times(self, name: str) -> Choice:
        made = self._made(name)
        for minute in range(0, _DAY_MIN, 30):
            made.addItem(_clock(minute), _clock(minute))
        return made

    def put(self, value: object, *, anyway: bool = False) -> None:
        """Show hours from the service; several lines are named, not edited."""
        lines = [str(line) for line in value] if isinstance(value, (list, tuple)) else []
        one = parse_hours(lines[0]) if len(lines) == 1 else None
        simple = len(lines) <= 1
        self.start.setVisible(simple)
        for part in (self.days, self.between, self.end):
            part.setVisible(one is not None)
        self.lines.setVisible(not simple)
        self.several.setVisible(not simple)
        self.lines.setText(", ".join(map(hours_words, lines)))
        _choose_time(self.start, _clock(one.start_min) if one else "")
        _choose_time(self.end, _clock(one.end_min % _DAY_MIN) if one else _MORNING)
        self._choose_days(lines[0] if one else "", one)
        self.note.setVisible(one is not None and one.end_min - one.start_min == _DAY_MIN)

    def _choose_days(self, line: str, one: HoursRange | None) -> None:
        """Select the days of a line of hours; other days than the usual ones are added to the list
        first.
        """
        wanted = one.days if one else _days_of(_EVERY_DAY)
        known = [str(self.days.itemData(n)) for n in range(self.days.count())]
        same = (n for n, days in enumerate(known) if _days_of(days) == wanted)
        at = next(same, len(known))
        if at == len(known):
            days = line[: next(n for n, letter in enumerate(line) if letter.isdigit())].strip()
            self.days.addItem(days_words(days), days)
        self.days.setCurrentIndex(at)

    def _enter(self) -> None:
        start, end = self.start.currentData(), self.end.currentData()
        days = str(self.days.currentData())
        before = "" if days == _EVERY_DAY else f"{days} "
        self.entered.emit(f"{before}{start}-{end}" if start else "")


def _days_of(days: str) -> frozenset[int]:
    return parse_hours(f"{days} 00:00-01:00").days


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def _choose_time(box: Choice, time: str) -> None:
    """Select a time in the list; a time that is not on a half hour is added to the list first."""
    if box.findData(time) < 0:
        later = (n for n in range(box.count()) if str(box.itemData(n)) > time)
        box.insertItem(next(later, box.count()), time, time)
    box.setCurrentIndex(box.findData(time))
