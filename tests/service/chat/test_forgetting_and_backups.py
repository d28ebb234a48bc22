"""Tests that a deletion which is not finished yet and backups do not hinder each other."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import zipfile

import pytest

from lull.config.settings import BackupSettings
from lull.service.backups.backups import Backups
from lull.service.chat.forgetting import FinishForgetting
from lull.service.idle.quiet import Activity
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.store.chat.event_log import EventLog
from tests.loops.forgetting.test_forget import RULE, WORD, Archive, PowerCut, archive

__all__ = ["archive"]
LARGE = 100_000_000


class Keeping:
    """The backups of a service, and its tries to finish deletions."""

    def __init__(self, archive: Archive) -> None:
        database, clock = archive.database, archive.clock
        problems = Problems(EventBus(EventLog(database), clock))
        self.backups = Backups(
            archive.folder,
            database,
            problems,
            clock,
            Activity(clock),
            settings=BackupSettings,
            quiet_s=lambda: 0.0,
        )
        self.finishing = FinishForgetting(archive.forget, backups=self.backups, problems=problems)
        self.problems = problems


async def half_forgotten(archive: Archive) -> None:
    """Forget a conversation whose words stay in unused parts of the database file."""
    # Some builds of SQLite overwrite what is deleted, which others do not.
    await archive.database.write(lambda c: c.execute("PRAGMA secure_delete = 0").fetchall())
    conversation, _ = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    archive.dies_at = "rewrite"
    with pytest.raises(PowerCut):
        await archive.forget.forget(conversation)
    archive.dies_at = ""


async def test_what_was_deleted_is_not_in_a_backup_made_before_the_file_is_rewritten(
    archive: Archive,
) -> None:
    await half_forgotten(archive)
    assert archive.says(WORD)
    made = await Keeping(archive).backups.make({"file": ""})
    with zipfile.ZipFile(made["file"]) as packed:
        assert [name for name in packed.namelist() if WORD.encode() in packed.read(name)] == []


async def test_tries_to_finish_a_deletion_let_a_backup_come_to_its_end(archive: Archive) -> None:
    await half_forgotten(archive)
    (archive.folder / "adapters/a1").mkdir(parents=True)
    (archive.folder / "adapters/a1/x").write_bytes(bytes(LARGE))
    keeping = Keeping(archive)
    asked = asyncio.create_task(keeping.backups.make({"file": ""}))
    while not (now := keeping.backups.view()["under_way"]) or now["done"] < LARGE / 10:  # noqa: ASYNC110
        await asyncio.sleep(0)
    trying = asyncio.create_task(keeping.finishing.once())
    shown = 0
    while not asked.done():
        now = keeping.backups.view()["under_way"]
        if now and now["part"] == "packing":
            assert now["done"] >= shown, "it began again"
            shown = now["done"]
        await asyncio.sleep(0)
    await asked
    assert await trying is None
    assert archive.says(WORD) == []


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from lull.config.settings import BackupSettings
from lull.service.backups.backups import make_on_request
from lull.store.backups.backup import PACKING

def tell(part, done, of):
    if part == PACKING and done == of > 0:
        os.kill(os.getpid(), signal.SIGKILL)

now = datetime.now(UTC)
make_on_request(Path(sys.argv[1]), BackupSettings(), sys.argv[2], now=now, tell=tell)
"""


@pytest.mark.full
async def test_half_a_backup_that_a_kill_left_anywhere_goes_with_what_is_forgotten(
    archive: Archive, tmp_path_factory: pytest.TempPathFactory
) -> None:
    conversation, _ = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    await asyncio.to_thread(archive.database.flush)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    words = [sys.executable, "-c", KILLED, str(archive.folder), str(elsewhere / "mine.zip")]
    done = await asyncio.to_thread(lambda: subprocess.run(words, check=False))
    assert done.returncode == -9
    assert [file.suffix for file in elsewhere.iterdir()] == [".tmp"]
    keeping = Keeping(archive)
    async with keeping.backups.paused():
        await archive.forget.forget(conversation)
    assert list(elsewhere.iterdir()) == []
