"""Reads what a screen reader is told of a window, by a walk through Qt's accessibility tree."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QWidget

ROLE = QAccessible.Role
NOT_A_ROLE: Final = frozenset({ROLE.NoRole, ROLE.Client, ROLE.UserRole})
"""Roles that say nothing about what a control is."""
HOLDERS: Final = frozenset({ROLE.Table, ROLE.List, ROLE.Tree, ROLE.ComboBox})
"""Roles of controls that are told as a whole: their rows have no names of their own."""
USED: Final = frozenset(
    {
        *HOLDERS,
        ROLE.PushButton,
        ROLE.ButtonMenu,
        ROLE.ButtonDropDown,
        ROLE.CheckBox,
        ROLE.RadioButton,
        ROLE.EditableText,
        ROLE.SpinBox,
        ROLE.Slider,
        ROLE.Link,
        ROLE.PageTab,
        ROLE.MenuItem,
    }
)
"""Roles of controls that people use, also where they take no focus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One control, as a screen reader is told of it."""

    name: str
    role: QAccessible.Role
    where: str

    @property
    def wrong(self) -> str:
        """What is missing, the name or the role; "" if nothing is."""
        if not self.name.strip():
            return f"no name: {self.role.name} in {self.where}"
        return f"no role: {self.name!r} in {self.where}" if self.role in NOT_A_ROLE else ""


def controls(root: QWidget) -> list[Node]:
    """Every visible control below a window or dialog."""
    top = QAccessible.queryAccessibleInterface(root)
    assert top is not None and top.isValid()
    return list(_below(top, type(root).__name__))


def _below(node: QAccessibleInterface, where: str) -> Iterator[Node]:
    for number in range(node.childCount()):
        child = node.child(number)
        if child is None or not child.isValid() or child.state().invisible:
            continue
        made = child.object()
        here = f"{where} > {made.metaObject().className() if made is not None else '?'}"
        if child.state().focusable or child.role() in USED:
            yield Node(name=_name(child), role=child.role(), where=here)
        if child.role() not in HOLDERS:
            yield from _below(child, here)


def _name(node: QAccessibleInterface) -> str:
    """Return a control's name or, of a choice, its label's: its own text is what is chosen."""
    if node.role() is not ROLE.ComboBox:
        return node.text(QAccessible.Text.Name)
    labels = [one for one, _ in node.relations(QAccessible.RelationFlag.Label)]
    return " ".join(one.text(QAccessible.Text.Name) for one in labels)


def tab_stops(window: QWidget) -> list[QWidget]:
    """Return the widgets that Tab goes to, in that order."""
    found: list[QWidget] = []
    widget = window.nextInFocusChain()
    while widget is not window:
        tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if tab and widget.isVisible() and widget.isEnabled():
            found.append(widget)
        widget = widget.nextInFocusChain()
    return found


def upwards(stops: list[QWidget]) -> list[str]:
    """Return where Tab leads up in the same column, against the order in which a page is read."""
    return [
        f"{one.accessibleName()!r} → {other.accessibleName()!r}"
        for one, other in itertools.pairwise(stops)
        if _is_above(_place(other), _place(one))
    ]


def _place(widget: QWidget) -> QRect:
    return QRect(widget.mapTo(widget.window(), QPoint(0, 0)), widget.size())


def _is_above(one: QRect, other: QRect) -> bool:
    beside = one.right() < other.left() or other.right() < one.left()
    return not beside and one.bottom() < other.top()
