"""Tests of a caller that goes away while it changes a skill: what was stored comes into force."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from lull.core.skills.skill import ChangeKind, SkillKey, SkillStatus
from tests.building import Home
from tests.cancelling import cancelled_within
from tests.loops.classroom import MENU, Classroom

KEY = SkillKey("", MENU.name)
MADE = "INSERT ON generations"


async def with_menu(home: Home) -> None:
    await home.add(MENU.name, MENU.description, MENU.body)


@pytest.mark.parametrize(
    "change",
    [
        lambda home: home.approve.switch(KEY, ChangeKind.DISABLE),
        lambda home: home.approve.edit(KEY, body="Another text."),
        lambda home: home.approve.copy(KEY, to="aider"),
        lambda home: home.approve.roll_back(),
    ],
    ids=["disable", "edit", "copy", "roll back"],
)
async def test_a_change_that_nobody_waits_for_any_more_is_in_force(
    room: Classroom, change: Callable[[Home], Coroutine[Any, Any, object]]
) -> None:
    await with_menu(room)
    before = room.library
    await cancelled_within(room.database, MADE, change(room))
    assert room.library == room.skills.library() != before


async def test_so_is_one_by_hand(room: Classroom) -> None:
    await with_menu(room)
    shutil.rmtree(room.skills.folders.folder(KEY))
    await cancelled_within(room.database, MADE, room.approve.propose_file_edits())
    assert room.library.skills[KEY].status is SkillStatus.ARCHIVED


async def test_a_copy_has_the_files_that_lie_beside_the_skill(room: Classroom) -> None:
    await with_menu(room)
    (room.skills.folders.folder(KEY) / "list.txt").write_text("soup")
    await cancelled_within(room.database, MADE, room.approve.copy(KEY, to="aider"))
    copied = room.skills.folders.folder(SkillKey("aider", MENU.name))
    assert (copied / "list.txt").read_text() == "soup"
