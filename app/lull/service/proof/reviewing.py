"""Handles `lull review` and `lull prove` in a running service: lists proposals (candidate skills
that wait for approval), takes decisions, starts proofs.

Decisions are parsed here, carried out by the review loop, and published as events.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Collection, Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from lull.contract.json_object import Json
from lull.core.checks.check import NO_LIBRARIES, CheckLibraries
from lull.core.errors import Conflict, LullError, NotFound, StoreError, UsageError
from lull.core.events import EventKind
from lull.core.feedback.feedback import Scope
from lull.core.proof.proof import ProofRule
from lull.core.proof.proposal import (
    TO_PROVE,
    Proposal,
    ProposalKind,
    ProposalStatus,
    decided_already,
    not_decidable,
    status_text,
)
from lull.core.proof.rules import ProveRule
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.skill import Library, SkillKey
from lull.core.text.coded_text import TextSkillName, coded_text
from lull.loops.chat.known_models import remember
from lull.loops.skills.review import DecisionResult, Review
from lull.service.answers.answering import text_of
from lull.service.process.bus import EventBus
from lull.service.proof.part_counts import PartCounts
from lull.service.proof.proposal_views import (
    fault_view,
    pairs_view,
    proposal_view,
    settled_faults,
    turned_down_view,
)
from lull.service.proof.verifying import verify_stored_proof
from lull.store.disk.uninterrupted import uninterrupted
from lull.store.proof.proposals import Proposals
from lull.store.skills.conflicts import CheckedRule, contradicting, rule_of_text, rules_in_use
from lull.store.skills.skills import Skills

log = logging.getLogger(__name__)

MAX_FAULTS = 20
"""Most unsuccessful attempts to write a skill that are listed, newest first."""
MAX_TURNED_DOWN = 5
"""Most proposals that their tests turned down that are listed, newest first."""
MOST_READ = 1000
"""Most proposals for which the service remembers which version of the text the user was shown."""

_NOT_REPLAYED = frozenset(
    {
        ProposalStatus.DRAFT,
        ProposalStatus.QUARANTINED,
        ProposalStatus.STALE,
    }
)
"""Open proposals with these statuses are not replayed."""


class Proofs(Protocol):
    """Interface of the object that starts proofs of proposed skills (tests by replayed requests),
    and that is notified when the user has decided on a proposal.
    """

    async def prove_now(self, proposal: str | None, *, wait: bool) -> list[LullError]:
        """Start proofs at once and return their errors; `proposal` None means all that wait."""

    def tests_before(self, proposal: str) -> int | None:
        """Return how many other tests go before one that was asked for; 0 if it is under way, None
        if it was not asked for.
        """

    async def stop_proof(self, proposal: str) -> None:
        """Stop the test of a proposal at once, or take back that it was asked for."""

    def on_proposal_decided(self) -> None:
        """Take note that the user has decided on a proposal."""


class DecidesProofs(Protocol):
    """Interface of the object that decides proofs: by which rule, and which one at this moment."""

    @property
    def rule(self) -> ProveRule:
        """The rule by which proposed skills are proved."""

    @property
    def replayed_now(self) -> str:
        """The id of the proposal that is being tested at this moment; "" if none is."""

    def rule_for(self, proposal: Proposal) -> ProofRule:
        """Return the rule by which one proposal is proved, with its own significance level."""


class ReviewRequests:
    """Answers the control API's requests about proposals (candidate skills that wait for
    approval).
    """

    def __init__(
        self,
        *,
        review: Review,
        proposals: Proposals,
        skills: Skills,
        in_use: LibraryInUse,
        deciding: DecidesProofs,
        proofs: Proofs,
        bus: EventBus,
        tools: CheckLibraries = NO_LIBRARIES,
    ) -> None:
        """The argument `tools` holds the libraries that some checks of answers need."""
        self._review = review
        self._proposals = proposals
        self._skills = skills
        self._in_use = in_use
        self._deciding = deciding
        self._proofs = proofs
        self._bus = bus
        self._pushed: set[asyncio.Task[Any]] = set()
        """Requested proofs that have not ended."""
        self._part_counts = PartCounts(tools)
        self._library_of_rules: Library | None = None
        self._rules_in_use: Sequence[CheckedRule] = ()
        """What the checks of the skills in `_library_of_rules` want of answers."""
        self._read: OrderedDict[str, str] = OrderedDict()
        """Hash of each proposal's text as it was last shown whole on the command line."""

    # Reading: blocks, so call it in a thread

    def list(self, *, everything: bool = False) -> Json:
        """Return the JSON of the open proposals of skills (or all ever made), newest first, and of
        models' unsuccessful attempts to write one (`faults`).

        `pushed`: whether proofs that the user requested are running. `snoozed`: proposals that the
        user postponed. `turned_down`: the last that their tests turned down. `undo`: the decision
        that `undo` would revert, or null.
        """
        found = self._review.proposals(everything=everything)
        faults = self._proposals.faults(limit=MAX_FAULTS)
        settled: Collection[str] = ()
        if faults:
            settled = settled_faults(faults, self._proposals.undecided(everything=True))
        return {
            "proposals": self._views(found),
            "faults": [fault_view(fault, settled=settled) for fault in faults],
            "generation": self._in_use.library.generation,
            "pushed": bool(self._pushed),
            "snoozed": self._views(self._review.postponed()),
            "turned_down": [turned_down_view(one) for one in self._turned_down()],
            "undo": self._undo_view(),
        }

    def _turned_down(self) -> Sequence[Proposal]:
        """The proposals that their tests turned down last, newest first."""
        rejected = self._proposals.with_status({ProposalStatus.REJECTED})
        found = [one for one in rejected if one.turned_down_by_test]
        return sorted(found, key=lambda one: one.changed_at, reverse=True)[:MAX_TURNED_DOWN]

    def _undo_view(self) -> Json | None:
        """The decision that `undo` takes back."""
        last = self._review.last()
        if last is None:
            return None
        proposal, what = last
        return {"proposal": proposal.id, "name": proposal.key.name, "what": what.value}

    def show(self, proposal: str, *, sha256: str | None = None, to_read: bool = False) -> Json:
        """Return the JSON of one proposal (a candidate skill that waits for approval).

        With `to_read`, the service remembers the hash of the text that the user was shown. `read`
        in the result is the hash remembered last, "" if there is none since the service started.
        Raises NotFound, and Conflict if the text's hash is not `sha256`.
        """
        _check_same(self._proposals.get(proposal), sha256)
        shown = self._done(self._in_use.library.generation, proposal)
        found = shown["proposal"]
        if to_read:
            remember(self._read, found["id"], found["sha256"], most=MOST_READ)
        return {**shown, "read": self._read.get(found["id"], "")}

    def pairs(self, proposal: str) -> Json:
        """Return the JSON of every replayed pair of a proposed skill (one past request answered
        without and with it). Raises NotFound.
        """
        return pairs_view(self._proposals.pairs(self._proposals.get(proposal).id))

    def _done(self, generation: int, proposal: str) -> Json:
        return {
            "generation": generation,
            "proposal": self._view(self._review.proposal(proposal)),
        }

    def _views(self, proposals: Sequence[Proposal]) -> Sequence[Json]:
        """Return the JSON of the proposals, without one that the user is having deleted at this
        moment.
        """
        views = []
        for proposal in proposals:
            with contextlib.suppress(NotFound):
                views.append(self._view(proposal))
        return views

    def _view(self, proposal: Proposal) -> Json:
        lost: LullError | None = None
        base = b""
        if proposal.base_sha256:
            try:
                base = self._skills.folders.data(proposal.base_sha256)
            except StoreError as error:
                lost = error
        pairs = self._proposals.pairs(proposal.id)
        view = proposal_view(
            proposal,
            base=base,
            data=self._proposals.data(proposal.id),
            pairs=pairs,
            parts=self._part_counts.of(proposal, pairs),
            rule=self._deciding.rule_for(proposal),
            testing=self._deciding.replayed_now == proposal.id,
            tests_before=self._proofs.tests_before(proposal.id),
            conflicts=self._conflicts(proposal),
        )
        if lost is not None:  # one lost file must not hide the other proposals
            text = "The text in force cannot be read, so this is no comparison."
            view["flags"].append({"kind": "lost-text", "text": text, "quote": lost.detail})
        return view

    def _conflicts(self, proposal: Proposal) -> Sequence[SkillKey]:
        """The skills in use that a proposed one would contradict."""
        if proposal.kind is ProposalKind.RETIRE or not proposal.check:
            return ()
        library = self._in_use.library
        if library is not self._library_of_rules:  # a list asks for every proposal in it
            self._rules_in_use = rules_in_use(library, self._skills.folders)
            self._library_of_rules = library
        rule = rule_of_text(proposal.key, proposal.text, proposal.scope)
        return contradicting(rule, self._rules_in_use)

    def verify(self, *, name: str, client: str) -> Json:
        """Re-check the stored proof (recorded replays of requests) that a skill helps. In the
        result `{"holds", "why", …}`, `holds` says whether the proof is valid.

        Raises NotFound, SkillError.
        """
        return verify_stored_proof(
            self._skills, self._proposals, name=name, client=client, rule=self._deciding.rule.proof
        )

    # Deciding

    async def decide(self, proposal: str, action: str, wanted: Mapping[str, Any]) -> Json:
        """Approve, reject, defer or edit a proposal (a candidate skill); return `{"generation",
        "proposal"}`, `generation` being the number of the skill library's state after the decision.

        Raises Conflict, NotFound, UsageError, SkillError.
        """
        sha256, reason = text_of(wanted, "sha256"), text_of(wanted, "reason")
        description, body = text_of(wanted, "description"), text_of(wanted, "body")
        scope, check = _scope(wanted), text_of(wanted, "check")
        if action == "stop":
            return await self._stop(proposal)
        if action != "approve":  # approve checks the hash itself, in its transaction
            _check_same(self._proposals.get(proposal), sha256)
        match action:
            case "approve":
                work = self._review.approve(proposal, sha256=sha256)
            case "reject":
                work = self._review.reject(proposal, reason=reason or "")
            case "defer":
                work = self._review.defer(proposal, until=_until(wanted))
            case "edit":
                work = self._review.edit(
                    proposal, description=description, body=body, scope=scope, check=check
                )
            case _:
                raise UsageError(f"{action[:40]!r} cannot be done with a suggestion.")
        done = await self._done_whole(work)
        if action == "edit" and wanted.get("to_read") is True:
            changed = done["proposal"]
            remember(self._read, changed["id"], changed["sha256"], most=MOST_READ)
        return done

    async def undo(self, wanted: Mapping[str, Any]) -> Json:
        """Undo the user's last decision on a proposed skill: the last one on the proposal `id` if
        the request names one, else the last of all.

        Raises NotFound if there is no such decision.
        """
        return await self._done_whole(self._review.undo(text_of(wanted, "id")))

    async def _done_whole(self, work: Coroutine[Any, Any, DecisionResult]) -> Json:
        """Carry out a decision to its end even if the client disconnects, and publish it."""
        decided = await uninterrupted(self._published(work))
        return await asyncio.to_thread(self._done, decided.generation, decided.proposal.id)

    async def _published(self, work: Coroutine[Any, Any, DecisionResult]) -> DecisionResult:
        decided = await work
        proposal = decided.proposal
        self._bus.tell(
            EventKind.PROPOSAL,
            proposal=proposal.id,
            name=proposal.key.name,
            status=proposal.status.value,
        )
        self._proofs.on_proposal_decided()
        return decided

    # Proving

    async def _stop(self, proposal: str) -> Json:
        """Stop a test, or take back that it was asked for; return what `show` says then."""
        found = await asyncio.to_thread(self._review.proposal, proposal)
        _check_provable(found)
        if found.status not in TO_PROVE:
            raise not_decidable(found, hint=f"`lull review show {found.id}` tells more.")
        await uninterrupted(self._proofs.stop_proof(found.id))
        return await asyncio.to_thread(self._done, self._in_use.library.generation, found.id)

    async def prove(self, wanted: Mapping[str, Any]) -> Json:
        """Start all waiting proofs of proposed skills (tests by replayed requests), or that of one
        proposal.

        Returns what `list` returns, and as "problems" the errors of a feedback reader, judge or
        skill writer that could not be asked. With `wait`, returns when the proofs have ended; they
        continue if the client disconnects.
        """
        proposal = text_of(wanted, "id")
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
    """Log a failed task, since nobody may be waiting for it any more."""
    error = None if task.cancelled() else task.exception()
    if isinstance(error, LullError):
        log.info("not done: %s", error)
    elif error is not None:
        log.error("a proof failed", exc_info=error)


