"""From failures to a candidate skill that is worth a proof.

Failures that look alike are given to a writer; what becomes of its draft stands in `propose`. A
writer that cannot be asked, or whose answer cannot be used, costs nothing: its words are kept and
shown, and the same failures are tried again later, each time after a longer while.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from lull.core.errors import EvolverFault, LullError, SkillError, UpstreamDown
from lull.core.failures import Failure, FailureSet, failure_sets
from lull.core.feedback.feedback import Feedback
from lull.core.ports import Clock, Draft, Evolver, Ids, Material, Quiet, Rejected
from lull.core.proposal import TO_READ, Origin, Proposal, ProposalStatus
from lull.core.reward import GREY
from lull.core.rules import EvolveRule
from lull.core.skill import SkillText
from lull.core.trust import behind_the_answer, typed_in
from lull.loops.propose import Propose
from lull.loops.today import Today, clean
from lull.store.feedback import FeedbackRows
from lull.store.proposals import Proposals, WritingFault
from lull.store.reward_rows import Served
from lull.store.rewards import Rewards

log = logging.getLogger(__name__)

LOOKED_AT = 300
"""Newest failures that are sorted into sets."""
MOST_QUARANTINED = 3
"""Candidates of the same failures in quarantine; then their writer is asked no more by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """An evolver and who it is."""

    evolver: Evolver
    origin: Origin


