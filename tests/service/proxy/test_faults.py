"""Tests that a request passes and its answer comes back whatever part of Lull fails."""

from __future__ import annotations

import json
import resource
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lull.core.errors import StoreError
from lull.core.skills.prompt_block import Injection
from tests.eventually import eventually
from tests.service.in_process import Parts, aside, ask_aside
from tests.service.lulls import Before, lull_before
from tests.service.routes import asking
from tests.service.scripted_upstream import ScriptedUpstream, last_line, line

WHOLE = last_line("well said")[:-1]
ODD = b' {"model" :"any","stream":false,"messages":[ {"role":"user","content":"h\\u00e9"}]}\n'

# Real faults, in a service of its own


@pytest.fixture
def own(upstream: ScriptedUpstream, tmp_path: Path) -> Iterator[Before]:
    with lull_before(upstream.address, tmp_path / "home") as made:
        yield made


def _answers_as_ever(lull: Before, upstream: ScriptedUpstream) -> None:
    """Check a first turn, and one whose history is unknown, so that the store is asked."""
    history = [
        {"role": "user", "content": "long ago"},
        {"role": "assistant", "content": "indeed"},
        {"role": "user", "content": "and now"},
    ]
    for body in (ODD, json.dumps(asking("/api/chat", stream=False, messages=history)).encode()):
        reply = lull.ask("POST", "/api/chat", body)
        assert (reply.status, reply.body) == (200, WHOLE)
        assert upstream.last("/api/chat").body == body


@pytest.mark.slow
def test_a_database_that_was_removed_costs_no_answer(
    own: Before, upstream: ScriptedUpstream
) -> None:
    for file in own.home.glob("lull.db*"):
        file.unlink()
    _answers_as_ever(own, upstream)


@pytest.mark.slow
def test_a_database_that_became_rubbish_costs_no_answer(
    own: Before, upstream: ScriptedUpstream
) -> None:
    for name in ("lull.db", "lull.db-wal"):
        with (own.home / name).open("r+b") as file:
            file.write(b"rubbish" * 1000)
    _answers_as_ever(own, upstream)


@pytest.mark.slow
def test_a_database_that_another_holds_costs_no_answer(
    own: Before, upstream: ScriptedUpstream
) -> None:
    with closing(sqlite3.connect(own.home / "lull.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        _answers_as_ever(own, upstream)
        other.execute("ROLLBACK")
    assert len(own.new_turns(0, 2)) == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")
def test_a_full_disk_costs_no_answer(own: Before, upstream: ScriptedUpstream) -> None:
    pid = own.running.process.pid
    free = resource.prlimit(pid, resource.RLIMIT_FSIZE)  # type: ignore[attr-defined, unused-ignore]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, free[1]))  # type: ignore[attr-defined, unused-ignore]
    try:
        _answers_as_ever(own, upstream)
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, free)  # type: ignore[attr-defined, unused-ignore]
    before = len(own.turns())
    _answers_as_ever(own, upstream)
    own.new_turns(before)


# Faulty parts, handed to the data plane

FAULTS = [
    RuntimeError("bug"),
    StoreError("gone"),
    KeyError("x"),
    sqlite3.OperationalError("locked"),
]


@pytest.mark.logs("a fault of Lull's own")
@pytest.mark.parametrize("part", ["open", "record", "remote", "tell"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
async def test_a_part_that_fails_costs_no_answer(
    here: str, parts: Parts, upstream: ScriptedUpstream, part: str, fault: Exception
) -> None:
    parts.raises[part] = fault
    parts.injection = Injection(system="" if part == "tell" else "S")
    reply = await ask_aside(here, "POST", "/api/chat", ODD)
    assert (reply.status, reply.body) == (200, WHOLE)
    sent = upstream.last("/api/chat").body
    assert sent == ODD or part == "record"


@pytest.mark.logs("a fault of Lull's own")
@pytest.mark.parametrize("path", ["/api/show", "/api/tags", "/v1/models/any"])
async def test_listings_that_fail_are_the_upstreams(
    here: str, parts: Parts, upstream: ScriptedUpstream, path: str
) -> None:
    parts.raises["names"] = RuntimeError("bug")
    upstream.script = lambda asked: asked.answer(200, b"theirs")
    method = "POST" if path == "/api/show" else "GET"
    assert (await ask_aside(here, method, path, ODD)).status == 200
    # Lull itself also lists the upstream's models now and then, without a body.
    assert ODD in [asked.body for asked in upstream.asked if asked.path == path]


async def test_a_torn_last_line_is_recorded_as_broken(
    here: str, parts: Parts, upstream: ScriptedUpstream
) -> None:
    def torn(asked: Any) -> None:
        asked.begin()
        asked.say(line("one") + b'{"model":"any","mess')
        asked.end()

    upstream.script = torn
    assert (await ask_aside(here, "POST", "/api/chat", asking("/api/chat"))).status == 200
    await aside(lambda: eventually(lambda: parts.recorded))
    assert (parts.recorded[0].finish, parts.recorded[0].message.text) == ("error", "one")
