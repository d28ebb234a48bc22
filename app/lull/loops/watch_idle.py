"""The watch over lulls: look, decide, and let work run only while nobody is here.

Every 15 seconds, and ten times a second while work runs, the signals are read and the pure policy
(`core/idle.py`) is asked. When it opens, the piece of work that is worth most in the time that is
likely left runs for a unit of half a minute, then the choice is made anew; when it closes, work is
suspended before anything else happens, and loses its memory if the user stays or memory is short.
Never are there two pieces at once. A restart begins with what the store holds and takes nothing
else for granted; sleep and a clock that is put back or forward are seen between two looks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, NamedTuple

from lull.core.calendar_event import Calendar, CalendarEvent
from lull.core.errors import LullError
from lull.core.idle import Window, WindowState, decide
from lull.core.idle_rule import GateName, IdleRule
from lull.core.idle_signals import IdleSignals, IdleSource, Look, asleep_gap_s
from lull.core.idle_times import steady_s
from lull.core.lull_length import Forecast, forecast
from lull.core.lull_work import UNIT_S, LullWork, fits
from lull.core.pausing import Pause, PauseLength, paused
from lull.core.ports import Clock, Ids
from lull.loops.lull_journal import Journal
from lull.loops.lull_pace import Pace
from lull.loops.lull_runner import Runner, RunnerRule
from lull.loops.lull_why import Choice, Why
from lull.store.windows import STOPPED, Windows

_BEFORE_S: Final = 1.0
"""So long before an end that is known, the last unit ends by itself."""
_ENDLESS: Final = Forecast(low_s=float("inf"), median_s=float("inf"), high_s=float("inf"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRule:
    tick_s: float = 15.0
    working_tick_s: float = 0.1
    standing_tick_s: float = 1.0
    """While work is suspended and still holds its memory."""
    fresh_s: float = 0.3
    """Signals are looked at closely for so long before work begins: what was read in calm may be
    half a minute old, and somebody may have come."""
    unit_s: float = UNIT_S
    give_back_after_s: float = 30.0
    """Suspended for so long, work loses its memory: the user has come to stay."""
    guess_s: float = UNIT_S
    """So long a guess of what is left of the lull is good: each unit is chosen by a new one."""
    asked_s: float = 60.0
    """"Train now" waits so long for work to turn up."""
    journal_every_s: float = 60.0
    """A crash costs so much of the journal of an open window, and of nothing else."""
    runner: RunnerRule = RunnerRule()  # noqa: RUF009  frozen


class Chats(NamedTuple):
    """Of the data plane."""

    in_flight: int
    since_s: float


class WatchIdle:
    def __init__(
        self,
        *,
        source: IdleSource,
        chats: Callable[[], Chats],
        events: Callable[[], Sequence[CalendarEvent]],
        settings: Callable[[], IdleRule],
        queue: Callable[[], Sequence[LullWork]],
        windows: Windows,
        clock: Clock,
        ids: Ids,
        tell: Callable[[Window], None],
        problem: Callable[[str, LullError | None], None],
        calendars: Callable[[], Sequence[Calendar]] = tuple,
        woken: Callable[[], None] = lambda: None,
        pace: Pace | None = None,
        rule: WatchRule | None = None,
    ) -> None:
        """`tell` hears of every change of state; `problem` of work that fails (None: it works
        again); `woken` of the machine's waking. `calendars` says whose the events are. Reads the
        store once, here."""
        self._source = source
        self._chats = chats
        self._events = events
        self._calendars = calendars
        self._woken = woken
        self._settings = settings
        self._queue = queue
        self._windows = windows
        self._clock = clock
        self._tell = tell
        self._pace = pace or Pace()
        self._rule = rule or WatchRule()
        self._runner = Runner(
            clock=clock, ended=self._pace.nudge, problem=problem, rule=self._rule.runner
        )
        self._journal = Journal.begun(windows, ids, clock.now(), every_s=self._rule.journal_every_s)
        self._pause: Pause | None = windows.pause()
        self._looking = asyncio.Lock()
        self._signals: IdleSignals | None = None
        self._window: Window | None = None
        self._expected_s = 0.0
        self._asked_until_s: float | None = None
        self._guess: tuple[float, Forecast] | None = None
        self._hurried_s: float | None = None
        """Since when the source looks closely."""
        self._about_to = False
        """Work would begin if it were sure that nobody came."""
        self._away = False
        """Nobody watches any more, or not yet again: no work may begin."""

    @property
    def window(self) -> Window | None:
        """As of the last look; None before the first."""
        return self._window

    @property
    def watching(self) -> bool:
        """Whether `run` runs, or was not begun yet."""
        return not self._away

    @property
    def windows(self) -> Windows:
        """Where the journal lies."""
        return self._windows

    # The user's word

    async def why(self) -> Why:
        """As of a look that is taken now."""
        window = await self.look()
        begun = self._runner.work
        others = [work for work in self._queue() if begun is None or work.id != begun.id]
        listed = others if begun is None else [begun, *others]
        choice = self._choice(window)
        return Why(window, tuple(choice.view(work, is_open=window.open) for work in listed))

    def _choice(self, window: Window) -> Choice:
        left = _ENDLESS if self._signals is None else self._left(window, self._signals)
        about_to = self._about_to and self.watching
        return Choice(runner=self._runner, left=left, about_to=about_to, watched=self.watching)

    async def pause(self, length: PauseLength) -> Why:
        """The user's last word counts: it ends "train now" too."""
        self._pause = paused(length, self._source.signals().now)
        self._asked_until_s = None
        why = await self.why()
        await self._windows.set_pause(self._pause)
        return why

    async def resume(self) -> Why:
        self._pause = None
        why = await self.why()
        await self._windows.set_pause(None)
        return why

    async def train_now(self) -> Why:
        """Skips presence, waiting, hours, calendars and pauses until no work is left, and the rest
        of what has failed; never heat, battery or memory."""
        self._runner.forgive()
        self._asked_until_s = self._clock.monotonic_s() + self._rule.asked_s
        return await self.why()

    def nudge(self) -> None:
        """Look at once: a chat came or went, settings or calendars changed."""
        self._pace.nudge()

    # The watch

    async def run(self) -> None:
        """Until cancelled; then work is stopped and the journal closed. After a fault it may be
        run anew, and takes nothing for granted then."""
        self._away = False
        try:
            while True:
                await self.look()
                self._expected_s = await self._pace.rest(self._tick_s(), self._steady_s)
        finally:
            await self._leave()

    async def look(self) -> Window:
        """Read, decide, act. One at a time, whoever asks."""
        async with self._looking:
            signals = self._read()
            self._keep_pause(signals.now)
            await self._runner.collect()
            window = self._decide(signals)
            if not window.open:
                # Before anything else: somebody waits for the machine.
                await self._stop(window)
            self._take_note(window, signals)
            self._about_to = False
            if window.open:
                await self._go_on(window, signals)
            return self._now_in_force(window)

    def _read(self) -> IdleSignals:
        signals, chats = self._source.signals(), self._chats()
        gap_s = signals.asleep_gap_s
        if self._signals is not None:
            this = _look(signals)
            expected_s = float("inf") if self._away else self._expected_s
            found = asleep_gap_s(_look(self._signals), this, expected_s=expected_s)
            gap_s = max(gap_s, found)
        return replace(
            signals,
            chats_in_flight=max(signals.chats_in_flight, chats.in_flight),
            since_chat_s=min(signals.since_chat_s, chats.since_s),
            asleep_gap_s=gap_s,
        )

    def _decide(self, signals: IdleSignals) -> Window:
        return decide(
            signals,
            settings=self._settings(),
            events=self._events(),
            calendars=self._calendars(),
            paused_until=self._pause.until if self._pause is not None else None,
            state=self._window.memory if self._window is not None else None,
            train_now=self._asked(),
        )

    def _keep_pause(self, now: datetime) -> None:
        """One that is over goes; one whose beginning the clock was put behind is restated."""
        if self._pause is None:
            return
        pause = None if self._pause.over(now) else self._pause.restated(now)
        if pause != self._pause:
            self._pause = pause
            self._windows.post_pause(pause)

    def _asked(self) -> bool:
        if self._asked_until_s is None:
            return False
        now_s = self._clock.monotonic_s()
        if self._runner.work is not None or any(work.left_s > 0.0 for work in self._ready()):
            self._asked_until_s = now_s + self._rule.asked_s
        if now_s >= self._asked_until_s:
            self._asked_until_s = None
        return self._asked_until_s is not None

    def _take_note(self, window: Window, signals: IdleSignals) -> None:
        before, last = self._window, self._signals
        now, now_s = signals.now, signals.monotonic_s
        if signals.asleep_gap_s and not (last is not None and last.asleep_gap_s):
            self._woken()
        used_s, done = self._runner.used_s, self._runner.done()
        if last is not None:
            self._journal.looked(before, _look(last), window, signals)
        was_open = before is not None and before.open
        if window.open and not was_open:
            self._runner.cleared()
            self._guess = None
            self._journal.opened(window, now, now_s)
        elif window.open:
            self._journal.going_on(now, now_s, used_s=used_s, done=done)
        elif was_open:
            by = window.closed_by.value if window.closed_by is not None else ""
            self._journal.closed(window.because, by, now, used_s=used_s, done=done)
        self._signals = signals

    def _now_in_force(self, window: Window) -> Window:
        work = self._runner.work
        if work is not None and self._runner.running:
            window = window.working(f"{work.text}. {window.because}")
        self._hurry(self._runner.running or self._about_to)
        before, self._window = self._window, window
        if before is None or (before.state, before.closed_by) != (window.state, window.closed_by):
            self._tell(window)
        return window

    def _hurry(self, on: bool) -> None:
        if on is not (self._hurried_s is not None):
            self._hurried_s = self._clock.monotonic_s() if on else None
            self._source.hurry(on)

    # Stopping

    async def _stop(self, window: Window) -> None:
        await self._runner.suspend()
        stood_s = self._runner.suspended_s
        if stood_s is None:
            return
        at_once = window.state is not WindowState.CLOSED or any(
            gate.closes and gate.name is GateName.MEMORY for gate in window.gates
        )
        if at_once or stood_s >= self._rule.give_back_after_s:
            await self._runner.give_back()

    async def _leave(self) -> None:
        self._away = True
        try:
            await self._runner.give_back()
            if self._signals is not None:
                now = self._clock.now()
                used_s, done = self._runner.used_s, self._runner.done()
                self._journal.closed(STOPPED, "", now, used_s=used_s, done=done)
                self._journal.stopped(self._window, _look(self._signals))
        finally:
            self._about_to = False
            self._hurry(False)
            self._window = self._signals = self._guess = None

    # Working

    async def _go_on(self, window: Window, signals: IdleSignals) -> None:
        if self._away or self._runner.running or self._runner.stuck:
            return
        ready, begun = self._ready(), self._runner.work
        if begun is not None:
            if any(work.id == begun.id for work in ready):
                if self._sure():
                    await self._runner.resume()
                return
            await self._runner.give_back()  # it was cancelled meanwhile
        left = self._left(window, signals)
        work = fits(ready, left)
        if work is not None and self._sure():
            unit_s = min(self._rule.unit_s, left.high_s)
            self._runner.begin(work, until_s=signals.monotonic_s + unit_s)

    def _sure(self) -> bool:
        """The source has looked closely for a moment, and still there is nobody."""
        now_s = self._clock.monotonic_s()
        since_s = self._hurried_s
        looked = since_s is not None and now_s - since_s >= self._rule.fresh_s
        sure = looked or self._asked()
        self._about_to = not sure
        return sure

    def _ready(self) -> list[LullWork]:
        return [work for work in self._queue() if not self._runner.rests_s(work)]

    def _left(self, window: Window, signals: IdleSignals) -> Forecast:
        """What is likely left of this lull; never more than the known end of the window."""
        if self._asked():
            return _ENDLESS
        now_s = signals.monotonic_s
        if self._guess is None or now_s - self._guess[0] >= self._rule.guess_s:
            self._guess = (now_s, self._forecast(window, signals))
        if window.until is None:
            return self._guess[1]
        end_s = (window.until.astimezone(UTC) - signals.now.astimezone(UTC)).total_seconds()
        return self._guess[1].at_most(max(0.0, end_s - _BEFORE_S))

    def _forecast(self, window: Window, signals: IdleSignals) -> Forecast:
        return forecast(
            self._journal.past,
            now=signals.now,
            elapsed_s=window.quiet_s,
            sleep_hours=self._settings().sleep_hours,
        )

    # Resting

    def _tick_s(self) -> float:
        if self._runner.running or self._about_to:
            return self._rule.working_tick_s
        if self._runner.work is not None:
            return self._rule.standing_tick_s
        return self._rule.tick_s

    def _steady_s(self) -> float:
        if self._window is None or self._signals is None:
            return 0.0
        due = [gate.until for gate in self._window.gates]
        now, events = self._signals.now, self._events()
        still_s = steady_s(now, rule=self._settings(), events=events, due=due)
        stood_s = self._runner.suspended_s
        if stood_s is not None:
            still_s = min(still_s, max(0.0, self._rule.give_back_after_s - stood_s))
        return min(still_s, self._rule.fresh_s) if self._about_to else still_s


def _look(signals: IdleSignals) -> Look:
    return Look(now=signals.now, monotonic_s=signals.monotonic_s)
