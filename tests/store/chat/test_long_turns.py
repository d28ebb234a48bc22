"""Tests of recording long turns: stored like short ones, without delaying any other write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.chat.messages import Completion, Message
from lull.core.chat.trajectory import Selection, Turn
from lull.core.errors import StoreError
from lull.store import preparing
from lull.store.chat import long_turns
from lull.store.chat.recording import Prepared
from lull.store.chat.trajectories import Trajectories
from lull.store.chat.turn_rows import TurnRow
from lull.store.database import Database
from tests.building import KEY, answer, assistant, opened, turn, user

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LONG = "A long word and another. " * 2_000
TOOLS = f'[{{"function": {{"name": "find", "description": "with {SECRET}"}}}}]'


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with opened(tmp_path / "lull.db") as found:
        yield found


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
    database.prepare(lambda short: hold.wait())
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

    def again(short: bool) -> None:
        if more:
            database.prepare(again)

    database.prepare(again)
    database.flush()  # though there is always one more
    more = False
    hold = threading.Event()
    database.prepare(lambda short: hold.wait())
    database.flush(prepared_within_s=0.05)  # given up
    hold.set()


@pytest.mark.logs("too many long texts at once")
def test_when_too_much_waits_a_long_turn_is_stored_in_its_short_form(database: Database) -> None:
    hold, began = threading.Event(), threading.Event()
    database.prepare(lambda short: began.set() or hold.wait())
    began.wait()
    for _ in range(preparing.MOST_WAITING):
        database.prepare(lambda short: None)
    store = record(database, said(user(LONG), completion=answer(LONG)))
    hold.set()
    database.flush()
    row = store.turn("turn_1")
    assert row.request == ()
    left = len(LONG) - long_turns.SHORT_CHARACTERS
    head = LONG[: long_turns.SHORT_CHARACTERS]
    assert row.answer.text == f"{head}⟨{left} characters more are not kept⟩"


def test_what_waits_when_the_database_closes_is_stored_in_its_short_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing.PreparingThread.close, "__defaults__", (0.0,))
    hold, began = threading.Event(), threading.Event()
    path = tmp_path / "lull.db"
    database = Database(path)
    database.prepare(lambda short: began.set() or hold.wait())
    began.wait()
    record(database, said(user(LONG), completion=answer("short")))
    closing = threading.Thread(target=database.close)
    closing.start()
    while not database._preparing._hurries:
        closing.join(0.01)
    hold.set()
    closing.join()
    with opened(path) as again:
        row = Trajectories(again, key=KEY).turn("turn_1")
    assert row.request == ()
    assert row.answer.text == "short"


@pytest.mark.logs("a long turn could not be prepared")
def test_a_preparation_that_fails_costs_the_texts_alone(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Prepared:
        raise StoreError("It is broken.")

    monkeypatch.setattr(long_turns, "prepare", broken)
    row, *_ = stored(database, said(user(LONG), completion=answer("a")))
    assert (row.request, row.answer.text) == ((), "a")
