"""A proposal: a candidate skill (an instruction text) that awaits the user's decision.

    draft → screened → proving → proved | unproved → approved | rejected
              └ quarantined        (also: deferred, stale)

A proposal's content is fixed when it is made: the exact bytes, the text they would replace, and its
sources. This module says which decision is allowed in which state. The user decides; the proof (the
test on past requests) decides only if it finds harm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from lull.core.errors import Conflict
from lull.core.feedback.feedback import Scope
from lull.core.proof.last_look import LastLook
from lull.core.provenance.flags import NEEDS_EYES
from lull.core.skills.skill import Library, SkillKey, SkillStatus, SkillText
from lull.core.text.coded_text import CodedText, TextSkillName, coded_text


class ProposalKind(StrEnum):
    """What a proposal would do: add a skill, change one, or retire one."""

    NEW = "new"
    EDIT = "edit"
    RETIRE = "retire"


class ProposalStatus(StrEnum):
    """How far a proposed skill has come, from its making to the user's decision."""

    DRAFT = "draft"
    """The proposal was made and has not been screened yet."""
    SCREENED = "screened"
    PROVING = "proving"
    PROVED = "proved"
    UNPROVED = "unproved"
    """Nothing could score the replays, or the replayed pairs were not decisive."""
    QUARANTINED = "quarantined"
    DEFERRED = "deferred"
    STALE = "stale"
    """The skill that the proposal would change has been changed meanwhile."""
    APPROVED = "approved"
    REJECTED = "rejected"


class ProposalOrigin(StrEnum):
    """Where a proposed skill comes from: the user's own words, a model, a file, and so on."""

    EXTRACTIVE = "extractive"
    MODEL = "model"
    HOLDOUT = "guard"
    """Made by the holdout, which measures approved skills in use: it proposes to retire a skill and
    writes no text of its own.
    """
    FILE = "file"
    """Author unknown: an import, a SKILL.md edited on disk, a folder dropped into the library."""


