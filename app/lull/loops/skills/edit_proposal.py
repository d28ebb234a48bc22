"""Changes a proposal (a candidate skill) before the user decides on it: its text, its scope (which
requests it is for) or its check (a program that tests answers).

Replays of past requests prove one exact prompt text. If that changes, the proof begins again.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from lull.core.checks.reading import all_to_json, parse_all
from lull.core.errors import Conflict, UsageError
from lull.core.feedback.feedback import Scope
from lull.core.ports import Clock
from lull.core.proof.pairs import BY_CHECK
from lull.core.proof.proposal import (
    CHECK,
    Proposal,
    ProposalKind,
    ProposalStatus,
    check_decidable,
)
from lull.core.provenance.authorship import Author, AuthoredSpan, SpanPlace, typed_request
from lull.core.provenance.screening import screen
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.skill import SCOPE, SkillText, check_text
from lull.core.skills.stated_skill import with_scope
from lull.loops.skills.propose import flags_of, traces_of, why_quarantined
from lull.store.feedback.rewards import Rewards
from lull.store.proof.proposals import Proposals
from lull.store.skills.skill_md import render

PROOF_STATUSES = frozenset({ProposalStatus.PROVING, ProposalStatus.PROVED, ProposalStatus.UNPROVED})
"""Statuses that a proof gives to a proposal."""


class EditProposal:
    """Changes the text, scope or check of a proposed skill as the user wants it."""

    def __init__(
        self,
        proposals: Proposals,
        rewards: Rewards,
        *,
        in_use: LibraryInUse,
        clock: Clock,
    ) -> None:
        self._proposals = proposals
        self._rewards = rewards
        self._in_use = in_use
        self._clock = clock

    async def change(
        self,
        proposal_id: str,
        *,
        description: str | None = None,
        body: str | None = None,
        scope: Scope | None = None,
        check: str | None = None,
    ) -> Proposal:
        """Change a proposed skill's text, scope (which requests it is for) or check (a program that
        tests answers); None leaves a part as it is. Return the changed proposal.

        A changed text is the user's own, and its proof by replays begins again. Around the user's
        own words, another scope puts another sentence of Lull's, which is a changed text, too. The
        replays of an unchanged text stay, unless they were scored by a check that is replaced.
        `check` is JSON text, "" for none. Raises Conflict, NotFound, SkillError and UsageError.
        """
        proposal = self._proposals.get(proposal_id)
        check_decidable(proposal, sha256=None, library=self._in_use.library)
        if proposal.kind is ProposalKind.RETIRE:
            raise UsageError("There is no text to edit.", hint="Approve or reject it.")
        if all(one is None for one in (description, body, scope, check)):
            raise UsageError(
                "Nothing to edit.", hint="Give --description, --body, --scope or --check."
            )
        typed = replace(
            proposal.text,
            description=proposal.text.description if description is None else description,
            body=proposal.text.body if body is None else body,
            metadata=_metadata(proposal.text, scope=scope, check=check),
        )
        text = check_text(self._for_scope(proposal, typed, scope))
        if text == proposal.text:
            raise Conflict("It already has exactly this text.", hint="Nothing was changed.")
        data = render(text)
        anew = self._speaks_of_another(proposal, text)

        def edited(now: Proposal) -> Proposal:
            check_decidable(now, sha256=proposal.sha256, library=self._in_use.library)
            now = replace(now, scope=scope or now.scope)
            if not _same_words(typed, now.text):
                if now.in_quarantine and typed.body == now.text.body:
                    # Neither a new description nor another sentence of Lull's releases the body.
                    kept = self._beside(now, text, data, anew=anew)
                    kept = replace(kept, status=ProposalStatus.QUARANTINED)
                    return kept if text.body == typed.body else _screened_again(kept, now)
                # A body in the user's words stays theirs when only the description changes.
                theirs = body is None and all(trace.source == "user" for trace in now.traces)
                own = text.body if theirs else body or ""
                return self._anew(now, text, data, typed=f"{description or ''}\n{own}")
            changed = self._beside(now, text, data, anew=anew)
            return changed if _same_words(text, now.text) else _screened_again(changed, now)

        return await self._proposals.change(proposal.id, edited, data=data, anew=anew)

    def _for_scope(self, proposal: Proposal, text: SkillText, scope: Scope | None) -> SkillText:
        """The text with the fixed sentence of this scope around the user's words, with their
        newest request for an example. A text for requests of one kind may have none."""
        if scope is None or (scope is Scope.KIND and proposal.scope is Scope.KIND):
            return text
        served = self._rewards.served(proposal.failures)
        asked = (typed_request(one.turn.request) for one in served)
        return with_scope(text, scope, asked=next(filter(None, asked), ""))

    def _speaks_of_another(self, proposal: Proposal, text: SkillText) -> bool:
        """Whether the replays so far do not apply to this text."""
        if not _same_words(text, proposal.text):
            return True
        if text.metadata.get(CHECK) == proposal.text.metadata.get(CHECK):
            return False
        return any(p.scored_by == BY_CHECK for p in self._proposals.pairs(proposal.id))

    def _beside(self, proposal: Proposal, text: SkillText, data: bytes, *, anew: bool) -> Proposal:
        """The proposal with another scope or check; its authorship stays.

        A new check may allow a proof that only the user's picks could give before.
        """
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
        # Undoing a postponement would bring back the status that the lost proof gave.
        lost = anew and proposal.status is ProposalStatus.DEFERRED and not proposal.in_quarantine
        if lost or (again and proposal.status in PROOF_STATUSES):
            changed = replace(changed, status=ProposalStatus.SCREENED, reason="", needs_picks=False)
        return replace(changed, stopped=changed.stopped and not again)

    def _anew(self, proposal: Proposal, text: SkillText, data: bytes, *, typed: str) -> Proposal:
        changed = replace(
            proposal,
            text=text,
            sha256=hashlib.sha256(data).hexdigest(),
            changed_at=self._clock.now(),
            silent=(),
            ground=None,
            needs_picks=False,
            stopped=False,
        )
        screening = screen(text, spans=(_typed_span(typed),), mine=True)
        return replace(
            changed,
            status=ProposalStatus.SCREENED,
            reason="",
            flags=flags_of(screening),
            traces=traces_of(screening, edited=True),
        )


def _screened_again(proposal: Proposal, before: Proposal) -> Proposal:
    """The proposal, whose example request is another or gone, with the warnings that still apply;
    what makes its new text suspicious puts it in quarantine."""
    text = proposal.text
    whole = _whole(text)

    def gone(quote: str) -> bool:
        return quote in _whole(before.text) and quote not in whole

    screening = screen(text, spans=(_typed_span(whole),), mine=True)
    new = flags_of(screening)
    left = (flag for flag in before.flags if flag not in new and not gone(flag["quote"]))
    changed = replace(proposal, flags=(*new, *left))
    if not screening.quarantined or proposal.in_quarantine:
        return changed
    return replace(changed, status=ProposalStatus.QUARANTINED, reason=why_quarantined(screening))


def _whole(text: SkillText) -> str:
    return f"{text.description}\n{text.body}"


def _typed_span(text: str) -> AuthoredSpan:
    return AuthoredSpan(text=text, origin=Author.USER, turn="", place=SpanPlace.TYPED)


def _same_words(one: SkillText, other: SkillText) -> bool:
    return (one.description, one.body) == (other.description, other.body)


def _metadata(text: SkillText, *, scope: Scope | None, check: str | None) -> dict[str, str]:
    """The text's metadata with the given scope and check. Raises SkillError."""
    says = dict(text.metadata)
    if scope is not None:
        says.pop(SCOPE, None)
        says |= {SCOPE: scope.value} if scope is Scope.ALL else {}
    if check is not None:
        says.pop(CHECK, None)
        says |= {CHECK: all_to_json(parse_all(check))} if check else {}
    return says
