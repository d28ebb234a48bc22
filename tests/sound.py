"""Starts a real PulseAudio server for one test, with a silent microphone and programs that record.

The server listens on a socket in a folder of the test; no hardware is touched.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.eventually import eventually

NEEDED = ("pulseaudio", "pactl", "parec")
MICROPHONE, WHAT_IS_PLAYED = "microphone", "speakers.monitor"


class SoundServer:
    """A PulseAudio server of a test's own; after `end` it can be started again."""

    def __init__(self, runtime: Path) -> None:
        self._socket = runtime / "pulse" / "native"
        self._socket.parent.mkdir(parents=True, exist_ok=True)
        self.environ = {
            "HOME": str(runtime),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "XDG_RUNTIME_DIR": str(runtime),
        }
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1"]
        modules = [
            f"module-native-protocol-unix socket={self._socket} auth-anonymous=1",
            "module-null-sink sink_name=speakers",
            f"module-null-source source_name={MICROPHONE}",
        ]
        self._server = subprocess.Popen(
            ["pulseaudio", *options, "--disable-shm=yes", *[f"--load={m}" for m in modules]],
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        eventually(lambda: self._pactl("info").returncode, lambda code: code == 0)

    def end(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.terminate()
            server.wait()

    @contextmanager
    def recorder(self, source: str) -> Iterator[None]:
        """Context manager: a program records from `source` for as long as it is open."""
        command = ["parec", f"--server=unix:{self._socket}", f"--device={source}"]
        with subprocess.Popen(command, env=self.environ, stdout=subprocess.DEVNULL) as recorder:
            try:
                eventually(lambda: self._recorders(source), lambda n: n > 0)
                yield
            finally:
                recorder.terminate()
        eventually(lambda: self._recorders(source), lambda n: n == 0)

    def _recorders(self, source: str) -> int:
        listed = self._pactl("list", "short", "source-outputs").stdout.splitlines()
        sources = self._pactl("list", "short", "sources").stdout.splitlines()
        numbers = {line.split("\t")[0] for line in sources if line.split("\t")[1] == source}
        return sum(line.split("\t")[1] in numbers for line in listed)

    def _pactl(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = ["pactl", f"--server=unix:{self._socket}", *words]
        return subprocess.run(command, env=self.environ, capture_output=True, text=True)


@contextmanager
def sound_server(runtime: Path) -> Iterator[SoundServer]:
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        pytest.skip(f"no {' and no '.join(missing)} on this machine")
    server = SoundServer(runtime)
    server.start()
    try:
        yield server
    finally:
        server.end()