CHECK = "check"
"""The metadata key under which a skill stores its check."""
OPEN_STATUSES = frozenset(ProposalStatus) - {ProposalStatus.APPROVED, ProposalStatus.REJECTED}
TO_PROVE = frozenset({ProposalStatus.SCREENED, ProposalStatus.PROVING})
TO_READ = frozenset(
    {
        ProposalStatus.SCREENED,
        ProposalStatus.PROVING,
        ProposalStatus.PROVED,
        ProposalStatus.UNPROVED,
    }
)
"""Statuses of proposed skills that wait for the user's decision, or will soon."""
_STATUS_TEXTS: Final[Mapping[ProposalStatus, CodedText]] = {
    ProposalStatus.DRAFT: coded_text("status draft", "not checked yet"),
    ProposalStatus.SCREENED: coded_text("status screened", "not tested yet"),
    ProposalStatus.PROVING: coded_text("status proving", "being tested"),
    ProposalStatus.PROVED: coded_text("status proved", "proved"),
    ProposalStatus.UNPROVED: coded_text("status unproved", "not proved"),
    ProposalStatus.QUARANTINED: coded_text("status quarantined", "quarantined"),
    ProposalStatus.DEFERRED: coded_text("status deferred", "put off"),
    ProposalStatus.STALE: coded_text("status stale", "out of date"),
    ProposalStatus.APPROVED: coded_text("status approved", "approved"),
    ProposalStatus.REJECTED: coded_text("status rejected", "rejected"),
}
_DID_HARM: Final = "it did harm: "
"""Beginning of the reason of a proposed skill that its test turned down, as `outcome` words it."""
DECIDABLE = OPEN_STATUSES - {ProposalStatus.DRAFT, ProposalStatus.STALE}
"""Statuses in which the user may approve a proposed skill, after a warning if it is not proved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Where one sentence of a proposed skill comes from: who wrote it, and in which
    conversation turn.
    """

    sentence: str
    source: str
    """Author of the source: `user`, `model` or `untrusted`."""
    turn: str = ""
    quoted: tuple[str, ...] = ()
    """The parts of the sentence that the user typed word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofConditions:
    """The conditions under which a proposed skill is tested on past requests (model, LoRA adapter,
    judge model, significance level, …). They are fixed when the test begins; if one changes, the
    test starts again.
    """

    model: str
    """Digest of the base model that the proof runs on."""
    engine: str
    adapter: str | None
    judge: str
    """The judge's version; "" if none is asked."""
    generation: int
    alpha: float
    """Significance level that this proposal must reach, given the other open ones (e-BH)."""
    look: LastLook | None = None
    """The random number of the proof's last look (the randomised final decision), and whether that
    look was taken; None in a proof begun before there were last looks.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed change of a skill (an instruction text), which the user approves or rejects."""

    id: str
    kind: ProposalKind
    key: SkillKey
    base_sha256: str
    """sha256 of the skill text that the proposal would replace or retire; "" for a new skill."""
    sha256: str
    """sha256 of the exact bytes of SKILL.md that approval activates."""
    text: SkillText
    status: ProposalStatus
    origin: ProposalOrigin
    made_at: datetime
    changed_at: datetime
    failures: tuple[str, ...] = ()
    """Ids of the failed turns that the proposed skill was made from, newest first."""
    siblings: tuple[str, ...] = ()
    """Ids of similar requests that the skill's writer did not see."""
    successes: tuple[str, ...] = ()
    """Ids of past successes that the skill might harm; replayed to check that it does not."""
    wish: str = ""
    """The user's own words for what they wanted; "" if they said nothing."""
    wish_turns: tuple[str, ...] = ()
    """Ids of the turns whose requests contain the words in `wish`."""
    model: str = ""
    """Name of the model that failed, as typed by its client; the proof replays requests on it."""
    scope: Scope = Scope.KIND
    """Which requests the skill is for; the user may change this before approving. A skill for all
    requests is in every prompt, as a line of the preference sheet (the list of such rules).
    """
    silent: tuple[str, ...] = ()
    """Ids of past turns whose answers nothing could score when they were replayed; once for each
    such replay.
    """
    ground: ProofConditions | None = None
    """Conditions under which the proof runs; None before the first replayed pair."""
    replayable: int = 0
    """Number of past successes that could be replayed when last counted."""
    needs_picks: bool = False
    """Whether the proposal is unproved only because nothing but the user can tell the replayed
    answers apart; their picks can prove it.
    """
    stopped: bool = False
    """Whether the user stopped its test; it keeps its pairs, and goes on when the user asks."""
    flags: tuple[Mapping[str, str], ...] = ()
    """Findings that the user should see: {"kind", "text", "quote", "severity"}."""
    traces: tuple[Trace, ...] = ()
    mixed: bool = False
    """Whether one of the user's messages behind the proposal may contain somebody else's words: it
    has several lines, a colon, a quotation, a question or a paste.
    """
    reason: str = ""
    """Why the proposal was rejected, is unproved, or is in quarantine."""
    before: ProposalStatus | None = field(default=None)
    """The proposal's status before the last decision, for undo."""
    generation: int | None = None
    """Number of the version of the whole skill library (its generation) that approving the proposal
    created; None before.
    """
    until: datetime | None = None
    """When a deferred proposal comes back by itself; None: when the user looks for it."""
    file_sha256: str = ""
    """sha256 of the file that the proposal was made of, "" for other origins. The proposal's text
    may differ: secrets in it were replaced, or the user edited it.
    """

    @property
    def check(self) -> str:
        """JSON text of the check (a program that tests answers) that is proposed together with the
        skill; "" for none.

        It is stored in the skill text's metadata, so that approving the text's hash covers it.
        """
        return self.text.metadata.get(CHECK, "")

    def is_postponed_at(self, at: datetime) -> bool:
        """Whether the user has postponed the decision on this proposal (a candidate skill) to a
        time that is still in the future.
        """
        off = self.status is ProposalStatus.DEFERRED
        return off and self.until is not None and at < self.until

    def as_of(self, at: datetime) -> Proposal:
        """Return the proposal (a candidate skill) as it is at this time: if the user postponed the
        decision and that time is over, with the status that it had before the postponement.
        """
        due = self.status is ProposalStatus.DEFERRED and self.until is not None
        if not due or self.is_postponed_at(at) or self.before is None:
            return self
        return replace(self, status=self.before, before=None, until=None)

    @property
    def turned_down_by_test(self) -> bool:
        """Whether the test of this proposal (a candidate skill) showed harm, and so rejected it."""
        decided = self.before is not None  # by the user
        harmed = self.reason.startswith(_DID_HARM)
        return self.status is ProposalStatus.REJECTED and harmed and not decided

    @property
    def last_look(self) -> LastLook | None:
        """The last look of this proposed skill's test: a random number that may decide whether it
        is accepted once all allowed replays of past requests are used up. None if it has none.
        """
        return self.ground.look if self.ground else None

    @property
    def last_look_taken(self) -> bool:
        """Whether this proposed skill's test has ended with its last look, the final randomised
        decision; more answers then do not count as evidence.
        """
        return self.last_look is not None and self.last_look.after > 0

    @property
    def to_test(self) -> bool:
        """Whether this proposed skill's test is to begin or go on. A proposal that removes a skill
        has no text to test, one from a file no requests, and one that the user stopped waits for
        the user.
        """
        tested = self.kind is not ProposalKind.RETIRE and self.origin is not ProposalOrigin.FILE
        return tested and self.status in TO_PROVE and not self.stopped

    @property
    def open(self) -> bool:
        """Whether the user can still decide about the proposal."""
        return self.status in OPEN_STATUSES

    @property
    def comment_would_help(self) -> bool:
        """Whether a comment by the user would still help to test this proposed skill: it is not
        decided yet, and the bad answers it was made from were rated without a comment.
        """
        status = self.before if self.status is ProposalStatus.DEFERRED else self.status
        waits = status in (*TO_PROVE, ProposalStatus.UNPROVED)
        return waits and not self.wish and self.kind is not ProposalKind.RETIRE

    @property
    def comparable(self) -> bool:
        """Whether the user may still compare answers with and without this proposed skill, without
        knowing which is which, to show that it helps.
        """
        waits = self.status in TO_PROVE or (
            self.status is ProposalStatus.UNPROVED and self.needs_picks
        )
        return waits and self.kind is not ProposalKind.RETIRE

    @property
    def in_quarantine(self) -> bool:
        """Whether this proposed skill is quarantined as suspicious, even if the decision on it was
        postponed. No part of it is then given to a model.
        """
        quarantined = ProposalStatus.QUARANTINED
        put_off = self.status is ProposalStatus.DEFERRED and self.before is quarantined
        return self.status is quarantined or put_off


