"""A check box whose words wrap into further lines where they have too little room."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter

_HIGH: Final = 100_000
"""Height in pixels that no text needs."""


class WrappedCheck(QCheckBox):
    """A check box whose words wrap: Qt's own is always as wide as all of its words in one line.

    It stands in a column; in a row that wraps, Qt's own goes to the next line as a whole.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setAccessibleName(text.replace("&", ""))
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Preferred)
        policy.setVerticalPolicy(QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def _lines(self, width: int) -> QSize:
        """Return the size of the words in lines of at most this width, or of a longer word."""
        flags = Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextShowMnemonic
        metrics = self.fontMetrics()
        return metrics.boundingRect(QRect(0, 0, width, _HIGH), int(flags), self.text()).size()

    def _around(self) -> QSize:
        """Return what the box itself and the edges take besides the words."""
        one_line = self.fontMetrics().size(int(Qt.TextFlag.TextShowMnemonic), self.text())
        return super().sizeHint() - one_line

    # Qt's own

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._around().width() + self._lines(1).width(), super().sizeHint().height())

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        around, hint = self._around(), super().sizeHint()
        return max(hint.height(), self._lines(width - around.width()).height() + around.height())

    def paintEvent(self, _: QPaintEvent) -> None:  # noqa: N802
        option = QStyleOptionButton()
        self.initStyleOption(option)
        text, option.text = option.text, ""
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_CheckBox, option)
        option.text = text
        part = QStyle.SubElement.SE_CheckBoxContents
        room = self.style().subElementRect(part, option, self)
        flags = (
            Qt.AlignmentFlag.AlignLeft
            | Qt.AlignmentFlag.AlignVCenter
            | Qt.TextFlag.TextWordWrap
            | Qt.TextFlag.TextShowMnemonic
        )
        painter.drawItemText(
            room, int(flags), self.palette(), self.isEnabled(), text, self.foregroundRole()
        )
