"""Tests of a service whose small disk is filled up; `test_no_room.py` runs them in a process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.building import half_written
from tests.running import Lull, RunningLull, eventually
from tests.service.process.killed.street import COOK, Cook

DISK = Path(os.environ["LULL_TEST_DISK"])
ADD = ("skills", "add", "menu-style", "--description", "d", "--body", "b")


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Fill the disk to the last byte for the length of the block."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                while True:
                    file.write(bytes(size))
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


def chats(running: RunningLull, text: str) -> None:
    body = {"model": COOK, "stream": False, "messages": [{"role": "user", "content": text}]}
    answer = running.post("/api/chat", body)
    assert answer.status == 200, answer


def titled(lull: Lull, text: str) -> bool:
    said = lull.ask("conversations")["conversations"]
    return any(one["title"].startswith(text) for one in said)
