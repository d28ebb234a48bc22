"""Tests of idle time on Windows from two 32-bit times, with stand-ins in C for its functions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lull.backends.idle.windows import Win32Idle, idle_ms
from lull.core.idle.signals import Known, Unknown
from tests.backends.stand_in import StandIn, stand_in

LAST_MS = 2**32 - 1


@pytest.mark.parametrize(
    ("now_ms", "last_ms", "gone_ms"),
    [
        (5_000, 2_000, 3_000),
        (2_000, 2_000, 0),
        (0, LAST_MS, 1),
        (4_000, LAST_MS - 999, 5_000),
        (2_000, 2_016, 0),
        (10, LAST_MS + 1 - 40 * 86_400_000, 40 * 86_400_000 + 10),
        (0, 59_999, 0),
    ],
)
def test_times_that_begin_again_at_zero(now_ms: int, last_ms: int, gone_ms: int) -> None:
    assert idle_ms(now_ms, last_ms) == gone_ms


@pytest.fixture
def system(tmp_path: Path) -> StandIn:
    return stand_in("windows", tmp_path)


def test_the_two_times_are_seconds_of_idleness(system: StandIn) -> None:
    system.number("now_tick_ms").value = 500
    system.number("now_last_input_ms").value = -1_000  # 2**32 − 1000
    assert Win32Idle(system.open).read() == Known(1.5)


def test_a_time_above_two_to_the_31_is_not_negative(system: StandIn) -> None:
    system.number("now_tick_ms").value = -1
    system.number("now_last_input_ms").value = -3_001
    assert Win32Idle(system.open).read() == Known(3.0)


def test_a_refusal_is_unknown(system: StandIn) -> None:
    system.number("now_refuses").value = 1
    assert Win32Idle(system.open).read() == Unknown("Windows does not say when the last input was")


@pytest.mark.skipif(sys.platform == "win32", reason="there it is")
def test_elsewhere_it_is_unknown() -> None:
    answer = Win32Idle().read()
    assert answer == Unknown("the system library cannot be loaded: user32 is Windows'")
