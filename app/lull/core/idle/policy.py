"""The idle policy: decides whether Lull may do its own work now, from sensor readings, the user's
weekly hours and calendars, and what the user has ordered (a pause, training now).

The result is called the idle window. It is open or closed, with the reason, every condition and the
known times. Activity always wins: input, a chat or a waking machine closes the window at once, also
in sleep hours and meetings. The window opens after a while without activity if every condition is
open; starting needs more than continuing (hysteresis).

Sleep hours and an "away" calendar do not open the window by themselves. Like a locked screen they
make it likelier that the user stays away, and so limit the wait after input to two minutes; not to
nothing, because somebody who sits up late and reads for a minute is still there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from lull.core.calendars.event import Calendar, CalendarEvent, Meaning
from lull.core.idle.conditions import ConditionInputs, conditions, event_now
from lull.core.idle.hours import inside
from lull.core.idle.rule import (
    ALWAYS_KEPT_CONDITIONS,
    PRESENCE_CONDITIONS,
    CarriedOver,
    ConditionName,
    ConditionState,
    IdleCondition,
    IdleRule,
)
from lull.core.idle.signals import IdleSignals
from lull.core.idle.timing import next_opening
from lull.core.idle.waiting import (
    answer_left_s,
    quiet_for_s,
    updated_memory,
    wait_condition,
    wait_left_s,
    wait_needed_s,
)
from lull.core.text import durations as spans
from lull.core.text.coded_text import TextDuration, coded, coded_text

_FORBID_A_QUESTION = frozenset(ConditionName) - {ConditionName.CHAT, ConditionName.WAIT}
"""Conditions that forbid even a short question to a model: all except the wait without activity and
chats, which are looked at more precisely elsewhere.
"""


class WindowState(StrEnum):
    """Whether Lull may work in the background now, and whether it does."""

    OFF = "off"
    PAUSED = "paused"
    CLOSED = "closed"
    OPEN = "open"
    WORKING = "working"
    """The window is open, and work is running."""


ASKED_FOR: Final = "You started it yourself."
"""Why background work may run, where the user asked for it, present or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleWindow:
    """The decision whether Lull may do its own work now (the idle window, open or closed), with the
    reasons, and the state that is needed for the next decision.
    """

    state: WindowState
    because: str
    until: datetime | None
    """Known end of the current state, in the user's zone, never in the past; None if unknown."""
    next: datetime | None
    """When background work, now closed, paused or off, may next be allowed; None if unknown."""
    conditions: tuple[IdleCondition, ...]
    closed_by: ConditionName | None = None
    quiet_s: float = 0.0
    """Seconds since the last activity of any kind."""
    memory: CarriedOver = field(default_factory=CarriedOver)

    @property
    def open(self) -> bool:
        """Whether background work may run now."""
        return self.state in (WindowState.OPEN, WindowState.WORKING)

    @property
    def somebody_here(self) -> bool:
        """Whether background work is forbidden now because a person is at the machine, and not
        because of a setting or the machine's state.
        """
        return any(
            g.forbids_work and (g.name in PRESENCE_CONDITIONS or g.name is ConditionName.CHAT)
            for g in self.conditions
        )

    @property
    def short_of_memory(self) -> bool:
        """Whether background work is forbidden now because the machine has too little free
        memory.
        """
        return any(
            condition.forbids_work and condition.name is ConditionName.MEMORY
            for condition in self.conditions
        )

    @property
    def allows_a_question(self) -> bool:
        """Whether Lull may ask a model a short question now. For this the user need not have been
        away for long, but except for chats no other condition for background work may be closed.

        A condition whose state is unknown does not forbid the question.
        """
        return not any(
            condition.state is ConditionState.CLOSED and condition.name in _FORBID_A_QUESTION
            for condition in self.conditions
        )

    def working(self, text: str) -> IdleWindow:
        """Return the decision with the work that is now running as its reason."""
        return replace(self, state=WindowState.WORKING, because=text)

    def as_dict(self) -> dict[str, object]:
        """Return the decision whether Lull may work now, with its reasons, as the JSON that `lull
        why` prints. The list of work that waits is not in it.
        """
        return {
            "state": self.state.value,
            "because": self.because,
            **coded(self.because, "because_"),
            "until": _iso(self.until),
            "next": _iso(self.next),
            "gates": [
                {"name": c.name.value, "state": c.state.value, "text": c.text, **coded(c.text)}
                for c in self.conditions
            ],
        }


