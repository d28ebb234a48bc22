"""Dialog that asks what closing the window should do on a desktop without a tray icon.

Chat apps depend on the service, so the service never stops without the user being told.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QVBoxLayout, QWidget

from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP
from lull.desktop.words import tr

KEEP: Final = "close/keeps-running"
"""Key in the window's preferences: close without asking, and keep running."""


class CloseDialog(QDialog):
    """Dialog that offers to keep Lull running without a window, or to quit."""

    keep = Signal()
    leave = Signal()

    def __init__(self, preferences: QSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Keep Lull running?"))
        self.words = label(
            tr(
                "Your chat apps get their answers through Lull. It can keep running without a "
                "window. This desktop shows no tray icon, so start Lull again to get the window "
                "back."
            ),
            wrap=True,
        )
        self.words.setMinimumWidth(420)
        self.always = QCheckBox(tr("Don't ask again"))
        self.always.setAccessibleName(self.always.text())
        self.keep_it = button(tr("Keep running"), self._keep, main=True)
        self.keep_it.setDefault(True)
        self.quit_it = button(tr("Quit Lull"), self._leave)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 3, GAP * 3, GAP * 2)
        box.setSpacing(GAP * 2)
        box.addWidget(self.words)
        box.addWidget(self.always)
        cancel = button(tr("Cancel"), self.reject, flat=True)
        box.addLayout(row(cancel, None, self.quit_it, self.keep_it))
        self.keep_it.setFocus()

    def _keep(self) -> None:
        if self.always.isChecked():
            self._preferences.setValue(KEEP, True)
        self.accept()
        self.keep.emit()

    def _leave(self) -> None:
        self.accept()
        self.leave.emit()
