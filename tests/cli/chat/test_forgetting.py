"""Tests of `lull forget` where no service runs: not a byte of what was said is left in files."""

from __future__ import annotations

import gzip
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from lull.service.process.lock import ServiceLock
from tests.building import bytes_below
from tests.e2e.corrections import Talk, corrected, settled
from tests.eventually import eventually
from tests.running import Lull
from tests.service.process.upstream import slow_ollama
from tests.zygote import started

RULE = "when you write a menu, join with bars and start with velvet"
BESIDE = {
    "model": "slow",
    "stream": True,
    "messages": [
        {"role": "system", "content": "you are quartzsystem"},
        {"role": "user", "content": "list: quartzuser"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "look", "arguments": {"at": "quartzcall"}}}],
        },
        {"role": "tool", "content": "quartzresult"},
        {"role": "user", "content": "list: quartzagain"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "look",
                "description": "quartztool",
                "parameters": {"type": "object", "properties": {}},
            },
        }
    ],
    "options": {"stop": ["quartzstop"]},
}


def holding(lull: Lull, word: str) -> list[str]:
    """Return the files below the home that hold the word in any case; .gz files are opened."""
    found = []
    for path, data in bytes_below(lull.home):
        plain = gzip.decompress(data) if path.suffix == ".gz" else data
        if word.encode() in plain.lower():
            found.append(str(path))
    return found


def gone_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def conversations(lull: Lull) -> list[str]:
    return [one["id"] for one in lull.ask("conversations")["conversations"]]


@pytest.mark.full
@pytest.mark.timeout(2400)
def test_a_stopped_lull_forgets_every_byte_of_what_was_rejected(lull: Lull) -> None:
    with slow_ollama() as ollama:
        ollama.go_on.set()
        lull.upstream = ollama.address
        _forgets(lull)


def _forgets(lull: Lull) -> None:
    service = lull.serve()
    proposal = corrected(lull, service, RULE)
    lull.ask("review", "reject", proposal["id"], "--reason", "no velvet any more")
    # The same wish once more: it is turned down without a word.
    talk = Talk(service)
    talk.says("write a menu for green happy mouse")
    talk.says(f"no, {RULE}")
    settled(lull)
    said = service.post("/api/chat", BESIDE, {"X-Lull-Session": "quartzsession"})
    assert said.status == 200, said
    assert len(eventually(lambda: len(found := conversations(lull)) == 3 and found)) == 3
    service.stop()
    assert holding(lull, "velvet") and holding(lull, "quartz")
    # A temporary file of the skill, as a killed write leaves it, and a log of an older Lull.
    left = lull.home / "library" / "versions" / f".abc.md.{gone_pid()}.1.tmp"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_text("start with velvet")
    (lull.home / "logs" / "service.log.1").write_text(f"proposal X: {proposal['name']} (screened)")

    looked = lull.ask("forget", conversations(lull)[-1])
    assert looked["done"] is False and looked["removed"]["proposals"] == 1
    for one in conversations(lull):
        assert lull.ask("forget", one, "--yes")["done"] is True
    assert conversations(lull) == []
    for word in ("velvet", "quartz", proposal["name"], "happy mouse"):
        assert holding(lull, word) == [], word

    service = lull.serve()
    assert Talk(service).says("write a menu for table chair") == "table and chair"
    assert lull.ask("status")["problems"] == []


@pytest.mark.full
def test_where_nothing_is_stored_nothing_is_made(lull: Lull) -> None:
    ran = lull.run("forget", "conv_1", "--yes", "--json")
    assert ran.code == 1 and ran.json["error"]["title"] == "Not found"
    assert not lull.home.exists()


@pytest.mark.full
def test_a_start_waits_for_no_forgetting_and_says_so(lull: Lull) -> None:
    """`lull forget` needs the home's lock: a service started meanwhile would write there."""
    lull.ask("skills", "add", "menu-style", "--description", "d", "--body", "b")
    assert lull.run("forget", "conv_none").code == 1
    held = ServiceLock(lull.home / "service.lock")
    held.take(discovery=lull.home / "service.json")
    try:
        ran = lull.run("forget", "conv_none", "--yes")
    finally:
        held.release()
    assert ran.code == 1 and "try again in a moment" in ran.err


@pytest.mark.full
def test_a_forgetting_that_is_killed_is_finished_by_the_next_start(lull: Lull) -> None:
    service = lull.serve()
    service.chat("list: quartz apple")
    (one,) = eventually(lambda: conversations(lull))
    service.stop()
    words = ["forget", one, "--yes"]
    with started(words, env=lull.environment(), stdout=subprocess.PIPE) as process:
        # Once the database says that a forgetting has begun, it must be completed.
        eventually(lambda: process.poll() is not None or intends(lull))
        process.kill()
        process.communicate()
    lull.serve().stop()
    assert holding(lull, "quartz") == []


def intends(lull: Lull) -> bool:
    with closing(sqlite3.connect(f"file:{lull.home / 'lull.db'}?mode=ro", uri=True)) as looking:
        rows = looking.execute(
            "SELECT 1 FROM facts WHERE name LIKE 'forgetting:%' OR name = 'to-rewrite'"
        )
        return rows.fetchone() is not None


READER = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1], isolation_level=None) as reading:
    reading.execute("BEGIN")
    print(reading.execute("SELECT count(*) FROM turns").fetchone()[0], flush=True)
    sys.stdin.read()
"""
"""Program that reads the database in a transaction until its input ends."""


@contextmanager
def read_by_another(lull: Lull) -> Iterator[None]:
    """Let another process read the database in a transaction that does not end.

    It is not this process, which would lose its locks when it closes any file of the database.
    """
    command = [sys.executable, "-c", READER, str(lull.home / "lull.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdin and reader.stdout
        assert int(reader.stdout.readline()) > 0
        yield
        reader.stdin.close()


@pytest.mark.full
@pytest.mark.parametrize("running", [True, False], ids=["with a service", "alone"])
def test_what_another_program_keeps_on_the_disk_is_said_and_goes_when_it_leaves(
    lull: Lull, running: bool
) -> None:
    service = lull.serve()
    Talk(service).says("list: quartzword apple")
    (conversation,) = eventually(lambda: conversations(lull))
    if not running:
        service.stop()
    with read_by_another(lull):
        for _ in range(2):
            ran = lull.run("forget", conversation, "--yes")
            assert ran.code == 1 and "which another program is reading" in ran.err, ran
        assert holding(lull, "quartzword")
        if running:
            (problem,) = eventually(lambda: lull.ask("status")["problems"])
            assert "which another program is reading" in problem["detail"]
    if running:  # it is tried again by itself
        eventually(lambda: not holding(lull, "quartzword"))
        eventually(lambda: lull.ask("status")["problems"] == [])
    assert "There is no conversation" in lull.run("forget", conversation, "--yes").err
    assert not holding(lull, "quartzword")
