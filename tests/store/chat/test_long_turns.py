"""Tests of recording long turns: stored like short ones, without delaying any other write."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing as closed
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lull.core.chat.messages import Completion, Message
from lull.core.chat.trajectory import Selection, Turn
from lull.core.errors import StoreError
from lull.store.chat import long_turns
from lull.store.chat.kept_pieces import keep_pieces
from lull.store.chat.recording import PIECE_ROWS, Prepared, compress_rows
from lull.store.chat.trajectories import Trajectories
from lull.store.chat.turn_rows import TurnRow
from lull.store.forgetting.trash import Removal, Trash
from lull.store.sqlite import preparing
from lull.store.sqlite.database import Database
from lull.store.sqlite.preparing import Post, Preparation
from tests.building import KEY, answer, assistant, opened, turn, user
from tests.eventually import PATIENCE_S, eventually

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LONG = "A long word and another. " * 2_000
TOOLS = f'[{{"function": {{"name": "find", "description": "with {SECRET}"}}}}]'


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with opened(tmp_path / "lull.db") as found:
        yield found


def nothing() -> None:
    """Post nothing."""


def held(hold: threading.Event, began: threading.Event | None = None) -> Preparation:
    """Return a preparation that goes on until `hold` is set, and sets `began` when it begins."""

    def prepare(short: bool) -> Post:
        if not short:
            if began is not None:
                began.set()
            hold.wait()
        return nothing

    return prepare


def record(database: Database, done: Turn, prepared: Prepared | None = None) -> Trajectories:
    store = Trajectories(database, key=KEY)
    store.record(done, session="", selection=Selection(), prepared=prepared)
    return store


def said(*messages: Message, completion: Completion, name: str = "turn_1", number: int = 1) -> Turn:
    made = turn(*messages, completion=completion, turn_id=name, number=number)
    return replace(made, tools=TOOLS)


def stored(database: Database, *done: Turn) -> list[TurnRow]:
    for one in done:
        store = record(database, one)
    database.flush()
    return store.get("conv_1")[1]


def test_a_long_turn_is_stored_as_by_the_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = said(user(f"{LONG} {SECRET}"), completion=answer(f"yes, {SECRET}"))
    later = said(
        *first.messages,
        assistant(f"yes, {SECRET}"),
        user(f"another one: {SECRET[:-1]}Q"),
        completion=answer(f"{LONG} no {SECRET}"),
        name="turn_2",
        number=2,
    )
    with opened(tmp_path / "prepared.db") as database:
        assert long_turns.is_long(first, None)
        prepared = stored(database, first, later)
    monkeypatch.setattr(long_turns, "LONG_CHARACTERS", 10**9)
    with opened(tmp_path / "written.db") as database:
        assert stored(database, first, later) == prepared
    assert SECRET.encode() not in (tmp_path / "prepared.db").read_bytes()
    assert prepared[0].request[0].text == f"{LONG} ⟨secret:github-token:1⟩"
    assert [len(one.request) for one in prepared] == [1, 1]
    assert prepared[1].request[0].text.startswith("another one: ⟨secret:github-token:2⟩")
    assert prepared[1].answer.text == f"{LONG} no ⟨secret:github-token:1⟩"


def test_the_long_answer_to_a_request_that_a_helper_prepared_is_stored(database: Database) -> None:
    done = turn(user("a"), completion=answer(f"{LONG}{SECRET}"))
    store = record(database, done, Prepared())
    database.flush()
    assert store.turn("turn_1").answer.text == f"{LONG}⟨secret:github-token:1⟩"


def test_nobody_waits_for_a_long_turn(database: Database) -> None:
    hold = threading.Event()
    database.prepare(held(hold))
    long = said(user(LONG), completion=answer("a"))
    other = turn(user("b"), turn_id="turn_2", trajectory="conv_2")
    store = record(database, long)
    record(database, other)
    database.submit(lambda _: None).result()
    assert store.counts() == (1, 1)
    assert store.turn("turn_2").request == (user("b"),)
    hold.set()
    database.flush()
    assert store.turn("turn_1").request == (user(LONG),)


def test_who_waits_for_what_was_said_waits_for_nothing_said_later(database: Database) -> None:
    more = True

    def again(short: bool) -> Post:
        if more:
            database.prepare(again)
        return nothing

    database.prepare(again)
    database.flush()  # though there is always one more
    more = False
    hold = threading.Event()
    database.prepare(held(hold))
    database.flush(prepared_within_s=0.05)  # given up
    hold.set()


@pytest.mark.logs("too many long texts at once")
def test_when_too_much_waits_a_long_turn_is_stored_in_its_short_form(database: Database) -> None:
    hold, began = threading.Event(), threading.Event()
    database.prepare(held(hold, began))
    began.wait()
    for _ in range(preparing.MOST_WAITING):
        database.prepare(lambda short: nothing)
    store = record(database, said(user(LONG), completion=answer(LONG)))
    hold.set()
    database.flush()
    row = store.turn("turn_1")
    assert row.request == ()
    left = len(LONG) - long_turns.SHORT_CHARACTERS
    head = LONG[: long_turns.SHORT_CHARACTERS]
    assert row.answer.text == f"{head}⟨{left} characters more are not kept⟩"


@pytest.mark.logs("2 long turns are stored without their long texts")
def test_closing_waits_for_no_text_however_long_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing.PreparingThread.close, "__defaults__", (0.0,))
    hold, began = threading.Event(), threading.Event()
    prepare = long_turns.prepare

    def slow(*args: Any, **more: Any) -> Prepared:
        began.set()
        hold.wait()
        return prepare(*args, **more)

    monkeypatch.setattr(long_turns, "prepare", slow)
    path = tmp_path / "lull.db"
    database = Database(path)
    record(database, said(user(LONG), completion=answer("short")))
    began.wait()
    record(database, said(user(LONG), completion=answer("waits"), name="turn_2", number=2))
    database.close()  # while one is under way and never ends, and one waits
    with opened(path) as again:
        store = Trajectories(again, key=KEY)
        rows = [store.turn(name) for name in ("turn_1", "turn_2")]
        assert [row.request for row in rows] == [(), ()]
        assert [row.answer.text for row in rows] == ["short", "waits"]
        hold.set()  # what it finds at last is not written a second time
        again.flush()
        assert store.counts() == (1, 2)


class Doorway:
    """A lock that tells when a second one comes to it, and whether that one must wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._came = 0
        self.second_came = threading.Event()
        self.second_waits = False

    def __enter__(self) -> None:
        self._came += 1
        if self._came == 2:
            self.second_waits = self._lock.locked()
            self.second_came.set()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


