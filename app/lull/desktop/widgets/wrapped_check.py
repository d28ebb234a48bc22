"""Check boxes and radio buttons whose words wrap into further lines where they have too little
room: Qt's own are always as wide as all of their words in one line.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QRadioButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
)

_HIGH: Final = 100_000
"""Height in pixels that no text needs."""


class WrappedCheck(QCheckBox):
    """A check box whose words wrap.

    It stands in a column; in a row that wraps, Qt's own goes to the next line as a whole.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        _let_wrap(self)

    # Qt's own

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return _least(self, super().sizeHint())

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        return _height(self, super().sizeHint(), width)

    def paintEvent(self, _: QPaintEvent) -> None:  # noqa: N802
        option = QStyleOptionButton()
        self.initStyleOption(option)
        control = QStyle.ControlElement.CE_CheckBox
        _paint(self, option, control, QStyle.SubElement.SE_CheckBoxContents)


class WrappedRadio(QRadioButton):
    """A radio button whose words wrap; it stands in a column."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        _let_wrap(self)

    # Qt's own

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return _least(self, super().sizeHint())

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        return _height(self, super().sizeHint(), width)

    def paintEvent(self, _: QPaintEvent) -> None:  # noqa: N802
        option = QStyleOptionButton()
        self.initStyleOption(option)
        control = QStyle.ControlElement.CE_RadioButton
        _paint(self, option, control, QStyle.SubElement.SE_RadioButtonContents)


def _let_wrap(button: QAbstractButton) -> None:
    button.setAccessibleName(button.text().replace("&", ""))
    policy = button.sizePolicy()
    policy.setHorizontalPolicy(QSizePolicy.Policy.Preferred)
    policy.setVerticalPolicy(QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    button.setSizePolicy(policy)


def _lines(button: QAbstractButton, width: int) -> QSize:
    """Return the size of the words in lines of at most this width, or of a longer word."""
    flags = Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextShowMnemonic
    metrics = button.fontMetrics()
    return metrics.boundingRect(QRect(0, 0, width, _HIGH), int(flags), button.text()).size()


def _around(button: QAbstractButton, hint: QSize) -> QSize:
    """Return what the mark itself and the edges take besides the words; `hint` is the size with all
    words in one line.
    """
    return hint - button.fontMetrics().size(int(Qt.TextFlag.TextShowMnemonic), button.text())


def _least(button: QAbstractButton, hint: QSize) -> QSize:
    return QSize(_around(button, hint).width() + _lines(button, 1).width(), hint.height())


def _height(button: QAbstractButton, hint: QSize, width: int) -> int:
    around = _around(button, hint)
    words = _lines(button, width - around.width())
    return max(hint.height(), words.height() + around.height())


def _paint(
    button: QAbstractButton,
    option: QStyleOptionButton,
    control: QStyle.ControlElement,
    contents: QStyle.SubElement,
) -> None:
    """Paint a button as Qt does, with its words in as many lines as they need."""
    text, option.text = option.text, ""
    painter = QStylePainter(button)
    painter.drawControl(control, option)
    option.text = text
    room = button.style().subElementRect(contents, option, button)
    flags = (
        Qt.AlignmentFlag.AlignLeft
        | Qt.AlignmentFlag.AlignVCenter
        | Qt.TextFlag.TextWordWrap
        | Qt.TextFlag.TextShowMnemonic
    )
    painter.drawItemText(
        room, int(flags), button.palette(), button.isEnabled(), text, button.foregroundRole()
    )
