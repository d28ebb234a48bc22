"""Carries out the user's decisions about proposals (candidate skills): approve, edit, reject,
postpone and undo.

An approval can name the hash of the exact bytes, so that nobody approves a text they have not read.
The decision and the library's new generation (version) are one transaction. Undo takes back the
last decision.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from lull.core.errors import Conflict, LullError, NotFound, UsageError
from lull.core.feedback.feedback import Scope
from lull.core.ports import Clock
from lull.core.proof.proposal import (
    DECIDABLE,
    Proposal,
    ProposalKind,
    ProposalOrigin,
    ProposalStatus,
    check_decidable,
    decided_already,
    is_stale,
    not_decidable,
)
from lull.core.provenance.redaction import redact_text
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.skill import Library
from lull.loops.skills.approve import Approve
from lull.loops.skills.edit_proposal import EditProposal
from lull.store.proof.proposals import Proposals
from lull.store.skills.skills import Also

log = logging.getLogger(__name__)

REASON_LIMIT = 2000
"""Maximum characters stored of the user's reason for a decision."""
NO_REASON = "no reason given"
"""Stored where the user rejected without one: what stood there was about the tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionResult:
    """A proposed skill after the user's decision, and the version number of the skill library
    afterwards.
    """

    proposal: Proposal
    generation: int


class ProofEvidence(Protocol):
    """Interface that returns the evidence of a proposed skill's proof, which is stored with the
    skill when the user approves it.
    """

    def evidence(self, proposal: Proposal) -> bytes:
        """Return the document that tells how the proposed skill was proved; b"" if it was not."""


class SkillExamples(Protocol):
    """Interface that stores the past requests that a skill was useful for, as examples of what it
    is for.
    """

    async def remember(self, proposal: Proposal) -> bool:
        """Store the examples of a proposed skill that the user has approved; return False if that
        cannot be done yet.
        """


class Review:
    """Lists proposals (candidate skills that wait for the user) and carries out the user's
    decisions about them.
    """

    def __init__(
        self,
        proposals: Proposals,
        approve: Approve,
        edits: EditProposal,
        *,
        in_use: LibraryInUse,
        proofs: ProofEvidence,
        clock: Clock,
        examples: SkillExamples | None = None,
    ) -> None:
        self._proposals = proposals
        self._approve = approve
        self._edits = edits
        self._in_use = in_use
        self._proofs = proofs
        self._clock = clock
        self._examples = examples

    def proposals(self, *, everything: bool = False) -> list[Proposal]:
        """Return the proposed skills, newest first, without those that the user postponed to a
        later time; all of them with `everything`.

        Proposals that change a skill which has itself changed since are marked as stale.
        """
        found = self._proposals.undecided(everything=everything)
        at = self._clock.now()
        return [self._looked_at(p) for p in found if everything or not p.is_postponed_at(at)]

    def postponed(self) -> list[Proposal]:
        """Return the proposed skills that the user postponed to a time that has not come yet,
        newest first.
        """
        at = self._clock.now()
        return [self._looked_at(p) for p in self._proposals.undecided() if p.is_postponed_at(at)]

    async def end_postponements(self) -> list[Proposal]:
        """Set proposed skills whose postponement is over back to their earlier status, and return
        them.
        """
        at = self._clock.now()
        due = [p for p in self._proposals.undecided() if p.as_of(at) != p]
        return [await self._proposals.change(p.id, lambda now: now.as_of(at)) for p in due]

    def proposal(self, proposal_id: str) -> Proposal:
        """Return one proposed skill by its id. Raises NotFound."""
        return self._looked_at(self._proposals.get(proposal_id))

    def _looked_at(self, proposal: Proposal) -> Proposal:
        proposal = proposal.as_of(self._clock.now())
        if proposal.open and is_stale(proposal, self._in_use.library):
            reason = f"'{proposal.key.name}' changed since this was made"
            return replace(proposal, status=ProposalStatus.STALE, reason=reason)
        return proposal

    async def approve(self, proposal_id: str, *, sha256: str | None = None) -> DecisionResult:
        """Make a proposed skill active, as a new generation (version) of the skill library.

        A quarantined proposal (its text was found suspicious) must be named with the `sha256` of
        the bytes that the user read. Raises Conflict, NotFound, and SkillError if a file beside it
        contains a secret.
        """
        proposal = self._proposals.get(proposal_id)
        check_decidable(proposal, sha256=sha256, library=self._in_use.library)
        if proposal.status is ProposalStatus.QUARANTINED and sha256 is None:
            raise Conflict(
                f"{proposal.id} is quarantined: {proposal.reason}",
                hint="Read it with `lull review show ID`, then approve it by its --sha256.",
            )
        if proposal.status not in DECIDABLE:
            raise not_decidable(proposal, hint="Reject it.")
        if proposal.kind is ProposalKind.RETIRE:
            return await self._retire(proposal)
        if proposal.origin is ProposalOrigin.FILE:
            await self._approve.check_extra_files(proposal.key, proposal.id)

        def unchanged(library: Library) -> None:
            check_decidable(
                self._proposals.get(proposal.id), sha256=proposal.sha256, library=library
            )

        changed = await self._approve.activate(
            proposal.text,
            proposal.key,
            data=self._proposals.data(proposal.id),
            sha256=proposal.sha256,
            check=unchanged,
            evidence=self._proofs.evidence(proposal),
            also=self._approval(proposal),
        )
        if proposal.origin is ProposalOrigin.FILE:
            await self._approve.move_extra_files(proposal.id, proposal.key)
        await self.remember_examples()
        return DecisionResult(
            proposal=self._proposals.get(proposal.id), generation=changed.generation
        )

    def _approval(self, proposal: Proposal) -> Also:
        if self._examples is None:
            return self._decision(proposal, ProposalStatus.APPROVED)
        return self._proposals.approval_writer(self._decided(proposal, ProposalStatus.APPROVED))

    async def remember_examples(self) -> None:
        """Store the examples of approved skills that are not stored yet: those of the one just
        approved, and of others whose approval a kill cut off, or came before examples could be
        stored.
        """
        if self._examples is None:
            return
        for due in await asyncio.to_thread(self._proposals.examples_due):
            try:
                proposal = self._proposals.get(due)
                approved = proposal.status is ProposalStatus.APPROVED
                stored = not approved or await self._examples.remember(proposal)
            except NotFound:
                stored = True  # it was forgotten
            except LullError as error:
                log.warning("the examples of an approved skill are not stored yet: %s", error)
                continue
            if stored:
                await self._proposals.examples_stored(due)

    async def _retire(self, proposal: Proposal) -> DecisionResult:
        changed = await self._approve.retire(
            proposal.key,
            why=proposal.reason,
            also=self._decision(proposal, ProposalStatus.APPROVED),
        )
        return DecisionResult(
            proposal=self._proposals.get(proposal.id), generation=changed.generation
        )

    def _decision(self, proposal: Proposal, status: ProposalStatus) -> Also:
        return self._proposals.decision_writer(self._decided(proposal, status))

    def _decided(self, proposal: Proposal, status: ProposalStatus) -> Proposal:
        return replace(
            proposal, status=status, before=proposal.status, changed_at=self._clock.now()
        )

    async def edit(
        self,
        proposal_id: str,
        *,
        description: str | None = None,
        body: str | None = None,
        scope: Scope | None = None,
        check: str | None = None,
    ) -> DecisionResult:
        """Change a proposed skill's text, scope or check, as `EditProposal` describes."""
        return self._unchanged(
            await self._edits.change(
                proposal_id, description=description, body=body, scope=scope, check=check
            )
        )

    async def reject(self, proposal_id: str, *, reason: str) -> DecisionResult:
        """Reject a proposed skill; similar texts are not proposed again. The reason is stored
        without secrets; the user need not give one. Raises Conflict.
        """
        reason = " ".join(redact_text(reason, lambda kind, secret: 1).split())[:REASON_LIMIT]
        decided = await self._put(proposal_id, ProposalStatus.REJECTED, reason or NO_REASON)
        if decided.proposal.origin is ProposalOrigin.FILE:
            await self._approve.propose_file_edits()  # this restores the file
        return decided

    async def defer(self, proposal_id: str, *, until: datetime | None = None) -> DecisionResult:
        """Postpone a proposed skill: it is not proved automatically, and it is hidden until the
        time `until`, if one is given.

        Raises UsageError for a time in the past, and Conflict.
        """
        if until is not None and until <= self._clock.now():
            raise UsageError("That time has already passed.", hint="Give a later one.")
        return await self._put(proposal_id, ProposalStatus.DEFERRED, "", until=until)

    async def _put(
        self,
        proposal_id: str,
        status: ProposalStatus,
        reason: str,
        *,
        until: datetime | None = None,
    ) -> DecisionResult:
        def put(now: Proposal) -> Proposal:
            now = now.as_of(self._clock.now())
            if not now.open:
                raise decided_already(now)
            if now.status is status:
                raise decided_already(now, hint="Nothing was changed.")
            return replace(
                now,
                status=status,
                before=now.status,
                reason=reason or now.reason,
                until=until,
                changed_at=self._clock.now(),
            )

        proposal = self._proposals.get(proposal_id)
        return self._unchanged(await self._proposals.save_decision(proposal.id, put))

    def last(self) -> tuple[Proposal, ProposalStatus] | None:
        """Return the user's newest decision about a proposed skill, which `undo` would take back,
        as (proposal, decision); None if there is none.
        """
        last = self._proposals.last_decision()
        return None if last is None else (self._proposals.get(last.proposal), last.what)

    async def undo(self, proposal_id: str | None = None) -> DecisionResult:
        """Undo the user's newest decision about any proposed skill, or about the one with the given
        id.

        Raises NotFound when there is nothing to undo.
        """
        last = self._proposals.last_decision(proposal_id)
        if last is None:
            raise NotFound("There is nothing to undo.", hint="`lull review` lists what is open.")
        proposal = self._proposals.get(last.proposal)
        again = replace(
            proposal,
            status=last.before,
            before=None,
            until=None,
            generation=None,
            changed_at=self._clock.now(),
            reason="" if last.what is ProposalStatus.REJECTED else proposal.reason,
        )
        if last.generation is None:
            await self._proposals.undo_decision(last.number, again)
            return self._unchanged(again)

        also = self._proposals.undo_writer(last.number, again)
        changed = await self._approve.undo_change(
            proposal.key, generation=last.generation, also=also
        )
        return DecisionResult(
            proposal=self._proposals.get(proposal.id), generation=changed.generation
        )

    def _unchanged(self, proposal: Proposal) -> DecisionResult:
        return DecisionResult(proposal=proposal, generation=self._in_use.library.generation)
