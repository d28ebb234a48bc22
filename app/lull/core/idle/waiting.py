"""Computes how long the user and the machine have been quiet, and how long they must be before
background work starts.

There are three separate waits. The wait for the user starts anew after input, chats, calls and
meetings; the wait for the machine, after strain from load, heat or power. The third, longer one
follows the answer of a chat: whoever reads it touches nothing, and will want the model again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import Final

from lull.core.calendars.event import CalendarEvent, Meaning
from lull.core.idle.conditions import RECENT_INPUT_S, event_now, input_lost_since_s
from lull.core.idle.hours import inside
from lull.core.idle.rule import (
    LEAST_WAIT_S,
    PRESENCE_CONDITIONS,
    STRAIN_CONDITIONS,
    CarriedOver,
    ConditionName,
    ConditionState,
    IdleCondition,
    IdleRule,
)
from lull.core.idle.signals import IdleSignals, Unknown
from lull.core.text import durations as spans
from lull.core.text.coded_text import CodedText, TextDuration, coded_text

READ_AFTER_S: Final = 120.0
"""Seconds after the end of a chat's answer from which on input shows that the answer has been
read.
"""


def wait_needed_s(
    signals: IdleSignals, rule: IdleRule, events: Sequence[CalendarEvent], before: CarriedOver
) -> float:
    """Return for how many seconds the user must be inactive before background work may run: the
    shortest of the waits that apply now.

    While work is running, the wait that applied when it started stays enough, so a night's work
    does not stop because the sleep hours end. Where Lull cannot see input or calls, silence says
    less, and the longest wait applies.
    """
    waits = [
        rule.longest_after_s if _is_blind(signals) else rule.after_s,
        *_when_surer(signals, rule, events),
    ]
    if before.open:
        waits.append(before.needed_s)
    return max(LEAST_WAIT_S, min(waits))


def _is_blind(signals: IdleSignals) -> bool:
    return isinstance(signals.input_idle_s, Unknown) or isinstance(signals.call, Unknown)


def _when_surer(
    signals: IdleSignals, rule: IdleRule, events: Sequence[CalendarEvent]
) -> Iterator[float]:
    """Yield the shorter waits that apply while more than silence says that the user is away."""
    if signals.locked is True:
        yield rule.locked_after_s
    away = event_now(events, Meaning.AWAY, signals.now.astimezone(UTC))
    if away is not None or inside(rule.sleep_hours, signals.now):
        yield rule.sure_after_s


def answer_left_s(signals: IdleSignals, rule: IdleRule, before: CarriedOver) -> float:
    """Return for how many more seconds somebody may be reading the last chat's answer, which keeps
    background work waiting; 0 if no answer is being read.

    An answer counts as read once there was input some time after its end. (Scrolling down in it
    takes less.) A chat in sleep hours or a meeting shows that these are wrong today; only a locked
    screen shortens this wait. Work that has begun is stopped by the next chat, not by this wait.
    """
    idle_s = signals.input_idle_s
    read = not isinstance(idle_s, Unknown) and idle_s <= signals.since_chat_s - READ_AFTER_S
    if read or before.open:
        return 0.0
    wait_s = rule.longest_after_s
    if signals.locked is True:
        wait_s = min(wait_s, rule.locked_after_s)
    return max(0.0, wait_s - signals.since_chat_s)


def updated_memory(
    signals: IdleSignals, before: CarriedOver, closed: Sequence[IdleCondition]
) -> CarriedOver:
    """Return the state that the idle policy keeps for its next decision: the previous state
    (`before`), updated with the times of the user's latest activity and of the machine's latest
    strain (such as high load, heat or battery power). `closed` are the conditions that forbid work
    now.

    Sensors of input and chats report how long ago the last activity was. Its time is computed anew
    each time, and so is right even after a period in which the sensors could not be read.
    """
    now_s = signals.monotonic_s
    told = not isinstance(signals.input_idle_s, Unknown)
    here = any(g.name in PRESENCE_CONDITIONS and g.name is not ConditionName.INPUT for g in closed)
    strained = any(g.name in STRAIN_CONDITIONS for g in closed)
    known = not isinstance(signals.locked, Unknown)
    return CarriedOver(
        input_s=_last_input_s(signals, before, closed),
        here_s=now_s if here else before.here_s,
        strained_s=now_s if strained else before.strained_s,
        input_known=told or before.input_known,
        lost_s=None if told or not before.input_known else input_lost_since_s(signals, before),
        locked=signals.locked is True if known else before.locked,
    )


def _last_input_s(
    signals: IdleSignals, before: CarriedOver, shut: Sequence[IdleCondition]
) -> float:
    if not isinstance(signals.input_idle_s, Unknown):
        return signals.monotonic_s - signals.input_idle_s
    taken_for_here = any(
        g.name is ConditionName.INPUT and g.state is ConditionState.UNKNOWN and g.until is None
        for g in shut
    )
    if taken_for_here or before.input_s is None:
        return signals.monotonic_s
    return before.input_s


def quiet_for_s(signals: IdleSignals, memory: CarriedOver) -> float:
    """Return the seconds since the user's last activity of any kind (input, chats, calls)."""
    now_s = signals.monotonic_s
    signs = [s for s in (memory.input_s, memory.here_s) if s is not None]
    signs.append(now_s if signals.chats_in_flight else now_s - signals.since_chat_s)
    return max(0.0, now_s - max(signs))