@pytest.mark.logs("1 long turns are stored without their long texts")
def test_who_closes_second_waits_until_the_first_has_posted_the_short_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing.PreparingThread.close, "__defaults__", (0.0,))
    hold, began = threading.Event(), threading.Event()
    path = tmp_path / "lull.db"
    database = Database(path)
    second = threading.Thread(target=database.close)
    closing = Doorway()
    monkeypatch.setattr(database._preparing, "_closing", closing)
    waited: list[bool] = []
    shorten = long_turns.short_form

    def slow(*_: Any, **__: Any) -> Prepared:
        began.set()
        hold.wait()
        return Prepared()

    def short_form(*words: Any) -> tuple[Turn, Prepared]:
        second.start()
        assert closing.second_came.wait(PATIENCE_S)
        waited.append(closing.second_waits)
        return shorten(*words)

    monkeypatch.setattr(long_turns, "prepare", slow)
    monkeypatch.setattr(long_turns, "short_form", short_form)
    record(database, said(user(LONG), completion=answer("short")))
    began.wait()
    database.close()
    second.join()
    hold.set()
    assert waited == [True]
    with opened(path) as again:
        assert Trajectories(again, key=KEY).turn("turn_1").answer.text == "short"


def stopped_amidst(path: Path) -> list[Message]:
    """Close a database while all but the newest piece of a very long request is unwritten; return
    the request's messages.
    """
    messages = [user(f"message {n} {SECRET}") for n in range(6 * PIECE_ROWS)]
    done = turn(*messages, completion=answer("yes"))
    links = long_turns.pair_with_links(done.links, done.messages)
    parts = long_turns.UnstoredParts(KEY, list(reversed(links)), "")
    database = Database(path)
    hold = threading.Event()
    database.post(lambda _: hold.wait())
    record(database, done, Prepared(pieces=tuple(parts.pieces())))
    closing = threading.Thread(target=database.close)
    closing.start()
    eventually(lambda: database.closing)
    hold.set()
    closing.join()
    return messages


