"""Turns a skill draft into a proposal (a candidate that waits for the user's approval): screens it
for suspicious content and compares it with other skills.

A candidate's bytes stay with the proposal and reach no prompt until the user approves them.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace

from lull.core.checks.reading import parse_all
from lull.core.checks.rules.phrases import without_leading_no
from lull.core.errors import LullError
from lull.core.feedback.feedback import Scope
from lull.core.ports import Clock, Ids
from lull.core.proof.proposal import (
    CHECK,
    Proposal,
    ProposalKind,
    ProposalOrigin,
    ProposalStatus,
    Trace,
)
from lull.core.proof.whose_words import quoted_parts
from lull.core.provenance.authorship import Author
from lull.core.provenance.screening import Screening, screen
from lull.core.skills.failures import FailureSet
from lull.core.skills.ports import ChecksOfSkills, LibraryInUse, Merging, SkillDraft
from lull.core.skills.rules import EvolveRule
from lull.core.skills.similarity import (
    DEFAULT_LIKENESS,
    near_duplicate,
    same_in_other_words,
    subject_similarity,
)
from lull.core.skills.skill import SCOPE, Skill, SkillKey, SkillStatus, SkillText
from lull.core.skills.stated_skill import example_of, words_of
from lull.loops.skills.candidate_sources import CandidateSources
from lull.store.feedback.rewards import Rewards
from lull.store.proof.proposals import Proposals
from lull.store.skills.skill_md import parse, render

log = logging.getLogger(__name__)


class Propose:
    """Makes and stores proposals (candidate skills that wait for the user's approval) from
    drafts.
    """

    def __init__(
        self,
        *,
        rewards: Rewards,
        proposals: Proposals,
        in_use: LibraryInUse,
        merging: Merging,
        checks: ChecksOfSkills,
        clock: Clock,
        ids: Ids,
        rule: EvolveRule,
    ) -> None:
        """The function `checks` returns a skill's checks by its sha256."""
        self._merging = merging
        self._checks = checks
        self._sources = CandidateSources(rewards, rule)
        self._proposals = proposals
        self._in_use = in_use
        self._clock = clock
        self._ids = ids
        self._rule = rule

    async def from_draft(
        self, found: FailureSet, draft: SkillDraft, origin: ProposalOrigin
    ) -> Proposal | None:
        """Make and store a proposal (a candidate that waits for the user's approval) from a skill
        draft, which a writer made of the failed answers `found`; None if it says nothing new.

        Raises LullError if too many skills are active.
        """
        active = self._in_use.library.active_of(found.client)
        if any(self._merging.says_already(skill.body, draft.text.body) for skill in active):
            log.info("a skill says it already")
            return None
        draft, twin = self._set_against(draft, [s for s in active if self._is_ours(s)])
        texts = {skill.key: _text(skill) for skill in active}
        if any(_same_rule(text, draft.text) for text in texts.values()):
            log.info("a skill says it in the same words")
            return None
        twin = twin or near_duplicate(draft.text, texts)
        if twin is not None and not self._is_ours(self._in_use.library.get(twin)):
            log.info("%s is the user's own and covers this", twin.name)
            return None
        if twin is None and len(active) >= self._rule.most_active:
            raise LullError(
                f"{len(active)} skills are in force; no new one is proposed.",
                hint="Disable or delete some: `lull skills list`.",
            )
        turned_down = [p.text for p in self._proposals.rejected(found.client)]
        if same_in_other_words(draft.text, turned_down):
            log.info("what was turned down is not proposed again")
            return None
        instead = self._instead_of_open(found, draft.text)
        if instead is None:
            return None
        newest, gone = instead
        return await self._store(found, replace(draft, text=newest), origin, twin, gone)

    def _set_against(
        self, draft: SkillDraft, ours: Sequence[Skill]
    ) -> tuple[SkillDraft, SkillKey | None]:
        """Merge a changed wish into the older skill's text: (draft, the skill it edits)."""
        for skill in ours:
            body = self._merging.merged(skill.body, draft.text.body)
            if body is not None:
                text = replace(draft.text, description=skill.description, body=body)
                return replace(draft, text=text), skill.key
        older = next((skill for skill in ours if self._same_matter(skill, draft)), None)
        return draft, older.key if older is not None else None

    def _same_matter(self, skill: Skill, draft: SkillDraft) -> bool:
        """Whether a draft is to replace a skill: it is for the same requests, and has checks of
        every kind that the skill has.
        """
        if not draft.check or skill.scope is not draft.scope:
            return False
        approved = self._checks.checks_of(skill.sha256)
        if approved is None or not approved.whole:
            return False
        matters = {check.fixed_property for check in parse_all(draft.check).checks}
        if not {check.fixed_property for check in approved.checks} <= matters - {""}:
            return False
        near = subject_similarity(skill.description, draft.text.description) >= self._rule.same_kind
        return draft.scope is Scope.ALL or near

    def _instead_of_open(
        self, found: FailureSet, text: SkillText
    ) -> tuple[SkillText, list[Proposal]] | None:
        """(the new text, open proposals that it replaces); None if nothing is to be proposed.

        An open proposal that says the same stays, and nothing is proposed. One that says something
        else on the same matter is replaced, because the user has spoken since. So is one without a
        wish, once there is a wish to prove it by.
        """
        gone = []
        for other in self._proposals.undecided():
            if other.key.client != found.client or other.status is ProposalStatus.STALE:
                continue
            if other.in_quarantine:  # its text must not be merged into another
                if _same_rule(other.text, text) and not (found.wish and not other.wish):
                    return None
                continue
            body = self._merging.merged(other.text.body, text.body)
            same = _same_rule(other.text, text) or self._merging.says_already(
                other.text.body, text.body
            )
            if not same and body is None and not near_duplicate(text, {other.key: other.text}):
                continue
            if found.wish and other.comment_would_help:
                gone.append(self._gave_way(other, "you have since said what you want"))
            elif same:
                return None
            else:
                text = replace(text, body=body or text.body)
                gone.append(self._gave_way(other, "you have said otherwise since"))
        return text, gone

    def _gave_way(self, other: Proposal, why: str) -> Proposal:
        return replace(
            other,
            status=ProposalStatus.STALE,
            before=other.status,
            changed_at=self._clock.now(),
            reason=why,
        )

    async def _store(
        self,
        found: FailureSet,
        draft: SkillDraft,
        origin: ProposalOrigin,
        twin: SkillKey | None,
        gone: Sequence[Proposal],
    ) -> Proposal:
        name = twin.name if twin else self._free_name(found.client, draft.text.name, gone)
        says = {CHECK: draft.check} if draft.check else {}
        says |= {SCOPE: draft.scope.value} if draft.scope is Scope.ALL else {}
        data = render(replace(draft.text, name=name, metadata=says))
        text = parse(data, where=f"the draft '{name}'")
        mine = origin is ProposalOrigin.EXTRACTIVE
        base = self._in_use.library.get(twin) if twin else None
        said = _said(found, text, gone, self._merging)
        screening = screen(text, spans=self._sources.spans(found, base, said), mine=mine)
        now = self._clock.now()
        newest = found.failures[0]
        successes = self._sources.successes(found)
        turns = _joined(found, gone)
        proposal = Proposal(
            id=self._ids.new("prop"),
            kind=ProposalKind.EDIT if twin else ProposalKind.NEW,
            key=SkillKey(found.client, name),
            base_sha256=base.sha256 if base else "",
            sha256=hashlib.sha256(data).hexdigest(),
            text=text,
            status=(
                ProposalStatus.QUARANTINED if screening.quarantined else ProposalStatus.SCREENED
            ),
            origin=origin,
            made_at=now,
            changed_at=now,
            failures=turns,
            siblings=self._sources.siblings(found, but={*turns, *said, *successes}),
            successes=successes,
            wish=found.wish,
            wish_turns=said,
            model=newest.model,
            scope=draft.scope,
            flags=flags_of(screening),
            traces=traces_of(screening),
            mixed=self._sources.is_mixed(found, mine=mine) or any(other.mixed for other in gone),
            reason=why_quarantined(screening),
        )
        await self._proposals.add(proposal, data, gone=gone)
        # Its name is made of the user's words, and those stand in no log.
        log.info("proposal %s is %s", proposal.id, proposal.status)
        return proposal

    def _is_ours(self, skill: Skill) -> bool:
        """Whether Lull wrote a skill and it is unchanged; the user's own are never edited."""
        return any(
            p.status is ProposalStatus.APPROVED
            and p.sha256 == skill.sha256
            and p.origin is not ProposalOrigin.FILE
            for p in self._proposals.of_skill(skill.key)
        )

    def _free_name(self, client: str, name: str, gone: Sequence[Proposal]) -> str:
        taken = {
            key.name
            for key, skill in self._in_use.library.skills.items()
            if key.client == client and skill.status is not SkillStatus.ARCHIVED
        }
        left = {other.id for other in gone}
        taken |= {
            p.key.name
            for p in self._proposals.undecided()
            if p.key.client == client and p.id not in left
        }
        number, free = 2, name
        while free in taken:
            free = f"{name[:60].rstrip('-')}-{number}"
            number += 1
        return free


def _said(
    found: FailureSet, text: SkillText, gone: Sequence[Proposal], merging: Merging
) -> tuple[str, ...]:
    """The turns whose wishes are in the text, including those kept from replaced proposals.

    Rejecting the proposal or forgetting a turn affects these.
    """
    older = [
        turn for p in gone if merging.keeps_some(p.text.body, text.body) for turn in p.wish_turns
    ]
    return tuple(dict.fromkeys((*(f.said_turn for f in found.failures if f.said_turn), *older)))


def _joined(found: FailureSet, gone: Sequence[Proposal]) -> tuple[str, ...]:
    """The failure turns, with those of replaced proposals without a wish.

    With the new wish these can be replayed and scored too.
    """
    newest = found.failures[0]
    turns = [
        turn
        for other in gone
        if not other.wish and other.model == newest.model
        for turn in other.failures
    ]
    return tuple(dict.fromkeys((*found.turns, *turns)))


def _text(skill: Skill) -> SkillText:
    return SkillText(name=skill.name, description=skill.description, body=skill.body)


def _same_rule(old: SkillText, new: SkillText) -> bool:
    """Whether two skills have the same words for similar requests.

    Case, white space and a final full stop are ignored.
    """
    if _folded(words_of(old.body)) != _folded(words_of(new.body)):
        return False
    before, now = example_of(old.body), example_of(new.body)
    return not before or (bool(now) and subject_similarity(before, now) >= DEFAULT_LIKENESS.grouped)


def _folded(text: str) -> str:
    # Skills of earlier versions may have the "No, …" of the correction in their words.
    return " ".join(without_leading_no(text).lower().split()).rstrip(".")


def flags_of(screening: Screening) -> tuple[dict[str, str], ...]:
    """Convert the warnings about a proposed skill's text to the form in which the proposal is
    stored.
    """
    return tuple(
        {
            "kind": flag.kind.value,
            "text": flag.text,
            "quote": flag.quote,
            "severity": flag.severity.value,
        }
        for flag in screening.flags
    )


def traces_of(screening: Screening, *, edited: bool = False) -> tuple[Trace, ...]:
    """Return, for each sentence of a proposed skill's text, who wrote it and where it comes from,
    in the form in which the proposal is stored.

    A user's sentence is quoted as typed by the user only if it is from a recorded turn, or if the
    user has just `edited` the text; else the user only approved it earlier.
    """
    return tuple(
        Trace(
            sentence=p.sentence,
            source=p.source.value,
            turn=p.turn,
            quoted=quoted_parts(p.sentence, (p.span.text,))
            if p.span is not None and p.source is Author.USER and (p.turn or edited)
            else (),
        )
        for p in screening.provenance
    )


def why_quarantined(screening: Screening) -> str:
    """Return why a proposed skill is quarantined, as all warnings about its text in one line; "" if
    it is not.
    """
    if not screening.quarantined:
        return ""
    return " ".join(dict.fromkeys(flag.text for flag in screening.flags))
