"""Describes the model that learns (the one in training), and turns its prompts and answers into
token ids.

A prompt is a stored request as it would be sent today, with skills (instruction texts), in the
model's own chat template. A recorded answer is tokenised by the same template, as it would be in a
later turn.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final, Protocol, cast

from lull.core.chat.messages import (
    Completion,
    Finish,
    Message,
    MessagePart,
    PartKind,
    Role,
    Sampling,
    Usage,
    text_message,
)
from lull.core.models.engine import Chunk, Engine, GenerateRequest
from lull.core.skills.prompt_block import Placement
from lull.core.skills.skill import Skill
from lull.core.training.rollout import SampledPolicy
from lull.loops.chat.current_selection import without_skill_text
from lull.loops.proof.replay import prompt_with_skills
from lull.store.feedback.reward_rows import ServedTurn

GREEDY = Sampling(temperature=0.0)
"""Sampling parameters of greedy decoding."""
MOST_KEPT: Final = 8192
"""Number of cached answers from which on the older half is dropped; several times what
a run asks for.
"""

_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptForm:
    """What shapes a model's prompts apart from the request itself: the model's own SYSTEM text, and
    the place where skills (instruction texts) are put.
    """

    system: str
    """The model's own SYSTEM text."""
    place: Placement = Placement.SYSTEM
    """Where skills are put in the model's prompts: in the system text or in a user message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    """The model that is being trained, as it answers requests now: its weights, inference engine
    and active LoRA adapter.
    """

    name: str
    folder: str
    """Folder of its MLX weights."""
    digest: str
    engine: Engine
    prompt: PromptForm
    adapter: str | None
    """Version of the adapter that the model uses; None is the base."""
    adapter_folder: str | None
    parameters: int = 0
    """Number of the model's parameters; 0 if unknown."""
    on_trial: str = ""
    """The adapter on trial, which answers a share of new conversations; "" for none."""

    @property
    def policy(self) -> SampledPolicy:
        """The base weights with the active adapter, as the policy (in the sense of reinforcement
        learning) from which answers are sampled.
        """
        return SampledPolicy(base=self.digest, adapter=self.adapter or "")


