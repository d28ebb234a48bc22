"""Tests that a hundred compressed bodies leave no memory in a real service and its children."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
import zstandard

from tests.eventually import eventually
from tests.running import RunningLull
from tests.service.scripted_upstream import Asked, ScriptedUpstream, reply_natively

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system decides"),
]

MIB = 1 << 20
BOMBS = 100
AT_ONCE = 4
MOST_BYTES = 16 * MIB
"""Most memory that may be left: a quarter of what is promised, and more than chance makes of it."""
PATHS = ("/api/chat", "/v1/chat/completions", "/v1/responses", "/v1/messages")
Bomb = tuple[str, bytes]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningLull]:
    def answers(asked: Asked) -> None:
        packed = asked.header("Content-Encoding") is not None
        body, asked.body = asked.body, b""  # it would be kept here, a hundred times
        if packed or asked.path != PATHS[0]:
            asked.answer(200, {"model": "any", "done": True, "message": {"content": "well"}})
            return
        asked.body = body
        reply_natively(asked)

    with ScriptedUpstream() as upstream:
        upstream.script = answers
        with RunningLull.cleaned_up(tmp_path / "home", upstream=upstream.address) as lull:
            yield lull.serve(anew=True)


def chat(*texts: str, **more: object) -> bytes:
    said = [{"role": "user", "content": text} for text in texts]
    return json.dumps({"model": "any", "stream": False, "messages": said, **more}).encode()


def damaged(packed: bytes) -> bytes:
    return packed[: len(packed) // 2] + bytes(99) + packed[len(packed) // 2 + 99 :]


def kinds() -> list[Bomb]:
    """Return bodies in every encoding: read, refused, too long, damaged and cut off."""
    noise = random.Random(1).randbytes(30_000_000)
    hexed = noise[:2_000_000].hex()
    zstd = [
        bytes(500 * MIB),
        chat("word and more " * 1_100_000),
        chat("word and more " * 1_200_000),
        chat(*(f"number {n}" for n in range(20_000))),
        chat("hi", n=[*range(1_100_000)]),
        chat("hi", n=[[]] * 5_000_000),
        b"[" * 15_000_000,
        chat(hexed),
    ]
    whole = [("zstd", zstandard.compress(body)) for body in zstd]
    text = chat("word and more " * 4_000_000)
    return [
        *whole,
        ("zstd", damaged(whole[-1][1])),
        ("zstd", whole[-1][1][:-9]),
        ("zstd", noise),
        ("gzip", gzip.compress(text, 1)),
        ("gzip", noise),
        ("gzip", damaged(gzip.compress(chat(hexed), 1))),
        ("deflate", zlib.compress(text, 1)),
        ("deflate", noise[:15_000_000]),
        ("br", noise[:20_000_000]),
        ("identity", whole[0][1]),
    ]


def held(running: RunningLull) -> int:
    """The memory of the service and of its children; what they share counts once."""
    service = psutil.Process(running.process.pid)
    found = 0
    for one in (service, *service.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess, FileNotFoundError):
            found += one.memory_full_info().pss
    return found


def held_alone(running: RunningLull) -> int | None:
    """The service's memory once its reader of long bodies, which all of them need, has left."""
    children = psutil.Process(running.process.pid).children()
    return None if children else held(running)


def test_a_hundred_packed_bodies_leave_no_memory_behind(running: RunningLull) -> None:
    made = kinds()

    def send(number: int) -> int:
        encoding, body = made[number % len(made)]
        path = PATHS[number // len(made) % len(PATHS)]
        return running.post(path, body, {"Content-Encoding": encoding}).status

    assert running.post(PATHS[0], chat("hello")).status == 200
    assert send(0) == 200
    before = eventually(lambda: held_alone(running))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert {*pool.map(send, range(BOMBS))} == {200}
    eventually(lambda: held_alone(running))
    eventually(lambda: held(running) - before, lambda more: more < MOST_BYTES)
    assert running.post(PATHS[0], chat("hello")).status == 200
