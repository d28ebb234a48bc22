"""Counts the processor minutes of a training that may take several sittings."""

from __future__ import annotations

import time
from pathlib import Path


class Spent:
    """Counts the processor minutes of all processes over all sittings in a work folder."""

    def __init__(self, work: Path, *, processes: int = 1) -> None:
        self._processes = processes
        self._file = work / "cpu_s.txt"
        self._began_s = time.process_time()
        self._before_s = float(self._file.read_text()) if self._file.exists() else 0.0

    def minutes(self) -> float:
        return (self._before_s + (time.process_time() - self._began_s) * self._processes) / 60

    def save(self) -> None:
        self._file.write_text(str(self.minutes() * 60))
