"""Tests of the simulated year: skipping ticks changes nothing, and the measures are right."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bench.lulls import metaclaw
from bench.lulls.command import main
from bench.lulls.measures import row, share
from bench.lulls.people import PEOPLE, Person
from bench.lulls.simulation import play
from bench.lulls.spans import both, by_length, complement, total, union, without
from bench.lulls.world import World, lived
from lull.core.calendars.event import CalendarEvent, Meaning

pytestmark = pytest.mark.full

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 11, 18, 0, 0, tzinfo=BERLIN)
HOUR, MINUTE = 3600.0, 60.0


def world(hours: float, **more: object) -> World:
    person = Person(name="nobody", zone="Europe/Berlin")
    made = World(person=person, start=START, length_s=hours * HOUR)
    for name, value in more.items():
        setattr(made, name, value)
    return made


# Stretches


def test_stretches_are_joined_cut_and_counted() -> None:
    joined = union([(5.0, 6.0), (0.0, 2.0)], [(1.0, 3.0)])
    assert joined == [(0.0, 3.0), (5.0, 6.0)]
    assert union(joined, within=2.0) == [(0.0, 6.0)]
    assert complement(joined, until=8.0) == [(3.0, 5.0), (6.0, 8.0)]
    assert both(joined, [(2.0, 5.5)]) == [(2.0, 3.0), (5.0, 5.5)]
    assert without(joined, [(1.0, 2.0)], until=8.0) == [(0.0, 1.0), (2.0, 3.0), (5.0, 6.0)]
    assert total(joined) == 4.0
    assert by_length(joined, least=2.0) == [(0.0, 3.0)]


def test_a_share_comes_with_its_weeks_and_an_interval() -> None:
    found = share([(8.0, 10.0), (6.0, 10.0), (10.0, 10.0)], seed=1)
    assert found.value == pytest.approx(0.8)
    assert found.n == 3
    assert 0.6 <= found.low <= found.value <= found.high <= 1.0


# People


@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person.name)
def test_a_person_lives_the_same_year_from_the_same_seed(person: Person) -> None:
    one, other = (lived(person, seed=3, days=30) for _ in range(2))
    assert one.input == other.input
    assert one.events == other.events
    assert one.input != lived(person, seed=4, days=30).input


@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person.name)
def test_nobody_types_who_is_not_there_or_on_a_machine_that_sleeps(person: Person) -> None:
    made = lived(person, seed=3, days=30)
    assert total(both(made.input, made.sessions)) == pytest.approx(total(made.input))
    assert both(made.input, made.asleep) == []
    assert both(made.usable(), made.sessions) == []
    assert 1.0 < total(made.sessions) / HOUR / 30 < 14.0


# The simulation


def busy_world() -> World:
    at = START.replace(hour=1, minute=20)
    return world(
        2.2,
        sessions=[(0.0, 600.0), (3000.0, 3100.0)],
        input=[(0.0, 300.0), (420.0, 600.0), (3000.0, 3040.0), (3080.0, 3100.0)],
        locked=[(3110.0, 7920.0)],
        chats=[(3600.0, 3612.5)],
        load=[(4000.0, 4100.0)],
        battery=[(5900.3, 6000.0)],
        asleep=[(6500.0, 7000.0)],
        calls=[(2000.0, 2090.0)],
        events=[
            CalendarEvent(start=at, end=START.replace(hour=1, minute=30), kind=Meaning.BUSY),
        ],
    )


@pytest.mark.slow
def test_ticks_that_are_passed_over_change_nothing(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("skipping", "every")]
    for folder in folders:
        folder.mkdir()
    skipping = play(busy_world(), folders[0], seed=1)
    every = play(busy_world(), folders[1], seed=1, every_tick=True)
    assert len(skipping.windows) == len(every.windows) >= 6
    for one, other in zip(skipping.windows, every.windows, strict=True):
        assert one.closed_by == other.closed_by
        # Where the grid of ticks lies is all that differs: a tick of 15 s, or 100 ms at the end.
        assert abs((one.opened_at - other.opened_at).total_seconds()) <= 15.5
        assert one.closed_at is not None
        assert other.closed_at is not None
        assert abs((one.closed_at - other.closed_at).total_seconds()) <= 0.2
    assert total(skipping.running) == pytest.approx(total(every.running), abs=15.5 * 8)


def test_work_stops_for_everybody_and_is_never_lost(tmp_path: Path) -> None:
    made = busy_world()
    played = play(made, tmp_path, seed=1)
    overlaps = [end - start for start, end in both(played.running, made.shows_itself())]
    assert overlaps
    assert max(overlaps) <= 0.25
    assert both(played.running, made.asleep) == []
    assert played.lost_steps == 0
    assert played.most_at_once == 1
    assert total(played.running) > HOUR / 2


def test_nothing_runs_beside_a_meeting_that_needs_the_machine(tmp_path: Path) -> None:
    made = busy_world()
    played = play(made, tmp_path, seed=1)
    assert total(both(played.running, made.busy_spans(Meaning.BUSY))) == 0.0


# The peer


def test_the_peer_does_not_look_at_the_user_in_sleep_hours() -> None:
    made = world(5, sessions=[(0.0, 5 * HOUR)], input=[(0.0, 5 * HOUR)])
    assert total(metaclaw.running(made)) == 5 * HOUR


def test_the_peer_waits_half_an_hour_by_day_and_looks_once_a_minute() -> None:
    made = world(
        12,
        sessions=[(8 * HOUR - 30, 8.5 * HOUR), (11 * HOUR + 30, 12 * HOUR)],
        input=[(8 * HOUR - 30, 8.5 * HOUR), (11 * HOUR + 30, 12 * HOUR)],
    )
    running = metaclaw.running(made)
    assert running[-1] == (9 * HOUR + 60, 11 * HOUR + 60)
    assert row("peer", made, running, seed=0)["overlap_most_s"] == 30.0


# The command


@pytest.mark.slow
def test_the_command_writes_its_result_and_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--days", "7", "--seed", "5", "--out", str(tmp_path)]) == 0
    document = json.loads((tmp_path / "lulls.json").read_text())
    assert document["simulated"] is True
    assert document["seeds"] == [5]
    assert {one["policy"] for one in document["rows"]} == {"Lull", "MetaClaw's policy"}
    total_, *own = [one for one in document["rows"] if one["policy"] == "Lull"]
    assert total_["short_n"] == sum(one["short_n"] for one in own) > 0
    shares = [one["short_used_share"] for one in own if one["short_n"]]
    assert min(shares) <= total_["short_used_share"] <= max(shares)
    assert (tmp_path / "lulls.png").read_bytes().startswith(b"\x89PNG")
    assert "of 5–15 min alone" in capsys.readouterr().out
