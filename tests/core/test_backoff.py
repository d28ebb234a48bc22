"""Tests of the waits between restarts after crashes: they double up to a limit, then they stop."""

from __future__ import annotations

from lull.core.backoff import Backoff


def test_waits_double_up_to_the_longest() -> None:
    backoff = Backoff(restarts=10)
    delays = []
    for second in range(9):
        backoff = backoff.with_crash(float(second))
        delays.append(backoff.delay_s)
    assert delays == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_after_five_restarts_in_ten_minutes_it_is_left() -> None:
    backoff = Backoff()
    for second in range(5):
        backoff = backoff.with_crash(float(second))
        assert backoff.delay_s is not None
    assert backoff.with_crash(300.0).delay_s is None


def test_old_falls_are_forgotten_and_a_hand_forgives_all() -> None:
    backoff = Backoff()
    for minute in range(6):
        backoff = backoff.with_crash(minute * 150.0)
    assert backoff.delay_s == 8
    assert backoff.without_crashes().with_crash(901.0).delay_s == 1
