"""Tests of parts that hang: a stopped engine is replaced, a stuck check holds up no other check."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import sys
from contextlib import closing

import psutil
import pytest

from lull.backends.system import hung
from tests.eventually import eventually
from tests.running import Lull, RunningLull

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's processes"),
]


def engines(running: RunningLull) -> list[int]:
    """Return the process ids of the service's engines, stopped ones included."""
    found = []
    for child in psutil.Process(running.process.pid).children():
        with contextlib.suppress(psutil.Error):  # it has just gone
            words = " ".join(child.cmdline())
            if "engine" in words and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child.pid)
    return found


def test_a_stopped_engine_is_replaced_and_the_doctor_answers_meanwhile(lull: Lull) -> None:
    assert hung.CHECK_EVERY_S * (hung.STOPPED_CHECKS + 1) < 10.0
    running = lull.serve()
    assert running.chat("list: apple")
    (stopped,) = engines(running)
    os.kill(stopped, signal.SIGSTOP)
    body = {"model": "pocket", "stream": False, "messages": [{"role": "user", "content": "hi"}]}
    # The request during which the engine was stopped ends: answered, or refused in words.
    said = running.post("/api/chat", body)
    assert said.status in (200, 503), said
    checks = {one["name"]: one for one in lull.run("doctor", "--json").json["checks"]}
    assert checks["store"]["ok"] and checks["disk"]["ok"]
    eventually(lambda: running.post("/api/chat", body).status == 200)
    assert stopped not in engines(running)


def test_a_check_that_hangs_says_so_and_the_others_answer(lull: Lull) -> None:
    running = lull.serve()
    with closing(sqlite3.connect(lull.home / "lull.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # for longer than the doctor waits
        ran = lull.run("doctor", "--json")
        other.execute("ROLLBACK")
    assert ran.code == 1
    checks = {one["name"]: one for one in ran.json["checks"]}
    assert "did not finish within 20 s" in checks["store"]["text"]
    assert not checks["store"]["ok"] and checks["store"]["serious"]
    assert all(checks[name]["ok"] for name in ("settings", "skills", "disk"))
    assert running.chat("list: apple")
