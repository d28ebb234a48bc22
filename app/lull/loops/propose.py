"""From a draft to a proposal: screened, and set against what there is and what was turned down.

Nothing here reaches a prompt: a candidate's bytes stay with the proposal until the user approves
them.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from lull.core.check import Check
from lull.core.check import parse as parse_check
from lull.core.errors import LullError
from lull.core.failures import FailureSet
from lull.core.feedback.feedback import Scope
from lull.core.feedback.stated_skill import example_of, words_of
from lull.core.likeness import DEFAULT, alike, near_duplicate, same_in_other_words
from lull.core.ports import Clock, Draft, Ids, Merging
from lull.core.proposal import CHECK, Origin, Proposal, ProposalKind, ProposalStatus, Trace
from lull.core.reward import GREY
from lull.core.rules import EvolveRule
from lull.core.screening import Screening, screen
from lull.core.skill import SCOPE, Library, Skill, SkillKey, SkillStatus, SkillText
from lull.core.trust import Origin as By
from lull.core.trust import Place, Span, is_mixed, spans_of
from lull.store.proposals import Proposals
from lull.store.rewards import Rewards
from lull.store.skill_md import parse, render

log = logging.getLogger(__name__)

LOOKED_AT = 300
"""Newest turns among which siblings and past successes are sought."""


class Propose:
    def __init__(
        self,
        *,
        rewards: Rewards,
        proposals: Proposals,
        library: Callable[[], Library],
        merging: Merging,
        checks: Callable[[str], Sequence[Check]],
        clock: Clock,
        ids: Ids,
        rule: EvolveRule,
    ) -> None:
        """`checks` of a skill's text, by its sha256."""
        self._merging = merging
        self._checks = checks
        self._rewards = rewards
        self._proposals = proposals
        self._library = library
        self._clock = clock
        self._ids = ids
        self._rule = rule

    async def of(self, found: FailureSet, draft: Draft, origin: Origin) -> Proposal | None:
        """Screened, and set against what there is; None where there is nothing to propose."""
        room = self.room(found.client)
        if any(self._merging.says_already(skill.body, draft.text.body) for skill in room):
            log.info("a skill says it already")
            return None
        draft, twin = self._set_against(draft, [s for s in room if self._is_ours(s)])
        texts = {skill.key: _text(skill) for skill in room}
        if any(_same_rule(text, draft.text) for text in texts.values()):
            log.info("a skill says it in the same words")
            return None
        twin = twin or near_duplicate(draft.text, texts)
        if twin is not None and not self._is_ours(self._library().get(twin)):
            log.info("%s is the user's own and covers this", twin.name)
            return None
        if twin is None and len(room) >= self._rule.most_active:
            raise LullError(
                f"{len(room)} skills are in force; no new one is proposed.",
                hint="Disable or delete some: `lull skills list`.",
            )
        turned_down = [p.text for p in self._proposals.rejected(found.client)]
        if same_in_other_words(draft.text, turned_down):
            log.info("what was turned down is not proposed again: %s", draft.text.name)
            return None
        instead = self._instead_of_open(found, draft.text)
        if instead is None:
            return None
        newest, gone = instead
        return await self._store(found, replace(draft, text=newest), origin, twin, gone)

    def _set_against(self, draft: Draft, ours: Sequence[Skill]) -> tuple[Draft, SkillKey | None]:
        """A change of mind becomes the older rule with the new words in their place, and the skill
        that it changes."""
        for skill in ours:
            body = self._merging.merged(skill.body, draft.text.body)
            if body is not None:
                text = replace(draft.text, description=skill.description, body=body)
                return replace(draft, text=text), skill.key
        older = next((skill for skill in ours if self._same_matter(skill, draft)), None)
        return draft, older.key if older is not None else None

    def _same_matter(self, skill: Skill, draft: Draft) -> bool:
        """Whether both can be checked, by the same kind of check, on the same requests: the newer
        word takes the place of the older one."""
        if not draft.check or skill.scope is not draft.scope:
            return False
        matter = parse_check(draft.check).matter
        if not matter or all(c.matter != matter for c in self._checks(skill.sha256)):
            return False
        near = alike(skill.description, draft.text.description) >= self._rule.same_kind
        return draft.scope is Scope.ALL or near

    def _instead_of_open(
        self, found: FailureSet, text: SkillText
    ) -> tuple[SkillText, list[Proposal]] | None:
        """What is said now, and the open proposals that give way to it.

        An open proposal that says the same stands, and there is nothing to propose; one that says
        otherwise on the same matter gives way, because the user has spoken since. So does one of
        failures without a word, once there are words by which the same can be proved.
        """
        gone = []
        for other in self._proposals.standing():
            if other.key.client != found.client or other.status is ProposalStatus.STALE:
                continue
            if other.in_quarantine:  # nothing of it goes into another text
                if _same_rule(other.text, text) and not (found.wish and not other.wish):
                    return None
                continue
            body = self._merging.merged(other.text.body, text.body)
            same = _same_rule(other.text, text) or self._merging.says_already(
                other.text.body, text.body
            )
            if not same and body is None and not near_duplicate(text, {other.key: other.text}):
                continue
            if found.wish and other.lacks_words:
                gone.append(self._gave_way(other, "you have said since what you want"))
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
        draft: Draft,
        origin: Origin,
        twin: SkillKey | None,
        gone: Sequence[Proposal],
    ) -> Proposal:
        name = twin.name if twin else self._free_name(found.client, draft.text.name, gone)
        says = {CHECK: draft.check} if draft.check else {}
        says |= {SCOPE: draft.scope.value} if draft.scope is Scope.ALL else {}
        data = render(replace(draft.text, name=name, metadata=says))
        text = parse(data, where=f"the draft '{name}'")
        mine = origin is Origin.EXTRACTIVE
        base = self._library().get(twin) if twin else None
        said = _said(found, text, gone, self._merging)
        screening = screen(text, spans=self._spans(found, base, said), mine=mine)
        now = self._clock.now()
        newest = found.failures[0]
        successes = self._successes(found)
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
            siblings=self._siblings(found, but={*turns, *said, *successes}),
            successes=successes,
            wish=found.wish,
            wish_turns=said,
            model=newest.model,
            scope=draft.scope,
            flags=flags_of(screening),
            traces=traces_of(screening),
            mixed=self._mixed(found, mine=mine) or any(other.mixed for other in gone),
            reason=_why_quarantined(screening),
        )
        await self._proposals.add(proposal, data, gone=gone)
        log.info("proposal %s: %s (%s)", proposal.id, name, proposal.status)
        return proposal

    def _spans(
        self, found: FailureSet, base: Skill | None, said: Sequence[str]
    ) -> tuple[Span, ...]:
        """Every text that could have found its way into the candidate, with who said it. What
        the user has approved is theirs, whoever wrote it."""
        spans: list[Span] = []
        if base is not None:
            approved = f"{base.description}\n{base.body}"
            spans.append(Span(text=approved, origin=By.USER, turn="", place=Place.TYPED))
        for failure in found.failures:
            spans += spans_of((*failure.messages, failure.answer), failure.turn)
        for served in self._rewards.served(said):
            spans += spans_of(served.turn.request[-1:], served.turn.id)
        return tuple(dict.fromkeys(spans))

    def _mixed(self, found: FailureSet, *, mine: bool) -> bool:
        """The user's own words alone come from what they said next; a model saw all of it."""
        said = {f.said_turn for f in found.failures if f.said_turn}
        served = self._rewards.served(sorted(said))
        messages = [message for one in served for message in one.turn.request[-1:]]
        if not mine:
            messages += [message for failure in found.failures for message in failure.messages]
        return len(served) < len(said) or any(is_mixed(message) for message in messages)

    def _siblings(self, found: FailureSet, *, but: set[str]) -> tuple[str, ...]:
        """Held out: not what the writer saw, nor a past success, which speaks for harm alone."""
        newest = found.failures[0]
        others = self._rewards.recent(room=found.client, model=newest.model, limit=LOOKED_AT)
        near = [
            (alike(newest.asked, one.asked), one.turn.id)
            for one in others
            if one.turn.id not in but
        ]
        near = [pair for pair in near if pair[0] >= self._rule.sibling_likeness]
        near.sort(key=lambda pair: -pair[0])
        return tuple(turn for _, turn in near[: self._rule.siblings])

    def _successes(self, found: FailureSet) -> tuple[str, ...]:
        newest = found.failures[0]
        good = self._rewards.successes(
            room=found.client, model=newest.model, above=GREY[1], limit=LOOKED_AT
        )
        near = sorted(good, key=lambda one: -alike(newest.asked, one.asked))
        return tuple(one.turn.id for one in near[: self._rule.successes])

    def room(self, client: str) -> list[Skill]:
        """Its skills in force."""
        return [
            skill
            for key, skill in sorted(self._library().skills.items())
            if key.client == client and skill.status is SkillStatus.ACTIVE
        ]

    def _is_ours(self, skill: Skill) -> bool:
        """Written by Lull and not touched since: the user's own words are never edited."""
        return any(
            p.status is ProposalStatus.APPROVED and p.sha256 == skill.sha256
            for p in self._proposals.of_skill(skill.key)
        )

    def _free_name(self, client: str, name: str, gone: Sequence[Proposal]) -> str:
        taken = {
            key.name
            for key, skill in self._library().skills.items()
            if key.client == client and skill.status is not SkillStatus.ARCHIVED
        }
        left = {other.id for other in gone}
        taken |= {
            p.key.name
            for p in self._proposals.standing()
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
    """The turns with the words that it is made of: those of now, and of older ones whose clauses
    stand in it beside them. Whoever turns it down, or forgets one of them, means these too."""
    older = [
        turn for p in gone if merging.keeps_some(p.text.body, text.body) for turn in p.wish_turns
    ]
    return tuple(dict.fromkeys((*(f.said_turn for f in found.failures if f.said_turn), *older)))


def _joined(found: FailureSet, gone: Sequence[Proposal]) -> tuple[str, ...]:
    """The turns that taught it, with those of which the same was proposed without a word: by the
    words that there are now, they can be replayed and scored too."""
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
    """Whether the old one says it in the same words, but for case, space and end stop, and of the
    requests that the new one is for."""
    if _folded(words_of(old.body)) != _folded(words_of(new.body)):
        return False
    before, now = example_of(old.body), example_of(new.body)
    return not before or (bool(now) and alike(before, now) >= DEFAULT.grouped)


def _folded(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".")


def flags_of(screening: Screening) -> tuple[dict[str, str], ...]:
    return tuple(
        {
            "kind": flag.kind.value,
            "text": flag.text,
            "quote": flag.quote,
            "severity": flag.severity.value,
        }
        for flag in screening.flags
    )


def traces_of(screening: Screening) -> tuple[Trace, ...]:
    return tuple(
        Trace(sentence=p.sentence, source=p.source.value, turn=p.turn) for p in screening.provenance
    )


def _why_quarantined(screening: Screening) -> str:
    if not screening.quarantined:
        return ""
    return "; ".join(dict.fromkeys(flag.text for flag in screening.flags))
