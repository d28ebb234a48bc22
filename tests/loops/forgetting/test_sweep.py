"""Tests of the retention sweep: old conversations move to the trash whole and can be restored."""

from __future__ import annotations

import json
import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lull.core.chat.day_count import DayCount
from lull.core.chat.retention import Limits
from lull.core.chat.trajectory import Selection
from lull.core.errors import StoreError
from lull.loops.chat.lived_clock import LivedClock
from lull.loops.forgetting.sweep import RestoreResult, Sweep, SweepResult
from lull.store.chat.trajectories import ConversationQuery, Trajectories
from lull.store.forgetting.retention import Retention, sweep_messages
from lull.store.forgetting.trash import Removal, Trash
from lull.store.sqlite.database import Database
from tests.building import KEY, assistant, database_at, turn, user
from tests.cancelling import cancelled_within
from tests.doubles.fakes import FakeClock


@dataclass
class Home:
    """A store that is swept; `start` simulates a new process on the same disk."""

    folder: Path
    limits: Limits = field(default_factory=lambda: Limits(days=30))
    trash_bytes: int = 10_000_000
    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.database = database_at(self.folder / "lull.db")
        self.store = Trajectories(self.database, key=KEY)
        self.start()

    def start(self) -> None:
        retention = Retention(self.database)
        self.sweep = Sweep(
            retention,
            Trash(self.folder / "trash", self.database),
            LivedClock(self.clock, retention),
            limits=lambda: self.limits,
            trash_bytes=lambda: self.trash_bytes,
        )

    def say(self, *numbers: int, words: str = "hello") -> None:
        for number in numbers:
            name = f"c{number:04}"
            first = turn(
                user("shared"), said="too", turn_id=f"{name}-1", trajectory=name, clock=self.clock
            )
            more = turn(
                *first.messages,
                assistant("too"),
                user(f"{words} {number}"),
                said=f"answer {number}",
                turn_id=f"{name}-2",
                trajectory=name,
                number=2,
                clock=self.clock,
            )
            for one in (first, more):
                self.store.record(one, session="", selection=Selection())
        self.database.flush()

    async def day(self) -> SweepResult:
        """Go on to the next morning, start anew, and sweep."""
        self.clock.at += timedelta(days=1)
        self.start()
        return await self.sweep.sweep()

    def everything(self) -> dict[str, list[Any]]:
        def work(connection: sqlite3.Connection) -> dict[str, list[Any]]:
            tables = connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
                " AND name NOT LIKE 'words_%' AND name NOT IN ('births', 'facts', 'search_rows')"
            ).fetchall()
            return {
                name: sorted(repr(tuple(r)) for r in connection.execute(f"SELECT * FROM {name}"))
                for (name,) in tables
            }

        return self.database.read(work)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.database.close()


@pytest.mark.full
async def test_who_is_here_every_day_keeps_a_month_and_is_never_asked(home: Home) -> None:
    for number in range(45):
        home.say(number, 1000 + number)
        swept = await home.day()
        assert (swept.ask, swept.full) == (0, False)
    left, _ = home.store.page(limit=999)
    assert 60 <= len(left) <= 68
    # What has left the trash lay there for a week at least.
    assert (
        len(left) + sum(len(one.bundle.conversations) for one in home.sweep.trash_files()) >= 2 * 38
    )


@pytest.mark.parametrize("jump", [-20_000, -400, 400, 16_000, 900_000])
async def test_no_jump_of_the_clock_takes_anything(home: Home, jump: int) -> None:
    home.say(*range(30))
    await home.sweep.sweep()
    before, right = home.everything(), home.clock.at
    for _ in range(4):
        home.clock.at = right + timedelta(days=jump)
        for _ in range(3):
            home.start()
            swept = await home.sweep.sweep()
            assert swept.moved == 0
            assert swept.ask == (30 if jump > 0 else 0)
        home.clock.at = right = right + timedelta(days=1)
        home.start()
        assert (await home.sweep.sweep()).moved == 0
    assert home.everything() == before


async def test_a_jump_while_it_runs_takes_nothing_either(home: Home) -> None:
    home.say(*range(30))
    await home.sweep.sweep()
    for _ in range(60):
        home.clock.at += timedelta(days=6)
        home.clock.passed_s += 3600
        assert (await home.sweep.sweep()).moved == 0


