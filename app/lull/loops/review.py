"""The user's decision about a candidate: approve, edit, reject, defer, and take it back.

What is approved is named by the hash of its exact bytes, so that nobody approves a text they have
not read. The decision and the new generation are one transaction. Undo goes back one decision at a
time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from lull.core.check import parse, to_json
from lull.core.errors import Conflict, NotFound, UsageError
from lull.core.feedback.feedback import Scope
from lull.core.ports import Clock
from lull.core.proof import BY_CHECK
from lull.core.proposal import (
    CHECK,
    DECIDABLE,
    Proposal,
    ProposalKind,
    ProposalStatus,
    check_decidable,
    is_stale,
)
from lull.core.screening import screen
from lull.core.skill import SCOPE, Library, SkillText, check_text
from lull.core.trust import Origin as By
from lull.core.trust import Place, Span
from lull.loops.approve import Approve
from lull.loops.propose import flags_of, traces_of
from lull.store.proposals import Proposals
from lull.store.skill_md import render
from lull.store.skills import Also

REASON_LIMIT = 2000
PROOF_SAYS = frozenset({ProposalStatus.PROVING, ProposalStatus.PROVED, ProposalStatus.UNPROVED})
"""What a proposal is by its proof."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    proposal: Proposal
    generation: int


class Review:
    def __init__(
        self,
        proposals: Proposals,
        approve: Approve,
        *,
        library: Callable[[], Library],
        evidence: Callable[[Proposal], bytes],
        clock: Clock,
        approved: Callable[[Proposal], Awaitable[None]] | None = None,
    ) -> None:
        """`evidence` makes the document that is laid beside the approved skill; b"" for none.
        `approved` is told of each skill that came into force."""
        self._proposals = proposals
        self._approve = approve
        self._library = library
        self._evidence = evidence
        self._clock = clock
        self._approved = approved

    def proposals(self, *, everything: bool = False) -> list[Proposal]:
        """Newest first; what has been overtaken says so."""
        return [self._looked_at(p) for p in self._proposals.standing(everything=everything)]

    def proposal(self, proposal_id: str) -> Proposal:
        """Raises NotFound."""
        return self._looked_at(self._proposals.get(proposal_id))

    def _looked_at(self, proposal: Proposal) -> Proposal:
        if proposal.open and is_stale(proposal, self._library()):
            reason = f"'{proposal.key.name}' changed since this was made"
            return replace(proposal, status=ProposalStatus.STALE, reason=reason)
        return proposal

    async def approve(self, proposal_id: str, *, sha256: str | None = None) -> Decided:
        """Put the exact bytes in force as generation g + 1. Raises Conflict, NotFound."""
        proposal = self._proposals.get(proposal_id)
        check_decidable(proposal, sha256=sha256, library=self._library())
        if proposal.status is ProposalStatus.QUARANTINED and sha256 is None:
            raise Conflict(
                f"{proposal.id} is quarantined: {proposal.reason}",
                hint="Read it with `lull review show ID`, then approve it by its --sha256.",
            )
        if proposal.status not in DECIDABLE:
            raise Conflict(f"{proposal.id} is {proposal.status}.", hint="Reject it.")
        if proposal.kind is ProposalKind.RETIRE:
            return await self._retire(proposal)

        def unchanged(library: Library) -> None:
            check_decidable(
                self._proposals.get(proposal.id), sha256=proposal.sha256, library=library
            )

        changed = await self._approve.propose_in(
            proposal.text,
            proposal.key,
            sha256=proposal.sha256,
            check=unchanged,
            evidence=self._evidence(proposal),
            also=self._decision(proposal, ProposalStatus.APPROVED),
        )
        if self._approved is not None:
            await self._approved(proposal)
        return Decided(proposal=self._proposals.get(proposal.id), generation=changed.generation)

    async def _retire(self, proposal: Proposal) -> Decided:
        changed = await self._approve.retire(
            proposal.key,
            why=proposal.reason,
            also=self._decision(proposal, ProposalStatus.APPROVED),
        )
        return Decided(proposal=self._proposals.get(proposal.id), generation=changed.generation)

    def _decision(self, proposal: Proposal, status: ProposalStatus) -> Also:
        return self._proposals.deciding(
            replace(proposal, status=status, before=proposal.status, changed_at=self._clock.now())
        )

    async def edit(
        self,
        proposal_id: str,
        *,
        description: str | None = None,
        body: str | None = None,
        scope: Scope | None = None,
        check: str | None = None,
    ) -> Decided:
        """Change the candidate's text. It is the user's own then: what was proved of the other
        text no longer holds, and a proof begins anew. Scope and check stand beside the text, so
        what was proved stays, but for verdicts of a check that is another one now; `check` is its
        JSON text, "" for none."""
        proposal = self._proposals.get(proposal_id)
        check_decidable(proposal, sha256=None, library=self._library())
        if proposal.kind is ProposalKind.RETIRE:
            raise UsageError("There is no text to edit.", hint="Approve or reject it.")
        if all(one is None for one in (description, body, scope, check)):
            raise UsageError(
                "Nothing to edit.", hint="Give --description, --body, --scope or --check."
            )
        text = check_text(
            replace(
                proposal.text,
                description=proposal.text.description if description is None else description,
                body=proposal.text.body if body is None else body,
                metadata=_metadata(proposal.text, scope=scope, check=check),
            )
        )
        if text == proposal.text:
            raise Conflict("It reads exactly so already.", hint="Nothing was changed.")
        data = render(text)
        anew = self._speaks_of_another(proposal, text)

        def edited(now: Proposal) -> Proposal:
            check_decidable(now, sha256=proposal.sha256, library=self._library())
            now = replace(now, scope=scope or now.scope)
            if (text.description, text.body) == (now.text.description, now.text.body):
                return self._beside(now, text, data, anew=anew)
            # A body that was the user's stays theirs when only the description changes.
            kept = body is None and all(trace.source == "user" for trace in now.traces)
            own = now.text.body if kept else body or ""
            return self._anew(now, text, data, typed=f"{description or ''}\n{own}")

        changed = await self._proposals.change(proposal.id, edited, data=data, anew=anew)
        return self._unchanged(changed)

    def _speaks_of_another(self, proposal: Proposal, text: SkillText) -> bool:
        """Whether what was replayed so far says nothing of this text."""
        if (text.description, text.body) != (proposal.text.description, proposal.text.body):
            return True
        if text.metadata.get(CHECK) == proposal.text.metadata.get(CHECK):
            return False
        return any(p.scored_by == BY_CHECK for p in self._proposals.pairs(proposal.id))

    def _beside(self, proposal: Proposal, text: SkillText, data: bytes, *, anew: bool) -> Proposal:
        """Another scope or check: the words that go into prompts, and whose they are, stay. A check
        that is new may tell what only the user could."""
        checked = text.metadata.get(CHECK) != proposal.text.metadata.get(CHECK)
        again = anew or (checked and proposal.needs_picks)
        changed = replace(
            proposal,
            text=text,
            sha256=hashlib.sha256(data).hexdigest(),
            changed_at=self._clock.now(),
        )
        if anew:
            changed = replace(changed, ground=None, silent=(), replayable=0)
        if not again or proposal.status not in PROOF_SAYS:
            return changed
        return replace(changed, status=ProposalStatus.SCREENED, reason="", needs_picks=False)

    def _anew(self, proposal: Proposal, text: SkillText, data: bytes, *, typed: str) -> Proposal:
        changed = replace(
            proposal,
            text=text,
            sha256=hashlib.sha256(data).hexdigest(),
            changed_at=self._clock.now(),
            silent=(),
            ground=None,
            needs_picks=False,
        )
        if proposal.in_quarantine and text.body == proposal.text.body:
            # Another description makes nobody the author of the words that stand in quarantine.
            return replace(changed, status=ProposalStatus.QUARANTINED)
        span = Span(text=typed, origin=By.USER, turn="", place=Place.TYPED)
        screening = screen(text, spans=(span,), mine=True)
        return replace(
            changed,
            status=ProposalStatus.SCREENED,
            reason="",
            flags=flags_of(screening),
            traces=traces_of(screening),
        )

    async def reject(self, proposal_id: str, *, reason: str) -> Decided:
        """Remembered with its reason: it is not proposed again in other words."""
        reason = " ".join(reason.split())[:REASON_LIMIT]
        if not reason:
            raise UsageError("A reason is missing.", hint="Say why: --reason TEXT.")
        return await self._put(proposal_id, ProposalStatus.REJECTED, reason)

    async def defer(self, proposal_id: str) -> Decided:
        """Not now: it stays in the list, and is not proved by itself meanwhile."""
        return await self._put(proposal_id, ProposalStatus.DEFERRED, "")

    async def _put(self, proposal_id: str, status: ProposalStatus, reason: str) -> Decided:
        def put(now: Proposal) -> Proposal:
            if not now.open:
                raise Conflict(f"{now.id} is {now.status} already.", hint="`lull review`.")
            if now.status is status:
                raise Conflict(f"{now.id} is {status} already.", hint="Nothing was changed.")
            return replace(
                now,
                status=status,
                before=now.status,
                reason=reason or now.reason,
                changed_at=self._clock.now(),
            )

        proposal = self._proposals.get(proposal_id)
        return self._unchanged(await self._proposals.decided(proposal.id, put))

    async def undo(self) -> Decided:
        """Take the newest decision back. Raises NotFound when there is none."""
        last = self._proposals.last_decision()
        if last is None:
            raise NotFound("There is nothing to undo.", hint="`lull review` lists what is open.")
        proposal = self._proposals.get(last.proposal)
        again = replace(
            proposal,
            status=last.before,
            before=None,
            generation=None,
            changed_at=self._clock.now(),
            reason="" if last.what is ProposalStatus.REJECTED else proposal.reason,
        )
        if last.generation is None:
            await self._proposals.undone(last.number, again)
            return self._unchanged(again)

        also = self._proposals.undoing(last.number, again)
        changed = await self._approve.take_back(proposal.key, generation=last.generation, also=also)
        return Decided(proposal=self._proposals.get(proposal.id), generation=changed.generation)

    def _unchanged(self, proposal: Proposal) -> Decided:
        return Decided(proposal=proposal, generation=self._library().generation)


def _metadata(text: SkillText, *, scope: Scope | None, check: str | None) -> dict[str, str]:
    """With another scope and check, where these are given. Raises SkillError."""
    says = dict(text.metadata)
    if scope is not None:
        says.pop(SCOPE, None)
        says |= {SCOPE: scope.value} if scope is Scope.ALL else {}
    if check is not None:
        says.pop(CHECK, None)
        says |= {CHECK: to_json(parse(check))} if check else {}
    return says
