"""How the gate asks: whole answers with their tokens, from either side, through the engine that
will serve, and how far the candidate is from the base along one of its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import cast

from lull.core.errors import EngineError, RequestError
from lull.core.gate import Away
from lull.core.messages import Completion, Finish, Message, Role, Sampling, text_message
from lull.core.ports import Chunk, Engine, GenerateRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Two versions of one model on one engine."""

    engine: Engine
    old: str | None
    """In force; None: the base."""
    new: str
    sampling: Sampling
    """As the model is served where a request leaves it open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    completion: Completion
    prompt_ids: tuple[int, ...]
    ids: tuple[int, ...]
    logprobs: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        return self.completion.message.text


async def answered(
    engine: Engine, messages: tuple[Message, ...], sampling: Sampling, adapter: str | None
) -> Answered:
    """Cancelling stops the engine. Raises EngineError, RequestError for what does not fit."""
    request = GenerateRequest(messages=messages, sampling=sampling, adapter=adapter, logprobs=0)
    try:
        return await _answered(engine, request)
    except RequestError as error:
        if adapter is None or adapter in (await engine.status()).adapters:
            raise
        # Not the request's fault, and nothing that may be held against the candidate.
        raise EngineError(f"The adapter {adapter} was let go meanwhile.") from error


async def _answered(engine: Engine, request: GenerateRequest) -> Answered:
    prompt_ids = await engine.tokenize(request)
    pieces: list[Chunk] = []
    # Every engine of ours gives a generator: closing it stops the answer.
    stream = cast("AsyncGenerator[Chunk, None]", engine.generate(request))
    async with aclosing(stream) as chunks:
        async for chunk in chunks:
            pieces.append(chunk)
    finish = pieces[-1].finish if pieces else None
    text = "".join(piece.text for piece in pieces)
    return Answered(
        completion=Completion(
            message=text_message(Role.ASSISTANT, text), finish=finish or Finish.ERROR
        ),
        prompt_ids=prompt_ids,
        ids=tuple(token.id for piece in pieces for token in piece.tokens),
        logprobs=tuple(token.logprob for piece in pieces for token in piece.tokens),
    )


async def away(contest: Contest, answer: Answered) -> Away:
    """Of the candidate from the base, along what it said itself."""
    if not answer.ids:
        return Away(nats=0.0, tokens=0)
    nats = await contest.engine.divergence(answer.prompt_ids, answer.ids, adapter=contest.new)
    return Away(nats=sum(nats), tokens=len(nats))
