"""Sends requests to the control API of Lull's service on worker threads, so that the UI thread
never waits.

Two reads run at a time; actions run one after the other, in the order they were clicked. Each
request gets exactly one reply, with one of four outcomes.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import queue
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from PySide6.QtCore import QObject, Signal

from lull.contract.json_object import Json
from lull.contract.peer import connect_to_own
from lull.core.errors import LullError
from lull.desktop.language.words import tr, translated

READERS: Final = 2
READ_TIMEOUT_S: Final = 120.0
"""Timeout in seconds of a request that reads data.

It is longer than the service's self-check waits for an engine that must first load its model.
"""
ACT_TIMEOUT_S: Final = 600.0
CLOSE_TIMEOUT_S: Final = 0.5


class ReplyOutcome(StrEnum):
    """How a request to Lull's service ended, such as done, refused or unanswered."""

    DONE = "done"
    REFUSED = "refused"
    """The service answered with an error."""
    NOT_DONE = "not done"
    """The request was not sent, because no service listens."""
    UNSURE = "unsure"
    """The request was sent but no reply came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The outcome of a request to the service: its answer, or why there is none."""

    outcome: ReplyOutcome
    value: Json = field(default_factory=dict)
    error: Mapping[str, str] = field(default_factory=dict)
    """The error as `title`, `detail` and `hint`; empty if the outcome is DONE."""

    @property
    def ok(self) -> bool:
        """Whether the service did what was asked."""
        return self.outcome is ReplyOutcome.DONE


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlRequest:
    """One HTTP request to the control API of Lull's service."""

    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    body: Mapping[str, object] | None = None

    @property
    def target(self) -> str:
        """The path with its query; values of None or "" are left out."""
        told = {key: str(value) for key, value in self.query.items() if value not in (None, "")}
        return f"{self.path}?{urlencode(told)}" if told else self.path


class UnixConnection(http.client.HTTPConnection):
    """An HTTP connection over a Unix socket instead of TCP."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = str(path)

    def connect(self) -> None:
        """Connect to the service's Unix socket. Raises OSError if nobody listens."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        connect_to_own(self.sock, self._path)


def send_request(socket_path: Path, request: ControlRequest, *, timeout_s: float) -> Reply:
    """Send a request to Lull's service and wait for the answer.

    It never raises when the service fails or does not run; the reply says so.
    """
    connection = UnixConnection(socket_path, timeout_s)
    try:
        try:
            connection.connect()
        except OSError:
            return Reply(outcome=ReplyOutcome.NOT_DONE, error=_not_there())
        return _spoken(connection, request)
    finally:
        connection.close()


def _spoken(connection: UnixConnection, question: ControlRequest) -> Reply:
    body = None if question.body is None else json.dumps(question.body).encode()
    try:
        headers = {"Content-Type": "application/json"}
        connection.request(question.method, question.target, body, headers)
        response = connection.getresponse()
        value: Any = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return Reply(outcome=ReplyOutcome.UNSURE, error=_broke_off())
    if response.status >= 400:
        said = value.get("error") if isinstance(value, dict) else None
        return Reply(outcome=ReplyOutcome.REFUSED, error=_for_window(said))
    return Reply(outcome=ReplyOutcome.DONE, value=value if isinstance(value, dict) else {})


def _for_window(error: object) -> dict[str, str]:
    """Return an error in the user's language and without terminal commands.

    Its title stays as it is, because other code recognises errors by their titles.
    """
    if not isinstance(error, dict):
        return {}
    told = {str(name): str(text) for name, text in error.items() if isinstance(text, str)}
    parts = [part for part in ("detail", "hint") if part in told]
    return {**told, **{part: translated(error, part) for part in parts}}


def _not_there() -> dict[str, str]:
    detail = tr("The service is not running.")
    return {"title": "Not done", "detail": detail, "hint": tr("Try again when it is back.")}


def _broke_off() -> dict[str, str]:
    detail = tr("The service stopped before it answered.")
    hint = tr("Once the service is back, Lull checks whether this was done.")
    return {"title": "Not known yet", "detail": detail, "hint": hint}


Then = Callable[[Reply], None]
Alone = Callable[[Mapping[str, object] | None], Json]
"""Function that answers a request in this process when no service runs, given the request's body;
raises LullError.
"""


