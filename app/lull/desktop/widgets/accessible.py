"""Support for screen readers and keyboard navigation that Qt does not give by itself."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget


class SelfDrawn(QLabel):
    """A widget that paints itself and that screen readers announce as a picture.

    Qt announces other custom widgets as a “client”, which says nothing, but announces a label with
    a picture as a picture. So this class is a label with an invisible picture. Custom accessibility
    roles would be the regular way, but PySide frees them too early.
    """

    def __init__(self) -> None:
        super().__init__()
        unseen = QPixmap(1, 1)
        unseen.fill(Qt.GlobalColor.transparent)
        self.setPixmap(unseen)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QWidget.sizeHint(self)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QWidget.minimumSizeHint(self)


class FocusInView(QObject):
    """Scrolls to the control that gets the keyboard focus where nothing of it is in view.

    Qt does so only where Tab goes on within what scrolls, and not where it comes from outside.
    """

    def __init__(self, app: QApplication, parent: QObject) -> None:
        super().__init__(parent)
        app.focusChanged.connect(self._follow)

    def _follow(self, _: QWidget | None, now: QWidget | None) -> None:
        if now is None or not now.isVisible() or not now.visibleRegion().isEmpty():
            return
        around = now.parentWidget()
        while around is not None:
            if isinstance(around, QScrollArea):
                around.ensureWidgetVisible(now)
            around = around.parentWidget()


def tab_after(before: QWidget, made: QWidget) -> QWidget:
    """Put the controls within the new widget `made` directly after `before` in the Tab order, not
    at its end.

    Returns the last of these controls, or `before` if there are none.
    """
    for one in made.findChildren(QWidget):
        # The list that a choice opens is a window of its own.
        if one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.window() is before.window():
            QWidget.setTabOrder(before, one)
            before = one
    return before
