"""Tests of finding the user's time zone: by name, by the system's file, or by the C library."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo

import pytest

from lull.backends.system.local_zone import SYSTEM, local_zone

WINTER = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
SUMMER = datetime(2026, 7, 15, 12, 0, tzinfo=UTC)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_name_in_the_environment_counts(tmp_path: Path) -> None:
    assert local_zone({"TZ": "Asia/Kolkata"}, tmp_path) == ZoneInfo("Asia/Kolkata")
    assert local_zone({"TZ": ":Asia/Kolkata"}, tmp_path) == ZoneInfo("Asia/Kolkata")


def test_a_link_tells_the_name(tmp_path: Path) -> None:
    (tmp_path / "localtime").symlink_to("/usr/share/zoneinfo/America/New_York")
    assert local_zone({}, tmp_path) == ZoneInfo("America/New_York")


def test_a_plain_file_tells_the_rules(tmp_path: Path) -> None:
    found = [Path(folder) / "Europe/Berlin" for folder in TZPATH]
    source = next((path for path in found if path.exists()), None)
    if source is None:
        pytest.skip("no zone files on this system")
    (tmp_path / "localtime").write_bytes(source.read_bytes())
    zone = local_zone({}, tmp_path)
    assert [at.astimezone(zone).hour for at in (WINTER, SUMMER)] == [13, 14]


@pytest.mark.parametrize("name", ["Mars/Olympus", "CET-1CEST,M3.5.0,M10.5.0/3", "../etc/passwd"])
def test_a_name_that_nobody_knows_is_left_to_the_system(tmp_path: Path, name: str) -> None:
    assert local_zone({"TZ": name}, tmp_path) is SYSTEM


def test_a_damaged_file_is_left_to_the_system(tmp_path: Path) -> None:
    (tmp_path / "localtime").write_bytes(b"no zone")
    assert local_zone({}, tmp_path) is SYSTEM


@pytest.mark.usefixtures("berlin")
def test_the_systems_zone_goes_as_a_named_one_does_through_both_changes_of_the_clock() -> None:
    named = ZoneInfo("Europe/Berlin")
    for start in (datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 10, 24, tzinfo=UTC)):
        for minutes in range(0, 3 * 1440, 10):
            at = start + timedelta(minutes=minutes)
            ours, theirs = at.astimezone(SYSTEM), at.astimezone(named)
            assert ours.replace(tzinfo=None) == theirs.replace(tzinfo=None)
            assert ours.fold == theirs.fold
            assert ours.astimezone(UTC) == at


@pytest.mark.usefixtures("berlin")
def test_a_time_that_the_clock_skips_is_read_as_named_zones_read_it() -> None:
    for fold in (0, 1):
        skipped = datetime(2026, 3, 29, 2, 30, tzinfo=SYSTEM, fold=fold)
        named = skipped.replace(tzinfo=ZoneInfo("Europe/Berlin"))
        assert skipped.utcoffset() == named.utcoffset()
