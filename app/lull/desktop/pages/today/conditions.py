"""Widget of the Today page about the conditions for background work such as training (user away,
mains power, …): it shows those not met now, and all on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import counted, tr, translated
from lull.desktop.pages.today.words import condition_names
from lull.desktop.shared.tray_status import blocks_work
from lull.desktop.widgets.flow import Flow
from lull.desktop.widgets.icons import pixmap
from lull.desktop.widgets.page import Kit
from lull.desktop.widgets.parts import button, clear_layout, label, row
from lull.desktop.widgets.tokens import GAP

ShownCondition = tuple[str, str, str, bool]
"""A condition's name, its state (open, closed or unknown), a sentence about it, and whether it
stops Lull from working.
"""
MOST_AGAINST: Final = 2
"""Most unmet conditions that are shown while the list of all conditions is folded."""
ICONS: Final = {"open": "good", "closed": "bad", "unknown": "unknown"}
CONDITIONS_OPEN: Final = "today/conditions-open"
"""Key in the window's preferences: whether the list of all conditions is unfolded."""


class Conditions(QWidget):
    """Widget that shows up to two unmet conditions for background work, such as mains power, and
    the list of all conditions when the user presses a button.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__()
        self._kit = kit
        self._open = bool(kit.preferences.value(CONDITIONS_OPEN, False, type=bool))
        self._shown: tuple[list[ShownCondition], str] = ([], "")
        self.against = _grid()
        self.columns = (_grid(), _grid())
        self.all = QWidget()
        self.all.setLayout(_side_by_side(self.columns))
        self.fold = button("", self._turn, flat=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addLayout(self.against)
        box.addWidget(self.all)
        box.addLayout(row(self.fold, None))

    def show_conditions(self, conditions: Iterable[Json]) -> None:
        """Show these conditions for background work, such as mains power; the widget is redrawn
        only if they, the theme or the text size have changed.
        """
        look = self._kit.look
        found = [
            (one["name"], one["state"], translated(one), blocks_work(one)) for one in conditions
        ]
        theme = f"{look.theme.name} {look.text_percent}"
        if (found, theme) != self._shown:
            self._shown = (found, theme)
            self._draw(found)

    def _turn(self) -> None:
        self._open = not self._open
        self._kit.preferences.setValue(CONDITIONS_OPEN, self._open)
        self._draw(self._shown[0])

    def _draw(self, conditions: Sequence[ShownCondition]) -> None:
        """Draw only the conditions that are in view; the folded ones are drawn when they are
        unfolded.
        """
        half = (len(conditions) + 1) // 2
        closed = [one for one in conditions if one[3]]
        several = (conditions[:half], conditions[half:]) if self._open else ((), ())
        few = () if self._open else closed[:MOST_AGAINST]
        for grid, part in zip((self.against, *self.columns), (few, *several), strict=True):
            clear_layout(grid)
            for line, one in enumerate(part):
                self._draw_one(grid, line, *one[:3])
        self.all.setVisible(self._open)
        self.fold.setVisible(bool(conditions))
        words = counted(len(conditions), "Show %1 condition", "Show all %1 conditions")
        self.fold.setText(tr("Show only what stops Lull from working") if self._open else words)
        self.fold.setAccessibleName(self.fold.text())

    def _draw_one(self, grid: QGridLayout, line: int, name: str, state: str, text: str) -> None:
        theme = self._kit.look.theme
        colours = {"open": theme.good, "closed": theme.bad, "unknown": theme.warn}
        words = {"open": tr("met"), "closed": tr("not met"), "unknown": tr("unknown")}
        line_px = self.fontMetrics().height()
        mark = QLabel()
        sign = pixmap(
            ICONS[state], colours[state], line_px * 5 // 6, ratio=self.devicePixelRatioF()
        )
        mark.setPixmap(sign)
        mark.setAccessibleName(words[state])
        mark.setFixedHeight(line_px)
        said = label(text, wrap=True)
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(mark, line, 0, top)
        grid.addWidget(label(condition_names().get(name, name.capitalize()), "muted"), line, 1, top)
        grid.addWidget(said, line, 2, top)


def _grid() -> QGridLayout:
    made = QGridLayout()
    made.setHorizontalSpacing(GAP)
    made.setVerticalSpacing(GAP // 2)
    made.setColumnStretch(2, 1)
    return made


def _side_by_side(grids: Iterable[QGridLayout]) -> Flow:
    """Put two grids side by side that stay separate, so that a long text in one makes no gap in the
    other.
    """
    box = Flow(gap=GAP * 2, even=True)
    for grid in grids:
        half = QWidget()
        column = QVBoxLayout(half)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(grid)
        column.addStretch(1)
        box.addWidget(half)
    return box
