"""Makes a candidate skill (an instruction text) of similar failed answers.

The failures are given to a writer (a model or a program), whose draft becomes a proposal. If a
writer cannot be asked or its draft cannot be used, the error and the writer's answer are stored and
shown, and the same failures are tried again later with an increasing backoff.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from lull.core.errors import EvolverFault, LullError, SkillError
from lull.core.idle.ports import QuietRunner
from lull.core.ports import Clock, Ids
from lull.core.proof.proposal import Proposal, ProposalOrigin, ProposalStatus
from lull.core.skills.failures import FailureSet
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


class MakeCandidate:
    """Asks writers (models or programs) in order for a skill that would prevent similar failures,
    and has the first draft proposed; remembers what came of each try.
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

    async def make(
        self, found: FailureSet, origins: Collection[ProposalOrigin], *, hurry: bool
    ) -> Proposal | None:
        """Have writers of these origins draft a skill from similar failures, one after the other,
        until something can be proposed; return the proposal, None if there is none.

        With `hurry` also a writer is asked that waits for another try. Raises LullError if a writer
        or the store failed.
        """
        turns = found.read
        for writer in self._writers():
            mark = (writer.evolver.name, turns)
            if writer.origin not in origins or mark in self._settled:
                continue
            if turns in self._closed or self._must_wait(found, writer, hurry=hurry):
                continue
            draft: SkillDraft | None = None
            proposal: Proposal | None = None
            write, material = writer.evolver.draft, self._material(found)
            async with self._noting_errors_of_drafting(found, writer):
                if writer.origin is ProposalOrigin.EXTRACTIVE:  # asks no model, so it need not wait
                    draft = await write(material)
                else:
                    draft = await self._quiet.run(partial(write, material), hurry=hurry)
            self._trouble.pop(mark, None)
            if draft is not None:
                async with self._noting_errors_of_storing(found, writer, draft), self._storing:
                    if self._failing.still_open(found):
                        proposal = await self._propose.from_draft(found, draft, writer.origin)
                if proposal is not None and _to_be_written_anew(proposal):
                    why = EvolverFault(f"The draft is in quarantine. {proposal.reason}", answer="")
                    await self._stumbled(found, writer, why, draft.answer)
            if proposal is not None:
                return proposal
            self._settled.add(mark)
            if draft is not None:
                self._closed.add(turns)
        return None

    def trouble(self, origins: Collection[ProposalOrigin]) -> list[LullError]:
        """Return the errors of writers of these origins, whose failures wait for another try."""
        asked = {writer.evolver.name for writer in self._writers() if writer.origin in origins}
        return [error for (name, _), error in self._trouble.items() if name in asked]

    def forget_all_but(self, sets: Sequence[FailureSet]) -> None:
        """Forget the errors of writers that are about other failures than these."""
        left = {found.read for found in sets}
        self._trouble = {key: error for key, error in self._trouble.items() if key[1] in left}

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

    @asynccontextmanager
    async def _noting_errors_of_drafting(
        self, found: FailureSet, writer: SkillWriter
    ) -> AsyncIterator[None]:
        try:
            yield
        except LullError as error:
            if writer.origin is not ProposalOrigin.EXTRACTIVE:
                answer = error.answer if isinstance(error, EvolverFault) else ""
                await self._stumbled(found, writer, error, answer)
                raise
            if not isinstance(error, SkillError):
                raise
            await self._stumbled(found, writer, error, "")  # the text is not valid in a SKILL.md

    @asynccontextmanager
    async def _noting_errors_of_storing(
        self, found: FailureSet, writer: SkillWriter, draft: SkillDraft
    ) -> AsyncIterator[None]:
        try:
            yield
        except SkillError as error:  # the text is not valid in a SKILL.md
            await self._stumbled(found, writer, error, draft.answer)
        except LullError as error:
            await self._stumbled(found, writer, error, draft.answer)
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