def _answered_alone(answer: Alone, body: Mapping[str, object] | None) -> Reply:
    try:
        return Reply(outcome=ReplyOutcome.DONE, value=answer(body))
    except LullError as error:
        return Reply(outcome=ReplyOutcome.REFUSED, error=_for_window(error.as_coded_dict()))


class ControlClient(QObject):
    """Sends requests to Lull's service in the background; all methods return at once.

    A method's callback `then` is called later on the UI thread.
    """

    _answered = Signal(int, object)

    def __init__(
        self,
        socket_path: Path,
        parent: QObject | None = None,
        *,
        alone: Mapping[str, Alone] | None = None,
    ) -> None:
        """Create a client of the service's control API at a Unix socket.

        `alone` maps request paths to functions that answer such a request in this process while no
        service runs.
        """
        super().__init__(parent)
        self._path = socket_path
        self._alone = dict(alone or {})
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Then] = {}
        self._reads: queue.SimpleQueue[tuple[int, ControlRequest] | None] = queue.SimpleQueue()
        self._acts: queue.SimpleQueue[tuple[int, ControlRequest] | None] = queue.SimpleQueue()
        self._closed = False
        self._threads: list[threading.Thread] = []
        self._answered.connect(self._hand_over)
        for number in range(READERS):
            self._begin(f"read-{number}", self._reads, READ_TIMEOUT_S)
        self._begin("act", self._acts, ACT_TIMEOUT_S)

    def get(self, path: str, then: Then, **query: object) -> None:
        """Fetch data from the service; `then` gets the reply on the UI thread."""
        self._ask(self._reads, ControlRequest(method="GET", path=path, query=query), then)

    def read(self, path: str, body: Mapping[str, object], then: Then) -> None:
        """Send the service a POST request that only reads data; `then` gets the reply later."""
        self._ask(self._reads, ControlRequest(method="POST", path=path, body=body), then)

    def act(self, path: str, body: Mapping[str, object], then: Then) -> None:
        """Send an action to the service; `then` gets the reply on the UI thread."""
        self._ask(self._acts, ControlRequest(method="POST", path=path, body=body), then)

    def close(self) -> None:
        """Close the client: drop all pending replies and wait briefly for the worker threads, which
        still send the actions that the user has begun.

        A thread that emits a Qt signal while Python exits would crash the process.
        """
        self._closed = True
        self._waiting.clear()
        for _ in range(READERS):
            self._reads.put(None)
        self._acts.put(None)
        until_s = time.monotonic() + CLOSE_TIMEOUT_S
        for thread in self._threads:
            thread.join(max(0.0, until_s - time.monotonic()))

    @property
    def busy(self) -> bool:
        """Whether a reply is still outstanding."""
        return bool(self._waiting)

    def works_without_service(self, path: str) -> bool:
        """Whether requests to this path can be answered in this process, without Lull's service."""
        return path in self._alone

    def _ask(
        self,
        line: queue.SimpleQueue[tuple[int, ControlRequest] | None],
        question: ControlRequest,
        then: Then,
    ) -> None:
        if self._closed:
            return
        number = next(self._numbers)
        self._waiting[number] = then
        line.put((number, question))

    def _begin(
        self,
        name: str,
        line: queue.SimpleQueue[tuple[int, ControlRequest] | None],
        within_s: float,
    ) -> None:
        # Daemon threads: a request that hangs must not keep the window from quitting.
        target = self._work
        thread = threading.Thread(target=target, args=(line, within_s), name=name, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _work(
        self, line: queue.SimpleQueue[tuple[int, ControlRequest] | None], within_s: float
    ) -> None:
        while (item := line.get()) is not None:
            number, question = item
            if self._closed and line is self._reads:
                return
            answer = send_request(self._path, question, timeout_s=within_s)
            if answer.outcome is ReplyOutcome.NOT_DONE and question.path in self._alone:
                answer = _answered_alone(self._alone[question.path], question.body)
            if not self._closed:
                with contextlib.suppress(RuntimeError):  # Qt has already deleted this object
                    self._answered.emit(number, answer)

    def _hand_over(self, number: int, answer: Reply) -> None:
        then = self._waiting.pop(number, None)
        if then is not None:
            then(answer)
