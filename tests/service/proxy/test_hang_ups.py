"""Tests of hang-ups: a client that leaves stops the model at once, and the turn is recorded.

When the upstream dies, the client gets a broken answer.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from lull.backends.mlx.engine import MlxEngine
from lull.core.models.engine import GenerateRequest
from lull.resources import pocket_dir
from tests.eventually import eventually
from tests.service.builtin.scripted import ScriptedEngine
from tests.service.in_process import Parts, aside
from tests.service.lulls import Before
from tests.service.routes import CHATS, asking, error_words
from tests.service.scripted_upstream import (
    Asked,
    ScriptedUpstream,
    last_line,
    line,
    reply_natively,
)
from tests.service.wire import PATIENCE_S, broken_off, calling


class Endless:
    """An upstream's script: it sends its pieces, then nothing until the other side leaves."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces
        self.left = False
        self.noticed = threading.Event()

    def __call__(self, asked: Asked) -> None:
        if self.pieces:
            asked.begin()
        for piece in self.pieces:
            asked.say(piece)
        self.left = asked.wait_until_left()
        self.noticed.set()

    def was_left(self) -> bool:
        return self.noticed.wait(PATIENCE_S) and self.left


@pytest.mark.parametrize("path", CHATS)
@pytest.mark.parametrize("stream", [True, False])
def test_a_hang_up_before_the_first_byte_stops_the_model(
    plain: Before, upstream: ScriptedUpstream, path: str, stream: bool
) -> None:
    before = len(plain.turns())
    upstream.script = endless = Endless()
    with plain.calling("POST", path, asking(path, stream=stream)) as call:
        upstream.wait_for(path)
        call.hang_up()
        assert endless.was_left()
    (turn,) = plain.new_turns(before)
    assert (turn["route"], turn["finish"]) == (path, "hangup")


def test_a_hang_up_in_mid_stream_keeps_what_was_said(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    before = len(plain.turns())
    upstream.script = endless = Endless(line("one "), line("two"))
    with plain.calling("POST", "/api/chat", asking("/api/chat")) as call:
        heard = b""
        while line("two") not in heard:
            heard += call.read_some()
        call.hang_up()
        assert endless.was_left()
    (turn,) = plain.new_turns(before)
    assert turn["finish"] == "hangup"
    shown = plain.control("GET", f"/v1/conversations/{turn['trajectory']}")
    assert "one two" in str(shown["turns"][0]["answer"])
    assert shown["turns"][0]["complete"] is False


@pytest.mark.parametrize("path", ["/api/pull", "/api/embed", "/nothing"])
def test_a_hang_up_elsewhere_stops_the_upstream_too(
    plain: Before, upstream: ScriptedUpstream, path: str
) -> None:
    upstream.script = endless = Endless()
    with plain.calling("POST", path, {"model": "any"}) as call:
        upstream.wait_for(path)
        call.hang_up()
        assert endless.was_left()
    eventually(lambda: plain.in_flight() == 0)


@pytest.mark.parametrize("stream", [True, False])
async def test_a_hang_up_closes_the_built_in_models_answer(
    here: str, parts: Parts, stream: bool
) -> None:
    parts.engine = engine = ScriptedEngine(endless=True)
    await aside(lambda: _leave(here, stream=stream, once=lambda: engine.asked))
    await aside(lambda: eventually(lambda: engine.closed))
    await aside(lambda: eventually(lambda: parts.recorded))
    assert parts.recorded[0].finish == "hangup"


@pytest.mark.slow
@pytest.mark.parametrize("stream", [True, pytest.param(False, marks=pytest.mark.full)])
async def test_a_hang_up_stops_the_real_engine(here: str, parts: Parts, stream: bool) -> None:
    parts.engine = engine = MlxEngine(pocket_dir())
    try:
        await engine.tokenize(GenerateRequest(prompt="."))
        await aside(lambda: _leave(here, stream=stream, once=lambda: parts.opened))
        await aside(lambda: eventually(lambda: parts.recorded))
        async with asyncio.timeout(PATIENCE_S):
            while (await engine.status()).in_flight:  # noqa: ASYNC110  it tells nobody
                await asyncio.sleep(0.02)
    finally:
        await engine.close()


def _leave(address: str, *, stream: bool, once: Callable[[], object]) -> None:
    long = {"num_predict": 100_000}
    body = asking("/api/chat", model="pocket", stream=stream, options=long)
    with calling(address, "POST", "/api/chat", body) as call:
        if stream:
            assert call.read_some()
        eventually(once)


def _says_half_in_chunks(asked: Asked) -> None:
    asked.begin()
    asked.say(line("half"))


def _says_half_of_its_length(asked: Asked) -> None:
    asked.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + line("half"))


