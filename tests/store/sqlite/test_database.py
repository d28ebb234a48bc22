"""Tests of the database: one file, one writer; writes are kept, and damage is explained."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import sqlite3
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lull.core.chat.trajectory import Selection
from lull.core.errors import StoreError
from lull.core.events import Event
from lull.store.chat.event_log import EventLog
from lull.store.chat.search_words import add_words, indexed_texts, remove_words
from lull.store.chat.trajectories import Trajectories
from lull.store.sqlite import database as database_module
from lull.store.sqlite.database import Database
from lull.store.sqlite.migrations import MIGRATIONS
from lull.store.sqlite.writer import BACKLOG, WRITES_PER_TRANSACTION, DatabaseWork, insert
from tests.building import KEY, opened, turn, user
from tests.eventually import PATIENCE_S, eventually, stands


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "lull.db"


def put(name: str, value: str = "x") -> DatabaseWork[object]:
    return lambda c: c.execute("INSERT INTO facts VALUES (?, ?)", (name, value))


def put_all(connection: sqlite3.Connection, found: Sequence[str]) -> None:
    insert(connection, "facts (name, value)", [(name, "x") for name in found])


def held(database: Database) -> threading.Event:
    """Hold the writer until the returned event is set; what is posted meanwhile is one batch."""
    hold, begun = threading.Event(), threading.Event()
    database.post(lambda _: begun.set() or hold.wait(PATIENCE_S))
    assert begun.wait(PATIENCE_S)
    return hold


FACTS = "SELECT name FROM facts WHERE name <> 'row-key'"
"""What a test has put there, without what each database has."""


def names(database: Database) -> list[str]:
    rows = database.read(lambda c: c.execute(f"{FACTS} ORDER BY name").fetchall())
    return [row["name"] for row in rows]


def fill(path: Path, count: int = 400) -> None:
    with opened(path) as database:
        store = Trajectories(database, key=KEY)
        for i in range(count):
            message = user(f"question {i} " + "words " * 40)
            store.record(
                turn(message, turn_id=f"t{i}", trajectory=f"c{i}"),
                session="",
                selection=Selection(),
            )


# Writing


def test_what_was_posted_is_on_disk_after_closing(path: Path) -> None:
    with opened(path) as database:
        for i in range(3 * WRITES_PER_TRANSACTION):
            database.post(put(f"{i:04d}"))
    with opened(path) as database:
        assert len(names(database)) == 3 * WRITES_PER_TRANSACTION


async def test_what_a_user_decided_is_synced_to_the_disk_and_a_record_is_not(
    path: Path,
) -> None:
    full, normal = 2, 1
    synced: list[int] = []

    def look(connection: sqlite3.Connection) -> None:
        synced.append(connection.execute("PRAGMA synchronous").fetchone()[0])

    with opened(path) as database:
        await database.write_synced(look)
        assert synced == [full]
        await database.write(look)
        assert synced == [full, normal]
    with opened(path) as database:
        synced.clear()
        database.post(look)
    assert synced == [normal]


def test_it_is_on_disk_soon_without_closing(path: Path) -> None:
    with opened(path) as database:
        database.post(put("a"))
        other = sqlite3.connect(path)
        with contextlib.closing(other):
            found = eventually(lambda: other.execute(FACTS).fetchall(), bool)
    assert found == [("a",)]


@pytest.mark.logs("recording failed", "recording works again")
async def test_a_failing_write_does_not_take_its_neighbours_with_it(path: Path) -> None:
    with opened(path) as database:
        hold = threading.Event()
        database.post(lambda _: hold.wait(PATIENCE_S))  # so that the others share one batch

        def half(connection: sqlite3.Connection) -> None:
            put("half")(connection)
            raise ValueError("no")

        database.post(put("a"))
        database.post(half)
        failing = asyncio.create_task(database.write(half))
        database.post(put("b"))
        broken = asyncio.create_task(database.write(lambda c: c.execute("SELECT nonsense")))
        database.post(put("c"))
        await asyncio.sleep(0)
        hold.set()
        with pytest.raises(ValueError, match="no"):
            await failing
        with pytest.raises(StoreError, match="nonsense"):
            await broken
        database.flush()
        assert names(database) == ["a", "b", "c"]


@pytest.mark.logs("recording failed", "recording works again")
def test_commits_that_fail_are_told_once_and_again_when_one_succeeds(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def refused_at_the_end(connection: sqlite3.Connection) -> None:  # as by a full disk
        connection.execute("INSERT INTO leaves VALUES (1)")

    with opened(path) as database:
        database.post(
            lambda c: c.execute(
                "CREATE TABLE leaves (of INTEGER REFERENCES boughs (id)"
                " DEFERRABLE INITIALLY DEFERRED)"
            )
        )
        database.post(lambda c: c.execute("CREATE TABLE boughs (id INTEGER PRIMARY KEY)"))
        database.flush()
        for _ in range(3):
            database.post(refused_at_the_end)
            with contextlib.suppress(StoreError):  # it may be in the same transaction
                database.flush()
        told = [record.message for record in caplog.records]
        database.post(put("a"))
        database.flush()
        assert names(database) == ["a"]
    assert told == ["recording failed; replies go on, these records are lost"]
    assert caplog.records[-1].message == "recording works again"


def test_what_gathers_in_an_inbox_is_written_at_once_and_in_order(path: Path) -> None:
    heaps: list[list[str]] = []

    def write(connection: sqlite3.Connection, found: Sequence[str]) -> None:
        heaps.append(list(found))
        insert(connection, "facts (name, value)", [(name, "x") for name in found])

    with opened(path) as database:
        hold, inbox = held(database), database.inbox(write)
        for number in range(5):
            inbox.put(f"a{number}")
            database.post(put(f"b{number}"))
        hold.set()
        database.flush()
        assert heaps == [[f"a{number}" for number in range(5)]]
        assert len(names(database)) == 10


async def test_who_waits_for_a_write_finds_what_was_put_before_it_and_no_more(path: Path) -> None:
    with opened(path) as database:
        hold, inbox = held(database), database.inbox(put_all)
        inbox.put("before")
        count = database.submit(
            lambda c: c.execute(f"SELECT count(*) FROM ({FACTS})").fetchone()[0]
        )
        inbox.put("after")
        hold.set()
        assert await asyncio.wrap_future(count) == 1
        await database.write(lambda _: None)
        assert names(database) == ["after", "before"]


@pytest.mark.logs("recording failed", "recording works again")
def test_one_bad_thing_in_an_inbox_takes_no_neighbour_with_it(path: Path) -> None:
    with opened(path) as database:
        hold, inbox = held(database), database.inbox(put_all)
        for name in ("a", "b", "a", "c"):  # a name can stand only once
            inbox.put(name)
        database.post(put("d"))
        hold.set()
        database.flush()
        assert names(database) == ["a", "b", "c", "d"]
        assert not database.failing


@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 100])
def test_many_rows_are_inserted_with_few_statements(path: Path, count: int) -> None:
    said: list[str] = []
    with opened(path) as database:

        def work(connection: sqlite3.Connection) -> None:
            connection.set_trace_callback(said.append)
            rows = [(f"{i:03}", i) for i in range(count)]
            insert(connection, "facts (name, value)", [*rows, *rows], "ON CONFLICT DO NOTHING")
            connection.set_trace_callback(None)

        database.submit(work).result()
        assert names(database) == [f"{i:03}" for i in range(count)]
    assert len(said) <= 2 * count // 32 + 6


async def test_a_write_whose_caller_has_gone_does_not_end_the_writer(path: Path) -> None:
    with opened(path) as database:
        hold = await asyncio.to_thread(held, database)
        write = asyncio.create_task(database.write(put("cancelled")))
        await stands()  # the write waits in line behind the one that is held
        write.cancel()
        with pytest.raises(asyncio.CancelledError):
            await write
        await stands()
        hold.set()
        await database.write(put("after"))
        assert names(database) == ["after"]


@pytest.mark.slow
@pytest.mark.logs("does not keep up")
def test_a_full_backlog_drops_and_counts_and_never_waits(path: Path) -> None:
    with opened(path) as database:
        hold = held(database)
        for i in range(BACKLOG + 7):
            database.post(put(str(i)))
        assert database.dropped == 7
        hold.set()
        database.flush()
        assert len(names(database)) == BACKLOG


def test_closing_twice_and_using_it_afterwards_is_harmless(path: Path) -> None:
    database = Database(path)
    database.read(lambda c: c.execute("SELECT 1").fetchone())
    database.close()
    database.close()
    database.post(put("late"))
    assert database.dropped == 1
    with pytest.raises(StoreError, match="closed"):
        database.flush()
    with pytest.raises(StoreError):
        database.read(lambda c: c.execute("SELECT 1").fetchone())
    with ThreadPoolExecutor(1) as pool, pytest.raises(StoreError, match="closed"):
        pool.submit(database.read, lambda c: c.execute("SELECT 1").fetchone()).result()


def test_closing_from_several_threads_at_once_is_harmless(path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        for _ in range(10):
            database = Database(path)
            database.read(lambda c: c.execute("SELECT 1").fetchone())
            for closed in [threads.submit(database.close) for _ in range(4)]:
                closed.result()


def test_closing_ends_who_still_reads_at_the_next_statement(path: Path) -> None:
    database = Database(path)
    reading, closing = threading.Event(), threading.Event()

    def read(connection: sqlite3.Connection) -> None:
        while True:
            connection.execute("SELECT 1").fetchone()
            reading.set()

    def count(connection: sqlite3.Connection) -> None:
        closing.set()
        connection.execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        ).fetchone()

    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(database.read, read), pool.submit(database.read, count)]
        reading.wait()
        closing.wait()
        database.close()
        for answer in answers:
            with pytest.raises(StoreError, match="closed"):
                answer.result()


def test_many_threads_read_while_one_writes(path: Path) -> None:
    with opened(path) as database:
        stop = threading.Event()

        def read() -> int:
            last = 0
            while not stop.is_set():
                (count,) = database.read(
                    lambda c: c.execute("SELECT count(*) FROM facts").fetchone()
                )
                assert count >= last
                last = count
            return last

        with ThreadPoolExecutor(8) as pool:
            readers = [pool.submit(read) for _ in range(8)]
            for i in range(500):
                database.post(put(f"{i:04d}"))
            database.flush()
            stop.set()
            assert all(reader.result() >= 0 for reader in readers)
        assert len(names(database)) == 500


def test_a_reader_cannot_write(path: Path) -> None:
    with opened(path) as database, pytest.raises(StoreError, match="readonly"):
        database.read(put("a"))


@pytest.mark.slow
def test_nothing_is_left_unclosed(path: Path) -> None:
    with opened(path) as database:
        names(database)
    del database
    gc.collect()
    assert not path.with_name("lull.db-wal").exists()


def test_it_waits_for_another_process_that_writes(path: Path) -> None:
    with opened(path) as database:
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        commit = threading.Timer(0.3, lambda: other.execute("COMMIT"))
        commit.start()
        database.post(put("a"))
        database.flush()
        commit.join()
        other.close()
        assert names(database) == ["a"]


@pytest.mark.logs("recording failed", "recording works again")
async def test_a_commit_that_fails_leaves_the_writer_able_to_write(path: Path) -> None:
    with opened(path) as database:
        await database.write(lambda c: c.execute("PRAGMA defer_foreign_keys = 1"))

        def orphan(connection: sqlite3.Connection) -> None:
            connection.execute("PRAGMA defer_foreign_keys = 1")
            connection.execute("INSERT INTO skill_states VALUES ('', 'a', 99, 1, '', 'active', 0)")

        with pytest.raises(StoreError, match="FOREIGN KEY"):
            await database.write(orphan)
        await database.write(put("after"))
        assert names(database) == ["after"]


# Opening


GARBAGE = {
    "garbage": lambda data: b"this is no database at all" * 400,
    "a garbage header": lambda data: b"\0" * 100 + data[100:],
    "a cut file": lambda data: data[: len(data) // 2],
    "a file cut inside a page": lambda data: data[: len(data) // 3 + 137],
    "zeros in the middle": lambda data: (
        data[: len(data) // 4] + b"\0" * (len(data) // 2) + data[3 * len(data) // 4 :]
    ),
    "random bytes in the middle": lambda data: (
        data[: len(data) // 2]
        + random.Random(1).randbytes(len(data) // 4)
        + data[-len(data) // 4 :]
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["garbage", *(pytest.param(kind, marks=pytest.mark.full) for kind in list(GARBAGE)[1:])]
)
def test_a_damaged_file_is_kept_aside_and_a_new_one_begun(path: Path, kind: str) -> None:
    fill(path)
    damaged = GARBAGE[kind](path.read_bytes())
    path.write_bytes(damaged)
    with opened(path) as database:
        assert database.kept_aside is not None
        assert database.kept_aside.read_bytes() == damaged
        assert names(database) == []
    path.write_bytes(damaged)
    with opened(path) as database:
        assert database.kept_aside == path.with_name("lull.db.damaged-2")


def test_an_empty_file_is_simply_a_new_one(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with opened(path) as database:
        assert database.kept_aside is None


def test_beside_a_running_service_damage_is_explained_and_left(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"garbage" * 1000)
    with pytest.raises(StoreError, match="damaged"):
        Database(path, rescue=False)
    assert path.read_bytes() == b"garbage" * 1000


def test_a_folder_in_its_place_is_explained(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="is a folder and no file"):
        Database(path)
    assert path.is_dir()


def test_a_file_in_place_of_the_home_is_explained(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(StoreError, match="home"):
        Database(tmp_path / "home" / "lull.db")


def test_a_file_of_a_newer_lull_is_left_alone(path: Path) -> None:
    with opened(path):
        pass
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 999")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer Lull"):
        Database(path)
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*damaged*"))


def test_somebody_elses_database_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE facts (mine TEXT)")
    other.commit()
    other.close()
    with pytest.raises(StoreError, match="already exists"):
        Database(path)
    assert not list(path.parent.glob("*damaged*"))


@pytest.mark.full
def test_a_large_file_is_only_checked_when_it_was_suspected(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path)
    path.write_bytes(without_messages(path))
    monkeypatch.setattr(database_module, "CHECKED_BYTES", 0)
    with opened(path) as database:
        assert database.kept_aside is None
        with pytest.raises(StoreError, match="malformed"):
            database.read(
                lambda c: c.execute("SELECT sum(length(message)) FROM messages").fetchall()
            )
    with opened(path) as database:
        assert database.kept_aside is not None


def without_messages(path: Path) -> bytes:
    """Return the file with garbage in the first page of its messages, wherever that lies."""
    with sqlite3.connect(path) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        root = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'messages'"
        ).fetchone()[0]
    connection.close()
    data = path.read_bytes()
    at = (root - 1) * size
    return data[:at] + random.Random(1).randbytes(size) + data[at + size :]


def older(path: Path) -> None:
    """Write a file of the first layout, with a fact and a use of a skill in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(MIGRATIONS[0])
    connection.execute("PRAGMA user_version = 1")
    connection.execute("INSERT INTO facts VALUES ('old', 'x')")
    connection.execute("INSERT INTO skill_uses VALUES ('', 'menu-style', 3, '2026')")
    connection.close()


