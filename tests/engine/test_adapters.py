"""Tests of several adapter versions of one model in the engine: loaded, side by side, dropped."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from lull.backends.mlx.engine import MlxEngine
from lull.core.errors import RequestError
from tests.engine.conftest import Tiny, asking, collect

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

PROMPT = [(5 * i) % 250 + 3 for i in range(40)]


async def test_each_version_says_what_mlx_lm_says_with_it(engine: MlxEngine, tiny: Tiny) -> None:
    await engine.load_adapter("one-a", tiny.adapter("a"))
    await engine.load_adapter("one-b", tiny.adapter("b"))
    for version, name in (("one-a", "a"), (None, None), ("one-b", "b"), ("one-a", "a")):
        request = asking(PROMPT, adapter=version, temperature=0.0, max_tokens=20)
        answer = await collect(engine, request)
        assert answer.ids == tiny.greedy(PROMPT, 20, name)
        forced = tiny.logprobs(PROMPT, answer.ids, name)
        assert [token.logprob for token in answer.tokens] == pytest.approx(forced, abs=1e-4)


async def test_versions_and_base_side_by_side_say_what_each_says_alone(
    engine: MlxEngine, tiny: Tiny
) -> None:
    await engine.load_adapter("two-a", tiny.adapter("a"))
    await engine.load_adapter("two-b", tiny.adapter("b"))
    requests = [
        asking(PROMPT[: 10 + i], adapter=version, seed=i, max_tokens=40)
        for i, version in enumerate(["two-a", None, "two-b", None, "two-b", "two-a"])
    ]
    alone = [await collect(engine, request) for request in requests]
    together = await asyncio.gather(*(collect(engine, request) for request in requests))
    assert [answer.ids for answer in together] == [answer.ids for answer in alone]


async def test_after_a_rollback_the_base_differs_by_nothing(engine: MlxEngine, tiny: Tiny) -> None:
    request = asking(PROMPT, temperature=0.0, max_tokens=25, logprobs=8)
    before = await collect(engine, request)
    await engine.load_adapter("three", tiny.adapter("a"))
    tuned = await collect(engine, asking(PROMPT, adapter="three", temperature=0.0, max_tokens=25))
    await engine.drop_adapter("three")
    after = await collect(engine, request)
    assert tuned.ids != before.ids
    assert after.tokens == before.tokens


@pytest.mark.full
async def test_an_answer_keeps_the_version_it_began_with(engine: MlxEngine, tiny: Tiny) -> None:
    await engine.load_adapter("four", tiny.adapter("a"))
    request = asking(PROMPT, adapter="four", seed=5, temperature=1.2, max_tokens=150)
    expected = await collect(engine, request)
    answers = engine.generate(request)
    ids = [token.id for token in (await anext(answers)).tokens]
    await engine.load_adapter("four", tiny.adapter("b"))
    flipped = await collect(engine, request)
    await engine.drop_adapter("four")
    async for chunk in answers:
        ids += [token.id for token in chunk.tokens]
    assert ids == expected.ids
    assert flipped.ids != expected.ids


async def test_dropped_versions_are_gone(engine: MlxEngine, tiny: Tiny) -> None:
    await engine.load_adapter("five", tiny.adapter("a"))
    assert "five" in (await engine.status()).adapters
    await engine.drop_adapter("five")
    assert "five" not in (await engine.status()).adapters
    with pytest.raises(RequestError, match="five"):
        await collect(engine, asking(PROMPT, adapter="five"))


async def test_the_file_may_go_once_it_is_loaded(
    engine: MlxEngine, tiny: Tiny, tmp_path: Path
) -> None:
    shutil.copytree(tiny.adapter("a"), tmp_path / "gone")
    await engine.load_adapter("six", str(tmp_path / "gone"))
    shutil.rmtree(tmp_path / "gone")
    request = asking(PROMPT, adapter="six", temperature=0.0, max_tokens=10)
    assert (await collect(engine, request)).ids == tiny.greedy(PROMPT, 10, "a")


@pytest.mark.parametrize("length", [1, 7, 100])
@pytest.mark.parametrize("other", [[], [9], [5, *PROMPT], [(5 * i) % 250 + 3 for i in range(150)]])
async def test_the_distance_of_two_versions_is_what_one_forward_says(
    engine: MlxEngine, tiny: Tiny, length: int, other: list[int]
) -> None:
    await engine.load_adapter("seven-a", tiny.adapter("a"))
    await engine.load_adapter("seven-b", tiny.adapter("b"))
    answer = [(7 * i) % 250 + 3 for i in range(length)]
    for p, q in (("a", None), ("b", "a"), (None, "b")):
        versions = [f"seven-{name}" if name else None for name in (p, q)]
        nats = await engine.divergence(
            PROMPT, answer, adapter=versions[0], against=versions[1], against_prompt_ids=other
        )
        known = tiny.ask(
            "divergence",
            prompt=PROMPT,
            answer=answer,
            adapter=p,
            against=q,
            other_prompt=other or PROMPT,
        )
        assert list(nats) == pytest.approx(known, abs=1e-4)
        assert max(nats) > 0.001


@pytest.mark.parametrize("length", [1, 7, 100])
@pytest.mark.parametrize("prompt", [PROMPT, [(5 * i) % 250 + 3 for i in range(150)]])
async def test_an_answer_is_as_likely_as_one_forward_says(
    engine: MlxEngine, tiny: Tiny, length: int, prompt: list[int]
) -> None:
    await engine.load_adapter("nine", tiny.adapter("a"))
    answer = [(7 * i) % 250 + 3 for i in range(length)]
    found = []
    for name, version in (("a", "nine"), (None, None)):
        logs = await engine.answer_logprobs(prompt, answer, adapter=version)
        known = tiny.ask("logprobs", prompt=prompt, answer=answer, adapter=name)
        assert list(logs) == pytest.approx(known, abs=1e-4)
        found.append(sum(logs))
    assert abs(found[0] - found[1]) > 0.001


async def test_answers_do_not_wait_for_a_comparison(engine: MlxEngine, tiny: Tiny) -> None:
    await engine.load_adapter("eight", tiny.adapter("a"))
    request = asking(PROMPT, adapter="eight", seed=5, temperature=1.2, max_tokens=30)
    expected = await collect(engine, request)
    long = [(3 * i) % 250 + 3 for i in range(400)]
    comparison = asyncio.create_task(engine.divergence(PROMPT, long, adapter="eight"))
    assert (await collect(engine, request)).ids == expected.ids
    assert len(await comparison) == len(long)
    cancelled = asyncio.create_task(engine.divergence(PROMPT, long, adapter="eight"))
    await asyncio.sleep(0)
    cancelled.cancel()
    assert (await collect(engine, request)).ids == expected.ids


@pytest.mark.parametrize("damage", ["missing", "config", "short", "shape", "layer"])
async def test_an_adapter_that_does_not_fit_is_refused_in_words(
    engine: MlxEngine, tiny: Tiny, tmp_path: Path, damage: str
) -> None:
    folder = tmp_path / "adapter"
    shutil.copytree(tiny.adapter("a"), folder)
    weights, config = folder / "adapters.safetensors", folder / "adapter_config.json"
    match damage:
        case "missing":
            weights.unlink()
        case "config":
            config.write_text(json.dumps({"fine_tune_type": "full"}))
        case "short":
            weights.write_bytes(weights.read_bytes()[:-100])
        case "shape":
            weights.write_bytes(weights.read_bytes().replace(b"[32,4]", b"[16,8]"))
        case "layer":
            weights.write_bytes(weights.read_bytes().replace(b"layers.1.", b"layers.7."))
    with pytest.raises(RequestError, match="cannot be used"):
        await engine.load_adapter("bad", str(folder))
    assert "bad" not in (await engine.status()).adapters
