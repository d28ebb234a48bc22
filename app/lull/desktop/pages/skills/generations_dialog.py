"""Dialog that lists all generations (numbered versions) of the skill library, so that the user can
roll back to one.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from lull.contract.json_object import Json
from lull.desktop.language.words import short_date, tr
from lull.desktop.shared.changes import change_words
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.small_table import fill, selected_names, small_table
from lull.desktop.widgets.tokens import GAP


class GenerationsDialog(QDialog):
    """Dialog that lists the generations (numbered versions) of the skill library and emits the one
    to roll back to.
    """

    wanted = Signal(int)
    """Emitted with the generation that the user wants to roll back to."""

    def __init__(self, history: Sequence[Json], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("History of all skills"))
        self.resize(720, 480)
        self._newest = max((int(one["generation"]) for one in history), default=0)
        heads = (tr("Version"), tr("When"), tr("Change"))
        self.table = small_table(heads, tr("Versions of all skills"))
        # Of a long title and what became of the skill, the end says more.
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        fill(self.table, [(str(one["generation"]), _cells(one)) for one in history])
        self.table.itemSelectionChanged.connect(self._look)
        self.back = button(tr("Go back to this"), self._give, main=True)
        words = tr("Going back is a change too: nothing is lost, and it can be undone.")
        newest = next((o for o in history if int(o["generation"]) == self._newest), None)
        named = change_words(newest) if newest is not None else ""
        self.last = button(tr("Undo the last change: %1", named), self._undo_last)
        self.last.setVisible(newest is not None)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(self.table, 1)
        box.addWidget(label(words, "muted", wrap=True))
        box.addLayout(row(self.last, None))
        box.addLayout(row(None, button(tr("Close"), self.close), self.back))
        self.back.setDefault(True)
        self._look()

    def generation(self) -> int | None:
        """Return the number of the generation (version of the skill library) that the user has
        selected in the list; None if none is.
        """
        names = selected_names(self.table)
        return int(names[0]) if names else None

    def _look(self) -> None:
        self.back.setEnabled(self.generation() not in (None, self._newest))

    def _undo_last(self) -> None:
        self.wanted.emit(self._newest - 1)
        self.close()

    def _give(self) -> None:
        generation = self.generation()
        if generation is not None:
            self.wanted.emit(generation)
            self.close()


def _cells(one: Json) -> tuple[str, str, str]:
    return (str(one["generation"]), short_date(one.get("at")), change_words(one))
