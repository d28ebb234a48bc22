"""Tests that what was written is on the disk, also the name of its file, before anybody goes on.

A power cut takes a file's name where only the file was synced, on most file systems: the database
would then name a text that is not there. ext4 alone is kinder, so the order of the calls is tested.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lull.config.private_file import write_private
from lull.core.chat.trajectory import Selection
from lull.core.skills.skill import SkillKey
from lull.store.chat.trajectories import Trajectories
from lull.store.disk.on_disk import make_folder, write_atomically
from lull.store.sqlite.database import Database
from tests.building import KEY, Home, database_at, throw_older, turn, user

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows cannot sync a folder")


@dataclass
class Disk:
    """Which folders hold names, and which copies hold text, that a power cut would take now."""

    below: Path
    unsynced: dict[Path, str] = field(default_factory=dict)
    listening: bool = True

    def heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.listening:
            return
        if event == "open" and arguments[2] & os.O_CREAT and isinstance(arguments[0], str | Path):
            path = Path(arguments[0])
            if path.suffix == ".txt" and not path.exists():  # others take their place by a rename
                self._named(path)
                self.unsynced[path] = path.name
        elif event == "os.rename":
            self._named(Path(os.fsdecode(arguments[1])))
        elif event == "os.mkdir" and not os.path.exists(arguments[0]):  # noqa: PTH110
            self._named(Path(os.fsdecode(arguments[0])))

    def _named(self, path: Path) -> None:
        if self.below in path.parents:
            self.unsynced[path.parent] = path.name

    def synced(self, handle: int) -> None:
        about = os.fstat(handle)
        for path in [*self.unsynced]:
            if path.exists() and os.path.samestat(path.stat(), about):
                del self.unsynced[path]


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    one, sync = Disk(tmp_path), os.fsync

    def fsync(handle: Any) -> None:
        sync(handle)
        one.synced(handle if isinstance(handle, int) else handle.fileno())

    monkeypatch.setattr(os, "fsync", fsync)
    sys.addaudithook(one.heard)
    yield one
    one.listening = False  # a hook cannot be removed


@pytest.mark.parametrize("write", [write_atomically, write_private])
def test_a_files_new_content_is_in_its_folder_when_it_is_written(
    disk: Disk, tmp_path: Path, write: Callable[[Path, bytes], None]
) -> None:
    write(tmp_path / "file", b"old")
    write(tmp_path / "file", b"new")
    assert disk.unsynced == {}


def test_a_new_folder_is_in_the_one_above_it(disk: Disk, tmp_path: Path) -> None:
    make_folder(tmp_path / "one" / "two" / "three")
    make_folder(tmp_path / "one" / "two" / "three")
    assert disk.unsynced == {}


def names_at_commits(disk: Disk, database: Database, folder: str) -> list[list[str]]:
    """Return a list that gets, at each commit, the names in this folder that are not synced yet."""
    found: list[list[str]] = []

    def traced(statement: str) -> None:
        if statement == "COMMIT":
            paths = [place / name for place, name in disk.unsynced.items()]
            found.append([str(path) for path in paths if folder in path.parts])

    database.submit(lambda connection: connection.set_trace_callback(traced)).result()
    return found


async def test_a_skill_is_on_the_disk_before_the_library_names_it(
    disk: Disk, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    unsynced = names_at_commits(disk, home.database, "versions")
    await home.add("menu-style", "When a menu is asked for.", "Join with bars.")
    await home.approve.edit(SkillKey("", "menu-style"), body="Join with dots.")
    await asyncio.to_thread(home.database.close)
    assert len(unsynced) >= 4
    assert unsynced == [[]] * len(unsynced)


async def test_the_files_beside_a_skill_are_on_the_disk_before_others_are_removed_for_them(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are copied where an import waits, and on to the approved skill's folder."""
    theirs = tmp_path / "theirs"
    (theirs / "data").mkdir(parents=True)
    (theirs / "SKILL.md").write_text("---\nname: menu\ndescription: When.\n---\nBe brief.\n")
    (theirs / "data" / "more.txt").write_text("more")
    home, remove, at_removals = Home(tmp_path / "home"), shutil.rmtree, list[object]()
    disk.unsynced.clear()  # the test's own folders

    def removed(path: Path, **how: bool) -> None:
        at_removals.append({**disk.unsynced})
        remove(path, **how)

    monkeypatch.setattr(shutil, "rmtree", removed)
    unsynced = names_at_commits(disk, home.database, "waiting")
    (proposal,) = (await home.files.bring_in(theirs)).proposals
    await home.approve.move_extra_files(proposal.id, proposal.key)
    await asyncio.to_thread(home.database.close)
    copy = home.skills.folders.folder(proposal.key) / "data" / "more.txt"
    assert copy.read_text() == "more"
    assert unsynced and unsynced == [[]] * len(unsynced)
    assert at_removals == [{}]


async def test_a_conversation_is_in_the_trash_before_it_leaves_the_database(
    disk: Disk, tmp_path: Path
) -> None:
    database: Database = database_at(tmp_path / "home" / "lull.db")
    Trajectories(database, key=KEY).record(turn(user("old")), session="", selection=Selection())
    await asyncio.to_thread(database.flush)
    unsynced = names_at_commits(disk, database, "trash")
    assert await throw_older(database, datetime(2100, 1, 1, tzinfo=UTC)) == 1
    await asyncio.to_thread(database.close)
    assert unsynced and unsynced == [[]] * len(unsynced)
