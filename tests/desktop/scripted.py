"""A fake control API on a real Unix socket, with answers that a test writes down.

It gives answers that a service would take long to come to (a night's training), or that are never
twice the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from lull.contract import routes
from lull.contract.json_object import Json
from tests.eventually import PATIENCE_S

GATES = [
    ("learning", "open", "Learning is on."),
    ("pause", "open", "Not paused."),
    ("input", "closed", "You are here: last input less than 1 min ago."),
    ("chat", "open", "No chat is being answered."),
    ("wake", "open", "The screen is not locked."),
    ("call", "open", "No call or video is in progress."),
    ("app", "open", "None of the programs that Lull waits for is running."),
    ("calendar", "open", "No calendar event needs this computer now."),
    ("hours", "open", "No hours are blocked now."),
    ("power", "open", "Plugged in."),
    ("low power", "open", "Low-power mode is off."),
    (
        "heat",
        "unknown",
        "Can't tell the computer's temperature: no sensor here reports the temperature at which "
        "the machine slows down.",
    ),
    ("memory", "open", "57% of memory is free; 20% is needed."),
    ("load", "open", "Other programs use 4% of the processor; Lull starts below 30%."),
    ("wait", "closed", "Starts after 10 min without you."),
]


def learning(state: str = "closed", **more: Any) -> Json:
    return {
        "state": state,
        "because": "You are here: last input less than 1 min ago.",
        "until": None,
        "next": None,
        "gates": [{"name": n, "state": s, "text": t} for n, s, t in GATES],
        "work": [],
        **more,
    }


def status(**more: Any) -> Json:
    return {
        "running": True,
        "address": "http://127.0.0.1:11435",
        "pid": 1,
        "version": "0.1.0",
        "home": "/home/me/lull",
        "needs_token": False,
        "upstream": {
            "kind": "ollama",
            "address": "http://127.0.0.1:11434",
            "ok": True,
            "version": "0.24.0",
        },
        "policy": {
            "model": "qwen3:4b",
            "adapter": "a" * 64,
            "adapter_id": "adapter_4",
            "generation": 9,
        },
        "skills": {"active": 4, "proposals": 0},
        "conversations": 1,
        "turns": 3,
        "in_flight": 0,
        "learning": learning(),
        "question": None,
        "judge": {"trains": True, "why": ""},
        "sources": [],
        "problems": [],
        **more,
    }


@dataclass
class Scripted:
    """A fake control API: `answers` by path; `asked` is every request that came, with its body."""

    socket: Path
    answers: dict[str, Json | Callable[[Json], Json]] = field(default_factory=dict)
    """Answers by path: the same for every request, or made from its query and body."""
    held: dict[str, threading.Event] = field(default_factory=dict)
    """Events by path: an answer there waits for its event, while others are given."""
    asked: list[tuple[str, str, Json]] = field(default_factory=list)
    refusing: dict[str, Json] = field(default_factory=dict)
    """By path: the error with which a post is answered."""
    dropping: set[str] = field(default_factory=set)
    """Paths at which the connection breaks once the request was read."""
    seq: int = 0
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _watchers: list[asyncio.Queue[Json | None]] = field(default_factory=list)
    _runner: web.AppRunner | None = None

    def __post_init__(self) -> None:
        self.answers = {
            routes.STATUS: status(),
            routes.TOKEN: {"token": None},
            routes.PROPOSALS: {"proposals": [], "faults": [], "generation": 9, "pushed": False},
            routes.SKILLS: {"generation": 9, "skills": []},
            routes.SKILLS_HISTORY: {"history": []},
            routes.CONVERSATIONS: {"conversations": [], "next": None},
            routes.CONVERSATION_KINDS: {"clients": [], "models": []},
            routes.LEARNING: {"points": [], "days": [], "held_out": [], "baseline": {}},
            routes.TRAIN: {"runs": [], "text": "", "telling_groups": 2, "wanted_groups": 8},
            routes.ADAPTERS: {"model": "qwen3:4b", "active": None, "adapters": []},
            routes.WINDOWS: {"windows": [], "events": [], "hours": {}},
            routes.CALENDARS: {"calendars": []},
            routes.SETTINGS: {"file": "", "settings": []},
            routes.CLIENTS: {"address": "http://127.0.0.1:11435", "clients": []},
            routes.DOCTOR: {"checks": []},
            **self.answers,
        }

    def posts(self, path: str) -> list[Json]:
        return [body for method, asked, body in self.asked if (method, asked) == ("POST", path)]

    def tell(self, kind: str, **fields: object) -> None:
        """Send an event to all watchers."""

        async def now() -> None:
            self.seq += 1
            event = {"seq": self.seq, "at": "2026-11-21T12:00:00+00:00", "kind": kind}
            for queue in self._watchers:
                queue.put_nowait({**event, "fields": fields})

        self._do(now())

    def down(self) -> None:
        """Break every connection and stop listening, as a kill would."""
        self._do(self._close())

    def up(self) -> None:
        self._do(self._listen())

    @contextmanager
    def open(self) -> Iterator[Scripted]:
        thread = threading.Thread(target=self._loop.run_forever)
        thread.start()
        try:
            self.up()
            yield self
        finally:
            self.down()
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()
            self._loop.close()

    def _do(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    async def _listen(self) -> None:
        app = web.Application(client_max_size=1 << 24)
        app.router.add_get(routes.EVENTS, self._events)
        app.router.add_get(routes.SNAPSHOT, self._snapshot)
        app.router.add_route("*", "/{rest:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        self.socket.parent.mkdir(parents=True, exist_ok=True)
        await web.UnixSite(self._runner, str(self.socket)).start()

    async def _close(self) -> None:
        for queue in self._watchers:
            queue.put_nowait(None)
        self._watchers.clear()
        if self._runner is not None:
            # asyncio leaks a connection that it has accepted and not begun when its server closes.
            for site in self._runner.sites:
                for listening in site._server.sockets:  # type: ignore[union-attr]
                    self._loop.remove_reader(listening.fileno())
            for _ in range(5):
                await asyncio.sleep(0)
            await self._runner.cleanup()
            self._runner = None

    async def _snapshot(self, _: web.Request) -> web.Response:
        parts = (routes.PROPOSALS, routes.SKILLS, routes.CONVERSATIONS)
        stored: Json = {}
        for part in parts:
            answer = self.answers[part]
            stored |= answer({}) if callable(answer) else answer
        return web.json_response({"seq": self.seq, "status": self.answers[routes.STATUS], **stored})

    async def _events(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        queue: asyncio.Queue[Json | None] = asyncio.Queue()
        self._watchers.append(queue)
        with contextlib.suppress(ConnectionError):  # the window has closed
            while (event := await queue.get()) is not None:
                await response.write(json.dumps(event).encode() + b"\n")
        return response

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else {}
        self.asked.append((request.method, request.path, {**dict(request.query), **body}))
        if request.path in self.held:
            await asyncio.to_thread(self.held[request.path].wait, PATIENCE_S)
        if request.path in self.dropping:
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        if request.path in self.refusing:
            return web.json_response({"error": self.refusing[request.path]}, status=409)
        answer = self.answers.get(request.path)
        if callable(answer):
            answer = answer(self.asked[-1][2])
        if answer is None:
            error = {"title": "Not found", "detail": request.path, "hint": ""}
            return web.json_response({"error": error}, status=404)
        return web.json_response(answer)
