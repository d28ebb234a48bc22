"""What the trainer says: on standard output, and in `events.jsonl` as if it had never been killed.

A step's event is written after its checkpoint. Where a kill came between the two the checkpoint
knows the line; where it came within a line, the half is cut off.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from lull.core.run_format import EVENTS
from lull.core.training_events import RunEvent, Stepped, event_line, parse_event


class Journal:
    def __init__(self, folder: Path, *, out: TextIO = sys.stdout) -> None:
        self._file = folder / EVENTS
        self._out = out

    def mend(self, done: int, line: str) -> None:
        """`done` steps have checkpoints; `line` is the last one's event."""
        text = self._file.read_text("utf-8") if self._file.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        known = any(
            isinstance(event, Stepped) and event.step == done
            for event in map(parse_event, whole.splitlines())
        )
        self._file.write_text(whole if known or not line else f"{whole}{line}\n", "utf-8")

    def say(self, event: RunEvent) -> None:
        with self._file.open("ab") as file:
            torn = file.tell() > 0 and self._file.read_bytes()[-1:] != b"\n"
            file.write(f"{chr(10) if torn else ''}{event_line(event)}\n".encode())
        self.tell(event)

    def tell(self, event: RunEvent) -> None:
        """Only on standard output."""
        print(event_line(event), file=self._out, flush=True)
