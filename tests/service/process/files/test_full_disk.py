"""Tests of a disk without room: a change is refused in words, and nothing is half done."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.building import half_written
from tests.eventually import eventually
from tests.running import Lull, RunningLull

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")
ADD = ("skills", "add", "menu-style", "--description", "d", "--body", "b")


@contextmanager
def without_room(running: RunningLull) -> Iterator[None]:
    """Let the service write to no file for the length of the block."""
    pid = running.process.pid
    free = resource.prlimit(pid, resource.RLIMIT_FSIZE)  # type: ignore[attr-defined, unused-ignore]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, free[1]))  # type: ignore[attr-defined, unused-ignore]
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, free)  # type: ignore[attr-defined, unused-ignore]


def test_a_skill_that_finds_no_room_is_refused_in_words(lull: Lull) -> None:
    running = lull.serve()
    with without_room(running):
        ran = lull.run(*ADD)
    assert ran.code == 1
    assert ran.err.startswith("lull: The system refused: "), ran.err
    assert "Make room on the disk" in ran.err
    assert "OSError" not in ran.err and ".tmp" not in ran.err
    assert lull.ask("skills")["skills"] == []
    eventually(lambda: not half_written(lull.home))
    assert lull.ask(*ADD)["generation"] == 1
