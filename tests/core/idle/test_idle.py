"""Tests of the idle policy as a table: signals of successive looks, and what the policy decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lull.core.calendars.event import Calendar, CalendarEvent, Meaning
from lull.core.idle.hours import parse_hours
from lull.core.idle.pausing import FOR_EVER
from lull.core.idle.policy import IdleWindow, WindowState, decide
from lull.core.idle.rule import CarriedOver, ConditionName, ConditionState, IdleRule
from lull.core.idle.signals import IdleSignals, Unknown

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 18, 12, 0, tzinfo=BERLIN)  # a Wednesday
NIGHT = datetime(2026, 11, 18, 2, 0, tzinfo=BERLIN)
GREEN: Mapping[str, Any] = {
    "input_idle_s": 900.0,
    "locked": False,
    "on_mains": True,
    "battery_share": 1.0,
    "low_power": False,
    "hot": False,
    "load_of_others": 0.05,
    "memory_free_share": 0.5,
    "memory_pressure": 0.0,
    "call": False,
    "exclusive_app": "",
}
SLEEPS = IdleRule(sleep_hours=(parse_hours("23:00-07:00"),))
PATIENT = IdleRule(after_s=600.0)
UNKNOWN = Unknown("there is no display")


@dataclass(frozen=True)
class See:
    """What one look sees, `after_s` seconds after the first one."""

    after_s: float = 0.0
    clock_s: float = 0.0
    """Seconds by which the wall clock was moved besides."""
    events: Sequence[CalendarEvent] = ()
    signals: dict[str, Any] = field(default_factory=dict)


def see(
    after_s: float = 0.0,
    *,
    clock_s: float = 0.0,
    events: Sequence[CalendarEvent] = (),
    **signals: Any,
) -> See:
    return See(after_s, clock_s, events, signals)


def looked(
    *looks: See,
    start: datetime = NOON,
    rule: IdleRule | None = None,
    paused_until: datetime | None = None,
    train_now: bool = False,
    calendars: Sequence[Calendar] = (),
) -> IdleWindow:
    """Run the policy over these looks and return what the last one says."""
    memory: CarriedOver | None = None
    window = None
    for look in looks:
        now = start.astimezone(UTC) + timedelta(seconds=look.after_s + look.clock_s)
        signals = IdleSignals(
            now=now.astimezone(start.tzinfo),
            monotonic_s=10_000.0 + look.after_s,
            **{**GREEN, **look.signals},
        )
        window = decide(
            signals,
            settings=rule or IdleRule(),
            events=look.events,
            calendars=calendars,
            paused_until=paused_until,
            state=memory,
            train_now=train_now,
        )
        memory = window.memory
    assert window is not None
    return window


def event(
    start: datetime, minutes: float, kind: Meaning = Meaning.BUSY, feed: str = "work"
) -> CalendarEvent:
    begin = start.astimezone(UTC)
    end = begin + timedelta(minutes=minutes)
    return CalendarEvent(start=begin, end=end, kind=kind, feed=feed)


def at(hour: int, minute: int = 0, *, day: datetime = NOON) -> datetime:
    return day.replace(hour=hour, minute=minute)


AWAY, BUSY = Meaning.AWAY, Meaning.BUSY
NOON_CALL = (event(at(11, 30), 60),)
NOON_MEETING = (event(at(11, 30), 60, AWAY),)
ALL_DAY = (event(at(0), 24 * 60),)
HOLIDAY = (event(at(0), 24 * 60, AWAY),)
OVER_MIDNIGHT = (event(at(23, 30, day=NOON - timedelta(days=1)), 240),)
OPEN, CLOSED, PAUSED, OFF = (
    WindowState.OPEN,
    WindowState.CLOSED,
    WindowState.PAUSED,
    WindowState.OFF,
)


@dataclass(frozen=True)
class Case:
    name: str
    looks: tuple[See, ...]
    state: WindowState
    by: ConditionName | None = None
    start: datetime = NOON
    rule: IdleRule | None = None
    paused_until: datetime | None = None
    train_now: bool = False


def case(
    name: str,
    looks: See | tuple[See, ...],
    state: WindowState,
    by: ConditionName | None = None,
    **more: Any,
) -> Case:
    return Case(name, (looks,) if isinstance(looks, See) else looks, state, by, **more)


INPUT, WAIT, CHAT, WAKE, CALENDAR = (
    ConditionName.INPUT,
    ConditionName.WAIT,
    ConditionName.CHAT,
    ConditionName.WAKE,
    ConditionName.CALENDAR,
)
WAITS = (CLOSED, WAIT)
CASES = [
    # The user
    case("nobody for a quarter of an hour", see(), OPEN),
    case("a key this second", see(input_idle_s=0.0), CLOSED, INPUT),
    case("a key half a minute ago", see(input_idle_s=30.0), CLOSED, INPUT),
    case("eighty-nine seconds", see(input_idle_s=89.0), CLOSED, WAIT),
    case("a minute and a half to the second", see(input_idle_s=90.0), OPEN),
    case("nine minutes where ten are wanted", see(input_idle_s=540.0), CLOSED, WAIT, rule=PATIENT),
    case("ten minutes where ten are wanted", see(input_idle_s=600.0), OPEN, rule=PATIENT),
    case("two minutes, locked", see(input_idle_s=120.0, locked=True), OPEN, rule=PATIENT),
    case(
        "a minute and a half, locked",
        see(input_idle_s=90.0, locked=True),
        CLOSED,
        WAIT,
        rule=PATIENT,
    ),
    case(
        "two minutes, lock unknown",
        see(input_idle_s=120.0, locked=UNKNOWN),
        CLOSED,
        WAIT,
        rule=PATIENT,
    ),
    case("ten minutes, lock unknown", see(locked=UNKNOWN), OPEN, rule=PATIENT),
    case("nine minutes where no call can be seen", see(input_idle_s=540.0, call=UNKNOWN), *WAITS),
    case("ten minutes where no call can be seen", see(input_idle_s=600.0, call=UNKNOWN), OPEN),
    # An answer that is read
    case("an answer two minutes ago", see(input_idle_s=150.0, since_chat_s=120.0), *WAITS),
    case("an answer nine minutes ago", see(since_chat_s=540.0), *WAITS),
    case("an answer ten minutes ago", see(since_chat_s=600.0), OPEN),
    case(
        "an answer that was scrolled in, and no more",
        see(input_idle_s=300.0, since_chat_s=360.0),
        *WAITS,
    ),
    case(
        "an answer after which there was work at the machine",
        see(input_idle_s=90.0, since_chat_s=210.0),
        OPEN,
    ),
    case(
        "an answer that nobody can be seen to read",
        see(input_idle_s=UNKNOWN, since_chat_s=540.0),
        CLOSED,
        INPUT,
    ),
    case(
        "an answer two minutes ago, locked",
        see(input_idle_s=150.0, since_chat_s=120.0, locked=True),
        OPEN,
    ),
    case(
        "an answer a minute and a half ago, locked",
        see(input_idle_s=150.0, since_chat_s=90.0, locked=True),
        *WAITS,
    ),
    case(
        "an answer nine minutes ago in sleep hours, which somebody sits up through",
        see(since_chat_s=540.0),
        *WAITS,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "an answer nine minutes ago in a meeting, which was cancelled",
        see(since_chat_s=540.0, events=NOON_MEETING),
        *WAITS,
    ),
    case(
        "an answer three minutes ago, locked, and the work goes on without the lock",
        (
            see(since_chat_s=180.0, locked=True),
            see(15, since_chat_s=195.0, locked=UNKNOWN),
        ),
        OPEN,
    ),
    case(
        "an answer of yesterday, and an unlocked screen",
        (
            see(since_chat_s=50_000.0, input_idle_s=50_000.0, locked=True),
            see(15, since_chat_s=50_015.0, input_idle_s=50_015.0),
            see(106, since_chat_s=50_106.0, input_idle_s=50_106.0),
        ),
        OPEN,
    ),
    case("a key in an open window", (see(), see(15, input_idle_s=0.05)), CLOSED, INPUT),
    case("input is believed anew at each look", (see(input_idle_s=0.0), see(16)), OPEN),
    case(
        "input that the source forgets",
        (see(input_idle_s=0.0), see(15, input_idle_s=UNKNOWN)),
        CLOSED,
        INPUT,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "a source that broke a while ago in sleep hours",
        (see(input_idle_s=0.0), see(15, input_idle_s=UNKNOWN), see(600, input_idle_s=UNKNOWN)),
        CLOSED,
        INPUT,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "a source that broke a whole wait ago in sleep hours",
        (see(input_idle_s=0.0), see(15, input_idle_s=UNKNOWN), see(616, input_idle_s=UNKNOWN)),
        OPEN,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "a source that breaks in a window open in sleep hours",
        (see(), see(15, input_idle_s=UNKNOWN)),
        CLOSED,
        INPUT,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "a source that breaks twice in sleep hours",
        (
            *(see(), see(15, input_idle_s=UNKNOWN), see(500, input_idle_s=0.0)),
            *(see(515, input_idle_s=UNKNOWN), see(700, input_idle_s=UNKNOWN)),
        ),
        CLOSED,
        INPUT,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "a source that is asked for the first time",
        (see(input_idle_s=UNKNOWN, locked=UNKNOWN), see(1)),
        OPEN,
    ),
    case("typing in sleep hours", see(input_idle_s=1.0), CLOSED, INPUT, rule=SLEEPS, start=NIGHT),
    case(
        "typing in the middle of the night's work",
        (see(), see(3600, input_idle_s=4500.0), see(3600.1, input_idle_s=0.0)),
        CLOSED,
        INPUT,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case("two minutes in sleep hours", see(input_idle_s=120.0), OPEN, rule=SLEEPS, start=NIGHT),
    case(
        "one minute in sleep hours", see(input_idle_s=61.0), CLOSED, WAIT, rule=SLEEPS, start=NIGHT
    ),
    case(
        "two minutes outside of them",
        see(input_idle_s=120.0),
        CLOSED,
        WAIT,
        rule=replace(SLEEPS, after_s=600.0),
    ),
    case(
        "sleep hours that end while it works",
        (see(input_idle_s=130.0), see(61, input_idle_s=191.0)),
        OPEN,
        rule=SLEEPS,
        start=at(6, 59),
    ),
    case(
        "unlocked by nobody who is seen",
        (see(input_idle_s=UNKNOWN, locked=True), see(300, input_idle_s=UNKNOWN, locked=False)),
        CLOSED,
        WAKE,
        rule=SLEEPS,
        start=NIGHT,
    ),
    # Nobody can tell
    case("unknown input", see(input_idle_s=UNKNOWN), CLOSED, INPUT),
    case("unknown input, locked", see(input_idle_s=UNKNOWN, locked=True), CLOSED, INPUT),
    case(
        "unknown input in sleep hours, at first sight",
        see(input_idle_s=UNKNOWN),
        CLOSED,
        WAIT,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "unknown input in sleep hours, after the wait",
        (see(input_idle_s=UNKNOWN), see(121, input_idle_s=UNKNOWN)),
        OPEN,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "unknown input in hours that the user allowed",
        (see(input_idle_s=UNKNOWN), see(601, input_idle_s=UNKNOWN)),
        OPEN,
        rule=IdleRule(allowed_hours=(parse_hours("12:00-13:00"),)),
    ),
    case(
        "unknown input outside of the sleep hours",
        (see(input_idle_s=UNKNOWN), see(900, input_idle_s=UNKNOWN)),
        CLOSED,
        INPUT,
        rule=SLEEPS,
    ),
    case(
        "a source that breaks in an open window",
        (see(), see(15, input_idle_s=UNKNOWN)),
        CLOSED,
        INPUT,
    ),
    case(
        "everything but input unknown",
        see(**{name: UNKNOWN for name in GREEN if name != "input_idle_s"}),
        OPEN,
    ),
    # Chats
    case("a chat is answered", see(chats_in_flight=1), CLOSED, CHAT),
    case("a chat ended a minute ago", see(since_chat_s=60.0), CLOSED, WAIT),
    case("a chat ended eleven minutes ago", see(since_chat_s=660.0), OPEN),
    case(
        "a request from a phone at night",
        (see(), see(3600, chats_in_flight=1, input_idle_s=4500.0)),
        CLOSED,
        CHAT,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "two minutes after the phone",
        (see(), see(3600, chats_in_flight=1), see(3730, since_chat_s=125.0)),
        CLOSED,
        WAIT,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "ten minutes after the phone",
        (see(), see(3600, chats_in_flight=1), see(4205, since_chat_s=600.0)),
        OPEN,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case(
        "train now, while a chat is answered", see(chats_in_flight=1), CLOSED, CHAT, train_now=True
    ),
    # Calendars
    case("a call on this machine", see(events=NOON_CALL), CLOSED, CALENDAR),
    case("a meeting elsewhere", see(events=NOON_MEETING), OPEN),
    case("a meeting shortens the wait", see(input_idle_s=125.0, events=NOON_MEETING), OPEN),
    case("typing in a meeting", see(input_idle_s=0.5, events=NOON_MEETING), CLOSED, INPUT),
    case(
        "a meeting that was cancelled is gone",
        (see(events=NOON_MEETING, input_idle_s=30), see(100, input_idle_s=130.0)),
        CLOSED,
        WAIT,
        rule=PATIENT,
    ),
    case(
        "a call that was cancelled is gone",
        (see(events=NOON_CALL), see(601, input_idle_s=1501.0)),
        OPEN,
    ),
    case(
        "a call that was moved to now",
        (see(events=(event(at(15), 30),)), see(15, events=(event(at(12), 30),))),
        CLOSED,
        CALENDAR,
    ),
    case(
        "a call that was moved away",
        (see(events=(event(at(12), 30),)), see(601, events=(event(at(15), 30),))),
        OPEN,
    ),
    case("busy all day", see(events=ALL_DAY), CLOSED, CALENDAR),
    case("away all day", see(input_idle_s=125.0, events=HOLIDAY), OPEN),
    case(
        "all day, but yesterday",
        see(events=(event(at(0, day=NOON - timedelta(days=1)), 1440),)),
        OPEN,
    ),
    case("a call across midnight", see(events=OVER_MIDNIGHT), CLOSED, CALENDAR, start=NIGHT),
    case("just after a call", see(events=(event(at(11, 30), 30),)), OPEN),
    case(
        "a call that has just ended leaves somebody",
        (
            see(events=NOON_CALL),
            see(1790, events=NOON_CALL, input_idle_s=2690.0),
            see(1805, events=NOON_CALL, input_idle_s=2705.0),
        ),
        CLOSED,
        WAIT,
    ),
    case("two feeds that disagree", see(events=NOON_MEETING + NOON_CALL), CLOSED, CALENDAR),
    case("a call begins at this second", see(events=(event(NOON, 30),)), CLOSED, CALENDAR),
    case("a call ends at this second", see(events=(event(at(11), 60),)), OPEN),
    case(
        "a call through the doubled hour, in the second half",
        see(events=(event(datetime(2026, 10, 25, 1, 30, tzinfo=BERLIN), 150),)),
        CLOSED,
        CALENDAR,
        start=datetime(2026, 10, 25, 2, 45, tzinfo=BERLIN, fold=1),
    ),
    case(
        "a call in the first of the two hours, seen in the second",
        see(events=(event(datetime(2026, 10, 25, 2, 0, tzinfo=BERLIN), 60),)),
        OPEN,
        start=datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1),
    ),
    case(
        "a call across the skipped hour",
        see(events=(event(datetime(2026, 3, 29, 1, 45, tzinfo=BERLIN), 30),)),
        CLOSED,
        CALENDAR,
        start=datetime(2026, 3, 29, 3, 10, tzinfo=BERLIN),
    ),
    # Hours
    case(
        "blocked hours",
        see(),
        CLOSED,
        ConditionName.HOURS,
        rule=IdleRule(blocked_hours=(parse_hours("wed 11:00-13:00"),)),
    ),
    case(
        "blocked on another day",
        see(),
        OPEN,
        rule=IdleRule(blocked_hours=(parse_hours("thu 11:00-13:00"),)),
    ),
    case("allowed hours", see(), OPEN, rule=IdleRule(allowed_hours=(parse_hours("11:00-13:00"),))),
    case(
        "not in the allowed hours",
        see(),
        CLOSED,
        ConditionName.HOURS,
        rule=IdleRule(allowed_hours=(parse_hours("22:00-06:00"),)),
    ),
    case(
        "allowed and blocked at once",
        see(),
        CLOSED,
        ConditionName.HOURS,
        rule=IdleRule(
            allowed_hours=(parse_hours("11:00-13:00"),), blocked_hours=(parse_hours("12:00-12:30"),)
        ),
    ),
    case(
        "blocked hours that end need no new wait",
        (see(), see(1801, input_idle_s=2700.0)),
        OPEN,
        rule=IdleRule(blocked_hours=(parse_hours("11:00-12:30"),)),
    ),
    # Calls, films, apps
    case("a film", see(call=True), CLOSED, ConditionName.CALL),
    case("just after a film", (see(call=True), see(15)), CLOSED, WAIT),
    case("ten minutes after a film", (see(call=True), see(601)), OPEN),
    case(
        "a call in sleep hours",
        see(call=True),
        CLOSED,
        ConditionName.CALL,
        rule=SLEEPS,
        start=NIGHT,
    ),
    case("a game", see(exclusive_app="Tetris"), CLOSED, ConditionName.APP),
    case("which app is unknown, and none was named", see(exclusive_app=UNKNOWN), OPEN),
    # The machine
    case("on battery", see(on_mains=False), CLOSED, ConditionName.POWER),
    case(
        "battery in the middle of a window",
        (see(), see(1, on_mains=False)),
        CLOSED,
        ConditionName.POWER,
    ),
    case("just back on mains", (see(on_mains=False), see(15)), CLOSED, WAIT),
    case("a minute back on mains", (see(on_mains=False), see(61)), OPEN),
    case("on battery, allowed", see(on_mains=False), OPEN, rule=IdleRule(battery_ok=True)),
    case(
        "on battery, allowed, nearly empty",
        see(on_mains=False, battery_share=0.2),
        CLOSED,
        ConditionName.POWER,
        rule=IdleRule(battery_ok=True),
    ),
    case(
        "on battery, allowed, charge unknown",
        see(on_mains=False, battery_share=UNKNOWN),
        CLOSED,
        ConditionName.POWER,
        rule=IdleRule(battery_ok=True),
    ),
    case("low-power mode", see(low_power=True), CLOSED, ConditionName.SAVING),
    case("low-power mode, allowed", see(low_power=True), OPEN, rule=IdleRule(low_power_ok=True)),
    case("hot", see(hot=True), CLOSED, ConditionName.HEAT),
    case("little memory", see(memory_free_share=0.1), CLOSED, ConditionName.MEMORY),
    case("less memory while it works", (see(), see(15, memory_free_share=0.15)), OPEN),
    case(
        "far too little while it works",
        (see(), see(15, memory_free_share=0.05)),
        CLOSED,
        ConditionName.MEMORY,
    ),
    case("programs wait for memory", see(memory_pressure=0.08), CLOSED, ConditionName.MEMORY),
    case("a build", see(load_of_others=0.9), CLOSED, ConditionName.LOAD),
    case("some load while it works", (see(), see(15, load_of_others=0.45)), OPEN),
    case("some load before it works", see(load_of_others=0.45), CLOSED, ConditionName.LOAD),
    # Sleep and clocks
    case("nine hours asleep", (see(), see(1, clock_s=32_400, asleep_gap_s=32_400.0)), CLOSED, WAKE),
    case(
        "woken for a minute",
        (see(), see(1, asleep_gap_s=32_400.0), see(61, input_idle_s=33_000.0)),
        CLOSED,
        WAIT,
    ),
    case(
        "woken for two minutes",
        (see(), see(1, asleep_gap_s=32_400.0), see(121, input_idle_s=33_000.0)),
        OPEN,
    ),
    case("the clock is set back an hour", (see(), see(15, clock_s=-3600)), OPEN),
    case(
        "the clock is set back a day, someone types",
        (see(), see(15, clock_s=-86400, input_idle_s=0)),
        CLOSED,
        INPUT,
    ),
    case("after a restart, by the input alone", see(input_idle_s=4000.0), OPEN),
    # The user's word
    case("paused", see(), PAUSED, ConditionName.PAUSE, paused_until=at(15)),
    case("paused for good", see(), PAUSED, ConditionName.PAUSE, paused_until=FOR_EVER),
    case("a pause that is over", see(), OPEN, paused_until=at(11)),
    case(
        "paused and typing", see(input_idle_s=0.0), PAUSED, ConditionName.PAUSE, paused_until=at(15)
    ),
    case("switched off", see(), OFF, ConditionName.LEARNING, rule=IdleRule(enabled=False)),
    case(
        "switched off and paused",
        see(),
        OFF,
        ConditionName.LEARNING,
        rule=IdleRule(enabled=False),
        paused_until=at(15),
    ),
    case("train now, just typed", see(input_idle_s=0.0), OPEN, train_now=True),
    case("train now, unknown input", see(input_idle_s=UNKNOWN), OPEN, train_now=True),
    case("train now, in a pause", see(), OPEN, train_now=True, paused_until=at(15)),
    case("train now, in a call", see(events=NOON_CALL, call=True), OPEN, train_now=True),
    case(
        "train now, in blocked hours",
        see(),
        OPEN,
        train_now=True,
        rule=IdleRule(blocked_hours=(parse_hours("00:00-24:00"),)),
    ),
    case("train now, hot", see(hot=True), CLOSED, ConditionName.HEAT, train_now=True),
    case("train now, on battery", see(on_mains=False), CLOSED, ConditionName.POWER, train_now=True),
    case(
        "train now, little memory",
        see(memory_free_share=0.05),
        CLOSED,
        ConditionName.MEMORY,
        train_now=True,
    ),
    case(
        "train now, saving power", see(low_power=True), CLOSED, ConditionName.SAVING, train_now=True
    ),
    case(
        "train now, switched off",
        see(),
        OFF,
        ConditionName.LEARNING,
        train_now=True,
        rule=IdleRule(enabled=False),
    ),
]


def test_the_table_has_sixty_cases_and_more() -> None:
    assert len({one.name for one in CASES}) == len(CASES) >= 60


def test_the_policy_says(subtests: pytest.Subtests) -> None:
    for one in CASES:
        with subtests.test(one.name):
            window = looked(
                *one.looks,
                start=one.start,
                rule=one.rule,
                paused_until=one.paused_until,
                train_now=one.train_now,
            )
            assert (window.state, window.closed_by) == (one.state, one.by), window.because
            assert window.because.endswith(".")
            assert [condition.name for condition in window.conditions] == list(ConditionName)


# What it says besides


PLAN = Calendar(id="work", label="Work", means=BUSY)


def test_a_pause_says_its_end_whatever_else_stands_against_it() -> None:
    end = at(13)
    for signals in ({"input_idle_s": UNKNOWN}, {"on_mains": False}, {"input_idle_s": 0.0}):
        window = looked(see(**signals), paused_until=end)
        assert (window.state, window.until) == (PAUSED, end)
    assert looked(see(on_mains=False), paused_until=end).next is None


def test_nobody_knows_when_somebody_leaves() -> None:
    window = looked(see(input_idle_s=1.0))
    assert window.until is None
    assert window.next == at(12, 1) + timedelta(seconds=29)


def test_calls_that_follow_each_other_end_with_the_last() -> None:
    calls = (
        *(event(at(11, 30), 60), event(at(12, 30), 30, feed="home"), event(at(13), 15)),
        event(at(13, 30), 30),
    )
    window = looked(see(events=calls))
    assert window.because == "Your calendar says that you need this computer until 13:15."
    assert window.until == at(13, 15)


def test_a_call_is_told_with_the_name_of_its_calendar() -> None:
    window = looked(see(events=NOON_CALL), calendars=(PLAN,))
    assert window.because == "Your calendar “Work” says that you need this computer until 12:30."


@pytest.mark.parametrize(
    ("unread_s", "words"),
    [(25 * 3600.0, "could not be read for 1 d 1 h"), (float("inf"), "has never been read")],
)
def test_a_calendar_that_was_lost_is_unknown_and_named(unread_s: float, words: str) -> None:
    lost = replace(PLAN, unread_s=unread_s)
    away = Calendar(id="home", label="Home", means=AWAY)
    window = looked(see(events=(event(at(14), 30, feed="home"),)), calendars=(away, lost))
    condition = next(condition for condition in window.conditions if condition.name is CALENDAR)
    assert condition.state is ConditionState.UNKNOWN
    assert condition.text == f"Your calendar “Work” {words}, so Lull can't see calls in it."
    assert condition.until == at(14)
    assert window.state is OPEN


def test_a_wait_says_how_long_it_lasts_yet() -> None:
    window = looked(see(input_idle_s=240.0), rule=PATIENT)
    assert window.because == "Starts after 10 min without you (4 min so far)."
    assert window.until == window.next == at(12, 6)


def test_a_wait_longer_than_the_setting_says_why() -> None:
    window = looked(see(input_idle_s=240.0, call=UNKNOWN))
    why = "That is longer than usual, because Lull cannot see every sign of you here."
    assert window.because == f"Starts after 10 min without you (4 min so far). {why}"
    window = looked(see(input_idle_s=12.0, call=UNKNOWN))
    assert f"Starts after 10 min without you. {why}" in [c.text for c in window.conditions]


def test_the_limits_of_the_processor_say_what_each_is_for() -> None:
    def said(*seen: See) -> str:
        load = (c for c in looked(*seen).conditions if c.name is ConditionName.LOAD)
        return next(load).text.split("; ")[1]

    assert said(see(load_of_others=0.1, input_idle_s=1.0)) == "Lull starts below 30%."
    assert said(see(), see(15, load_of_others=0.1)) == "Lull stops above 50%."


def test_a_wait_that_has_just_begun_tells_no_seconds_that_are_past_when_read() -> None:
    window = looked(see(input_idle_s=12.0), rule=PATIENT)
    assert [c.text for c in window.conditions if c.name is ConditionName.WAIT] == [
        "Starts after 10 min without you."
    ]


def test_a_wait_for_an_answer_to_be_read_says_which_and_until_when() -> None:
    window = looked(see(input_idle_s=200.0, since_chat_s=180.0))
    assert window.because == "Waiting until you have read the answer from 3 min ago."
    assert window.until == window.next == at(12, 7)
    window = looked(see(input_idle_s=200.0, since_chat_s=12.0))
    assert window.because == "Waiting until you have read the last answer."


def test_a_wait_after_the_answer_was_read_is_told_as_one_without_you() -> None:
    window = looked(see(input_idle_s=70.0, since_chat_s=300.0))
    assert window.because == "Starts after 90 s without you (70 s so far)."


def test_a_call_says_when_it_ends_and_the_wait_comes_behind_it() -> None:
    window = looked(see(events=NOON_CALL))
    assert window.because == "Your calendar says that you need this computer until 12:30."
    assert window.until == at(12, 30)
    assert window.next == at(12, 31) + timedelta(seconds=30)


def test_typing_before_a_call_says_a_time_behind_the_call() -> None:
    window = looked(see(input_idle_s=0.0, events=(event(at(12, 5), 30),)), rule=PATIENT)
    assert window.next == at(12, 45)


def test_nobody_knows_when_a_hot_machine_cools() -> None:
    window = looked(see(hot=True))
    assert window.until is None
    assert window.next is None


def test_a_pause_for_good_has_no_end() -> None:
    window = looked(see(), paused_until=FOR_EVER)
    assert (window.until, window.next) == (None, None)
    assert window.because == "Paused until you resume."


def test_an_open_window_ends_where_the_next_call_begins() -> None:
    window = looked(see(events=(event(at(14), 30), event(at(13), 30))))
    assert window.until == at(13)


def test_an_open_window_ends_where_blocked_hours_begin() -> None:
    assert looked(see(), rule=IdleRule(blocked_hours=(parse_hours("18:00-20:00"),))).until == at(18)


def test_hours_that_leave_nothing_out_never_open() -> None:
    window = looked(see(), rule=IdleRule(blocked_hours=(parse_hours("00:00-24:00"),)))
    assert window.state is CLOSED
    assert window.next is None


def test_next_in_a_night_that_is_an_hour_longer_is_in_real_time() -> None:
    start = datetime(2026, 10, 25, 1, 0, tzinfo=BERLIN)
    rule = IdleRule(blocked_hours=(parse_hours("00:00-04:00"),))
    window = looked(see(), start=start, rule=rule)
    assert window.next == datetime(2026, 10, 25, 4, 0, tzinfo=BERLIN)
    assert (window.next.astimezone(UTC) - start.astimezone(UTC)) == timedelta(hours=4)


def test_unknown_input_is_told_as_unknown_and_with_its_reason() -> None:
    window = looked(see(input_idle_s=UNKNOWN))
    condition = next(condition for condition in window.conditions if condition.name is INPUT)
    assert condition.state is ConditionState.UNKNOWN
    assert "there is no display" in condition.text


def test_the_view_has_the_keys_of_the_command() -> None:
    view = looked(see(hot=True)).as_dict()
    told = ["state", "because", "because_code", "because_values", "until", "next", "gates"]
    assert list(view) == told
    assert view["state"] == "closed"
    assert view["until"] is None
    conditions = view["gates"]
    assert isinstance(conditions, list)
    hot = {"name": "heat", "state": "closed", "text": "The computer is hot."}
    assert {**hot, "code": "hot", "values": []} in conditions


def test_signals_without_a_zone_are_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        IdleSignals(now=datetime(2026, 1, 1), monotonic_s=0.0)  # noqa: DTZ001


@pytest.mark.parametrize("value", [-1.0, float("nan")])
def test_a_length_that_is_none_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="input_idle_s"):
        IdleSignals(now=NOON, monotonic_s=0.0, input_idle_s=value)


@pytest.mark.parametrize(("ago_s", "said"), [(59.0, "59 s"), (61.0, "1 min"), (119.0, "1 min")])
def test_how_long_ago_the_last_chat_was_is_told_in_whole_minutes(ago_s: float, said: str) -> None:
    found = looked(see(since_chat_s=ago_s)).conditions
    (chat,) = [one for one in found if one.name is ConditionName.CHAT]
    assert f"{chat.text}" == f"The last chat ended {said} ago."
