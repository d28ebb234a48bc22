"""Gives memory that this process has freed back to the system (Linux with the GNU C library).

The C library keeps what was freed, in a heap per thread: some twenty threads that have each handled
one long request would hold tens of megabytes for as long as the service runs. Elsewhere these
functions do nothing.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

_M_ARENA_MAX: Final = -8
"""Number of the C library's setting "most heaps", from malloc.h."""
HEAPS: Final = 2


def share_few_heaps() -> None:
    """Let all threads of this process share a few heaps, so that what one freed another can use.
    Counts for heaps that are not there yet, so it comes first in a process.
    """
    if (library := _c_library()) is not None and hasattr(library, "mallopt"):
        library.mallopt(_M_ARENA_MAX, HEAPS)


def give_back_freed_memory() -> None:
    """Return the unused memory in this process's heaps to the system. Takes some milliseconds, in
    which other threads run.
    """
    if (library := _c_library()) is not None and hasattr(library, "malloc_trim"):
        library.malloc_trim(0)


def _c_library() -> ctypes.CDLL | None:
    """Return the C library of this process; None where it is another system's."""
    return ctypes.CDLL(None) if sys.platform == "linux" else None
