"""Gives memory that this process has freed back to the system (Linux with the GNU C library).

The C library keeps what was freed, in a heap per thread: some twenty threads that have each handled
one long request would hold tens of megabytes for as long as the service runs, and ordinary requests
leave holes in the heaps, some hundred kilobytes in an hour. What lies free at the end of another
thread's heap it does not give back when asked to, up to 64 MB of it. Elsewhere the C library is
left alone.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
from collections.abc import Callable
from typing import Final

_M_ARENA_MAX: Final = -8
"""Number of the C library's setting "most heaps", from malloc.h."""
_M_TRIM_THRESHOLD: Final = -1
"""Number of the setting "most free bytes at a heap's end"."""
_M_MMAP_THRESHOLD: Final = -3
"""Number of the setting "bytes above which a block is no part of a heap"."""
HEAPS: Final = 2
LARGE_BYTES: Final = 1 << 20
"""Size of a block of memory from which it goes back to the system once it is freed."""
FREE_END_BYTES: Final = 4 << 20
"""Most free bytes that stay at the end of a heap."""
GIVE_BACK_EVERY_S: Final = 60.0
"""Seconds between two times at which freed memory is given back to the system."""
QUIET_S: Final = 10.0
"""Seconds without a chat before freed memory is given back, which would delay a chat by some
milliseconds.
"""


def share_few_heaps() -> None:
    """Let all threads of this process share a few heaps, so that what one freed another can use.
    Counts for heaps that are not there yet, so it comes first in a process.
    """
    if (library := _c_library()) is not None and hasattr(library, "mallopt"):
        library.mallopt(_M_ARENA_MAX, HEAPS)


def give_back_large_blocks() -> None:
    """Let memory that this process frees go back to the system at once where it is a large block or
    much of a heap's end. Else the C library keeps up to 64 MB more after each large block.
    """
    if (library := _c_library()) is not None and hasattr(library, "mallopt"):
        library.mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
        library.mallopt(_M_TRIM_THRESHOLD, FREE_END_BYTES)


def give_back_freed_memory() -> None:
    """Return the unused memory in this process's heaps to the system. Takes some milliseconds, in
    which other threads run.
    """
    if (library := _c_library()) is not None and hasattr(library, "malloc_trim"):
        library.malloc_trim(0)


async def give_back_when_quiet(
    quiet_s: Callable[[], float],
    give_back: Callable[[], None] = give_back_freed_memory,
    *,
    every_s: float = GIVE_BACK_EVERY_S,
    after_s: float = QUIET_S,
) -> None:
    """Background job: give freed memory back to the system every minute, not while a chat runs or
    shortly after; `quiet_s` returns how many seconds ago the last one ended.

    It never collects garbage, which would hold up a chat that begins meanwhile.
    """
    wait_s = every_s
    while True:
        await asyncio.sleep(wait_s)
        wait_s = after_s - quiet_s()
        if wait_s > 0:
            continue
        await asyncio.to_thread(give_back)
        wait_s = every_s


def _c_library() -> ctypes.CDLL | None:
    """Return the C library of this process; None where it is another system's."""
    return ctypes.CDLL(None) if sys.platform == "linux" else None