def test_an_older_layout_is_copied_and_then_changed(path: Path) -> None:
    older(path)
    with opened(path) as database:
        assert names(database) == ["old"]
        row = database.read(lambda c: c.execute("SELECT * FROM skill_uses").fetchone())
        assert (row["name"], row["uses"]) == ("menu-style", 3)
    copy = sqlite3.connect(path.with_name("lull.db.before-2"))
    assert copy.execute("PRAGMA user_version").fetchone() == (1,)
    assert copy.execute("SELECT name FROM facts").fetchall() == [("old",)]
    copy.close()


@pytest.mark.parametrize("lost", ["search_rows", "layout"])
def test_where_search_words_lie_is_found_again(path: Path, lost: str) -> None:
    """Tests a file from before the table `search_rows`, and one from which somebody dropped it."""
    with opened(path) as database:
        database.submit(lambda c: add_words(c, [("a", "hello"), ("b", "you")])).result()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP TABLE search_rows")
    if lost == "layout":
        connection.execute("DROP INDEX messages_by_parent")
        for later in ("kept_pieces", "row_seals", "trained_adapters", "proof_records"):
            connection.execute(f"DROP TABLE {later}")
        connection.execute("PRAGMA user_version = 19")
    connection.close()
    with opened(path) as database:
        database.submit(lambda c: remove_words(c, ["a"])).result()
        assert database.read(lambda c: indexed_texts(c, ["a", "b"])) == [("b", "you")]
        assert [
            r[0] for r in database.read(lambda c: c.execute("SELECT link FROM words").fetchall())
        ] == ["b"]


