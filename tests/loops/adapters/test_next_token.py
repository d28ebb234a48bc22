"""Tests of asking Lull's own engine for its next token, to compare it with Ollama's."""

from __future__ import annotations

import math

from lull.core.adapters.published import LOGPROBS_COMPARED
from lull.loops.adapters.next_token import next_token
from tests.doubles.fake_engine import FakeEngine


async def test_the_likeliest_token_comes_with_its_alternatives_in_falling_order() -> None:
    engine = FakeEngine(lambda _: "blue sky")
    await engine.load_adapter("a", "nowhere")
    found = await next_token(engine, "The sky is", "a")
    assert found.text == "blue"
    assert len(found.logprobs) == LOGPROBS_COMPARED and found.logprobs[0] == math.log(0.5)
    assert list(found.logprobs) == sorted(found.logprobs, reverse=True)
    (asked,) = engine.requests
    assert (asked.prompt, asked.sampling.temperature, asked.sampling.max_tokens) == (
        "The sky is",
        0.0,
        1,
    )
