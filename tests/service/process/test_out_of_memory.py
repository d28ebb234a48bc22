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

from lull.backends.retrieval.chroma_process import ChromaProcess
from lull.backends.retrieval.embedder import HashedNgrams
from lull.contract import routes
from lull.contract.json_object import Json
from tests.eventually import eventually
from tests.running import Answer, Lull, RunningLull
from tests.service.control.socket_client import ControlSocket
from tests.service.process.killed.street import COOK, Cook
from tests.starving import may_starve, starve

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform != "linux", reason="limits another process as Linux does"),
]

ENGINE, READS_LONG = "lull.engine.main", "proxy.long.child"
KEEPS = "retrieval.chroma_child"


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


def test_a_keeper_of_past_requests_without_memory_is_replaced(lull: Lull, tmp_path: Path) -> None:
    with Cook() as cook:
        lull.upstream = cook.address
        running = lull.serve(env=may_starve(tmp_path / "site"))
        eventually(lambda: lull.ask("status")["upstream"]["ok"])
        rated = [rated_good(running, lull, "write a menu for apple")]
        starved = eventually(lambda: child(running, KEEPS))
        starve(starved)
        while child(running, KEEPS) == starved:
            rated.append(rated_good(running, lull, f"write a menu for {len(rated)} pears"))
        assert lull.ask("status")["problems"] == []
        running.stop()
    assert kept(lull) == {f"{turn}:" for turn in rated}


def test_where_no_past_request_can_be_kept_now_it_is_said_and_kept_later(
    lull: Lull, tmp_path: Path
) -> None:
    site, short = tmp_path / "site", tmp_path / "short"
    env = may_starve(site)
    (site / "sitecustomize.py").write_text(STARVED_FROM_THE_START.format(short=str(short)))
    with Cook() as cook:
        lull.upstream = cook.address
        running = lull.serve(env=env)
        eventually(lambda: lull.ask("status")["upstream"]["ok"])
        short.touch()
        rated = [rated_good(running, lull, "write a menu for apple")]
        (problem,) = lull.ask("status")["problems"]
        assert "past requests" in problem["detail"] and "memory" in problem["hint"]
        rated.append(rated_good(running, lull, "write a menu for pear"))
        short.unlink()
        rated.append(rated_good(running, lull, "write a menu for plum"))
        assert lull.ask("status")["problems"] == []
        running.stop()
    assert kept(lull) == {f"{turn}:" for turn in rated}


@pytest.mark.parametrize("restarts", [False, True])
def test_a_rating_that_is_taken_back_counts_where_no_past_request_can_be_removed_now(
    lull: Lull, tmp_path: Path, restarts: bool
) -> None:
    site, short = tmp_path / "site", tmp_path / "short"
    env = may_starve(site)
    (site / "sitecustomize.py").write_text(STARVED_FROM_THE_START.format(short=str(short)))
    with Cook() as cook:
        lull.upstream = cook.address
        running = lull.serve(env=env)
        eventually(lambda: lull.ask("status")["upstream"]["ok"])
        bad, excluded, good = [rated_good(running, lull, f"write a menu for {w}") for w in FRUITS]
        eventually(lambda: child(running, KEEPS) is None)  # it leaves where nothing is kept
        short.touch()
        socket = ControlSocket(lull.home)
        said = socket.ask("POST", routes.RATE.format(id=bad), {"label": "bad"})
        assert said.status == 200 and said.json["label"] == "bad", said
        path = routes.CONVERSATION_EXCLUDE.format(id=conversation_of(socket, excluded))
        assert socket.ask("POST", path, {"excluded": True}).status == 200
        (problem,) = lull.ask("status")["problems"]
        assert "past requests" in problem["detail"] and "memory" in problem["hint"]
        if restarts:
            running.kill()
        short.unlink()
        if restarts:
            running = lull.serve(env=env)
            eventually(lambda: child(running, KEEPS))
            eventually(lambda: child(running, KEEPS) is None)  # the memory was opened
        another = rated_good(running, lull, "write a menu for quince")
        eventually(lambda: lull.ask("status")["problems"], lambda found: not found)
        running.stop()
    assert kept(lull) == {f"{turn}:" for turn in (good, another)}


def test_a_good_rating_without_the_keepers_memory_is_kept_at_the_next_start(
    lull: Lull, tmp_path: Path
) -> None:
    site, short = tmp_path / "site", tmp_path / "short"
    env = may_starve(site)
    (site / "sitecustomize.py").write_text(STARVED_FROM_THE_START.format(short=str(short)))
    with Cook() as cook:
        lull.upstream = cook.address
        short.touch()
        running = lull.serve(env=env)
        eventually(lambda: lull.ask("status")["upstream"]["ok"])
        good = [rated_good(running, lull, f"write a menu for {word}") for word in FRUITS]
        (problem,) = lull.ask("status")["problems"]
        assert "past requests" in problem["detail"] and "memory" in problem["hint"]
        running.kill()
        short.unlink()
        running = lull.serve(env=env)
        eventually(lambda: child(running, KEEPS))
        eventually(lambda: child(running, KEEPS) is None)  # what waited was stored
        running.stop()
    assert kept(lull) == {f"{turn}:" for turn in good}


FRUITS = ("apple", "pear", "plum")
STARVED_FROM_THE_START = """
import os, resource, sys
if os.path.exists({short!r}) and any("chroma_child" in word for word in sys.orig_argv):
    resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20))
"""
"""Program that leaves the keeper of past requests no memory to start, while a file is there."""


def rated_good(running: RunningLull, lull: Lull, text: str) -> str:
    """Ask, rate the answer good, and return the id of its turn."""
    socket = ControlSocket(lull.home)
    assert asks(running, text, model=COOK).status == 200
    (turn,) = eventually(lambda: [t["id"] for t in turns(socket) if t["request"] == text])
    said = socket.ask("POST", routes.RATE.format(id=turn), {"label": "good"})
    assert said.status == 200, said
    return str(turn)


def conversation_of(socket: ControlSocket, turn: str) -> str:
    conversation: str = socket.get(routes.TURN.format(id=turn))["conversation"]
    return conversation


def turns(socket: ControlSocket) -> list[Json]:
    listed = socket.get(f"{routes.CONVERSATIONS}?limit=200")["conversations"]
    each = [socket.get(routes.CONVERSATION.format(id=one["id"]))["turns"] for one in listed]
    return [*itertools.chain.from_iterable(each)]


def kept(lull: Lull) -> set[str]:
    """Return the ids of the past requests that a stopped service left."""
    store = ChromaProcess(lull.home / "vectors", HashedNgrams.name)
    try:
        return set(store.ids())
    finally:
        store.close()