async def test_what_was_recorded_by_a_clock_that_was_behind_stays(home: Home) -> None:
    right = home.clock.at
    home.clock.at = right - timedelta(days=400)
    home.say(1, 2, 3)
    await home.sweep.sweep()
    home.clock.at = right
    home.say(4)
    home.start()
    swept = await home.sweep.sweep()
    assert (swept.moved, swept.ask, swept.doubted) == (0, 3, 3)
    assert home.store.counts() == (4, 8)


async def test_answers_of_replays_go_with_the_conversation_that_they_answer(home: Home) -> None:
    home.say(1, 2)

    def replayed(connection: sqlite3.Connection) -> None:
        for number in (1, 2):
            pair = json.dumps({"request": f"c{number:04}-1"})
            connection.execute(
                "INSERT INTO replays (proposal, number, pair, answers) VALUES ('p', ?, ?, ?)",
                (number, pair, '["one", "other"]'),
            )

    def answers(connection: sqlite3.Connection) -> list[str]:
        return [row[0] for row in connection.execute("SELECT answers FROM replays ORDER BY number")]

    with closing(sqlite3.connect(home.folder / "lull.db")) as connection, connection:
        replayed(connection)
    bundle = Removal(why="asked", at=home.clock.now().isoformat(), born=0.0, conversations=())
    assert await Trash(home.folder / "trash", home.database).move_to_trash(["c0001"], bundle) == 1
    assert home.database.read(answers) == ["", '["one", "other"]']


async def test_what_went_comes_back_as_it_was(home: Home) -> None:
    home.say(*range(50))
    await home.store.label("c0007-2", "good", at=home.clock.now())
    before = home.everything()
    home.clock.at += timedelta(days=400)
    home.say(100)
    swept = await home.sweep.sweep(asked=True)
    assert swept.moved == 50
    steps = [len(one.bundle.conversations) for one in home.sweep.trash_files()]
    assert steps == [20, 20, 10]
    assert home.store.counts() == (1, 2)
    assert home.store.page(ConversationQuery(search="hello 7"), limit=9)[0] == []
    name = home.sweep.trash_files()[0].name
    assert await home.sweep.restore(name) == RestoreResult(conversations=20)
    assert await home.sweep.restore() == RestoreResult(conversations=30)
    assert home.sweep.trash_files() == []
    after = home.everything()
    for table, rows in before.items():
        assert set(rows) <= set(after[table]), table
        assert len(rows) + len([r for r in after[table] if r not in rows]) == len(after[table])
    assert [row.id for row in home.store.page(ConversationQuery(search="hello 7"), limit=9)[0]] == [
        "c0007"
    ]
    assert await home.sweep.sweep(asked=True) == SweepResult()


async def test_what_others_took_the_number_of_comes_back_once(home: Home) -> None:
    def measured(turn_id: str) -> None:
        home.database.post(
            lambda connection: connection.execute(
                "INSERT INTO use_replays (client, name, sha256, turn, at, model)"
                " VALUES ('c', 'n', 's', ?, 'a', 'm')",
                (turn_id,),
            )
        )
        home.database.flush()

    home.say(1)
    measured("c0001-2")
    home.clock.at += timedelta(days=400)
    home.say(2)
    assert (await home.sweep.sweep(asked=True)).moved == 1
    measured("c0002-2")
    file = home.folder / "trash" / f"{home.sweep.trash_files()[0].name}.gz"
    data = file.read_bytes()
    for _ in range(2):
        file.write_bytes(data)
        await home.sweep.restore()
        turns = home.database.read(
            lambda connection: connection.execute(
                "SELECT turn FROM use_replays ORDER BY turn"
            ).fetchall()
        )
        assert [row["turn"] for row in turns] == ["c0001-2", "c0002-2"]


async def test_what_goes_on_while_it_goes_stays(home: Home, monkeypatch: Any) -> None:
    home.say(1)
    trash = Trash(home.folder / "trash", home.database)
    write = trash._write

    def meanwhile(lines: Any) -> Path:
        file = write(lines)
        home.clock.advance(60)
        home.store.record(
            turn(user("on"), turn_id="t9", trajectory="c0001", number=3, clock=home.clock),
            session="",
            selection=Selection(),
        )
        return file

    monkeypatch.setattr(trash, "_write", meanwhile)
    bundle = Removal(why="age", at=home.clock.now().isoformat(), born=0.0, conversations=())
    assert await trash.move_to_trash(["c0001"], bundle) == 0
    assert home.store.counts() == (1, 3)
    assert trash.files() == []


