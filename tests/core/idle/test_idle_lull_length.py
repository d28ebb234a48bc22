"""Tests of forecasting how long a lull will last, and of choosing the work that fits into it."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.idle.forecast import Forecast, PastLull, forecast
from lull.core.idle.hours import parse_hours
from lull.core.idle.scheduling import Work, WorkKind, choose_work

BERLIN = ZoneInfo("Europe/Berlin")
LUNCH = datetime(2026, 11, 18, 12, 10, tzinfo=BERLIN)  # a Wednesday
MIN = 60.0


def lulls(hour: float, lengths_min: list[float], *, weeks: int = 4) -> list[PastLull]:
    """Past lulls, one at this hour on each workday before LUNCH, with these lengths in turn."""
    found = []
    for back in range(1, weeks * 7):
        day = LUNCH.replace(hour=0, minute=0) - timedelta(days=back)
        if day.weekday() < 5:
            began = day + timedelta(hours=hour)
            length = lengths_min[len(found) % len(lengths_min)] * MIN
            found.append(PastLull(began_at=began, length_s=length))
    return found


def test_with_no_history_there_is_a_guess_and_it_is_careful() -> None:
    found = forecast([], now=LUNCH, elapsed_s=600.0)
    assert 0 < found.low_s < found.median_s < found.high_s
    assert found.median_s < 2 * 3600


def test_in_sleep_hours_the_guess_without_history_is_longer() -> None:
    night = LUNCH.replace(hour=2)
    awake = forecast([], now=night, elapsed_s=600.0)
    asleep = forecast([], now=night, elapsed_s=600.0, sleep_hours=[parse_hours("23:00-07:00")])
    assert asleep.median_s > 2 * awake.median_s


def test_a_week_of_lunches_is_believed() -> None:
    found = forecast(lulls(12.0, [45.0, 50.0, 40.0], weeks=2), now=LUNCH, elapsed_s=600.0)
    assert found.median_s == pytest.approx(35 * MIN, abs=6 * MIN)
    assert found.low_s >= 20 * MIN


def test_what_is_left_shrinks_as_the_lull_goes_on() -> None:
    past = lulls(12.0, [45.0, 50.0, 40.0])
    early = forecast(past, now=LUNCH, elapsed_s=5 * MIN)
    late = forecast(past, now=LUNCH + timedelta(minutes=25), elapsed_s=30 * MIN)
    assert late.median_s < early.median_s


def test_other_hours_say_little() -> None:
    nights = lulls(23.0, [480.0])
    assert forecast(nights, now=LUNCH, elapsed_s=600.0).n < 2.5
    assert forecast(nights, now=LUNCH.replace(hour=23), elapsed_s=600.0).median_s > 6 * 3600


def test_the_hour_is_a_circle() -> None:
    past = lulls(23.8, [480.0])
    now = LUNCH.replace(hour=0, minute=30)
    assert forecast(past, now=now, elapsed_s=600.0).median_s > 5 * 3600


def test_workdays_say_little_of_a_weekend() -> None:
    past = lulls(12.0, [45.0])
    saturday = LUNCH + timedelta(days=3)
    assert (
        forecast(past, now=saturday, elapsed_s=600.0).n
        < forecast(past, now=LUNCH, elapsed_s=600.0).n / 3
    )


def test_a_lull_that_was_not_seen_to_its_end_counts_as_at_least_so_long() -> None:
    ended = lulls(12.0, [20.0, 60.0])
    cut = [
        PastLull(began_at=one.began_at, length_s=one.length_s, seen_to_end=one.length_s > 1500)
        for one in ended
    ]
    assert (
        forecast(cut, now=LUNCH, elapsed_s=300.0).low_s
        > forecast(ended, now=LUNCH, elapsed_s=300.0).low_s
    )


def test_what_was_never_seen_to_last_so_long_lasts_about_as_long_again() -> None:
    found = forecast(lulls(12.0, [45.0]), now=LUNCH, elapsed_s=20 * 3600.0)
    assert found.median_s == 20 * 3600.0


def test_four_of_five_lulls_outlast_the_low_guess() -> None:
    drawn = random.Random(5)
    past = [
        PastLull(
            began_at=LUNCH - timedelta(days=day, minutes=drawn.uniform(-60, 60)),
            length_s=drawn.lognormvariate(7.2, 0.8),
        )
        for day in range(1, 90)
        if (LUNCH - timedelta(days=day)).weekday() < 5
    ]
    found = forecast(past, now=LUNCH, elapsed_s=0.0)
    tries = [drawn.lognormvariate(7.2, 0.8) for _ in range(2000)]
    assert 0.72 <= sum(one > found.low_s for one in tries) / 2000 <= 0.9
    assert 0.4 <= sum(one > found.median_s for one in tries) / 2000 <= 0.62


past_lulls = st.lists(
    st.builds(
        PastLull,
        began_at=st.integers(0, 180 * 24).map(lambda hours: LUNCH - timedelta(hours=hours)),
        length_s=st.floats(120, 100_000),
        seen_to_end=st.booleans(),
    ),
    max_size=20,
)


@given(past_lulls, st.floats(0, 200_000))
def test_quantiles_are_in_order_and_never_negative(past: list[PastLull], elapsed_s: float) -> None:
    found = forecast(past, now=LUNCH, elapsed_s=elapsed_s)
    assert 0 <= found.low_s <= found.median_s <= found.high_s


# What fits

LONG = Forecast(low_s=600.0, median_s=1800.0, high_s=7200.0)
SHORT = Forecast(low_s=10.0, median_s=40.0, high_s=90.0)


def work(kind: WorkKind, value: float = 1.0, needs_s: float = 5.0, left_s: float = 100.0) -> Work:
    return Work(kind=kind, value=value, needs_s=needs_s, left_s=left_s)


PROOF, EXAM, READY, ROLLOUT, STEP = (work(kind) for kind in WorkKind)


def test_proofs_come_before_rollouts_before_steps() -> None:
    assert choose_work([STEP, ROLLOUT, PROOF], LONG) is PROOF
    assert choose_work([STEP, ROLLOUT], LONG) is ROLLOUT
    assert choose_work([STEP], LONG) is STEP
    assert choose_work([], LONG) is None


def test_a_proof_is_first_however_valuable_the_step() -> None:
    dear = work(WorkKind.STEP, value=1000.0)
    assert choose_work([dear, PROOF], LONG) is PROOF


def test_of_one_kind_the_most_valuable_for_its_time_is_first() -> None:
    poor, rich = work(WorkKind.PROOF, value=1.0), work(WorkKind.PROOF, value=3.0)
    quick = work(WorkKind.PROOF, value=3.0, left_s=20.0)
    assert choose_work([poor, rich], LONG) is rich
    assert choose_work([rich, quick], LONG) is quick


def test_what_cannot_be_finished_is_worth_what_of_it_can() -> None:
    whole = work(WorkKind.PROOF, value=1.0, left_s=1800.0)
    half = work(WorkKind.PROOF, value=1.0, left_s=3600.0)
    assert choose_work([half, whole], LONG) is whole


def test_what_surely_fits_comes_before_what_only_may() -> None:
    heavy = work(WorkKind.PROOF, needs_s=30.0)
    assert choose_work([heavy, STEP], SHORT) is STEP
    assert choose_work([heavy], SHORT) is heavy


def test_what_does_not_fit_is_not_begun() -> None:
    assert choose_work([work(WorkKind.PROOF, needs_s=60.0)], SHORT) is None


def test_what_is_finished_is_not_begun_again() -> None:
    assert choose_work([work(WorkKind.PROOF, left_s=0.0), STEP], LONG) is STEP


def test_nothing_is_begun_before_an_end_that_is_known() -> None:
    assert choose_work([work(WorkKind.PROOF, needs_s=0.0)], LONG.at_most(0.0)) is None
    assert choose_work([STEP], LONG.at_most(4.0)) is None
    assert choose_work([STEP], LONG.at_most(6.0)) is STEP


def test_models_are_examined_behind_proofs_and_before_training() -> None:
    queue = [STEP, ROLLOUT, READY, EXAM, PROOF]
    done = []
    while queue:
        done.append(choose_work(queue, LONG))
        queue.remove(done[-1])  # type: ignore[arg-type]
    assert done == [PROOF, EXAM, READY, ROLLOUT, STEP]
