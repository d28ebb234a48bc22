"""The idle gates: the conditions (no input, no call, mains power, enough memory, …) under which
Lull may work in the background. One function per condition, each giving a sentence for people.

How the conditions together decide, and how long the user must be away, is in the idle policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from lull.core import durations as spans
from lull.core.calendars.event import Calendar, CalendarEvent, Meaning, block_end
from lull.core.idle.hours import inside, next_change
from lull.core.idle.pausing import FOR_EVER
from lull.core.idle.rule import (
    BATTERY_MARGIN,
    LOAD_MARGIN,
    MEMORY_FACTOR_WHILE_OPEN,
    PRESSURE_FACTOR_TO_OPEN,
    CarriedOver,
    GateName,
    GateState,
    IdleGate,
    IdleRule,
)
from lull.core.idle.signals import IdleSignals, Unknown

RECENT_INPUT_S: Final = 60.0
"""Seconds: input more recent than this is shown as "you are here", older input as a wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateInputs:
    """The inputs from which all idle gates (conditions for background work) are evaluated."""

    signals: IdleSignals
    rule: IdleRule
    events: Sequence[CalendarEvent]
    paused_until: datetime | None
    memory: CarriedOver
    calendars: Sequence[Calendar]
    needed_s: float
    """Seconds without activity that are currently required before work may start."""

    @property
    def now(self) -> datetime:
        return self.signals.now


def gates(look: GateInputs) -> Iterator[IdleGate]:
    """Evaluate all idle gates (conditions for background work) except the required wait, in the
    order of `GateName`.
    """
    yield _learning(look)
    yield _pause(look)
    yield _input(look)
    yield _chat(look)
    yield _wake(look)
    yield _call(look)
    yield _app(look)
    yield _calendar(look)
    yield _hours(look)
    yield _power(look)
    yield _saving(look)
    yield _heat(look)
    yield _memory(look)
    yield _load(look)


def event_now(events: Sequence[CalendarEvent], kind: Meaning, at: datetime) -> CalendarEvent | None:
    """Return the calendar event of this kind (user busy or away) that is under way at `at` (UTC)
    and ends last; None without one.
    """
    running = [e for e in events if e.kind is kind and e.start <= at < e.end]
    return max(running, key=lambda e: e.end.astimezone(UTC), default=None)


def _open(name: GateName, text: str, until: datetime | None = None) -> IdleGate:
    return IdleGate(name=name, state=GateState.OPEN, text=text, until=until)


def _closed(name: GateName, text: str, until: datetime | None = None) -> IdleGate:
    return IdleGate(name=name, state=GateState.CLOSED, text=text, until=until)


def _unknown(name: GateName, what: str, reading: Unknown) -> IdleGate:
    return IdleGate(name=name, state=GateState.UNKNOWN, text=f"{what} is unknown: {reading.why}.")


# Set by the user


def _learning(look: GateInputs) -> IdleGate:
    if look.rule.enabled:
        return _open(GateName.LEARNING, "Learning is on.")
    return _closed(GateName.LEARNING, "Learning in lulls is switched off in the settings.")


def _pause(look: GateInputs) -> IdleGate:
    end = look.paused_until
    if end is None or end <= look.now.astimezone(UTC):
        return _open(GateName.PAUSE, "Not paused.")
    if end >= FOR_EVER:
        return _closed(GateName.PAUSE, "Paused until you resume.")
    local = end.astimezone(look.now.tzinfo)
    return _closed(GateName.PAUSE, f"Paused until {spans.clock(local, look.now)}.", local)


def _hours(look: GateInputs) -> IdleGate:
    blocked, allowed, now = look.rule.blocked_hours, look.rule.allowed_hours, look.now
    if inside(blocked, now):
        return _hours_gate(now, next_change(blocked, now), "These are hours that you blocked")
    if allowed and not inside(allowed, now):
        return _hours_gate(now, next_change(allowed, now), "These are not hours that you allowed")
    ends = [e for e in (next_change(blocked, now), next_change(allowed, now)) if e is not None]
    text = "These are hours that you allowed." if allowed else "No hours are blocked now."
    return _open(GateName.HOURS, text, min(ends, key=_utc, default=None))


def _hours_gate(now: datetime, end: datetime | None, text: str) -> IdleGate:
    tail = f", until {spans.clock(end, now)}" if end is not None else ""
    return _closed(GateName.HOURS, f"{text}{tail}.", end)


