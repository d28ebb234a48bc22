"""Tests of the engine's process: it starts when needed, may crash, and ends with its parent."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lull.backends.mlx.engine import EngineOptions, MlxEngine, UncheckedReloads, engine_command
from lull.contract.engine_frames import MemoryLimits
from lull.core.backoff import Backoff
from lull.core.errors import EngineDown, EngineError, RequestError
from lull.core.models.engine import GenerateRequest
from tests.engine.conftest import Tiny, Whole, asking, collect
from tests.eventually import PATIENCE_S

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="session")]
Make = Callable[..., MlxEngine]

NEVER_READY = asking([10, 20, 30], temperature=0.0, max_tokens=480, logprobs=250)
"""A request whose answer never ends while nobody reads it, however late the engine is killed.

The answer repeats itself, and a socket holds only a fraction of it.
"""


@pytest_asyncio.fixture(loop_scope="session")
async def make() -> AsyncIterator[Make]:
    """A function that starts engines, which are closed at the end of the test."""
    made: list[MlxEngine] = []

    def begin(folder: Path, **more: Any) -> MlxEngine:
        made.append(MlxEngine(folder, **more))
        return made[-1]

    yield begin
    for engine in made:
        await engine.close()


@pytest.mark.full
@pytest.mark.logs("the engine stopped")
async def test_a_killed_engine_tells_the_waiting_and_comes_back_with_its_adapters(
    make: Make,
    tiny: Tiny,
) -> None:
    engine = make(tiny.model, backoff=Backoff(first_s=0.2))
    await engine.load_adapter("kept", tiny.adapter("a"))
    request = asking([9, 9], adapter="kept", temperature=0.0, max_tokens=5)
    before = await collect(engine, request)
    answers = engine.generate(NEVER_READY)
    await anext(answers)
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    with pytest.raises(EngineDown, match="signal 9"):
        async for _ in answers:
            pass
    with pytest.raises(EngineDown, match="restarted"):
        await collect(engine, request)
    assert not (await engine.status()).loaded
    async with asyncio.timeout(PATIENCE_S):
        answer = None
        while answer is None:
            await asyncio.sleep(0.05)
            answer = await _answer_or_none(engine, request)
    assert answer.tokens == before.tokens


@pytest.mark.full
@pytest.mark.logs("the engine stopped")
async def test_a_restarted_engine_answers_nobody_before_it_has_its_adapters(
    make: Make, tiny: Tiny
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Held(UncheckedReloads):
        def damage_of(self, sha256: str, folder: str) -> str:
            begun.set()
            go_on.wait(PATIENCE_S)
            return ""

    engine = make(tiny.model, reloads=Held(), backoff=Backoff(first_s=0.01))
    await engine.load_adapter("kept", tiny.adapter("a"))
    request = asking([9, 9], adapter="kept", temperature=0.0, max_tokens=5)
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)
    try:
        with pytest.raises(EngineDown, match="restarted"):
            await collect(engine, request)
    finally:
        go_on.set()
    async with asyncio.timeout(PATIENCE_S):
        while await _answer_or_none(engine, request) is None:  # noqa: ASYNC110  it tells nobody
            await asyncio.sleep(0.05)


@pytest.mark.full
@pytest.mark.logs("somebody had stopped it", "the engine stopped")
async def test_an_engine_that_somebody_stopped_is_replaced(make: Make, tiny: Tiny) -> None:
    engine = make(tiny.model, backoff=Backoff(first_s=0.2))
    answers = engine.generate(NEVER_READY)
    await anext(answers)
    stopped = engine.pid
    assert stopped is not None
    os.kill(stopped, signal.SIGSTOP)
    with pytest.raises(EngineDown, match="somebody had stopped it"):
        async for _ in answers:
            pass
    answer = None
    async with asyncio.timeout(PATIENCE_S):
        while answer is None:
            await asyncio.sleep(0.05)
            answer = await _answer_or_none(engine, asking([9, 9], max_tokens=2))
    assert engine.pid not in (None, stopped)


async def _answer_or_none(engine: MlxEngine, request: GenerateRequest) -> Whole | None:
    try:
        return await collect(engine, request)
    except EngineDown:
        return None


@pytest.mark.logs("the engine stopped", "stays off")
async def test_one_that_falls_again_and_again_is_left_lying_until_asked_for(
    make: Make, tmp_path: Path
) -> None:
    engine = make(
        tmp_path,
        command=(sys.executable, "-c", "raise SystemExit(3)"),
        backoff=Backoff(first_s=0.01, restarts=2),
    )
    with pytest.raises(EngineDown):
        await collect(engine, asking([1]))
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                await collect(engine, asking([1]))
            except EngineDown as error:
                if "3 times" in str(error):
                    break
            await asyncio.sleep(0.02)
    with pytest.raises(EngineDown, match="stopped"):
        await engine.start()


async def test_end_of_standard_input_ends_the_engine(tiny: Tiny) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [*engine_command(), "--socket", str(theirs.fileno()), "--model", str(tiny.model)]
        process = await asyncio.to_thread(
            subprocess.Popen,
            command,
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        with process:
            try:
                assert process.stdin is not None
                process.stdin.close()
                assert await asyncio.to_thread(process.wait, PATIENCE_S) == 0
            finally:
                process.kill()


@pytest.mark.full
async def test_closing_leaves_no_process(make: Make, tiny: Tiny) -> None:
    engine = make(tiny.model)
    first = asyncio.create_task(collect(engine, asking([4, 5], max_tokens=3, seed=1)))
    second = await collect(engine, asking([4, 5], max_tokens=3, seed=1))
    assert (await first).ids == second.ids
    assert second.last.load_s > 0
    pid = engine.pid
    assert pid is not None
    await engine.close()
    assert engine.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("damage", "names"),
    [
        ("folder", "no model folder"),
        ("config", "no config.json"),
        ("json", "config.json cannot be read as JSON"),
        ("weights", "no weights"),
        ("short", "model.safetensors is cut short"),
        ("header", "model.safetensors is damaged"),
        ("tokenizer", "no tokenizer.json"),
    ],
)
async def test_a_broken_model_folder_is_named(
    make: Make, tiny: Tiny, tmp_path: Path, damage: str, names: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny.model, folder)
    weights = folder / "model.safetensors"
    match damage:
        case "folder":
            shutil.rmtree(folder)
        case "config":
            (folder / "config.json").unlink()
        case "json":
            (folder / "config.json").write_text("{")
        case "weights":
            weights.unlink()
        case "short":
            weights.write_bytes(weights.read_bytes()[:-9])
        case "header":
            weights.write_bytes(b"\x20\0\0\0\0\0\0\0nonsense")
        case "tokenizer":
            (folder / "tokenizer.json").unlink()
    engine = make(folder)
    for _ in range(2):  # the second time from memory
        with pytest.raises(EngineError, match=names) as caught:
            await collect(engine, asking([1]))
        assert not isinstance(caught.value, EngineDown)
        assert caught.value.hint


@pytest.mark.full
async def test_an_unknown_kind_of_model_is_named(make: Make, tiny: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny.model, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "abacus"}))
    engine = make(folder)
    with pytest.raises(EngineError, match="abacus not supported"):
        await engine.start()
    shutil.copy(tiny.model / "config.json", folder / "config.json")
    await engine.start()
    assert (await engine.status()).loaded


@pytest.mark.full
async def test_a_small_batch_window_and_memory_still_serve_everyone(make: Make, tiny: Tiny) -> None:
    limits = MemoryLimits(memory_mb=1, cache_mb=1)
    options = EngineOptions(window_tokens=64, at_once=2, limits=limits)
    engine = make(tiny.model, options=options)
    requests = [asking([5 + i, 6], seed=i, max_tokens=10) for i in range(6)]
    answers = await asyncio.gather(*(collect(engine, request) for request in requests))
    assert all(answer.finish for answer in answers)
    with pytest.raises(RequestError, match="window is 64"):
        await collect(engine, asking([5] * 64))
    await engine.set_limits(MemoryLimits(memory_mb=512, cache_mb=64))
    assert (await engine.status()).memory_mb > 1