@pytest.mark.parametrize("says", [_says_half_in_chunks, _says_half_of_its_length])
def test_an_upstream_that_dies_in_mid_answer_leaves_it_broken(
    plain: Before, upstream: ScriptedUpstream, says: Callable[[Asked], None]
) -> None:
    before, heard = len(plain.turns()), threading.Event()

    def dies(asked: Asked) -> None:
        says(asked)
        heard.wait(PATIENCE_S)
        asked.drop()

    upstream.script = dies
    with plain.calling("POST", "/api/chat", asking("/api/chat")) as call:
        half = call.read_some()
        while len(half) < len(line("half")):
            half += call.read_some()
        heard.set()
        assert half == line("half")
        assert broken_off(call) == b""
    (turn,) = plain.new_turns(before)
    assert turn["finish"] == "error"


def use_up_kept_connections(plain: Before, upstream: ScriptedUpstream) -> None:
    """Send requests until one is tried only once, which means that no kept connection is left.

    Each kept connection that breaks is one more try. How many are kept depends on the tests that
    ran before.
    """

    def tried_once() -> bool:
        upstream.asked.clear()
        plain.ask("POST", "/api/push", {"model": "any"})
        return upstream.count("/api/push") == 1

    eventually(tried_once)


@pytest.mark.parametrize("path", CHATS)
def test_an_upstream_that_dies_before_its_first_byte_is_a_503(
    plain: Before, upstream: ScriptedUpstream, path: str
) -> None:
    before = len(plain.turns())
    upstream.script = lambda asked: asked.drop()
    use_up_kept_connections(plain, upstream)
    reply = plain.ask("POST", path, asking(path))
    assert reply.status == 503
    assert "ollama serve" in error_words(path, reply.json)
    assert upstream.count(path) <= 2
    assert len(plain.turns()) == before


def test_what_broke_on_a_fresh_connection_is_not_asked_again(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    upstream.script = lambda asked: asked.drop()
    use_up_kept_connections(plain, upstream)
    upstream.asked.clear()
    assert plain.ask("POST", "/api/push", {"model": "any"}).status == 503
    assert upstream.count("/api/push") <= 2


def test_a_restarted_upstream_is_found_at_once(plain: Before, upstream: ScriptedUpstream) -> None:
    body = asking("/api/chat", stream=False)
    assert plain.ask("POST", "/api/chat", body).status == 200
    upstream.stop()
    try:
        reply = plain.ask("POST", "/api/chat", body)
        assert (reply.status, "ollama serve" in reply.json["error"]) == (503, True)
    finally:
        upstream.restart()
    assert plain.ask("POST", "/api/chat", body).status == 200


def test_an_upstream_that_closed_its_kept_connections_is_asked_again(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    """The upstream closes its connections, like a server that is restarted between two requests."""
    body = asking("/api/chat", stream=False)
    for _ in range(5):
        assert plain.ask("POST", "/api/chat", body).status == 200
        upstream.stop()
        upstream.restart()


def test_an_error_line_in_a_stream_is_passed_on_and_kept_as_an_error(
    plain: Before, upstream: ScriptedUpstream
) -> None:
    before = len(plain.turns())
    failed = line("half") + b'{"error":"the model runner stopped"}\n'

    def fail(asked: Asked) -> None:
        asked.begin()
        asked.say(failed)
        asked.end()

    upstream.script = fail
    assert plain.ask("POST", "/api/chat", asking("/api/chat")).body == failed
    (turn,) = plain.new_turns(before)
    assert (turn["finish"], turn["error"]) == ("error", "the model runner stopped")


def test_refusals_of_the_upstream_are_no_turns(plain: Before, upstream: ScriptedUpstream) -> None:
    before = len(plain.turns())
    upstream.script = lambda asked: asked.answer(500, {"error": "no"})
    assert plain.ask("POST", "/api/chat", asking("/api/chat")).status == 500
    upstream.script = reply_natively
    plain.ask("POST", "/api/chat", asking("/api/chat", stream=False))
    (turn,) = plain.new_turns(before)
    assert turn["finish"] == "stop"


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/api/chat", {"messages": []}),
        ("/api/chat", {"messages": [], "keep_alive": 0}),
        ("/api/generate", {"prompt": ""}),
        ("/api/generate", {"prompt": "", "keep_alive": 0}),
    ],
)
def test_loading_and_unloading_is_no_turn(
    plain: Before, upstream: ScriptedUpstream, path: str, more: dict[str, object]
) -> None:
    before = len(plain.turns())
    upstream.script = lambda asked: asked.answer(200, last_line())
    assert plain.ask("POST", path, asking(path, **more)).status == 200
    plain.ask("POST", "/api/chat", asking("/api/chat", stream=False))
    (turn,) = plain.new_turns(before)
    assert (turn["route"], turn["prompt_tokens"]) == ("/api/chat", 5)
    assert "hello" in str(plain.control("GET", f"/v1/conversations/{turn['trajectory']}"))
