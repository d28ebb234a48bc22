"""One pair of a proof: a recorded request answered with and without the skill, and scored.

The request is sent as it would be sent today, on the model that failed. No tool is ever executed:
one step is replayed against the recorded results. Who scores an answer never sees the skill: the
turn's verifier, else the judge, who is told what the user said they wanted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lull.core.check import parse
from lull.core.injection import block, merged_system
from lull.core.messages import Completion, Message, Role, Sampling, text_message
from lull.core.ports import Asks, ChatModel, Judge, Question
from lull.core.proof import Pair, Part
from lull.core.proposal import Origin, Proposal, ProposalKind
from lull.core.reward import majority
from lull.core.skill import Library
from lull.loops.at_once import at_once
from lull.loops.today import Today, clean
from lull.loops.verify import Verifier
from lull.store.reward_rows import Served
from lull.store.rewards import Rewards

NO_VERDICTS = 3
"""On one request, after which it is left out of a proof."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The model on which a proof runs, as it serves now."""

    chat: ChatModel
    system: str
    """The model's own SYSTEM text, which a system message would remove."""
    digest: str
    engine: str
    """`ollama` or `mlx`."""
    adapter: str | None
    sampling: Sampling
    """What holds where the client asked for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One recorded request that is replayed."""

    served: Served
    part: Part
    without: tuple[Message, ...]
    with_: tuple[Message, ...]

    @property
    def turn(self) -> str:
        return self.served.turn.id


class Replay:
    def __init__(
        self,
        *,
        rewards: Rewards,
        today: Today,
        library: Callable[[], Library],
        verifier: Verifier,
        judge: Callable[[], Judge | None],
        warm: float,
    ) -> None:
        """`warm`: the temperature where the client asked for 0."""
        self._rewards = rewards
        self._today = today
        self._library = library
        self._verifier = verifier
        self._judge = judge
        self._warm = warm

    async def pair(self, proposal: Proposal, stage: Stage, case: Case, seed: int) -> Pair | None:
        """Both answers under one seed, and their scores; None where nobody can tell."""
        without, with_ = await self.answers(stage, case, seed)
        first = await self._scored(proposal, case, without)
        second = await self._scored(proposal, case, with_) if first is not None else None
        if first is None or second is None or first[1] != second[1]:
            return None
        scores = (first[0], second[0])
        return pair_of(case, seed, (without, with_), scores=scores, scored_by=first[1])

    async def answers(self, stage: Stage, case: Case, seed: int) -> tuple[Completion, Completion]:
        """Without the candidate and with it, under one seed."""
        without, with_ = await at_once(
            self._answer(stage, case, messages, seed) for messages in (case.without, case.with_)
        )
        return without, with_

    async def _answer(
        self, stage: Stage, case: Case, messages: Sequence[Message], seed: int
    ) -> Completion:
        turn = case.served.turn
        sampling = replayed_sampling(
            turn.asked_sampling, stage.sampling, seed=seed, warm=self._warm
        )
        return await stage.chat.chat(
            messages,
            sampling=sampling,
            format=turn.format,
            tools=self._rewards.tools(turn.tools),
            adapter=stage.adapter,
        )

    # Who scores

    async def _scored(
        self, proposal: Proposal, case: Case, answer: Completion
    ) -> tuple[float, str] | None:
        """How good, in [0, 1], and who says so; None: no verdict."""
        if not answer.complete:
            return None
        said = self._verified(proposal, case, answer.message.text)
        said = said or self._held_to(proposal, case.served, answer.message)
        if said is not None:
            return said
        judge = self._judge()
        if judge is None:
            return None
        question = self._question(proposal, case, answer.message)
        verdict = majority(await judge.votes(question))
        return ((verdict + 1) / 2, f"judge:{judge.version}") if verdict is not None else None

    def _verified(self, proposal: Proposal, case: Case, answer: str) -> tuple[float, str] | None:
        model, asked = case.served.turn.model, case.served.asked
        does = self._fulfils(proposal, model, asked, answer)
        if case.part is Part.SUCCESS:
            if not self._verifier.is_exact(model) or does is not None:
                return None  # of an exact language: the user has spoken on this since
            same = answer.strip() == case.served.turn.answer.text.strip()
            return float(same), "the accepted answer, word for word"
        if does is None:
            return None
        return float(does), f"verifier:{model if self._verifier.is_exact(model) else 'check'}"

    def _fulfils(self, proposal: Proposal, model: str, asked: str, answer: str) -> bool | None:
        about = next((one.asked for one in self._rewards.served(proposal.failures[:1])), "")
        return self._verifier.fulfils(
            model,
            wish=proposal.wish,
            asked=asked,
            answer=answer,
            about=about,
            check=parse(proposal.check) if _by_its_check(proposal) else None,
        )

    def _held_to(
        self, proposal: Proposal, served: Served, answer: Message
    ) -> tuple[float, str] | None:
        """By the format that the request asked for, and by the checks that the user approved with
        the skills it was served with: the worst verdict. The skill in question has no say."""
        turn = served.turn
        others = [skill.sha256 for skill in turn.skills if skill.name != proposal.key.name]
        shape = () if answer.tool_calls else self._verifier.in_format(turn.format, answer.text)
        said = (*shape, *self._verifier.checked(others, answer.text))
        if not said:
            return None
        kinds = "+".join(dict.fromkeys(signal.kind.value for signal in said))
        return (min(signal.value for signal in said) + 1) / 2, f"verifier:{kinds}"

    def _question(self, proposal: Proposal, case: Case, answer: Message) -> Question:
        turn = case.served.turn
        if case.part is Part.SUCCESS:
            return Question(
                asks=Asks.PAIR,
                messages=turn.request,
                answer=answer,
                reference=turn.answer.text,
            )
        return Question(asks=Asks.WISH, messages=turn.request, answer=answer, wish=proposal.wish)

    def _can_score(self, proposal: Proposal, served: Served, part: Part) -> bool:
        model, asked = served.turn.model, served.asked
        if self._verifier.is_exact(model):
            does = self._fulfils(proposal, model, asked, "")
            return does is None if part is Part.SUCCESS else does is not None
        if _by_its_check(proposal) and part is not Part.SUCCESS:
            return True
        if self._held_to(proposal, served, text_message(Role.ASSISTANT, "any")) is not None:
            return True
        if self._judge() is None:
            return False
        return part is Part.SUCCESS or bool(proposal.wish)

    # What is replayed

    def cases(self, proposal: Proposal, stage: Stage) -> list[Case]:
        """Those that can be scored without the user."""
        return [
            self._case(proposal, stage, served, part)
            for served, part in self._recorded(proposal)
            if proposal.silent.count(served.turn.id) < NO_VERDICTS
            and self._can_score(proposal, served, part)
        ]

    def comparable(self, proposal: Proposal, stage: Stage) -> list[Case]:
        """Those that the user can compare, whether or not anybody else can score them. A past
        success is not: what was good is known of its own answer alone."""
        return [
            self._case(proposal, stage, served, part)
            for served, part in self._recorded(proposal)
            if part is not Part.SUCCESS
        ]

    def _recorded(self, proposal: Proposal) -> list[tuple[Served, Part]]:
        parts = {
            Part.FAILURE: proposal.failures,
            Part.SIBLING: proposal.siblings,
            Part.SUCCESS: proposal.successes,
        }
        return [
            (served, part)
            for part, turns in parts.items()
            for served in self._rewards.served(turns)
            if served.turn.complete
        ]

    def _case(self, proposal: Proposal, stage: Stage, served: Served, part: Part) -> Case:
        """The request as it would be sent today, and the same with the candidate in it."""
        today = self._today.skills(served) or ()
        others = [skill.body for skill in today if skill.key != proposal.key]
        before = [skill.body for skill in today]
        if proposal.kind is ProposalKind.EDIT and len(others) == len(before):
            # The skill was not chosen for this request; the question is what its text does.
            before = [*others, self._library().get(proposal.key).body]
        messages = tuple(clean(message) for message in served.turn.request)
        return Case(
            served=served,
            part=part,
            without=injected(messages, before, system=stage.system),
            with_=injected(messages, [*others, proposal.text.body], system=stage.system),
        )


