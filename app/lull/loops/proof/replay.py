"""Replays one recorded request: answers it with and without a proposed skill, and scores both
answers.

The request is sent as it would be sent today, to the model whose answers had failed. No tool is
ever executed: one step is replayed against the recorded results. Answers are scored without sight
of the skill, by a verifier (a program), or else by a judge model that is told what the user wished.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lull.core.chat.messages import Completion, Message, Sampling
from lull.core.chat.ports import ChatModel, StopsEarly
from lull.core.errors import LullError, RequestError
from lull.core.feedback.judge import ChosenJudge
from lull.core.proof.pairs import ENDED, Pair, PairPart
from lull.core.proof.proposal import Proposal, ProposalKind
from lull.core.provenance.redaction import redact_text
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.prompt_block import Placement, skills_block, with_block
from lull.loops.chat.current_selection import CurrentSelection, without_skill_text
from lull.loops.feedback.at_once import at_once
from lull.loops.feedback.verify import Verifier
from lull.loops.proof.replay_scores import ReplayScores
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.feedback.rewards import Rewards

log = logging.getLogger(__name__)

READABLE = 20_000
"""Most characters stored of a replayed answer, for the user to read."""
THIS_REQUEST = (400, 413, 422)
"""HTTP statuses with which a model server refuses just one request.

Causes are, for example, a missing image or a small window.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayTarget:
    """The model that answers replayed requests, with everything that shapes its answers, such as
    the adapter and sampling parameters in use now.
    """

    chat: ChatModel
    system: str
    """The model's own SYSTEM text, which a system message in the request would replace."""
    digest: str
    engine: str
    """Which engine answers: `ollama` or `mlx`."""
    adapter: str | None
    sampling: Sampling
    """The model's own sampling parameters, used where the client set none."""
    place: Placement = Placement.SYSTEM
    """Where skills are put in the model's prompts: in the system text or in a user message."""
    early: StopsEarly | None = None
    """The same model as `chat`, if its answers can end as soon as enough is known of them."""
    pairs_at_once: int = 1
    """How many pairs of answers the engine generates in hardly more time than one pair."""


AnswerPair = tuple[Completion, Completion]
"""The answers to one request without and with the proposed skill."""


