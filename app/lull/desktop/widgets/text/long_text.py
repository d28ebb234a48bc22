"""Text widgets for texts that are too long for a label, and help for labels with long words.

A long run of characters without a space, such as base64, would make a label too wide. `breakable`
lets a label break such a run; the text widgets break it by themselves, and long texts scroll.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import QSize, QSizeF, Qt, QTextBoundaryFinder
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextDocument, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QTextBrowser, QTextEdit, QWidget

LONG: Final = 40
"""Fewest characters in a row without a space that may be wider than a card."""
LEAST_LINES: Final = 7
"""Lines for which a `ScrollingText` widget always has room."""
BREAK: Final = "\u200b"
"""Character of no width at which a label may begin a new line."""
_EDGES_PX: Final = 5
"""Height in pixels that a text needs beside its lines: the frame that shows the focus, and what
rounding takes."""
_SCROLL_KEYS: Final = frozenset(
    {
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_PageDown,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
        Qt.Key.Key_Space,
    }
)
_RUN: Final = re.compile(rf"\S{{{LONG},}}")


def has_long_run(text: str) -> bool:
    """Whether a text has a run without spaces that is too long for a line."""
    return _RUN.search(text) is not None


def breakable(text: str) -> str:
    """Return a text in which a label may break long runs without a space between any two
    characters.
    """
    return _RUN.sub(lambda run: BREAK.join(_characters(run[0])), text)


def beginning(text: str, most: int) -> str:
    """Return the first words of a text, at most this many characters of them, with "…" if there are
    more; a text that is one long word is cut within it.
    """
    if len(text) <= most:
        return text
    cut = text[: most + 1]
    return f"{cut.rsplit(None, 1)[0] if ' ' in cut else cut[:most]} …"


def _characters(text: str) -> Iterator[str]:
    """Yield the characters of a text as a reader sees them: a letter together with its accents."""
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, text)
    units = text.encode("utf-16-le", "surrogatepass")  # Qt counts in these
    begin = 0
    while (end := finder.toNextBoundary()) > 0:
        yield units[2 * begin : 2 * end].decode("utf-16-le", "surrogatepass")
        begin = end


class ScrollingText(QTextBrowser):
    """A scrolling text widget that takes the height left on its page, but never less than
    `LEAST_LINES` lines.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, LEAST_LINES * self.fontMetrics().lineSpacing())


def _lay_flat(shown: QTextEdit) -> None:
    """Make a text widget look like a part of the page: no frame, no scroll bars, its lines broken
    wherever they would be too wide.
    """
    shown.setFrameShape(QFrame.Shape.NoFrame)
    shown.setTabChangesFocus(True)
    shown.setProperty("flat", True)
    shown.document().setDocumentMargin(0)
    shown.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    for policy in (shown.setHorizontalScrollBarPolicy, shown.setVerticalScrollBarPolicy):
        policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    shown.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)


class WholeText(QTextBrowser):
    """A text widget as high as its text, so that the page around it scrolls and nobody has to
    scroll within what scrolls.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        _lay_flat(self)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    def _fit(self, size: QSizeF) -> None:
        self.setFixedHeight(int(size.height()) + _EDGES_PX)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Leave the keys that scroll to the page."""
        if event.key() in _SCROLL_KEYS:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Leave the mouse wheel to the page."""
        event.ignore()


def line_of(shown: QWidget, words: str) -> int:
    """Return how many pixels below the top of a label or text widget the line with these words
    is; 0 if it has none.
    """
    if isinstance(shown, QTextEdit):
        document = shown.document()
    elif isinstance(shown, QLabel):
        document = QTextDocument()
        document.setDocumentMargin(0)
        document.setDefaultFont(shown.font())
        document.setHtml(shown.text())
        document.setTextWidth(shown.width())
    else:
        return 0
    found = document.find(words)
    block = found.block()
    if found.isNull() or not block.isValid():
        return 0
    top = document.documentLayout().blockBoundingRect(block).top()
    line = block.layout().lineForTextPosition(found.positionInBlock())
    return int(top + (line.y() if line.isValid() else 0))


class LongText(QTextEdit):
    """A read-only text widget as high as its text; it breaks long runs without a space, which would
    make a label too wide.
    """

    def __init__(self, text: str, *, html: bool = False) -> None:
        super().__init__()
        self.setReadOnly(True)
        _lay_flat(self)
        if html:
            self.setHtml(text)
        else:
            self.setPlainText(text)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.document().setTextWidth(self.viewport().width())
        self.setFixedHeight(int(self.document().size().height()) + _EDGES_PX)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Ignore the mouse wheel, so that it scrolls the page and not this text."""
        event.ignore()
