"""The conditions (no input, no call, mains power, enough memory, …) under which Lull may work in
the background. One function per condition returns the condition's state, with a sentence for
people.

How the conditions together decide, and how long the user must be away, is in the idle policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from lull.core.calendars.event import Calendar, CalendarEvent, Meaning, block_end
from lull.core.idle.hours import inside, next_change
from lull.core.idle.pausing import FOR_EVER
from lull.core.idle.rule import (
    BATTERY_MARGIN,
    LOAD_MARGIN,
    MEMORY_FACTOR_WHILE_OPEN,
    PRESSURE_FACTOR_TO_OPEN,
    CarriedOver,
    ConditionName,
    ConditionState,
    IdleCondition,
    IdleRule,
)
from lull.core.idle.signals import IdleSignals, Unknown
from lull.core.text import durations as spans
from lull.core.text.coded_text import TextClock, TextDuration, TextPercent, coded_text

RECENT_INPUT_S: Final = 60.0
"""Seconds: input more recent than this is shown as "you are here", older input as a wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionInputs:
    """Everything from which the conditions for background work are evaluated: sensor readings, the
    user's settings, calendars and pause, and the state kept from the last evaluation.
    """

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
        """The time at which the signals were read."""
        return self.signals.now


def conditions(inputs: ConditionInputs) -> Iterator[IdleCondition]:
    """Yield the state of each condition for background work (input, call, power, …), in the order
    of `ConditionName`. The last condition, that the user must have been away for some time, is not
    among them.
    """
    yield _learning(inputs)
    yield _pause(inputs)
    yield _input(inputs)
    yield _chat(inputs)
    yield _wake(inputs)
    yield _call(inputs)
    yield _app(inputs)
    yield _calendar(inputs)
    yield _hours(inputs)
    yield _power(inputs)
    yield _saving(inputs)
    yield _heat(inputs)
    yield _memory(inputs)
    yield _load(inputs)


def event_now(events: Sequence[CalendarEvent], kind: Meaning, at: datetime) -> CalendarEvent | None:
    """Return the calendar event of this kind (user busy or away) that is under way at `at` (UTC)
    and ends last; None without one.
    """
    running = [e for e in events if e.kind is kind and e.start <= at < e.end]
    return max(running, key=lambda e: e.end.astimezone(UTC), default=None)


def _open(name: ConditionName, text: str, until: datetime | None = None) -> IdleCondition:
    return IdleCondition(name=name, state=ConditionState.OPEN, text=text, until=until)


def _closed(name: ConditionName, text: str, until: datetime | None = None) -> IdleCondition:
    return IdleCondition(name=name, state=ConditionState.CLOSED, text=text, until=until)


def _unknown(name: ConditionName, text: str, until: datetime | None = None) -> IdleCondition:
    return IdleCondition(name=name, state=ConditionState.UNKNOWN, text=text, until=until)


# Set by the user


def _learning(look: ConditionInputs) -> IdleCondition:
    if look.rule.enabled:
        return _open(ConditionName.LEARNING, coded_text("learning-on", "Learning is on."))
    text = coded_text("learning-off", "Learning is switched off in the settings.")
    return _closed(ConditionName.LEARNING, text)


def _pause(look: ConditionInputs) -> IdleCondition:
    end = look.paused_until
    if end is None or end <= look.now.astimezone(UTC):
        return _open(ConditionName.PAUSE, coded_text("not-paused", "Not paused."))
    if end >= FOR_EVER:
        return _closed(ConditionName.PAUSE, coded_text("paused", "Paused until you resume."))
    local = end.astimezone(look.now.tzinfo)
    text = coded_text("paused-until", "Paused until %1.", TextClock(local, look.now))
    return _closed(ConditionName.PAUSE, text, local)


def _hours(look: ConditionInputs) -> IdleCondition:
    blocked, allowed, now = look.rule.blocked_hours, look.rule.allowed_hours, look.now
    if inside(blocked, now):
        return _blocked(now, next_change(blocked, now))
    if allowed and not inside(allowed, now):
        return _not_allowed(now, next_change(allowed, now))
    ends = [e for e in (next_change(blocked, now), next_change(allowed, now)) if e is not None]
    text = coded_text("hours-free", "No hours are blocked now.")
    if allowed:
        text = coded_text("hours-allowed", "These are hours that you allowed.")
    return _open(ConditionName.HOURS, text, min(ends, key=_utc, default=None))


