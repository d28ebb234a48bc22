"""Generates whole answers with an adapter, and measures their KL divergence from the base model, to
test the adapter before it is used.

The answers come from the engine that also serves users.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, cast

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.canary_checks import refuses
from lull.core.adapters.gate_measured import Distance, Manner, manner_of
from lull.core.chat.messages import Completion, Finish, Message, Role, Sampling, text_message
from lull.core.errors import EngineError, RequestError
from lull.core.models.engine import Chunk, Engine, GenerateRequest
from lull.loops.adapters.gate_questions import RatedQuestion
from lull.loops.training.learner import answer_ids

_END_WITHIN: Final = 512
"""Most tokens of an answer that is asked for only to see how the model ends one."""


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

    @property
    def manner(self) -> Manner:
        """The answer's writing style in numbers."""
        return manner_of(self.text, refused=refuses(self.text))


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


class Preferences:
    """Measures by how much two adapters prefer the good one of two rated answers to the bad one."""

    def __init__(self) -> None:
        self._ends: dict[str, int] = {}
        """Token that ends an answer, by the digest of the base model."""

    async def measure(
        self, contest: ComparedAdapters, question: RatedQuestion, *, base: str
    ) -> tuple[float, float] | None:
        """Return by how many nats the active adapter (first) and the candidate prefer the good
        answer: ln p(good) - ln p(bad), each summed over the answer's tokens. `base` is the digest
        of the base model.

        By how much the candidate prefers it more is the difference of the two answers' implicit
        rewards against the active adapter, up to a factor (DPO, arXiv 2305.18290, section 4; also
        KTO's reward, 2402.01306, section 3). None if an answer's tokens cannot be told from its
        prompt's. Raises RequestError if one does not fit the context window, and EngineError.
        """
        engine, found = contest.engine, list[tuple[float, float]]()
        for one in (question.good, question.bad):
            end = await self._end(contest, one.messages, base)
            if end is None:
                return None
            ids = await answer_ids(engine, one.messages, one.text, end=end)
            if not ids:
                return None
            prompt = await engine.tokenize(GenerateRequest(messages=one.messages))
            old = await engine.answer_logprobs(prompt, ids, adapter=contest.old)
            new = await engine.answer_logprobs(prompt, ids, adapter=contest.new)
            found.append((sum(old), sum(new)))
        (old_good, new_good), (old_bad, new_bad) = found
        return old_good - old_bad, new_good - new_bad

    async def _end(
        self, contest: ComparedAdapters, prompt: tuple[Message, ...], base: str
    ) -> int | None:
        if base not in self._ends:
            sampling = Sampling(temperature=0.0, max_tokens=_END_WITHIN)
            said = await generate_answer(contest.engine, prompt, sampling, contest.old)
            if said.completion.finish is not Finish.STOP or not said.ids:
                return None
            self._ends[base] = said.ids[-1]
        return self._ends[base]


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
