"""Tests of the retention plan: what is old goes, but a wrong clock removes nothing, and large
removals are only made after asking.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lull.core.chat.day_count import DayCount
from lull.core.chat.retention import (
    RESTORED_BORN,
    Limits,
    StoredConversation,
    UnaskedDeletions,
    may_be_emptied,
    plan,
)

NOW = datetime(2026, 11, 21, tzinfo=UTC)
DAYS = Limits(days=30)

clocks = st.lists(
    st.tuples(st.integers(1, 3_000_000), st.floats(0.0, 0.9)), min_size=2, max_size=60
)
"""For each start: the day that the clock shows, and for how many days Lull then runs."""


def kept(
    number: int, *, old: int = 0, fresh: int = 0, born: float = 0.0
) -> list[StoredConversation]:
    """`number` conversations: the last `fresh` ones are new, the others `old` days old."""
    return [
        StoredConversation(
            id=f"c{i:04}",
            last=NOW - timedelta(days=old if i < number - fresh else 0),
            born=born if i < number - fresh else 1000.0,
        )
        for i in range(number)
    ]


def planned(conversations: list[StoredConversation], **more: object) -> tuple[int, int, int]:
    said: dict[str, object] = {"used_bytes": 0, **more}
    lived = said.pop("lived", DayCount(sure=1000.0))
    limits = said.pop("limits", DAYS)
    found = plan(conversations, limits, lived=lived, now=NOW, **said)  # type: ignore[arg-type]
    return len(found.go), found.ask, found.doubted


@given(starts=clocks, born_at=st.integers(0, 59))
def test_what_was_recent_at_the_last_start_is_recent_at_this_one(
    starts: list[tuple[int, float]], born_at: int
) -> None:
    lived, born, before = DayCount(), 0.0, None
    for number, (day, runs) in enumerate(starts):
        counted_before = lived.seen
        lived = lived.after_restart()
        if before is not None and number > born_at:
            recent = before[0] - born <= 30
            assert not recent or lived.age(born) <= max(30.0, before[1] - born)
        lived = lived.after_seeing_day(day)
        if number == min(born_at, len(starts) - 1):
            born = lived.day_for_new_data
        lived = lived.after_running(runs)
        before = (counted_before, lived.sure)


@given(starts=clocks)
def test_what_was_recorded_since_the_last_start_never_goes(starts: list[tuple[int, float]]) -> None:
    lived = DayCount()
    born: float | None = None
    measured = 0.0
    for day, runs in starts:
        lived = lived.after_restart().after_seeing_day(day)
        assert born is None or lived.age(born) <= measured + 1e-6
        born, measured = lived.day_for_new_data, runs
        lived = lived.after_running(runs)


@given(days=st.lists(st.integers(0, 400), min_size=1, max_size=30))
def test_jumps_of_more_than_a_week_count_one_day_each_and_no_day_twice(days: list[int]) -> None:
    lived = DayCount()
    for day in days:
        lived = lived.after_restart().after_seeing_day(day * 8)
    assert lived.seen == len(set(days))


def test_who_is_here_every_few_days_loses_no_day() -> None:
    lived = DayCount()
    for day in range(1000, 1400, 3):
        lived = lived.after_restart().after_seeing_day(day)
    assert lived.seen == 400
    assert lived.after_restart().after_restart().sure == lived.seen


def test_both_clocks_must_call_it_too_old() -> None:
    assert planned(kept(100, old=40, fresh=95)) == (5, 0, 0)
    assert planned(kept(100, old=10, fresh=95)) == (0, 0, 0)
    assert planned(kept(100, old=40, fresh=95), lived=DayCount(sure=10.0)) == (0, 0, 0)


def test_more_than_a_tenth_is_asked_about_and_stays() -> None:
    assert planned(kept(100, old=40, fresh=90)) == (10, 0, 0)
    assert planned(kept(100, old=40, fresh=89)) == (0, 11, 0)
    assert planned(kept(1, old=40)) == (0, 1, 0)
    assert planned(kept(100, old=40, fresh=89), asked=True) == (11, 0, 0)


def test_what_went_unasked_before_counts_towards_the_tenth() -> None:
    after = UnaskedDeletions(day=1, gone=6)
    assert planned(kept(94, old=40, fresh=90), unasked=after) == (4, 0, 0)
    assert planned(kept(94, old=40, fresh=89), unasked=after) == (0, 5, 0)
    assert planned(kept(94, old=40, fresh=89), unasked=after, asked=True) == (5, 0, 0)


def test_a_new_day_has_a_new_tenth_unless_a_question_is_open() -> None:
    went = UnaskedDeletions(day=3, gone=9)
    assert went.on(3.9) == went
    assert went.on(4.0) == UnaskedDeletions(day=4)
    asked = UnaskedDeletions(day=3, gone=9, waits=True)
    assert asked.on(40.0) == asked


def test_only_what_is_too_much_unasked_holds_the_tenth_of_the_days_after() -> None:
    lived = DayCount(sure=10.0)
    doubted = plan(kept(100, old=400, fresh=80), DAYS, lived=lived, now=NOW, used_bytes=0)
    assert (doubted.ask, doubted.held) == (20, False)
    many = plan(kept(100, old=40), DAYS, lived=DayCount(sure=1000.0), now=NOW, used_bytes=0)
    assert (many.ask, many.held) == (100, True)


def test_by_size_small_ones_count_as_small() -> None:
    sizes = {f"c{i:04}": 1 if i < 90 else 91 for i in range(100)}
    limits = Limits(most_bytes=98)
    assert planned(kept(100), limits=limits, used_bytes=100, sizes=sizes) == (0, 20, 0)
    assert planned(kept(100), limits=limits, used_bytes=100) == (2, 0, 0)


def test_what_only_the_wall_calls_old_is_asked_about_when_it_is_much() -> None:
    young = DayCount(sure=10.0)
    assert planned(kept(100, old=400, fresh=80), lived=young) == (0, 20, 20)
    assert planned(kept(100, old=400, fresh=80), lived=young, asked=True) == (20, 0, 0)


def test_a_clock_that_is_behind_takes_nothing() -> None:
    assert planned(kept(100, old=-400)) == (0, 0, 0)


def test_what_was_taken_back_never_grows_too_old() -> None:
    assert planned(kept(10, old=400, born=RESTORED_BORN), asked=True) == (0, 0, 0)


def test_by_size_the_oldest_go_by_lived_days_whatever_the_wall_says() -> None:
    old = StoredConversation(id="old", last=NOW, born=3.0)
    dated_back = [
        StoredConversation(id=f"new{i}", last=NOW - timedelta(days=900), born=9.0)
        for i in range(19)
    ]
    limits = Limits(most_bytes=95)
    found = plan(
        [*dated_back, old],
        limits,
        lived=DayCount(sure=9.0),
        now=NOW,
        used_bytes=100,
    )
    assert found.go == ("old",)
    assert planned(kept(20), limits=limits, used_bytes=200) == (0, 10, 0)
    assert planned(kept(20), limits=limits, used_bytes=95) == (0, 0, 0)


def test_the_trash_is_emptied_only_by_both_clocks() -> None:
    week = NOW - timedelta(days=7)
    assert may_be_emptied(born=3.0, at=week, lived=DayCount(sure=10.0), now=NOW)
    assert not may_be_emptied(born=3.5, at=week, lived=DayCount(sure=10.0), now=NOW)
    assert not may_be_emptied(born=3.0, at=NOW, lived=DayCount(sure=10.0), now=NOW)