class Evolve:
    def __init__(
        self,
        *,
        propose: Propose,
        rewards: Rewards,
        feedback: FeedbackRows,
        proposals: Proposals,
        today: Today,
        writers: Callable[[], Sequence[Writer]],
        quiet: Quiet,
        clock: Clock,
        ids: Ids,
        rule: EvolveRule,
    ) -> None:
        """`writers` in the order in which they are asked; the first that finds a rule has it."""
        self._propose = propose
        self._rewards = rewards
        self._feedback = feedback
        self._proposals = proposals
        self._today = today
        self._writers = writers
        self._quiet = quiet
        self._clock = clock
        self._ids = ids
        self._rule = rule
        self._settled: set[tuple[str, frozenset[str]]] = set()
        """Failure sets in which a writer found no rule, with the writer's name."""
        self._closed: set[frozenset[str]] = set()
        """Failure sets that state a rule of which there is nothing to propose."""
        self._trouble: dict[tuple[str, frozenset[str]], LullError] = {}
        """What went wrong with sets that wait for another try, by the writer's name."""
        self._storing = asyncio.Lock()
        """Two writers may have had the same failures before them; the first one has them."""

    async def step(
        self, origins: Collection[Origin] = frozenset(Origin), *, hurry: bool = False
    ) -> list[Proposal]:
        """Make proposals of every failure set that is ready; the ones made. With `hurry` also of
        those that wait for another try.

        Raises LullError where nothing was made and a writer is in trouble, now or since an earlier
        step: it is told as long as failures wait for it.
        """
        made: list[Proposal] = []
        # Every failure is compared with every other: no request waits for that.
        sets = await asyncio.to_thread(self._sets)
        self._forget_all_but(sets)
        full: LullError | None = None
        for found in sets:
            if self._waiting_for_user(found.client) >= self._rule.most_open:
                full = _too_many(found.client, self._rule.most_open)
                continue
            try:
                proposal = await self._from(found, origins, hurry=hurry)
            except UpstreamDown:
                break  # it would not answer about the next ones either
            except LullError:
                continue
            if proposal is not None:
                made.append(proposal)
        asked = {writer.evolver.name for writer in self._writers() if writer.origin in origins}
        trouble = [error for (name, _), error in self._trouble.items() if name in asked]
        if full is not None:
            trouble.append(full)
        if trouble and not made:
            raise trouble[-1]
        return made

    def _waiting_for_user(self, client: str) -> int:
        """Proposals of one room that the user should read: another's pile, and what is in
        quarantine or overtaken, keeps nobody from learning."""
        return sum(
            p.key.client == client and p.status in TO_READ for p in self._proposals.standing()
        )

    def _forget_all_but(self, sets: Sequence[FailureSet]) -> None:
        left = {frozenset(found.turns) for found in sets}
        self._trouble = {key: error for key, error in self._trouble.items() if key[1] in left}

    def _sets(self) -> list[FailureSet]:
        return failure_sets(self._failures(), alike=self._rule.alike)

    def _failures(self) -> list[Failure]:
        """Failures under the skills that would be in force today, and answers of which the user
        said what they want from now on; newest first."""
        served, heard = self._material_turns()
        found = [
            self._failure(one, heard.get(one.turn.id))
            for one in served
            if self._counts(one, heard.get(one.turn.id))
        ]
        used = self._used_but_for_words()
        return [one for one in found if one.said or one.turn not in used]

    def _material_turns(self) -> tuple[list[Served], dict[str, Feedback]]:
        """Turns that went wrong or were spoken of, newest first, and what was said of them."""
        failed = self._rewards.failures(below=GREY[0], limit=LOOKED_AT)
        lasting = self._feedback.lasting(limit=LOOKED_AT)
        turns = {one.turn.id: one for one in failed}
        spoken = [f.before for f in lasting if f.before not in turns]
        turns |= {one.turn.id: one for one in self._rewards.served(spoken) if one.turn.complete}
        heard = self._feedback.about([*turns])
        # The same words teach once: a rule of which a proposal was made is no news.
        open_wishes = {f.turn for f in lasting}
        heard = {turn: f for turn, f in heard.items() if f.turn in open_wishes or not f.heard.lasts}
        newest_first = sorted(turns.values(), key=lambda one: one.turn.id, reverse=True)
        return newest_first, heard

    def _used_but_for_words(self) -> set[str]:
        """Turns of which a proposal was made without a word of the user's: they count again once
        there is one."""
        mute = [p for p in self._proposals.standing() if not p.wish]
        quarantined = ProposalStatus.QUARANTINED
        return {turn for p in mute if p.status is not quarantined for turn in p.failures}

    def _counts(self, served: Served, feedback: Feedback | None) -> bool:
        """An answer without a skill that chance left out says nothing about the skill, but what the
        user wants instead is what they want."""
        if feedback is not None and (feedback.heard.lasts or feedback.heard.corrects):
            return self._today.still_meant(served)
        return self._today.still(served)

    def _failure(self, served: Served, feedback: Feedback | None) -> Failure:
        turn = served.turn
        spoke = feedback is not None and (feedback.heard.lasts or feedback.heard.corrects)
        following = self._rewards.served([feedback.turn]) if feedback and spoke else []
        said = typed_in(behind_the_answer(following[0].turn.request)) if following else ""
        return Failure(
            turn=turn.id,
            trajectory=turn.trajectory,
            client=served.room,
            model=turn.model,
            messages=tuple(clean(message) for message in turn.request),
            answer=clean(turn.answer),
            said=said,
            said_turn=feedback.turn if feedback and said else "",
            heard=feedback.heard if feedback and said else None,
        )

    async def _from(
        self, found: FailureSet, origins: Collection[Origin], *, hurry: bool
    ) -> Proposal | None:
        turns = frozenset(found.turns)
        for writer in self._writers():
            mark = (writer.evolver.name, turns)
            if writer.origin not in origins or mark in self._settled:
                continue
            if turns in self._closed or self._must_wait(found, writer, hurry=hurry):
                continue
            draft = await self._draft(writer, found, hurry=hurry)
            self._trouble.pop(mark, None)
            proposal = await self._made(found, writer, draft) if draft else None
            if proposal is not None:
                return proposal
            self._settled.add(mark)
            if draft is not None:
                self._closed.add(turns)
        return None

    async def _made(self, found: FailureSet, writer: Writer, draft: Draft) -> Proposal | None:
        try:
            async with self._storing:
                if not self._still_open(found):
                    return None
                proposal = await self._propose.of(found, draft, writer.origin)
        except SkillError as error:  # words that no SKILL.md can hold
            await self._stumbled(found, writer, error, draft.answer)
            return None
        except LullError as error:
            await self._stumbled(found, writer, error, draft.answer)
            raise
        if proposal is not None and _to_be_written_anew(proposal):
            why = EvolverFault(f"The candidate is in quarantine. {proposal.reason}", answer="")
            await self._stumbled(found, writer, why, draft.answer)
        return proposal

    def _must_wait(self, found: FailureSet, writer: Writer, *, hurry: bool) -> bool:
        """This writer stumbled over these failures a short while ago, or too often."""
        if hurry:
            return False
        if writer.origin is Origin.MODEL and self._quarantined(found) >= MOST_QUARANTINED:
            return True
        now = self._clock.now()
        return any(
            fault.due is not None and fault.due > now
            for fault in self._faults(found)
            if fault.evolver == writer.evolver.name
        )

    def _quarantined(self, found: FailureSet) -> int:
        standing = self._proposals.with_status({ProposalStatus.QUARANTINED})
        return sum(not set(found.turns).isdisjoint(p.failures) for p in standing)

    def _faults(self, found: FailureSet) -> list[WritingFault]:
        turns = set(found.turns)
        return [f for f in self._proposals.faults(limit=100) if turns & set(f.turns)]

    async def _draft(self, writer: Writer, found: FailureSet, *, hurry: bool) -> Draft | None:
        material = self._material(found)
        write = writer.evolver.draft
        if writer.origin is Origin.EXTRACTIVE:  # asks no model, so nobody is kept waiting
            try:
                return await write(material)
            except SkillError as error:  # words that no SKILL.md can hold
                await self._stumbled(found, writer, error, "")
                return None
        try:
            return await self._quiet.run(lambda: write(material), hurry=hurry)
        except LullError as error:
            answer = error.answer if isinstance(error, EvolverFault) else ""
            await self._stumbled(found, writer, error, answer)
            raise

    def _material(self, found: FailureSet) -> Material:
        room = self._propose.room(found.client)
        rejected = self._proposals.rejected(found.client)[:20]
        return Material(
            failures=found,
            existing=tuple(
                SkillText(name=s.name, description=s.description, body=s.body) for s in room
            ),
            rejected=tuple(Rejected(text=p.text, reason=p.reason) for p in rejected),
        )

    async def _stumbled(
        self, found: FailureSet, writer: Writer, error: LullError, answer: str
    ) -> None:
        """Keep what was written, and let the same failures wait."""
        before = len(self._faults(found))
        self._trouble[writer.evolver.name, frozenset(found.turns)] = error
        fault = WritingFault(
            id=self._ids.new("fault"),
            at=self._clock.now(),
            client=found.client,
            turns=found.turns,
            evolver=writer.evolver.name,
            problem=str(error),
            answer=answer,
            due=self._clock.now() + timedelta(seconds=self._rule.retry_s * 2 ** min(before, 6)),
        )
        await self._proposals.fault(fault)

    def _still_open(self, found: FailureSet) -> bool:
        """While a model wrote, another writer may have had them, or the user another opinion."""
        left = {one.turn.id for one in self._material_turns()[0]}
        if not found.wish:
            left -= self._used_but_for_words()
        return left.issuperset(found.turns)


def _to_be_written_anew(proposal: Proposal) -> bool:
    """A model may find better words for the same failures; the user's own stay what they are."""
    return proposal.status is ProposalStatus.QUARANTINED and proposal.origin is Origin.MODEL


def _too_many(client: str, most: int) -> LullError:
    whose = f" of client {client}" if client else ""
    return LullError(
        f"{most} proposals{whose} wait for you, so no further ones are made.",
        hint="`lull review` goes through them.",
    )