def _calendar(look: GateInputs) -> IdleGate:
    """Evaluate the calendar gate; where feeds disagree, BUSY wins over AWAY."""
    now, at = look.now, look.now.astimezone(UTC)
    busy = event_now(look.events, Meaning.BUSY, at)
    if busy is not None:
        end = (block_end(look.events, Meaning.BUSY, at) or busy.end).astimezone(now.tzinfo)
        text = f"{_whose(look, busy)} needs this machine until {spans.clock(end, now)}."
        return _closed(GateName.CALENDAR, text, end)
    coming = [e.start for e in look.events if e.kind is Meaning.BUSY and e.start > at]
    begin = min(coming, key=_utc, default=None)
    local = begin.astimezone(now.tzinfo) if begin is not None else None
    lost = [one for one in look.calendars if one.unread_s is not None]
    # BUSY feeds first: without one, a call would go unnoticed.
    lost.sort(key=lambda one: one.means is not Meaning.BUSY)
    if lost:
        text = _lost_text(lost[0])
        return IdleGate(name=GateName.CALENDAR, state=GateState.UNKNOWN, text=text, until=local)
    away = event_now(look.events, Meaning.AWAY, at)
    if away is not None:
        end = block_end(look.events, Meaning.AWAY, at) or away.end
        text = f"{_whose(look, away)} says that you are away until {spans.clock(end, now)}."
        return _open(GateName.CALENDAR, text, local)
    return _open(GateName.CALENDAR, "No calendar needs this machine now.", local)


def _whose(look: GateInputs, event: CalendarEvent) -> str:
    label = next((one.label for one in look.calendars if one.id == event.feed), "")
    return f"Your calendar “{label}”" if label else "Your calendar"


def _lost_text(calendar: Calendar) -> str:
    age_s = calendar.unread_s
    since = (
        "has never been read"
        if age_s is None or age_s == float("inf")
        else f"could not be read for {spans.length(age_s)}"
    )
    what = "a call" if calendar.means is Meaning.BUSY else "a meeting"
    return f"Your calendar “{calendar.label}” {since}, so {what} in it is not seen."


def _utc(at: datetime) -> datetime:
    return at.astimezone(UTC)


# Signs of the user


def _input(look: GateInputs) -> IdleGate:
    idle_s, rule = look.signals.input_idle_s, look.rule
    if isinstance(idle_s, Unknown):
        if in_fixed_hours(rule, look.now):
            left_s = _lost_left_s(look)
            if left_s > 0.0:
                return _lost_input(look, idle_s, left_s)
            return _open(
                GateName.INPUT,
                f"Whether you are here is unknown ({idle_s.why}), but you set these hours.",
            )
        return IdleGate(
            name=GateName.INPUT,
            state=GateState.UNKNOWN,
            text=f"Whether you are here is unknown ({idle_s.why}), so you are taken to be.",
        )
    if idle_s < min(RECENT_INPUT_S, look.needed_s):
        return _closed(GateName.INPUT, f"You are here: last input {spans.length(idle_s)} ago.")
    return _open(GateName.INPUT, f"No input for {spans.length(idle_s)}.")


def lost_since_s(signals: IdleSignals, before: CarriedOver) -> float:
    """Return the time, on the monotonic clock, since which the sensor of keyboard and mouse input,
    which had worked, reports nothing.
    """
    return signals.monotonic_s if before.lost_s is None else before.lost_s


def _lost_left_s(look: GateInputs) -> float:
    """Seconds left of the full wait after a working input source fell silent; 0 if none ever
    worked."""
    if not look.memory.input_known:
        return 0.0
    silent_s = look.signals.monotonic_s - lost_since_s(look.signals, look.memory)
    return max(0.0, max(look.rule.after_s, look.needed_s) - silent_s)


def _lost_input(look: GateInputs, reading: Unknown, left_s: float) -> IdleGate:
    """Evaluate the input gate after its source broke, when somebody may be typing at any hour."""
    return IdleGate(
        name=GateName.INPUT,
        state=GateState.UNKNOWN,
        text=f"Whether you are here is unknown any more ({reading.why}), so you are taken to be "
        f"for {spans.length(look.rule.after_s)}.",
        until=spans.later(look.now, left_s),
    )


def in_fixed_hours(rule: IdleRule, now: datetime) -> bool:
    """Whether `now` is in the user's sleep hours or allowed hours; there, background work may run
    even if keyboard and mouse input cannot be measured.
    """
    return inside(rule.sleep_hours, now) or inside(rule.allowed_hours, now)


