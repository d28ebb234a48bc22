"""Editor for a setting that names a helper model: the judge (scores answers), the writer (writes
skills) or the reader (reads the user's feedback).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit

from lull.desktop.shared.setting_names import title_of
from lull.desktop.widgets.choice import Choice

HELPERS: Final = ("reader.model", "judge.model", "writer.model")
"""Settings that name a helper model, which has to pass an exam if it is chosen automatically."""
WORDS: Final = ("auto", "none")
"""Values that name no model: the best that passed its exam, and none at all."""


class ModelEdit(Choice):
    """A combo box that lists the models on this machine, and in which another name may be typed."""

    entered = Signal(str)

    def __init__(self, key: str) -> None:
        super().__init__()
        self.field = QLineEdit()
        self.setLineEdit(self.field)
        self.setInsertPolicy(Choice.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.setAccessibleName(title_of(key))
        self.field.setAccessibleName(title_of(key))
        self._value = ""
        self.offer(())
        self.activated.connect(lambda _: self._enter())
        self.field.editingFinished.connect(self._enter)

    def offer(self, names: Iterable[str]) -> None:
        """Set the models that the list offers; what is chosen or being typed stays."""
        wanted = [*WORDS, *names]
        if [self.itemText(n) for n in range(self.count())] == wanted:
            return
        typed, modified = self.currentText(), self.field.isModified()
        self.clear()
        self.addItems(wanted)
        self.setCurrentText(typed)
        self.field.setModified(modified)

    def put(self, value: object, *, anyway: bool = False) -> None:
        self._value = str(value)
        if anyway or not self.field.isModified():
            self.setCurrentText(self._value)
            self.field.setModified(False)

    def _enter(self) -> None:
        text = self.currentText().strip()
        self.field.setModified(False)
        if text != self._value:
            self._value = text
            self.entered.emit(text)
