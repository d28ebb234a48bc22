"""Measures swapping trained adapters on the serving engine, and whether the old state comes back
exactly.

Also the sampling of groups, which is the engine's work.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from pathlib import Path
from typing import Any

from bench.trainer.batches import ANSWER_TOKENS, PROMPT_TOKENS, ids
from lull.backends.mlx.engine import MlxEngine
from lull.core.chat.messages import Sampling
from lull.core.models.engine import GenerateRequest

Row = dict[str, Any]


def sampling(model: Path, groups: int, seed: int) -> Row:
    """Measure sampling groups of four answers to random prompts in parallel, with exact
    log-probabilities.
    """
    return asyncio.run(_sampling(model, groups, random.Random(seed)))


async def _sampling(model: Path, groups: int, chance: random.Random) -> Row:
    engine = MlxEngine(model)
    await engine.start()
    try:
        prompts = [ids(chance, PROMPT_TOKENS) for _ in range(groups)]
        await _answer(engine, prompts[0], seed=0)
        began_s = time.perf_counter()
        made = await asyncio.gather(
            *(
                _answer(engine, prompt, seed=number * 4 + sample)
                for number, prompt in enumerate(prompts)
                for sample in range(4)
            )
        )
        took_s = time.perf_counter() - began_s
        memory_mb = (await engine.status()).memory_mb
    finally:
        await engine.close()
    tokens = sum(len(one) for one in made)
    return {
        "work": "group sampling, by the engine",
        "tokens_s": round(tokens / took_s),
        "tokens": tokens,
        "peak_mb": round(memory_mb, 1),
    }


async def _answer(
    engine: MlxEngine, prompt: tuple[int, ...], *, seed: int, adapter: str | None = None
) -> list[tuple[int, float]]:
    request = GenerateRequest(
        prompt_ids=prompt,
        sampling=Sampling(temperature=1.0, top_p=1.0, max_tokens=ANSWER_TOKENS, seed=seed),
        adapter=adapter,
        logprobs=0,
    )
    return [
        (token.id, token.logprob)
        async for chunk in engine.generate(request)
        for token in chunk.tokens
    ]


def swapped(model: Path, first: Path, second: Path, times: int) -> list[Row]:
    """Swap between two adapters and back to the first and the base, several times, and measure each
    swap.
    """
    return asyncio.run(_swapped(model, first, second, times))


async def _swapped(model: Path, first: Path, second: Path, times: int) -> list[Row]:
    engine = MlxEngine(model)
    await engine.start()
    chance = random.Random(3)
    prompts = [ids(chance, PROMPT_TOKENS) for _ in range(8)]

    async def all_of(version: str | None) -> list[list[tuple[int, float]]]:
        return [await _answer(engine, p, seed=7, adapter=version) for p in prompts]

    async def took(version: str, folder: Path) -> float:
        """Until its first answer: loading, and warming it."""
        began_s = time.perf_counter()
        await engine.load_adapter(version, str(folder))
        await _answer(engine, prompts[0][:2], seed=1, adapter=version)
        return time.perf_counter() - began_s

    swaps, backs, worst, moved = [], [], 0.0, False
    try:
        await took("first", first)
        base, before = await all_of(None), await all_of("first")
        for number in range(times):
            swaps.append(await took(f"second-{number}", second))
            moved = moved or await all_of(f"second-{number}") != before
            await engine.drop_adapter("first")
            backs.append(await took("first", first))
            await engine.drop_adapter(f"second-{number}")
            worst = max(worst, _apart(await all_of("first"), before))
            worst = max(worst, _apart(await all_of(None), base))
    finally:
        await engine.close()
    if not moved:
        raise RuntimeError("the second adapter answers as the first: nothing was compared")
    return [
        {"work": "adapter swap, with its first answer", "p50_s": _middle(swaps), "times": times},
        {
            "work": "way back, with its first answer",
            "p50_s": _middle(backs),
            "times": times,
            "logprob_difference": worst,
        },
    ]


def _apart(a: list[list[tuple[int, float]]], b: list[list[tuple[int, float]]]) -> float:
    """Return the largest difference of log-probabilities; 1 if the tokens differ."""
    if [[token for token, _ in one] for one in a] != [[token for token, _ in one] for one in b]:
        return 1.0
    return max(
        abs(x - y)
        for one, other in zip(a, b, strict=True)
        for (_, x), (_, y) in zip(one, other, strict=True)
    )


def _middle(times_s: list[float]) -> float:
    return round(statistics.median(times_s), 4)