def _chat(look: GateInputs) -> IdleGate:
    if look.signals.chats_in_flight:
        return _closed(GateName.CHAT, "A chat is being answered.")
    ago_s = look.signals.since_chat_s
    if ago_s == float("inf"):
        return _open(GateName.CHAT, "No chat is being answered.")
    return _open(GateName.CHAT, f"The last chat ended {spans.length(ago_s)} ago.")


def _wake(look: GateInputs) -> IdleGate:
    signals = look.signals
    if signals.asleep_gap_s > 0:
        slept = spans.length(signals.asleep_gap_s)
        return _closed(GateName.WAKE, f"The machine slept for {slept} and has just woken.")
    if signals.locked is False and look.memory.locked:
        return _closed(GateName.WAKE, "The screen was unlocked just now.")
    if isinstance(signals.locked, Unknown):
        return _unknown(GateName.WAKE, "Whether the screen is locked", signals.locked)
    return _open(GateName.WAKE, f"The screen is {'' if signals.locked else 'not '}locked.")


def _call(look: GateInputs) -> IdleGate:
    call = look.signals.call
    if isinstance(call, Unknown):
        return _unknown(GateName.CALL, "Whether there is a call or a film", call)
    if call:
        return _closed(GateName.CALL, "A call or a film is in progress.")
    return _open(GateName.CALL, "No call and no film.")


def _app(look: GateInputs) -> IdleGate:
    app = look.signals.exclusive_app
    if isinstance(app, Unknown):
        if look.rule.exclusive_apps:
            return _unknown(GateName.APP, "Whether one of your exclusive apps runs", app)
        app = ""
    if app:
        return _closed(GateName.APP, f"{app} is running.")
    return _open(GateName.APP, "No app is running that wants the machine for itself.")


# The machine


def _power(look: GateInputs) -> IdleGate:
    mains, share, rule = look.signals.on_mains, look.signals.battery_share, look.rule
    if isinstance(mains, Unknown):
        return _unknown(GateName.POWER, "Whether the machine is on mains", mains)
    if mains:
        return _open(GateName.POWER, "On mains.")
    if not rule.battery_ok:
        return _closed(GateName.POWER, "On battery.")
    if isinstance(share, Unknown):
        return _closed(GateName.POWER, f"On battery, and its charge is unknown: {share.why}.")
    least = rule.battery_share + (0.0 if look.memory.open else BATTERY_MARGIN)
    text = f"On battery, {share:.0%} charged; {least:.0%} are needed."
    return _open(GateName.POWER, text) if share >= least else _closed(GateName.POWER, text)


def _saving(look: GateInputs) -> IdleGate:
    low = look.signals.low_power
    if isinstance(low, Unknown):
        return _unknown(GateName.SAVING, "Low-power mode", low)
    if low and not look.rule.low_power_ok:
        return _closed(GateName.SAVING, "Low-power mode is on.")
    return _open(GateName.SAVING, f"Low-power mode is {'on' if low else 'off'}.")


def _heat(look: GateInputs) -> IdleGate:
    hot = look.signals.hot
    if isinstance(hot, Unknown):
        return _unknown(GateName.HEAT, "The machine's temperature", hot)
    if hot:
        return _closed(GateName.HEAT, "The machine is hot.")
    return _open(GateName.HEAT, "The machine is not hot.")


def _memory(look: GateInputs) -> IdleGate:
    free, pressure, rule = (
        look.signals.memory_free_share,
        look.signals.memory_pressure,
        look.rule,
    )
    if not isinstance(pressure, Unknown):
        most = rule.memory_pressure * (1.0 if look.memory.open else PRESSURE_FACTOR_TO_OPEN)
        if pressure > most:
            return _closed(GateName.MEMORY, f"Programs wait for memory ({pressure:.0%} of time).")
    if isinstance(free, Unknown):
        if isinstance(pressure, Unknown):
            return _unknown(GateName.MEMORY, "How much memory is free", free)
        return _open(GateName.MEMORY, "Nothing waits for memory.")
    least = rule.memory_share * (MEMORY_FACTOR_WHILE_OPEN if look.memory.open else 1.0)
    text = f"{free:.0%} of memory is free; {least:.0%} is needed."
    return _open(GateName.MEMORY, text) if free >= least else _closed(GateName.MEMORY, text)


def _load(look: GateInputs) -> IdleGate:
    load = look.signals.load_of_others
    if isinstance(load, Unknown):
        return _unknown(GateName.LOAD, "The load by other programs", load)
    most = look.rule.load_share + (LOAD_MARGIN if look.memory.open else 0.0)
    text = f"Other programs use {load:.0%} of the cores; at most {most:.0%} may be."
    return _open(GateName.LOAD, text) if load <= most else _closed(GateName.LOAD, text)
