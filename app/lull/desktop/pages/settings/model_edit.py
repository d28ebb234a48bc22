"""Editor for a setting that names a model: the one that learns, or a helper, which is the judge
(scores answers), the writer (writes skills) or the reader (reads the user's feedback).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit

from lull.desktop.pages.settings.values import AUTO, NONE, value_words
from lull.desktop.shared.setting_names import title_of
from lull.desktop.widgets.choice import Choice

HELPERS: Final = ("reader.model", "judge.model", "writer.model")
"""Settings that name a helper model, which has to pass a test if it is chosen automatically."""
LEARNS: Final = "training.model"
"""The setting that names the model that learns; it cannot be without one."""


class ModelEdit(Choice):
    """A combo box for a setting that names a model: it lists the models on this machine, and
    another name may be typed.
    """

    entered = Signal(str)

    def __init__(self, key: str) -> None:
        super().__init__()
        self.field = QLineEdit()
        self.setLineEdit(self.field)
        self.setInsertPolicy(Choice.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.setAccessibleName(title_of(key))
        self.field.setAccessibleName(title_of(key))
        self._key = key
        self._words = (AUTO,) if key == LEARNS else (AUTO, NONE)
        self._value = ""
        self.offer(())
        self.activated.connect(lambda _: self._enter())
        self.field.editingFinished.connect(self._enter)

    def offer(self, names: Iterable[str]) -> None:
        """Set the models that the list offers; what is chosen or being typed stays."""
        wanted = [*self._words, *names]
        if [self.itemData(n) for n in range(self.count())] == wanted:
            return
        typed, modified = self.currentText(), self.field.isModified()
        self.clear()
        for text in wanted:
            self.addItem(value_words(self._key, text), text)
        self.setCurrentText(typed)
        self.field.setModified(modified)

    def put(self, value: object, *, anyway: bool = False) -> None:
        """Show a model's name from the service; a name being typed is kept, unless `anyway`."""
        self._value = str(value)
        if anyway or not self.field.isModified():
            self.setCurrentText(value_words(self._key, self._value))
            self.field.setModified(False)

    def _enter(self) -> None:
        text = self._value_of(self.currentText().strip())
        self.field.setModified(False)
        if text != self._value:
            self._value = text
            self.entered.emit(text)

    def _value_of(self, shown: str) -> str:
        """Return the setting's value for what stands in the field: chosen or typed."""
        found = self.findText(shown, Qt.MatchFlag.MatchFixedString)
        return str(self.itemData(found)) if found >= 0 else shown
