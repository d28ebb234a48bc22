"""Tests of promotion and rollback on a real engine: no answer is disturbed, nothing remains."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lull.backends.mlx.engine import MlxEngine
from lull.core.adapters.adapter import AdapterStatus
from lull.core.errors import AdapterError
from lull.core.models.engine import Token
from lull.service.builtin.model import WhichAdapter
from lull.service.proxy.dialects import CHAT_ROUTES
from tests.engine.conftest import Tiny, asking, collect, engine, tiny  # noqa: F401  (fixtures)
from tests.loops.adapters.house import POCKET, House

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

PROMPT = [(5 * i) % 250 + 3 for i in range(40)]


@pytest_asyncio.fixture(loop_scope="session")
async def tiny_house(tmp_path: Path, tiny: Tiny, engine: MlxEngine) -> AsyncIterator[House]:  # noqa: F811
    """A house that serves the tiny model, whose answers never end by themselves."""
    made = House(tmp_path / "home", engine, model_dir=tiny.model)
    await made.serve_pocket()
    await made.bring("adapter_a", Path(tiny.adapter("a")))
    await made.bring("adapter_b", Path(tiny.adapter("b")))
    yield made
    await made.host.keep_only(POCKET, [])
    await made.close()


def chat(*, stream: bool = True) -> bytes:
    body = {
        "model": POCKET,
        "stream": stream,
        "options": {"temperature": 1.2, "seed": 5, "num_predict": 150},
        "messages": [{"role": "user", "content": "the cat sat on the mat"}],
    }
    return json.dumps(body).encode()


async def said(house: House, adapter: WhichAdapter | str | None = WhichAdapter.PUBLISHED) -> str:
    answer = await house.local.answer(CHAT_ROUTES["/api/chat"], chat(), adapter=adapter)
    assert answer.status == 200
    return text([line async for line in answer.chunks])


def text(lines: list[bytes]) -> str:
    words = [json.loads(line) for line in b"".join(lines).splitlines()]
    assert words[-1]["done"] is True
    return "".join(word["message"]["content"] for word in words)


async def logprobs(house: House, version: str | None) -> tuple[Token, ...]:
    """Tokens of the greedy answer to a fixed prompt, each with its eight best log probabilities."""
    request = asking(PROMPT, adapter=version, temperature=0.0, max_tokens=25, logprobs=8)
    return (await collect(house.engine, request)).tokens


async def test_a_stream_ends_on_the_adapter_it_began_with(tiny_house: House) -> None:
    house = tiny_house
    await house.promote.promote("adapter_a", why="first")
    alone = await said(house)
    answer = await house.local.answer(CHAT_ROUTES["/api/chat"], chat())
    stream = aiter(answer.chunks)
    begun = [await anext(stream) for _ in range(5)]
    await house.promote.promote("adapter_b", why="second")
    new = await said(house)
    rest = [line async for line in stream]
    assert text([*begun, *rest]) == alone
    assert new != alone
    assert house.serving == house.adapters.get("adapter_b").sha256


async def test_a_request_stamped_before_a_flip_and_begun_after_it_is_served(
    tiny_house: House,
) -> None:
    house = tiny_house
    await house.promote.promote("adapter_a", why="first")
    stamped = house.serving
    alone = await said(house)
    await house.promote.promote("adapter_b", why="second")
    assert await said(house, stamped) == alone


@pytest.mark.full
async def test_many_requests_during_many_flips_are_each_whole(tiny_house: House) -> None:
    house = tiny_house
    known = set()
    for name in ("adapter_a", "adapter_b"):
        await house.promote.promote(name, why="known")
        known.add(await said(house))
    known.add(await said(house, None))

    async def client() -> list[str]:
        return [await said(house) for _ in range(6)]

    async def flips() -> None:
        for name in ("adapter_a", "adapter_b", "adapter_a"):
            await house.promote.promote(name, why="again")
        await house.promote.to_base(POCKET, why="base")

    answers, _ = await asyncio.gather(asyncio.gather(*(client() for _ in range(3))), flips())
    assert {answer for one in answers for answer in one} <= known


async def test_after_the_way_back_log_probabilities_differ_by_nothing(tiny_house: House) -> None:
    house = tiny_house
    base = await logprobs(house, None)
    await house.promote.promote("adapter_a", why="first")
    before = await logprobs(house, house.serving)
    assert before != base
    await house.promote.promote("adapter_b", why="second")
    assert await logprobs(house, house.serving) != before
    await house.promote.roll_back(POCKET, why="back")
    assert house.adapters.in_force(POCKET).active == "adapter_a"
    after = await logprobs(house, house.serving)
    assert max(abs(a.logprob - b.logprob) for a, b in zip(before, after, strict=True)) == 0.0
    assert after == before
    await house.promote.roll_back(POCKET, why="back")
    assert house.serving is None
    assert await logprobs(house, house.serving) == base


async def test_a_damaged_file_is_found_before_it_is_served(tiny_house: House) -> None:
    house = tiny_house
    await house.promote.promote("adapter_a", why="first")
    await house.promote.promote("adapter_b", why="second")
    weights = house.files.folder("adapter_b") / "adapters.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(bytes(data))
    alone = await said(house, house.adapters.get("adapter_a").sha256)
    await house.restart()
    assert house.adapters.in_force(POCKET).active == "adapter_a"
    assert house.adapters.get("adapter_b").status is AdapterStatus.ROLLED_BACK
    assert "adapter_b" in house.problems[POCKET].detail
    assert await said(house) == alone
    with pytest.raises(AdapterError, match="not what was trained"):
        await house.promote.promote("adapter_b", why="again")
    assert house.adapters.in_force(POCKET).active == "adapter_a"
