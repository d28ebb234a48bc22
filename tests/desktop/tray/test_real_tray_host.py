"""Tests of the tray icon on a screen with a window manager and a panel, as on a plain desktop.

The icon is clicked with a real mouse, a skill is approved with a real key, and the service moves on
by a generation.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.screen import Screen, missing
from lull.config.paths import Paths
from lull.core.errors import NotRunning
from lull.core.proof.proposal import ProposalStatus
from lull.service.process.lock import is_running
from tests.desk import Desk, proved
from tests.desktop.keys import xdotool
from tests.eventually import PATIENCE_S, eventually
from tests.running import nobodys_port

pytestmark = pytest.mark.slow

PANEL = ("openbox", "trayer")
ICON = 16
"""The smallest size of an icon, in pixels."""
SOON_S = 15.0
"""How long to wait for a window: one more click would hide again what the last one shows."""


@dataclass
class Desktop:
    environment: dict[str, str]
    process: subprocess.Popen[bytes]
    paths: Paths

    def xdotool(self, *words: str) -> str:
        return xdotool(self.environment, *words)

    def windows(self, title: str) -> list[str]:
        return self.xdotool("search", "--onlyvisible", "--name", title).split()

    def icon(self) -> tuple[int, int] | None:
        """Return the middle of the panel once it holds an icon: it is as wide as what it holds."""
        for panel in self.xdotool("search", "--class", "trayer").split():
            text = self.xdotool("getwindowgeometry", panel)
            place = re.search(r"Position: (-?\d+),(-?\d+)", text)
            size = re.search(r"Geometry: (\d+)x(\d+)", text)
            if place and size and int(size[1]) >= ICON:
                x, y, wide, high = map(int, (*place.groups(), *size.groups()))
                return x + wide // 2, y + high // 2
        return None

    def shows(self, title: str) -> bool:
        """Wait a while, since fast clicks are double clicks; return whether the window shows."""
        until_s = time.monotonic() + SOON_S
        while not (seen := bool(self.windows(title))) and time.monotonic() < until_s:
            time.sleep(0.05)
        return seen

    def click(self, place: tuple[int, int] | None) -> None:
        if place is not None:
            self.xdotool("mousemove", "--sync", str(place[0]), str(place[1]), "click", "1")

    def key(self, key: str, *, in_: str) -> None:
        for window in self.windows(in_)[-1:]:
            self.xdotool("windowactivate", "--sync", window, "key", key)

    def generation(self) -> int | None:
        """Return the service's generation; None while there is no service yet."""
        done = subprocess.run(
            [sys.executable, "-m", "lull.cli.main", "status", "--json"],
            env=self.environment,
            capture_output=True,
            timeout=PATIENCE_S,
        )
        if done.returncode == NotRunning.exit_code:
            return None
        assert done.returncode == 0, done.stderr
        return int(json.loads(done.stdout)["policy"]["generation"])


@contextmanager
def ended(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


@pytest.fixture
def on_a_desktop(home: Path) -> Iterator[Desktop]:
    absent = [*missing(), *(name for name in PANEL if shutil.which(name) is None)]
    if absent:
        pytest.skip(f"no {' and no '.join(absent)} on this machine")
    paths = Paths.from_environment({}, "linux", home=str(home))
    paths.prepare()
    with Desk(home).open() as desk:
        desk.propose(replays=proved(), status=ProposalStatus.PROVED)
    paths.settings.write_text("[service]\nport = 0\n")
    with Screen() as screen:
        environment = {
            **{k: v for k, v in screen.environ.items() if k != "QT_QPA_PLATFORM"},
            "LULL_HOME": str(home),
            # Without a D-Bus the icon is embedded in the panel, as on older desktops.
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
            "OLLAMA_HOST": f"127.0.0.1:{nobodys_port()}",
            "LC_ALL": "C.UTF-8",
        }
        panel = ["trayer", "--edge", "top", "--widthtype", "request", "--height", "28"]
        lull = [sys.executable, "-m", "lull.cli.main"]
        with (
            ended(["openbox"], environment),
            ended(panel, environment),
            ended(lull, environment) as process,
        ):
            yield Desktop(environment, process, paths)
    eventually(lambda: not is_running(paths.lock))


def test_the_icon_is_clicked_and_a_skill_approved_with_a_key(on_a_desktop: Desktop) -> None:
    desktop = on_a_desktop
    eventually(lambda: is_running(desktop.paths.lock))
    eventually(lambda: desktop.windows("Lull: "))
    eventually(desktop.icon)
    eventually(lambda: desktop.generation() == 0)

    def hidden() -> bool:
        desktop.key("ctrl+w", in_="Lull: ")
        return not desktop.windows("Lull: ")

    eventually(hidden)
    assert desktop.process.poll() is None  # closing hides

    def back() -> bool:
        if desktop.windows("Lull: "):
            return True
        desktop.click(desktop.icon())
        # The page is Review already if the click hit the notification's balloon.
        return desktop.shows("Lull: ")

    eventually(back)

    def at_review() -> bool:
        desktop.key("ctrl+2", in_="Lull: ")
        return bool(desktop.windows("Lull: Review"))

    eventually(at_review)

    def approved() -> bool:
        desktop.key("a", in_="Lull: Review")  # again, where the page was not read yet
        return desktop.generation() == 1

    eventually(approved)
