"""Tests of idle signals read from a file: a damaged file never makes the user seem absent."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from lull.backends.idle.file import NAMES, IdleFile
from lull.core.idle.policy import WindowState, decide
from lull.core.idle.rule import IdleRule
from lull.core.idle.signals import IdleSignals, Unknown
from tests.doubles.fakes import FakeClock

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
Write = Callable[..., IdleSignals]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "signals.json"


def read(file: Path) -> IdleSignals:
    clock = FakeClock(at=NOW, passed_s=77.0)
    return IdleFile(file, clock=clock, zone=lambda: BERLIN).signals()


def written(file: Path, content: object, *, age_s: float = 5.0) -> IdleSignals:
    """Write the file with this content and age, and return the signals read from it."""
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    file.write_bytes(text)
    os.utime(file, (NOW.timestamp() - age_s,) * 2)
    return read(file)


def why(reading: object) -> str:
    assert isinstance(reading, Unknown), reading
    return reading.why


def test_every_signal_can_be_named(file: Path) -> None:
    told = {
        "input_idle_s": 840,
        "locked": True,
        "on_mains": False,
        "battery_share": 0.5,
        "low_power": True,
        "hot": False,
        "load_of_others": 0.25,
        "memory_free_share": 0.5,
        "memory_pressure": 0.01,
        "call": False,
        "exclusive_app": "Tetris",
        "chats_in_flight": 2,
        "since_chat_s": 3.5,
        "asleep_gap_s": 60.0,
    }
    assert set(told) == set(NAMES)
    signals = written(file, told)
    assert {name: getattr(signals, name) for name in told} == told


def test_the_names_are_those_of_the_signals() -> None:
    assert set(NAMES) == {field.name for field in fields(IdleSignals)} - {"now", "monotonic_s"}


def test_the_time_is_the_clocks_and_in_the_users_zone(file: Path) -> None:
    signals = written(file, {"input_idle_s": 1})
    assert signals.now == NOW
    assert signals.now.tzinfo is BERLIN
    assert signals.monotonic_s == 77.0


def test_what_the_file_leaves_out_is_unknown(file: Path) -> None:
    signals = written(file, {"input_idle_s": 900})
    assert signals.input_idle_s == 900.0
    assert "does not name locked" in why(signals.locked)
    assert signals.exclusive_app == ""
    assert signals.chats_in_flight == 0


def test_input_alone_is_enough_for_a_window(file: Path) -> None:
    signals = written(file, {"input_idle_s": 900})
    assert decide(signals, settings=IdleRule()).state is WindowState.OPEN


def test_a_name_that_is_no_signal_is_told(file: Path) -> None:
    signals = written(file, {"idle": 900})
    assert "'idle'" in why(signals.input_idle_s)


def test_null_is_unknown(file: Path) -> None:
    assert "says so" in why(written(file, {"input_idle_s": None}).input_idle_s)


@pytest.mark.parametrize(
    "value", [-1, "900", True, [], {}, float("nan"), float("inf"), 10**400, "Infinity"]
)
def test_an_input_time_that_is_none_is_unknown_and_the_rest_counts(
    file: Path, value: object
) -> None:
    signals = written(file, {"input_idle_s": value, "locked": True})
    assert "input_idle_s" in why(signals.input_idle_s)
    assert signals.locked is True


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("locked", 1),
        ("on_mains", "yes"),
        ("battery_share", 1.5),
        ("load_of_others", -0.1),
        ("call", "no"),
        ("hot", 0),
    ],
)
def test_a_value_of_the_wrong_kind_is_unknown(file: Path, name: str, value: object) -> None:
    assert name in why(getattr(written(file, {name: value}), name))


def test_a_name_of_an_app_that_could_not_be_written_down_is_unknown(file: Path) -> None:
    assert isinstance(written(file, {"exclusive_app": "\ud800"}).exclusive_app, Unknown)
    assert isinstance(written(file, {"exclusive_app": "a\nb"}).exclusive_app, Unknown)


@pytest.mark.parametrize("value", [-1, 1.5, True, None, "two"])
def test_a_count_of_chats_that_is_none_is_passed_over(file: Path, value: object) -> None:
    assert written(file, {"chats_in_flight": value}).chats_in_flight == 0


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"[1]", b"7", b"[" * 60_000, b'{"input_idle_s": 900} x', b"\0" * 10],
)
def test_a_damaged_file_says_nothing(file: Path, content: bytes) -> None:
    signals = written(file, content)
    assert str(file) in why(signals.input_idle_s)
    assert str(file) in why(signals.on_mains)


def test_a_file_that_is_too_large_is_not_read(file: Path) -> None:
    signals = written(file, {"input_idle_s": 900, "note": "x" * 70_000})
    assert "too large" in why(signals.input_idle_s)


def test_a_missing_file_says_so(file: Path) -> None:
    assert "No such file" in why(read(file).input_idle_s)


def test_a_file_of_a_minute_ago_counts_and_an_older_one_does_not(file: Path) -> None:
    assert written(file, {"input_idle_s": 900}, age_s=59).input_idle_s == 900.0
    assert "61 s old" in why(written(file, {"input_idle_s": 900}, age_s=61).input_idle_s)


def test_a_file_from_the_future_does_not_count(file: Path) -> None:
    assert "in the future" in why(written(file, {"input_idle_s": 900}, age_s=-90).input_idle_s)


def test_a_pipe_or_a_folder_never_blocks(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "no plain file" in why(read(pipe).input_idle_s)
    assert "signals" in why(read(tmp_path).locked) or str(tmp_path) in why(read(tmp_path).locked)
