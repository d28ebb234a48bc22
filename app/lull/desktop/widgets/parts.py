"""Small widgets shared by the window's pages: labels, chips (small coloured labels), buttons,
cards, a banner, short messages, and the text of a page without data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QKeySequence,
    QMouseEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from lull.desktop.language.words import tr, without_args
from lull.desktop.widgets.flow import Flow
from lull.desktop.widgets.tokens import BODY_PT, GAP

NOTE_MS: Final = 8_000
KEY_GAP: Final = "  "
"""Stands in a button's text before the letter that does the same."""
LARGE: Final = 1.5
"""Size of texts, in parts of the usual one, from which buttons leave their letters out."""
_NO_LIMIT: Final = 16_777_215
"""Qt's largest size of a widget."""


def label(text: str = "", kind: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label that shows plain text; `kind` chooses its look from the style sheet."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if kind:
        made.setProperty("kind", kind)
    made.setWordWrap(wrap)
    return made


class FlowLabel(QLabel):
    """A label for a row that wraps: its text is on one line where there is room, else on several.

    A label that only wraps asks for a narrow block of text even where there is room for a line.
    """

    def __init__(self, text: str, kind: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("kind", kind)
        self.setWordWrap(True)

    def sizeHint(self) -> QSize:  # noqa: N802
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 2, metrics.height())


def chip(text: str, kind: str = "plain") -> QLabel:
    """Return a label that is drawn as a small rounded mark, such as a status."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("chip", kind)
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
    return made


def button(
    text: str, do: Callable[[], object], *, main: bool = False, flat: bool = False, name: str = ""
) -> QPushButton:
    """Make a button that calls the function `do` when it is clicked.

    `name` is its accessible name if that differs from its text.
    """
    made = LetterButton(text) if KEY_GAP in text else QPushButton(text)
    made.setProperty("main", main)
    made.setProperty("flat", flat)
    made.setAccessibleName(name or text.replace("&", ""))
    made.clicked.connect(without_args(do))
    return made


class LetterButton(QPushButton):
    """A button whose text ends with the letter that does the same. In large letters there is no
    room for it, and only the words are shown.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802
        self._whole = text
        self._show()

    def _show(self) -> None:
        large = QGuiApplication.font().pointSizeF() >= BODY_PT * LARGE
        super().setText(self._whole.partition(KEY_GAP)[0] if large else self._whole)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._show()


class Tab(QRadioButton):
    """One of a row of buttons of which exactly one is selected, such as the buttons for the views
    of a skill.
    """

    taken_by_mouse = Signal()
    """Emitted after the user clicked the button; arrow keys select it without that."""

    def __init__(self, text: str, do: Callable[[], object]) -> None:
        super().__init__(text)
        self.setProperty("tab", True)
        self.setAccessibleName(text.replace("&", ""))
        self.clicked.connect(without_args(do))
        self.toggled.connect(self._dress)

    def _dress(self, chosen: bool) -> None:
        # Of a radio button Qt's sheets colour the words by properties, not by what is checked.
        self.setProperty("chosen", chosen)
        restyle(self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        if self.isChecked():
            self.taken_by_mouse.emit()

    def hitButton(self, at: QPoint) -> bool:  # noqa: N802
        """Make the whole area of the button clickable, not only its text."""
        return self.rect().contains(at)


def restyle(widget: QWidget) -> None:
    """Apply the style sheet to a widget again, because a property that the style sheet refers to
    has changed.
    """
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def set_kind(widget: QLabel, kind: str) -> None:
    """Change a label's look to another kind of the style sheet."""
    if widget.property("kind") != kind:
        widget.setProperty("kind", kind)
        restyle(widget)


def clear_layout(layout: QLayout) -> None:
    """Remove and delete all widgets in a layout."""
    while layout.count():
        item = layout.takeAt(0)
        if item is None:
            return
        inner, widget = item.layout(), item.widget()
        if inner is not None:
            clear_layout(inner)
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def row(*widgets: QWidget | None, gap: int = GAP) -> Flow:
    """Return a layout with these widgets in a row that wraps into further lines if needed; None
    stands for a stretch.
    """
    made = Flow(gap=gap)
    for widget in widgets:
        if widget is None:
            made.add_stretch()
        else:
            made.addWidget(widget)
    return made


def unwrapped_row(*widgets: QWidget, gap: int = GAP) -> QHBoxLayout:
    """Return a layout with these widgets in one line that never wraps; the first widget gets the
    extra width.
    """
    made = QHBoxLayout()
    made.setSpacing(gap)
    for widget in widgets:
        made.addWidget(widget)
    made.setStretch(0, 1)
    return made


class Card(QFrame):
    """A framed box that groups widgets, with an optional title."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.box = QVBoxLayout(self)
        self.box.setContentsMargins(GAP * 2, GAP * 2, GAP * 2, GAP * 2)
        self.box.setSpacing(GAP)
        if title:
            self.box.addWidget(label(title, "head", wrap=True))


class Banner(QFrame):
    """A strip across the window with a message and buttons for what the user can do about it.

    It stays until it is given an empty text.
    """

    def __init__(self) -> None:
        super().__init__()
        self._words = label("", wrap=True)
        self.buttons = QHBoxLayout()
        self._offered: list[str] = []
        box = QHBoxLayout(self)
        box.setContentsMargins(GAP * 2, GAP, GAP * 2, GAP)
        box.addWidget(self._words, 1)
        box.addLayout(self.buttons)
        self.hide()

    def say(
        self,
        text: str,
        *,
        kind: str = "warn",
        offers: Sequence[tuple[str, Callable[[], object]]] = (),
    ) -> None:
        """Show this text and these buttons in the banner; an empty text hides the banner.

        `offers` are the buttons as (text, function); `kind` selects the style.
        """
        self._words.setText(text)
        offered = [words for words, _ in offers]
        if offered != self._offered:  # else the focus would be lost
            self._offered = offered
            clear_layout(self.buttons)
            for words, do in offers:
                self.buttons.addWidget(button(words, do))
        self.setProperty("banner", kind)
        restyle(self)
        self.setVisible(bool(text))

    @property
    def text(self) -> str:
        """The message that is shown; "" while the strip is hidden."""
        return "" if self.isHidden() else self._words.text()


class Toast(QFrame):
    """A short message (toast) at the foot of the window with the outcome of the user's last action
    and an optional Undo button.

    It floats over `strip`, a line of the window with nothing to click, and over the foot of the
    page only if its text is long: so nothing moves, and what is to be clicked next stays free.
    """

    def __init__(self, strip: QWidget) -> None:
        super().__init__(strip.window())
        self._strip = strip
        strip.installEventFilter(self)
        self._undo: Callable[[], None] | None = None
        self._pressed_for: Callable[[], None] | None = None
        """What the button offered when it was pressed."""
        self.words = label("", wrap=False)
        self.undo = button(tr("Undo"), self._go_back)
        self.undo.pressed.connect(self._press)
        box = self._box = QHBoxLayout(self)
        box.setContentsMargins(GAP * 2, GAP, GAP, GAP)
        box.addWidget(self.words)
        box.addWidget(self.undo)
        self._timer = QTimer(self, singleShot=True, interval=NOTE_MS)
        self._timer.timeout.connect(self.hide)
        strip.setMinimumHeight(self.sizeHint().height())
        self.hide()

    def say(
        self,
        text: str,
        *,
        good: bool = True,
        undo: Callable[[], None] | None = None,
        button: str = "",
    ) -> None:
        """Show a text in the toast for some seconds, with a button if `undo` is given.

        The button calls `undo` and is labelled `button`, or "Undo". `good` says whether the text
        reports a success.
        """
        self._undo = undo
        self.undo.setText(button or tr("Undo"))
        self.undo.setAccessibleName(self.undo.text())
        self.words.setText(text)
        # Screen readers announce a changed accessible name.
        self.setAccessibleName(text)
        self.undo.setVisible(undo is not None)
        self.setProperty("toast", "good" if good else "bad")
        for widget in (self, self.words, self.undo):
            restyle(widget)
        self._place()
        self.show()
        self.raise_()
        if good:
            self._timer.start()
        else:
            self._timer.start(NOTE_MS * 2)

    def _place(self) -> None:
        """Stand in the middle of the strip, on its lower edge, and no wider than it is."""
        self.words.setWordWrap(False)
        self.words.setMinimumWidth(0)
        self.words.setMaximumWidth(_NO_LIMIT)
        beside = self.undo.sizeHint().width() + GAP if not self.undo.isHidden() else 0
        room = max(160, self._strip.width() - beside - GAP * 3)
        wanted = self.words.sizeHint().width()
        self.words.setWordWrap(wanted > room)
        self.words.setFixedWidth(min(room, wanted))
        self._box.activate()
        self.resize(self.sizeHint())
        at = self._strip.mapTo(self._strip.window(), QPoint(0, self._strip.height()))
        self.move(at.x() + (self._strip.width() - self.width()) // 2, at.y() - self.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Follow the strip as it is moved and resized."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def _press(self) -> None:
        self._pressed_for = self._undo

    def _go_back(self) -> None:
        if self._pressed_for is not self._undo:
            return  # another text came while the button was held down
        undo, self._undo = self._undo, None
        self.hide()
        if undo is not None:
            undo()


class PagePlaceholder(QWidget):
    """Placeholder that a page shows when it has no data: the reason, and buttons for what the user
    can do.
    """

    def __init__(self) -> None:
        super().__init__()
        self.head = label("", "head")
        self.words = label("", "muted", wrap=True)
        for one in (self.head, self.words):
            one.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.head.setWordWrap(True)
        self.words.setMaximumWidth(520)
        self.buttons = row()
        self._offered: list[str] = []
        self._actions: list[Callable[[], object]] = []
        middle = QHBoxLayout()
        middle.addStretch(0)
        middle.addWidget(self.words, 1)
        middle.addStretch(0)
        box = QVBoxLayout(self)
        box.addStretch(2)
        box.addWidget(self.head)
        box.addSpacing(GAP // 2)
        box.addLayout(middle)
        box.addSpacing(GAP)
        box.addLayout(self.buttons)
        box.addStretch(3)

    def say(
        self,
        head: str,
        text: str,
        actions: Sequence[tuple[str, Callable[[], object]]] = (),
    ) -> None:
        """Show this headline and text, with a button for each action.

        Buttons with the same words stay, with the focus and a press that has begun.
        """
        self.head.setText(head)
        self.words.setText(text)
        offered = [words for words, _ in actions]
        self._actions = [do for _, do in actions]
        if offered == self._offered:
            return
        self._offered = offered
        clear_layout(self.buttons)
        self.buttons.add_stretch()
        for n, words in enumerate(offered):
            self.buttons.addWidget(button(words, partial(self._do, n), main=n == 0))
        self.buttons.add_stretch()

    def _do(self, number: int) -> None:
        self._actions[number]()


def add_shortcut(widget: QWidget, keys: str, do: Callable[[], object]) -> QShortcut:
    """Make a keyboard shortcut that calls `do` while the widget is visible; holding the keys down
    does not repeat it.
    """
    made = QShortcut(QKeySequence(keys), widget)
    made.setContext(Qt.ShortcutContext.WindowShortcut)
    made.setAutoRepeat(False)
    made.activated.connect(without_args(do))
    return made
