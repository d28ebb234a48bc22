"""Qt layouts for small windows: rows that wrap into the next line, and columns that are put one
below the other.

With these layouts, and with scrolling, a page keeps every control visible in a small window and
with large text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QCoreApplication, QEvent, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSizePolicy,
    QSpacerItem,
    QSplitter,
    QWidget,
    QWidgetItem,
)

from lull.desktop.widgets.tokens import GAP

LEAST_ACROSS: Final = 26
"""Least width of two columns side by side, in heights of a line of text.

In a narrower window they are put one below the other.
"""
LEAST_DOWN: Final = 12
"""Least height of a column that is above or below another, in lines of text."""
LITTLE: Final = 0.12
"""Share of its width by which each widget of a row is narrowed, if it can be, to avoid wrapping the
row into a second line.
"""
ROUNDS: Final = 12
"""More than there are layouts within each other."""
_SAID: Final = Qt.WidgetAttribute.WA_WState_ExplicitShowHide
"""Set where the program itself has shown or hidden a widget."""
_GROWS: Final = QSizePolicy.Policy.Expanding
_FIXED: Final = QSizePolicy.Policy.Minimum


def lay_out_now() -> None:
    """Lay out what was changed before it is drawn.

    A layout within a layout comes to rest one round of events after the other, and what is drawn
    between two rounds is seen to jump.
    """
    for _ in range(ROUNDS):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


class Flow(QLayout):
    """A layout that puts widgets from left to right in as many lines as they need.

    A stretch, or a widget that wants all the width, takes the space that is left in its line. With
    `even` all widgets have the same width, and the lines have the same number of widgets.
    """

    def __init__(self, *, gap: int = GAP, even: bool = False) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._even = even
        # What was worked out since something in it changed: Qt asks many times.
        self._heights: dict[int, int] = {}
        self._hint: QSize | None = None
        self._least: QSize | None = None
        self._seen: list[QLayoutItem] | None = None
        self._narrowest: int | None = None
        self._laid_out: QRect | None = None
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(gap)

    def add_stretch(self) -> None:
        """Add a stretch, which takes the space that is left in its line."""
        self.addItem(QSpacerItem(0, 0, _GROWS, _FIXED))

    # Qt's own

    def addWidget(self, widget: QWidget) -> None:  # noqa: N802
        """Add a widget to the layout, wrapped in a layout item that is created here and not by Qt.

        PySide does not notice when an item that Qt created is freed, and would take a new item at
        the same address for the old one.
        """
        self.addChildWidget(widget)
        self.addItem(QWidgetItem(widget))
        owner = self.parentWidget()
        hidden = widget.isHidden() and widget.testAttribute(_SAID)
        if owner is not None and owner.isVisible() and not hidden:
            widget.show()  # Qt does it one round of events later, when what is below has its place

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        if not 0 <= index < len(self._items):
            return None
        self.invalidate()
        return self._items.pop(index)

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def invalidate(self) -> None:
        self._heights.clear()
        self._hint = self._least = self._laid_out = self._seen = self._narrowest = None
        super().invalidate()

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        if width not in self._heights:
            self._heights[width] = self._arrange(QRect(0, 0, width, 0), moves=False)
        return self._heights[width]

    def sizeHint(self) -> QSize:  # noqa: N802
        if self._hint is None:
            shown = self._shown()
            width = sum(item.sizeHint().width() for item in shown) + self._gaps(shown)
            height = max((item.sizeHint().height() for item in shown), default=0)
            self._hint = QSize(width, height)
        return self._hint

    def minimumSize(self) -> QSize:  # noqa: N802
        if self._least is None:
            self._least = QSize(0, 0)
            for item in self._shown():
                self._least = self._least.expandedTo(item.minimumSize())
        return self._least

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        super().setGeometry(rect)
        if rect != self._laid_out:
            self._laid_out = QRect(rect)
            self._arrange(rect, moves=True)

    # Lines

    def _shown(self) -> list[QLayoutItem]:
        if self._seen is None:
            self._seen = [one for one in self._items if _is_stretch(one) or not one.isEmpty()]
        return self._seen

    def _one_line_takes(self) -> int:
        """The least width of all widgets beside each other."""
        if self._narrowest is None:
            shown = self._shown()
            self._narrowest = sum(_tight(one) for one in shown) + self._gaps(shown)
        return self._narrowest

    def _arrange(self, rect: QRect, *, moves: bool) -> int:
        """Compute the lines of widgets from the top of a rectangle and return their height; place
        the widgets only if `moves`.
        """
        y = rect.y()
        for line in self._even_lines(rect) if self._even else self._lines(rect.width()):
            widths = self._widths(line, rect.width())
            height = max((_height(i, w) for i, w in zip(line, widths, strict=True)), default=0)
            x = rect.x()
            for item, width in zip(line, widths, strict=True):
                if moves:
                    item.setGeometry(self._within(item, QRect(x, y, width, height)))
                x += width + (0 if _is_stretch(item) else self.spacing())
            y += height + (self.spacing() if height else 0)
        return max(0, y - rect.y() - self.spacing())

    def _within(self, item: QLayoutItem, room: QRect) -> QRect:
        """Return the rectangle of a widget in its place: centred in the line's height, or with
        `even` the whole place.
        """
        if self._even:
            return room
        height = min(room.height(), _height(item, room.width()))
        return QRect(room.x(), room.y() + (room.height() - height) // 2, room.width(), height)

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        if self._one_line_takes() <= width:
            return [self._shown()]
        lines: list[list[QLayoutItem]] = [[]]
        left = width
        for item in self._shown():
            wanted = 0 if _is_stretch(item) else min(item.sizeHint().width(), width)
            if wanted > left and any(not _is_stretch(one) for one in lines[-1]):
                lines.append([])
                left = width
            lines[-1].append(item)
            left -= 0 if _is_stretch(item) else wanted + self.spacing()
        return lines

    def _gaps(self, line: Sequence[QLayoutItem]) -> int:
        """The width between the widgets of a line."""
        return self.spacing() * max(0, sum(not _is_stretch(one) for one in line) - 1)

    def _even_lines(self, rect: QRect) -> list[list[QLayoutItem]]:
        shown = [item for item in self._shown() if not _is_stretch(item)]
        if not shown:
            return []
        least = max(item.minimumSize().width() for item in shown) + self.spacing()
        fit = max(1, (rect.width() + self.spacing()) // max(1, least))
        lines = math.ceil(len(shown) / fit)
        each = math.ceil(len(shown) / lines)
        return [shown[n : n + each] for n in range(0, len(shown), each)]

    def _widths(self, line: Sequence[QLayoutItem], width: int) -> list[int]:
        if self._even:
            each = (width + self.spacing()) // len(line) - self.spacing()
            return [each for _ in line]
        widths = [0 if _is_stretch(one) else min(one.sizeHint().width(), width) for one in line]
        left = width - sum(widths) - self._gaps(line)
        if left < 0:
            return _shrunk(line, widths, -left)
        growing = [n for n, one in enumerate(line) if _is_stretch(one)]
        growing = growing or [n for n, one in enumerate(line) if _grows(one)]
        for n in growing:
            widths[n] += left // len(growing)
        return widths


def _is_stretch(item: QLayoutItem) -> bool:
    return item.spacerItem() is not None


def _tight(item: QLayoutItem) -> int:
    """Return the least width of an item, after it was narrowed by the share `LITTLE` or as far as
    it can be.
    """
    hint = item.sizeHint().width()
    return max(item.minimumSize().width(), math.ceil(hint * (1 - LITTLE)))


def _shrunk(line: Sequence[QLayoutItem], widths: Sequence[int], over: int) -> list[int]:
    """Return the widths of a line's items, narrowed by `over` in all; each gives up a part of what
    it can.
    """
    slack = [max(0, w - _tight(one)) for one, w in zip(line, widths, strict=True)]
    share = min(1.0, over / max(1, sum(slack)))
    return [w - math.ceil(share * most) for w, most in zip(widths, slack, strict=True)]


def _grows(item: QLayoutItem) -> bool:
    return bool(item.expandingDirections() & Qt.Orientation.Horizontal)


def _height(item: QLayoutItem, width: int) -> int:
    if item.hasHeightForWidth():
        return max(item.heightForWidth(width), item.minimumSize().height())
    return item.sizeHint().height()


class Sides(QSplitter):
    """A layout of two widgets side by side, or one below the other where the window is too narrow
    for their text.

    With `grows` only the first widget takes extra width, else both do. `across` is the least width
    of both side by side, and `down` the least height of each where one is below the other, in
    heights of a line of text.
    """

    def __init__(
        self,
        *widgets: QWidget,
        sizes: tuple[int, int],
        grows: bool = False,
        across: int = LEAST_ACROSS,
        down: tuple[int, int] = (LEAST_DOWN, LEAST_DOWN),
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._sizes, self._parts, self._across, self._down = sizes, widgets, across, down
        self.setChildrenCollapsible(False)
        for widget in widgets:
            self.addWidget(widget)
        for widget in widgets:
            widget.raise_()  # a splitter puts each before the others, for screen readers too
        for number, size in enumerate(sizes):
            self.setStretchFactor(number, int(number == 0) if grows else size)
        self.setSizes(list(sizes))
        self.splitterMoved.connect(self._turn)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the preferred size of the layout: its usual width and its minimum height.

        The layout grows to the height that its page has left, so it never has to make the page
        scroll.
        """
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._turn()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.FontChange):
            self._turn()
        return done

    def _turn(self, *_: object) -> None:
        line = self.fontMetrics().lineSpacing()
        narrow = self.width() < self._across * line
        turned = Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal
        if turned is not self.orientation():
            self.setOrientation(turned)
            self.updateGeometry()  # Qt tells nobody that it is of another size now
            if not narrow:
                self.setSizes(list(self._sizes))
        for part, down in zip(self._parts, self._down, strict=True):
            least = down * line if narrow else 0
            # Qt's splitter leaves out that words which wrap are higher where they are narrower.
            layout, width = part.layout(), self.width() if narrow else part.width()
            if layout is not None:
                edges = part.contentsMargins()
                width -= edges.left() + edges.right()
                wraps = layout.hasHeightForWidth()
                needed = (
                    layout.minimumHeightForWidth(width) if wraps else layout.minimumSize().height()
                )
                least = max(least, needed + edges.top() + edges.bottom())
            if part.minimumHeight() != least:
                part.setMinimumHeight(least)


def scrolled(widget: QWidget) -> QScrollArea:
    """Put a widget into a scroll area, so that it scrolls when there is too little room, and return
    the area.
    """
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    # Tab goes from control to control, and the area follows it.
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(widget)
    return area
