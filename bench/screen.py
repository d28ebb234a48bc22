"""A virtual X11 screen with a mouse and keys, for measuring and testing real input.

Needs Xvfb and xdotool. Nothing on it is anybody's: no authority, no TCP.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from types import TracebackType

NEEDED = ("Xvfb", "xdotool")


def missing() -> list[str]:
    return [name for name in NEEDED if shutil.which(name) is None]


class Screen:
    """An Xvfb server as a context manager, on the first free display number unless one is given."""

    def __init__(self, display: str = "") -> None:
        self.display = display
        self._server: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Screen:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def start(self) -> None:
        """Start the server and wait until it accepts connections; a restart keeps the display
        number. Raises RuntimeError.
        """
        reading, writing = os.pipe()
        where = [self.display] if self.display else []
        command = ["Xvfb", *where, "-displayfd", str(writing), "-noreset", "-nolisten", "tcp"]
        try:
            self._server = subprocess.Popen(
                [*command, "-screen", "0", "640x480x24"],
                pass_fds=[writing],
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(writing)
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        self.display = f":{number}"

    @property
    def environ(self) -> dict[str, str]:
        return {**os.environ, "DISPLAY": self.display}

    def move_mouse(self, x: int, y: int) -> None:
        self._xdotool("mousemove", str(x), str(y))

    def press(self, key: str) -> None:
        self._xdotool("key", key)

    def _xdotool(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self.environ, check=True, timeout=60)

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def end(self) -> None:
        """Kill the server, whether it is running, frozen or has ended."""
        self._signal(signal.SIGKILL)
        server, self._server = self._server, None
        if server is not None:
            server.wait()

    def _signal(self, number: signal.Signals) -> None:
        if self._server is not None:
            self._server.send_signal(number)
