"""Has Linux end a child process before the service when the machine runs out of memory.

The kernel kills the process that takes the most. After a long request that is easily the service,
whose end cuts every answer off; a child is replaced. macOS and Windows have no such setting.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final

SOONER: Final = 300
"""The share of all memory, in thousandths, that a child process counts as taking beyond its own."""
_MOST: Final = 1000


def die_first(pid: int | None = None) -> None:
    """Have the system end a child of the service before the service when there is no memory left:
    the process with this id, or else this process.
    """
    file = Path("/proc", "self" if pid is None else str(pid), "oom_score_adj")
    with contextlib.suppress(OSError, ValueError):
        file.write_text(str(min(int(file.read_text()) + SOONER, _MOST)))