def test_the_copy_has_what_was_only_in_the_log(path: Path) -> None:
    older(path)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute("INSERT INTO facts VALUES ('in the log', 'x')")
    with opened(path):
        pass
    writer.close()
    copy = sqlite3.connect(path.with_name("lull.db.before-2"))
    assert ("in the log",) in copy.execute("SELECT name FROM facts").fetchall()
    copy.close()


def test_a_new_file_is_not_copied(path: Path) -> None:
    with opened(path):
        pass
    assert not list(path.parent.glob("*before*"))


# Events


def test_events_are_kept_in_order_and_resumed_behind_the_last_one_seen(path: Path) -> None:
    with opened(path) as database:
        log = EventLog(database)
        assert log.last() == 0
        for seq in range(1, 6):
            log.post(Event(seq=seq, at="2026-11-21T09:00:00+00:00", kind="x", fields={"n": seq}))
        database.flush()
        assert [event.seq for event in log.after(3)] == [4, 5]
        assert [event.fields for event in log.after(0, limit=1)] == [{"n": 1}]
        assert log.last() == 5


def test_only_the_newest_events_are_kept(path: Path) -> None:
    with opened(path) as database:
        log = EventLog(database)
        for seq in (1, 2, 10_100):
            log.post(Event(seq=seq, at="", kind="x", fields={}))
        database.flush()
        assert [event.seq for event in log.after(0)] == [10_100]
