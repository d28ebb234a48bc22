"""Tests that a program in a container on the same machine gets no access to Lull.

Its network leads to no port of Lull's, and a control socket that is mounted into it is closed to
its user. The containers are played with Linux namespaces.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from tests.running import RunningLull
from tests.service.process.strangers.test_other_users import FILES

ALONE = ["unshare", "--net"]
MAPPED = 100_000
"""User id, outside the container, of the container's root."""
INSIDE = """
import os, socket, sys
host, port, path, uid = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
if uid:
    os.setgroups([]); os.setgid(uid); os.setuid(uid)
def tried(family, address):
    try:
        with socket.socket(family) as door:
            door.connect(address)
            return "in"
    except OSError as error:
        return type(error).__name__
print(tried(socket.AF_INET, (host, port)), tried(socket.AF_UNIX, path))
"""

ITS_ROOT = """
import ctypes, os, socket, sys
path, files, uid = sys.argv[1], sys.argv[2:-1], int(sys.argv[-1])
libc = ctypes.CDLL(None, use_errno=True)
os.setgroups([]); os.setgid(uid); os.setuid(uid)
libc.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE, or the maps below are root's
if libc.unshare(0x10000000 | 0x40000000 | 0x00020000):  # CLONE_NEWUSER, NEWNET, NEWNS
    sys.exit(os.strerror(ctypes.get_errno()))
for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {uid} 1")):
    with open(f"/proc/self/{name}", "w") as file:
        file.write(text)
assert os.geteuid() == 0
def connects():
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(path)
tries = [connects, lambda: os.chmod(path, 0o777), lambda: os.chown(path, 0, 0)]
for file in files:
    tries += [lambda file=file: open(file, "rb"), lambda file=file: os.chmod(file, 0o666)]
    tries += [lambda file=file: open(file, "ab"), lambda file=file: os.unlink(file)]
for one in tries:
    try:
        one()
        print("in")
    except OSError as error:
        print(type(error).__name__)
"""


def why_not() -> str:
    """Return why no container can be played here; "" if one can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root can be another machine's user, and only on Linux"
    ran = subprocess.run([*ALONE, "true"], capture_output=True, text=True)
    return "" if ran.returncode == 0 else f"no network of its own: {ran.stderr.strip()}"


REFUSED = why_not()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(REFUSED), reason=REFUSED)]


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that every user can look into, unlike pytest's own folders."""
    place = Path(tempfile.mkdtemp(prefix="lull-containers-"))
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


def container(running: RunningLull, *, uid: int, words: list[str]) -> list[str]:
    """Return what this user got at the port and at the control socket in these namespaces."""
    door = urlsplit(running.address)
    path = str(running.lull.home / "run" / "control.sock")
    asked = [str(door.hostname), str(door.port), path, str(uid)]
    ran = subprocess.run(
        [*words, sys.executable, "-I", "-c", INSIDE, *asked],
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.split()


def test_a_container_finds_no_door(open_place: Path) -> None:
    with RunningLull.cleaned_up(open_place / "home") as lull:
        running = lull.serve()
        # It can be reached: the same user on the same network gets in at both doors.
        assert container(running, uid=0, words=[]) == ["in", "in"]
        # The folders above were opened by mistake: the socket's own mode must hold.
        for folder in (lull.home, lull.home / "run"):
            folder.chmod(0o755)
        port, socket = container(running, uid=MAPPED, words=ALONE)
        assert port in ("OSError", "ConnectionRefusedError"), port
        assert socket == "PermissionError"
        # Its network alone keeps it from the port, whoever it is.
        port, _ = container(running, uid=0, words=ALONE)
        assert port in ("OSError", "ConnectionRefusedError"), port
        assert lull.ask("status")["running"] is True


@pytest.mark.full
def test_root_of_a_container_is_nobody_to_lull(open_place: Path) -> None:
    """Root of a container has all capabilities of its namespaces, and the home mounted into it."""
    with RunningLull.cleaned_up(open_place / "home") as lull:
        running = lull.serve()
        assert running.chat("list: apple")
        for folder in (lull.home, lull.home / "run", lull.home / "logs"):
            folder.chmod(0o755)
        files = [str(lull.home / name) for name in FILES]
        said = [str(lull.home / "run" / "control.sock"), *files, str(MAPPED)]
        ran = subprocess.run(
            [sys.executable, "-I", "-c", ITS_ROOT, *said], capture_output=True, text=True
        )
        if "not permitted" in ran.stderr or "No space" in ran.stderr:
            pytest.skip(f"no namespaces for users here: {ran.stderr.strip()}")
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.split() == ["PermissionError"] * (3 + 4 * len(FILES))
        assert lull.ask("status")["running"] is True


@pytest.mark.full
def test_no_door_is_there_besides_the_two(open_place: Path) -> None:
    """Lull listens at one port on loopback, and at no socket without a file.

    A socket without a file has no mode, and every container on the same network sees it.
    """
    with RunningLull.cleaned_up(open_place / "home") as lull:
        running = lull.serve()
        assert running.chat("list: apple")  # the engine is up, too
        service = psutil.Process(running.process.pid)
        for process in (service, *service.children(recursive=True)):
            for door in process.net_connections("inet"):
                if door.status == psutil.CONN_LISTEN:
                    assert door.laddr.ip in ("127.0.0.1", "::1"), door
            named = {one.laddr for one in process.net_connections("unix") if one.laddr}
            assert all(str(path).startswith("/") for path in named), named