def _by_its_check(proposal: Proposal) -> bool:
    """Whether its own check may score it: one that came of the user's words, and not of the model
    that wrote the skill, which would examine itself."""
    return bool(proposal.check) and proposal.origin is Origin.EXTRACTIVE


def pair_of(
    case: Case,
    seed: int,
    answers: tuple[Completion, Completion],
    *,
    scores: tuple[float, float],
    scored_by: str,
) -> Pair:
    """Answers and scores without the candidate and with it."""
    without, with_ = answers
    return Pair(
        request=case.turn,
        part=case.part,
        seed=seed,
        without=scores[0],
        with_=scores[1],
        scored_by=scored_by,
        request_sha256=_sha256(repr(case.without[-1].text)),
        without_sha256=_sha256(without.message.text),
        with_sha256=_sha256(with_.message.text),
    )


def injected(
    messages: Sequence[Message], bodies: Sequence[str], *, system: str
) -> tuple[Message, ...]:
    """The request with these skills in its system text, as a dialect writes it."""
    text = block(bodies)
    if not text:
        return tuple(messages)
    if messages and messages[0].role is Role.SYSTEM:
        own = messages[0].text
        return (text_message(Role.SYSTEM, merged_system(own, text)), *messages[1:])
    return (text_message(Role.SYSTEM, merged_system(system, text)), *messages)


def replayed_sampling(asked: Sampling, own: Sampling, *, seed: int, warm: float) -> Sampling:
    """As the client asked, under our seed; where that has no chance in it, with some."""
    temperature = own.temperature if asked.temperature is None else asked.temperature
    return Sampling(
        temperature=warm if temperature == 0 else temperature,
        top_p=own.top_p if asked.top_p is None else asked.top_p,
        top_k=own.top_k if asked.top_k is None else asked.top_k,
        max_tokens=own.max_tokens if asked.max_tokens is None else asked.max_tokens,
        stop=asked.stop or own.stop,
        seed=seed,
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
