"""Tests of many long requests at once: only so many of their bytes are made ready for the store."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import string
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import psutil
import pytest
import zstandard

from lull.service.proxy.long import bodies
from lull.service.proxy.long.bodies import LongBodies
from lull.service.proxy.long.reader import Answer, LongReader
from lull.store.chat.recording import Prepared
from tests.eventually import eventually

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
    return request_of([f"{text} {n}" for n in range(2_000)])


def request_of(texts: Sequence[str]) -> bytes:
    said = [{"role": "user", "content": text} for text in texts]
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


@pytest.mark.skipif(sys.platform != "linux", reason="kills a fork while it writes")
@pytest.mark.logs("stored without its older messages")
async def test_what_prepares_a_record_costs_only_what_it_had_not_made_when_it_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers, killed = LongReader.answers, list[int]()

    async def killed_over_the_second(
        self: LongReader, op: str, *rest: Any
    ) -> AsyncIterator[Answer]:
        async for answer in answers(self, op, *rest):
            if op == "keep" and not killed:
                killed.append(self.pid)
                await asyncio.to_thread(kill_while_it_writes, self.pid)
            yield answer

    monkeypatch.setattr(LongReader, "answers", killed_over_the_second)
    long = bodies_of(lambda links: links)
    try:
        body = request_of([words(80_000) for _ in range(4)])
        async with long.reading(body, route="/api/chat", encoding="identity", client="c") as one:
            reader, record = long.pid, one.prepare_record()
        kept = [json.loads(zstandard.decompress(piece))[0] for piece in (await record).pieces]
        assert len(kept) in (1, 2)
        assert long.pid == reader
    finally:
        await long.close()


def words(count: int) -> str:
    """Return words that no compression makes small."""
    chance = random.Random(count)
    return " ".join("".join(chance.choices(string.ascii_lowercase, k=5)) for _ in range(count))


def kill_while_it_writes(reader: int) -> None:
    """Kill the fork of the reader in the middle of a frame, larger than what a pipe takes."""
    os.kill(reader, signal.SIGSTOP)
    (fork,) = psutil.Process(reader).children()
    eventually(lambda: fork.status() == psutil.STATUS_SLEEPING)
    fork.kill()
    os.kill(reader, signal.SIGCONT)
