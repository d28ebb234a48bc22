"""Client of the running service's control API (HTTP over a Unix socket) for the command line, using
only the standard library.
"""

from __future__ import annotations

import http.client
import json
import os
import select
import shlex
import socket
from collections.abc import Callable, Mapping
from typing import ClassVar
from urllib.parse import urlencode

from lull.cli.shared.own_command import home_words
from lull.config.paths import Paths
from lull.contract.json_object import Json
from lull.contract.peer import connect_to_own
from lull.core.errors import LullError, NotRunning, UsageError
from lull.service.process.lock import Discovery, alive, is_running, read_discovery

TIMEOUT_S = 120.0
"""Timeout in seconds of a request to the service.

Longer than `lull doctor` waits for an engine that must first load its model.
"""
CALL_MEANWHILE_EVERY_S = 1.0
"""Seconds between calls of the callback `meanwhile` while a request waits."""


class ServiceError(LullError):
    """Raised by the command line for an error with which Lull's service answered."""

    title: ClassVar[str] = "The service refused"

    def __init__(self, said: Mapping[str, str]) -> None:
        super().__init__(said.get("detail", ""), hint=said.get("hint", ""))
        self.said_title = said.get("title", self.title)

    def __str__(self) -> str:
        tail = f" ({self.hint})" if self.hint else ""
        return f"{self.said_title}: {self.detail}{tail}"

    def as_dict(self) -> dict[str, str]:
        """Return the error's title, detail and hint for `--json`, as the service sent them."""
        return {"title": self.said_title, "detail": self.detail, "hint": self.hint}


class WrongUsage(ServiceError):
    """Raised by the command line when Lull's service rejected a request as wrong usage."""

    title: ClassVar[str] = UsageError.title
    exit_code: ClassVar[int] = UsageError.exit_code


def find_service(paths: Paths) -> Discovery | None:
    """Return the running service's addresses and process id; None if no service runs.

    A held lock and a file with the addresses do not prove that a service runs: a command may hold
    the lock while the file of a killed service is still there. So the process id is checked too.
    """
    there = read_discovery(paths.discovery) if is_running(paths.lock) else None
    return there if there is not None and alive(there.pid) else None


class Control:
    """Sends requests to the running Lull service. Raises NotRunning when no service answers."""

    def __init__(self, paths: Paths) -> None:
        there = find_service(paths)
        if there is None:
            command = shlex.join(["lull", *home_words(paths, os.environ), "serve"])
            raise NotRunning(
                f"No service runs for {paths.home}.", hint=f"Start it with `{command}`."
            )
        self.discovery = there
        self.home = paths.home

    def get(self, path: str, **query: object) -> Json:
        """Send a GET request and return the answer; query values of None or "" are left out."""
        told = {key: str(value) for key, value in query.items() if value not in (None, "")}
        return self._ask("GET", f"{path}?{urlencode(told)}" if told else path, None)

    def post(
        self,
        path: str,
        body: Mapping[str, object],
        *,
        patience_s: float | None = TIMEOUT_S,
        meanwhile: Callable[[], None] | None = None,
    ) -> Json:
        """Send a POST request to the service and return the answer.

        `meanwhile` is called every CALL_MEANWHILE_EVERY_S seconds until the answer comes. A
        `patience_s` of None waits as long as the service runs.
        """
        return self._ask("POST", path, json.dumps(body).encode(), patience_s, meanwhile)

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | None,
        patience_s: float | None = TIMEOUT_S,
        meanwhile: Callable[[], None] | None = None,
    ) -> Json:
        connection = _Connection(self.discovery.control, patience_s)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            while meanwhile is not None and not connection.answers_within(CALL_MEANWHILE_EVERY_S):
                meanwhile()
            answer = connection.getresponse()
            value: Json = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise NotRunning(
                f"The service does not answer at {self.discovery.control}.",
                hint="It may be starting or stopping; try again.",
            ) from error
        finally:
            connection.close()
        if answer.status >= 400:
            usage = value["error"].get("title") == UsageError.title
            raise (WrongUsage if usage else ServiceError)(value["error"])
        return value


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout_s: float | None) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        connect_to_own(self.sock, self._path)

    def answers_within(self, seconds: float) -> bool:
        return bool(select.select([self.sock], [], [], seconds)[0])
