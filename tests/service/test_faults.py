"""Whatever of Lull's own fails, the original request goes through and its answer comes back."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web

from lull.backends.clock import SystemClock
from lull.core.errors import StoreError
from lull.core.injection import Injection
from lull.core.messages import Completion
from lull.loops.serve import Serve
from lull.service.auth import Door
from lull.service.bus import Bus
from lull.service.data_plane import DataPlane
from lull.service.forward import Forward, notes_kept_connections
from lull.service.local_model import LocalModels
from lull.service.local_routes import Served
from lull.service.problems import Problems
from lull.service.upstream import Upstream
from tests.dialects.scripted import ScriptedEngine, pocket
from tests.running import eventually
from tests.service.lulls import Before, lull_before
from tests.service.routes import asking
from tests.service.scripted_upstream import ScriptedUpstream, last_line, line
from tests.service.wire import ask, calling

WHOLE = last_line("well said")[:-1]
ODD = b' {"model" :"any","stream":false,"messages":[ {"role":"user","content":"h\\u00e9"}]}\n'
SOON_S = 5.0

# Real faults, in a service of its own


@pytest.fixture
def own(upstream: ScriptedUpstream, tmp_path: Path) -> Iterator[Before]:
    with lull_before(upstream.address, tmp_path / "home") as made:
        yield made


def _answers_as_ever(lull: Before, upstream: ScriptedUpstream) -> None:
    """A first turn, and one whose history nobody has seen: that asks the store."""
    history = [
        {"role": "user", "content": "long ago"},
        {"role": "assistant", "content": "indeed"},
        {"role": "user", "content": "and now"},
    ]
    for body in (ODD, json.dumps(asking("/api/chat", stream=False, messages=history)).encode()):
        began = time.monotonic()
        reply = lull.ask("POST", "/api/chat", body)
        assert (reply.status, reply.body) == (200, WHOLE)
        assert upstream.last("/api/chat").body == body
        assert time.monotonic() - began < SOON_S


@pytest.mark.slow
def test_a_database_that_was_removed_costs_no_answer(
    own: Before, upstream: ScriptedUpstream
) -> None:
    for file in own.home.glob("lull.db*"):
        file.unlink()
    _answers_as_ever(own, upstream)


@pytest.mark.slow
def test_a_database_that_became_rubbish_costs_no_answer(
    own: Before, upstream: ScriptedUpstream
) -> None:
    for name in ("lull.db", "lull.db-wal"):
        with (own.home / name).open("r+b") as file:
            file.write(b"rubbish" * 1000)
    _answers_as_ever(own, upstream)


@pytest.mark.slow
def test_a_database_that_another_holds_costs_no_answer(
    own: Before, upstream: ScriptedUpstream
) -> None:
    with closing(sqlite3.connect(own.home / "lull.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        _answers_as_ever(own, upstream)
        other.execute("ROLLBACK")
    assert len(own.new_turns(0, 2)) == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")
def test_a_full_disk_costs_no_answer(own: Before, upstream: ScriptedUpstream) -> None:
    pid = own.running.process.pid
    free = resource.prlimit(pid, resource.RLIMIT_FSIZE)  # type: ignore[attr-defined, unused-ignore]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, free[1]))  # type: ignore[attr-defined, unused-ignore]
    try:
        _answers_as_ever(own, upstream)
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, free)  # type: ignore[attr-defined, unused-ignore]
    before = len(own.turns())
    _answers_as_ever(own, upstream)
    own.new_turns(before)


# Faulty parts, handed to the data plane


class Parts:
    """Of a data plane in this process; each may be made faulty."""

    def __init__(self) -> None:
        self.injection = Injection(system="")
        self.closed: list[Completion] = []
        self.engine = ScriptedEngine()
        self.raises: dict[str, Exception] = {}

    def fail(self, part: str) -> None:
        if part in self.raises:
            raise self.raises[part]

    # The serving loop

    async def open(self, request: Any, **_: Any) -> Any:
        self.fail("open")
        policy = SimpleNamespace(adapter=None)
        stamp = SimpleNamespace(turn="turn_1", trajectory="conv_1", policy=policy, skills=())
        return SimpleNamespace(stamp=stamp, injection=self.injection)

    def close(self, _: Any, completion: Completion) -> None:
        self.fail("close")
        self.closed.append(completion)

    # The upstream's facts

    alone = False
    empty = False
    how_to_start = "Start it."

    def remote(self, _: str) -> bool:
        self.fail("remote")
        return False

    def facts(self, _: str) -> Any:
        raise AssertionError("the fake loop asks for none")

    def failed(self) -> None: ...

    # Who is told

    def tell(self, *_: object, **__: object) -> None:
        self.fail("tell")

    def came(self, *_: object) -> None: ...

    def went(self, *_: object) -> None: ...


class FaultyModels(LocalModels):
    def __init__(self, parts: Parts) -> None:
        super().__init__(clock=SystemClock())
        self._parts = parts
        self.publish(Served(model=pocket(), engine=parts.engine))

    def names_ours(self, path: str, body: bytes) -> bool:
        self._parts.fail("names")
        return super().names_ours(path, body)


@asynccontextmanager
async def data_plane(parts: Parts, upstream: str) -> AsyncIterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    async with aiohttp.ClientSession(
        auto_decompress=False, trace_configs=[notes_kept_connections()]
    ) as session:
        plane = DataPlane(
            door=Door(port=port),
            serve=cast(Serve, parts),
            forward=Forward(session, upstream, idle_s=300),
            upstream=cast(Upstream, parts),
            local=FaultyModels(parts),
            problems=cast(Problems, parts),
            bus=cast(Bus, parts),
            body_limit=1_000_000,
            record=True,
            touch_remote=False,
            list_built_in=False,
            monotonic_s=time.monotonic,
        )
        runner = plane.runner(shutdown_timeout_s=1.0)
        await runner.setup()
        await web.SockSite(runner, listener).start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            await runner.cleanup()


@pytest.fixture
def parts() -> Parts:
    return Parts()


@pytest.fixture
async def here(parts: Parts, upstream: ScriptedUpstream) -> AsyncIterator[str]:
    async with data_plane(parts, upstream.address) as address:
        yield address


async def _ask(address: str, method: str, path: str, body: object = None) -> Any:
    return await _aside(lambda: ask(address, method, path, body))


async def _aside(work: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(work)


FAULTS = [
    RuntimeError("bug"),
    StoreError("gone"),
    KeyError("x"),
    sqlite3.OperationalError("locked"),
]


@pytest.mark.logs("a fault of Lull's own")
@pytest.mark.parametrize("part", ["open", "close", "remote", "tell"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
async def test_a_part_that_fails_costs_no_answer(
    here: str, parts: Parts, upstream: ScriptedUpstream, part: str, fault: Exception
) -> None:
    parts.raises[part] = fault
    parts.injection = Injection(system="" if part == "tell" else "S")
    reply = await _ask(here, "POST", "/api/chat", ODD)
    assert (reply.status, reply.body) == (200, WHOLE)
    sent = upstream.last("/api/chat").body
    assert sent == ODD or part == "close"


@pytest.mark.logs("a fault of Lull's own")
@pytest.mark.parametrize("path", ["/api/show", "/api/tags", "/v1/models/any"])
async def test_listings_that_fail_are_the_upstreams(
    here: str, parts: Parts, upstream: ScriptedUpstream, path: str
) -> None:
    parts.raises["names"] = RuntimeError("bug")
    upstream.script = lambda asked: asked.answer(200, b"theirs")
    method = "POST" if path == "/api/show" else "GET"
    assert (await _ask(here, method, path, ODD)).status == 200
    assert upstream.last(path).body == ODD


@pytest.mark.parametrize("stream", [True, False])
async def test_a_hang_up_closes_the_built_in_engines_answer(
    here: str, parts: Parts, stream: bool
) -> None:
    parts.engine.endless = True
    body = asking("/api/chat", model="pocket", stream=stream)

    def hang_up() -> None:
        with calling(here, "POST", "/api/chat", body) as call:
            if stream:
                assert call.read_some()
            eventually(lambda: parts.engine.asked)

    await _aside(hang_up)
    await _aside(lambda: eventually(lambda: parts.engine.closed))
    await _aside(lambda: eventually(lambda: parts.closed))
    assert parts.closed[0].finish == "hangup"


async def test_a_torn_last_line_is_recorded_as_broken(
    here: str, parts: Parts, upstream: ScriptedUpstream
) -> None:
    def torn(asked: Any) -> None:
        asked.begin()
        asked.say(line("one") + b'{"model":"any","mess')
        asked.end()

    upstream.script = torn
    assert (await _ask(here, "POST", "/api/chat", asking("/api/chat"))).status == 200
    await _aside(lambda: eventually(lambda: parts.closed))
    assert (parts.closed[0].finish, parts.closed[0].message.text) == ("error", "one")
