"""Tests of forgetting what lies in the trash: previews change nothing, damage blocks nothing."""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from lull.contract.json_object import Json
from lull.core.chat.retention import Limits
from lull.core.errors import NotFound
from lull.core.feedback.signals import YOU_SAID
from lull.loops.chat.lived_clock import LivedClock
from lull.loops.forgetting.sweep import Sweep
from lull.service.backups.backups import Backups
from lull.service.chat.forgetting import FinishForgetting, ForgettingRequests
from lull.service.chat.throwing_away import TrashRequests
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.store.chat.event_log import EventLog
from lull.store.forgetting.retention import Retention
from lull.store.forgetting.trash import Removal, Trash
from tests.loops.forgetting.test_forget import RULE, WORD, Archive, archive

__all__ = ["archive"]
Throw = Callable[..., Awaitable[Path]]


class NoBackups:
    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        yield

    @asynccontextmanager
    async def none_running(self) -> AsyncIterator[None]:
        yield

    def remaining_copies(self) -> list[Path]:
        return []


@dataclass
class Desk:
    """The trash of a service and its answers to `lull forget`, over a store with skills."""

    archive: Archive

    def __post_init__(self) -> None:
        database, clock = self.archive.database, self.archive.clock
        self.trash = Trash(self.archive.folder / "trash", database)
        self.problems = Problems(EventBus(EventLog(database), clock))
        retention = Retention(database)
        sweep = Sweep(
            retention,
            self.trash,
            LivedClock(clock, retention),
            limits=Limits,
            trash_bytes=lambda: 10**9,
        )
        self.throwing = TrashRequests(sweep, self.problems, settle=database.flush)
        self.requests = ForgettingRequests(
            self.archive.forget,
            finishing=FinishForgetting(
                self.archive.forget,
                backups=cast(Backups, NoBackups()),
                problems=self.problems,
            ),
            database=database,
            trash=self.throwing,
            backups=cast(Backups, NoBackups()),
        )

    async def throw(self, *ids: str) -> Path:
        at = self.archive.clock.now().isoformat()
        bundle = Removal(why="age", at=at, born=0.0, conversations=())
        before = set(self.trash.folder.glob("*"))
        assert await self.trash.move_to_trash(ids, bundle) == len(ids)
        (file,) = set(self.trash.folder.glob("*")) - before
        return file

    async def forget(self, conversation: str, *, yes: bool = False) -> Json:
        return await self.requests.forget({"conversation": conversation, "yes": yes})

    def everything(self) -> list[str]:
        """Return the database as SQL lines, and each file of the trash with its SHA-256."""
        dump = self.archive.database.read(lambda connection: list(connection.iterdump()))
        files = sorted(self.trash.folder.glob("*"))
        return dump + [f"{f.name} {hashlib.sha256(f.read_bytes()).hexdigest()}" for f in files]

    async def others(self, count: int) -> list[str]:
        found = []
        for number in range(count):
            (turn,) = await self.archive.plays(f"what is number {number}", f"it is {number}")
            found.append(self.archive.trajectories.turn(turn).trajectory)
        return found

    async def taught(self) -> str:
        """Record a conversation whose correction becomes a skill in force; return its id."""
        conversation, _ = await self.archive.corrected(f"write a menu for {WORD} soup", RULE)
        (proposal,) = await self.archive.evolve.step()
        await self.archive.review.approve(proposal.id)
        return conversation


@pytest.fixture
def desk(archive: Archive) -> Desk:
    return Desk(archive)


