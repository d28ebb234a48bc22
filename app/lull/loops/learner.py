"""The model that learns: as it serves now, and how its prompts and answers become token ids.

A prompt is what the request would be today, skills and all, fed to the engine by the model's own
template. A recorded answer is tokenised by the same template, as a later turn would have it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import cast

from lull.core.messages import (
    Completion,
    Finish,
    Message,
    Part,
    PartKind,
    Role,
    Sampling,
    Usage,
    text_message,
)
from lull.core.ports import Chunk, Engine, GenerateRequest
from lull.core.rollout import Policy
from lull.core.skill import Skill
from lull.loops.replay import injected
from lull.loops.today import clean
from lull.store.reward_rows import Served

GREEDY = Sampling(temperature=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    """What serves the model that learns."""

    name: str
    folder: str
    """Of its MLX weights."""
    digest: str
    engine: Engine
    system: str
    """The model's own SYSTEM text."""
    adapter: str | None
    """Version in force; None: the base."""
    adapter_folder: str | None
    parameters: int = 0
    """0: not known."""
    on_trial: str = ""
    """An adapter that answers a share of new conversations."""

    @property
    def policy(self) -> Policy:
        return Policy(base=self.digest, adapter=self.adapter or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One sampled answer with its tokens."""

    completion: Completion
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]


def prompt_of(learner: Learner, served: Served, skills: Sequence[Skill]) -> tuple[Message, ...]:
    """The stored request as it would be sent today with these skills."""
    messages = tuple(clean(message) for message in served.turn.request)
    with_ = injected(messages, [skill.body for skill in skills], system=learner.system)
    if learner.system and not any(one.role is Role.SYSTEM for one in with_):
        # As its server does with a request that has none.
        with_ = (text_message(Role.SYSTEM, learner.system), *with_)
    return tuple(_plain(message) for message in with_)


async def prompt_ids(learner: Learner, prompt: tuple[Message, ...]) -> tuple[int, ...]:
    """Raises RequestError for one that does not fit, EngineError."""
    return await learner.engine.tokenize(GenerateRequest(messages=prompt))


async def answer_ids(
    learner: Learner, prompt: tuple[Message, ...], answer: str, *, end: int
) -> tuple[int, ...]:
    """A recorded answer's tokens with the end token behind them; () where the template does not
    let one be told from what stands before it. Raises RequestError, EngineError."""
    before = await prompt_ids(learner, prompt)
    said = text_message(Role.ASSISTANT, answer)
    whole = await prompt_ids(learner, (*prompt, said))
    if whole[: len(before)] != before or end not in whole[len(before) :]:
        return ()
    return whole[len(before) : whole.index(end, len(before)) + 1]


async def end_token(learner: Learner, prompt: tuple[Message, ...]) -> int | None:
    """The token with which the model ends an answer to this; None where it did not end."""
    said = await sampled(learner, prompt, GREEDY)
    return said.ids[-1] if said.completion.finish is Finish.STOP and said.ids else None


async def sampled(
    learner: Learner,
    prompt: tuple[Message, ...],
    sampling: Sampling,
    *,
    adapter: str | None = None,
) -> Said:
    """One answer with exact tokens. Cancelling stops the engine. Raises EngineError."""
    request = GenerateRequest(messages=prompt, sampling=sampling, adapter=adapter, logprobs=0)
    text: list[str] = []
    ids: list[int] = []
    logprobs: list[float] = []
    last: Chunk | None = None
    # Every engine of ours gives a generator: closing it stops the sampling.
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
    return Said(completion=completion, ids=tuple(ids), logprobs=tuple(logprobs))


def _plain(message: Message) -> Message:
    """One text a message, as the engine's clients are served."""
    return replace(message, parts=(Part(kind=PartKind.TEXT, text=message.text),))