def _blocked(now: datetime, end: datetime | None) -> IdleCondition:
    text = coded_text("hours-blocked", "These are hours that you blocked.")
    if end is not None:
        words = "These are hours that you blocked, until %1."
        text = coded_text("hours-blocked-until", words, TextClock(end, now))
    return _closed(ConditionName.HOURS, text, end)


def _not_allowed(now: datetime, end: datetime | None) -> IdleCondition:
    text = coded_text("hours-not-allowed", "This is outside the hours that you allowed.")
    if end is not None:
        words = "This is outside the hours that you allowed, until %1."
        text = coded_text("hours-not-allowed-until", words, TextClock(end, now))
    return _closed(ConditionName.HOURS, text, end)


def _calendar(look: ConditionInputs) -> IdleCondition:
    """Evaluate the calendar condition; where feeds disagree, BUSY wins over AWAY."""
    now, at = look.now, look.now.astimezone(UTC)
    busy = event_now(look.events, Meaning.BUSY, at)
    if busy is not None:
        end = (block_end(look.events, Meaning.BUSY, at) or busy.end).astimezone(now.tzinfo)
        words = "%1 says that you need this computer until %2."
        text = coded_text("calendar-busy", words, _whose(look, busy), TextClock(end, now))
        return _closed(ConditionName.CALENDAR, text, end)
    coming = [e.start for e in look.events if e.kind is Meaning.BUSY and e.start > at]
    begin = min(coming, key=_utc, default=None)
    local = begin.astimezone(now.tzinfo) if begin is not None else None
    lost = [one for one in look.calendars if one.unread_s is not None]
    # BUSY feeds first: without one, a call would go unnoticed.
    lost.sort(key=lambda one: one.means is not Meaning.BUSY)
    if lost:
        return _unknown(ConditionName.CALENDAR, _lost_text(lost[0]), local)
    away = event_now(look.events, Meaning.AWAY, at)
    if away is not None:
        end = block_end(look.events, Meaning.AWAY, at) or away.end
        words = "%1 says that you are away until %2."
        text = coded_text("calendar-away", words, _whose(look, away), TextClock(end, now))
        return _open(ConditionName.CALENDAR, text, local)
    text = coded_text("calendar-free", "No calendar event needs this computer now.")
    return _open(ConditionName.CALENDAR, text, local)


def _whose(look: ConditionInputs, event: CalendarEvent) -> str:
    label = next((one.label for one in look.calendars if one.id == event.feed), "")
    if label:
        return coded_text("your-calendar-named", "Your calendar “%1”", label)
    return coded_text("your-calendar", "Your calendar")


def _lost_text(calendar: Calendar) -> str:
    label, age_s = calendar.label, calendar.unread_s
    busy = calendar.means is Meaning.BUSY
    if age_s is None or age_s == float("inf"):
        if busy:
            words = "Your calendar “%1” has never been read, so Lull can't see calls in it."
            return coded_text("calendar-call-never-read", words, label)
        words = "Your calendar “%1” has never been read, so Lull can't see meetings in it."
        return coded_text("calendar-never-read", words, label)
    if busy:
        words = "Your calendar “%1” could not be read for %2, so Lull can't see calls in it."
        return coded_text("calendar-call-lost", words, label, TextDuration(age_s))
    words = "Your calendar “%1” could not be read for %2, so Lull can't see meetings in it."
    return coded_text("calendar-lost", words, label, TextDuration(age_s))


def _utc(at: datetime) -> datetime:
    return at.astimezone(UTC)


# Signs of the user


def _input(look: ConditionInputs) -> IdleCondition:
    idle_s, rule = look.signals.input_idle_s, look.rule
    if isinstance(idle_s, Unknown):
        if in_fixed_hours(rule, look.now):
            left_s = _lost_left_s(look)
            if left_s > 0.0:
                return _lost_input(look, idle_s, left_s)
            words = "Can't tell whether you are here (%1), but you allowed these hours."
            return _open(
                ConditionName.INPUT, coded_text("input-unknown-set-hours", words, idle_s.reason)
            )
        words = "Can't tell whether you are here (%1), so Lull assumes that you are."
        return _unknown(ConditionName.INPUT, coded_text("input-unknown", words, idle_s.reason))
    if idle_s < min(RECENT_INPUT_S, look.needed_s):
        # No exact figure: whoever reads it has just used the mouse or the keyboard again.
        within = TextDuration(min(RECENT_INPUT_S, look.needed_s))
        text = coded_text("input-recent", "You are here: last input less than %1 ago.", within)
        return _closed(ConditionName.INPUT, text)
    return _open(
        ConditionName.INPUT, coded_text("input-none", "No input for %1.", TextDuration(idle_s))
    )


