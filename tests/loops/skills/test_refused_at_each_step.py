"""Tests that a disk that refuses any one step of a change of skills leaves it whole or not begun.

The disk is full, or fails to sync, at one step of the change, or from that step on. What the change
then said it did is done after the next start; what it refused is not half done.
"""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest

from lull.core.errors import LullError
from tests.building import Home
from tests.loops.skills.test_killed_at_each_step import (
    CHANGES,
    DONE,
    NEVER,
    WRITES,
    State,
    add,
    approve,
    copy,
    edit,
    in_a_child,
    started,
    stocked,
)

__all__ = ["stocked"]
pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]
REFUSED: Final = 4
WRITE_FIRST: Final = {approve, edit, add, copy}
"""Changes that write files before the library; the others write none that must be there."""


@pytest.mark.logs("could not be written|put right|is not used")
@pytest.mark.parametrize("stays", [False, True], ids=["once", "stays"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_whole_or_not_begun_wherever_the_disk_refuses(
    stocked: Path, tmp_path: Path, change: Callable[[Home], Awaitable[None]], stays: bool
) -> None:
    folder = tmp_path / "home"

    def tried(step: int) -> tuple[int, State]:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(stocked, folder)
        code = DONE
        if step:
            code = in_a_child(folder, lambda home: refused_at(home, change, step, stays), NEVER)
        return code, asyncio.run(started(folder))

    (_, before), (_, after) = tried(0), tried(NEVER)
    assert before != after
    codes = []
    for step in itertools.count(1):
        code, state = tried(step)
        codes.append(code)
        assert code in (DONE, REFUSED), f"refused at step {step}: it failed"
        assert state == after or (state == before and code == REFUSED), f"refused at step {step}"
        if codes[-3:] == [DONE] * 3 and step > 20:
            break
    assert (REFUSED in codes) == (change in WRITE_FIRST)


async def refused_at(
    home: Home, change: Callable[[Home], Awaitable[None]], step: int, stays: bool
) -> None:
    left, sync = step, os.fsync

    def refuse(number: int) -> None:
        nonlocal left
        left -= 1
        if left == 0 or (stays and left < 0):
            raise OSError(number, os.strerror(number), "a file")

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        flags = os.O_WRONLY | os.O_RDWR | os.O_CREAT
        if event in WRITES - {"os.remove", "os.rmdir"} or (
            event == "open" and (arguments[2] or 0) & flags
        ):
            refuse(errno.ENOSPC)

    def synced(handle: Any) -> None:
        refuse(errno.EIO)
        sync(handle)

    os.fsync = synced  # type: ignore[assignment]
    sys.addaudithook(audit)
    try:
        await change(home)
    except (LullError, OSError):
        left = NEVER
        await asyncio.to_thread(home.database.close)
        os._exit(REFUSED)
    left = NEVER
