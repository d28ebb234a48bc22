"""Tests that a kill between any two steps of a change of skills leaves it whole or not begun.

A child process makes the change and ends, without any clean-up, at its first write to a file, at
its second, and so on, statements of SQLite and syncs included, until it comes to its end.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, cast

import pytest

from lull.backends.system.clock import TimeSortedIds
from lull.core.skills.skill import ChangeKind, SkillKey, SkillStatus
from lull.store.disk.on_disk import TEMPORARY
from tests.building import Home
from tests.doubles.fakes import FakeIds

pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]

MENU, OTHER = SkillKey("", "menu-style"), SkillKey("", "other")
WRITES: Final = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate"}
KILLED, DONE, FAILED = 9, 0, 3
NEVER: Final = 10**9

State = tuple[object, ...]


async def approve(home: Home) -> None:
    (proposal,) = home.review.proposals()
    await home.review.approve(proposal.id, sha256=proposal.sha256)


async def edit(home: Home) -> None:
    await home.approve.edit(MENU, body="Join with dots.")


async def add(home: Home) -> None:
    await home.add("third", "When asked.", "Third.")


async def delete(home: Home) -> None:
    await home.approve.switch(OTHER, ChangeKind.DELETE)


async def disable(home: Home) -> None:
    await home.approve.switch(MENU, ChangeKind.DISABLE)


async def roll_back(home: Home) -> None:
    await home.approve.roll_back(1)


async def copy(home: Home) -> None:
    await home.approve.copy(OTHER, to="desk")


CHANGES: Final = (approve, edit, add, delete, disable, roll_back, copy)
SECRET: Final = "ghp_" + "Xq7Lk2Vn9Rt4Wz8Bc3Md6Hf1Jp5Sy0Gu2Ea7"


@pytest.fixture
def stocked(tmp_path: Path) -> Path:
    """A stopped home with two skills and a proposal of a third, with files beside each text."""
    folder = tmp_path / "stocked"

    async def prepare() -> None:
        home = Home(folder)
        await home.add("menu-style", "When a menu is asked for.", "Join with bars.", pinned=True)
        await home.add("other", "When a list is asked for.", "Number it.")
        (home.skills.folders.folder(OTHER) / "more.txt").write_text("more")
        (home.skills.folders.folder(OTHER) / "data").mkdir()
        (home.skills.folders.folder(OTHER) / "data" / "even-more.txt").write_text("even more")
        theirs = tmp_path / "from-elsewhere"
        (theirs / "data").mkdir(parents=True)
        text = "---\nname: from-elsewhere\ndescription: When asked.\n---\nWrite short.\n"
        (theirs / "SKILL.md").write_text(text)
        (theirs / "data" / "more.txt").write_text("more")
        await home.files.bring_in(theirs)
        await asyncio.to_thread(home.database.close)

    asyncio.run(prepare())
    return folder


@pytest.mark.logs("could not be written|put right|is not used")
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_whole_or_not_begun_wherever_it_is_killed(
    stocked: Path, tmp_path: Path, change: Callable[[Home], Awaitable[None]]
) -> None:
    folder = tmp_path / "home"

    def tried(last_step: int) -> tuple[int, State]:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(stocked, folder)
        code = in_a_child(folder, change, last_step) if last_step else DONE
        return code, asyncio.run(started(folder))

    (_, before), (code, after) = tried(0), tried(NEVER)
    assert code == DONE and before != after
    found = []
    for step in itertools.count(1):
        code, state = tried(step)
        assert state in (before, after), f"killed at step {step}"
        found.append(state)
        if code == DONE:
            break
        assert code == KILLED
    assert len(found) > 20 and found[0] == before and found[-1] == after


@pytest.mark.logs("could not be written|turned down")
def test_no_kill_leaves_a_secret_in_the_archive(stocked: Path, tmp_path: Path) -> None:
    """The file of a rejected text moves to the archive, without the secrets in it."""
    folder = tmp_path / "home"
    leaky = stocked / "skills" / "everybody" / "leaky"
    leaky.mkdir()
    text = f"---\nname: leaky\ndescription: When asked.\n---\nSay {SECRET}.\n"
    (leaky / "SKILL.md").write_text(text)

    async def propose() -> None:
        home = Home(stocked, ids=cast(FakeIds, TimeSortedIds()))
        await home.approve.propose_file_edits()
        await asyncio.to_thread(home.database.close)

    async def reject(home: Home) -> None:
        (one,) = [p for p in home.review.proposals() if p.key.name == "leaky"]
        await home.review.reject(one.id, reason="no")

    async def restarted() -> None:
        home = Home(folder, ids=cast(FakeIds, TimeSortedIds()))
        await home.approve.propose_file_edits()
        await asyncio.to_thread(home.database.close)

    asyncio.run(propose())
    for step in itertools.count(1):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(stocked, folder)
        code = in_a_child(folder, reject, step)
        asyncio.run(restarted())
        for file in (folder / "archive").rglob("*"):
            assert file.is_dir() or SECRET not in file.read_text(), f"killed at step {step}"
        if code == DONE:
            break
        assert code == KILLED
    assert step > 10
    assert not (folder / "skills" / "everybody" / "leaky").exists()


def in_a_child(folder: Path, change: Callable[[Home], Awaitable[None]], last_step: int) -> int:
    """Make the change in a child that is killed at this step; return how the child ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        asyncio.run(killed_at(folder, change, last_step))
    except BaseException:  # noqa: BLE001  the child must not go on as a second pytest
        traceback.print_exc()
        os._exit(FAILED)
    os._exit(DONE)


async def killed_at(
    folder: Path, change: Callable[[Home], Awaitable[None]], last_step: int
) -> None:
    home, left = Home(folder), last_step

    def step(_: object = None) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os._exit(KILLED)

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        flags = os.O_WRONLY | os.O_RDWR | os.O_CREAT
        if event in WRITES or (event == "open" and (arguments[2] or 0) & flags):
            step()

    sync = os.fsync

    def synced(handle: Any) -> None:
        step()
        sync(handle)

    os.fsync = synced  # type: ignore[assignment]
    home.database.submit(lambda connection: connection.set_trace_callback(step)).result()
    sys.addaudithook(audit)
    await change(home)
    left = NEVER
    await asyncio.to_thread(home.database.close)


async def started(folder: Path) -> State:
    """Start on this home, twice; return what is there then: skills, proposals, files."""
    states = []
    for _ in range(2):
        home = Home(folder)
        assert await home.skills.check_and_repair() == []
        assert await home.skills.put_right_error() is None
        assert await home.approve.propose_file_edits() == []
        assert home.skills.strange == ()
        states.append(state(home))
        await asyncio.to_thread(home.database.close)
    assert states[0] == states[1]
    return states[0]


def state(home: Home) -> State:
    skills = home.skills.library().skills
    for skill in skills.values():
        file = home.skills.folders.folder(skill.key) / "SKILL.md"
        assert file.is_file() == (skill.status is not SkillStatus.ARCHIVED)
        assert not file.is_file() or file.read_text().strip().endswith(skill.body)
    root = home.skills.folders.working
    files = sorted(
        (str(file.relative_to(root)), file.read_bytes())
        for file in root.rglob("*")
        if file.is_file() and file.suffix != f".{TEMPORARY}"  # swept at a service's start
    )
    proposals = home.proposals.undecided(everything=True)
    return skills, home.skills.library().generation, [(p.id, p.status) for p in proposals], files
