"""Drafts candidate skills (instruction texts) from answers that failed.

Similar failures are given to a writer (a model or a program), whose draft becomes a proposal. If a
writer cannot be asked or its draft cannot be used, the error and the writer's answer are stored and
shown, and the same failures are tried again later with an increasing backoff.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from lull.core.errors import EvolverFault, LullError, SkillError, UpstreamDown
from lull.core.idle.ports import QuietRunner
from lull.core.ports import Clock, Ids
from lull.core.proof.proposal import TO_READ, Proposal, ProposalOrigin, ProposalStatus
from lull.core.skills.failures import FailureSet, failure_sets
from lull.core.skills.ports import (
    Evolver,
    EvolverMaterial,
    LibraryInUse,
    RejectedSkill,
    SkillDraft,
)
from lull.core.skills.rules import EvolveRule
from lull.core.skills.skill import SkillText
from lull.loops.skills.find_failures import FindFailures
from lull.loops.skills.propose import Propose
from lull.store.proof.proposals import Proposals, WritingFault

log = logging.getLogger(__name__)

MOST_QUARANTINED = 3
"""How many suspicious (quarantined) drafts from the same failures stop a model from writing more
for them.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillWriter:
    """A model or program that drafts skills, with the origin (kind of writer) that the proposals
    made from its drafts are marked with.
    """

    evolver: Evolver
    origin: ProposalOrigin


class Evolve:
    """Groups failed answers by similarity and has writers draft skills (instruction texts) that
    would prevent them.
    """

    def __init__(
        self,
        *,
        propose: Propose,
        failing: FindFailures,
        proposals: Proposals,
        in_use: LibraryInUse,
        writers: Callable[[], Sequence[SkillWriter]],
        quiet: QuietRunner,
        clock: Clock,
        ids: Ids,
        rule: EvolveRule,
    ) -> None:
        """The `writers` draft skills; they are asked in order until one finds a rule."""
        self._propose = propose
        self._failing = failing
        self._proposals = proposals
        self._in_use = in_use
        self._writers = writers
        self._quiet = quiet
        self._clock = clock
        self._ids = ids
        self._rule = rule
        self._settled: set[tuple[str, frozenset[str]]] = set()
        """(writer's name, a failure set's `read`) where it found no rule or nothing to propose."""
        self._closed: set[frozenset[str]] = set()
        """Failure sets with a draft of which there was nothing to propose."""
        self._trouble: dict[tuple[str, frozenset[str]], LullError] = {}
        """Errors by (writer's name, failure set), for sets that wait for another try."""
        self._storing = asyncio.Lock()
        """Held while a draft is stored, because two writers may work on the same failures."""

    async def step(
        self,
        origins: Collection[ProposalOrigin] = frozenset(ProposalOrigin),
        *,
        hurry: bool = False,
    ) -> list[Proposal]:
        """Have writers (models or programs) draft a skill from every group of similar failed
        answers that is large enough or has a rule stated by the user, and return the proposals
        made.

        With `hurry` sets that wait for another try after a writer's failure are included. Raises
        LullError if nothing was made and a writer failed, now or in an earlier step, as long as
        failures wait for that writer.
        """
        made: list[Proposal] = []
        # In a thread, because every failure is compared with every other.
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
                break  # the writer would not answer for the next sets either
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
        """Number of a client's proposals to read, without quarantined and stale ones."""
        return sum(
            p.key.client == client and p.status in TO_READ for p in self._proposals.undecided()
        )

    def _forget_all_but(self, sets: Sequence[FailureSet]) -> None:
        left = {found.read for found in sets}
        self._trouble = {key: error for key, error in self._trouble.items() if key[1] in left}

    def _sets(self) -> list[FailureSet]:
        return failure_sets(self._failing.all(), alike=self._rule.alike)

    async def _from(
        self, found: FailureSet, origins: Collection[ProposalOrigin], *, hurry: bool
    ) -> Proposal | None:
        turns = found.read
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

    async def _made(
        self, found: FailureSet, writer: SkillWriter, draft: SkillDraft
    ) -> Proposal | None:
        try:
            async with self._storing:
                if not self._failing.still_open(found):
                    return None
                proposal = await self._propose.from_draft(found, draft, writer.origin)
        except SkillError as error:  # the text is not valid in a SKILL.md
            await self._stumbled(found, writer, error, draft.answer)
            return None
        except LullError as error:
            await self._stumbled(found, writer, error, draft.answer)
            raise
        if proposal is not None and _to_be_written_anew(proposal):
            why = EvolverFault(f"The draft is in quarantine. {proposal.reason}", answer="")
            await self._stumbled(found, writer, why, draft.answer)
        return proposal

    def _must_wait(self, found: FailureSet, writer: SkillWriter, *, hurry: bool) -> bool:
        """Whether this writer failed on these failures recently, or too often."""
        if hurry:
            return False
        if writer.origin is ProposalOrigin.MODEL and self._quarantined(found) >= MOST_QUARANTINED:
            return True
        now = self._clock.now()
        return any(
            fault.due is not None and fault.at <= now < fault.due  # else the clock was wrong then
            for fault in self._faults(found)
            if fault.evolver == writer.evolver.name
        )

    def _quarantined(self, found: FailureSet) -> int:
        standing = self._proposals.with_status({ProposalStatus.QUARANTINED})
        return sum(not set(found.turns).isdisjoint(p.failures) for p in standing)

    def _faults(self, found: FailureSet) -> list[WritingFault]:
        turns = set(found.turns)
        return [f for f in self._proposals.faults(limit=100) if turns & set(f.turns)]

    async def _draft(
        self, writer: SkillWriter, found: FailureSet, *, hurry: bool
    ) -> SkillDraft | None:
        material = self._material(found)
        write = writer.evolver.draft
        if writer.origin is ProposalOrigin.EXTRACTIVE:  # it asks no model, so it need not wait
            try:
                return await write(material)
            except SkillError as error:  # the text is not valid in a SKILL.md
                await self._stumbled(found, writer, error, "")
                return None
        try:
            return await self._quiet.run(lambda: write(material), hurry=hurry)
        except LullError as error:
            answer = error.answer if isinstance(error, EvolverFault) else ""
            await self._stumbled(found, writer, error, answer)
            raise

    def _material(self, found: FailureSet) -> EvolverMaterial:
        active = self._in_use.library.active_of(found.client)
        rejected = self._proposals.rejected(found.client)[:20]
        return EvolverMaterial(
            failures=found,
            existing=tuple(
                SkillText(name=s.name, description=s.description, body=s.body) for s in active
            ),
            rejected=tuple(RejectedSkill(text=p.text, reason=p.reason) for p in rejected),
        )

    async def _stumbled(
        self, found: FailureSet, writer: SkillWriter, error: LullError, answer: str
    ) -> None:
        """Store the writer's error and answer, and let the failures wait."""
        before = len(self._faults(found))
        self._trouble[writer.evolver.name, found.read] = error
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


def _to_be_written_anew(proposal: Proposal) -> bool:
    """Whether a model should try again: its draft is in quarantine."""
    return proposal.status is ProposalStatus.QUARANTINED and proposal.origin is ProposalOrigin.MODEL


def _too_many(client: str, most: int) -> LullError:
    whose = f" of the chat app {client}" if client else ""
    return LullError(
        f"{most} suggestions{whose} are waiting for you, so no more are made.",
        hint="`lull review` goes through them.",
    )
