"""Tests of long bodies, which another process reads: same results, and no request is held up."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
import zstandard

from lull.service.proxy.long.bodies import is_long
from lull.service.proxy.long.child import MOST_OBJECTS, MOST_VALUES
from lull.service.proxy.reading.body import Body
from lull.service.proxy.reading.unpacking import LONG_BYTES
from tests.eventually import eventually
from tests.service.in_process import Parts, aside, ask_aside
from tests.service.lulls import Before, lull_before
from tests.service.proxy.test_injecting_in_place import PLACES, UNTOUCHED
from tests.service.proxy.test_limits import MIB
from tests.service.scripted_upstream import ScriptedUpstream
from tests.service.wire import ask

pytestmark = pytest.mark.slow

PADDING = " " * LONG_BYTES
"""Blanks to append to a body: they make it long and leave its meaning."""
KEY = "AKIAQ3EGRTYUIOPASDFG"


@pytest.mark.parametrize(("path", "marked", "new"), PLACES, ids=range(len(PLACES)))
def test_a_skill_is_spliced_into_a_long_body_and_nothing_else_moves(
    skilled: Before, upstream: ScriptedUpstream, path: str, marked: str, new: str
) -> None:
    upstream.script = lambda asked: asked.answer()
    skilled.ask("POST", path, marked.replace("«", "").encode() + PADDING.encode())
    assert upstream.last(path).body.decode() == marked.replace("«", new) + PADDING


@pytest.mark.parametrize(("path", "body"), UNTOUCHED, ids=range(len(UNTOUCHED)))
def test_where_no_skill_belongs_every_byte_of_a_long_body_stays(
    skilled: Before, upstream: ScriptedUpstream, path: str, body: str
) -> None:
    upstream.script = lambda asked: asked.answer()
    skilled.ask("POST", path, (body + PADDING).encode())
    asked = upstream.last(path)
    assert asked.body.decode() == body + PADDING
    assert asked.header("Content-Length") == str(len(asked.body))
    assert asked.header("Transfer-Encoding") is None


def _chat(*said: str, padding: str = "") -> bytes:
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(said)]
    body = {"model": "any", "stream": False, "messages": messages}
    return json.dumps(body).encode() + padding.encode()


def _rows(lull: Before, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(lull.home / "lull.db", timeout=60)) as connection:
        return connection.execute(query).fetchall()


def test_a_conversation_is_recorded_alike_whichever_way_its_turns_were_read(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    before = len(plain.turns())
    first = f"remember {KEY} for me"
    plain.ask("POST", "/api/chat", _chat(first, padding=PADDING))
    plain.new_turns(before)
    plain.ask("POST", "/api/chat", _chat(first, "well said", f"say {KEY} again"))
    plain.new_turns(before, 2)
    third = (first, "well said", f"say {KEY} again", "well said", "thanks")
    plain.ask("POST", "/api/chat", _chat(*third, padding=PADDING))
    one, two, three = plain.new_turns(before, 3)
    assert one["trajectory"] == two["trajectory"] == three["trajectory"]
    assert [one["number"], two["number"], three["number"]] == [1, 2, 3]
    shown = plain.control("GET", f"/v1/conversations/{one['trajectory']}")
    text = json.dumps(shown, ensure_ascii=False)
    assert KEY not in text
    (number,) = {piece.partition("⟩")[0] for piece in text.split("⟨secret:aws-key:")[1:]}
    assert len(number) < 6
    assert KEY.encode() not in (plain.home / "lull.db").read_bytes()
    links = _rows(plain, "SELECT link FROM messages WHERE message LIKE '%secret:aws-key%'")
    assert len(links) == 2


@pytest.mark.full
def test_very_many_messages_are_stored_all_and_hold_nobody_up(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    count = 2_001
    said = [f"{n} and number" for n in range(count)]
    assert plain.ask("POST", "/api/chat", _chat(*said)).status == 200
    query = "SELECT count(*) FROM messages WHERE message LIKE '% and number%'"
    eventually(lambda: _rows(plain, query) == [(count,)])
    words = _rows(plain, "SELECT count(*) FROM words WHERE words MATCH 'number'")
    assert words[0][0] >= count


@pytest.mark.full
def test_more_messages_than_anybody_sends_pass_unread(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    before = len(plain.turns())
    body = _chat(*["a"] * (MOST_OBJECTS + 1))
    assert plain.ask("POST", "/api/chat", body).status == 200
    assert upstream.last("/api/chat").body == body
    plain.ask("POST", "/api/chat", _chat("hello"))
    assert len(plain.new_turns(before)) == 1


@pytest.mark.full
def test_more_values_than_any_chat_has_pass_unread_and_take_little_memory(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    before = len(plain.turns())
    members = b"".join(b'"k%d":%d,' % (n, n) for n in range(MOST_VALUES))
    body = b"{" + members + _chat("a")[1:]
    assert plain.ask("POST", "/api/chat", body).status == 200
    assert upstream.last("/api/chat").body == body
    reader = _reader(plain)
    assert reader is None or reader.memory_info().rss < 250 * MIB  # all of them take 500
    plain.ask("POST", "/api/chat", _chat("hello"))
    assert len(plain.new_turns(before)) == 1


@pytest.mark.parametrize("padding", ["", PADDING])
@pytest.mark.parametrize(
    "odd",
    [
        {"model": "m" * 1_001},
        {"format": {"type": "object", "title": "t" * 32_000}},
        {"options": {"stop": ["s" * 4_001] * 2}},
    ],
    ids=["name", "format", "stop"],
)
def test_settings_of_no_sensible_length_pass_unread(
    plain: Before, upstream: ScriptedUpstream, odd: dict[str, object], padding: str
) -> None:
    before = len(plain.turns())
    body = json.dumps({**json.loads(_chat("a")), **odd}).encode() + padding.encode()
    assert plain.ask("POST", "/api/chat", body).status == 200
    assert upstream.last("/api/chat").body == body
    plain.ask("POST", "/api/chat", _chat("hello"))
    assert len(plain.new_turns(before)) == 1


def _reader(lull: Before) -> psutil.Process | None:
    children = psutil.Process(lull.running.process.pid).children()
    for child in children:
        with contextlib.suppress(psutil.NoSuchProcess):  # a zombie has no command line
            if any("proxy.long.child" in word for word in child.cmdline()):
                return child
    return None


def _another(lull: Before, body: bytes, pid: int) -> int | None:
    """Send the body once more; return the reader's process id if it is another than `pid`."""
    assert lull.ask("POST", "/api/chat", body).status == 200
    found = _reader(lull)
    return found.pid if found is not None and found.pid != pid else None