MEANWHILE = {
    "a rating": "UPDATE turns SET label = 'bad', labelled_at = '2026-11-29T10:00:00+00:00'",
    "no learning": "UPDATE trajectories SET excluded_at = '2026-11-29T10:00:00+00:00'",
    "a score": "INSERT INTO rewards (turn, at) VALUES ('c0001-1', '2026-11-29T10:00:00+00:00')",
}


@pytest.mark.parametrize("what", MEANWHILE)
async def test_what_is_changed_while_it_goes_stays(home: Home, monkeypatch: Any, what: str) -> None:
    home.say(1)
    home.say(2)
    trash = Trash(home.folder / "trash", home.database)
    write = trash._write

    def meanwhile(lines: Any) -> Path:
        file = write(lines)
        table = "trajectories" if what == "no learning" else "turns"
        where = {"turns": " WHERE trajectory = 'c0001'", "trajectories": " WHERE id = 'c0001'"}
        statement = MEANWHILE[what] + (where[table] if what != "a score" else "")
        home.database.submit(lambda c: c.execute(statement)).result()
        return file

    monkeypatch.setattr(trash, "_write", meanwhile)
    bundle = Removal(why="age", at=home.clock.now().isoformat(), born=0.0, conversations=())
    assert await trash.move_to_trash(["c0001", "c0002"], bundle) == 1
    left = home.database.read(lambda c: c.execute("SELECT id FROM trajectories").fetchall())
    assert [row["id"] for row in left] == ["c0001"]


async def test_a_power_cut_does_not_take_what_was_restored_with_its_file(home: Home) -> None:
    home.say(1)
    trash = Trash(home.folder / "trash", home.database)
    bundle = Removal(why="age", at=home.clock.now().isoformat(), born=0.0, conversations=())
    assert await trash.move_to_trash(["c0001"], bundle) == 1
    (file,) = trash.files()
    done: list[str] = []
    home.database.submit(lambda c: c.set_trace_callback(done.append)).result()
    assert await trash.restore(file.name) == 1
    back = next(n for n, one in enumerate(done) if "INTO trajectories" in one)
    synced = [n for n, one in enumerate(done) if one == "PRAGMA synchronous = FULL"]
    assert synced and synced[0] < back, "the file goes only behind what is on the disk"


async def test_conversations_are_read_into_the_trash_beside_the_loop(home: Home) -> None:
    class Watched(Database):
        def read(self, work: Any) -> Any:
            threads.add(threading.get_ident())
            return super().read(work)

    home.say(1)
    threads: set[int] = set()
    with closing(Watched(home.folder / "lull.db")) as database:
        bundle = Removal(why="asked", at=home.clock.now().isoformat(), born=0.0, conversations=())
        assert await Trash(home.folder / "trash", database).move_to_trash(["c0001"], bundle) == 1
    assert threads and threading.get_ident() not in threads


@pytest.mark.full
async def test_a_step_costs_the_same_however_much_else_is_stored(tmp_path: Path) -> None:
    """Measured in SQLite instructions: a step holds the only writer as long as they take."""

    async def steps(others: int) -> int:
        home = Home(tmp_path / str(others))
        home.say(*range(others))
        at = home.clock.now().isoformat()
        counted = [0]

        def count() -> None:
            counted[0] += 1

        await home.database.write(lambda c: c.set_progress_handler(count, 10))
        bundle = Removal(why="asked", at=at, born=0.0, conversations=())
        gone = [f"c{number:04}" for number in range(20)]
        assert await Trash(home.folder / "trash", home.database).move_to_trash(gone, bundle) == 20
        home.database.close()
        return counted[0]

    assert await steps(800) < 1.5 * await steps(40)


