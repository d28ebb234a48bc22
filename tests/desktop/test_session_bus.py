"""Tests that the window starts no D-Bus session bus, which would stay behind when Lull ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from bench.screen import Screen, missing
from lull.desktop.session_bus import ADDRESS, start_no_bus
from lull.service.process.lock import is_running
from tests.eventually import PATIENCE_S, eventually
from tests.running import nobodys_port

BUS = ("dbus-daemon", "dbus-launch")


def buses(display: str) -> list[int]:
    """Return the ids of the session buses that were started for this X server."""
    found = []
    for process in psutil.process_iter(["name"]):
        with contextlib.suppress(psutil.Error):
            if process.info["name"] in BUS and process.environ().get("DISPLAY") == display:
                found.append(process.pid)
    return found


@pytest.mark.slow
def test_on_a_bare_x_server_the_window_leaves_no_bus_behind(tmp_path: Path) -> None:
    absent = [*missing(), *(name for name in BUS if shutil.which(name) is None)]
    if absent:
        pytest.skip(f"no {' and no '.join(absent)} on this machine")
    home = tmp_path / "lull"
    with Screen() as screen:
        without = ("QT_QPA_PLATFORM", ADDRESS, "XDG_RUNTIME_DIR")
        environment = {
            **{k: v for k, v in screen.environ.items() if k not in without},
            "HOME": str(tmp_path),
            "LULL_HOME": str(home),
            "OLLAMA_HOST": f"127.0.0.1:{nobodys_port()}",
        }
        lull = subprocess.Popen([sys.executable, "-m", "lull.cli.main"], env=environment)
        try:
            eventually(lambda: is_running(home / "service.lock"))
            searched = ["xdotool", "search", "--onlyvisible", "--name", "Lull: "]
            eventually(lambda: subprocess.run(searched, env=environment).returncode == 0)
            assert buses(screen.environ["DISPLAY"]) == []
        finally:
            lull.terminate()
            lull.wait(PATIENCE_S)
        eventually(lambda: not is_running(home / "service.lock"))
        assert buses(screen.environ["DISPLAY"]) == []


def kept(environ: dict[str, str]) -> bool:
    """Return whether Qt is left alone: no module of it is needed to find out, and none is."""
    before = dict(environ)
    sys.modules["PySide6.QtDBus"] = None  # type: ignore[assignment]  an import of it fails
    try:
        start_no_bus(environ, "linux")
    except ImportError:
        return False
    finally:
        del sys.modules["PySide6.QtDBus"]
        assert environ == before
    return True


def test_a_bus_that_is_there_is_used(tmp_path: Path) -> None:
    bare = {"DISPLAY": ":77.0", "HOME": str(tmp_path)}
    assert not kept(bare)
    assert kept({**bare, ADDRESS: "unix:path=/run/bus"})
    assert kept({"HOME": str(tmp_path)})  # without an X server none is started
    (tmp_path / "bus").touch()
    assert kept({**bare, "XDG_RUNTIME_DIR": str(tmp_path)})


def test_a_bus_that_another_program_started_for_this_x_server_is_used(tmp_path: Path) -> None:
    bare = {"DISPLAY": ":77", "HOME": str(tmp_path)}
    folder = tmp_path / ".dbus" / "session-bus"
    folder.mkdir(parents=True)
    told = folder / "0123abc-77"
    told.write_text(f"DBUS_SESSION_BUS_PID={os.getpid()}\n")
    assert kept(bare)
    assert not kept({**bare, "DISPLAY": ":7"})
    gone = subprocess.Popen(["true"])
    gone.wait()
    told.write_text(f"DBUS_SESSION_BUS_PID={gone.pid}\n")
    assert not kept(bare)
    told.write_bytes(b"\xff")
    assert not kept(bare)