def is_stale(proposal: Proposal, library: Library) -> bool:
    """Whether a proposal (a candidate skill) is out of date: since it was made, the skill that it
    would change was itself changed or removed, or a skill was made under the name that it would
    add.
    """
    standing = library.skills.get(proposal.key)
    there = standing is not None and standing.status is not SkillStatus.ARCHIVED
    if proposal.kind is ProposalKind.NEW:
        return there
    return not there or (standing is not None and standing.sha256 != proposal.base_sha256)


def status_text(status: ProposalStatus) -> CodedText:
    """Return a suggested skill's status in words that complete "It is"."""
    return _STATUS_TEXTS[status]


def decided_already(
    proposal: Proposal, *, hint: str = "`lull review` lists what is open."
) -> Conflict:
    """Return the error to raise when a suggested skill has been decided on before."""
    words = "The suggestion %1 is %2 already."
    status = status_text(proposal.status)
    return Conflict(
        coded_text("suggestion-decided", words, TextSkillName(proposal.key.name), status), hint=hint
    )


def not_decidable(proposal: Proposal, *, hint: str) -> Conflict:
    """Return the error to raise for a suggested skill whose status allows no decision yet."""
    words = "The suggestion %1 is %2."
    status = status_text(proposal.status)
    return Conflict(
        coded_text("suggestion-is", words, TextSkillName(proposal.key.name), status), hint=hint
    )


def changed_meanwhile(now: Proposal) -> Conflict:
    """Return the error to raise for a suggested skill that was changed while it was worked on."""
    words = "The suggestion %1 changed meanwhile: it is %2 now."
    return Conflict(
        coded_text(
            "suggestion-changed", words, TextSkillName(now.key.name), status_text(now.status)
        ),
        hint="`lull review` lists what is open.",
    )


def check_decidable(proposal: Proposal, *, sha256: str | None, library: Library) -> None:
    """Raise Conflict unless the user may now approve or reject this proposal (a candidate skill):
    it must be open and not out of date, and its text must be the one that the user read (`sha256`;
    None: not compared).
    """
    if not proposal.open:
        raise decided_already(proposal)
    if sha256 is not None and sha256 != proposal.sha256:
        raise Conflict(
            f"The text of {proposal.id} is not the one you read: its sha256 is {proposal.sha256}.",
            hint=f"`lull review show {proposal.id}` shows it as it stands.",
        )
    if proposal.status is ProposalStatus.STALE or is_stale(proposal, library):
        raise Conflict(
            f"'{proposal.key.name}' changed since {proposal.id} was made.",
            hint="Reject it; Lull makes another if the failures go on.",
        )


def may_approve_itself(proposal: Proposal) -> bool:
    """Whether a proposed skill may be approved without asking, if the user's settings allow this at
    all. It must be proved and not suspicious, bring no check, remove no skill, and be in the user's
    own words from a conversation without other people's text.
    """
    calm = all(
        flag.get("severity") == "note" and flag.get("kind") not in NEEDS_EYES
        for flag in proposal.flags
    )
    # A model's wording may repeat somebody else's order, and no comparison finds that reliably.
    own = proposal.origin is ProposalOrigin.EXTRACTIVE and all(
        trace.source != "untrusted" for trace in proposal.traces
    )
    wrote = proposal.kind is not ProposalKind.RETIRE and not proposal.check
    clean = calm and own and not proposal.mixed
    return proposal.status is ProposalStatus.PROVED and clean and wrote
