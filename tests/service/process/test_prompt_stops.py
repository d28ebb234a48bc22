"""Tests that a stop waits for no chat, however long, and that what was accepted is not lost."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing

import pytest
import zstandard

from tests.building import bytes_below
from tests.eventually import eventually
from tests.running import Lull, RunningLull
from tests.service.process.upstream import Slow

pytestmark = [pytest.mark.full, pytest.mark.slow]

MANY = 60_001
"""Messages that take the store many times longer to write than a stop may take."""

NOTHING = "stored without its messages"
LACKS = (NOTHING, "stored without its older messages")
"""What the log may say of a long request that a stop found unready."""


def rows(lull: Lull, query: str) -> int:
    with closing(sqlite3.connect(lull.home / "lull.db", timeout=60)) as file:
        (count,) = file.execute(query).fetchone()
    return int(count)


def served(lull: Lull, slow: Slow) -> RunningLull:
    lull.upstream = slow.address
    slow.go_on.set()
    return lull.serve()


def say(running: RunningLull, count: int) -> None:
    said = [{"role": ("user", "assistant")[n % 2], "content": f"message {n}"} for n in range(count)]
    answer = running.post("/api/chat", {"model": "slow", "messages": said, "stream": False})
    assert answer.status == 200


def warnings(lull: Lull) -> list[str]:
    lines = (lull.home / "logs" / "service.log").read_text().splitlines()
    return [one["text"] for one in map(json.loads, lines) if one["level"] != "info"]


def test_what_is_being_written_goes_on_at_the_next_start(lull: Lull, slow: Slow) -> None:
    running = served(lull, slow)
    say(running, MANY)
    eventually(lambda: rows(lull, "SELECT count(*) FROM turns"))
    assert running.stop() == 0
    # How much was written before the stop is the machine's; what was not is kept
    # (tests/store/chat/test_long_turns.py stops it in the midst, whatever the machine).
    kept = rows(lull, "SELECT count(*) FROM kept_pieces")
    stored = rows(lull, "SELECT count(*) FROM messages")
    assert (stored == MANY + 1) == (kept == 0)
    again = served(lull, slow)
    eventually(lambda: rows(lull, "SELECT count(*) FROM messages") == MANY + 1)
    eventually(lambda: not rows(lull, "SELECT count(*) FROM kept_pieces"))
    words = "SELECT count(*) FROM words WHERE words MATCH 'message'"
    eventually(lambda: rows(lull, words) == MANY)
    assert again.stop() == 0


def test_what_a_stop_left_unwritten_is_forgotten_with_its_conversation(
    lull: Lull, slow: Slow
) -> None:
    running = served(lull, slow)
    say(running, MANY)
    eventually(lambda: rows(lull, "SELECT count(*) FROM turns"))
    (shown,) = lull.ask("conversations")["conversations"]
    assert running.stop() == 0
    # Most of it waits in kept_pieces now; a fast machine may have written it all.
    lull.ask("forget", shown["id"], "--yes")
    assert rows(lull, "SELECT count(*) FROM kept_pieces") == 0
    packed = [path for path, data in bytes_below(lull.home) if zstandard.FRAME_HEADER in data]
    assert packed == [], "it is packed, so no word of it could be found"


def test_of_what_is_being_made_ready_at_a_stop_the_log_says_what_is_stored(
    lull: Lull, slow: Slow
) -> None:
    running = served(lull, slow)
    say(running, 2 * MANY)  # a helper process takes about as long as the wait to make it ready
    assert running.stop() == 0
    assert rows(lull, "SELECT count(*) FROM turns") == 1
    (without,) = [said for text in warnings(lull) for said in LACKS if said in text] or [""]
    again = served(lull, slow)
    eventually(lambda: not rows(lull, "SELECT count(*) FROM kept_pieces"))
    # How far it came within the stop's seconds is the machine's; the log says which it is
    # (tests/service/proxy/test_long_records.py stops it at each place, whatever the machine).
    stored = rows(lull, "SELECT count(*) FROM messages")
    assert (stored == 1) == (without == NOTHING)
    assert without or stored == 2 * MANY + 1
    found = "SELECT count(*) FROM messages WHERE message LIKE '%message {}\"%'"
    assert rows(lull, found.format(2 * MANY - 1)) == (without != NOTHING)
    assert again.stop() == 0


def test_a_stop_does_not_wait_for_who_reads_a_very_long_conversation(
    lull: Lull, slow: Slow
) -> None:
    running = served(lull, slow)
    say(running, MANY)
    eventually(lambda: rows(lull, "SELECT count(*) FROM turns"))
    (shown,) = lull.ask("conversations")["conversations"]
    read = threading.Thread(target=lull.run, args=("show", shown["id"], "--json"))
    read.start()
    assert running.stop() == 0
    read.join()
    assert rows(lull, "SELECT count(*) FROM turns") == 1