def input_lost_since_s(signals: IdleSignals, before: CarriedOver) -> float:
    """Return the time on the monotonic clock at which the sensor of keyboard and mouse input, which
    had worked before, stopped reporting; the present time if it has only just stopped.
    """
    return signals.monotonic_s if before.lost_s is None else before.lost_s


def _lost_left_s(look: ConditionInputs) -> float:
    """Seconds left of the full wait after a working input source fell silent; 0 if none ever
    worked."""
    if not look.memory.input_known:
        return 0.0
    silent_s = look.signals.monotonic_s - input_lost_since_s(look.signals, look.memory)
    return max(0.0, max(look.rule.longest_after_s, look.needed_s) - silent_s)


def _lost_input(look: ConditionInputs, reading: Unknown, left_s: float) -> IdleCondition:
    """Evaluate the input condition after its source broke: somebody may be typing at any hour."""
    words = "Can't tell any more whether you are here (%1), so for %2 Lull assumes that you are."
    text = coded_text("input-lost", words, reading.reason, TextDuration(look.rule.longest_after_s))
    return _unknown(ConditionName.INPUT, text, spans.add_seconds(look.now, left_s))


def in_fixed_hours(rule: IdleRule, now: datetime) -> bool:
    """Whether `now` is within the sleep hours or the allowed hours that the user has set. In these
    hours background work may run even if keyboard and mouse input cannot be measured.
    """
    return inside(rule.sleep_hours, now) or inside(rule.allowed_hours, now)


def _chat(look: ConditionInputs) -> IdleCondition:
    if look.signals.chats_in_flight:
        return _closed(ConditionName.CHAT, coded_text("chat-now", "A chat is being answered."))
    ago_s = look.signals.since_chat_s
    if ago_s == float("inf"):
        return _open(ConditionName.CHAT, coded_text("chat-none", "No chat is being answered."))
    told_s = ago_s - ago_s % 60 if ago_s >= 60 else ago_s  # whole minutes say enough
    return _open(
        ConditionName.CHAT,
        coded_text("chat-ended", "The last chat ended %1 ago.", TextDuration(told_s)),
    )


def _wake(look: ConditionInputs) -> IdleCondition:
    signals = look.signals
    if signals.asleep_gap_s > 0:
        words = "The computer slept for %1 and has just woken up."
        return _closed(
            ConditionName.WAKE, coded_text("woken", words, TextDuration(signals.asleep_gap_s))
        )
    if signals.locked is False and look.memory.locked:
        return _closed(
            ConditionName.WAKE, coded_text("unlocked", "The screen was unlocked just now.")
        )
    if isinstance(signals.locked, Unknown):
        words = "Can't tell whether the screen is locked: %1."
        return _unknown(
            ConditionName.WAKE, coded_text("locked-unknown", words, signals.locked.reason)
        )
    if signals.locked:
        return _open(ConditionName.WAKE, coded_text("locked", "The screen is locked."))
    return _open(ConditionName.WAKE, coded_text("not-locked", "The screen is not locked."))


def _call(look: ConditionInputs) -> IdleCondition:
    call = look.signals.call
    if isinstance(call, Unknown):
        words = "Can't tell whether there is a call or a video: %1."
        return _unknown(ConditionName.CALL, coded_text("call-unknown", words, call.reason))
    if call:
        return _closed(ConditionName.CALL, coded_text("call", "A call or video is in progress."))
    return _open(ConditionName.CALL, coded_text("no-call", "No call or video is in progress."))


def _app(look: ConditionInputs) -> IdleCondition:
    app = look.signals.exclusive_app
    if isinstance(app, Unknown):
        if look.rule.exclusive_apps:
            words = "Can't tell whether one of the programs that Lull waits for is running: %1."
            return _unknown(ConditionName.APP, coded_text("app-unknown", words, app.reason))
        app = ""
    if app:
        return _closed(ConditionName.APP, coded_text("app", "%1 is running.", app))
    words = "None of the programs that Lull waits for is running."
    return _open(ConditionName.APP, coded_text("no-app", words))


