"""Asks Lull's own engine for the next token after a prompt, to compare it with the next token that
Ollama gives for its copy of the same model.
"""

from __future__ import annotations

from lull.core.adapters.published import LOGPROBS_COMPARED
from lull.core.chat.messages import Sampling
from lull.core.errors import EngineError
from lull.core.models.engine import Engine, GenerateRequest
from lull.core.models.weight_work import NextToken


async def next_token(engine: Engine, prompt: str, adapter: str | None) -> NextToken:
    """Have Lull's own engine generate one token after a prompt, greedily (always the likeliest).

    Return the token with its most likely alternatives. The adapter must be loaded. Raises
    EngineError.
    """
    sampling = Sampling(temperature=0.0, max_tokens=1)
    asked = GenerateRequest(
        prompt=prompt, sampling=sampling, adapter=adapter, logprobs=LOGPROBS_COMPARED
    )
    chunks = [chunk async for chunk in engine.generate(asked)]
    tokens = [token for chunk in chunks for token in chunk.tokens]
    if not tokens:
        raise EngineError("The engine gave no answer.")
    return NextToken(
        text=tokens[0].text,
        logprobs=tuple(sorted((one for _, one, _ in tokens[0].top), reverse=True)),
        prompt_tokens=chunks[-1].prompt_tokens,
    )
