"""Measures a window whose real service is killed: `HOME TIMES`; prints as JSON how long the window
takes to say so, and to recover.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable

from PySide6.QtWidgets import QApplication

from lull.cli.process.window import ServiceOfHome, serve_command
from lull.config.paths import Paths
from lull.desktop.main import Desktop
from lull.desktop.service.place import Place
from lull.desktop.service.state import Phase
from lull.service.process.lock import is_running, read_discovery

PATIENCE_S = 120.0


def main(home: str, times: int) -> None:
    app = QApplication([])
    paths = Paths.from_environment({}, "linux", home=home)
    paths.prepare()
    place = Place(
        home=paths.home,
        window_socket=paths.control_socket.with_name("window.sock"),
        logs=paths.logs,
        service=ServiceOfHome(paths, (*serve_command(frozen=False), "--port", "0")),
    )
    desktop = Desktop(app, place)
    desktop.begin()
    shown, back = [], []
    try:
        for _ in range(times):
            _until(app, lambda: desktop.state.phase is Phase.LIVE)
            found = read_discovery(paths.discovery)
            assert found is not None
            began_s = time.monotonic()
            os.kill(found.pid, signal.SIGKILL)
            _until(app, lambda: bool(desktop.window.banner.text))
            shown.append(round(time.monotonic() - began_s, 3))
            _until(app, lambda: not desktop.window.banner.text)
            back.append(round(time.monotonic() - began_s, 3))
    finally:
        desktop.end()
        _until(app, lambda: not is_running(paths.lock))
    print(json.dumps({"shown_s": max(shown), "back_s": max(back), "kills": times}), flush=True)


def _until(app: QApplication, holds: Callable[[], bool]) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not holds():
        app.processEvents()
        time.sleep(0.005)
        if time.monotonic() > until_s:
            raise TimeoutError("the window waits for ever")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