# The machine


def _power(look: ConditionInputs) -> IdleCondition:
    mains, share, rule = look.signals.on_mains, look.signals.battery_share, look.rule
    if isinstance(mains, Unknown):
        words = "Can't tell whether the computer is plugged in: %1."
        return _unknown(ConditionName.POWER, coded_text("power-unknown", words, mains.reason))
    if mains:
        return _open(ConditionName.POWER, coded_text("mains", "Plugged in."))
    if not rule.battery_ok:
        return _closed(ConditionName.POWER, coded_text("battery", "On battery."))
    if isinstance(share, Unknown):
        words = "On battery, with an unknown charge: %1."
        return _closed(ConditionName.POWER, coded_text("battery-unknown", words, share.reason))
    least = rule.battery_share + (0.0 if look.memory.open else BATTERY_MARGIN)
    words = "On battery, %1 charged; Lull needs %2."
    text = coded_text("battery-charge", words, TextPercent(share), TextPercent(least))
    return (
        _open(ConditionName.POWER, text) if share >= least else _closed(ConditionName.POWER, text)
    )


def _saving(look: ConditionInputs) -> IdleCondition:
    low = look.signals.low_power
    if isinstance(low, Unknown):
        words = "Can't tell whether low-power mode is on: %1."
        return _unknown(ConditionName.SAVING, coded_text("saving-unknown", words, low.reason))
    if not low:
        return _open(ConditionName.SAVING, coded_text("not-saving", "Low-power mode is off."))
    text = coded_text("saving", "Low-power mode is on.")
    return (
        _open(ConditionName.SAVING, text)
        if look.rule.low_power_ok
        else _closed(ConditionName.SAVING, text)
    )


def _heat(look: ConditionInputs) -> IdleCondition:
    hot = look.signals.hot
    if isinstance(hot, Unknown):
        words = "Can't tell the computer's temperature: %1."
        return _unknown(ConditionName.HEAT, coded_text("heat-unknown", words, hot.reason))
    if hot:
        return _closed(ConditionName.HEAT, coded_text("hot", "The computer is hot."))
    return _open(ConditionName.HEAT, coded_text("not-hot", "The computer is not hot."))


def _memory(look: ConditionInputs) -> IdleCondition:
    free, pressure, rule = (
        look.signals.memory_free_share,
        look.signals.memory_pressure,
        look.rule,
    )
    if not isinstance(pressure, Unknown):
        most = rule.memory_pressure * (1.0 if look.memory.open else PRESSURE_FACTOR_TO_OPEN)
        if pressure > most:
            words = "Programs are waiting for memory (%1 of the time)."
            return _closed(
                ConditionName.MEMORY, coded_text("memory-waited", words, TextPercent(pressure))
            )
    if isinstance(free, Unknown):
        if isinstance(pressure, Unknown):
            words = "Can't tell how much memory is free: %1."
            return _unknown(ConditionName.MEMORY, coded_text("memory-unknown", words, free.reason))
        words = "No program is waiting for memory."
        return _open(ConditionName.MEMORY, coded_text("memory-not-waited", words))
    least = rule.memory_share * (MEMORY_FACTOR_WHILE_OPEN if look.memory.open else 1.0)
    text = coded_text(
        "memory-free", "%1 of memory is free; %2 is needed.", TextPercent(free), TextPercent(least)
    )
    return (
        _open(ConditionName.MEMORY, text) if free >= least else _closed(ConditionName.MEMORY, text)
    )


def _load(look: ConditionInputs) -> IdleCondition:
    load = look.signals.load_of_others
    if isinstance(load, Unknown):
        words = "Can't tell how busy other programs are: %1."
        return _unknown(ConditionName.LOAD, coded_text("load-unknown", words, load.reason))
    most = look.rule.load_share + (LOAD_MARGIN if look.memory.open else 0.0)
    used, limit = TextPercent(load), TextPercent(most)
    words = "Other programs use %1 of the processor; Lull starts below %2."
    text = coded_text("load-to-start", words, used, limit)
    if look.memory.open:  # it began below the setting, and bears more until it stops
        words = "Other programs use %1 of the processor; Lull stops above %2."
        text = coded_text("load-to-stop", words, used, limit)
    return _open(ConditionName.LOAD, text) if load <= most else _closed(ConditionName.LOAD, text)
