"""Watches the idle signals (user input, chats, heat, battery), and lets background work run only
while the user is away.

Every 15 seconds, and ten times a second while work runs, it reads the signals and asks the idle
policy whether work may run (whether an idle window is open). Then the best work for the time that
is likely left runs for a unit of half a minute, after which the choice is made again. When the
window closes, work is suspended before anything else, and its memory is freed if the user stays or
memory is short. There is never more than one unit at once. A restart relies only on the store;
sleep and clock changes are detected between two readings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Final

from lull.core.idle.forecast import Forecast
from lull.core.idle.pausing import PauseLength
from lull.core.idle.policy import IdleWindow, WindowState
from lull.core.idle.ports import OffersWork
from lull.core.idle.rule import ConditionName
from lull.core.idle.scheduling import LONGEST_UNIT_S, LullWork, choose_work
from lull.core.idle.signals import IdleSignals
from lull.core.ports import Clock, Ids, ProblemReporter
from lull.core.text.coded_text import coded_text, sentence
from lull.loops.idle.decide_idle import DecideIdle
from lull.loops.idle.lull_journal import LullJournal
from lull.loops.idle.lull_pace import LullPace
from lull.loops.idle.lull_runner import Runner, RunnerRule
from lull.loops.idle.lull_why import LullWhy, WorkChoice
from lull.store.idle.windows import Windows

_BEFORE_S: Final = 1.0
"""Seconds before a known end of the window at which the last unit of work ends."""
_ENDLESS: Final = Forecast(low_s=float("inf"), median_s=float("inf"), high_s=float("inf"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRule:
    """The time intervals used when watching whether the user is away."""

    tick_s: float = 15.0
    """Seconds between readings of the idle signals while no work runs."""
    working_tick_s: float = 0.1
    """Seconds between readings of the idle signals while work runs or is about to."""
    standing_tick_s: float = 1.0
    """Seconds between readings of the idle signals while suspended work keeps its memory."""
    fresh_s: float = 0.3
    """Seconds of frequent readings of the idle signals before work begins.

    Infrequent readings may be half a minute old, and the user may have come back.
    """
    unit_s: float = LONGEST_UNIT_S
    """Length of a unit of background work in seconds."""
    give_back_after_s: float = 30.0
    """Seconds after which suspended work is ended to free its memory, because the user stays."""
    guess_s: float = LONGEST_UNIT_S
    """Seconds for which a forecast of the lull's length is used.

    Each unit of work gets a new one.
    """
    asked_s: float = 60.0
    """Seconds for which the user's command to train now waits for work to become available."""
    journal_every_s: float = 60.0
    """Seconds between writes of an open window's record; a crash loses at most this much."""
    runner: RunnerRule = RunnerRule()  # noqa: RUF009  frozen


