"""Runs a command on a pseudo-terminal that a test types into and reads from."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.eventually import PATIENCE_S, eventually

_AT_THE_TERMINAL = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C is a signal
from lull.cli.main import main
sys.exit(main())
"""
CTRL_C, CTRL_D = "\x03", "\x04"


@dataclass
class Terminal:
    master: int
    process: subprocess.Popen[bytes]
    seen: str = ""
    """All that was shown so far, including what was typed."""
    _read: int = field(default=0, repr=False)
    """Length of the part of `seen` that `until` has returned."""
    _came: bytearray = field(default_factory=bytearray, repr=False)
    """Bytes as they came: a character or the end of a line may come in two pieces."""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def press(self, key: str) -> None:
        """Type a key once the program waits for one.

        A signal between the prompt and the read that follows it would be seen only after the read.
        """
        state = Path(f"/proc/{self.process.pid}/stat")
        if state.exists():
            eventually(lambda: state.read_text().rpartition(")")[2].split()[0], "S".__eq__)
        self.type(key)

    def until(self, text: str) -> str:
        """Wait for `text`; return what was shown since the last call, up to its end."""
        end_s = time.monotonic() + PATIENCE_S
        while (at := self.seen.find(text, self._read)) < 0:
            assert self._more(end_s), f"no {text!r} in {self.seen!r}"
        start, self._read = self._read, at + len(text)
        return self.seen[start : self._read]

    def answer(self, prompt: str, line: str) -> str:
        """Wait for the prompt and type a line; return what was shown up to the prompt."""
        shown = self.until(prompt)
        self.type(f"{line}\n")
        return shown

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and the rest of what was shown."""
        end_s = time.monotonic() + PATIENCE_S
        while self._more(end_s):
            pass
        return self.process.wait(PATIENCE_S), self.seen[self._read :]

    def _more(self, end_s: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], max(0, end_s - time.monotonic()))
        assert ready, f"nothing more within {PATIENCE_S:g} s: {self.seen!r}"
        try:
            data = os.read(self.master, 65536)
        except OSError:  # Linux's way to say that the other side is closed
            return False
        self._came += data
        self.seen = self._came.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


@contextmanager
def at_a_terminal(*words: str, env: Mapping[str, str] | None = None) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _AT_THE_TERMINAL, *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm", **(env or {})},
    )
    os.close(slave)
    try:
        yield Terminal(master, process)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE_S)
        os.close(master)
