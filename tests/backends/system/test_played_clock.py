"""Tests of the simulated clock with which `lull demo` sets the time of day."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lull.backends.system.clock import SimulatedClock

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def say(file: Path, at: datetime, *, speed: float = 1.0, since_s: float | None = None) -> None:
    since_s = time.time() if since_s is None else since_s
    file.write_text(json.dumps({"at": at.timestamp(), "since": since_s, "speed": speed}))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "clock.json"


def test_it_tells_the_time_that_was_set_and_goes_on_from_there(file: Path) -> None:
    say(file, MONDAY, since_s=time.time() - 60)
    assert timedelta(seconds=60) <= SimulatedClock(file).now() - MONDAY < timedelta(hours=1)


def test_it_may_run_faster(file: Path) -> None:
    say(file, MONDAY, speed=100.0, since_s=time.time() - 60)
    assert SimulatedClock(file).now() - MONDAY >= timedelta(seconds=6000)


def test_it_never_goes_back(file: Path) -> None:
    say(file, MONDAY)
    clock = SimulatedClock(file)
    before = clock.now()
    say(file, MONDAY - timedelta(days=3))
    assert clock.now() >= before


def test_it_never_runs_ahead_of_the_real_time(file: Path) -> None:
    say(file, datetime.now(UTC) + timedelta(days=3))
    assert SimulatedClock(file).now() <= datetime.now(UTC)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"at": "x", "since": 0, "speed": 1}'])
def test_what_cannot_be_read_changes_nothing(file: Path, text: str) -> None:
    say(file, MONDAY)
    clock = SimulatedClock(file)
    clock.now()
    file.write_text(text)
    assert clock.now() - MONDAY < timedelta(hours=1)


def test_without_a_file_it_is_the_real_time(file: Path) -> None:
    assert datetime.now(UTC) - SimulatedClock(file).now() < timedelta(hours=1)


def test_lengths_are_real(file: Path) -> None:
    say(file, MONDAY, speed=1000.0)
    clock = SimulatedClock(file)
    before_s = time.monotonic()
    assert before_s <= clock.monotonic_s() <= time.monotonic()