@pytest.mark.parametrize("seed", range(8))
async def test_what_goes_leaves_no_message_behind_and_takes_none_that_is_used(
    home: Home, seed: int
) -> None:
    rng = random.Random(seed)
    said = [user("start"), assistant("yes")]
    chats = [[user("start")]]
    for number in range(60):
        base = rng.choice(chats)
        chats.append(
            [*base[: rng.randint(1, len(base))], assistant("so"), user(f"on {number % 9}")]
        )
    for number, messages in enumerate([*chats, said]):
        one = turn(
            *messages,
            said=rng.choice(["a", "b"]),
            turn_id=f"t{number}",
            trajectory=f"c{number:04}",
            clock=home.clock,
        )
        home.store.record(one, session="", selection=Selection())
    home.database.flush()

    def state(connection: sqlite3.Connection) -> list[list[str]]:
        tables = (
            "SELECT link FROM messages",
            "SELECT link FROM words",
            "SELECT row FROM search_rows",
        )
        return [sorted(str(row[0]) for row in connection.execute(table)) for table in tables]

    trash = Trash(home.folder / "trash", home.database)
    names = [f"c{number:04}" for number in range(len(chats) + 1)]
    rng.shuffle(names)
    bundle = Removal(why="asked", at=home.clock.now().isoformat(), born=0.0, conversations=())
    while names:
        some = [names.pop() for _ in range(min(len(names), rng.randint(1, 12)))]
        assert await trash.move_to_trash(some, bundle) == len(some)
        left = home.database.read(state)
        await home.database.write(sweep_messages)
        assert home.database.read(state) == left
    assert left == [[], [], []]


async def test_a_full_trash_holds_it_up_and_nothing_is_lost(home: Home) -> None:
    home.trash_bytes = 1
    home.say(*range(50))
    home.clock.at += timedelta(days=400)
    first = await home.sweep.sweep(asked=True)
    assert (first.moved, first.full) == (20, True)
    assert await home.sweep.sweep(asked=True) == SweepResult(full=True)
    assert home.store.counts()[0] == 30
    assert await home.sweep.empty() == 20
    assert (await home.sweep.sweep(asked=True)).moved == 20


async def test_the_trash_keeps_a_week_whatever_the_clock_says(home: Home) -> None:
    home.say(*range(5))
    home.clock.at += timedelta(days=400)
    await home.sweep.sweep(asked=True)
    right = home.clock.at
    home.clock.at = right + timedelta(days=5000)
    for _ in range(3):
        home.start()
        await home.sweep.sweep()
        assert len(home.sweep.trash_files()) == 1
    home.clock.at = right
    for _ in range(6):
        await home.day()
        assert len(home.sweep.trash_files()) == 1
    for _ in range(6):
        await home.day()
    assert home.sweep.trash_files() == []


async def test_a_trash_that_cannot_be_written_keeps_everything(home: Home) -> None:
    (home.folder / "trash").write_text("in the way")
    home.say(1, 2)
    home.clock.at += timedelta(days=400)
    with pytest.raises(StoreError, match="trash"):
        await home.sweep.sweep(asked=True)
    assert home.store.counts() == (2, 4)


async def test_a_damaged_file_of_the_trash_is_left_where_it_is(home: Home) -> None:
    home.say(1, 2)
    home.clock.at += timedelta(days=400)
    await home.sweep.sweep(asked=True)
    (file,) = (home.folder / "trash").glob("*.gz")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) - 30])
    (one,) = home.sweep.trash_files()
    with pytest.raises(StoreError, match=one.name):
        await home.sweep.restore()
    assert home.store.counts() == (0, 0)
    file.write_bytes(b"rubbish")
    assert home.sweep.trash_files() == []
    file.write_bytes(whole)
    assert await home.sweep.restore() == RestoreResult(conversations=2)
    assert not file.exists()


async def test_a_damaged_file_of_the_trash_keeps_no_other_from_coming_back(home: Home) -> None:
    home.say(*range(50))
    home.clock.at += timedelta(days=400)
    await home.sweep.sweep(asked=True)
    _, second, third = sorted((home.folder / "trash").glob("*.gz"))
    second.write_bytes(second.read_bytes()[:-40])
    whole = third.read_bytes()
    third.write_bytes(whole[:40] + b"?" + whole[41:])  # no way to unpack it
    assert second in home.sweep.damaged() and third in home.sweep.damaged()
    third.write_bytes(whole)
    assert home.sweep.damaged() == [second]
    assert await home.sweep.restore() == RestoreResult(conversations=30, left=(second.stem,))
    assert [one.name for one in home.sweep.trash_files()] == [second.stem]
    assert home.store.counts()[0] == 30
    with pytest.raises(StoreError, match=second.stem):
        await home.sweep.restore()


