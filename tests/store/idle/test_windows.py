"""Tests of the journal of idle windows and lulls: written without waiting, whole after a crash."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from lull.core.idle.forecast import PastLull
from lull.core.idle.pausing import FOR_EVER, Pause
from lull.store.idle.windows import STOPPED, WindowRow, Windows, WorkDone
from lull.store.sqlite.database import Database
from tests.building import database_at

NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = database_at(tmp_path / "lull.db")
    yield made
    made.close()


@pytest.fixture
def windows(database: Database) -> Windows:
    return Windows(database)


def row(name: str = "window_1", *, hours: float = 0.0, **more: object) -> WindowRow:
    opened_at = NOON + timedelta(hours=hours)
    values: dict[str, object] = {
        "id": name,
        "opened_at": opened_at,
        "seen_at": opened_at,
        "why_opened": "No sign of you for 10 min.",
        **more,
    }
    return WindowRow(**values)  # type: ignore[arg-type]


def all_of(windows: Windows) -> list[WindowRow]:
    return windows.between(NOON - timedelta(days=30), NOON + timedelta(days=30))


def test_a_window_comes_back_as_it_was(database: Database, windows: Windows) -> None:
    done = (WorkDone(kind="proof", text="Proving “menu”", used_s=29.5, units=1),)
    whole = row(
        seen_at=NOON + timedelta(minutes=5),
        closed_at=NOON + timedelta(minutes=5),
        why_closed="You are here: last input 0 s ago.",
        closed_by="input",
        used_s=29.5,
        done=done,
    )
    windows.post(whole)
    database.flush()
    assert all_of(windows) == [whole]


def test_the_same_window_is_written_over(database: Database, windows: Windows) -> None:
    windows.post(row())
    windows.post(row(seen_at=NOON + timedelta(minutes=1), used_s=60.0))
    database.flush()
    (found,) = all_of(windows)
    assert found.used_s == 60.0
    assert found.closed_at is None


def test_windows_are_found_by_the_time_they_touch(database: Database, windows: Windows) -> None:
    for number in range(4):
        closed_at = NOON + timedelta(hours=number, minutes=30)
        one = row(f"window_{number}", hours=number, seen_at=closed_at, closed_at=closed_at)
        windows.post(one)
    database.flush()
    found = windows.between(NOON + timedelta(hours=1, minutes=15), NOON + timedelta(hours=2.1))
    assert [one.id for one in found] == ["window_1", "window_2"]


def test_a_window_that_nobody_closed_ended_when_it_was_last_seen(
    database: Database, windows: Windows
) -> None:
    windows.post(row(seen_at=NOON + timedelta(minutes=7)))
    database.flush()
    Windows(database).close_left_open()
    database.flush()
    (found,) = all_of(windows)
    assert found.closed_at == NOON + timedelta(minutes=7)
    assert found.why_closed == STOPPED


def test_lulls_come_back_oldest_first(database: Database, windows: Windows) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    late = PastLull(began_at=NOON.astimezone(berlin), length_s=600.0)
    early = PastLull(began_at=NOON - timedelta(days=1), length_s=60.0, seen_to_end=False)
    windows.post_lull(late)
    windows.post_lull(early)
    database.flush()
    assert windows.lulls(since=NOON - timedelta(days=2)) == [early, late]
    assert windows.lulls(since=NOON - timedelta(hours=1)) == [late]


def test_what_no_guess_looks_back_to_is_dropped(
    database: Database, windows: Windows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lull.store.idle.windows.KEPT_ROWS", 0)
    windows.post_lull(PastLull(began_at=NOON - timedelta(days=300), length_s=600.0))
    windows.post(row("window_old", hours=-24 * 300))
    windows.post(row())
    windows.forget_before(NOON)
    database.flush()
    assert windows.lulls(since=NOON - timedelta(days=999)) == []
    everything = windows.between(NOON - timedelta(days=999), NOON + timedelta(days=1))
    assert [one.id for one in everything] == ["window_1"]


def test_a_clock_that_jumps_ahead_drops_nothing(database: Database, windows: Windows) -> None:
    windows.post_lull(PastLull(began_at=NOON, length_s=600.0))
    windows.post(row())
    windows.forget_before(NOON + timedelta(days=9999))
    database.flush()
    assert len(windows.lulls(since=NOON - timedelta(days=1))) == 1
    assert len(windows.between(NOON - timedelta(days=1), NOON + timedelta(days=1))) == 1


async def test_a_pause_is_on_disk_when_it_is_set(windows: Windows, tmp_path: Path) -> None:
    pause = Pause(asked_at=NOON, until=NOON + timedelta(hours=1))
    await windows.set_pause(pause)
    other = database_at(tmp_path / "lull.db")
    assert Windows(other).pause() == pause
    other.close()
    await windows.set_pause(Pause(asked_at=NOON, until=FOR_EVER))
    found = windows.pause()
    assert found is not None
    assert found.until == FOR_EVER
    await windows.set_pause(None)
    assert windows.pause() is None
