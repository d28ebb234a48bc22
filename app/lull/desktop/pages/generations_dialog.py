"""The library as it was, change by change: every generation, and the way back to any of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from lull.desktop.pages.changes import change_words
from lull.desktop.pages.tables import chosen, fill, small_table
from lull.desktop.parts import button, label, row
from lull.desktop.tokens import GAP
from lull.desktop.words import short_date, tr

Json = dict[str, Any]


class GenerationsDialog(QDialog):
    wanted = Signal(int)
    """The generation as which the library is to read again."""

    def __init__(self, history: Sequence[Json], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("History of all skills"))
        self.resize(620, 480)
        self._newest = max((int(one["generation"]) for one in history), default=0)
        heads = (tr("Generation"), tr("When"), tr("What"))
        self.table = small_table(heads, tr("Generations"))
        fill(self.table, [(str(one["generation"]), _cells(one)) for one in history])
        self.table.itemSelectionChanged.connect(self._look)
        self.back = button(tr("Roll back to this"), self._give, main=True)
        words = tr("Rolling back is a change, too: nothing is lost, and it can be undone.")
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(self.table, 1)
        box.addWidget(label(words, "muted", wrap=True))
        box.addLayout(row(None, button(tr("Close"), self.close), self.back))
        self._look()

    def generation(self) -> int | None:
        """The chosen one."""
        names = chosen(self.table)
        return int(names[0]) if names else None

    def _look(self) -> None:
        self.back.setEnabled(self.generation() not in (None, self._newest))

    def _give(self) -> None:
        generation = self.generation()
        if generation is not None:
            self.wanted.emit(generation)
            self.close()


def _cells(one: Json) -> tuple[str, str, str]:
    return (str(one["generation"]), short_date(one.get("at")), change_words(one))
