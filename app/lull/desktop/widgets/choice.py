"""A combo box whose value cannot change by accident while the user scrolls the page."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QLabel, QStyle, QStyleOptionComboBox

MOST_CHARACTERS: Final = 30
"""Most characters of its text for which a combo box always has room; a longer one may end in
"…"."""
FRAME_PX: Final = 42
"""Width in pixels of a combo box's frame and arrow, without its text."""
ROUNDED_PX: Final = 2
"""Extra width in pixels, because Qt's rounding may cut off a text in large letters."""


class Choice(QComboBox):
    """A combo box that ignores the mouse wheel, so that the wheel scrolls the page around it.

    Qt's own combo box changes its value when the pointer happens to pass over it while the page
    scrolls, and takes the focus on a turn of the wheel. The wheel still scrolls the opened list,
    and the arrow keys still change the value.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._label = QLabel()
        self._label.setBuddy(self)
        self.currentTextChanged.connect(lambda _: self.updateGeometry())

    # Its name

    def setAccessibleName(self, name: str) -> None:  # noqa: N802
        """Set the combo box's name for screen readers.

        On Linux Qt gives them only the text of the box's label, so a hidden label gets the name
        too.
        """
        super().setAccessibleName(name)
        self._label.setText(name)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ParentChange:
            self._label.setParent(self.parentWidget())
            self._label.hide()
        return super().event(event)

    # The wheel

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        event.ignore()

    # Little room

    @property
    def drawn_text(self) -> str:
        """Return the combo box's text as it is drawn, shortened with "…" if it does not fit."""
        option = QStyleOptionComboBox()
        super().initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        width, end = field.width(), Qt.TextElideMode.ElideRight
        return self.fontMetrics().elidedText(self.currentText(), end, width)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802
        super().initStyleOption(option)
        option.currentText = self.drawn_text

    def sizeHint(self) -> QSize:  # noqa: N802
        hint = super().sizeHint()
        return QSize(max(hint.width() + ROUNDED_PX, self._least_width()), hint.height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._least_width(), self.sizeHint().height())

    def _least_width(self) -> int:
        """Return the width at which the text is read whole, unless it is very long."""
        metrics = self.fontMetrics()
        most = MOST_CHARACTERS * metrics.averageCharWidth()
        text = min(metrics.horizontalAdvance(self.currentText()), most)
        return text + FRAME_PX + ROUNDED_PX

    def showPopup(self) -> None:  # noqa: N802
        self.view().setMinimumWidth(self.sizeHint().width())
        super().showPopup()
