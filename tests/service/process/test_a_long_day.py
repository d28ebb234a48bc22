"""Tests that a day of use does not make a real service grow in memory, threads, files or children.

The bounds come from the day's first quarter. The day's clock is the one that `lull demo` sets,
moved on behind every batch of requests; waits on the monotonic clock stay as long as they are.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from lull.contract import routes
from lull.pocket import language as pocket
from tests.eventually import eventually
from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket
from tests.service.process.killed.street import COOK, SETTINGS, Cook

pytestmark = [pytest.mark.full, pytest.mark.timeout(7200)]

DAY_S = 86_400.0
PARTS = 16
WARM = 4
"""Parts of the day that warm the service up; after them nothing may grow any more."""
LEARNED_FROM = 60
"""Requests before the first part, so that everything for learning is loaded."""
OWN = {"name": "own-style", "client": "client-1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    memory: int
    threads: int
    descriptors: int
    files: int
    children: int


ROOM = Held(memory=48 << 20, threads=8, descriptors=32, files=32, children=3)
"""Growth that is allowed by chance: an allocator's pages, threads of a pool with what each holds
open, files that are being written, a reader of feedback that comes with its model. Something that
grew with each request would grow by hundreds."""


def bound(warm: list[Held]) -> Held:
    """Return the bounds: the warm-up's most, plus as much as it grew behind its first part."""

    def of(name: str) -> int:
        seen = [getattr(one, name) for one in warm]
        most: int = max(seen) + max(max(seen) - seen[0], getattr(ROOM, name))
        return most

    return Held(**{name: of(name) for name in Held.__slots__})


@dataclass
class Day:
    lull: Lull
    running: RunningLull
    clock: Path
    chance: random.Random
    begins_s: float
    asked: int = 0

    def moves_on(self, part: float) -> None:
        told = {"at": self.begins_s + part / PARTS * DAY_S, "since": time.time(), "speed": 1}
        new = self.clock.with_suffix(".new")
        new.write_text(json.dumps(told))
        new.replace(self.clock)

    def held(self) -> Held:
        process = psutil.Process(self.running.process.pid)
        return Held(
            memory=process.memory_info().rss,
            threads=process.num_threads(),
            descriptors=process.num_fds(),
            files=sum(1 for path in self.lull.home.rglob("*") if path.is_file()),
            children=len(process.children(recursive=True)),
        )

    def has_learned(self) -> bool:
        """Return whether all is loaded that is loaded once, when something is first learned.

        That is the reader of feedback, and the index of the requests that a skill helped with.
        """
        folder = self.lull.home / "vectors"
        return folder.exists() and any(one.is_dir() for one in folder.iterdir())

    def lives(self, requests: int, pool: ThreadPoolExecutor) -> None:
        """Send a batch of what clients, the window and the command line ask, some of it at once."""
        kinds = self.chance.choices(
            (
                self._chats,
                self._streams,
                self._hangs_up,
                self._is_long,
                self._looks,
                self._is_wrong,
            ),
            weights=(60, 15, 5, 2, 15, 3),
            k=requests,
        )
        seeds = [self.chance.random() for _ in kinds]
        for done in [pool.submit(kind, seed) for kind, seed in zip(kinds, seeds, strict=True)]:
            done.result()
        self._changes()
        self.asked += requests

    def _messages(self, seed: float) -> list[dict[str, str]]:
        words = " ".join(pocket.draw_words(random.Random(seed)))
        said = [{"role": "user", "content": f"write a menu for {words}"}]
        if seed < 0.3:
            said += [
                {"role": "assistant", "content": words},
                {"role": "user", "content": f"no, when you write a list, join with bars {seed}"},
            ]
        return said

    def _post(self, seed: float, **more: object) -> None:
        body = {"model": COOK, "messages": self._messages(seed), **more}
        client = f"/c/client-{int(seed * 5)}" if seed < 0.5 else ""
        assert self.running.post(f"{client}/api/chat", body).status == 200

    def _chats(self, seed: float) -> None:
        self._post(seed, stream=False)

    def _streams(self, seed: float) -> None:
        self._post(seed, stream=True)

    def _hangs_up(self, seed: float) -> None:
        body = json.dumps({"model": COOK, "messages": self._messages(seed)})
        connection = http.client.HTTPConnection(self.running.address.removeprefix("http://"))
        with contextlib.closing(connection):
            connection.request("POST", "/api/chat", body, {"Content-Type": "application/json"})

    def _is_long(self, seed: float) -> None:
        long = [{"role": "user", "content": f"{seed} " + "hi there " * 60_000}]
        body = {"model": COOK, "stream": False, "messages": long}
        assert self.running.post("/api/chat", body).status == 200

    def _looks(self, seed: float) -> None:
        socket = ControlSocket(self.lull.home)
        for path in (routes.STATUS, f"{routes.CONVERSATIONS}?limit=20", routes.PROPOSALS):
            socket.get(path)
        with socket.events():
            pass  # a window that is closed again

    def _is_wrong(self, seed: float) -> None:
        assert self.running.get("/no/such/path").status == 404
        assert self.running.get("/api/tags", {"Host": f"page-{seed}.example"}).status == 403

    def _changes(self) -> None:
        socket = ControlSocket(self.lull.home)
        for does in ("disable", "enable"):
            assert socket.change(do=does, **OWN).status == 200
        found: list[dict[str, Any]] = socket.get(f"{routes.CONVERSATIONS}?limit=1")["conversations"]
        turn = socket.get(routes.CONVERSATION.format(id=found[0]["id"]))["turns"][-1]
        assert (
            socket.ask("POST", routes.RATE.format(id=turn["id"]), {"label": "good"}).status == 200
        )


@pytest.fixture
def day(tmp_path: Path) -> Iterator[Day]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "settings.toml").write_text(SETTINGS)
    with Cook() as cook, RunningLull.cleaned_up(home, upstream=cook.address) as lull:
        clock = tmp_path / "clock.json"
        begins_s = time.time() - 2 * DAY_S
        clock.write_text(json.dumps({"at": begins_s, "since": time.time(), "speed": 1}))
        running = lull.serve("--played-clock", str(clock))
        eventually(lambda: lull.ask("status")["upstream"]["ok"])
        added = ControlSocket(home).change(do="add", **OWN, description="A menu.", body="Sign.")
        assert added.status == 200
        yield Day(lull, running, clock, random.Random(11), begins_s)


@pytest.mark.parametrize("requests", [800, pytest.param(12_000, marks=pytest.mark.soak)])
def test_nothing_grows_with_a_day_of_use(day: Day, requests: int) -> None:
    seen: list[Held] = []
    with ThreadPoolExecutor(4) as pool:
        day.lives(LEARNED_FROM, pool)
        eventually(day.has_learned)
        for part in range(PARTS):
            day.lives(requests // PARTS, pool)
            day.moves_on(part + 1)
            seen.append(day.held())
    assert day.asked >= requests // PARTS * PARTS
    most = bound(seen[:WARM])
    # What is let go of in its own time (kept connections, a child at rest) is waited for.
    eventually(
        lambda: [n for n in Held.__slots__ if getattr(day.held(), n) > getattr(most, n)],
        lambda over: not over,
    )
    assert day.lull.ask("status")["problems"] == []
    assert day.running.stop() == 0
