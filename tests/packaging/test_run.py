"""Tests of what `make run` starts by packaging/run.sh: the window, or only the service."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.screen import Screen, missing
from lull.config.paths import Paths
from lull.service.process.lock import is_running
from tests.desktop.keys import xdotool
from tests.desktop.tray.test_real_tray_host import PANEL, ended
from tests.eventually import PATIENCE_S, eventually
from tests.paths import ROOT
from tests.running import nobodys_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has displays that may not be"),
]


@pytest.fixture
def silent() -> Iterator[str]:
    """A display that accepts connections and never answers."""
    with socket.socket(socket.AF_UNIX) as listening:
        # In the abstract namespace, where X clients look first, so that no folder is needed.
        number = 900 + os.getpid() % 60_000
        listening.bind(f"\0/tmp/.X11-unix/X{number}")
        listening.listen()
        yield f":{number}"


@pytest.mark.parametrize(
    "display",
    [
        pytest.param("", id="none"),
        pytest.param(":987", id="dead", marks=pytest.mark.full),
        pytest.param("silent", id="silent", marks=pytest.mark.full),
    ],
)
def test_without_a_display_that_answers_it_runs_in_the_terminal(
    tmp_path: Path, silent: str, display: str
) -> None:
    display = silent if display == "silent" else display
    home = tmp_path / "home"
    paths = Paths.from_environment({}, "linux", home=str(home))
    paths.prepare()
    paths.settings.write_text("[service]\nport = 0\n")
    without = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    process = subprocess.Popen(
        ["sh", "packaging/run.sh"],
        cwd=ROOT,
        env={
            **{k: v for k, v in os.environ.items() if k not in without},
            "LULL_HOME": str(home),
            **({"DISPLAY": display, "LULL_DISPLAY_WAIT_S": "10"} if display else {}),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    shown = []
    for line in process.stdout:  # the last line that it prints when it is up
        shown.append(line)
        if line.startswith("Ctrl-C stops it"):
            break
    assert is_running(paths.lock)
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    *opening, said = err.splitlines()
    if display:
        assert said.startswith(f"The display {display} does not answer")
        assert [line.partition(",")[0] for line in opening] == ["Opening Lull"]
    else:
        assert said.startswith("There is no display here") and opening == []
    assert "runs in this terminal" in said
    assert "paste this line" in "".join(shown)


def test_on_a_desktop_it_opens_the_window_and_an_icon_for_the_first_time(tmp_path: Path) -> None:
    absent = [*missing(), *(name for name in PANEL if shutil.which(name) is None)]
    if absent:
        pytest.skip(f"no {' and no '.join(absent)} on this machine")
    paths = Paths.from_environment({}, "linux", home=str(tmp_path / "home"))
    paths.prepare()
    paths.settings.write_text("[service]\nport = 0\n")
    with Screen() as screen:
        environment = {
            **{k: v for k, v in screen.environ.items() if k != "QT_QPA_PLATFORM"},
            "LULL_HOME": str(paths.home),
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",  # the panel takes the icon
            "OLLAMA_HOST": f"127.0.0.1:{nobodys_port()}",
            "LC_ALL": "C.UTF-8",
        }
        panel = ["trayer", "--edge", "top", "--widthtype", "request", "--height", "28"]

        def sizes_of_the_panel() -> list[int]:
            found = xdotool(environment, "search", "--class", "trayer").split()
            texts = [xdotool(environment, "getwindowgeometry", one) for one in found]
            return [int(size[1]) for text in texts if (size := re.search(r"y: (\d+)x", text))]

        with (
            ended(["openbox"], environment),
            ended(panel, environment),
            subprocess.Popen(
                ["sh", "packaging/run.sh"],
                cwd=ROOT,
                env=environment,
                stderr=subprocess.PIPE,
                text=True,
            ) as process,
        ):
            try:
                eventually(
                    lambda: xdotool(environment, "search", "--onlyvisible", "--name", "Lull: ")
                )
                eventually(lambda: any(wide >= 16 for wide in sizes_of_the_panel()))
                eventually(lambda: is_running(paths.lock))
                eventually(paths.database.exists)
                assert process.poll() is None
            finally:
                process.terminate()
            _, err = process.communicate(timeout=PATIENCE_S)
    assert err.startswith("Opening Lull, with an icon in the tray where there is one.")
    eventually(lambda: not is_running(paths.lock))
