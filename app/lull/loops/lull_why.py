"""What `lull why` shows: the window, and each piece of work with the reason why it does not run.

Decides the words about work only; why the window is open or closed says `core/idle.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lull.core import spans
from lull.core.idle import Window
from lull.core.lull_length import Forecast
from lull.core.lull_work import LullWork
from lull.loops.lull_runner import Runner


class WorkView(NamedTuple):
    kind: str
    text: str
    progress: float
    left_s: float
    why_not: str = ""
    """A sentence; empty for the piece that runs, and in a window that is not open."""


class Why(NamedTuple):
    window: Window
    work: tuple[WorkView, ...]
    """The piece that was begun first."""

    def as_dict(self) -> dict[str, object]:
        return {**self.window.as_dict(), "work": [one._asdict() for one in self.work]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the choice of work rests on."""

    runner: Runner
    left: Forecast
    """Of this lull."""
    about_to: bool
    watched: bool

    def view(self, work: LullWork, *, is_open: bool) -> WorkView:
        why_not = self._why_not(work) if is_open else ""
        return WorkView(work.kind.value, work.text, work.progress, work.left_s, why_not)

    def _why_not(self, work: LullWork) -> str:
        begun = self.runner.work
        if begun is not None and begun.id == work.id:
            return "" if self.runner.running else "It goes on in a moment."
        if not self.watched:
            return "The watch over lulls is being started."
        rests_s = self.runner.rests_s(work)
        if rests_s > 0.0:
            return f"It failed a short while ago, and is tried again in {spans.length(rests_s)}."
        if self.runner.stuck:
            return "A piece that was told to end has not ended yet."
        if work.left_s <= 0.0:
            return "Nothing of it is left to do."
        if begun is not None:
            return "It comes after what runs now."
        if work.needs_s > max(self.left.low_s, self.left.median_s):
            likely = spans.length(self.left.median_s)
            needs = spans.length(work.needs_s)
            return f"It needs {needs} at least, and this lull is likely to last {likely} yet."
        if self.about_to:
            return "One more look whether you are really away."
        return "It begins in a moment."
