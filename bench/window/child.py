"""The measured window process: `HOME PAGE BEGAN_S SECONDS`; prints `ready`, then one JSON
object. The page `tour` is Today, from where every page is opened in turn.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time

import psutil
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from lull.cli.process.window import ServiceOfHome
from lull.config.paths import Paths
from lull.desktop.main import Desktop
from lull.desktop.running.page_loading import FIRST_MS, NEXT_MS, STEPS
from lull.desktop.service.place import Place
from lull.desktop.widgets.page import PageName

TICK_MS = 5
TOUR = "tour"
LOADED_S = (FIRST_MS + NEXT_MS * (STEPS + 4)) / 1000


class Painted(QObject):
    """Records when a page with content was first painted."""

    def __init__(self, desktop: Desktop) -> None:
        super().__init__()
        self._desktop = desktop
        self.at_s: float | None = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Paint and self.at_s is None:
            page = self._desktop.window.page()
            if page.showing_body and watched is page.body:
                self.at_s = time.monotonic()
        return False


class Running:
    def poll(self) -> int | None:
        return None

    def terminate(self) -> None:
        pass


class RunningService(ServiceOfHome):
    """A service that somebody else has started, and that stays."""

    def is_running(self) -> bool:
        return True

    def has_fallen(self) -> bool:
        return False


def main(home: str, page: str, began_s: float, seconds: float) -> None:
    app = QApplication([])
    paths = Paths.from_environment({}, "linux", home=home)
    place = Place(
        home=paths.home,
        window_socket=paths.control_socket.with_name("window.sock"),
        logs=paths.logs,
        service=RunningService(paths, ("lull", "serve")),
    )
    desktop = Desktop(app, place, spawn=lambda _: Running())
    desktop.window.go(PageName.TODAY if page == TOUR else PageName(page))
    painted = Painted(desktop)
    desktop.window.page().body.installEventFilter(painted)
    desktop.begin()
    while painted.at_s is None:
        app.processEvents()
        time.sleep(0.001)
    time.sleep(0.2)
    app.processEvents()
    print("ready", flush=True)
    if page == TOUR:
        _open_in_turn(desktop, seconds)
    gaps = _gaps(app, seconds)
    said = {
        "first_paint_s": round(painted.at_s - began_s, 3),
        "rss_mb": round(psutil.Process(os.getpid()).memory_info().rss / 1e6, 1),
        "longest_gap_s": round(gaps[-1][0], 4),
        "worked_in_it_s": round(gaps[-1][1], 4),
        "p99_gap_s": round(gaps[int(len(gaps) * 0.99)][0], 4),
    }
    desktop.end()
    print(json.dumps(said), flush=True)


def _open_in_turn(desktop: Desktop, seconds: float) -> None:
    """Open every page within this time, each for as long as the others."""
    # As a user would, once the code of the pages has been loaded.
    pages = list(PageName)
    until_s = time.monotonic() + LOADED_S
    while time.monotonic() < until_s:
        QApplication.processEvents()
        time.sleep(0.005)
    for number, page in enumerate(pages):
        at_ms = round(seconds * 1000 * number / len(pages))
        QTimer.singleShot(at_ms, functools.partial(desktop.window.go, page))


def _gaps(app: QApplication, seconds: float) -> list[tuple[float, float]]:
    """Measure by how many seconds a timer fires late, sorted, with the process's CPU time in each
    gap; a gap with hardly any was caused by other programs.
    """
    found: list[tuple[float, float]] = []
    last, worked = time.perf_counter(), time.process_time()

    def tick() -> None:
        nonlocal last, worked
        now, work = time.perf_counter(), time.process_time()
        found.append((max(0.0, now - last - TICK_MS / 1000), work - worked))
        last, worked = now, work

    timer = QTimer(interval=TICK_MS)
    timer.timeout.connect(tick)
    timer.start()
    # Not `quit`: that first closes the windows, and Lull's asks its user about that.
    QTimer.singleShot(round(seconds * 1000), app.exit)
    app.exec()
    timer.stop()
    return sorted(found)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
