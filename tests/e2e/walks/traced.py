"""Runs `lull` and writes down each file of the package when the process first enters it.

    python -m tests.e2e.walks.traced FILE serve …

FILE gets a line for each: its path below `lull/`, without the ending. SIGUSR1 begins the file anew.
Behind a file that serving a request has called stands a second word, "request".
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
DOOR = PACKAGE + "service/proxy/data_plane.py"
"""The file that every request comes in by."""


def trace_to(file: Path) -> None:
    seen: set[str] = set()
    lines = file.open("w", encoding="utf-8", buffering=1)

    def enters(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_filename in seen or code.co_name == "<module>":
            return
        seen.add(code.co_filename)
        if code.co_filename.startswith(PACKAGE):
            called = " request" if is_called_by(frame, DOOR) else ""
            lines.write(code.co_filename.removeprefix(PACKAGE).removesuffix(".py") + called + "\n")

    def anew(*_: Any) -> None:
        lines.truncate(0)
        lines.seek(0)
        seen.clear()

    signal.signal(signal.SIGUSR1, anew)
    threading.setprofile(enters)
    sys.setprofile(enters)


def is_called_by(frame: FrameType, file: str) -> bool:
    above: FrameType | None = frame
    while above is not None and above.f_code.co_filename != file:
        above = above.f_back
    return above is not None


if __name__ == "__main__":
    trace_to(Path(sys.argv.pop(1)))
    from lull.cli.main import entry

    entry()
