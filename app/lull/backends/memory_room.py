"""How much memory is free, and whether programs wait for it.

Reports only; what is too little is `core/idle.py`'s. Source of the pressure: the kernel's
Documentation/accounting/psi.rst. Nothing else tells it as a share of time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import psutil

from lull.core.idle_signals import Known, Reading, Unknown

_SOME = re.compile(r"^some .*?\bavg10=(\d+(?:\.\d+)?)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    free_share: float
    """Of all memory that could be had without swapping, 0 to 1."""
    pressure: float | Unknown
    """Share of the last ten seconds in which something waited for memory, 0 to 1."""


class MemoryRoom:
    """Implements Source."""

    name = "the memory"

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._file = proc / "pressure" / "memory"

    def read(self) -> Reading[Room]:
        memory = psutil.virtual_memory()
        if memory.total <= 0:
            return Unknown("the system does not say how much memory there is")
        return Known(Room(free_share=memory.available / memory.total, pressure=self._pressure()))

    def _pressure(self) -> float | Unknown:
        try:
            found = _SOME.search(self._file.read_text("ascii", "replace"))
        except OSError:
            # Kernels built or started without it, and other systems.
            return Unknown("this system does not tell how long programs wait for memory")
        if found is None:
            return Unknown(f"{self._file} is not as expected")
        return min(1.0, float(found[1]) / 100)

    def close(self) -> None: ...