class WatchIdle:
    """Reads the idle signals (input, chats, heat, battery), decides whether background work may
    run, and starts and stops it.
    """

    def __init__(
        self,
        *,
        deciding: DecideIdle,
        queue: OffersWork,
        windows: Windows,
        clock: Clock,
        ids: Ids,
        tell: Callable[[IdleWindow], None],
        problems: ProblemReporter,
        pace: LullPace | None = None,
        rule: WatchRule | None = None,
    ) -> None:
        """Reads the stored journal of idle windows. The callback `tell` is called whenever the
        decision whether work may run changes.

        `problems` shows the user the error of work that failed, until it works again.
        """
        self._deciding = deciding
        self._queue = queue
        self._windows = windows
        self._clock = clock
        self._tell = tell
        self._pace = pace or LullPace()
        self._rule = rule or WatchRule()
        self._runner = Runner(
            clock=clock, ended=self._pace.nudge, problems=problems, rule=self._rule.runner
        )
        self._journal = LullJournal.load(
            windows, ids, clock.now(), every_s=self._rule.journal_every_s
        )
        self._looking = asyncio.Lock()
        self._signals: IdleSignals | None = None
        self._window: IdleWindow | None = None
        self._expected_s = 0.0
        self._asked_until_s: float | None = None
        self._guess: tuple[float, Forecast] | None = None
        self._hurried_s: float | None = None
        """Monotonic time since when the source observes closely; None when it does not."""
        self._about_to = False
        """Whether work is about to begin, as soon as the user's absence is confirmed."""
        self._away = False
        """Whether the watch over lulls has stopped; then no work may begin."""

    @property
    def window(self) -> IdleWindow | None:
        """The decision whether background work may run, and why, by the last reading of the idle
        signals (such as user input).

        None before the first.
        """
        return self._window

    @property
    def short_of_memory(self) -> bool:
        """Whether the last reading of the machine's state found too little free memory; False
        before the first reading.
        """
        return self._window is not None and self._window.short_of_memory

    @property
    def allows_a_question(self) -> bool:
        """Whether, by the last reading of the idle signals, Lull may now ask models to judge
        answers or to write skills; False before the first reading.
        """
        return self._window is not None and self._window.allows_a_question

    @property
    def watching(self) -> bool:
        """Whether the task that watches for idle times still works: True also before it begins,
        False after it has stopped.
        """
        return not self._away

    @property
    def windows(self) -> Windows:
        """The table of past idle windows (times when Lull was allowed to work in the
        background).
        """
        return self._windows

    # The user's commands

    async def why(self) -> LullWhy:
        """Read the idle signals now and explain whether background work may run."""
        window = await self.check_now()
        begun = self._runner.work
        others = [work for work in self._queue.works() if begun is None or work.id != begun.id]
        listed = others if begun is None else [begun, *others]
        choice = self._choice(window)
        return LullWhy(window, tuple(choice.view(work, is_open=window.open) for work in listed))

    async def look_again(self) -> None:
        """Read anew when the user's last input was, before somebody is told."""
        await self._deciding.look_again()

    def _choice(self, window: IdleWindow) -> WorkChoice:
        left = _ENDLESS if self._signals is None else self._left(window, self._signals)
        about_to = self._about_to and self.watching
        return WorkChoice(runner=self._runner, left=left, about_to=about_to, watched=self.watching)

    async def pause(self, length: PauseLength | timedelta) -> LullWhy:
        """Pause Lull's background work for a while; this also ends the user's command to train
        now.
        """
        self._deciding.pause(length)
        self._asked_until_s = None
        why = await self.why()
        await self._deciding.keep_pause()
        return why

    async def resume(self) -> LullWhy:
        """End the user's pause of Lull's background work."""
        self._deciding.resume()
        why = await self.why()
        await self._deciding.keep_pause()
        return why

    async def train_now(self) -> LullWhy:
        """Run background work now, on the user's command, until no work is left. Whether the user
        is present, allowed hours, calendars and pauses are ignored; heat, battery and memory are
        not.

        Work that failed is tried again at once.
        """
        self._runner.allow_retries()
        self._asked_until_s = self._clock.monotonic_s() + self._rule.asked_s
        return await self.why()

    def nudge(self) -> None:
        """Check at once whether background work may run, because a chat, the settings or a calendar
        changed.
        """
        self._pace.nudge()

    # The watch

    async def run(self) -> None:
        """Watch whether the user is away, and run background work then, until cancelled. Then stop
        the work and complete the record of the times in which it ran.

        After an error it may be called again; it then starts without any earlier reading.
        """
        self._away = False
        try:
            while True:
                await self.check_now()
                self._expected_s = await self._pace.wait(self._tick_s(), self._steady_s)
        finally:
            await self._leave()

    async def check_now(self) -> IdleWindow:
        """Read the idle signals, decide whether background work may run, and start or stop it.

        Calls run one at a time.
        """
        async with self._looking:
            await self._runner.collect()
            expected_s = float("inf") if self._away else self._expected_s
            signals = self._deciding.read(self._signals, expected_s=expected_s)
            window = self._deciding.decide(signals, self._window, train_now=self._asked())
            if not window.open:
                # Before anything else: the user needs the machine.
                await self._stop(window)
            used_s, done = self._runner.used_s, self._runner.done(self._queue.works())
            self._journal.follow(window, signals, used_s=used_s, done=done)
            self._take_note(window, signals)
            self._about_to = False
            if window.open and (ready := await self._to_choose_from()) is not None:
                left = self._left(window, signals)
                work = choose_work(ready, left)
                if work is not None and self._sure():
                    unit_s = min(self._rule.unit_s, left.high_s)
                    self._runner.begin(work, until_s=signals.monotonic_s + unit_s)
            return self._now_in_force(window)

    def _asked(self) -> bool:
        if self._asked_until_s is None:
            return False
        now_s = self._clock.monotonic_s()
        if self._runner.work is not None or any(work.left_s > 0.0 for work in self._ready()):
            self._asked_until_s = now_s + self._rule.asked_s
        if now_s >= self._asked_until_s:
            self._asked_until_s = None
        return self._asked_until_s is not None

    def _take_note(self, window: IdleWindow, signals: IdleSignals) -> None:
        last = self._signals
        if signals.asleep_gap_s and not (last is not None and last.asleep_gap_s):
            self._deciding.on_wake()
        if window.open and not (self._window is not None and self._window.open):
            self._runner.reset_done()
            self._guess = None
        self._signals = signals

    def _now_in_force(self, window: IdleWindow) -> IdleWindow:
        work = self._runner.work
        if work is not None and self._runner.running:
            doing, because = sentence(work.text), sentence(window.because)
            window = window.working(coded_text("working-on", "%1. %2", doing, because))
        self._hurry(self._runner.running or self._about_to)
        before, self._window = self._window, window
        if before is None or (before.state, before.closed_by) != (window.state, window.closed_by):
            self._tell(window)
        return window

    def _hurry(self, on: bool) -> None:
        if on is not (self._hurried_s is not None):
            self._hurried_s = self._clock.monotonic_s() if on else None
            self._deciding.set_fast_polling(on)

    # Stopping

    async def _stop(self, window: IdleWindow) -> None:
        await self._runner.suspend()
        stood_s = self._runner.suspended_s
        if stood_s is None:
            return
        at_once = window.state is not WindowState.CLOSED or any(
            condition.forbids_work and condition.name is ConditionName.MEMORY
            for condition in window.conditions
        )
        if at_once or stood_s >= self._rule.give_back_after_s:
            await self._runner.give_back()

    async def _leave(self) -> None:
        self._away = True
        try:
            await self._runner.give_back()
            used_s, done = self._runner.used_s, self._runner.done(self._queue.works())
            self._journal.stopped(self._clock.now(), used_s=used_s, done=done)
        finally:
            self._about_to = False
            self._hurry(False)
            self._window = self._signals = self._guess = None

    # Working

    async def _to_choose_from(self) -> list[LullWork] | None:
        """Return the work that may be begun; None while other work stands or goes on, which is
        resumed if it still waits.
        """
        if self._away or self._runner.running or self._runner.stuck:
            return None
        ready, begun = self._ready(), self._runner.work
        if begun is not None:
            if any(work.id == begun.id for work in ready):
                if self._sure():
                    await self._runner.resume()
                return None
            await self._runner.give_back()  # the work is no longer in the queue
        return ready

    def _sure(self) -> bool:
        """Whether close observation for a moment has confirmed that the user is away."""
        now_s = self._clock.monotonic_s()
        since_s = self._hurried_s
        looked = since_s is not None and now_s - since_s >= self._rule.fresh_s
        sure = looked or self._asked()
        self._about_to = not sure
        return sure

    def _ready(self) -> list[LullWork]:
        return [work for work in self._queue.works() if not self._runner.retry_wait_s(work)]

    def _left(self, window: IdleWindow, signals: IdleSignals) -> Forecast:
        """Forecast the rest of this lull, at most up to the window's known end."""
        if self._asked():
            return _ENDLESS
        now_s = signals.monotonic_s
        if self._guess is None or now_s - self._guess[0] >= self._rule.guess_s:
            self._guess = (now_s, self._deciding.forecast(window, signals, self._journal.past))
        if window.until is None:
            return self._guess[1]
        end_s = (window.until.astimezone(UTC) - signals.now.astimezone(UTC)).total_seconds()
        return self._guess[1].at_most(max(0.0, end_s - _BEFORE_S))

    # Resting

    def _tick_s(self) -> float:
        if self._runner.running or self._about_to:
            return self._rule.working_tick_s
        if self._runner.work is not None:
            return self._rule.standing_tick_s
        return min(self._rule.tick_s, self._wait_left_s())

    def _wait_left_s(self) -> float:
        """Seconds left of the wait without activity, if nothing else keeps work from beginning, so
        that the next reading is at its end; infinite otherwise.
        """
        window, signals = self._window, self._signals
        if window is None or signals is None or window.closed_by is not ConditionName.WAIT:
            return float("inf")
        end = next((g.until for g in window.conditions if g.name is ConditionName.WAIT), None)
        if end is None:
            return float("inf")
        left_s = (end.astimezone(UTC) - signals.now.astimezone(UTC)).total_seconds()
        return max(left_s, self._rule.working_tick_s)

    def _steady_s(self) -> float:
        if self._window is None or self._signals is None:
            return 0.0
        still_s = self._deciding.unchanged_for_s(self._window, self._signals)
        stood_s = self._runner.suspended_s
        if stood_s is not None:
            still_s = min(still_s, max(0.0, self._rule.give_back_after_s - stood_s))
        return min(still_s, self._rule.fresh_s) if self._about_to else still_s
