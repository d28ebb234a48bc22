"""Python's cyclic garbage, collected in the window's thread alone.

The collector runs in whichever thread happens to allocate. Threads that read from the service
allocate much, and a Qt object that is freed in one of them, as part of some cycle, ends the process
with a segmentation fault. So it is switched off, and looked after by a timer of the window's.
"""

from __future__ import annotations

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer

EVERY_MS: Final = 500


class GarbageCollector(QObject):
    """From now on until `stop`; made and stopped in the window's thread."""

    def __init__(self) -> None:
        super().__init__()
        self._was_on = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Collect the generations that the collector itself would have collected by now."""
        due = [
            generation
            for generation, (count, limit) in enumerate(
                zip(gc.get_count(), gc.get_threshold(), strict=True)
            )
            if count > limit > 0
        ]
        if due:
            gc.collect(due[-1])

    def stop(self) -> None:
        self._timer.stop()
        if self._was_on:
            gc.enable()