class FindsLearner(Protocol):
    """Interface that finds the model that, by the current settings, is to be trained."""

    async def __call__(self) -> Learner | None:
        """Return the model that learns; None if there is none."""

    def why_none(self) -> str:
        """Explain why there is no model to train under the current settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerAnswer:
    """One answer sampled from the model in training, with its token ids and their
    log-probabilities.
    """

    completion: Completion
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]


def prompt_of(learner: Learner, served: ServedTurn, skills: Sequence[Skill]) -> tuple[Message, ...]:
    """Return a stored request's prompt as it would be sent today with these skills (instruction
    texts).
    """
    messages = tuple(without_skill_text(message) for message in served.turn.request)
    bodies = [skill.body for skill in skills]
    system = learner.prompt.system
    with_ = prompt_with_skills(messages, bodies, system=system, place=learner.prompt.place)
    if system and not any(one.role is Role.SYSTEM for one in with_):
        # The server adds the model's SYSTEM text to a request without one.
        with_ = (text_message(Role.SYSTEM, system), *with_)
    return tuple(_plain(message) for message in with_)


async def prompt_ids(learner: Learner, prompt: tuple[Message, ...]) -> tuple[int, ...]:
    """Return the token ids of a prompt in the chat template of the model that is being trained.

    Raises EngineError, and RequestError for a prompt that does not fit.
    """
    return await learner.engine.tokenize(GenerateRequest(messages=prompt))


async def answer_ids(
    engine: Engine, prompt: tuple[Message, ...], answer: str, *, end: int
) -> tuple[int, ...]:
    """Return the token ids of a recorded answer, up to and including `end`, the token that ends an
    answer.

    () if the chat template does not clearly separate the answer's tokens from the prompt's. Raises
    RequestError, EngineError.
    """
    before = await engine.tokenize(GenerateRequest(messages=prompt))
    said = text_message(Role.ASSISTANT, answer)
    whole = await engine.tokenize(GenerateRequest(messages=(*prompt, said)))
    if whole[: len(before)] != before or end not in whole[len(before) :]:
        return ()
    return whole[len(before) : whole.index(end, len(before)) + 1]


async def end_token(learner: Learner, prompt: tuple[Message, ...]) -> int | None:
    """Find the token with which the model in training ends an answer, by sampling one answer; None
    if that answer was cut off.
    """
    said = await sample_answer(learner, prompt, GREEDY)
    return said.ids[-1] if said.completion.finish is Finish.STOP and said.ids else None


async def sample_answer(
    learner: Learner,
    prompt: tuple[Message, ...],
    sampling: Sampling,
    *,
    adapter: str | None = None,
) -> LearnerAnswer:
    """Sample one answer from the model in training; return it with its tokens and their
    log-probabilities.

    Cancelling stops the engine. Raises EngineError.
    """
    request = GenerateRequest(messages=prompt, sampling=sampling, adapter=adapter, logprobs=0)
    text: list[str] = []
    ids: list[int] = []
    logprobs: list[float] = []
    last: Chunk | None = None
    # Every engine returns a generator; closing it stops the sampling.
    stream = cast("AsyncGenerator[Chunk, None]", learner.engine.generate(request))
    async with aclosing(stream) as chunks:
        async for chunk in chunks:
            text.append(chunk.text)
            ids += [token.id for token in chunk.tokens]
            logprobs += [token.logprob for token in chunk.tokens]
            last = chunk
    finish = last.finish if last is not None and last.finish is not None else Finish.ERROR
    completion = Completion(
        message=text_message(Role.ASSISTANT, "".join(text)),
        finish=finish,
        usage=Usage(
            prompt_tokens=last.prompt_tokens if last else None,
            completion_tokens=last.completion_tokens if last else None,
        ),
    )
    return LearnerAnswer(completion=completion, ids=tuple(ids), logprobs=tuple(logprobs))


def _plain(message: Message) -> Message:
    """The message as a single text part, as the engine serves it."""
    return replace(message, parts=(MessagePart(kind=PartKind.TEXT, text=message.text),))


class AskedAnswers:
    """Cache of one model's greedy answers and prompt tokens, kept until the training run is made
    that needs them.

    A run needs hundreds of answers, which take longer than one unit of background work. If the unit
    ends in between, the answers stay, and the next unit asks only for what is missing.
    """

    def __init__(self) -> None:
        self._said: dict[_Key, LearnerAnswer] = {}
        self._ids: dict[_Key, tuple[int, ...]] = {}

    async def greedy_answer(
        self, learner: Learner, prompt: tuple[Message, ...], *, most_tokens: int
    ) -> LearnerAnswer:
        """Return the model's greedy answer to a prompt, from the cache after the first call.

        Raises RequestError, EngineError.
        """
        key = (most_tokens, *_key(learner, prompt))
        if key not in self._said:
            greedy = replace(GREEDY, max_tokens=most_tokens)
            _bound(self._said)
            self._said[key] = await sample_answer(learner, prompt, greedy, adapter=learner.adapter)
        return self._said[key]

    async def ids(self, learner: Learner, prompt: tuple[Message, ...]) -> tuple[int, ...]:
        """Return the token ids of a prompt, computed at the first call and cached then. Raises
        RequestError, EngineError.
        """
        key = _key(learner, prompt)
        if key not in self._ids:
            _bound(self._ids)
            self._ids[key] = await prompt_ids(learner, prompt)
        return self._ids[key]

    def clear(self) -> None:
        """Empty the cache of answers and prompt tokens, after the training run is made."""
        self._said.clear()
        self._ids.clear()


def _key(learner: Learner, prompt: tuple[Message, ...]) -> _Key:
    said = tuple((message.role, message.text) for message in prompt)
    return (learner.digest, learner.adapter, said)


def _bound(kept: dict[_Key, LearnerAnswer] | dict[_Key, tuple[int, ...]]) -> None:
    if len(kept) >= MOST_KEPT:
        for key in list(kept)[: MOST_KEPT // 2]:
            del kept[key]
