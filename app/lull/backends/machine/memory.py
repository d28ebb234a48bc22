"""Measures free memory, and how long programs wait for memory (memory pressure).

Source of the pressure: the kernel's Documentation/accounting/psi.rst, the only source that gives it
as a share of time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import psutil

from lull.core.idle.signals import Known, Reading, Unknown

_SOME_AVG10 = re.compile(r"^some .*?\bavg10=(\d+(?:\.\d+)?)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeMemory:
    """Free memory and memory pressure, measured at one moment."""

    free_share: float
    """Share of all memory that is available without swapping, 0 to 1."""
    pressure: float | Unknown
    """Share of the last ten seconds in which a task waited for memory, 0 to 1."""


class MemorySignal:
    """Signal for idle detection: free memory and memory pressure; implements `SignalSource`."""

    name = "the memory"

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._file = proc / "pressure" / "memory"

    def read(self) -> Reading[FreeMemory]:
        memory = psutil.virtual_memory()
        if memory.total <= 0:
            return Unknown("the system does not say how much memory there is")
        return Known(
            FreeMemory(free_share=memory.available / memory.total, pressure=self._pressure())
        )

    def _pressure(self) -> float | Unknown:
        try:
            found = _SOME_AVG10.search(self._file.read_text("ascii", "replace"))
        except OSError:
            # Kernels without PSI, and other systems.
            return Unknown("this system does not tell how long programs wait for memory")
        if found is None:
            return Unknown(f"{self._file} is not as expected")
        return min(1.0, float(found[1]) / 100)

    def close(self) -> None: ...