@pytest.mark.full
async def test_by_size_the_oldest_go_until_it_fits(home: Home) -> None:
    for number in range(100):
        home.say(number, words=f"{number} " + "many words " * 400)
    await home.sweep.sweep()
    used = Retention(home.database).used_bytes()
    home.limits = Limits(most_bytes=int(used * 0.95))
    swept = await home.sweep.sweep()
    assert 4 <= swept.moved <= 10
    assert Retention(home.database).used_bytes() <= used * 0.95
    home.limits = Limits(most_bytes=used // 2)
    asked = await home.sweep.sweep()
    assert asked.moved == 0
    assert asked.ask > 30
    assert (await home.sweep.sweep(asked=True)).moved > 30


@pytest.mark.full
async def test_a_tenth_is_a_tenth_of_what_stood_however_many_steps_it_takes(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The excess lies in new large conversations, so that removing old small ones hardly helps."""
    monkeypatch.setattr(Retention, "sizes", lambda _: {})
    home.limits = Limits()
    home.say(*range(120))
    home.clock.advance(60)
    home.say(*range(1000, 1004), words="many other words " * 20_000)
    await home.sweep.sweep()
    home.limits = Limits(most_bytes=int(Retention(home.database).used_bytes() * 0.98))
    first = await home.sweep.sweep()
    assert 0 < first.moved <= 12
    assert first.ask > 0 and first.gone == first.moved
    # Neither a restart nor a new day takes more while the question is open.
    for _ in range(3):
        assert await home.day() == SweepResult(ask=first.ask, gone=first.gone)
    home.limits = Limits()
    assert await home.day() == SweepResult()
    assert await home.day() == SweepResult()
    home.limits = Limits(most_bytes=int(Retention(home.database).used_bytes() * 0.98))
    assert (await home.sweep.sweep()).moved > 0
    assert (await home.sweep.sweep(asked=True)).moved > 12


async def test_old_small_ones_in_the_way_of_new_large_ones_are_asked_about_before_any_goes(
    home: Home,
) -> None:
    home.limits = Limits()
    home.say(*range(120))
    home.clock.advance(60)
    home.say(*range(1000, 1004), words="many other words " * 20_000)
    await home.sweep.sweep()
    home.limits = Limits(most_bytes=int(Retention(home.database).used_bytes() * 0.97))
    swept = await home.sweep.sweep()
    assert (swept.moved, swept.gone) == (0, 0)
    assert swept.ask > 12


async def test_sweeps_of_one_day_share_one_tenth(home: Home) -> None:
    home.clock.at -= timedelta(days=40)
    home.say(*range(8))
    for _ in range(40):
        await home.day()
    home.say(*range(100, 182))
    home.limits = Limits(days=100)
    assert await home.sweep.sweep() == SweepResult()
    home.limits = Limits(days=30)
    assert (await home.sweep.sweep()).moved == 8
    home.limits = Limits(days=0, most_bytes=int(Retention(home.database).used_bytes() * 0.96))
    home.start()
    assert (await home.sweep.sweep()).moved <= 1
    home.limits = Limits(days=0)
    assert await home.sweep.sweep() == SweepResult()


async def test_days_outlive_a_restart(home: Home) -> None:
    for _ in range(10):
        await home.day()
    lived = Retention(home.database).day_count()
    assert lived == DayCount(spans=lived.spans, sure=lived.sure, seen_at_start=9)
    assert (lived.seen, lived.sure) == (10, 8.0)


# Cancelled meanwhile, as by the end of the service


async def test_a_sweep_that_is_cancelled_loses_nothing(home: Home) -> None:
    home.say(*range(4))
    before = home.everything()
    home.clock.at += timedelta(days=400)
    await cancelled_within(home.database, "DELETE ON trajectories", home.sweep.sweep(asked=True))
    left, _ = home.store.page(limit=99)
    thrown = [one for step in home.sweep.trash_files() for one in step.bundle.conversations]
    assert len(left) + len(thrown) == 4 and thrown
    await home.sweep.restore()
    assert home.everything() == before


async def test_what_is_restored_while_somebody_cancels_leaves_the_trash(home: Home) -> None:
    home.say(*range(4))
    home.clock.at += timedelta(days=400)
    await home.sweep.sweep(asked=True)
    await cancelled_within(home.database, "INSERT ON trajectories", home.sweep.restore())
    left, _ = home.store.page(limit=99)
    assert len(left) == 4 and home.sweep.trash_files() == []
