"""Tests of many long requests at once: only so many of their bytes are made ready for the store."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import zstandard

from lull.service.proxy.long import bodies
from lull.service.proxy.long.bodies import LongBodies
from lull.service.proxy.long.reader import Answer, LongReader
from lull.store.chat.recording import Prepared

pytestmark = pytest.mark.slow

NOTHING_STORED = "Lull stops: a long request is stored without its messages"
NEWEST_STORED = "Lull stops: a long request is stored without its older messages"


async def never_hangs(pid: int, *, asked: Callable[[], bool]) -> str:
    await asyncio.Event().wait()
    return ""


@pytest.fixture
def gate() -> threading.Event:
    """An event that holds the store's answer back until it is set."""
    return threading.Event()


@pytest.fixture
async def long(gate: threading.Event) -> AsyncIterator[LongBodies]:
    def missing(links: str) -> str:
        gate.wait()
        return links

    made = bodies_of(missing)
    yield made
    gate.set()
    await made.close()


class Stored:
    """Stands in for the tables of stored requests."""

    def __init__(self, missing: Callable[[str], str]) -> None:
        self.missing = missing

    def has_tools(self, _mark: str) -> bool:
        return True


def bodies_of(missing: Callable[[str], str]) -> LongBodies:
    return LongBodies(
        key=b"k" * 32,
        limit=10_000_000,
        stored=Stored(missing),
        watch=never_hangs,
    )


def request(text: str) -> bytes:
    said = [{"role": "user", "content": f"{text} {n}"} for n in range(2_000)]
    return json.dumps({"model": "any", "messages": said}).encode()


async def record(
    long: LongBodies, text: str, *, encoding: str = "identity"
) -> asyncio.Future[Prepared]:
    body = request(text)
    if encoding == "zstd":
        body = zstandard.compress(body)
    async with long.reading(body, route="/api/chat", encoding=encoding, client="c") as one:
        return one.prepare_record()


@pytest.mark.full
@pytest.mark.logs("too many long requests at once")
async def test_what_is_too_much_at_once_is_stored_without_its_messages(
    long: LongBodies, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "MOST_RECORDED_BYTES", 1_000)
    first = await record(long, "one")
    assert not first.done()
    second = await record(long, "two")
    assert second.done() and second.result() == Prepared()
    gate.set()
    assert (await first).pieces
    third = await record(long, "three")
    assert (await third).pieces


@pytest.mark.logs("too many long requests at once")
async def test_a_packed_one_counts_as_unpacked(
    long: LongBodies, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "LINK_WEIGHT", 0)
    monkeypatch.setattr(bodies, "MOST_RECORDED_BYTES", len(request("one")) * 3 // 2)
    first = await record(long, "one", encoding="zstd")
    second = await record(long, "two", encoding="zstd")
    assert not first.done()
    assert second.done() and second.result() == Prepared()
    gate.set()
    assert (await first).pieces


@pytest.mark.full
async def test_a_few_are_all_stored_whole(long: LongBodies, gate: threading.Event) -> None:
    waiting = [await record(long, f"{n}") for n in range(5)]
    assert not any(one.done() for one in waiting)
    gate.set()
    assert all([(await one).pieces for one in waiting])


@pytest.mark.logs(NOTHING_STORED)
async def test_a_stop_while_the_store_is_asked_says_that_no_message_is_stored(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked, gate = threading.Event(), threading.Event()

    def missing(links: str) -> str:
        asked.set()
        gate.wait()
        return links

    long = bodies_of(missing)
    one = await record(long, "one")
    await asyncio.to_thread(asked.wait)
    await long.close()
    gate.set()
    assert await one == Prepared()
    assert caplog.messages == [NOTHING_STORED]


@pytest.mark.full
@pytest.mark.logs(NOTHING_STORED)
async def test_a_stop_before_the_first_piece_says_that_no_message_is_stored(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked = threading.Event()

    def missing(links: str) -> str:
        assert long.pid is not None
        os.kill(long.pid, signal.SIGSTOP)  # so that no piece comes, however fast it is
        asked.set()
        return links

    long = bodies_of(missing)
    one = await record(long, "one")
    await asyncio.to_thread(asked.wait)
    await long.wait_for_tasks(0.1)  # if it is not asked for pieces by then, the same is true
    await long.close()
    assert await one == Prepared()
    assert caplog.messages == [NOTHING_STORED]


@pytest.mark.logs(NEWEST_STORED)
async def test_a_stop_after_the_first_piece_keeps_it_and_says_that_older_ones_lack(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    came = asyncio.Event()
    answers = LongReader.answers

    async def one_piece(self: LongReader, op: str, *rest: Any) -> AsyncIterator[Answer]:
        async for answer in answers(self, op, *rest):
            yield answer
            if op == "keep":
                came.set()
                await asyncio.Event().wait()

    monkeypatch.setattr(LongReader, "answers", one_piece)
    long = bodies_of(lambda links: links)
    one = await record(long, "one")
    await came.wait()
    await long.close()
    assert len((await one).pieces) == 1
    assert caplog.messages == [NEWEST_STORED]
