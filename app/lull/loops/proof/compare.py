"""Lets the user compare two answers to one recorded request, one generated with and one without a
proposed skill.

It is for skills whose effect no check and no judge model can score. The user sees two answers to a
request of their own, made like those of a proof, and picks the better one. Their order is random
for each pair and kept secret, so a pick is evidence like every other scored pair and counts in the
same e-value.

Where the model's engine is fast at several answers at the same time, those to the next requests are
generated together, and the first is shown as soon as it is there. While the user reads a pair,
those that come next are generated. A chat ends that at once.

A pick for a shown pair is accepted even after a crash. The answers are only in memory, so asking
again after a crash shows new ones.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from lull.core.chat.messages import Completion
from lull.core.chat.picks import Comparison, NextPair, Pick, answer_text, scores
from lull.core.errors import Conflict, LullError
from lull.core.idle.ports import QuietRunner
from lull.core.ports import Clock, Ids
from lull.core.proof.outcome import ENOUGH_ALIKE
from lull.core.proof.pairing import least_answered, plan_several
from lull.core.proof.pairs import BY_USER, SAME_WORDS
from lull.core.proof.proof import ProofState, decide
from lull.core.proof.proposal import Proposal, check_decidable, status_text
from lull.core.skills.ports import LibraryInUse
from lull.core.text.coded_text import TextSkillName, coded_text
from lull.loops.feedback.at_once import at_once
from lull.loops.proof.prove import Prove
from lull.loops.proof.replay import (
    AnswerPair,
    OpensTargets,
    Replay,
    ReplayCase,
    ReplayTarget,
    pair_of,
    stored_text,
)
from lull.store.proof.proposals import Proposals
from lull.store.proof.shown_pairs import ShownPair, not_open

log = logging.getLogger(__name__)


class PlannedAnswers(NamedTuple):
    """A recorded request that is to be answered without and with a proposed skill, and the seed."""

    case: ReplayCase
    seed: int


class PreparedAnswers:
    """Generates pairs of answers, with and without a proposed skill, and keeps in memory those that
    were generated together with others, as long as they are still to be shown.
    """

    def __init__(self, replay: Replay, quiet: QuietRunner) -> None:
        self._replay = replay
        self._quiet = quiet
        self._ready: list[tuple[object, AnswerPair | None]] = []
        """Answers, each with all that shaped them; None for a request that cannot be compared."""
        self._more = asyncio.Event()
        """Set when there are more of them."""
        self._ahead: asyncio.Task[LullError | None] | None = None
        """Generates answers; it goes on when the first of them, which the user reads, are there."""
        self._ahead_of: list[object] = []

    async def take(
        self, stage: ReplayTarget, planned: Sequence[PlannedAnswers]
    ) -> AnswerPair | None:
        """Return the answers to the first of the planned requests, as soon as they are there; None
        if this request cannot be compared.

        If nothing generates them yet, those to all planned requests that are not there either are
        generated from now on. What is no longer planned is dropped, except for the knowledge of
        which requests were refused. Waits until no chat is going on. Raises LullError if the first
        request could not be answered.
        """
        shapes = [_shaped_by(stage, plan) for plan in planned]
        if shapes[0] in self._ahead_of:
            await self._wait_for(shapes[0])
        elif not self._has(shapes[0]):
            self._stop()
        self._ready = [one for one in self._ready if one[0] in shapes or one[1] is None]
        if not self._has(shapes[0]):
            missing = zip(shapes, planned, strict=True)
            self._begin(stage, [one for one in missing if not self._has(one[0])], first=shapes[0])
            if (failed := await self._wait_for(shapes[0])) is not None:
                raise failed
        return next(answers for shaped_by, answers in self._ready if shaped_by == shapes[0])

    def begin_ahead(self, stage: ReplayTarget, planned: Sequence[PlannedAnswers]) -> None:
        """Begin to generate the answers to requests that are planned for later, unless some of
        them are there or being generated. A chat that arrives ends this, since another chat may
        follow it.
        """
        missing = [(_shaped_by(stage, plan), plan) for plan in planned]
        begun = self._ahead is not None and not self._ahead.done()
        coming = self._ahead_of if begun else []
        if missing and not any(self._has(one) or one in coming for one, _ in missing):
            self._begin(stage, missing)

    def _begin(
        self,
        stage: ReplayTarget,
        missing: Sequence[tuple[object, PlannedAnswers]],
        *,
        first: object = None,
    ) -> None:
        self._stop()
        self._ahead_of = [shaped_by for shaped_by, _ in missing]
        self._ahead = asyncio.create_task(self._generate(stage, missing, first))

    async def _wait_for(self, wanted: object) -> LullError | None:
        """Wait until these answers are there, or until nothing generates them any more; return why
        the first ones could not be generated, if so.
        """
        while self._ahead is not None and not self._has(wanted) and not self._ahead.done():
            self._more.clear()
            more = asyncio.ensure_future(self._more.wait())
            await asyncio.wait({self._ahead, more}, return_when=asyncio.FIRST_COMPLETED)
            more.cancel()
        if self._ahead is None or self._has(wanted) or self._ahead.cancelled():
            return None
        return self._ahead.result()

    async def _generate(
        self,
        stage: ReplayTarget,
        missing: Sequence[tuple[object, PlannedAnswers]],
        first: object,
    ) -> LullError | None:
        """Generate answers together and keep each pair as soon as it is there; return why the first
        could not be generated, if so. After a chat has interrupted this, only a `first` pair that
        the user waits for makes it go on.
        """
        begun = False

        async def answer(shaped_by: object, plan: PlannedAnswers) -> LullError | None:
            answers = await self._replay.answers_or_error(stage, plan.case, plan.seed)
            if isinstance(answers, LullError):
                return answers  # asked again when it comes first
            self._ready.append((shaped_by, _whole(answers)))
            self._more.set()
            return None

        async def generate() -> list[LullError | None]:
            nonlocal begun
            again, begun = begun, True
            if again and (first is None or self._has(first)):
                return []
            return await at_once(answer(*one) for one in missing if not self._has(one[0]))

        try:
            failed = next(iter(await self._quiet.run(generate, hurry=True)), None)
        except LullError as error:
            failed = error
        if failed is not None:  # the user learns of it who waits for these answers
            log.info("nothing is prepared: %s", failed)
        return failed

    def _has(self, wanted: object) -> bool:
        return any(shaped_by == wanted for shaped_by, _ in self._ready)

    def clear(self) -> None:
        """Drop all answers."""
        self._stop()
        self._ready = []

    def _stop(self) -> None:
        if self._ahead is not None:
            self._ahead.cancel()
        self._ahead_of = []


def _whole(answers: AnswerPair | None) -> AnswerPair | None:
    whole = answers is not None and all(answer.complete for answer in answers)
    return answers if whole else None


def _shaped_by(stage: ReplayTarget, plan: PlannedAnswers) -> object:
    """Everything that the answers depend on; two requests with the same are answered alike."""
    case = plan.case
    model = (stage.engine, stage.digest, stage.adapter, stage.sampling)
    return (model, case.turn, case.without, case.with_, plan.seed)


class Compare:
    """Shows the user pairs of answers with and without a proposed skill, and records the picks."""

    def __init__(
        self,
        *,
        proposals: Proposals,
        replay: Replay,
        prove: Prove,
        in_use: LibraryInUse,
        targets: OpensTargets,
        quiet: QuietRunner,
        clock: Clock,
        ids: Ids,
        toss: Callable[[], bool],
    ) -> None:
        """The function `toss` decides at random whether the answer with the skill is shown as A."""
        self._proposals = proposals
        self._replay = replay
        self._prove = prove
        self._in_use = in_use
        self._targets = targets
        self._prepared = PreparedAnswers(replay, quiet)
        self._clock = clock
        self._ids = ids
        self._toss = toss
        self._seen: dict[str, Comparison] = {}
        """The comparison shown last, by proposal."""

    # The next pair

    async def next(self, proposal_id: str) -> NextPair:
        """Return two answers, with and without the proposed skill, for the user to pick from.

        Repeated calls return the same pair until a pick is recorded.

        Waits until no chat is going on and for the model. Raises Conflict, NotFound, and what the
        model raises.
        """
        proposal = self._proposals.get(proposal_id)
        self._check(proposal)
        if (again := self._open(proposal)) is not None:
            return NextPair(comparison=again, alike=0)
        stage = await self._targets.open_target(proposal.model)
        if stage is None:
            raise Conflict(
                f"{proposal.model} does not answer now.", hint="Look with `lull doctor`; try again."
            )
        return await self._next(await self._grounded(proposal, stage), stage)

    async def _next(self, proposal: Proposal, stage: ReplayTarget) -> NextPair:
        alike, refused = 0, set[str]()
        while alike < ENOUGH_ALIKE:
            cases = [c for c in self._replay.user_cases(proposal, stage) if c.turn not in refused]
            planned = self._planned(proposal, cases, most=stage.pairs_at_once)
            if not planned:
                self._prepared.clear()
                break
            case, seed = planned[0]
            answers = await self._prepared.take(stage, planned)
            if answers is None:
                refused.add(case.turn)
            elif (same := _same(answers)) is None:
                comparison = await self._show(proposal, case, seed, answers)
                later = self._planned(proposal, cases, most=stage.pairs_at_once + 1)[1:]
                self._prepared.begin_ahead(stage, later)
                return NextPair(comparison=comparison, alike=alike)
            else:
                pair = pair_of(case, seed, answers, scores=same, scored_by=SAME_WORDS)
                await self._proposals.save_comparison(proposal.id, pair, self._as_it_was(proposal))
                alike += 1
                proposal = await self._settle(proposal.id, stage)
                if not proposal.comparable:
                    break
        if refused and not alike:
            raise Conflict(
                f"{proposal.model} cannot be asked these requests again.",
                hint="See `lull review show`.",
            )
        return NextPair(comparison=None, alike=alike)

    def _planned(
        self, proposal: Proposal, cases: list[ReplayCase], *, most: int
    ) -> list[PlannedAnswers]:
        """Return the next requests to compare, at most this many; none if the proof is decided or
        no request is left.
        """
        pairs = self._proposals.pairs(proposal.id)
        rule = self._prove.ground.rule_for(proposal)
        now = decide(pairs, rule, successes=proposal.replayable, look=proposal.last_look)
        if now.state is not ProofState.UNDECIDED:
            return []
        of_request = {case.turn: case for case in cases}
        # Other seeds than those of a proof that runs at the same time.
        key, requests = f"{proposal.sha256} picks", [(case.turn, case.part) for case in cases]
        wanted = plan_several(
            pairs,
            lambda done: least_answered(done, requests, successes=False, key=key),
            most=most,
        )
        return [PlannedAnswers(of_request[plan.request], plan.seed) for plan in wanted]

    async def _show(
        self,
        proposal: Proposal,
        case: ReplayCase,
        seed: int,
        answers: tuple[Completion, Completion],
    ) -> Comparison:
        with_first = self._toss()
        without, with_ = (answer_text(answer.message) for answer in answers)
        pair = ShownPair(
            id=self._ids.new("pair"),
            proposal=proposal.id,
            with_first=with_first,
            pair=pair_of(case, seed, answers, scores=(0.0, 0.0), scored_by=BY_USER),
        )
        await self._proposals.show_pair(pair, self._as_it_was(proposal))
        comparison = Comparison(
            pair=pair.id,
            request=case.served.asked,
            a=with_ if with_first else without,
            b=without if with_first else with_,
        )
        self._seen[proposal.id] = comparison
        return comparison

    def _open(self, proposal: Proposal) -> Comparison | None:
        seen, stored = self._seen.get(proposal.id), self._proposals.shown_pair(proposal.id)
        return seen if seen and stored and seen.pair == stored.id else None

    # The pick

    async def pick(self, proposal_id: str, pair: str, pick: Pick) -> Proposal:
        """Record which of two answers the user picked; return the updated proposal (the candidate
        skill).

        Raises Conflict, NotFound.
        """
        proposal = self._proposals.get(proposal_id)
        self._check(proposal)
        open_one = self._proposals.shown_pair(proposal.id)
        if open_one is None or open_one.id != pair:
            raise not_open(proposal.id, pair)
        without, with_ = scores(pick, with_first=open_one.with_first)
        seen = self._open(proposal)
        read = ("", "") if seen is None else (stored_text(seen.a), stored_text(seen.b))
        answers = (read[1], read[0]) if open_one.with_first else read
        picked = replace(open_one.pair, without=without, with_=with_, answers=answers)
        await self._proposals.save_comparison(
            proposal.id, picked, self._as_it_was(proposal), shown=open_one
        )
        self._seen.pop(proposal.id, None)
        if not self._proposals.get(proposal.id).comparable:
            self._prepared.clear()
        try:
            stage = await self._targets.open_target(proposal.model)
        except LullError as error:
            log.info("%s is settled later: %s", proposal.id, error)
            stage = None
        return await self._settle(proposal.id, stage)

    async def _settle(self, proposal_id: str, stage: ReplayTarget | None) -> Proposal:
        proposal = self._proposals.get(proposal_id)
        if stage is None or not proposal.comparable:
            return proposal
        cases = await asyncio.to_thread(self._replay.cases, proposal, stage)
        await self._prove.pairs.settle(proposal, stage, cases)
        return self._proposals.get(proposal_id)

    # Checks

    async def _grounded(self, proposal: Proposal, stage: ReplayTarget) -> Proposal:
        """The proposal with the model, adapter and judge that its pairs are replayed on now."""
        ground, anew = self._prove.ground.ground_of(proposal, stage)
        if ground == proposal.ground:
            return proposal
        as_it_was = self._as_it_was(proposal)

        def grounded(now: Proposal) -> Proposal:
            return replace(as_it_was(now), ground=ground, changed_at=self._clock.now())

        return await self._proposals.change(proposal.id, grounded, anew=anew)

    def _check(self, proposal: Proposal) -> None:
        """Raise Conflict for a proposal that cannot be decided by picks."""
        check_decidable(proposal, sha256=None, library=self._in_use.library)
        if proposal.last_look_taken:
            raise Conflict(
                f"The proof of {proposal.id} has had its final draw: further choices no longer "
                "change it.",
                hint=f"`lull review show {proposal.id}` says how it ended.",
            )
        if not proposal.comparable:
            raise Conflict(
                coded_text(
                    "suggestion-nothing-to-compare",
                    "The suggestion %1 is %2: there is nothing to compare.",
                    TextSkillName(proposal.key.name),
                    status_text(proposal.status),
                ),
                hint=f"`lull prove {proposal.id}` begins its proof anew.",
            )

    def _as_it_was(self, before: Proposal) -> Callable[[Proposal], Proposal]:
        """Return a check that raises Conflict if the proposal's text has changed or the proposal
        was decided.
        """

        def check(now: Proposal) -> Proposal:
            check_decidable(now, sha256=before.sha256, library=self._in_use.library)
            self._check(now)
            return now

        return check


def _same(answers: tuple[Completion, Completion]) -> tuple[float, float] | None:
    """Return the scores of two answers that look the same; None where they differ."""
    without, with_ = (answer_text(answer.message) for answer in answers)
    return (1.0, 1.0) if without == with_ else None