def _iso(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at is not None else None


def decide(
    signals: IdleSignals,
    *,
    settings: IdleRule,
    events: Sequence[CalendarEvent] = (),
    calendars: Sequence[Calendar] = (),
    paused_until: datetime | None = None,
    state: CarriedOver | None = None,
    train_now: bool = False,
) -> IdleWindow:
    """Decide whether Lull may do its own work now (the idle policy), from sensor readings (input,
    power, load, …), the user's settings, calendars and pause.

    `state` is the `memory` of the previous decision, None at the start. `events` are the calendar
    events and `calendars` the feeds that they come from. `train_now` means that the user asked for
    training: then presence, waiting, hours, calendars and pauses are ignored; heat, battery and
    memory never are, and a chat is answered first.
    """
    before = state or CarriedOver()
    needed_s = wait_needed_s(signals, settings, events, before)
    look = ConditionInputs(
        signals=signals,
        rule=settings,
        events=events,
        paused_until=paused_until,
        memory=before,
        calendars=calendars,
        needed_s=needed_s,
    )
    seen = list(conditions(look))
    shut = [condition for condition in seen if condition.forbids_work]
    memory = updated_memory(signals, before, shut)
    quiet_s = quiet_for_s(signals, memory)
    reading_s = answer_left_s(signals, settings, before)
    left_s = wait_left_s(signals, settings, memory, needed_s=needed_s, reading_s=reading_s)
    wait = wait_condition(
        signals,
        settings,
        left_s=left_s,
        quiet_s=quiet_s,
        needed_s=needed_s,
        reading_s=reading_s,
    )
    seen.append(wait)
    closed = [*shut, wait] if wait.forbids_work else shut
    if train_now:
        closed = [condition for condition in closed if condition.name in ALWAYS_KEPT_CONDITIONS]
    known = _Known(look=look, conditions=tuple(seen), quiet_s=quiet_s, left_s=left_s, memory=memory)
    if closed:
        return _shut(known, closed)
    memory = replace(memory, open=True, needed_s=needed_s)
    return _opened(replace(known, memory=memory), train_now=train_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    look: ConditionInputs
    conditions: tuple[IdleCondition, ...]
    quiet_s: float
    left_s: float
    memory: CarriedOver


# The decision


def _opened(known: _Known, *, train_now: bool) -> IdleWindow:
    ends = [] if train_now else [g.until for g in known.conditions if g.until is not None]
    return IdleWindow(
        state=WindowState.OPEN,
        because=coded_text("asked-for", ASKED_FOR) if train_now else _why_open(known),
        until=min(ends, key=lambda end: end.astimezone(UTC), default=None),
        next=None,
        conditions=known.conditions,
        quiet_s=known.quiet_s,
        memory=known.memory,
    )


def _why_open(known: _Known) -> str:
    signals, now = known.look.signals, known.look.now
    quiet = TextDuration(known.quiet_s)
    if signals.locked is True:
        words = "No sign of you for %1, and the screen is locked."
        return coded_text("quiet-locked", words, quiet)
    if inside(known.look.rule.sleep_hours, now):
        words = "No sign of you for %1, and these are your sleep hours."
        return coded_text("quiet-sleep-hours", words, quiet)
    if event_now(known.look.events, Meaning.AWAY, now.astimezone(UTC)) is not None:
        words = "No sign of you for %1, and your calendar says that you are away."
        return coded_text("quiet-away", words, quiet)
    return coded_text("quiet", "No sign of you for %1.", quiet)


def _shut(known: _Known, closed: Sequence[IdleCondition]) -> IdleWindow:
    first = closed[0]
    states = {ConditionName.LEARNING: WindowState.OFF, ConditionName.PAUSE: WindowState.PAUSED}
    until, then = _ends(known, closed)
    if first.name is ConditionName.PAUSE:
        until = first.until
    return IdleWindow(
        state=states.get(first.name, WindowState.CLOSED),
        because=first.text,
        until=until,
        next=then,
        conditions=known.conditions,
        closed_by=first.name,
        quiet_s=known.quiet_s,
        memory=known.memory,
    )


_TOLD_BY_WAIT = frozenset({ConditionName.INPUT, ConditionName.CHAT, ConditionName.WAKE})
"""Conditions that end when the user leaves, after which the wait follows."""


def _ends(
    known: _Known, closed: Sequence[IdleCondition]
) -> tuple[datetime | None, datetime | None]:
    """Return until when these conditions stay closed, and when the window may next open, if nobody
    comes from now on. None where a condition has no known end.
    """
    look, now = known.look, known.look.now
    until = earliest = now
    here = [g for g in closed if g.name in _TOLD_BY_WAIT and g.state is ConditionState.CLOSED]
    for condition in closed:
        if condition in here:
            continue
        if condition.until is None:
            return None, None
        # After a call the user may stay for a moment.
        wait_s = (
            look.needed_s
            if condition.name in PRESENCE_CONDITIONS and condition.name is not ConditionName.INPUT
            else 0.0
        )
        until = _later_of(until, condition.until)
        earliest = _later_of(earliest, spans.add_seconds(condition.until, wait_s))
    earliest = _later_of(earliest, spans.add_seconds(now, known.left_s))
    then = next_opening(earliest, rule=look.rule, events=look.events, needed_s=look.needed_s)
    # When the user will leave is unknown.
    return (until if until != now and not here else None), then


def _later_of(one: datetime, other: datetime) -> datetime:
    return max(one, other, key=lambda at: at.astimezone(UTC))
