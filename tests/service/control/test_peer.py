"""Tests that a command or a window tells nothing to another user who listens at Lull's socket.

Where the home's path is long, the socket lies in the system's folder for temporary files. Another
user can guess its folder there and make it first.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lull.cli.shared.control import Control
from lull.config.paths import Paths
from lull.contract.peer import connect_to_own
from lull.core.errors import NotRunning
from lull.desktop.service.client import ControlRequest, ReplyOutcome, send_request
from lull.service.process.lock import Discovery, ServiceLock, write_discovery

NOBODY = 65534
LISTENS = """
import os, socket, sys
os.setuid(int(sys.argv[2]))
with socket.socket(socket.AF_UNIX) as ours:
    ours.bind(sys.argv[1])
    ours.listen()
    print("listening", flush=True)
    while True:
        with ours.accept()[0] as one:
            print(one.recv(4096), flush=True)
"""
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs Unix sockets")


@pytest.fixture
def foreign() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The path of a socket at which another user listens, and their process."""
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        path = f"{folder}/control.sock"
        words = [sys.executable, "-c", LISTENS, path, str(NOBODY)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "listening\n"
            yield path, process
            process.kill()


def test_who_listens_oneself_is_connected_to(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/s"
        with closing(socket.socket(socket.AF_UNIX)) as ours:
            ours.bind(path)
            ours.listen()
            with closing(socket.socket(socket.AF_UNIX)) as theirs:
                connect_to_own(theirs, path)


def test_another_user_at_the_socket_is_told_nothing(
    foreign: tuple[str, subprocess.Popen[str]], tmp_path: Path
) -> None:
    path, process = foreign
    paths = Paths(home=tmp_path, temporary=tmp_path)
    found = Discovery(address="", pid=os.getpid(), control=path, version="", started="")
    lock = ServiceLock(paths.lock)
    lock.take(discovery=paths.discovery)
    write_discovery(paths.discovery, found)
    try:
        with pytest.raises(NotRunning):
            Control(paths).post("/v1/skills/change", {"body": "what I typed"})
    finally:
        lock.release()
    asked = ControlRequest(method="POST", path="/v1/x", body={"text": "what I typed"})
    assert send_request(Path(path), asked, timeout_s=5).outcome is ReplyOutcome.NOT_DONE
    process.kill()
    assert process.stdout is not None
    assert "what I typed" not in process.stdout.read()
