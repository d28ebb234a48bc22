"""Runs Python's cyclic garbage collector only on the UI thread.

The collector normally runs in whichever thread allocates. The threads that read from the service
allocate much, and freeing a Qt object in one of them crashes the process. So automatic collection
is off and a timer on the UI thread collects instead.
"""

from __future__ import annotations

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer

EVERY_MS: Final = 500


class GarbageCollector(QObject):
    """Runs the garbage collector on a timer until `stop`. Create and stop it on the UI thread."""

    def __init__(self) -> None:
        super().__init__()
        self._was_on = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Run Python's garbage collector for each of its generations that has exceeded its
        threshold.
        """
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
        """Stop the timer and hand garbage collection back to Python."""
        self._timer.stop()
        if self._was_on:
            gc.enable()
