"""Runs `lull` and writes down each file of the package when the process first enters it.

    python -m tests.e2e.walks.traced FILE DOOR,… serve …

FILE gets a line for each: its path below `lull/`, without the ending. SIGUSR1 begins the file anew.
Behind it stand those of the files DOOR by which it was called. A line `FILE < FILE` says that the
second called the first, once or often, and `FILE ~ FILE` that it did so through a library.
"""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import lull

PACKAGE = str(Path(lull.__file__).parent) + "/"


def trace_to(file: Path, doors: frozenset[str]) -> None:
    seen: set[str] = set()
    told: set[tuple[str, str, str]] = set()
    lines = file.open("w", encoding="utf-8", buffering=1)

    def enters(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        file = code.co_filename
        if event != "call" or not file.startswith(PACKAGE) or code.co_name == "<module>":
            return
        if file not in seen:
            seen.add(file)
            lines.write(" ".join([name(frame), *sorted(callers(frame) & doors)]) + "\n")
        above, how = frame.f_back, "<"
        while above is not None and not above.f_code.co_filename.startswith(PACKAGE):
            above, how = above.f_back, "~"
        if above is None or (pair := (file, how, above.f_code.co_filename)) in told:
            return
        told.add(pair)
        if pair[0] != pair[2] and above.f_code.co_name != "<module>":
            lines.write(f"{name(frame)} {how} {name(above)}\n")

    def anew(*_: Any) -> None:
        lines.truncate(0)
        lines.seek(0)
        seen.clear()
        told.clear()

    signal.signal(signal.SIGUSR1, anew)
    threading.setprofile(enters)
    sys.setprofile(enters)


def name(frame: FrameType) -> str:
    return frame.f_code.co_filename.removeprefix(PACKAGE).removesuffix(".py")


def callers(frame: FrameType) -> set[str]:
    found: set[str] = set()
    above = frame.f_back
    while above is not None:
        found.add(name(above))
        above = above.f_back
    return found


if __name__ == "__main__":
    trace_to(Path(sys.argv.pop(1)), frozenset(sys.argv.pop(1).split(",")))
    from lull.cli.main import entry

    entry()
