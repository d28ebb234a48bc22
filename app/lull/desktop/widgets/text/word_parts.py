"""Buttons that each leave one part out of a text, such as the complaint in front of a rule.

A part ends at a punctuation mark. Which of them belongs to the rule only the user knows.
"""

from __future__ import annotations

import functools
import re
from typing import Final

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from lull.desktop.language.words import tr
from lull.desktop.widgets.flow import Flow
from lull.desktop.widgets.parts import button, clear_layout, label
from lull.desktop.widgets.text.long_text import beginning
from lull.desktop.widgets.tokens import GAP

MOST_PARTS: Final = 8
"""Most parts that are offered; a longer text is edited by hand."""
SHOWN: Final = 44
"""Most characters of a part on its button."""
_PART: Final = re.compile(r"\S.*?(?:[.!?…,;:]+(?=\s)|\s[-–—](?=\s)|$)", re.MULTILINE)


def parts_of(text: str) -> list[tuple[int, int]]:
    """Return where the parts of a text begin and end, in order; a part ends with its punctuation
    mark.
    """
    return [found.span() for found in _PART.finditer(text)]


def without(text: str, part: tuple[int, int]) -> tuple[int, int]:
    """Return which characters to remove so that a part is gone, with the space beside it; of the
    last part also the comma before it.
    """
    begin, end = part
    after = len(text) - len(text[end:].lstrip())
    if text[end:].strip():
        return begin, after
    return len(text[:begin].rstrip(" \n,;:-–—")), len(text)


class LeaveOut(QWidget):
    """A row of buttons that each leave one part out of the text that the user edits beside it;
    hidden where there is only one.
    """

    def __init__(self, text: QPlainTextEdit) -> None:
        super().__init__()
        self._text = text
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP // 2)
        box.addWidget(label(tr("Leave out what is no part of the rule, with one click:"), "muted"))
        self._row = Flow()
        box.addLayout(self._row)
        self._shown = ""
        text.textChanged.connect(self._look)
        self._look()

    def _look(self) -> None:
        text = self._text.toPlainText()
        if text == self._shown:
            return
        self._shown = text
        clear_layout(self._row)
        parts = parts_of(text)
        self.setVisible(1 < len(parts) <= MOST_PARTS)
        if not 1 < len(parts) <= MOST_PARTS:
            return
        for part in parts:
            words = text[slice(*part)]
            do = functools.partial(self._leave_out, part)
            name = tr("Leave out “%1”", words)
            made = button(f"✕ {beginning(words, SHOWN)}", do, name=name)
            made.setAutoDefault(False)
            self._row.addWidget(made)

    def _leave_out(self, part: tuple[int, int]) -> None:
        begin, end = without(self._text.toPlainText(), part)
        # An edit like any other: the keys that undo bring it back.
        cursor = QTextCursor(self._text.document())
        cursor.setPosition(begin)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