def _check_same(proposal: Proposal, sha256: str | None) -> None:
    """Raise Conflict unless the text's hash is `sha256`."""
    if sha256 is not None and sha256 != proposal.sha256:
        raise Conflict(
            f"The text of {proposal.id} is not the one you read: its sha256 is {proposal.sha256}.",
            hint=f"`lull review show {proposal.id}` shows it as it stands.",
        )


def _check_provable(proposal: Proposal) -> None:
    """Raise Conflict for a proposal that cannot be replayed."""
    if proposal.kind is ProposalKind.RETIRE:
        raise Conflict(f"{proposal.id} only takes a skill away.", hint="Approve or reject it.")
    if not proposal.open:
        raise decided_already(proposal, hint=f"`lull review show {proposal.id}` tells more.")
    if proposal.status in _NOT_REPLAYED:
        words = "The suggestion %1 is %2, so it is not tested."
        raise Conflict(
            coded_text(
                "suggestion-untested",
                words,
                TextSkillName(proposal.key.name),
                status_text(proposal.status),
            ),
            hint=f"`lull review show {proposal.id}` tells more.",
        )


def _scope(wanted: Mapping[str, Any]) -> Scope | None:
    """The requested scope, None if absent. Raises UsageError."""
    value = text_of(wanted, "scope")
    if value is None:
        return None
    if value not in list(Scope):
        raise UsageError(f"{value[:40]!r} is not a scope.", hint="It must be all or kind.")
    return Scope(value)


def _until(wanted: Mapping[str, Any]) -> datetime | None:
    """The time until which a proposal is put off, None if absent. Raises UsageError."""
    text = text_of(wanted, "until")
    try:
        at = datetime.fromisoformat(text) if text else None
    except ValueError:
        at = None
    if text and (at is None or at.tzinfo is None):
        raise UsageError(
            "“until” is not a time with a time zone.", hint="Such as 2026-11-21T20:00:00+01:00."
        )
    return at