async def test_a_look_at_what_forgetting_would_remove_changes_nothing(desk: Desk) -> None:
    conversation = await desk.taught()
    others = await desk.others(3)
    seen = await desk.forget(conversation)
    await desk.throw(conversation, *others)
    before = desk.everything()
    for _ in range(2):
        assert await desk.forget(conversation) == seen
    assert seen["removed"]["skills"] == 1 and seen["removed"]["turns"] == 2
    assert desk.everything() == before
    assert desk.archive.trajectories.counts()[0] == 0
    with pytest.raises(NotFound):
        await desk.forget("conv_nobody")
    assert desk.everything() == before
    assert (await desk.forget(conversation, yes=True))["done"] is True
    assert desk.archive.says(WORD) == []
    assert desk.archive.trajectories.counts()[0] == 3


@pytest.mark.full
async def test_what_lies_in_a_cut_file_is_forgotten_with_the_skill_that_it_taught(
    desk: Desk,
) -> None:
    conversation = await desk.taught()
    others = await desk.others(40)
    file = await desk.throw(conversation, *others)
    file.write_bytes(file.read_bytes()[:-40])
    before = desk.everything()
    seen = await desk.forget(conversation)
    assert desk.everything() == before
    done = await desk.forget(conversation, yes=True)
    assert done["done"] is True and not file.exists()
    assert done["made"] == seen["made"] and done["removed"] == seen["removed"]
    assert done["removed"]["skills"] == 1 and done["removed"]["turns"] == 2
    assert str(file) in done["made"][1]
    assert desk.archive.says(WORD) == []
    # What is whole comes back, and what is lost is said.
    left = desk.archive.trajectories.counts()[0]
    assert [line for line in done["made"] if f"{left} are intact" in line] or not left
    assert [line for line in done["made"] if f"{40 - left} cannot be read" in line] or left == 40
    desk.archive.database.read(lambda c: c.execute("PRAGMA foreign_key_check").fetchall())


@pytest.mark.logs("Part of the trash is damaged")
@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0])
async def test_a_file_that_is_cut_or_flipped_anywhere_blocks_no_forgetting(
    desk: Desk, share: float
) -> None:
    conversation = await desk.taught()
    others = await desk.others(4)
    cut, flipped = await desk.throw(conversation, others[0]), await desk.throw(*others[1:])
    data = cut.read_bytes()
    cut.write_bytes(data[: int(60 + share * (len(data) - 61))])
    data = flipped.read_bytes()
    at = int(60 + share * (len(data) - 61))
    flipped.write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
    for one, file in ((conversation, cut), (others[1], flipped)):
        named = one in [c for step in desk.trash.files() for c in step.bundle.conversations]
        before = desk.everything()
        if named:
            seen = await desk.forget(one)
            assert desk.everything() == before
            assert (await desk.forget(one, yes=True))["removed"] == seen["removed"]
            assert not file.exists()
            with pytest.raises(NotFound):
                desk.archive.trajectories.get(one)
        else:
            with pytest.raises(NotFound):
                await desk.forget(one, yes=True)
            assert file in desk.trash.unlisted()
            file.unlink()


@pytest.mark.logs("Part of the trash is damaged")
async def test_damage_in_the_trash_is_named_until_it_is_gone(desk: Desk) -> None:
    first, second, third = [await desk.throw(one) for one in await desk.others(3)]
    assert desk.trash.damaged() == []
    second.write_bytes(second.read_bytes()[:-40])
    assert (await desk.throwing.carry_out({"do": "restore"}))["damaged"] == [second.stem]
    assert desk.archive.trajectories.counts()[0] == 2
    assert not first.exists() and not third.exists()
    (problem,) = desk.problems.current()
    assert problem["title"] == "Part of the trash is damaged" and str(second) in problem["detail"]
    (lost,) = desk.trash.files()
    await desk.forget(lost.bundle.conversations[0], yes=True)
    assert desk.problems.current() == []


async def test_emptying_the_trash_takes_what_nobody_can_read_along(desk: Desk) -> None:
    first, second = [await desk.throw(one) for one in await desk.others(2)]
    first.write_bytes(b"rubbish")
    (other,) = await desk.others(1)
    assert (await desk.forget(other))["left"] == [str(first)]
    assert (await desk.throwing.carry_out({"do": "empty"}))["emptied"] == 1
    assert not first.exists() and not second.exists()


