"""Tests of a child process without memory: its work is refused in one line, another replaces it.

The service itself serves on.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.eventually import eventually
from tests.running import Answer, Lull, RunningLull
from tests.service.process.killed.street import COOK, Cook
from tests.starving import may_starve, starve

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform != "linux", reason="limits another process as Linux does"),
]

ENGINE, READS_LONG = "lull.engine.main", "proxy.long.child"


def child(running: RunningLull, what: str) -> int | None:
    """Return the id of the child that does `what`, or None when there is none."""
    for one in psutil.Process(running.process.pid).children():
        with contextlib.suppress(psutil.Error):
            if any(what in word for word in one.cmdline()):
                return int(one.pid)
    return None


def asks(running: RunningLull, text: str, *, model: str = "pocket") -> Answer:
    body: dict[str, Any] = {"model": model, "stream": False, "options": {"num_predict": 64}}
    return running.post("/api/chat", {**body, "messages": [{"role": "user", "content": text}]})


def test_an_engine_without_memory_is_replaced(lull: Lull, tmp_path: Path) -> None:
    with Cook() as cook:
        lull.upstream = cook.address
        running = lull.serve(env=may_starve(tmp_path / "site"))
        assert asks(running, "list: apple").status == 200
        starved = eventually(lambda: child(running, ENGINE))
        starve(starved)
        tries = itertools.count(1)

        def refusal() -> Answer | None:
            words = f"apple {next(tries)} river stone " * (30 + next(tries))
            answer = asks(running, f"write a menu for {words}")
            return None if answer.status == 200 else answer

        refused = eventually(refusal)
        assert refused.status == 503, refused
        said = refused.json["error"]
        assert said.startswith("The built-in engine stopped") and "\n" not in said
        # Other requests are answered as before.
        assert asks(running, "write a menu for pear", model=COOK).status == 200
        assert lull.ask("status")["running"] is True
        eventually(lambda: asks(running, "list: pear").status == 200)
        assert child(running, ENGINE) not in (None, starved)
        assert lull.ask("status")["problems"] == []
        running.stop()
        checks = {one["name"]: one for one in lull.run("doctor", "--json").json["checks"]}
        assert checks["store"]["ok"]


def test_a_reader_of_long_bodies_without_memory_is_replaced(lull: Lull, tmp_path: Path) -> None:
    with Cook() as cook:
        lull.upstream = cook.address
        running = lull.serve(env=may_starve(tmp_path / "site"))
        eventually(lambda: lull.ask("status")["upstream"]["ok"])
        longer = "hi " * 300_000
        assert asks(running, longer, model=COOK).status == 200
        starved = eventually(lambda: child(running, READS_LONG))
        starve(starved)
        # What cannot be read goes on to the upstream as it is.
        assert asks(running, longer * 20, model=COOK).status == 200
        assert any(one["messages"][-1]["content"] == longer * 20 for one in cook.chats)
        assert asks(running, "write a menu for pear", model=COOK).status == 200
        eventually(lambda: child(running, READS_LONG) != starved)
        assert asks(running, longer, model=COOK).status == 200
        eventually(lambda: child(running, READS_LONG))
        told = [line for line in log(lull) if "long request" in line]
        assert any("A long request was not read" in line for line in told)
        assert not [line for line in told if "trace" in line or "fault of Lull" in line]
        assert lull.ask("status")["problems"] == []


def log(lull: Lull) -> list[str]:
    return (lull.home / "logs" / "service.log").read_text().splitlines()