class OpensTargets(Protocol):
    """Interface that opens the model on which past requests are answered again."""

    async def open_target(self, model: str) -> ReplayTarget | None:
        """Return the model of this name, as it is served now; None if it cannot be asked now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayCase:
    """A recorded request in two versions: its prompt without and with the proposed skill."""

    served: ServedTurn
    part: PairPart
    without: tuple[Message, ...]
    with_: tuple[Message, ...]
    enough: Callable[[str], bool] | None = None
    """Whether the beginning of an answer says already whether it keeps the tested rule, so that the
    rest need not be generated; None where answers are wanted whole.
    """

    @property
    def turn(self) -> str:
        """Id of the conversation turn whose request is replayed."""
        return self.served.turn.id


class Replay:
    """Answers recorded requests again, with and without a proposed skill in the prompt, and scores
    the answers.
    """

    def __init__(
        self,
        *,
        rewards: Rewards,
        current_selection: CurrentSelection,
        in_use: LibraryInUse,
        verifier: Verifier,
        judges: ChosenJudge,
        warm: float,
    ) -> None:
        """The argument `warm` is the sampling temperature in replays of requests for which the
        client asked for temperature 0.
        """
        self._rewards = rewards
        self._current_selection = current_selection
        self._in_use = in_use
        self._scores = ReplayScores(verifier, judges)
        self._warm = warm

    async def pair_if_possible(
        self, proposal: Proposal, stage: ReplayTarget, case: ReplayCase, seed: int
    ) -> Pair | None:
        """Generate answers to a recorded request with and without the proposed skill, with one
        seed, and score both; return None if they cannot be scored, or if a model server refuses
        this one request.
        """
        answers = await self.answers_or_error(stage, case, seed)
        if isinstance(answers, LullError):
            raise answers
        return None if answers is None else await self.score(proposal, case, seed, answers)

    async def score(
        self, proposal: Proposal, case: ReplayCase, seed: int, answers: AnswerPair
    ) -> Pair | None:
        """Score the answers to a recorded request without and with the proposed skill; None if they
        cannot be scored, or if the judge's server refuses this one request.
        """
        without, with_ = answers
        served, part = case.served, case.part
        try:
            first = await self._scores.score(proposal, served, part, without)
            if first is None:
                return None
            second = await self._scores.score(proposal, served, part, with_)
        except RequestError as error:
            if error.status not in THIS_REQUEST:
                raise
            log.info("%s cannot be judged: %s", case.turn, error)
            return None
        if second is None or first[1] != second[1]:
            return None
        scores = (first[0], second[0])
        return pair_of(case, seed, answers, scores=scores, scored_by=first[1])

    def score_by_program(
        self, proposal: Proposal, case: ReplayCase, seed: int, answers: AnswerPair
    ) -> Pair | None:
        """Score the answers to a recorded request as `score` does, but without asking a model; None
        if no check can decide on both.
        """
        found = [
            self._scores.by_program(proposal, case.served, case.part, answer) for answer in answers
        ]
        first, second = found
        if first is None or second is None or first[1] != second[1]:
            return None
        scores = (first[0], second[0])
        return pair_of(case, seed, answers, scores=scores, scored_by=first[1])

    async def answers(self, stage: ReplayTarget, case: ReplayCase, seed: int) -> AnswerPair:
        """Generate two answers to a recorded request, without and with the proposed skill, with the
        same seed.
        """
        without, with_ = await at_once(
            self._answer(stage, case, messages, seed) for messages in (case.without, case.with_)
        )
        return without, with_

    async def answers_or_error(
        self, stage: ReplayTarget, case: ReplayCase, seed: int
    ) -> AnswerPair | LullError | None:
        """Generate two answers as `answers` does; return None if the model server refuses this one
        request, and any other error instead of raising it, so that it stops no other request.
        """
        try:
            return await self.answers(stage, case, seed)
        except LullError as error:
            if isinstance(error, RequestError) and error.status in THIS_REQUEST:
                log.info("%s cannot be asked again: %s", case.turn, error)
                return None
            return error

    async def _answer(
        self, stage: ReplayTarget, case: ReplayCase, messages: Sequence[Message], seed: int
    ) -> Completion:
        turn = case.served.turn
        sampling = replayed_sampling(
            turn.asked_sampling, stage.sampling, seed=seed, warm=self._warm
        )
        if stage.early is not None and case.enough is not None and not turn.format:
            return await stage.early.chat_until(
                messages, sampling=sampling, adapter=stage.adapter, enough=case.enough
            )
        return await stage.chat.chat(
            messages,
            sampling=sampling,
            format=turn.format,
            tools=self._rewards.tools(turn.tools),
            adapter=stage.adapter,
        )

    # Cases

    def cases(self, proposal: Proposal, stage: ReplayTarget) -> list[ReplayCase]:
        """Return those recorded requests chosen to test a proposed skill on whose answers a program
        or a judge model can score, without asking the user.
        """
        return [
            replace(
                self._case(proposal, stage, served, part),
                enough=self._scores.enough(proposal, served, part),
            )
            for served, part in self._recorded(proposal)
            if self._scores.can_score(proposal, served, part)
        ]

    def can_score(self, proposal: Proposal, served: ServedTurn) -> bool:
        """Whether answers to a request, with and without an approved skill, can be scored by a
        program or a judge model.

        That the user accepted the recorded answer does not help: it was given with the skill in the
        prompt.
        """
        return self._scores.can_score(proposal, served, PairPart.SIBLING)

    def case_in_use(
        self, proposal: Proposal, stage: ReplayTarget, served: ServedTurn
    ) -> ReplayCase | None:
        """Return a recorded request as it would be sent today, without and with an approved skill.

        None if the skill would not be in the request's prompt today.
        """
        current_selection = self._current_selection.skills(served) or ()
        if not any(skill.key == proposal.key for skill in current_selection):
            return None
        messages = tuple(without_skill_text(message) for message in served.turn.request)
        others = [skill.body for skill in current_selection if skill.key != proposal.key]
        bodies = [skill.body for skill in current_selection]
        return ReplayCase(
            served=served,
            part=PairPart.SIBLING,
            without=_prompt(stage, messages, others),
            with_=_prompt(stage, messages, bodies),
        )

    def user_cases(self, proposal: Proposal, stage: ReplayTarget) -> list[ReplayCase]:
        """Return the recorded requests for which the user may compare two answers, one with and one
        without a proposed skill.

        Requests that were answered well (past successes) are left out: all that is known of them is
        that the recorded answer is good.
        """
        return [
            self._case(proposal, stage, served, part)
            for served, part in self._recorded(proposal)
            if part is not PairPart.SUCCESS
        ]

    def _recorded(self, proposal: Proposal) -> list[tuple[ServedTurn, PairPart]]:
        parts = {
            PairPart.FAILURE: proposal.failures,
            PairPart.SIBLING: proposal.siblings,
            PairPart.SUCCESS: proposal.successes,
        }
        return [
            (served, part)
            for part, turns in parts.items()
            for served in self._rewards.served(turns)
            # what the user stopped and corrected is replayed as well, from its beginning
            if served.turn.complete or (part is PairPart.FAILURE and served.turn.answered)
            # what went well is not harmed by a skill that is not there
            if part is not PairPart.SUCCESS
            or self._current_selection.may_apply(proposal.text, served)
        ]

    def _case(
        self, proposal: Proposal, stage: ReplayTarget, served: ServedTurn, part: PairPart
    ) -> ReplayCase:
        """The request as it would be sent today, without and with the candidate."""
        current_selection = self._current_selection.skills(served) or ()
        others = [skill.body for skill in current_selection if skill.key != proposal.key]
        before = [skill.body for skill in current_selection]
        if proposal.kind is ProposalKind.EDIT and len(others) == len(before):
            # The edited skill is not chosen for this request, so add it to compare the two texts.
            before = [*others, self._in_use.library.get(proposal.key).body]
        messages = tuple(without_skill_text(message) for message in served.turn.request)
        return ReplayCase(
            served=served,
            part=part,
            without=_prompt(stage, messages, before),
            with_=_prompt(stage, messages, [*others, proposal.text.body]),
        )


def _prompt(
    stage: ReplayTarget, messages: Sequence[Message], bodies: Sequence[str]
) -> tuple[Message, ...]:
    return prompt_with_skills(messages, bodies, system=stage.system, place=stage.place)


def pair_of(
    case: ReplayCase,
    seed: int,
    answers: AnswerPair,
    *,
    scores: tuple[float, float],
    scored_by: str,
) -> Pair:
    """Combine the answers without and with the proposed skill, and their scores, into a replayed
    pair.
    """
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
        answers=(_readable(without), _readable(with_)),
    )


def _readable(answer: Completion) -> str:
    """The answer as it is stored for the user to read, with a mark where Lull ended it."""
    said = answer_text(answer.message)
    return said.rstrip() + ENDED if answer.settled else said


def answer_text(answer: Message) -> str:
    """Return a replayed answer with its tool calls as one text, as it is stored for the user to
    read.
    """
    calls = [f"{call.name}({call.arguments})" for call in answer.tool_calls]
    return stored_text("\n".join(part for part in (answer.text, *calls) if part))


def stored_text(text: str) -> str:
    """Return a replayed answer's text as it is stored: with secrets redacted, and cut to a maximum
    length.
    """
    return redact_text(text, lambda kind, secret: 1)[:READABLE]


def prompt_with_skills(
    messages: Sequence[Message],
    bodies: Sequence[str],
    *,
    system: str,
    place: Placement = Placement.SYSTEM,
) -> tuple[Message, ...]:
    """Return the messages of a request with skill texts (`bodies`) put into them at `place` (in the
    system text or in a user message). `system` is the model's own SYSTEM text.
    """
    return with_block(messages, skills_block(bodies), system=system, place=place)


def replayed_sampling(asked: Sampling, own: Sampling, *, seed: int, warm: float) -> Sampling:
    """Return the sampling parameters for a replay: the client's, with the given seed, and with the
    temperature `warm` where the client's is 0.
    """
    drawn = replace(asked.or_else(own), seed=seed)
    return replace(drawn, temperature=warm) if drawn.temperature == 0 else drawn


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
