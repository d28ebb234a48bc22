"""Whether one of the programs runs during which the user wants quiet.

Compared are names as a person writes them: without case, and without the ending of a program's
file. The answer is the name that the user wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath

import psutil

from lull.core.idle_signals import Known, Reading

_ENDINGS = (".exe", ".app", ".appimage")


def plain_name(name: str | None) -> str:
    text = (name or "").strip().casefold()
    for ending in _ENDINGS:
        text = text.removesuffix(ending)
    return text


class ExclusiveApps:
    """Implements Source: the first of `wanted` that runs, "" for none."""

    name = "the list of programs"

    def __init__(self, wanted: Callable[[], Sequence[str]]) -> None:
        """`wanted` is asked each time, from the source's thread: settings change."""
        self._wanted = wanted

    def read(self) -> Reading[str]:
        wanted = self._wanted()
        running = _running() if wanted else set()
        return Known(next((name for name in wanted if plain_name(name) in running), ""))

    def close(self) -> None: ...


def _running() -> set[str]:
    """Names of all processes, and of their program files, which may differ: on Linux a process may
    call itself anything, on a Mac the file has the name within the bundle."""
    found = set()
    # Without attributes: psutil would keep those at objects that other threads read too.
    for process in psutil.process_iter():
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                continue  # it is over; its parent has not looked yet
            found.add(plain_name(process.name()))
            found.add(plain_name(PurePath(process.exe()).name))
        except psutil.Error:
            continue  # ended meanwhile, or somebody else's: its name, asked for first, is known
    return found - {""}
