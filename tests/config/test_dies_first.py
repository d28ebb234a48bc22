"""Tests that the system ends each child of the service before the service where memory runs out."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from lull.backends.mlx.trainer_process import TrainerProcesses
from tests.eventually import eventually
from tests.paths import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be told"),
]

NOWHERE = "/nowhere"
CHILDREN = {
    "lull.engine.main": ("--socket", "{socket}", "--model", NOWHERE),
    "lull.engine.reader.main": ("--socket", "{socket}", "--base", NOWHERE, "--reader", NOWHERE),
    "lull.backends.mlx.weights_child": (),
    "lull.backends.calendars.child": (),
    "lull.backends.retrieval.chroma_child": ("--folder", NOWHERE, "--embedder", "any"),
    "lull.service.proxy.long.child": ("--socket", "{socket}"),
}
"""The programs that the service starts and that say it of themselves, and what they are told."""


@pytest.mark.parametrize("program", CHILDREN)
def test_each_child_is_ended_before_the_service(program: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        words = [word.format(socket=theirs.fileno()) for word in CHILDREN[program]]
        child = subprocess.Popen(
            [sys.executable, "-m", program, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            cwd=ROOT / "app",
        )
        try:
            eventually(lambda: counts_as(child.pid) > counts_as(os.getpid()))
        finally:
            child.kill()
            child.communicate()


async def test_so_is_the_trainer() -> None:
    waits = (sys.executable, "-c", "import sys; sys.stdin.read()")
    trainer = await TrainerProcesses(waits).start(NOWHERE)
    try:
        (pid,) = [one.pid for one in psutil.Process().children() if NOWHERE in one.cmdline()]
        assert counts_as(pid) > counts_as(os.getpid())
    finally:
        await trainer.kill()


def counts_as(pid: int) -> int:
    """Return how much sooner the system ends a process than by its memory alone."""
    return int(Path(f"/proc/{pid}/oom_score_adj").read_text())
