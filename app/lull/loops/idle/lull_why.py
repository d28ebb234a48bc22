"""Explains, for the command `lull why`, whether background work may run now, and why each work item
does not run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from lull.core.idle.forecast import Forecast
from lull.core.idle.policy import IdleWindow
from lull.core.idle.scheduling import LullWork
from lull.core.text.coded_text import TextDuration, coded, coded_text
from lull.loops.idle.lull_runner import Runner

_GOES_ON: Final = coded_text("work-goes-on", "It continues in a moment.")


class WorkView(NamedTuple):
    """A waiting item of background work, as the command `lull why` shows it."""

    kind: str
    text: str
    progress: float
    left_s: float
    why_not: str = ""
    """Why this work does not run, in a sentence.

    Empty for the running item, and while no work may run at all.
    """

    def as_dict(self) -> dict[str, object]:
        """Return the work item as JSON values, its texts also as codes that can be translated."""
        return {**self._asdict(), **coded(self.text), **coded(self.why_not, "why_not_")}


class LullWhy(NamedTuple):
    """The answer to the command `lull why`: whether background work may run now and why, and the
    work items that wait.
    """

    window: IdleWindow
    work: tuple[WorkView, ...]
    """The work items to do; one that has begun comes first."""

    def as_dict(self) -> dict[str, object]:
        """Return the answer as JSON values, as the control API sends it."""
        return {**self.window.as_dict(), "work": [one.as_dict() for one in self.work]}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkChoice:
    """Explains why a waiting item of background work does not run yet: for example because other
    work is in progress, too little idle time is likely left, or the item failed recently.
    """

    runner: Runner
    left: Forecast
    """Forecast of how many more seconds the user stays away."""
    about_to: bool
    """Whether work is about to begin, as soon as the user's absence is confirmed."""
    watched: bool
    """Whether the task that watches for lulls is running."""

    def view(self, work: LullWork, *, is_open: bool) -> WorkView:
        """Return a background work item as `lull why` shows it, with the reason why it does not
        run; no reason while no work may run at all (`is_open` False).
        """
        why_not = self._why_not(work) if is_open else ""
        return WorkView(work.kind.value, work.text, work.progress, work.left_s, why_not)

    def _why_not(self, work: LullWork) -> str:
        begun = self.runner.work
        if begun is not None and begun.id == work.id:
            return "" if self.runner.running else _GOES_ON
        if not self.watched:
            return coded_text("watch-starts", "Lull is starting to watch for idle times.")
        rests_s = self.runner.retry_wait_s(work)
        if rests_s > 0.0:
            words = "It failed a short while ago, and is tried again in %1."
            return coded_text("work-failed", words, TextDuration(rests_s))
        if self.runner.stuck:
            return coded_text("work-stuck", "A task that was asked to stop has not stopped yet.")
        if work.left_s <= 0.0:
            return coded_text("work-done", "There is nothing left to do here.")
        if begun is not None:
            return coded_text("work-after", "It comes after the current task.")
        if work.needs_s > max(self.left.low_s, self.left.median_s):
            words = "It needs at least %1, and this idle time will probably last only %2 more."
            likely = TextDuration(self.left.median_s)
            return coded_text("work-too-long", words, TextDuration(work.needs_s), likely)
        if self.about_to:
            return coded_text("work-one-look", "Checking once more whether you are really away.")
        return coded_text("work-begins", "It begins in a moment.")
