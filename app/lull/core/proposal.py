"""A candidate skill on its way to the user's decision.

    draft → screened → proving → proved | unproved → approved | rejected
              └ quarantined        deferred and stale stand beside

What it is made of is fixed when it is made: the exact bytes, the text they would replace, what it
came from. What may be decided in which state is decided here; who decides is the user, or the
proof when it finds harm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lull.core.errors import Conflict
from lull.core.feedback.feedback import Scope
from lull.core.flags import NEEDS_EYES
from lull.core.skill import Library, SkillKey, SkillStatus, SkillText


class ProposalKind(StrEnum):
    NEW = "new"
    EDIT = "edit"
    RETIRE = "retire"


class ProposalStatus(StrEnum):
    DRAFT = "draft"
    """Made, not screened yet."""
    SCREENED = "screened"
    PROVING = "proving"
    PROVED = "proved"
    UNPROVED = "unproved"
    """Nothing could score it, or the pairs did not decide."""
    QUARANTINED = "quarantined"
    DEFERRED = "deferred"
    STALE = "stale"
    """The skill it would change has changed meanwhile."""
    APPROVED = "approved"
    REJECTED = "rejected"


class Origin(StrEnum):
    """Who wrote the candidate."""

    EXTRACTIVE = "extractive"
    MODEL = "model"
    GUARD = "guard"
    """The live guard: it proposes to retire, and writes no text."""


CHECK = "check"
"""The metadata key of a skill's check."""
OPEN = frozenset(ProposalStatus) - {ProposalStatus.APPROVED, ProposalStatus.REJECTED}
TO_PROVE = frozenset({ProposalStatus.SCREENED, ProposalStatus.PROVING})
TO_READ = frozenset(
    {
        ProposalStatus.SCREENED,
        ProposalStatus.PROVING,
        ProposalStatus.PROVED,
        ProposalStatus.UNPROVED,
    }
)
"""What waits for the user's decision, or soon will."""
DECIDABLE = OPEN - {ProposalStatus.DRAFT, ProposalStatus.STALE}
"""The user may approve any of these; what is not proved is said before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Where one sentence of the candidate comes from."""

    sentence: str
    source: str
    """`user`, `model` or `untrusted`."""
    turn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a proof runs on, fixed when it begins: on another ground it begins anew."""

    model: str
    """Digest of the base model."""
    engine: str
    adapter: str | None
    judge: str
    """The judge's version, "" where none is asked."""
    generation: int
    alpha: float
    """What this candidate must reach beside the others that are open (e-BH)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    id: str
    kind: ProposalKind
    key: SkillKey
    base_sha256: str
    """Of the text it would replace or retire; "" for a new skill."""
    sha256: str
    """Of the exact bytes that approval puts in force."""
    text: SkillText
    status: ProposalStatus
    origin: Origin
    made_at: datetime
    changed_at: datetime
    failures: tuple[str, ...] = ()
    """Turns that taught it, newest first."""
    siblings: tuple[str, ...] = ()
    """Similar requests that its writer did not see."""
    successes: tuple[str, ...] = ()
    """Past successes that it could spoil."""
    wish: str = ""
    """What the user said they wanted; "" where nothing was said."""
    wish_turns: tuple[str, ...] = ()
    """The turns whose requests carried those words."""
    model: str = ""
    """The model that failed, as typed by its client; the proof replays on it."""
    scope: Scope = Scope.KIND
    """Which requests it is for; the user may switch it before approving. A skill for all of them
    stands in every prompt, as a line of the preference sheet."""
    silent: tuple[str, ...] = ()
    """Turns on whose replays there was no verdict, once for each time."""
    ground: Ground | None = None
    """None before the first pair."""
    replayable: int = 0
    """Past successes that could be replayed when it was looked at last."""
    needs_picks: bool = False
    """Unproved because only the user can tell its replays apart: their picks prove it."""
    flags: tuple[Mapping[str, str], ...] = ()
    """What the user should look at: {"kind", "text", "quote", "severity"}."""
    traces: tuple[Trace, ...] = ()
    mixed: bool = False
    """Somebody else's words could stand in one of the user's messages that it comes from: it has
    several lines, a colon, a quotation, a question or a paste."""
    reason: str = ""
    """Of a rejection, or why it is unproved or quarantined."""
    before: ProposalStatus | None = field(default=None)
    """What it was before the newest decision, for undo."""
    generation: int | None = None
    """That approval made."""

    @property
    def check(self) -> str:
        """JSON text of a check that was proposed with it (core/check.py), "" for none. It stands in
        the text's metadata, so that the hash that is approved covers it."""
        return self.text.metadata.get(CHECK, "")

    @property
    def open(self) -> bool:
        return self.status in OPEN

    @property
    def lacks_words(self) -> bool:
        """Open, made of failures on which the user said nothing, and not proved: where nobody can
        tell whether an answer is as wished, words of the user's still can."""
        status = self.before if self.status is ProposalStatus.DEFERRED else self.status
        waits = status in (*TO_PROVE, ProposalStatus.UNPROVED)
        return waits and not self.wish and self.kind is not ProposalKind.RETIRE

    @property
    def comparable(self) -> bool:
        """The user's picks may speak for it, or against it."""
        waits = self.status in TO_PROVE or (
            self.status is ProposalStatus.UNPROVED and self.needs_picks
        )
        return waits and self.kind is not ProposalKind.RETIRE

    @property
    def in_quarantine(self) -> bool:
        """Put off or not: nothing of it is given to a model."""
        quarantined = ProposalStatus.QUARANTINED
        put_off = self.status is ProposalStatus.DEFERRED and self.before is quarantined
        return self.status is quarantined or put_off


def is_stale(proposal: Proposal, library: Library) -> bool:
    """True when the skill it would change is not what it was made for any more."""
    standing = library.skills.get(proposal.key)
    there = standing is not None and standing.status is not SkillStatus.ARCHIVED
    if proposal.kind is ProposalKind.NEW:
        return there
    return not there or (standing is not None and standing.sha256 != proposal.base_sha256)


def check_decidable(proposal: Proposal, *, sha256: str | None, library: Library) -> None:
    """Raises Conflict unless this very text may be decided on now."""
    if not proposal.open:
        raise Conflict(
            f"{proposal.id} is {proposal.status} already.", hint="`lull review` lists what is open."
        )
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
    """What the optional policy may approve without the user: proved, with nothing in it to look at,
    and in the user's own words, from a conversation without anybody else's text."""
    calm = all(
        flag.get("severity") == "note" and flag.get("kind") not in NEEDS_EYES
        for flag in proposal.flags
    )
    # What a model worded may be somebody's order retold, and no comparison finds that for certain.
    own = proposal.origin is Origin.EXTRACTIVE and all(
        trace.source != "untrusted" for trace in proposal.traces
    )
    wrote = proposal.kind is not ProposalKind.RETIRE and not proposal.check
    clean = calm and own and not proposal.mixed
    return proposal.status is ProposalStatus.PROVED and clean and wrote
