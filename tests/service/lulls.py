"""Runs Lull as a process of its own in front of an upstream, and reads what a test asks of it."""

from __future__ import annotations

import http.client
import json
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.eventually import eventually
from tests.running import Lull, RunningLull
from tests.service.wire import Headers, Reply, ask, calling

SETTINGS = """\
[upstream]
probe_every_s = 0.2
[skills]
facts_within_ms = 5000.0
"""
"""Settings under which skills go into a prompt however busy this machine is."""


@dataclass(slots=True)
class Before:
    """A running Lull in front of some upstream."""

    lull: Lull
    running: RunningLull

    @property
    def address(self) -> str:
        return self.running.address

    @property
    def home(self) -> Path:
        return self.lull.home

    def ask(
        self, method: str, path: str, body: bytes | object | None = None, headers: Headers = ()
    ) -> Reply:
        return ask(self.address, method, path, body, headers)

    def calling(
        self, method: str, path: str, body: bytes | object | None = None, headers: Headers = ()
    ) -> Any:
        return calling(self.address, method, path, body, headers)

    def control(self, method: str, path: str, body: object = None) -> Any:
        """Send a request to the control API over its socket, and return the answer."""
        found = json.loads((self.home / "service.json").read_text())
        connection = _UnixConnection(found["control"])
        with closing(connection):
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            said = json.loads(answer.read())
            assert answer.status in (200, 404), said
            return said

    def add_skill(self, name: str, body: str, *, client: str = "", pin: bool = True) -> None:
        wanted = {"do": "add", "client": client, "name": name, "description": name, "body": body}
        self.control("POST", "/v1/skills/change", {**wanted, "pin": pin})

    def drop_skill(self, name: str) -> None:
        self.control("POST", "/v1/skills/change", {"do": "delete", "client": "", "name": name})

    def in_flight(self) -> int:
        flying: int = self.control("GET", "/v1/status")["in_flight"]
        return flying

    def turns(self) -> list[dict[str, Any]]:
        """Return the recorded turns once all that are under way have ended, oldest first."""
        eventually(lambda: self.in_flight() == 0)
        # The store has one writer: once it has answered this, all turns before are on disk.
        self.control("POST", "/v1/turns/none/rate", {"label": "good"})
        with closing(sqlite3.connect(self.home / "lull.db", timeout=60)) as connection:
            connection.row_factory = sqlite3.Row
            rows = connection.execute("SELECT * FROM turns ORDER BY id").fetchall()
            return [dict(row) for row in rows]

    def new_turns(self, before: int, count: int = 1) -> list[dict[str, Any]]:
        """Wait until `count` turns more than `before` are recorded, and return the new ones."""
        found: list[dict[str, Any]] = eventually(
            lambda: turns if len(turns := self.turns()) >= before + count else None
        )
        return found[before:]

    def log(self) -> str:
        return "".join(path.read_text() for path in (self.home / "logs").glob("service.log*"))


@contextmanager
def lull_before(upstream: str, home: Path, settings: str = SETTINGS) -> Iterator[Before]:
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.toml").write_text(settings)
    with RunningLull.cleaned_up(home, upstream=upstream) as lull:
        yield Before(lull, lull.serve())


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self._path)
