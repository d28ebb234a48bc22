"""Writes the trainer's events to standard output and to the run folder's `events.jsonl`, and
repairs that file after an interruption.

A step's event is written after its checkpoint. If the process was killed between the two, the line
is restored from the checkpoint; a half-written line is cut off.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from lull.core.training.events import RunEvent, StepDone, event_line, parse_event
from lull.core.training.run_format import EVENTS


class RunJournal:
    """Writes the events of one training run to its event log (`events.jsonl`) and to standard
    output.
    """

    def __init__(self, folder: Path, *, out: TextIO = sys.stdout) -> None:
        self._file = folder / EVENTS
        self._out = out

    def repair(self, done: int, line: str) -> None:
        """Repair the event log (`events.jsonl`) of a training run after an interruption: cut off a
        half-written line, and add the last step's line if it is missing.

        `done` is the number of steps with a checkpoint; `line` is the event line of the last of
        them.
        """
        text = self._file.read_text("utf-8") if self._file.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        known = any(
            isinstance(event, StepDone) and event.step == done
            for event in map(parse_event, whole.splitlines())
        )
        self._file.write_text(whole if known or not line else f"{whole}{line}\n", "utf-8")

    def record(self, event: RunEvent) -> None:
        """Append a training event to the event log, and print it to standard output."""
        with self._file.open("ab") as file:
            torn = file.tell() > 0 and self._file.read_bytes()[-1:] != b"\n"
            file.write(f"{chr(10) if torn else ''}{event_line(event)}\n".encode())
        self.print_only(event)

    def print_only(self, event: RunEvent) -> None:
        """Print a training event to standard output, without writing it to the event log."""
        print(event_line(event), file=self._out, flush=True)
