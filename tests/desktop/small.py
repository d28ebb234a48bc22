"""Finds what is cut off in a window at the size that it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QLabel,
    QScrollArea,
    QScrollBar,
    QWidget,
)

from lull.desktop.widgets.text.elided_label import ElidedLabel


def cut_off(root: QWidget) -> list[str]:
    """Return the widgets that cannot be seen whole, even by scrolling up and down."""
    return [
        f"{type(widget).__name__} {_said(widget)!r}: {why}"
        for widget in root.findChildren(QWidget)
        if widget.isVisible() and not isinstance(widget.parentWidget(), QScrollBar)
        for why in _wrong(widget)
    ]


def cut_off_at_rest(root: QWidget, wait: Callable[[int], object]) -> list[str]:
    """Return the widgets that are cut off once a window has come to rest.

    A layout within a layout does so one round after the other, and on a busy machine a round takes
    long.
    """
    for _ in range(1_000):
        if not (found := cut_off(root)):
            return []
        wait(20)
    return found


def _wrong(widget: QWidget) -> Iterator[str]:
    parent = widget.parentWidget()
    assert parent is not None
    if isinstance(widget, QScrollArea) and (over := widget.horizontalScrollBar().maximum()) > 0:
        parts = widget.widget().findChildren(QWidget)
        seen = [one for one in parts if one.isVisible() and not one.findChildren(QWidget)]
        widest = max(seen, key=lambda one: one.minimumSizeHint().width())
        yield f"scrolls sideways by {over}; widest is {type(widest).__name__} {_said(widest)!r}"
    if not _scrolls(parent):
        at = QRect(widget.mapTo(parent, QPoint(0, 0)), widget.size())
        if not parent.rect().contains(at):
            yield f"{at.getRect()} is not in {parent.rect().getRect()}"
    needed = _needed(widget)
    if needed.width() > widget.width() or needed.height() > widget.height():
        yield f"{widget.size().toTuple()} where {needed.toTuple()} is needed"


def _scrolls(parent: QWidget) -> bool:
    """Return whether `parent` is a scroll area's viewport, which shows one part after the other."""
    area = parent.parentWidget()
    return isinstance(area, QAbstractScrollArea) and area.viewport() is parent


def _needed(widget: QWidget) -> QSize:
    """Return the size at which all of a widget's text is seen."""
    if isinstance(widget, QLabel):
        if isinstance(widget, ElidedLabel) or not (widget.text() or widget.pixmap()):
            return QSize(0, 0)
        if widget.wordWrap():
            return QSize(widget.minimumSizeHint().width(), widget.heightForWidth(widget.width()))
    if isinstance(widget, (QLabel, QAbstractButton, QComboBox)):
        return widget.minimumSizeHint()
    return QSize(0, 0)


def _said(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, (QLabel, QAbstractButton)) else ""
    return (text or widget.accessibleName() or widget.objectName())[:60]
