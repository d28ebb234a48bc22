"""Tests of a service whose small disk is filled up; `test_no_room.py` runs them in a process."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import disk_usage

from tests.building import half_written
from tests.eventually import eventually
from tests.running import Lull, Ran, RunningLull
from tests.service.process.killed.street import COOK, Cook

DISK = Path(os.environ["LULL_TEST_DISK"])
ADD = ("skills", "add", "menu-style", "--description", "d", "--body", "b")
IN_UNUSED = "What was deleted is still in unused parts of the database."


@contextmanager
def filled(disk: Path, *, but: int = 0) -> Iterator[None]:
    """Fill the disk for the length of the block: to the last byte, or but for so many."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                while True:
                    file.write(bytes(size))
        file.truncate(file.tell() - but)
    try:
        yield
    finally:
        filler.unlink()


def test_a_full_disk_is_said_and_nothing_is_half_done() -> None:
    with Cook() as cook, RunningLull.cleaned_up(DISK / "home", upstream=cook.address) as lull:
        running = lull.serve()
        eventually(lambda: lull.ask("status")["upstream"]["ok"])
        chats(running, "the first")
        eventually(lambda: lull.ask("status")["turns"] == 1)
        with filled(DISK):
            refused = lull.run(*ADD)
            assert refused.code == 1 and refused.err.count("\n") == 1, refused
            assert "room on the disk" in refused.err, refused
            # No answer waits for the disk; that turns could not be recorded is a problem shown.
            for number in range(20):
                chats(running, f"behind the fill {number} " + "word " * 4000)
            eventually(lambda: lull.ask("status")["problems"])
            assert lull.ask("skills")["skills"] == []
        eventually(lambda: not half_written(DISK))
        assert lull.ask(*ADD)["generation"] == 1
        chats(running, "there is room again")
        newest = eventually(lambda: titled(lull, "there is room again"))
        assert newest
        eventually(lambda: lull.ask("status")["problems"] == [])
        running.kill()
        again = lull.serve()
        assert titled(lull, "the first") and titled(lull, "there is room again")
        assert lull.ask("status")["problems"] == []
        assert [one["name"] for one in lull.ask("skills")["skills"]] == ["menu-style"]
        assert again.stop() == 0


def test_a_start_without_room_says_so_in_one_line() -> None:
    with RunningLull.cleaned_up(DISK / "home") as lull:
        with filled(DISK):
            ran = lull.run("serve", "--port", "0")
            assert ran.code != 0
            assert ran.err.count("\n") == 1 and ran.err.startswith("lull: "), ran
            assert "Traceback" not in ran.err
        running = lull.serve()
        assert lull.ask(*ADD)["generation"] == 1
        running.stop()


def test_commands_on_a_full_disk_say_what_to_do() -> None:
    home = DISK / "home"
    with Cook() as cook, RunningLull.cleaned_up(home, upstream=cook.address) as lull:
        running = lull.serve()
        eventually(lambda: lull.ask("status")["upstream"]["ok"])
        numbers = random.Random(1)
        for _ in range(40):  # as much as cannot be packed much
            chats(running, numbers.randbytes(60_000).hex())
        chats(running, "the first")
        chats(running, "the second")
        chats(running, "the third")
        first = eventually(lambda: found(lull, "the first"))
        second = eventually(lambda: found(lull, "the second"))
        third = eventually(lambda: found(lull, "the third"))
        for _ in range(2):  # with a service, and without one
            with filled(DISK):
                ran = lull.run("backup", str(DISK.parent / "one.zip"))
                said(ran, f"There is no room left on the disk with {home}.", "there")
                # Where the deletion is begun already, the next start finishes it.
                said(lull.run("forget", first, "--yes"), "is full", "on the disk")
            running.kill()
        running = lull.serve()
        for mb in range(1, 20):  # until it is enough to delete, and too little to rewrite the file
            with filled(DISK, but=mb << 20):
                ran = lull.run("forget", second, "--yes")
                if "is full. (Make room on the disk.)" in ran.err:
                    continue
                said(ran, f"{IN_UNUSED} {home / 'lull.db'}", "of ")
                assert not found(lull, "the second")
                break
        with filled(DISK, but=6 << 20):
            ran = lull.run("forget", third, "--yes")
            said(ran, f"{IN_UNUSED} {home / 'lull.db'}", "of ")
            assert disk_usage(DISK).free > 2 << 20, "rewriting takes no room from requests"
        running.kill()
        lull.serve()
        assert lull.ask("status")["problems"] == []


def test_a_backup_to_a_full_disk_names_that_disk() -> None:
    with RunningLull.cleaned_up(DISK.parent / "home") as lull:
        running = lull.serve()
        lull.ask(*ADD)
        for _ in range(2):
            with filled(DISK):
                ran = lull.run("backup", str(DISK / "one.zip"))
                said(ran, f"There is no room left on the disk with {DISK}.", "there")
            running.kill()
        assert not half_written(DISK) and not half_written(lull.home)


def said(ran: Ran, what: str, where: str) -> None:
    assert ran.code == 1 and ran.err.count("\n") == 1, ran
    assert what in ran.err and f"Make room {where}" in ran.err, ran


def chats(running: RunningLull, text: str) -> None:
    body = {"model": COOK, "stream": False, "messages": [{"role": "user", "content": text}]}
    answer = running.post("/api/chat", body)
    assert answer.status == 200, answer


def titled(lull: Lull, text: str) -> bool:
    return bool(found(lull, text))


def found(lull: Lull, text: str) -> str:
    """Return the id of the conversation that begins with this text; "" if there is none."""
    all_of_them = lull.ask("conversations")["conversations"]
    return next((str(one["id"]) for one in all_of_them if one["title"].startswith(text)), "")
