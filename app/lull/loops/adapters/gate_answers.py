"""Generates whole answers with an adapter, and measures their KL divergence from the base model, to
test the adapter before it is used.

The answers come from the engine that also serves users.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.gate import Distance
from lull.core.chat.messages import Completion, Finish, Message, Role, Sampling, text_message
from lull.core.errors import EngineError, RequestError
from lull.core.models.engine import Chunk, Engine, GenerateRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedAdapters:
    """The two adapters that the gate (the test before an adapter answers users) compares: the
    active one and the candidate, loaded in one engine on one base model.
    """

    engine: Engine
    old: str | None
    """Version of the active adapter; None is the base model."""
    new: str
    """Version of the candidate adapter."""
    sampling: Sampling
    """Sampling parameters of the model, used where a request leaves them open."""


class LoadsForComparison(Protocol):
    """Interface to the inference engines that load a candidate adapter beside the active one."""

    async def load_for_comparison(self, version: AdapterVersion, folder: Path) -> ComparedAdapters:
        """Load a candidate adapter from the folder of its files, so that its answers can be
        compared with the active adapter's. Raises LullError when that is not possible now.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteAnswer:
    """A model's complete answer with its token ids, log-probabilities and its prompt's ids."""

    completion: Completion
    prompt_ids: tuple[int, ...]
    ids: tuple[int, ...]
    logprobs: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        """The answer's text."""
        return self.completion.message.text


async def generate_answer(
    engine: Engine, messages: tuple[Message, ...], sampling: Sampling, adapter: str | None
) -> CompleteAnswer:
    """Have the engine generate a complete answer to a request, with one adapter or, for None, the
    base model. Cancelling stops the engine.

    Raises EngineError, and RequestError for a request that does not fit the context window.
    """
    request = GenerateRequest(messages=messages, sampling=sampling, adapter=adapter, logprobs=0)
    try:
        return await _answered(engine, request)
    except RequestError as error:
        if adapter is None or adapter in (await engine.status()).adapters:
            raise
        # The adapter was unloaded: not the request's fault, and not the candidate's.
        raise EngineError(f"The adapter {adapter} was unloaded in the meantime.") from error


async def _answered(engine: Engine, request: GenerateRequest) -> CompleteAnswer:
    prompt_ids = await engine.tokenize(request)
    pieces: list[Chunk] = []
    # Every engine returns a generator; closing it stops the answer.
    stream = cast("AsyncGenerator[Chunk, None]", engine.generate(request))
    async with aclosing(stream) as chunks:
        async for chunk in chunks:
            pieces.append(chunk)
    finish = pieces[-1].finish if pieces else None
    text = "".join(piece.text for piece in pieces)
    return CompleteAnswer(
        completion=Completion(
            message=text_message(Role.ASSISTANT, text), finish=finish or Finish.ERROR
        ),
        prompt_ids=prompt_ids,
        ids=tuple(token.id for piece in pieces for token in piece.tokens),
        logprobs=tuple(token.logprob for piece in pieces for token in piece.tokens),
    )


async def kl_from_base(
    contest: ComparedAdapters, answer: CompleteAnswer, of_base: tuple[Message, ...]
) -> Distance:
    """Return the KL divergence, in nats, of the candidate adapter from the base model, summed over
    the tokens of an answer that the candidate generated.

    `of_base` is the prompt that the base model reads: the candidate's own, or one that says what
    the candidate has learned. Raises RequestError if it does not fit the context window.
    """
    if not answer.ids:
        return Distance(nats=0.0, tokens=0)
    prompt_ids = await contest.engine.tokenize(GenerateRequest(messages=of_base))
    nats = await contest.engine.divergence(
        answer.prompt_ids, answer.ids, adapter=contest.new, against_prompt_ids=prompt_ids
    )
    return Distance(nats=sum(nats), tokens=len(nats))
