"""Tests of recorded conversations: kept once, found again, without secrets, deleted when due."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from lull.core.chat.client import Client
from lull.core.chat.message_chain import link, links
from lull.core.chat.messages import Completion, Finish, Message, Role, ToolCall
from lull.core.chat.trajectory import NOTHING_KNOWN, InjectedSkill, Selection, Suffix, Turn
from lull.core.errors import NotFound
from lull.store.chat.recording import Prepared, compress_rows, message_row
from lull.store.chat.trajectories import ConversationQuery, Label, Trajectories
from lull.store.chat.turn_rows import DAMAGED
from lull.store.sqlite.database import Database
from tests.building import (
    ANYBODY,
    KEY,
    answer,
    assistant,
    bytes_below,
    opened,
    system,
    throw_older,
    turn,
    user,
)
from tests.core.provenance.test_redaction import IN_CONTEXT, SECRETS
from tests.doubles.fakes import FakeClock
from tests.eventually import PATIENCE_S, eventually
from tests.paths import ROOT

NONE = Selection()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lull.db"


def keep(database: Database, *turns: Turn, session: str = "", selection: Selection = NONE) -> None:
    store = Trajectories(database, key=KEY)
    for one in turns:
        store.record(one, session=session, selection=selection)
    database.flush()


def in_pieces(one: Turn, rows_a_piece: int) -> tuple[Turn, Prepared]:
    """Return a long turn as it comes to the store: its newest link, and its messages in pieces."""
    chain = [
        message_row(one.links[at], one.links[at - 1] if at else "", one.messages[at])
        for at in reversed(range(len(one.links)))
    ]
    cut = [chain[at : at + rows_a_piece] for at in range(0, len(chain), rows_a_piece)]
    prepared = Prepared(pieces=tuple(compress_rows(rows, []) for rows in cut))
    return replace(one, links=one.links[-1:]), prepared


def test_a_turn_in_pieces_is_read_back_whole(path: Path) -> None:
    done = turn(*(user(f"number {n}") for n in range(7)), said="Seven.")
    with opened(path) as database:
        store = Trajectories(database, key=KEY)
        short, prepared = in_pieces(done, 2)
        store.record(short, session="", selection=NONE, prepared=prepared)
    with opened(path) as database:  # closing it kept all that was waiting
        store = Trajectories(database, key=KEY)
        eventually(lambda: store.turn("turn_1").request, lambda said: said == done.messages)
        _, (only,) = store.get("conv_1")
        assert only.answer.text == "Seven."


async def test_pieces_let_other_writes_in_between_and_end_with_their_turn(path: Path) -> None:
    done = turn(*(user(f"number {n}") for n in range(9)), said="Nine.")
    with opened(path) as database:
        store = Trajectories(database, key=KEY)
        short, prepared = in_pieces(done, 1)
        found: list[int] = []

        def forgotten(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM turns")
            connection.execute("DELETE FROM messages")

        def counted(connection: sqlite3.Connection) -> None:
            found.extend(connection.execute("SELECT count(*) FROM messages").fetchone())

        begun = threading.Event()
        database.post(lambda _: begun.wait(PATIENCE_S))
        store.record(short, session="", selection=NONE, prepared=prepared)
        forgetting = database.submit(forgotten)
        begun.set()
        forgetting.result()
        for _ in prepared.pieces:
            database.submit(counted).result()
        assert found == [0] * 9


def test_a_turn_is_read_back_as_it_was_stamped(path: Path) -> None:
    with opened(path) as database:
        done = turn(system("Be brief."), user("hi"), said="Hello.")
        keep(database, done)
        row, (only,) = Trajectories(database, key=KEY).get("conv_1")
        assert (row.client, row.model, row.turns) == ("test", "llama3.2", 1)
        assert only.request == done.messages
        assert only.answer == done.completion.message
        assert (only.base, only.adapter, only.generation) == ("sha256:base", None, 0)
        assert only.complete
        assert Trajectories(database, key=KEY).turn("turn_1") == only


def test_a_later_turn_tells_only_what_was_new(path: Path) -> None:
    with opened(path) as database:
        first = turn(user("a"), said="b")
        second = turn(user("a"), assistant("b"), user("c"), said="d", turn_id="turn_2", number=2)
        keep(database, first, second)
        row, (_, later) = Trajectories(database, key=KEY).get("conv_1")
        assert row.turns == 2
        assert [m.text for m in later.request] == ["c"]
        (count,) = database.read(lambda c: c.execute("SELECT count(*) FROM messages").fetchone())
        assert count == 4


@pytest.mark.parametrize("together", [True, False])
def test_turns_that_are_written_together_read_as_if_written_alone(
    path: Path, together: bool
) -> None:
    key = "AKIAIOSFODNN7EXAMPLE"
    first = turn(user(f"a {key}"), said="b")
    second = turn(*first.messages, assistant("b"), user("c"), said="d", turn_id="t2", number=2)
    other = turn(user("x"), said=key, turn_id="t3", trajectory="c3")
    again = turn(user("x"), said=key, turn_id="t4", trajectory="c4")
    with opened(path) as database:
        store = Trajectories(database, key=KEY)
        hold = threading.Event()
        database.post(lambda _: hold.wait(PATIENCE_S))
        for one in (first, second, other, again):
            store.record(one, session="s", selection=Selection(why=one.stamp.turn))
            if not together:
                hold.set()
                database.flush()
        hold.set()
        database.flush()
        assert store.counts() == (3, 4)
        row, (_, later) = store.get("conv_1")
        assert (row.turns, row.last) == (2, second.stamp.at.isoformat())
        assert [m.text for m in later.request] == ["c"]
        assert store.turn("turn_1").request[0].text == "a ⟨secret:aws-key:1⟩"
        assert store.turn("t3").answer == store.turn("t4").answer == assistant("⟨secret:aws-key:1⟩")
        stored = database.read(lambda c: c.execute("SELECT link FROM messages").fetchall())
        found = database.read(lambda c: c.execute("SELECT link FROM words").fetchall())
        assert len(stored) == len(found) == 6
        standing = store.position(first.links)
        assert standing is not None
        assert standing.selection == Selection(why="turn_1")


@pytest.mark.logs("recording failed", "recording works again")
def test_a_turn_that_cannot_be_written_takes_no_other_with_it(path: Path) -> None:
    with opened(path) as database:
        hold = threading.Event()
        database.post(lambda _: hold.wait(PATIENCE_S))
        store = Trajectories(database, key=KEY)
        for turn_id in ("t1", "t2", "t1", "t3"):  # a turn can stand only once
            one = turn(user(turn_id), turn_id=turn_id, trajectory=f"c-{turn_id}")
            store.record(one, session="", selection=NONE)
        hold.set()
        database.flush()
        assert store.counts() == (3, 3)
        assert [store.get(f"c-t{i}")[0].turns for i in (1, 2, 3)] == [1, 1, 1]


@pytest.mark.parametrize("finish", [Finish.HANGUP, Finish.ERROR])
def test_an_answer_that_broke_off_is_kept_and_not_complete(path: Path, finish: Finish) -> None:
    with opened(path) as database:
        keep(database, turn(user("a"), completion=answer("half an", finish=finish)))
        assert not Trajectories(database, key=KEY).turn("turn_1").complete


def test_halves_of_surrogate_pairs_are_kept_too(path: Path) -> None:
    broken = user("half \ud83d of a smile")
    with opened(path) as database:
        done = turn(broken, said="ok")
        done = replace(done, stamp=replace(done.stamp, model="m\ud83d"))
        keep(database, done, session="s\ud83d")
        store = Trajectories(database, key=KEY)
        assert store.turn("turn_1").request == (broken,)
        assert store.session_position(ANYBODY, "s\ud83d") is not None
        assert store.page(ConversationQuery(search="half\ud83d smile"), limit=9) is not None


def test_one_damaged_message_does_not_hide_the_conversation(path: Path) -> None:
    with opened(path) as database:
        keep(database, turn(user("a"), said="b"))
        database.submit(lambda c: c.execute("UPDATE messages SET message = '{'")).result()
        _, (only,) = Trajectories(database, key=KEY).get("conv_1")
        assert only.answer.text == DAMAGED


# Where a history stands


def test_a_history_is_found_by_its_answer_or_by_the_request_before_it(path: Path) -> None:
    with opened(path) as database:
        keep(database, turn(user("a"), said="b"))
        store = Trajectories(database, key=KEY)
        known = links(KEY, "test", [user("a"), assistant("b")])
        reworded = links(KEY, "test", [user("a"), assistant("b, I say")])
        assert store.position(known).trajectory == "conv_1"  # type: ignore[union-attr]
        assert store.position(reworded).trajectory == "conv_1"  # type: ignore[union-attr]
        assert store.position(links(KEY, "other", [user("a"), assistant("b")])) is None
        assert store.position([]) is None


def test_of_two_equal_histories_the_newest_goes_on(path: Path) -> None:
    clock = FakeClock()
    with opened(path) as database:
        one = turn(user("a"), said="b", clock=clock)
        clock.advance(1)
        keep(database, one, turn(user("a"), said="b", turn_id="t2", trajectory="c2", clock=clock))
        found = Trajectories(database, key=KEY).position(one.links)
        assert found is not None
        assert found.trajectory == "c2"


def test_the_longest_known_part_of_a_history_decides(path: Path) -> None:
    clock = FakeClock()
    with opened(path) as database:
        long = turn(user("a"), assistant("b"), user("c"), said="d", clock=clock)
        clock.advance(9)
        keep(database, long, turn(user("a"), said="b", turn_id="t2", trajectory="c2", clock=clock))
        found = Trajectories(database, key=KEY).position([*long.links, long.answer_link])
        assert found is not None
        assert found.trajectory == "conv_1"


def test_each_branch_goes_on_with_the_suffixes_it_had(path: Path) -> None:
    skill = InjectedSkill(name="new", version=1, sha256="0")
    with opened(path) as database:
        first = turn(user("a"), said="b")
        second = turn(user("a"), assistant("b"), user("c"), said="d", turn_id="t2", number=2)
        suffix = Suffix(message=2, text="<skills>", skills=(skill,))
        keep(database, first, replace(second, suffixes=(suffix,), known=7))
        store = Trajectories(database, key=KEY)
        at_first = store.position([*first.links, first.answer_link])
        at_second = store.position([*second.links, second.answer_link])
        assert at_first is not None
        assert at_second is not None
        assert (at_first.turns, at_first.suffixes, at_first.known) == (1, (), 0)
        assert (at_second.turns, at_second.suffixes, at_second.known) == (2, (suffix,), 7)


def test_what_was_chosen_comes_back_byte_for_byte(path: Path) -> None:
    selection = Selection(
        skills=(InjectedSkill(name="a", version=2, sha256="ff"),),
        block="<skills>\n“é” 🙂\n</skills>",
        why="w",
        model_system="You are.",
    )
    with opened(path) as database:
        done = replace(turn(user("a"), said="b"), known=NOTHING_KNOWN)
        keep(database, done, session="s", selection=selection)
        found = Trajectories(database, key=KEY).session_position(ANYBODY, "s")
        assert found is not None
        assert found.selection == selection
        assert found.known == NOTHING_KNOWN
        assert Trajectories(database, key=KEY).session_position(Client(name="other"), "s") is None


# Secrets


@pytest.mark.slow
def test_no_secret_reaches_the_disk(tmp_path: Path) -> None:
    secrets = [secret for _, secret in [*SECRETS, *IN_CONTEXT]]
    secrets = [s for s in secrets if s.isascii()]
    texts = [f"Use {secret} please" for _, secret in SECRETS] + [text for text, _ in IN_CONTEXT]
    with opened(tmp_path / "lull.db") as database:
        for i, text in enumerate(texts):
            call = ToolCall(name="run", arguments=f'{{"cmd": "{SECRETS[0][1]}"}}', id="1")
            said = Message(role=Role.ASSISTANT, parts=assistant(text).parts, tool_calls=(call,))
            done = Completion(message=said, finish=Finish.ERROR, error=f"refused: {text}")
            keep(database, turn(user(text), completion=done, turn_id=f"t{i}", trajectory=f"c{i}"))
        written = bytes_below(tmp_path)
    for _, data in [*written, *bytes_below(tmp_path)]:
        for secret in secrets:
            assert secret.encode() not in data


def test_a_secret_keeps_its_placeholder_over_turns_and_restarts(path: Path) -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    for number in (1, 2):
        with opened(path) as database:
            keep(
                database,
                turn(
                    user(f"{number}: {secret} and AKIAIOSFODNN7EXAMPL{number}"),
                    turn_id=f"t{number}",
                    trajectory=f"c{number}",
                ),
            )
    with opened(path) as database:
        store = Trajectories(database, key=KEY)
        assert store.turn("t1").request[0].text == "1: ⟨secret:aws-key:1⟩ and ⟨secret:aws-key:2⟩"
        assert store.turn("t2").request[0].text == "2: ⟨secret:aws-key:1⟩ and ⟨secret:aws-key:3⟩"


# Reading for people


def test_conversations_come_newest_first_page_by_page(path: Path) -> None:
    clock = FakeClock()
    with opened(path) as database:
        for i in range(5):
            clock.advance(0.5)
            keep(database, turn(user(f"q{i}"), turn_id=f"t{i}", trajectory=f"c{i}", clock=clock))
        store = Trajectories(database, key=KEY)
        seen: list[str] = []
        after = ""
        while True:
            rows, after = store.page(after=after, limit=2)
            seen += [row.id for row in rows]
            if not after:
                break
        assert seen == ["c4", "c3", "c2", "c1", "c0"]
        assert store.page(ConversationQuery(client="nobody"), limit=9) == ([], "")
        assert store.page(after="unknown", limit=9) == ([], "")


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("menu", True),
        ("MENU sugar", True),
        ("men", True),
        ("käse", True),
        ("sugar sal", False),
        ('" OR "', False),
        ("menu*", True),
        ("NEAR(menu)", False),
        ("!!!", False),
        ("-menu", True),
    ],
)
def test_a_search_takes_the_words_as_they_are(path: Path, search: str, found: bool) -> None:
    with opened(path) as database:
        keep(database, turn(user("Write a menu with Käse"), said="Finish the menu with sugar."))
        rows, _ = Trajectories(database, key=KEY).page(ConversationQuery(search=search), limit=9)
        assert bool(rows) == found


async def test_a_label_is_set_and_cleared_and_an_unknown_turn_told(path: Path) -> None:
    with opened(path) as database:
        keep(database, turn(user("a")))
        store = Trajectories(database, key=KEY)
        await store.label("turn_1", Label.GOOD, at=FakeClock().now())
        assert store.turn("turn_1").label is Label.GOOD
        await store.label("turn_1", None, at=FakeClock().now())
        assert store.turn("turn_1").label is None
        with pytest.raises(NotFound):
            await store.label("turn_9", None, at=FakeClock().now())
        with pytest.raises(NotFound):
            store.get("conv_9")
        with pytest.raises(NotFound):
            store.turn("turn_9")


async def test_the_newest_answer_is_the_last_of_the_conversation_that_went_on_last(
    path: Path,
) -> None:
    clock = FakeClock()
    with opened(path) as database:
        store = Trajectories(database, key=KEY)
        assert store.newest_answer() is None
        first = turn(user("a"), said="b", clock=clock)
        keep(database, first)
        clock.advance(60)
        keep(database, turn(user("x"), turn_id="t2", trajectory="c2", clock=clock))
        clock.advance(60)
        later = clock.now()
        more = (*first.messages, assistant("b"), user("c"))
        keep(database, turn(*more, turn_id="t3", number=2, clock=clock))
        assert store.newest_answer() == ("t3", later, None)
        await store.label("t3", Label.BAD, at=later)
        assert store.newest_answer() == ("t3", later, "bad")


# Retention


async def test_old_conversations_go_with_everything_that_only_they_held(path: Path) -> None:
    clock = FakeClock()
    with opened(path) as database:
        old = turn(user("shared"), assistant("x"), user("only in the old one"), clock=clock)
        clock.advance(10 * 86400)
        new = turn(user("shared"), said="y", turn_id="t2", trajectory="c2", clock=clock)
        keep(database, old, new)
        store = Trajectories(database, key=KEY)
        oldest = clock.now() - timedelta(days=5)
        assert await throw_older(database, oldest) == 1
        assert await throw_older(database, oldest) == 0
        assert store.counts() == (1, 1)
        assert [m.text for m in store.turn("t2").request] == ["shared"]
        left = database.read(lambda c: c.execute("SELECT message FROM messages").fetchall())
        assert len(left) == 2
        found, _ = store.page(ConversationQuery(search="only in the old"), limit=9)
        assert found == []


@pytest.mark.full
async def test_what_is_thrown_away_makes_the_file_smaller_on_disk_too(path: Path) -> None:
    clock = FakeClock()
    with opened(path) as database:
        store = Trajectories(database, key=KEY)
        for i in range(300):
            clock.advance(60)
            said = f"answer {i} " + "many words " * 300
            one = turn(user(f"q{i}"), said=said, turn_id=f"t{i}", trajectory=f"c{i}", clock=clock)
            store.record(one, session="", selection=NONE)
        database.flush()
        before = database.size_bytes()
        assert await throw_older(database, clock.now() - timedelta(minutes=99)) == 200
        assert database.size_bytes() < before // 2
        assert store.turn("t299").answer.text.startswith("answer 299")
        assert await throw_older(database, clock.now() + timedelta(seconds=1)) == 100
        keep(database, turn(user("life goes on")))
        assert store.counts() == (1, 1)


# A process that dies


CHILD = """
import sys, time
from pathlib import Path
from lull.store.sqlite.database import Database
from lull.store.chat.trajectories import Trajectories
from lull.core.chat.trajectory import Selection
from tests.building import KEY, turn, user
database = Database(Path(sys.argv[1]))
store = Trajectories(database, key=KEY)
number = 0
while True:
    number += 1
    done = turn(user(f"q{number}"), turn_id=f"t{number}", trajectory=f"c{number}")
    store.record(done, session="", selection=Selection())
    if number % 25 == 0:
        database.flush()
        print(number, flush=True)
    time.sleep(0.002)
