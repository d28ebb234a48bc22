"""For how long there was no sign of anybody, and for how long there must be none.

The user's wait and the machine's: input, chats, calls and meetings begin the one anew, load, heat
and power the other. What else must be in order is `core/idle_gates.py`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from lull.core import spans
from lull.core.calendar_event import CalendarEvent, Meaning
from lull.core.hours import inside
from lull.core.idle_gates import event_now, lost_since_s
from lull.core.idle_rule import (
    HERE,
    LEAST_WAIT_S,
    STRAIN,
    Gate,
    GateName,
    GateState,
    IdleRule,
    Memory,
)
from lull.core.idle_signals import IdleSignals, Unknown


def wait_needed_s(
    signals: IdleSignals, rule: IdleRule, events: Sequence[CalendarEvent], before: Memory
) -> float:
    """The shortest wait that something speaks for; while a window is open, never more than what it
    was opened with: a night's work does not stop because sleep hours end."""
    waits = [rule.after_s]
    if signals.locked is True:
        waits.append(rule.locked_after_s)
    away = event_now(events, Meaning.AWAY, signals.now.astimezone(UTC))
    if away is not None or inside(rule.sleep_hours, signals.now):
        waits.append(rule.sure_after_s)
    if before.open:
        waits.append(before.needed_s)
    return max(LEAST_WAIT_S, min(waits))


def remembered(signals: IdleSignals, before: Memory, shut: Sequence[Gate]) -> Memory:
    """The newest sign of anybody, and the newest strain of the machine.

    Input and chats tell their own time, and are believed anew at each look: also of the time in
    which nothing was known.
    """
    now_s = signals.monotonic_s
    told = not isinstance(signals.input_idle_s, Unknown)
    here = any(g.name in HERE and g.name is not GateName.INPUT for g in shut)
    strained = any(g.name in STRAIN for g in shut)
    known = not isinstance(signals.locked, Unknown)
    return Memory(
        input_s=_last_input_s(signals, before, shut),
        here_s=now_s if here else before.here_s,
        strained_s=now_s if strained else before.strained_s,
        input_known=told or before.input_known,
        lost_s=None if told or not before.input_known else lost_since_s(signals, before),
        locked=signals.locked is True if known else before.locked,
    )


def _last_input_s(signals: IdleSignals, before: Memory, shut: Sequence[Gate]) -> float:
    if not isinstance(signals.input_idle_s, Unknown):
        return signals.monotonic_s - signals.input_idle_s
    taken_for_here = any(
        g.name is GateName.INPUT and g.state is GateState.UNKNOWN and g.until is None for g in shut
    )
    if taken_for_here or before.input_s is None:
        return signals.monotonic_s
    return before.input_s


def quiet_for_s(signals: IdleSignals, memory: Memory) -> float:
    """Since the last sign of anybody, whatever it was."""
    now_s = signals.monotonic_s
    signs = [s for s in (memory.input_s, memory.here_s) if s is not None]
    signs.append(now_s if signals.chats_in_flight else now_s - signals.since_chat_s)
    return max(0.0, now_s - max(signs))


def wait_left_s(signals: IdleSignals, rule: IdleRule, memory: Memory, needed_s: float) -> float:
    """Of the wait for the user and of that for the machine, the longer one."""
    left_s = needed_s - quiet_for_s(signals, memory)
    if memory.strained_s is not None:
        settled_s = max(0.0, signals.monotonic_s - memory.strained_s)
        left_s = max(left_s, rule.settle_s - settled_s)
    # Less than a millisecond is rounding, and no time that could be told.
    return left_s if left_s >= 1e-3 else 0.0


def wait_gate(now: datetime, left_s: float, quiet_s: float, needed_s: float) -> Gate:
    if left_s <= 0.0:
        text = f"No sign of you for {spans.length(quiet_s)}."
        return Gate(name=GateName.WAIT, state=GateState.OPEN, text=text)
    text = (
        f"Waiting for a lull: {spans.length(quiet_s)} of {spans.length(needed_s)} without you."
        if quiet_s < needed_s
        else "Waiting a minute until the machine has settled."
    )
    until = spans.later(now, left_s)
    return Gate(name=GateName.WAIT, state=GateState.CLOSED, text=text, until=until)
