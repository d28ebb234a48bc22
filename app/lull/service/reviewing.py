"""What `lull review` and `lull prove` ask of the service: proposals to look at, and decisions.

Here a decision is read from JSON, handed to the story, and told to those who watch; what may be
decided and what it does stands in `loops/review.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any, Protocol

from lull.core.errors import Conflict, LullError, StoreError, UsageError
from lull.core.events import EventKind
from lull.core.feedback.feedback import Scope
from lull.core.proof import ProofRule
from lull.core.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.skill import Library
from lull.loops.review import Decided, Review
from lull.service.bus import Bus
from lull.service.proposal_views import fault_view, proposal_view, settled_faults
from lull.service.verifying import verified
from lull.store.proposals import Proposals
from lull.store.skills import Skills

log = logging.getLogger(__name__)

Json = dict[str, Any]
FAULTS = 20
"""Answers of a skill writer that could not be used: so many of the newest are shown."""

_NOT_REPLAYED = {
    ProposalStatus.DRAFT: "is not screened yet",
    ProposalStatus.QUARANTINED: "is quarantined, and nothing of it is given to a model",
    ProposalStatus.STALE: "is stale",
    ProposalStatus.APPROVED: "is approved already",
    ProposalStatus.REJECTED: "is rejected already",
}


class Proofs(Protocol):
    """The part of the fast loop that a user can push."""

    async def prove_now(self, proposal: str | None, *, wait: bool) -> list[LullError]: ...

    def looked_at(self) -> None: ...


class Reviewing:
    def __init__(
        self,
        *,
        review: Review,
        proposals: Proposals,
        skills: Skills,
        library: Callable[[], Library],
        rule: ProofRule,
        rule_for: Callable[[Proposal], ProofRule],
        proofs: Proofs,
        bus: Bus,
    ) -> None:
        """`rule_for` says what a proposal must reach beside the others that are open; `rule` what
        one must reach alone."""
        self._review = review
        self._proposals = proposals
        self._skills = skills
        self._library = library
        self._rule = rule
        self._rule_for = rule_for
        self._proofs = proofs
        self._bus = bus
        self._pushed: set[asyncio.Task[Any]] = set()
        """Proofs that somebody asked for and that have not ended."""
        self._begun: set[asyncio.Task[Decided]] = set()

    # Looking: blocks, so it is called in a thread

    def list(self, *, everything: bool = False) -> Json:
        """The open proposals or all there ever were, newest first, and what a writer spoiled.

        `pushed`: proofs that somebody asked for and waits for are running.
        """
        found = self._review.proposals(everything=everything)
        faults = self._proposals.faults(limit=FAULTS)
        settled: Collection[str] = ()
        if faults:
            settled = settled_faults(faults, self._proposals.standing(everything=True))
        return {
            "proposals": [self._view(proposal) for proposal in found],
            "faults": [fault_view(fault, settled=settled) for fault in faults],
            "generation": self._library().generation,
            "pushed": bool(self._pushed),
        }

    def show(self, proposal: str, *, sha256: str | None = None) -> Json:
        """Raises NotFound; Conflict when its text has another hash than `sha256`."""
        _check_same(self._proposals.get(proposal), sha256)
        return self._done(self._library().generation, proposal)

    def _done(self, generation: int, proposal: str) -> Json:
        return {
            "generation": generation,
            "proposal": self._view(self._review.proposal(proposal)),
        }

    def _view(self, proposal: Proposal) -> Json:
        lost: LullError | None = None
        base = b""
        if proposal.base_sha256:
            try:
                base = self._skills.folders.data(proposal.base_sha256)
            except StoreError as error:
                lost = error
        view = proposal_view(
            proposal,
            base=base,
            data=self._proposals.data(proposal.id),
            pairs=self._proposals.pairs(proposal.id),
            rule=self._rule_for(proposal),
        )
        if lost is not None:  # one lost file must not hide the other proposals
            text = "The text in force cannot be read, so this is no comparison."
            view["flags"].append({"kind": "lost-text", "text": text, "quote": lost.detail})
        return view

    def verify(self, *, name: str, client: str) -> Json:
        """`{"holds", "why"}` of a skill's proof. Raises NotFound, SkillError."""
        return verified(self._skills, self._proposals, name=name, client=client, rule=self._rule)

    # Deciding

    async def decide(self, proposal: str, action: str, wanted: Mapping[str, Any]) -> Json:
        """`{"generation", "proposal"}`. Raises Conflict, NotFound, UsageError, SkillError."""
        sha256, reason = _text(wanted, "sha256"), _text(wanted, "reason")
        description, body = _text(wanted, "description"), _text(wanted, "body")
        scope, check = _scope(wanted), _text(wanted, "check")
        if action != "approve":  # which looks at the hash itself, in the very transaction
            _check_same(self._proposals.get(proposal), sha256)
        match action:
            case "approve":
                work = self._review.approve(proposal, sha256=sha256)
            case "reject":
                work = self._review.reject(proposal, reason=reason or "")
            case "defer":
                work = self._review.defer(proposal)
            case "edit":
                work = self._review.edit(
                    proposal, description=description, body=body, scope=scope, check=check
                )
            case _:
                raise UsageError(f"{action[:40]!r} is nothing that can be done with a proposal.")
        return await self._done_whole(work)

    async def undo(self) -> Json:
        """Raises NotFound when there is nothing to take back."""
        return await self._done_whole(self._review.undo())

    async def _done_whole(self, work: Coroutine[Any, Any, Decided]) -> Json:
        """A decision that was begun comes to its end, also when the asker leaves: what is written
        must also be followed."""
        task = asyncio.create_task(work)
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)
        task.add_done_callback(_say_what_went_wrong)
        decided = await asyncio.shield(task)
        proposal = decided.proposal
        self._bus.tell(
            EventKind.PROPOSAL,
            proposal=proposal.id,
            name=proposal.key.name,
            status=proposal.status.value,
        )
        self._proofs.looked_at()
        return await asyncio.to_thread(self._done, decided.generation, proposal.id)

    # Proving

    async def prove(self, wanted: Mapping[str, Any]) -> Json:
        """Push the proofs, or that of one proposal, and answer as `list` does, with the "problems"
        of a judge or a writer that could not be asked. With `wait` when
        they have ended. Whoever leaves before that leaves them running."""
        proposal = _text(wanted, "id")
        if proposal is not None:
            _check_provable(await asyncio.to_thread(self._review.proposal, proposal))
        push = self._proofs.prove_now(proposal, wait=wanted.get("wait") is True)
        task = asyncio.create_task(push)
        self._pushed.add(task)
        task.add_done_callback(self._pushed.discard)
        task.add_done_callback(_say_what_went_wrong)
        undone = await asyncio.shield(task)
        page = await asyncio.to_thread(self.list)
        return {**page, "problems": [error.as_dict() for error in undone]}


