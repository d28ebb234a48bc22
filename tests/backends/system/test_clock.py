"""Tests of the clock and the ids: ids sort by the time they were made, even if the clock jumps."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from lull.backends.system.clock import SystemClock, TimeSortedIds


@pytest.mark.slow
def test_ids_of_one_process_sort_by_the_time_they_were_made() -> None:
    ids = TimeSortedIds()
    made = [ids.new("turn") for _ in range(100_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert all(one.startswith("turn_") and len(one) == 25 for one in made[:10])


def test_a_clock_that_is_set_back_or_stands_still_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids = TimeSortedIds()
    made = [ids.new("t")]
    monkeypatch.setattr(time, "time", lambda: 1_000_000.0)
    made += [ids.new("t") for _ in range(70_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


@pytest.mark.slow
def test_threads_never_share_an_id() -> None:
    ids = TimeSortedIds()
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: ids.new("t"), range(20_000)))
    assert len(set(made)) == len(made)


def test_the_time_is_aware_and_in_utc() -> None:
    clock = SystemClock()
    assert clock.now().utcoffset() is not None
    assert clock.now().isoformat().endswith("+00:00")
    assert clock.monotonic_s() <= clock.monotonic_s()


def test_ids_of_one_moment_differ_in_their_random_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_000_000.0)
    ids = TimeSortedIds()
    assert len({ids.new("t")[-7:] for _ in range(300)}) == 300, "more than are asked for at once"
