"""Runs `lull` and writes down each file of the package when the process first enters it.

    python -m tests.e2e.walks.traced FILE LEG;LEG;… serve …

A leg is a part of a walk: files, with commas between, of which the first one calls the others. FILE
gets a line for each file: its path below `lull/`, without the ending. SIGUSR1 begins FILE anew.
Behind a file stand those of the legs by which it was called. A line `FILE < FILE` says that the
second called the first, once or often, and `FILE ~ FILE` that it did so through a library. A line
`FILE @ CALLER:FUNCTION …` says out of which functions of the legs' files it was entered, the
innermost first: when it was entered first, and first on behalf of the first file of its leg.
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


def trace_to(file: Path, legs: list[list[str]]) -> None:
    doors = frozenset(one for leg in legs for one in leg)
    seen: set[str] = set()
    told: set[tuple[str, str, str]] = set()
    unseen_by: dict[str, set[str]] = {}
    """By file: the first files of its legs on whose behalf it was not entered yet."""
    lines = file.open("w", encoding="utf-8", buffering=1)

    def enters(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        file = code.co_filename
        if event != "call" or not file.startswith(PACKAGE) or code.co_name == "<module>":
            return
        if file not in seen or unseen_by.get(file):
            first = file not in seen
            seen.add(file)
            above_it = stack(frame, doors)
            called_by = {one for one, _ in above_it}
            if first:
                lines.write(" ".join([name(frame), *sorted(called_by)]) + "\n")
                unseen_by[file] = {leg[0] for leg in legs if name(frame) in leg[1:]}
            if first or called_by & unseen_by[file]:
                functions = [":".join(one) for one in above_it]
                lines.write(" ".join([name(frame), "@", *functions]) + "\n")
                unseen_by[file] -= called_by
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
        unseen_by.clear()

    signal.signal(signal.SIGUSR1, anew)
    threading.setprofile(enters)
    sys.setprofile(enters)


def name(frame: FrameType) -> str:
    return frame.f_code.co_filename.removeprefix(PACKAGE).removesuffix(".py")


def stack(frame: FrameType, doors: frozenset[str]) -> list[tuple[str, str]]:
    """Return the functions of these files that called this one, with their files, the innermost
    first. One that stands within another is read with it, and counts as that one.
    """
    found = []
    above = frame.f_back
    while above is not None:
        if (file := name(above)) in doors:
            found.append((file, above.f_code.co_qualname.partition(".<locals>")[0]))
        above = above.f_back
    return found


if __name__ == "__main__":
    trace_to(Path(sys.argv.pop(1)), [leg.split(",") for leg in sys.argv.pop(1).split(";")])
    from lull.cli.main import entry

    entry()
