"""Runs a data plane in the test's process: real but for the parts that a test hands it."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import aiohttp
from aiohttp import web

from lull.backends.system.clock import SystemClock
from lull.core.chat.messages import Completion
from lull.core.models.engine import Engine
from lull.core.skills.prompt_block import Injection
from lull.loops.chat.open_turn import TurnOpener
from lull.loops.chat.record_turn import TurnRecorder
from lull.service.builtin.model import EngineModels
from lull.service.builtin.routes import ServedModel
from lull.service.idle.quiet import Activity
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.service.proxy.answer_sources import AnswerSources, FindSource
from lull.service.proxy.auth import AccessRules
from lull.service.proxy.chats import AnswerChats
from lull.service.proxy.data_plane import DataPlane, ProxyRules
from lull.service.proxy.forward import Forward, reuse_trace_config
from lull.service.proxy.opened_chats import OpenChats
from lull.service.proxy.own_errors import OwnFaults
from lull.service.proxy.parsed_chats import ParseChats
from lull.service.proxy.recorded import RecordedRelay
from lull.service.proxy.upstream import Upstream
from tests.service.builtin.scripted import ScriptedEngine, pocket
from tests.service.wire import Reply, ask

T = TypeVar("T")


class Parts:
    """Fakes of the serving loop, the upstream's facts and the watchers; each can be made faulty."""

    def __init__(self) -> None:
        self.injection = Injection(system="")
        self.opened = 0
        self.recorded: list[Completion] = []
        self.engine: Engine = ScriptedEngine()
        self.raises: dict[str, Exception] = {}

    def fail(self, part: str) -> None:
        if part in self.raises:
            raise self.raises[part]

    # The serving loop

    async def open(self, request: Any, **_: Any) -> Any:
        self.fail("open")
        self.opened += 1
        policy = SimpleNamespace(adapter=None)
        stamp = SimpleNamespace(turn="turn_1", trajectory="conv_1", policy=policy, skills=())
        serving = SimpleNamespace(stamp=stamp, injection=self.injection)
        serving.without_skills = lambda _: serving
        return serving

    def record(self, _: Any, completion: Completion, kept: object) -> None:
        self.fail("record")
        self.recorded.append(completion)

    # The upstream's facts

    never_reached = False
    has_no_models = False
    how_to_start = "Start it."

    def remote(self, _: str) -> bool:
        self.fail("remote")
        return False

    def facts(self, _: str) -> Any:
        raise AssertionError("the fake loop asks for none")

    def probe_soon(self) -> None: ...

    # Who is told

    def tell(self, *_: object, **__: object) -> None:
        self.fail("tell")

    def report(self, *_: object) -> None: ...

    def clear(self, *_: object) -> None: ...


class FaultyModels(EngineModels):
    def __init__(self, parts: Parts) -> None:
        super().__init__(clock=SystemClock())
        self._parts = parts

    def serves(self, name: str) -> bool:
        # A test chooses the engine after the data plane was made.
        self.publish(ServedModel(model=pocket(), engine=self._parts.engine))
        return super().serves(name)

    def names_own_model(self, path: str, body: bytes) -> bool:
        self._parts.fail("names")
        return super().names_own_model(path, body)


@asynccontextmanager
async def data_plane(parts: Parts, upstream: str) -> AsyncIterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    async with aiohttp.ClientSession(
        auto_decompress=False, trace_configs=[reuse_trace_config()]
    ) as session:
        faults, limit = OwnFaults(cast(Problems, parts)), 1_000_000
        sources = AnswerSources(
            forward=Forward(session, upstream, idle_s=300),
            upstream=cast(Upstream, parts),
            local=FaultyModels(parts),
        )
        plane = DataPlane(
            door=AccessRules(port=port),
            chats=AnswerChats(
                parsing=ParseChats(sources.local, faults, body_limit=limit),
                sources=FindSource(sources, faults, touch_remote=False),
                opening=OpenChats(cast(TurnOpener, parts), faults, record=True),
                forward=sources.forward,
                recording=RecordedRelay(cast(TurnRecorder, parts), cast(EventBus, parts), faults),
                body_limit=limit,
            ),
            sources=sources,
            rules=ProxyRules(body_limit=limit, list_built_in=False),
            faults=faults,
            activity=Activity(SystemClock()),
            monotonic_s=time.monotonic,
        )
        runner = plane.runner(shutdown_timeout_s=1.0)
        await runner.setup()
        await web.SockSite(runner, listener).start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            await runner.cleanup()


async def ask_aside(address: str, method: str, path: str, body: object = None) -> Reply:
    """Send a request from a thread, since the test's own event loop has to serve it."""
    return await aside(lambda: ask(address, method, path, body))


async def aside(work: Callable[[], T]) -> T:
    return await asyncio.to_thread(work)