def _say_what_went_wrong(task: asyncio.Task[Any]) -> None:
    """Whoever waits is told, too; but nobody may be waiting any more."""
    error = None if task.cancelled() else task.exception()
    if isinstance(error, LullError):
        log.info("not done: %s", error)
    elif error is not None:
        log.error("a decision or a proof failed", exc_info=error)


def _check_same(proposal: Proposal, sha256: str | None) -> None:
    """Raises Conflict unless this is the text that was read."""
    if sha256 is not None and sha256 != proposal.sha256:
        raise Conflict(
            f"The text of {proposal.id} is not the one you read: its sha256 is {proposal.sha256}.",
            hint=f"`lull review show {proposal.id}` shows it as it stands.",
        )


def _check_provable(proposal: Proposal) -> None:
    """Raises Conflict for what is not replayed."""
    if proposal.kind is ProposalKind.RETIRE:
        raise Conflict(f"{proposal.id} only takes a skill away.", hint="Approve or reject it.")
    why = _NOT_REPLAYED.get(proposal.status)
    if why is not None:
        raise Conflict(
            f"{proposal.id} {why}.", hint=f"`lull review show {proposal.id}` tells more."
        )


def _scope(wanted: Mapping[str, Any]) -> Scope | None:
    """Raises UsageError."""
    value = _text(wanted, "scope")
    if value is None:
        return None
    if value not in list(Scope):
        raise UsageError(f"{value[:40]!r} is no scope.", hint="It is all or kind.")
    return Scope(value)


def _text(wanted: Mapping[str, Any], name: str) -> str | None:
    """A text that a file can hold, or None. Raises UsageError."""
    value = wanted.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} is not text.")
    if value is not None and any("\ud800" <= c <= "\udfff" or c == "\0" for c in value):
        raise UsageError(f"{name} holds characters that no file can hold.")
    return value