def wait_left_s(
    signals: IdleSignals,
    rule: IdleRule,
    memory: CarriedOver,
    *,
    needed_s: float,
    reading_s: float,
) -> float:
    """Return how many more seconds of quiet are needed before background work may start. It is the
    longest of three waits: for the user to stay away, for the last answer to be read (`reading_s`
    more seconds), and for the machine to settle after a strain such as high load, heat or battery
    power.
    """
    left_s = max(needed_s - quiet_for_s(signals, memory), reading_s)
    if memory.strained_s is not None:
        settled_s = max(0.0, signals.monotonic_s - memory.strained_s)
        left_s = max(left_s, rule.settle_s - settled_s)
    # Less than a millisecond is a rounding error.
    return left_s if left_s >= 1e-3 else 0.0


def wait_condition(
    signals: IdleSignals,
    rule: IdleRule,
    *,
    left_s: float,
    quiet_s: float,
    needed_s: float,
    reading_s: float,
) -> IdleCondition:
    """Return the condition that the machine has been left alone for long enough, with its state."""
    longer = _is_blind(signals) and needed_s > rule.after_s
    if left_s <= 0.0:
        text = coded_text("quiet", "No sign of you for %1.", TextDuration(quiet_s))
        return IdleCondition(name=ConditionName.WAIT, state=ConditionState.OPEN, text=text)
    text = coded_text("settling", "Waiting a minute for the computer to settle.")
    if quiet_s < needed_s:
        text = _waiting(quiet_s, needed_s, longer=longer)
    if reading_s > max(0.0, needed_s - quiet_s):
        words = "Waiting until you have read the answer from %1 ago."
        text = coded_text("answer-unread", words, TextDuration(signals.since_chat_s))
        if signals.since_chat_s < RECENT_INPUT_S:
            text = coded_text("answer-new", "Waiting until you have read the last answer.")
    until = spans.add_seconds(signals.now, left_s)
    return IdleCondition(
        name=ConditionName.WAIT, state=ConditionState.CLOSED, text=text, until=until
    )


def _waiting(quiet_s: float, needed_s: float, *, longer: bool) -> CodedText:
    """Say when work starts; `longer` where that is later than the settings say."""
    # Without a figure: input is asked for now and then, and whoever reads it has given some.
    begun = quiet_s < min(RECENT_INPUT_S, needed_s)
    so_far, needed = TextDuration(quiet_s), TextDuration(needed_s)
    if begun and longer:
        words = (
            "Starts after %1 without you. That is longer than usual, because Lull cannot see "
            "every sign of you here."
        )
        return coded_text("waiting-begun-longer", words, needed)
    if begun:
        words = "Starts after %1 without you."
        return coded_text("waiting-begun", words, needed)
    if longer:
        words = (
            "Starts after %2 without you (%1 so far). That is longer than usual, because Lull "
            "cannot see every sign of you here."
        )
        return coded_text("waiting-longer", words, so_far, needed)
    words = "Starts after %2 without you (%1 so far)."
    return coded_text("waiting", words, so_far, needed)
