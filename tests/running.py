"""Runs the real `lull` command in processes of its own, as a user does in a terminal."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from lull.contract.json_object import Json
from tests.eventually import PATIENCE_S
from tests.zygote import started


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Json:
        document: Json = json.loads(self.out)
        return document


@dataclass(slots=True)
class Lull:
    """A home and its command line: `serve` starts its service, `run` runs any command."""

    home: Path
    upstream: str
    services: list[RunningLull] = field(default_factory=list)

    def run(
        self,
        *words: str,
        stdin: str | None = None,
        env: Mapping[str, str] | None = None,
        anew: bool = False,
    ) -> Ran:
        """Run a command to its end. `anew` starts a new interpreter instead of a forked process, so
        that others can read its command line.
        """
        given = None if stdin is None else subprocess.PIPE
        with started(
            words,
            anew=anew,
            env=self.environment(env),
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                out, err = process.communicate(stdin, timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Ran(process.returncode, out, err)

    def ask(self, *words: str) -> Json:
        """Run a command that must succeed and return its JSON output."""
        ran = self.run(*words, "--json")
        assert ran.code == 0, ran
        return ran.json

    def serve(
        self, *words: str, env: Mapping[str, str] | None = None, anew: bool = False
    ) -> RunningLull:
        """Start the service. `anew` starts a new interpreter instead of a forked process, so that
        its memory is its own.
        """
        process = started(
            ["serve", "--port", "0", "--json", *words],
            anew=anew,
            env=self.environment(env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            _, err = process.communicate(timeout=PATIENCE_S)
            raise AssertionError(f"the service did not start: {err}")
        told = json.loads(line)
        assert "address" in told, f"the service did not start: {line}"
        running = RunningLull(self, process, told["address"])
        self.services.append(running)
        return running

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        base = {k: v for k, v in os.environ.items() if not k.startswith(("LULL_", "OLLAMA_"))}
        return {**base, "LULL_HOME": str(self.home), "OLLAMA_HOST": self.upstream, **(more or {})}


def kill_with_children(pid: int) -> None:
    """Kill a service and the processes it started, so that none of them goes on and writes into a
    folder that a test removes.
    """
    with suppress(psutil.NoSuchProcess):
        service = psutil.Process(pid)
        everyone = [service, *service.children(recursive=True)]
        for one in everyone:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(everyone, timeout=PATIENCE_S)


@dataclass(slots=True)
class RunningLull:
    lull: Lull
    process: subprocess.Popen[str]
    address: str

    @staticmethod
    @contextmanager
    def cleaned_up(home: Path, *, upstream: str | None = None) -> Iterator[Lull]:
        made = Lull(home, upstream or f"http://127.0.0.1:{nobodys_port()}")
        try:
            yield made
        finally:
            for service in made.services:
                service.end()

    def stop(self) -> int:
        """Interrupt the service as Ctrl-C does, and return its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE_S)

    def kill(self) -> None:
        """Kill the service with SIGKILL (kill -9)."""
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE_S)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def post(self, path: str, body: object, headers: Mapping[str, str] | None = None) -> Answer:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(
            self.address + path,
            data=data,
            headers={"Content-Type": "application/json", "User-Agent": "test/1", **(headers or {})},
        )
        return _fetch(request)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        return _fetch(urllib.request.Request(self.address + path, headers=dict(headers or {})))

    def chat(self, text: str, *, client: str = "", model: str = "pocket", most: int = 256) -> str:
        """Send one native chat request, greedy, and return the answer of at most `most` tokens."""
        prefix = f"/c/{client}" if client else ""
        body = {
            "model": model,
            "stream": False,
            "options": {"temperature": 0, "num_predict": most},
            "messages": [{"role": "user", "content": text}],
        }
        answer = self.post(f"{prefix}/api/chat", body)
        assert answer.status == 200, answer
        content: str = answer.json["message"]["content"]
        return content


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        document: Json = json.loads(self.body)
        return document


def _fetch(request: urllib.request.Request) -> Answer:
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return Answer(answer.status, dict(answer.headers), answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, dict(error.headers), error.read())


# Both ranges lie below the ephemeral ports: the system soon gives one of those to another test, to
# a connection, or even to the Lull that was told that nobody listens there.


def nobodys_port() -> int:
    """A port at which nobody listens and no test will ever listen."""
    return _unused(range(20_000, 26_000))


def free_port() -> int:
    """A port that a test can listen at."""
    return _unused(range(26_000, 32_000))


_WORKERS = 8
_given: deque[int] = deque(maxlen=50)


def _unused(ports: range) -> int:
    """An unused port that was not returned recently and that no other worker of this run gets."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    mine = ports[worker % _WORKERS :: _WORKERS]
    for port in random.SystemRandom().sample(mine, 100):
        with socket.socket() as probe, suppress(OSError):
            if port not in _given:
                probe.bind(("127.0.0.1", port))
                _given.append(port)
                return port
    raise AssertionError(f"a hundred of the ports in {mine} are in use")
