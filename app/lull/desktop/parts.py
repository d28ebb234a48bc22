"""The small parts that every page is built of: labels in their kinds, cards, chips, banners, the
note that an action leaves, and the four ways in which a page can have nothing to show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from lull.desktop.tokens import GAP
from lull.desktop.words import only, tr

NOTE_MS: Final = 8_000
ABOVE_BUTTONS: Final = 92
"""Over the row of buttons at a page's foot: the next decision is made while the note stands."""


def label(text: str = "", kind: str = "", *, wrap: bool = False) -> QLabel:
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if kind:
        made.setProperty("kind", kind)
    made.setWordWrap(wrap)
    return made


def chip(text: str, kind: str = "plain") -> QLabel:
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("chip", kind)
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
    return made


def button(
    text: str, do: Callable[[], object], *, main: bool = False, flat: bool = False, name: str = ""
) -> QPushButton:
    """`name` is what a screen reader says where the text alone says too little."""
    made = QPushButton(text)
    made.setProperty("main", main)
    made.setProperty("flat", flat)
    made.setAccessibleName(name or text.replace("&", ""))
    made.clicked.connect(only(do))
    return made


def restyle(widget: QWidget) -> None:
    """A property that the style sheet looks at has changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def set_kind(widget: QLabel, kind: str) -> None:
    if widget.property("kind") != kind:
        widget.setProperty("kind", kind)
        restyle(widget)


def empty_out(layout: QLayout) -> None:
    """Take everything out of a layout."""
    while layout.count():
        item = layout.takeAt(0)
        if item is None:
            return
        inner, widget = item.layout(), item.widget()
        if inner is not None:
            empty_out(inner)
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def row(*widgets: QWidget | None, gap: int = GAP) -> QHBoxLayout:
    """None stands for what takes the room that is left."""
    made = QHBoxLayout()
    made.setSpacing(gap)
    for widget in widgets:
        if widget is None:
            made.addStretch(1)
        else:
            made.addWidget(widget)
    return made


class Card(QFrame):
    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.box = QVBoxLayout(self)
        self.box.setContentsMargins(GAP * 2, GAP * 2, GAP * 2, GAP * 2)
        self.box.setSpacing(GAP)
        if title:
            self.box.addWidget(label(title, "head"))


class Banner(QFrame):
    """A line across the window that stays as long as what it tells is true."""

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._words = label("", wrap=True)
        self._button = button(tr("Start"), self.pressed.emit)
        box = QHBoxLayout(self)
        box.setContentsMargins(GAP * 2, GAP, GAP * 2, GAP)
        box.addWidget(self._words, 1)
        box.addWidget(self._button)
        self.hide()

    def say(self, text: str, *, kind: str = "warn", action: str = "") -> None:
        """An empty text takes it away."""
        self._words.setText(text)
        if action:
            self._button.setText(action)
            self._button.setAccessibleName(action)
        self._button.setVisible(bool(action))
        self.setProperty("banner", kind)
        restyle(self)
        self.setVisible(bool(text))

    @property
    def text(self) -> str:
        return "" if self.isHidden() else self._words.text()


class Note(QFrame):
    """What the last action came to, for some seconds, with the way back where there is one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._undo: Callable[[], None] | None = None
        self.words = label("", wrap=False)
        self.undo = button(tr("Undo"), self._go_back)
        box = QHBoxLayout(self)
        box.setContentsMargins(GAP * 2, GAP, GAP, GAP)
        box.addWidget(self.words)
        box.addWidget(self.undo)
        self._timer = QTimer(self, singleShot=True, interval=NOTE_MS)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def say(self, text: str, *, good: bool = True, undo: Callable[[], None] | None = None) -> None:
        self._undo = undo
        self.words.setText(text)
        # A screen reader hears what changed by its name.
        self.setAccessibleName(text)
        self.undo.setVisible(undo is not None)
        self.setProperty("toast", "good" if good else "bad")
        for widget in (self, self.words, self.undo):
            restyle(widget)
        self.words.setWordWrap(self.words.sizeHint().width() > 520)
        self.words.setFixedWidth(min(520, self.words.sizeHint().width()))
        self.adjustSize()
        self.place()
        self.show()
        self.raise_()
        if good:
            self._timer.start()
        else:
            self._timer.start(NOTE_MS * 2)

    def place(self) -> None:
        parent = self.parentWidget()
        if parent is not None:
            x = (parent.width() - self.width()) // 2
            self.move(max(0, x), parent.height() - self.height() - ABOVE_BUTTONS)

    def _go_back(self) -> None:
        undo, self._undo = self._undo, None
        self.hide()
        if undo is not None:
            undo()


class Nothing(QWidget):
    """What stands where a page has nothing to show: why, and what to do."""

    def __init__(self) -> None:
        super().__init__()
        self.head = label("", "head")
        self.words = label("", "muted", wrap=True)
        for one in (self.head, self.words):
            one.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.buttons = QHBoxLayout()
        box = QVBoxLayout(self)
        box.addStretch(2)
        box.addWidget(self.head)
        box.addSpacing(GAP // 2)
        box.addWidget(self.words, 0, Qt.AlignmentFlag.AlignHCenter)
        box.addSpacing(GAP)
        box.addLayout(self.buttons)
        box.addStretch(3)

    def say(
        self,
        head: str,
        text: str,
        actions: Sequence[tuple[str, Callable[[], object]]] = (),
    ) -> None:
        self.head.setText(head)
        self.words.setText(text)
        # A label that wraps is as narrow as Qt likes unless it is told how wide it may be.
        width = min(520, self.words.fontMetrics().horizontalAdvance(text) + 16)
        self.words.setFixedWidth(width)
        self.words.setMinimumHeight(self.words.heightForWidth(width) + 2)
        empty_out(self.buttons)
        self.buttons.addStretch(1)
        for n, (words, do) in enumerate(actions):
            self.buttons.addWidget(button(words, do, main=n == 0))
        self.buttons.addStretch(1)


def key(widget: QWidget, keys: str, do: Callable[[], object]) -> QShortcut:
    """A letter of a page: only while the page is seen, and not again when it is held down."""
    made = QShortcut(QKeySequence(keys), widget)
    made.setContext(Qt.ShortcutContext.WindowShortcut)
    made.setAutoRepeat(False)
    made.activated.connect(only(do))
    return made
