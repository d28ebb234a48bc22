"""Tests of properties of the idle policy, over drawn signals, calendars and memories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from lull.core.calendars.event import CalendarEvent, Meaning, remaining_events
from lull.core.idle.hours import HoursRange
from lull.core.idle.policy import IdleWindow, WindowState, decide
from lull.core.idle.rule import CarriedOver, ConditionName, ConditionState, IdleRule
from lull.core.idle.signals import IdleSignals, Unknown

pytestmark = pytest.mark.full

ZONES = [
    ZoneInfo(name)
    for name in ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata")
]
UNKNOWN = Unknown("nothing tells")


def or_unknown(values: st.SearchStrategy) -> st.SearchStrategy:  # type: ignore[type-arg]
    return st.one_of(values, st.just(UNKNOWN))


shares = st.floats(0, 1)
lengths = st.floats(0, 100_000)
instants = st.integers(0, 2 * 365 * 86_400).map(
    lambda seconds: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)
ranges = st.lists(
    st.builds(
        lambda days, start, length: HoursRange(
            days=days, start_min=start, end_min=start + max(1, length)
        ),
        st.frozensets(st.integers(0, 6), min_size=1),
        st.integers(0, 1439),
        st.integers(1, 1440),
    ),
    max_size=3,
).map(tuple)
rules = st.builds(
    IdleRule,
    after_s=st.floats(6, 7200),
    answer_after_s=st.floats(6, 7200),
    locked_after_s=st.floats(6, 3600),
    sure_after_s=st.floats(6, 3600),
    sleep_hours=ranges,
    allowed_hours=ranges,
    blocked_hours=ranges,
    battery_ok=st.booleans(),
    low_power_ok=st.booleans(),
    load_share=shares,
    memory_share=st.floats(0, 0.9),
)
signals = st.builds(
    IdleSignals,
    now=st.builds(lambda at, zone: at.astimezone(zone), instants, st.sampled_from(ZONES)),
    monotonic_s=st.floats(200_000, 1_000_000),
    input_idle_s=or_unknown(lengths),
    locked=or_unknown(st.booleans()),
    on_mains=or_unknown(st.booleans()),
    battery_share=or_unknown(shares),
    low_power=or_unknown(st.booleans()),
    hot=or_unknown(st.booleans()),
    load_of_others=or_unknown(shares),
    memory_free_share=or_unknown(shares),
    memory_pressure=or_unknown(shares),
    call=or_unknown(st.booleans()),
    exclusive_app=st.sampled_from(["", "Game"]),
    chats_in_flight=st.sampled_from([0, 0, 0, 1]),
    since_chat_s=st.one_of(lengths, st.just(float("inf"))),
    asleep_gap_s=st.sampled_from([0.0, 0.0, 0.0, 9 * 3600.0]),
)
GREEN = {
    "locked": False,
    "on_mains": True,
    "low_power": False,
    "hot": False,
    "load_of_others": 0.0,
    "memory_free_share": 0.5,
    "memory_pressure": 0.0,
    "call": False,
    "exclusive_app": "",
    "chats_in_flight": 0,
    "since_chat_s": float("inf"),
    "asleep_gap_s": 0.0,
}
memories = st.builds(
    CarriedOver,
    open=st.booleans(),
    needed_s=st.floats(5, 7200),
    input_s=st.one_of(st.none(), st.floats(0, 200_000)),
    here_s=st.one_of(st.none(), st.floats(0, 200_000)),
    strained_s=st.one_of(st.none(), st.floats(0, 200_000)),
    input_known=st.booleans(),
    lost_s=st.one_of(st.none(), st.floats(0, 200_000)),
    locked=st.booleans(),
)


@st.composite
def looks(draw: st.DrawFn) -> dict[str, object]:
    seen: IdleSignals = draw(signals)
    rule: IdleRule = draw(rules)
    offsets = draw(
        st.lists(st.tuples(st.integers(-300, 3000), st.integers(1, 600), st.sampled_from(Meaning)))
    )
    pause = draw(st.one_of(st.none(), st.integers(-60, 600)))
    # Half of the draws are calm: with a dozen conditions thrown at random no window ever opens.
    if draw(st.booleans()):
        seen = replace(seen, **GREEN)
        rule = replace(rule, load_share=0.3, memory_share=0.2, allowed_hours=(), blocked_hours=())
        offsets, pause = offsets[:1], None
    events = [
        CalendarEvent(
            start=seen.now.astimezone(UTC) + timedelta(minutes=begin),
            end=seen.now.astimezone(UTC) + timedelta(minutes=begin + length),
            kind=kind,
        )
        for begin, length, kind in offsets
    ]
    return {
        "signals": seen,
        "settings": rule,
        "events": events,
        "paused_until": None if pause is None else seen.now + timedelta(minutes=pause),
        "state": draw(st.one_of(st.none(), memories)),
    }


def said(look: dict[str, object], **changed: object) -> IdleWindow:
    values = {**look, **changed}
    return decide(values.pop("signals"), **values)  # type: ignore[arg-type]


def with_signals(look: dict[str, object], **changed: object) -> IdleSignals:
    seen = look["signals"]
    assert isinstance(seen, IdleSignals)
    return replace(seen, **changed)  # type: ignore[arg-type]


def test_the_draws_reach_open_windows_of_every_kind() -> None:
    for begun in (True, False):
        _reached(lambda look, begun=begun: said(look).open and _was_open(look) is begun)
    _reached(lambda look: said(look).open and said(look).until is not None)
    _reached(lambda look: not said(look).open and said(look).next is not None)


def _reached(kind: Callable[[dict[str, object]], bool]) -> None:
    enough = settings(phases=[Phase.generate], database=None, max_examples=3000)
    assert kind(find(looks(), kind, settings=enough))


def _was_open(look: dict[str, object]) -> bool:
    memory = look["state"]
    return isinstance(memory, CarriedOver) and memory.open


@given(looks(), st.floats(0, 4.9))
def test_activity_always_wins(look: dict[str, object], idle_s: float) -> None:
    assert not said(look, signals=with_signals(look, input_idle_s=idle_s)).open
    assert not said(look, signals=with_signals(look, chats_in_flight=1)).open
    assert not said(look, signals=with_signals(look, since_chat_s=idle_s)).open
    assert not said(look, signals=with_signals(look, asleep_gap_s=3600.0)).open


@given(looks(), st.floats(0, 4.9), st.booleans())
def test_a_chat_wins_over_train_now_too(look: dict[str, object], idle_s: float, here: bool) -> None:
    seen = with_signals(look, chats_in_flight=1, input_idle_s=idle_s if here else UNKNOWN)
    assert not said(look, signals=seen, train_now=True).open


HARD = [
    {"hot": True},
    {"on_mains": False, "battery_share": 0.01},
    {"low_power": True},
    {"memory_free_share": 0.0},
    {"memory_pressure": 1.0},
]


@given(looks(), st.sampled_from(HARD), st.booleans())
def test_a_closed_hard_condition_never_lets_work_run(
    look: dict[str, object], hard: dict[str, object], train_now: bool
) -> None:
    rule = look["settings"]
    assert isinstance(rule, IdleRule)
    rule = replace(rule, low_power_ok=False, memory_share=max(0.1, rule.memory_share))
    window = said(look, signals=with_signals(look, **hard), settings=rule, train_now=train_now)
    assert not window.open


@given(looks())
def test_no_condition_is_closed_in_an_open_window(look: dict[str, object]) -> None:
    window = said(look)
    assert window.open == (not any(condition.forbids_work for condition in window.conditions))


@given(looks(), lengths, lengths)
def test_longer_without_input_never_closes(
    look: dict[str, object], one_s: float, other_s: float
) -> None:
    short, long = sorted((one_s, other_s))
    if said(look, signals=with_signals(look, input_idle_s=short)).open:
        assert said(look, signals=with_signals(look, input_idle_s=long)).open


@given(looks(), st.booleans())
def test_no_time_it_tells_lies_in_the_past(look: dict[str, object], train_now: bool) -> None:
    window = said(look, train_now=train_now)
    now = with_signals(look).now.astimezone(UTC)
    for at in (window.until, window.next):
        assert at is None or at.astimezone(UTC) >= now
    for condition in window.conditions:
        assert condition.until is None or condition.until.astimezone(UTC) > now


@given(looks())
def test_what_is_open_stays_open_while_nothing_changes(look: dict[str, object]) -> None:
    """No flapping: a look that sees the same a little later keeps the window open."""
    seen = with_signals(look)
    window = said(look)
    if not window.open or isinstance(seen.input_idle_s, Unknown):
        return
    if window.until is not None and window.until.astimezone(UTC) <= seen.now.astimezone(
        UTC
    ) + timedelta(seconds=15):
        return
    later = replace(
        seen,
        now=(seen.now.astimezone(UTC) + timedelta(seconds=15)).astimezone(seen.now.tzinfo),
        monotonic_s=seen.monotonic_s + 15,
        input_idle_s=seen.input_idle_s + 15,
        since_chat_s=seen.since_chat_s + 15,
    )
    assert said(look, signals=later, state=window.memory).open


@given(looks())
def test_at_the_time_it_tells_nothing_of_hours_or_calendars_is_in_the_way(
    look: dict[str, object],
) -> None:
    window = said(look)
    if window.next is None:
        return
    seen = with_signals(look, now=window.next)
    then = said(look, signals=seen)
    told = {ConditionName.HOURS, ConditionName.CALENDAR, ConditionName.PAUSE}
    assert [g.name for g in then.conditions if g.forbids_work and g.name in told] == []


@given(looks())
def test_unknown_input_counts_as_the_user_being_here_outside_of_set_hours(
    look: dict[str, object],
) -> None:
    rule = look["settings"]
    assert isinstance(rule, IdleRule)
    rule = replace(rule, sleep_hours=(), allowed_hours=())
    window = said(look, signals=with_signals(look, input_idle_s=UNKNOWN), settings=rule)
    assert window.state in (WindowState.CLOSED, WindowState.PAUSED)
    condition = next(
        condition for condition in window.conditions if condition.name is ConditionName.INPUT
    )
    assert condition.state is ConditionState.UNKNOWN


@given(looks())
def test_what_is_left_of_calendars_for_a_look_changes_no_answer(look: dict[str, object]) -> None:
    """The policy decides the same on events that are merged, reordered, and rid of past ones."""
    events, seen = look["events"], with_signals(look)
    assert isinstance(events, list)
    whole, short = said(look), said(look, events=remaining_events(reversed(events), seen.now))
    assert (short.state, short.because, short.conditions) == (
        whole.state,
        whole.because,
        whole.conditions,
    )
    assert (short.until, short.next) == (whole.until, whole.next)