def test_a_killed_reader_costs_no_answer_and_comes_back(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    body = _chat("hello", padding=PADDING)
    assert plain.ask("POST", "/api/chat", body).status == 200
    reader = eventually(lambda: _reader(plain))
    os.kill(reader.pid, signal.SIGKILL)
    assert plain.ask("POST", "/api/chat", body).status == 200
    assert upstream.last("/api/chat").body == body

    eventually(lambda: _another(plain, body, reader.pid))


@pytest.mark.full
@pytest.mark.parametrize("stopped", ["while it waits", "while it stores"])
def test_a_stopped_reader_costs_no_answer_and_is_replaced(
    plain: Before, upstream: ScriptedUpstream, stopped: str
) -> None:
    body = _chat("hello", padding=PADDING)
    assert plain.ask("POST", "/api/chat", body).status == 200
    reader = eventually(lambda: _reader(plain))
    if stopped == "while it stores":
        many = json.loads(body) | {"messages": [{"role": "user", "content": PADDING[:40]}] * 20_000}
        assert plain.ask("POST", "/api/chat", json.dumps(many).encode()).status == 200
    reader.suspend()
    assert plain.ask("POST", "/api/chat", body).status == 200
    assert upstream.last("/api/chat").body == body
    assert reader.pid != eventually(lambda: _another(plain, body, reader.pid))
    eventually(lambda: not reader.is_running())


@pytest.fixture
def fresh(upstream: ScriptedUpstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    with lull_before(upstream.address, tmp_path_factory.mktemp("fresh") / "home") as made:
        yield made


@pytest.mark.parametrize(
    ("bombs", "most_mib"), [(20, 150), pytest.param(100, 64, marks=pytest.mark.full)]
)
def test_packed_bombs_leave_no_memory_behind(
    fresh: Before, upstream: ScriptedUpstream, bombs: int, most_mib: int
) -> None:
    upstream.script = lambda asked: asked.answer(413)
    bomb = zstandard.ZstdCompressor(level=1).compress(bytes(300 * MIB))
    service = psutil.Process(fresh.running.process.pid)
    head = {"Content-Encoding": "zstd"}
    fresh.ask("POST", "/v1/responses", bomb, head)
    before = service.memory_info().rss
    for _ in range(bombs):
        assert fresh.ask("POST", "/v1/responses", bomb, head).status == 413
    assert upstream.last("/v1/responses").body == bomb
    assert service.memory_info().rss - before < most_mib * MIB  # one is 300
    reader = _reader(fresh)
    assert reader is None or reader.memory_info().rss < 250 * MIB


PACKED = {
    "a long text": b'"' + b"a" * 15_000_000 + b'"',
    "a text of wide characters": '"{}"'.format("a word 😀 " * 1_200_000).encode(),
    "very many lists": b"[" + b"[]," * 5_000_000 + b"[]]",
    "very many strings": b"[" + b'"%d",' * 3_000_000 + b'""]',
    "very many objects": b"[" + b'{"a":1},' * 1_900_000 + b"{}]",
}
"""JSON values of at most 16 MB that pack well and take many times their size when read."""


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can bound a process's memory")
def test_a_packed_body_of_any_make_takes_no_more_than_twice_the_longest(
    fresh: Before, upstream: ScriptedUpstream
) -> None:
    fresh.ask("POST", "/api/chat", _chat("hello", padding=PADDING))
    reader = eventually(lambda: _reader(fresh))
    service = psutil.Process(fresh.running.process.pid)
    before = _most_mb(reader) + _most_mb(service)
    upstream.script = lambda asked: asked.answer(413)
    for value in PACKED.values():
        body = _chat("hello").replace(b'"stream"', b'"extra": ' + value + b', "stream"')
        packed = zstandard.compress(body)
        told = fresh.ask("POST", "/api/chat", packed, {"Content-Encoding": "zstd"})
        assert told.status == 413
        assert upstream.last("/api/chat").body == packed
    assert reader.is_running()
    assert _most_mb(reader) + _most_mb(service) - before < 2 * 64


def _most_mb(process: psutil.Process) -> float:
    """The most memory that a process has taken so far, in MB."""
    status = Path(f"/proc/{process.pid}/status").read_text("utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e6


@pytest.mark.full
async def test_no_cycle_keeps_a_body(here: str, parts: Parts, upstream: ScriptedUpstream) -> None:
    upstream.script = lambda asked: asked.answer(400)
    packed = zstandard.ZstdCompressor().compress(bytes(2 * MIB))
    gc.collect()
    before = [one for one in gc.get_objects() if isinstance(one, Body)]  # of other tests
    gc.disable()
    try:
        for alone in (False, True):
            parts.never_reached = alone
            for body in (b"{", b'{"model":"any","messages":7}'):
                await ask_aside(here, "POST", "/api/chat", body)
            for path in ("/api/chat", "/v1/responses"):
                await ask_aside(here, "POST", path, _chat("x" * 2_000_000))
                await _packed(here, path, packed)
        kept = [one for one in gc.get_objects() if isinstance(one, Body)]
        assert [one for one in kept if not any(one is old for old in before)] == []
    finally:
        gc.enable()


async def _packed(address: str, path: str, body: bytes) -> None:
    await aside(lambda: ask(address, "POST", path, body, {"Content-Encoding": "zstd"}))


@pytest.mark.parametrize(
    ("body", "long"),
    [
        (b"{}", False),
        (b"x" * (LONG_BYTES + 1), True),
        (b'{"a":{}},' * 2_000, True),
    ],
)
def test_a_body_is_long_by_its_bytes_or_by_what_is_in_it(body: bytes, long: bool) -> None:
    assert is_long(body, "identity") is long
    assert is_long(zstandard.ZstdCompressor().compress(body), "zstd") is long
    assert not is_long(body, "gzip")
