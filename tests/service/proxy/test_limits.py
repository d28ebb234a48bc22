"""Tests of limits: nothing that a client sends or leaves out stops the service or fills it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
from collections.abc import Iterator
from itertools import product

import psutil
import pytest
import zstandard

from lull.core.errors import RequestError
from lull.service.proxy.reading.unpacking import decompress_zstd
from tests.eventually import eventually
from tests.service.lulls import SETTINGS, Before, lull_before
from tests.service.routes import CHATS, asking, error_words
from tests.service.scripted_upstream import ScriptedUpstream, last_line
from tests.service.wire import connected, written

pytestmark = pytest.mark.slow

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def _small(
    _upstream: ScriptedUpstream, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Before]:
    settings = f"{SETTINGS}[service]\nmax_body_mb = 1\n"
    home = tmp_path_factory.mktemp("small") / "home"
    with lull_before(_upstream.address, home, settings) as made:
        yield made


@pytest.fixture
def small(_small: Before, upstream: ScriptedUpstream) -> Before:
    """Lull that reads chats of at most 1 MB."""
    upstream.script = lambda asked: asked.answer(200, last_line())
    return _small


def _long(path: str, model: str, size: int) -> bytes:
    field = (
        "messages"
        if "messages" in CHATS[path]
        else ("prompt" if "prompt" in CHATS[path] else "input")
    )
    text = "x" * size
    said = [{"role": "user", "content": text}] if field == "messages" else text
    return json.dumps(asking(path, model=model, **{field: said})).encode()


@pytest.mark.parametrize("path", CHATS)
def test_a_chat_over_the_limit_passes_unread_and_unrecorded(
    small: Before, upstream: ScriptedUpstream, path: str
) -> None:
    before = len(small.turns())
    body = _long(path, "any", 3_000_000)
    assert small.ask("POST", path, body).status == 200
    assert upstream.last(path).body == body
    small.ask("POST", "/api/chat", asking("/api/chat", stream=False))
    assert len(small.new_turns(before)) == 1


@pytest.mark.parametrize("path", CHATS)
def test_a_chat_over_the_limit_is_too_much_for_the_built_in_model(
    small: Before, alone: Before, path: str
) -> None:
    reply = small.ask("POST", path, _long(path, "pocket", 3_000_000))
    assert reply.status == 413
    assert "1000000 bytes" in error_words(path, reply.json)


def test_a_long_history_of_others_does_not_make_it_ours(
    small: Before, upstream: ScriptedUpstream
) -> None:
    told = json.dumps({"model": "pocket"})
    body = {"messages": [{"role": "user", "content": told + "x" * 2_000_000}], "model": "any"}
    assert small.ask("POST", "/api/chat", body).status == 200


@pytest.mark.full
@pytest.mark.slow
def test_uploads_of_any_size_pass_in_bounded_memory(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    upstream.script = lambda asked: asked.answer(201)
    assert _grows_by(plain, "/api/blobs/sha256:0", 200) < 100 * MIB
    sent = hashlib.sha256(b"\x07" * 200 * MIB).digest()
    assert upstream.last("/api/blobs/sha256:0").body == sent


@pytest.mark.slow
def test_a_chat_over_the_limit_is_not_held_in_memory(
    small: Before, upstream: ScriptedUpstream
) -> None:
    assert _grows_by(small, "/api/chat", 200) < 100 * MIB


def _grows_by(lull: Before, path: str, mebibytes: int) -> int:
    """Return by how many bytes the service grows at most while it passes a body on."""
    service = psutil.Process(lull.running.process.pid)
    before = most = service.memory_info().rss
    head = {"Content-Length": str(mebibytes * MIB), "Content-Type": "application/octet-stream"}
    with connected(lull.address) as connection:
        connection.sendall(written(lull.address, "POST", path, None, head))
        for _ in range(mebibytes):
            connection.sendall(b"\x07" * MIB)
            most = max(most, service.memory_info().rss)
        assert connection.recv(12).startswith(b"HTTP/1.1 20")
    return int(most) - int(before)


@pytest.mark.parametrize("path", ["/api/chat", "/api/show", "/api/embed", "/nothing"])
def test_a_body_that_never_comes_whole_is_nobodys_chat(
    plain: Before, upstream: ScriptedUpstream, path: str
) -> None:
    before = len(plain.turns())
    head = written(plain.address, "POST", path, None, {"Content-Length": "1000"})
    with connected(plain.address) as connection:
        connection.sendall(head + b'{"model":"any"')
        eventually(lambda: plain.in_flight() == 1)
    eventually(lambda: plain.in_flight() == 0)
    assert len(plain.turns()) == before
    assert upstream.count(path) == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Length": "99999999999999999999999999"},
        {"Content-Length": "-1"},
        {"Content-Length": "ten"},
        {"Content-Length": "5", "Transfer-Encoding": "chunked"},
        {"Transfer-Encoding": "chunked"},
        {"X-Long": "x" * 200_000},
        {"Bad Name": "x"},
    ],
    ids=lambda headers: next(iter(headers)),
)
def test_what_is_no_http_is_refused_at_the_door(
    plain: Before, upstream: ScriptedUpstream, headers: dict[str, str]
) -> None:
    body = b'zzz\r\n{"model":"any"}'
    with connected(plain.address) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(written(plain.address, "POST", "/api/chat", body, headers))
        with contextlib.suppress(ConnectionError):
            assert connection.recv(12) in (b"HTTP/1.1 400", b"HTTP/1.0 400", b"")
    assert upstream.count("/api/chat") == 0
    _serves_on(plain)


def _serves_on(lull: Before) -> None:
    assert lull.ask("GET", "/api/version").json == {"version": "0.24.0"}


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "OPTIONS", "GET"])
@pytest.mark.parametrize("target", ["*", "other.test:443", "/"])
def test_odd_methods_and_targets_do_no_harm(
    plain: Before, upstream: ScriptedUpstream, method: str, target: str
) -> None:
    upstream.script = lambda asked: asked.answer()
    with connected(plain.address) as connection:
        connection.sendall(written(plain.address, method, target, None, {}))
        assert connection.recv(9).startswith(b"HTTP/1.")
    _serves_on(plain)


_SAID = b'"messages":[{"role":"user","content":"x"}]'
ODD_BODIES = {
    "deep": b'{"model":"any","messages":' + b"[" * 100_000,
    "deep and closed": b'{"model":"any","messages":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "not UTF-8": b'{"model":"any","messages":[{"role":"user","content":"\xff\xfe"}]}',
    "NaN": b'{"model":"any","x":NaN,' + _SAID + b"}",
    "half a pair": b'{"model":"any","messages":[{"role":"user","content":"\\ud800"}]}',
    "NUL": b'{"model":"any","messages":[{"role":"user","content":"\\u0000\x00"}]}',
    "byte order mark": b'\xef\xbb\xbf{"model":"any"}',
    "UTF-16": '{"model":"any"}'.encode("utf-16"),
    "long number": b'{"model":"any","n":' + b"9" * 99_999 + b"," + _SAID + b"}",
    "huge exponent": b'{"model":"any","temperature":1e999,' + _SAID + b"}",
    "null messages": b'{"model":"any","messages":[null]}',
    "messages of numbers": b'{"model":"any","messages":[1,2],"prompt":3,"input":[4],"system":5}',
    "odd parts": b'{"model":"any","messages":[{"role":7,"content":[1,null,{"type":9}]}]}',
    "odd input": b'{"model":"any","input":{"role":7},"prompt":{},"messages":{}}',
    "odd calls": b'{"model":"any","messages":[{"role":"user","tool_calls":[1,{"function":2}]}]}',
    "long name": b'{"model":"' + b"x" * 100_000 + b'","messages":[]}',
    "odd options": b'{"model":"any","options":[],"stream":"yes","tools":{},"prompt":"x"}',
    "odd format": b'{"model":"any","format":5,"prompt":"x",' + _SAID + b"}",
    "many keys": b'{"model":"any",' + b",".join(b'"k%d":1' % i for i in range(20_000)) + b"}",
    "nothing": b"",
    "spaces": b"   ",
    "a number": b"1",
    "odd limits": b'{"model":"any","max_tokens":-5,"n":1e400,' + _SAID + b"}",
    "only spaces": b'{"model":"any","prompt":" ","input":" ","messages":[{"role":"user"}]}',
}


def test_odd_bodies_reach_the_upstream_as_they_are(
    plain: Before, upstream: ScriptedUpstream, subtests: pytest.Subtests
) -> None:
    upstream.script = lambda asked: asked.answer(400, {"error": "odd"})
    for name, path in product(ODD_BODIES, CHATS):
        with subtests.test(name=name, path=path):
            upstream.asked.clear()
            reply = plain.ask("POST", path, ODD_BODIES[name])
            assert (reply.status, reply.json) == (400, {"error": "odd"})
            assert upstream.last(path).body == ODD_BODIES[name]


def test_odd_bodies_with_a_skill_active_are_answered_too(
    skilled: Before, upstream: ScriptedUpstream, subtests: pytest.Subtests
) -> None:
    upstream.script = lambda asked: asked.answer(400, {"error": "odd"})
    for name, path in product(ODD_BODIES, CHATS):
        with subtests.test(name=name, path=path):
            upstream.asked.clear()
            assert skilled.ask("POST", path, ODD_BODIES[name]).status == 400
            assert upstream.count(path) == 1


def test_odd_bodies_for_the_built_in_model_get_an_answer(
    alone: Before, subtests: pytest.Subtests
) -> None:
    for name, path in product(ODD_BODIES, CHATS):
        with subtests.test(name=name, path=path):
            body = ODD_BODIES[name].replace(b'"any"', b'"pocket"')
            reply = alone.ask("POST", path, body)
            assert reply.status in (200, 400, 404, 413, 500)
            if reply.status != 200:
                assert error_words(path, reply.json)


def test_no_odd_body_was_a_fault_of_ours(plain: Before, skilled: Before, alone: Before) -> None:
    """The odd bodies of the tests above, which must run first, left no traceback in the log."""
    for lull in (plain, skilled, alone):
        logged = [json.loads(entry) for entry in lull.log().splitlines()]
        assert [entry for entry in logged if "trace" in entry] == []
        assert "x" * 100 not in lull.log()


@pytest.mark.full
def test_a_packed_bomb_passes_unread(plain: Before, upstream: ScriptedUpstream) -> None:
    upstream.script = lambda asked: asked.answer(413)
    bomb = zstandard.ZstdCompressor(level=1).compress(b"\0" * 500 * MIB)
    service = psutil.Process(plain.running.process.pid)
    before = service.memory_info().rss
    reply = plain.ask("POST", "/v1/responses", bomb, {"Content-Encoding": "zstd"})
    assert (reply.status, upstream.last("/v1/responses").body) == (413, bomb)
    assert service.memory_info().rss - before < 250 * MIB


def test_a_packed_bomb_is_refused_by_the_built_in_model(alone: Before) -> None:
    bomb = zstandard.ZstdCompressor(level=1).compress(b"\0" * 200 * MIB)
    reply = alone.ask("POST", "/v1/responses", bomb, {"Content-Encoding": "zstd"})
    assert reply.status == 413


def packed_with_window(log: int) -> bytes:
    parameters = zstandard.ZstdCompressionParameters(window_log=log)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return packer.compress(b"{}") + packer.flush()


def test_a_window_larger_than_http_allows_is_not_made_room_for() -> None:
    """Who unpacks makes room for the whole window, which may be 2 GB, before the first byte."""
    assert decompress_zstd(packed_with_window(23), "zstd", limit=2) == b"{}"
    with pytest.raises(RequestError, match="not valid zstd"):
        decompress_zstd(packed_with_window(24), "zstd", limit=2)


def test_slow_clients_hold_nobody_up(plain: Before, upstream: ScriptedUpstream) -> None:
    with contextlib.ExitStack() as slow:
        for _ in range(100):
            connection = slow.enter_context(connected(plain.address))
            connection.sendall(b"POST /api/chat HTTP/1.1\r\nHost: ")
        for _ in range(20):
            connection = slow.enter_context(connected(plain.address))
            head = written(plain.address, "POST", "/api/chat", None, {"Content-Length": "100"})
            connection.sendall(head + b"{")
        _serves_on(plain)
        body = asking("/api/chat", stream=False)
        assert plain.ask("POST", "/api/chat", body).status == 200
    eventually(lambda: plain.in_flight() == 0)


@pytest.mark.full
@pytest.mark.slow
def test_a_reader_that_is_slow_is_waited_for_without_keeping_all_of_it(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    """The upstream can send no more while the client does not read."""
    stuck = []

    def pour(asked: object) -> None:
        asked.begin()  # type: ignore[attr-defined]
        asked.connection.settimeout(1.0)  # type: ignore[attr-defined]
        try:
            for _ in range(200):
                asked.connection.sendall(b"100000\r\n" + b"x" * MIB + b"\r\n")  # type: ignore[attr-defined]
        except TimeoutError:
            stuck.append(True)
            asked.drop()  # type: ignore[attr-defined]

    upstream.script = pour
    with plain.calling("POST", "/api/pull", {"model": "any"}) as call:
        call.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        eventually(lambda: stuck)