"""


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [1, 3, 6])
def test_kill_9_loses_nothing_that_was_written_and_damages_nothing(path: Path, rounds: int) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    assert child.stdout is not None
    said = [int(child.stdout.readline()) for _ in range(rounds)]
    os.kill(child.pid, signal.SIGKILL)
    said += [int(line) for line in child.stdout.read().split()]
    child.wait()
    child.stdout.close()
    with opened(path) as database:
        assert database.kept_aside is None
        store = Trajectories(database, key=KEY)
        turns, _ = store.counts()
        assert turns >= said[-1]
        for number in range(1, turns + 1):
            assert store.turn(f"t{number}").answer.text == "Fine."


@pytest.mark.slow
def test_a_turn_is_soon_where_it_survives_kill_9(path: Path) -> None:
    script = CHILD.replace("while True:", "for _ in range(3):") + "\nprint(flush=True)\n"
    child = subprocess.Popen(
        [sys.executable, "-c", f"{script}time.sleep(3600)", str(path)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
    )
    with child:
        try:
            assert child.stdout is not None
            child.stdout.readline()
            with contextlib.closing(sqlite3.connect(path)) as other:
                look = other.cursor()
                eventually(
                    lambda: look.execute("SELECT count(*) FROM turns").fetchone(),
                    lambda found: found == (3,),
                )
        finally:
            child.kill()
    with opened(path) as database:
        assert Trajectories(database, key=KEY).counts() == (3, 3)


def test_an_answer_to_an_empty_request_has_a_place(path: Path) -> None:
    with opened(path) as database:
        empty = turn(user("x"), said="b")
        here = link(KEY, "", assistant("b"))
        keep(database, replace(empty, messages=(), links=(), answer_link=here))
        _, (only,) = Trajectories(database, key=KEY).get("conv_1")
        assert only.request == ()
        assert only.answer.text == "b"


def test_no_field_that_a_client_sets_keeps_a_secret(path: Path) -> None:
    token = "ghp_" + "Ab1Cd2Ef3" * 4
    with opened(path) as database:
        done = turn(system(token), user(f"use {token}"), said=f"I use {token}.")
        stamp = replace(
            done.stamp,
            model=f"llama:{token}",
            policy=replace(done.stamp.policy, model=token),
            sampling=replace(done.stamp.sampling, stop=("END", f"key {token}")),
        )
        called = ToolCall(
            name=token, arguments=json.dumps({"a": json.dumps({"k": token})}), id=token
        )
        told = replace(done.completion.message, tool_calls=(called,))
        done = replace(
            done,
            stamp=stamp,
            completion=replace(done.completion, message=told, error=f"refused {token}"),
            tools=json.dumps([{"description": token}]),
            format=json.dumps({"title": token}),
        )
        keep(database, done, session=f"session {token}")
        store = Trajectories(database, key=KEY)
        found = store.session_position(ANYBODY, f"session {token}")
        assert found is not None
        assert store.session_position(ANYBODY, "another") is None
        (kept,) = store.get(found.trajectory)[1]
        assert kept.sampling["stop"] == ["END", "key ⟨secret:github-token:1⟩"]
        assert kept.model == "llama:⟨secret:github-token:1⟩"
        held = [at for at, data in bytes_below(path.parent) if token.encode() in data]
        assert held == []


def test_a_conversation_of_an_earlier_version_is_still_found_by_its_session(path: Path) -> None:
    with opened(path) as database:
        keep(database, turn(user("hi")), session="s")
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE trajectories SET session = 's'")
        assert Trajectories(database, key=KEY).session_position(ANYBODY, "s") is not None
