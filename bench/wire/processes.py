"""The processes of the wire benchmark, which end with it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil

from lull.config.paths import Paths


@contextmanager
def started(*command: str, env: Mapping[str, str] | None = None) -> Iterator["Started"]:
    process = subprocess.Popen(
        [sys.executable, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(env or {})},
    )
    try:
        assert process.stdout is not None
        yield Started(process, process.stdout.readline().strip())
    finally:
        process.terminate()
        process.communicate(timeout=60)


class Started:
    def __init__(self, process: "subprocess.Popen[str]", said: str) -> None:
        self.process = process
        self.said = said

    @property
    def memory_mb(self) -> float:
        """Resident memory in MB of this process and of the children that it has now."""
        all_of_it = [psutil.Process(self.process.pid), *self.children()]
        return sum(map(_resident_mb, all_of_it))

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)


def _resident_mb(process: psutil.Process) -> float:
    try:
        return float(process.memory_info().rss / 1e6)
    except psutil.NoSuchProcess:  # a child that has just ended
        return 0.0


@contextmanager
def mock_upstream() -> Iterator[int]:
    with started("-m", "bench.wire.upstream") as mock:
        yield int(mock.said)


@contextmanager
def floor(upstream: int) -> Iterator[tuple[int, Started]]:
    with started("-m", "bench.wire.passthrough", f"http://127.0.0.1:{upstream}") as bare:
        yield int(bare.said), bare


@contextmanager
def lull(home: Path, upstream: int) -> Iterator[tuple[int, Started]]:
    env = {"LULL_HOME": str(home), "OLLAMA_HOST": f"127.0.0.1:{upstream}"}
    command = ("-m", "lull.cli.main", "serve", "--port", "0", "--json")
    with started(*command, env=env) as service:
        yield int(json.loads(service.said)["address"].rsplit(":", 1)[1]), service


def paths_of(home: Path) -> Paths:
    return Paths.from_environment({"LULL_HOME": str(home)}, sys.platform)