def nothing_kept(database: Database) -> bool:
    return database.read(lambda c: c.execute("SELECT 1 FROM kept_pieces").fetchone()) is None


def test_what_a_stop_leaves_unwritten_of_a_very_long_request_is_written_at_the_next_start(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lull.db"
    messages = stopped_amidst(path)
    with closed(sqlite3.connect(path)) as file:
        (kept,) = file.execute("SELECT count(*) FROM kept_pieces").fetchone()
        (stored,) = file.execute("SELECT count(*) FROM messages").fetchone()
    assert kept == 5, "the newest piece is written with its turn"
    assert stored == PIECE_ROWS + 1
    with opened(path) as again:
        store = Trajectories(again, key=KEY)
        eventually(lambda: len(store.turn("turn_1").request) == len(messages))
        assert store.turn("turn_1").request[0].text == "message 0 ⟨secret:github-token:1⟩"
        eventually(lambda: nothing_kept(again))
    assert SECRET.encode() not in path.read_bytes()


def test_of_many_long_requests_one_piece_is_written_at_a_time(database: Database) -> None:
    """What waits lies in the database, and a transaction takes one piece of all that wait."""
    store, hold = Trajectories(database, key=KEY), threading.Event()
    database.post(lambda _: hold.wait())
    for n in range(8):
        messages = [user(f"message {n} {m}") for m in range(4 * PIECE_ROWS)]
        done = turn(*messages, completion=answer("a"), turn_id=f"turn_{n}", trajectory=f"conv_{n}")
        links = long_turns.pair_with_links(done.links, done.messages)
        made = long_turns.UnstoredParts(KEY, list(reversed(links)), "").pieces()
        store.record(done, session="", selection=Selection(), prepared=Prepared(pieces=(*made,)))
    waiting = list[int]()

    def look(connection: sqlite3.Connection) -> None:
        waiting.append(connection.execute("SELECT count(*) FROM kept_pieces").fetchone()[0])
        if waiting[-1]:
            database.post(look)

    database.post(look)
    hold.set()
    eventually(lambda: waiting and not waiting[-1])
    assert waiting[0] == 8 * 3
    assert all(before - after <= 1 for before, after in itertools.pairwise(waiting))
    assert all(len(store.turn(f"turn_{n}").request) == 4 * PIECE_ROWS for n in range(8))


async def test_what_was_left_unwritten_is_written_when_it_comes_back_from_the_trash(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lull.db"
    messages = stopped_amidst(path)
    with opened(path) as database:
        trash = Trash(tmp_path / "trash", database)
        removal = Removal(why="asked", at="2026-01-01T00:00:00+00:00", born=0.0, conversations=())
        assert await trash.move_to_trash(["conv_1"], removal) == 1
        assert nothing_kept(database)
        other = turn(user("b"), turn_id="turn_2", trajectory="conv_2")
        store = record(database, other)
        # Others have got the numbers of the pieces in the trash.
        taken = [compress_rows([], [])] * 6
        await database.write(lambda connection: keep_pieces(connection, "turn_2", taken))
        (file,) = trash.files()
        assert await trash.restore(file.name) == 1
        eventually(lambda: nothing_kept(database))
        assert store.turn("turn_1").request == tuple(
            user(f"message {n} ⟨secret:github-token:1⟩") for n in range(len(messages))
        )


@pytest.mark.logs("a long turn could not be prepared")
def test_a_preparation_that_fails_costs_the_texts_alone(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Prepared:
        raise StoreError("It is broken.")

    monkeypatch.setattr(long_turns, "prepare", broken)
    row, *_ = stored(database, said(user(LONG), completion=answer("a")))
    assert (row.request, row.answer.text) == ((), "a")