def thrown(desk: Desk) -> bytes:
    return b"".join(gzip.decompress(f.read_bytes()) for f in desk.trash.folder.glob("*.gz"))


async def test_a_skill_is_forgotten_in_conversations_in_the_trash_that_it_answered(
    desk: Desk,
) -> None:
    """Its text, made of what is forgotten, stands in the prompts that such conversations had."""
    archive = desk.archive
    conversation = await desk.taught()
    (turn,) = await archive.plays("please write a menu for fish and rice", "fish, rice")
    assert archive.trajectories.turn(turn).skills
    answered = archive.trajectories.turn(turn).trajectory
    (other,) = await desk.others(1)
    await desk.throw(answered)
    await desk.throw(other)
    assert WORD.encode() in thrown(desk)
    await desk.forget(conversation, yes=True)
    assert WORD.encode() not in thrown(desk)
    assert archive.says(WORD) == []
    assert archive.trajectories.turn(turn).answer.text == "fish, rice"
    with pytest.raises(NotFound):  # what has nothing of it stays there
        archive.trajectories.get(other)


async def test_what_only_holds_a_part_of_a_forgotten_word_stays_in_the_trash(desk: Desk) -> None:
    """Other skills' longer names, other wishes that begin alike, and a program named like it."""
    archive = desk.archive
    conversation = await desk.taught()
    (skill,) = archive.library.skills.values()
    (said,) = {RULE} & {*archive.forget.find_derived(conversation).what.said}
    longer = f"{skill.name}-twice"
    answered, left_out, scored, named = await desk.others(4)

    def write(connection: sqlite3.Connection) -> None:
        used = json.dumps([{"client": "", "name": longer, "sha256": "0" * 64}])
        why = f"left out {longer}, b: the window is nearly full"
        signals = json.dumps([{"kind": "check", "text": f"{YOU_SAID}{said}, please", "value": 1}])
        (turn,) = connection.execute("SELECT id FROM turns WHERE trajectory = ?", (scored,))
        connection.execute("UPDATE turns SET skills = ? WHERE trajectory = ?", (used, answered))
        connection.execute("UPDATE turns SET note = ? WHERE trajectory = ?", (why, left_out))
        connection.execute(
            "UPDATE turns SET model = ? WHERE trajectory = ?", (f"{skill.name}:latest", named)
        )
        connection.execute(
            "INSERT INTO rewards (turn, at, signals) VALUES (?, '2026-11-21', ?)",
            (turn["id"], signals),
        )

    await archive.database.write(write)
    for one in (answered, left_out, scored, named):
        await desk.throw(one)
    await desk.forget(conversation, yes=True)
    assert len(desk.trash.files()) == 4
    assert archive.trajectories.counts()[0] == 0


async def test_a_wish_is_forgotten_in_conversations_in_the_trash_that_it_scored(
    desk: Desk,
) -> None:
    archive = desk.archive
    conversation = await desk.taught()
    (turn,) = await archive.plays("write a menu for fish", "fish")
    await archive.score.read_new()
    scored = archive.trajectories.turn(turn).trajectory
    await archive.database.write(
        lambda connection: connection.execute("UPDATE trajectories SET selection = '{}'")
    )
    await desk.throw(scored)
    assert WORD.encode() in thrown(desk)
    await desk.forget(conversation, yes=True)
    assert WORD.encode() not in thrown(desk)
    assert archive.says(WORD) == []


async def test_a_damaged_file_of_the_trash_that_cannot_be_searched_is_named(desk: Desk) -> None:
    conversation = await desk.taught()
    file = await desk.throw(*await desk.others(3))
    file.write_bytes(file.read_bytes()[:-20])
    assert str(file) in (await desk.forget(conversation, yes=True))["left"]
