"""Tests of power cuts, which `test_power_cuts.py` runs in a process with its own file system.

The power is cut while a service changes what is in force, while a conversation is forgotten, and
while a backup is restored. The file system keeps what was written in memory until somebody syncs
it. A cut takes what the disk below holds at that moment, and goes on from there.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

from lull.contract import routes
from tests.cli.chat.test_forgetting import conversations, holding
from tests.eventually import eventually
from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket
from tests.service.process.killed.street import Cook
from tests.service.process.killed.test_killed_changes import ADAPTERS, Killed, stock
from tests.zygote import started

DISK = Path(os.environ["LULL_TEST_DISK"])
IMAGE = Path(os.environ["LULL_TEST_IMAGE"])
CUTS = int(os.environ["LULL_TEST_CUTS"])


def mount() -> None:
    """Mount the file system so that within a test only a sync writes to the disk below."""
    subprocess.run(["mount", "-o", "loop,commit=900", str(IMAGE), str(DISK)], check=True)


def cut() -> None:
    """Cut the power: only what the disk below holds at this moment is left."""
    after = IMAGE.with_suffix(".after")
    shutil.copyfile(IMAGE, after)
    subprocess.run(["umount", "--lazy", str(DISK)], check=True)
    after.replace(IMAGE)
    mount()


def synced() -> None:
    subprocess.run(["sync", "--file-system", str(DISK)], check=True)


class Plugged(Killed):
    """A random history in which each kill of the service is a power cut of its machine."""

    def is_killed(self) -> None:
        self.service.kill()
        self.deaths += 1
        cut()
        self.service = self.lull.serve()


def test_changes() -> None:
    mount()
    with Cook() as cook, RunningLull.cleaned_up(DISK / "home", upstream=cook.address) as lull:
        stock(lull, Path(os.environ["LULL_TEST_ADAPTERS"]), proposals=CUTS)
        synced()
        street = Plugged(lull, cook, random.Random(5))
        changes = (street.approves_and_dies, street.switches_and_dies, street.moves_and_dies)
        for number in range(CUTS):
            changes[number % len(changes)]()
            street.is_whole()
        assert street.deaths == CUTS
        assert street.acknowledged > 0
        assert ControlSocket(lull.home).get(routes.ADAPTERS)["active"] in (None, *ADAPTERS)
        assert street.service.stop() == 0


class Commands:
    """Runs commands and cuts the power: behind every other one's end, else in the middle of it."""

    def __init__(self, lull: Lull) -> None:
        self.lull = lull
        self.chance = random.Random(6)
        self.given = 0
        self.longest_s = 1.0

    def is_cut(self, *words: str) -> bool:
        """Run a command and cut the power; return whether it had ended with success."""
        synced()
        self.given += 1
        begun_s = time.monotonic()
        with started(
            words,
            env=self.lull.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            if self.given % 2:
                process.wait()
                self.longest_s = time.monotonic() - begun_s
            else:
                time.sleep(self.chance.random() * self.longest_s)
                process.kill()
            done = process.wait() == 0
        cut()
        return done

    def starts(self) -> None:
        service = self.lull.serve()
        assert self.lull.ask("status")["problems"] == []
        assert service.stop() == 0

    def chats(self, text: str) -> None:
        service, before = self.lull.serve(), len(conversations(self.lull))
        service.chat(text)
        eventually(lambda: len(conversations(self.lull)) > before)
        assert service.stop() == 0


def test_forgetting() -> None:
    """After a power cut no forgotten byte comes back, and a forgetting once begun is completed."""
    mount()
    with RunningLull.cleaned_up(DISK / "home") as lull:
        commands, forgotten = Commands(lull), 0
        for number in range(CUTS):
            commands.chats(f"list: quartz{number} apple")
            (one,) = conversations(lull)
            log = lull.home / "logs" / "service.log.1"
            log.write_text(f"{one} was recorded.")
            done = commands.is_cut("forget", one, "--yes")
            commands.starts()
            there = conversations(lull)
            assert there in ([], [one])
            assert not (done and there), "a conversation that was forgotten came back"
            forgotten += done
            if there:
                lull.ask("forget", one, "--yes")
            assert holding(lull, f"quartz{number}") == []
            assert one not in log.read_text()
        assert forgotten >= CUTS // 2


def test_restoring() -> None:
    """After a power cut the old or the restored home is there, whole; a finished restore holds."""
    mount()
    with RunningLull.cleaned_up(DISK / "home") as lull:
        commands, file = Commands(lull), str(DISK / "mine.zip")
        commands.chats("list: apple")
        lull.ask("backup", file)
        commands.chats("list: plum")
        old = conversations(lull)
        for _ in range(CUTS):
            for words, wanted in ((["restore", file], 1), (["restore", "--undo"], 2)):
                if len(conversations(lull)) == wanted:
                    continue  # the one before was cut off before it had begun
                done = commands.is_cut(*words, "--yes")
                commands.starts()
                now = conversations(lull)
                assert len(now) in (1, 2) and set(now) <= set(old)
                assert len(now) == wanted or not done, "what was restored is not there"
            if len(conversations(lull)) == 1:
                lull.run("restore", "--undo", "--yes")
            assert conversations(lull) == old
            for folder in lull.home.glob("before-restore-*"):
                shutil.rmtree(folder)
