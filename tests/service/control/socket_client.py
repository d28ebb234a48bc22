"""A client for tests that asks the control API over its real Unix socket."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lull.contract.json_object import Json
from tests.eventually import PATIENCE_S


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=PATIENCE_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass(frozen=True, slots=True)
class Said:
    status: int
    headers: dict[str, str]
    json: Json


@dataclass(frozen=True, slots=True)
class ControlSocket:
    home: Path

    @property
    def path(self) -> str:
        control: str = json.loads((self.home / "service.json").read_text())["control"]
        return control

    def ask(self, method: str, path: str, body: object = None) -> Said:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        with closing(_Connection(self.path)) as connection:
            connection.request(method, path, data)
            answer = connection.getresponse()
            return Said(answer.status, dict(answer.headers), json.loads(answer.read()))

    def get(self, path: str) -> Json:
        said = self.ask("GET", path)
        assert said.status == 200, said
        return said.json

    def change(self, **wanted: object) -> Said:
        return self.ask("POST", "/v1/skills/change", wanted)

    @contextmanager
    def events(self, *, after: int | None = None) -> Iterator[Iterator[Json]]:
        with closing(_Connection(self.path)) as connection:
            query = "" if after is None else f"?after={after}"
            connection.request("GET", f"/v1/events{query}")
            answer = connection.getresponse()
            assert answer.status == 200

            def lines() -> Iterator[Json]:
                while line := answer.readline():
                    if line.strip():
                        yield json.loads(line)

            yield lines()
