"""May Lull work now? One pure policy over signals, hours, calendars and the user's own word.

It answers open or closed with the reason, with every gate, and with the times that are known.
Activity always wins: input, a chat or a waking machine closes at once, in sleep hours and meetings
too. A window opens when there was no sign of anybody for a while and every gate is green; what may
begin needs more than what may go on (hysteresis). What then runs is `loops/watch_idle.py`'s.

Sleep hours and a calendar that says "away" do not open anything. They make it likelier that an
empty chair stays empty, as a locked screen does, and so shorten the wait to the same two minutes;
not to nothing, because whoever sits up late and reads for a minute is still here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum

from lull.core import spans
from lull.core.calendar_event import Calendar, CalendarEvent, Meaning
from lull.core.hours import inside
from lull.core.idle_gates import Look, event_now, gates
from lull.core.idle_rule import (
    ALWAYS_KEPT,
    HERE,
    Gate,
    GateName,
    GateState,
    IdleRule,
    Memory,
)
from lull.core.idle_signals import IdleSignals
from lull.core.idle_times import likely_end, next_opening
from lull.core.idle_wait import (
    quiet_for_s,
    remembered,
    wait_gate,
    wait_left_s,
    wait_needed_s,
)


class WindowState(StrEnum):
    OFF = "off"
    PAUSED = "paused"
    CLOSED = "closed"
    OPEN = "open"
    WORKING = "working"
    """Open, and a piece of work is running."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The answer, and what the next look needs of it."""

    state: WindowState
    because: str
    until: datetime | None
    """Known end of this state; None: nobody knows. In the user's zone, never in the past."""
    next: datetime | None
    """When it next may work, for a window that is not open; None: nobody knows."""
    gates: tuple[Gate, ...]
    closed_by: GateName | None = None
    quiet_s: float = 0.0
    """So long there has been no sign of anybody."""
    likely_until: datetime | None = None
    """When the user is expected back, by sleep hours and calendars."""
    memory: Memory = field(default_factory=Memory)

    @property
    def open(self) -> bool:
        return self.state in (WindowState.OPEN, WindowState.WORKING)

    @property
    def somebody_here(self) -> bool:
        """A gate is closed by a person, not by a wish or by the machine."""
        return any(g.closes and (g.name in HERE or g.name is GateName.CHAT) for g in self.gates)

    def working(self, text: str) -> Window:
        return replace(self, state=WindowState.WORKING, because=text)

    def as_dict(self) -> dict[str, object]:
        """The JSON of `lull why`, all but the work."""
        return {
            "state": self.state.value,
            "because": self.because,
            "until": _iso(self.until),
            "next": _iso(self.next),
            "gates": [
                {"name": g.name.value, "state": g.state.value, "text": g.text} for g in self.gates
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
    state: Memory | None = None,
    train_now: bool = False,
) -> Window:
    """The window at `signals.now`. `state` is the `memory` of the window before, None at a start.

    `calendars` are the feeds that `events` come from, by id: which of them is unread, and its name.
    `train_now`: the user has asked for it, so presence, waiting, hours, calendars and pauses are
    skipped; heat, battery and memory never, and a chat is answered first.
    """
    before = state or Memory()
    needed_s = wait_needed_s(signals, settings, events, before)
    look = Look(
        signals=signals,
        rule=settings,
        events=events,
        paused_until=paused_until,
        memory=before,
        calendars=calendars,
        needed_s=needed_s,
    )
    seen = list(gates(look))
    shut = [gate for gate in seen if gate.closes]
    memory = remembered(signals, before, shut)
    quiet_s = quiet_for_s(signals, memory)
    left_s = wait_left_s(signals, settings, memory, needed_s)
    wait = wait_gate(signals.now, left_s, quiet_s, needed_s)
    seen.append(wait)
    closed = [*shut, wait] if wait.closes else shut
    if train_now:
        closed = [gate for gate in closed if gate.name in ALWAYS_KEPT]
    known = _Known(look=look, gates=tuple(seen), quiet_s=quiet_s, left_s=left_s, memory=memory)
    if closed:
        return _shut(known, closed)
    memory = replace(memory, open=True, needed_s=needed_s)
    return _opened(replace(known, memory=memory), train_now=train_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    look: Look
    gates: tuple[Gate, ...]
    quiet_s: float
    left_s: float
    memory: Memory


# The answer


def _opened(known: _Known, *, train_now: bool) -> Window:
    look, now = known.look, known.look.now
    ends = [] if train_now else [g.until for g in known.gates if g.until is not None]
    return Window(
        state=WindowState.OPEN,
        because="You asked for it." if train_now else _why_open(known),
        until=min(ends, key=lambda end: end.astimezone(UTC), default=None),
        next=None,
        gates=known.gates,
        quiet_s=known.quiet_s,
        likely_until=likely_end(now, rule=look.rule, events=look.events),
        memory=known.memory,
    )


def _why_open(known: _Known) -> str:
    signals, now = known.look.signals, known.look.now
    quiet = f"No sign of you for {spans.length(known.quiet_s)}"
    if signals.locked is True:
        return f"{quiet}, and the screen is locked."
    if inside(known.look.rule.sleep_hours, now):
        return f"{quiet}, and these are your sleep hours."
    if event_now(known.look.events, Meaning.AWAY, now.astimezone(UTC)) is not None:
        return f"{quiet}, and your calendar says that you are away."
    return f"{quiet}."


def _shut(known: _Known, closed: Sequence[Gate]) -> Window:
    first = closed[0]
    states = {GateName.LEARNING: WindowState.OFF, GateName.PAUSE: WindowState.PAUSED}
    until, then = _ends(known, closed)
    if first.name is GateName.PAUSE:
        until = first.until
    return Window(
        state=states.get(first.name, WindowState.CLOSED),
        because=first.text,
        until=until,
        next=then,
        gates=known.gates,
        closed_by=first.name,
        quiet_s=known.quiet_s,
        memory=known.memory,
    )


_TOLD_BY_WAIT = frozenset({GateName.INPUT, GateName.CHAT, GateName.WAKE})
"""They end when nobody is here any more, and then comes the wait."""


def _ends(known: _Known, closed: Sequence[Gate]) -> tuple[datetime | None, datetime | None]:
    """Until when these gates stay closed, and when it next may: the earliest times, if nobody
    comes from now on. None where a gate tells no end."""
    look, now = known.look, known.look.now
    until = earliest = now
    here = [g for g in closed if g.name in _TOLD_BY_WAIT and g.state is GateState.CLOSED]
    for gate in closed:
        if gate in here:
            continue
        if gate.until is None:
            return None, None
        # Whoever had a call here may stay for a moment.
        wait_s = look.needed_s if gate.name in HERE and gate.name is not GateName.INPUT else 0.0
        until = _later_of(until, gate.until)
        earliest = _later_of(earliest, spans.later(gate.until, wait_s))
    earliest = _later_of(earliest, spans.later(now, known.left_s))
    then = next_opening(earliest, rule=look.rule, events=look.events, needed_s=look.needed_s)
    # When somebody leaves, nobody knows.
    return (until if until != now and not here else None), then


def _later_of(one: datetime, other: datetime) -> datetime:
    return max(one, other, key=lambda at: at.astimezone(UTC))
