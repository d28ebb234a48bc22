"""Tests that another user of the machine can open neither the control socket nor the files.

Their own modes close them, also where somebody opened the folders above.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.running import Lull, RunningLull

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.name != "posix" or os.geteuid() != 0, reason="only root can become somebody else"
    ),
]
NOBODY = 65534
STRANGER = """
import json, os, socket, sys
os.setgroups([]); os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[1]))
said = {}
for kind, path in json.loads(sys.argv[2]):
    try:
        if kind == "socket":
            socket.socket(socket.AF_UNIX).connect(path)
        elif kind == "status":
            asked = socket.socket(socket.AF_UNIX)
            asked.connect(path)
            asked.sendall(b"GET /v1/status HTTP/1.1\\r\\nHost: lull\\r\\n\\r\\n")
            said[f"{kind} {path}"] = asked.recv(99).split()[1].decode()
            continue
        elif kind == "list":
            os.listdir(path)
        else:
            open(path, "rb" if kind == "read" else "ab").close()
        said[f"{kind} {path}"] = "in"
    except OSError as error:
        said[f"{kind} {path}"] = type(error).__name__
print(json.dumps(said))
"""


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that every user can look into, unlike pytest's own folders."""
    place = Path(tempfile.mkdtemp(prefix="lull-others-"))
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


def stranger(*tries: tuple[str, Path]) -> dict[str, str]:
    words = json.dumps([(kind, str(path)) for kind, path in tries])
    ran = subprocess.run(
        [sys.executable, "-I", "-c", STRANGER, str(NOBODY), words],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(ran.stdout)
    return found


@pytest.mark.full
def test_nobody_else_gets_in(open_place: Path) -> None:
    seen = open_place / "everybody"
    seen.write_text("read this")
    seen.chmod(0o644)  # a test before this one may have narrowed the umask
    with RunningLull.cleaned_up(open_place / "home") as lull:
        running = lull.serve()
        assert running.chat("list: apple")
        socket = lull.home / "run" / "control.sock"
        tries = [
            ("list", lull.home),
            ("socket", socket),
            *((kind, lull.home / name) for kind in ("read", "append") for name in FILES),
        ]
        assert stranger(("read", seen)) == {f"read {seen}": "in"}  # it can see the place
        assert set(stranger(*tries).values()) == {"PermissionError"}
        _opened_by_mistake(lull)
        said = stranger(*tries)
        assert said.pop(f"list {lull.home}") == "in"
        assert set(said.values()) == {"PermissionError"}, said
        socket.chmod(0o777)
        socket.parent.chmod(0o777)
        assert stranger(("status", socket)) == {f"status {socket}": "403"}
        assert lull.ask("status")["running"] is True


FILES = ("lull.db", "lull.db-wal", "settings.toml", "logs/service.log", "service.lock")


def _opened_by_mistake(lull: Lull) -> None:
    for folder in (lull.home, lull.home / "run", lull.home / "logs"):
        folder.chmod(0o755)
