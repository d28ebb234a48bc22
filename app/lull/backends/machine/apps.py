"""Detects whether a program is running for which the user reserved the machine, such as a game.

Names are compared without case and without the program file's extension. The answer is the name as
the user wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath

import psutil

from lull.core.idle.signals import Known, Reading

_ENDINGS = (".exe", ".app", ".appimage")


def plain_name(name: str | None) -> str:
    """Normalize the name of a program's file for comparison, in lower case and without its
    extension.
    """
    text = (name or "").strip().casefold()
    for ending in _ENDINGS:
        text = text.removesuffix(ending)
    return text


class ExclusiveApps:
    """Signal for idle detection: the name of a running program for which the user reserved the
    machine, such as a game; "" if none runs. Implements `SignalSource`.
    """

    name = "the list of programs"

    def __init__(self, wanted: Callable[[], Sequence[str]]) -> None:
        """Create the signal for idle detection; `wanted` returns the program names to look for.

        It is called at every read, in the polling thread.
        """
        self._wanted = wanted

    def read(self) -> Reading[str]:
        wanted = self._wanted()
        running = _running() if wanted else set()
        return Known(next((name for name in wanted if plain_name(name) in running), ""))

    def close(self) -> None: ...


def _running() -> set[str]:
    """Return the names of all processes and of their program files.

    They may differ: on Linux a process can rename itself; on macOS the file has the name inside the
    bundle.
    """
    found = set()
    # Without attributes, because psutil would cache them on objects shared between threads.
    for process in psutil.process_iter():
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                continue  # ended, but not reaped yet
            found.add(plain_name(process.name()))
            found.add(plain_name(PurePath(process.exe()).name))
        except psutil.Error:
            continue  # ended, or another user's: its name was already added
    return found - {""}
