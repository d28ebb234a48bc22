"""Tests of a clock that jumps by years: no conversation goes into the trash unasked.

What was swept into the trash can be restored. The service is real; its clock is the one that
`lull demo` sets, which may be behind the real one.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.eventually import eventually
from tests.running import Lull, RunningLull

pytestmark = pytest.mark.full

YEARS_BACK_S = 900 * 86_400
SWEPT = "Old conversations wait for your decision"


def served(lull: Lull, clock: Path, *, behind: bool) -> RunningLull:
    now = time.time()
    at = now - (YEARS_BACK_S if behind else 0)
    clock.write_text(json.dumps({"at": at, "since": now, "speed": 1}))
    return lull.serve("--played-clock", str(clock))


def asked(lull: Lull) -> list[Any]:
    return [p for p in lull.ask("status")["problems"] if p["title"] == SWEPT]


def test_no_jump_of_the_clock_takes_a_conversation(lull: Lull, tmp_path: Path) -> None:
    clock = tmp_path / "clock.json"
    first = served(lull, clock, behind=True)
    for word in ("apple", "pear", "plum"):
        first.chat(f"list: {word}")
    eventually(lambda: lull.ask("status")["turns"] == 3)
    said = lull.ask("show")
    first.stop()
    for behind in (False, True, False, False):
        service = served(lull, clock, behind=behind)
        if not behind:
            (problem,) = eventually(lambda: asked(lull))
            assert problem["detail"].startswith("3 conversations")
        assert lull.ask("status")["turns"] == 3
        assert lull.ask("trash")["conversations"] == 0
        service.stop()

    served(lull, clock, behind=False)
    eventually(lambda: asked(lull))
    assert lull.run("trash", "sweep").code == 2
    assert lull.ask("trash", "sweep", "--yes")["moved"] == 3
    status = lull.ask("status")
    assert (status["turns"], status["trash"]["conversations"]) == (0, 3)
    assert asked(lull) == []
    assert "3 old conversations" in lull.run("status").out
    assert lull.ask("trash", "restore")["restored"] == 3
    assert lull.ask("show", said["id"]) == said
    assert lull.ask("trash")["steps"] == []
    assert lull.ask("trash", "sweep", "--yes")["moved"] == 0


def test_what_is_forgotten_lies_in_no_trash(lull: Lull, tmp_path: Path) -> None:
    clock = tmp_path / "clock.json"
    first = served(lull, clock, behind=True)
    first.chat("list: quincequince")
    (said,) = eventually(lambda: lull.ask("conversations")["conversations"])
    first.stop()
    running = served(lull, clock, behind=False)
    assert lull.ask("trash", "sweep", "--yes")["moved"] == 1
    assert lull.ask("forget", said["id"], "--yes")["removed"]["turns"] == 1
    running.stop()
    assert list((lull.home / "trash").glob("*")) == []
