"""Asks the running service over its control socket, never on the thread that draws.

Reads go two at a time, actions one after the other in the order they were clicked. Each question
gets exactly one answer, in one of four outcomes; what a question that broke off half-way means is
`state.py`'s to find out.
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

Json = dict[str, Any]
READERS: Final = 2
READ_WITHIN_S: Final = 120.0
"""Past the doctor's own patience with a cold engine."""
ACT_WITHIN_S: Final = 600.0
LEAVES_S: Final = 0.5


class Outcome(StrEnum):
    DONE = "done"
    REFUSED = "refused"
    """The service said no, in words."""
    NOT_DONE = "not done"
    """It was never sent: nobody listens."""
    UNSURE = "unsure"
    """It was sent, and the answer never came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    outcome: Outcome
    value: Json = field(default_factory=dict)
    error: Mapping[str, str] = field(default_factory=dict)
    """`title`, `detail`, `hint`, unless it was done."""

    @property
    def ok(self) -> bool:
        return self.outcome is Outcome.DONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    body: Mapping[str, object] | None = None

    @property
    def target(self) -> str:
        told = {key: str(value) for key, value in self.query.items() if value not in (None, "")}
        return f"{self.path}?{urlencode(told)}" if told else self.path


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = str(path)

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def ask(socket_path: Path, question: Question, *, within_s: float) -> Answer:
    """Blocks. Never raises for what a service or its absence can do."""
    connection = UnixConnection(socket_path, within_s)
    try:
        try:
            connection.connect()
        except OSError:
            return Answer(outcome=Outcome.NOT_DONE, error=_not_there())
        return _spoken(connection, question)
    finally:
        connection.close()


def _spoken(connection: UnixConnection, question: Question) -> Answer:
    body = None if question.body is None else json.dumps(question.body).encode()
    try:
        headers = {"Content-Type": "application/json"}
        connection.request(question.method, question.target, body, headers)
        response = connection.getresponse()
        value: Any = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return Answer(outcome=Outcome.UNSURE, error=_broke_off())
    if response.status >= 400:
        said = value.get("error") if isinstance(value, dict) else None
        return Answer(outcome=Outcome.REFUSED, error=said if isinstance(said, dict) else {})
    return Answer(outcome=Outcome.DONE, value=value if isinstance(value, dict) else {})


def _not_there() -> dict[str, str]:
    detail = "The service is not running."
    return {"title": "Not done", "detail": detail, "hint": "Try again when it is back."}


def _broke_off() -> dict[str, str]:
    detail = "The service stopped before it answered."
    return {"title": "Not known yet", "detail": detail, "hint": "It is looked up when it is back."}


Then = Callable[[Answer], None]


class Client(QObject):
    """`get` and `act` return at once; `then` is called later, on the thread of the window."""

    _answered = Signal(int, object)

    def __init__(self, socket_path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = socket_path
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Then] = {}
        self._reads: queue.SimpleQueue[tuple[int, Question] | None] = queue.SimpleQueue()
        self._acts: queue.SimpleQueue[tuple[int, Question] | None] = queue.SimpleQueue()
        self._closed = False
        self._threads: list[threading.Thread] = []
        self._answered.connect(self._hand_over)
        for number in range(READERS):
            self._begin(f"read-{number}", self._reads, READ_WITHIN_S)
        self._begin("act", self._acts, ACT_WITHIN_S)

    def get(self, path: str, then: Then, **query: object) -> None:
        self._ask(self._reads, Question(method="GET", path=path, query=query), then)

    def read(self, path: str, body: Mapping[str, object], then: Then) -> None:
        """A question that needs a body and changes nothing."""
        self._ask(self._reads, Question(method="POST", path=path, body=body), then)

    def act(self, path: str, body: Mapping[str, object], then: Then) -> None:
        self._ask(self._acts, Question(method="POST", path=path, body=body), then)

    def close(self) -> None:
        """Nothing is handed over any more. Hardly waits for what is under way: a thread that is in
        the middle of a signal when Python ends takes the process with it."""
        self._closed = True
        self._waiting.clear()
        for _ in range(READERS):
            self._reads.put(None)
        self._acts.put(None)
        until_s = time.monotonic() + LEAVES_S
        for thread in self._threads:
            thread.join(max(0.0, until_s - time.monotonic()))

    @property
    def busy(self) -> bool:
        return bool(self._waiting)

    def _ask(
        self, line: queue.SimpleQueue[tuple[int, Question] | None], question: Question, then: Then
    ) -> None:
        if self._closed:
            return
        number = next(self._numbers)
        self._waiting[number] = then
        line.put((number, question))

    def _begin(
        self,
        name: str,
        line: queue.SimpleQueue[tuple[int, Question] | None],
        within_s: float,
    ) -> None:
        # Daemons: a question that hangs must not keep the window from quitting.
        target = self._work
        thread = threading.Thread(target=target, args=(line, within_s), name=name, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _work(self, line: queue.SimpleQueue[tuple[int, Question] | None], within_s: float) -> None:
        while (item := line.get()) is not None and not self._closed:
            number, question = item
            answer = ask(self._path, question, within_s=within_s)
            with contextlib.suppress(RuntimeError):  # the window is gone, and its half of us
                self._answered.emit(number, answer)

    def _hand_over(self, number: int, answer: Answer) -> None:
        then = self._waiting.pop(number, None)
        if then is not None:
            then(answer)
