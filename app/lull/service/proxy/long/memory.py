"""Limits the memory that this process may allocate while it does a piece of work (on Linux)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import resource


@contextmanager
def memory_within(more: int) -> Iterator[None]:
    """Context manager in which this process may allocate at most `more` bytes of memory beyond what
    it has now; an allocation above that raises MemoryError.

    Only Linux can do that; on other systems there is no limit. All threads share the limit.
    """
    pages = _pages()
    if sys.platform != "linux" or not pages:
        yield
        return
    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    bound = pages * resource.getpagesize() + more
    known = [one for one in (bound, before, most) if one != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(known), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, most))


def _pages() -> int:
    """Return how many pages of data this process has; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[5])
    except (OSError, ValueError, IndexError):
        return 0
