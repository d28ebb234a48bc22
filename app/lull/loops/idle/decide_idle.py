"""Reads the idle signals (user input, battery, heat, chats) and decides by the user's rules for
idle times whether background work may run.

The user's calendars and a pause that the user asked for also count in the decision. What follows
from the decision, such as starting and stopping work, is done by `watch_idle`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Protocol

from lull.core.calendars.event import Calendar, CalendarEvent
from lull.core.idle.forecast import Forecast, PastLull, forecast
from lull.core.idle.pausing import Pause, PauseLength, new_pause
from lull.core.idle.policy import IdleWindow, decide
from lull.core.idle.rule import IdleRule
from lull.core.idle.signals import IdleSignals, IdleSource, asleep_gap_s, clock_of
from lull.core.idle.timing import unchanged_for_s
from lull.store.idle.windows import Windows

LOOK_WITHIN_S: Final = 0.1
"""Most seconds that who asks waits for the time of the last input; it takes milliseconds."""


class ChatCounts(NamedTuple):
    """How many of the users' chat requests are being answered now, and how many seconds ago the
    last chat was.
    """

    in_flight: int
    since_s: float


class KnownCalendars(Protocol):
    """Interface to the user's calendars, whose events tell when the user is away or busy, as they
    were read last. None of its calls blocks.
    """

    def upcoming(self) -> Sequence[CalendarEvent]:
        """Return the events of the user's calendars that are not over."""

    def calendars(self) -> Sequence[Calendar]:
        """Return the user's calendars, from which the known events come."""

    def look_now(self) -> None:
        """Check at once which feeds of the user's calendars are due to be read, because the machine
        has woken from sleep.
        """


class CountsRunningChats(Protocol):
    """Interface of what counts the users' chats that are being answered."""

    def chat_counts(self) -> ChatCounts:
        """Return how many chats are being answered, and how long ago the last one ended."""


class DecideIdle:
    """Decides whether background work may run, from the idle signals (input, chats, heat, battery),
    the events in the user's calendars, and a pause that the user has set.
    """

    def __init__(
        self,
        source: IdleSource,
        *,
        chats: CountsRunningChats,
        calendars: KnownCalendars,
        settings: Callable[[], IdleRule],
        windows: Windows,
    ) -> None:
        """Reads the user's stored pause from the table `windows`, once. The function `settings`
        returns the current rules for idle times.
        """
        self._source = source
        self._chats = chats
        self._calendars = calendars
        self._settings = settings
        self._windows = windows
        self._pause: Pause | None = windows.pause()

    def read(self, last: IdleSignals | None, *, expected_s: float) -> IdleSignals:
        """Read the idle signals (user input, chats, heat, battery).

        `expected_s` is the time that should have passed since the `last` reading.
        """
        signals, chats = self._source.signals(), self._chats.chat_counts()
        gap_s = signals.asleep_gap_s
        if last is not None:
            found = asleep_gap_s(clock_of(last), clock_of(signals), expected_s=expected_s)
            gap_s = max(gap_s, found)
        self._restate_pause(signals.now)
        return replace(
            signals,
            chats_in_flight=max(signals.chats_in_flight, chats.in_flight),
            since_chat_s=min(signals.since_chat_s, chats.since_s),
            asleep_gap_s=gap_s,
        )

    def decide(
        self, signals: IdleSignals, last: IdleWindow | None, *, train_now: bool
    ) -> IdleWindow:
        """Decide whether background work may run. `train_now` (the user asked for training now)
        overrules the rules that only protect the user's time; `last` is the decision before.
        """
        return decide(
            signals,
            settings=self._settings(),
            events=self._calendars.upcoming(),
            calendars=self._calendars.calendars(),
            paused_until=self._pause.until if self._pause is not None else None,
            state=last.memory if last is not None else None,
            train_now=train_now,
        )

    def forecast(
        self, window: IdleWindow, signals: IdleSignals, past: Sequence[PastLull]
    ) -> Forecast:
        """Forecast from the user's past absences for how many more seconds the user will be
        away.
        """
        return forecast(
            past,
            now=signals.now,
            elapsed_s=window.quiet_s,
            sleep_hours=self._settings().sleep_hours,
        )

    def unchanged_for_s(self, window: IdleWindow, signals: IdleSignals) -> float:
        """Return for how many seconds the present decision on background work stays the same if the
        idle signals do not change.
        """
        due = [condition.until for condition in window.conditions]
        events = self._calendars.upcoming()
        return unchanged_for_s(signals.now, rule=self._settings(), events=events, due=due)

    # The pause

    def pause(self, length: PauseLength | timedelta) -> None:
        """Pause background work from now on for the given time. The pause is in memory until
        `keep_pause` stores it.
        """
        self._pause = new_pause(length, self._source.signals().now)

    def resume(self) -> None:
        """End the user's pause of background work. The change is in memory until `keep_pause`
        stores it.
        """
        self._pause = None

    async def keep_pause(self) -> None:
        """Store the user's current pause of background work, or that there is none."""
        await self._windows.set_pause(self._pause)

    def _restate_pause(self, now: datetime) -> None:
        """Remove a pause that is over; adjust one that begins later than the clock now says."""
        if self._pause is None:
            return
        pause = None if self._pause.over(now) else self._pause.after_clock_change(now)
        if pause != self._pause:
            self._pause = pause
            self._windows.post_pause(pause)

    # The source

    def set_fast_polling(self, on: bool) -> None:
        """Have user input checked more often than normal (`on` True), or at the
        normal rate again.
        """
        self._source.set_fast_polling(on)

    async def look_again(self) -> None:
        """Have the time of the user's last input read anew, which is some seconds old otherwise."""
        await asyncio.to_thread(self._source.look_again, LOOK_WITHIN_S)

    def on_wake(self) -> None:
        """Have those feeds of the user's calendars read at once that are due, because the machine
        has woken from sleep.
        """
        self._calendars.look_now()
