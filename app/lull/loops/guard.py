"""The live guard: does an approved skill still help, now that it is in use?

A few conversations go without each skill by the toss of a coin (LEARNING's live guard); what became
of them says what the skill does. A skill that surely harms is taken out of the prompts at once and
the user is told; one that nobody has needed for long is proposed for retirement. Skills that the
user wrote or pinned are theirs and are never tossed for.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from lull.core.guard import (
    Coin,
    Effect,
    Outcome,
    Toss,
    effect,
    left_out,
    live_harm_e,
    live_help_e,
    stale,
    thompson,
    to_retire,
)
from lull.core.policy import Client
from lull.core.ports import Clock, Ids
from lull.core.proposal import Origin, Proposal, ProposalKind, ProposalStatus
from lull.core.rules import GuardRule
from lull.core.skill import ChangeKind, Library, Skill, SkillKey, SkillStatus
from lull.loops.approve import Approve
from lull.store.flips import Flips
from lull.store.proposals import Proposals
from lull.store.skills import Skills

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Estimated:
    effects: Mapping[SkillKey, Effect]
    records: Mapping[SkillKey, tuple[float, float]]
    harm: Mapping[SkillKey, float]
    """The e-value for harm of each skill."""
    helps: Mapping[SkillKey, float]
    """The e-value for help of each skill."""


class Guard:
    def __init__(
        self,
        *,
        flips: Flips,
        skills: Skills,
        proposals: Proposals,
        approve: Approve,
        library: Callable[[], Library],
        coin: Coin,
        clock: Clock,
        ids: Ids,
        rule: Callable[[], GuardRule],
        tell: Callable[[Skill, str], None],
    ) -> None:
        """`tell` lets the user know of a skill that was retired, and why."""
        self._flips = flips
        self._skills = skills
        self._proposals = proposals
        self._approve = approve
        self._library = library
        self._coin = coin
        self._clock = clock
        self._ids = ids
        self._rule = rule
        self._tell = tell
        self._measured: dict[str, int] = {}
        """Uses by the sha256 of each skill that the coin is tossed for."""
        self.effects: Mapping[SkillKey, Effect] = {}
        self._surely_help: frozenset[str] = frozenset()
        """The sha256 of skills of which that is sure: what a text did says nothing of another."""
        self._records: Mapping[SkillKey, tuple[float, float]] = {}
        """What each skill was credited with: good and bad trajectories that had it."""

    # On the request path

    def leaves_out(self, skill: Skill, trajectory: str, client: Client) -> Toss | None:
        """The toss for one skill and one trajectory; None for a skill that is not measured."""
        rule = self._rule()
        if skill.pinned or not rule.share or skill.sha256 not in self._measured:
            return None
        self._measured[skill.sha256] += 1
        if self._measured[skill.sha256] <= rule.settle_uses:
            return None
        share = rule.share * (rule.sure_part if skill.sha256 in self._surely_help else 1.0)
        return left_out(skill.key, trajectory, client.name, share=share, coin=self._coin)

    def prefers(self, skills: Sequence[Skill], at_most: int, asked: str) -> Sequence[Skill]:
        """Where more proved skills fit than may go in, the one that fits best does, and of the
        others those that did well so far get their turn oftener, and the little known ones theirs
        (Thompson sampling). It proves nothing. A skill of the user's own among them keeps the order
        of relevance."""
        if any(skill.sha256 not in self._measured for skill in skills):
            return skills[:at_most]
        first, *others = skills
        records = {skill.key: self._records.get(skill.key, (0.0, 0.0)) for skill in others}
        # The same request draws the same numbers: what it would get today can be told.
        chance = Random(self._coin(f"thompson\0{asked}"))
        chosen = thompson(records, at_most=at_most - 1, chance=chance)
        return [first, *(skill for skill in others if skill.key in chosen)]

    def effect(self, skill: Skill) -> float:
        """What it has shown to do, in reward; 0 where nothing is known."""
        found = self.effects.get(skill.key)
        return found.value if found is not None else 0.0

    # Beside it

    def follow(self) -> None:
        """Know again which skills are measured."""
        uses = self._skills.uses()
        self._measured = {
            skill.sha256: self._measured.get(skill.sha256, uses.get(skill.key, 0))
            for skill in measured(self._library(), self._proposals).values()
        }

    async def step(self) -> None:
        """Estimate every effect, retire what harms, propose to retire what nobody needs."""
        self.follow()
        skills = measured(self._library(), self._proposals)
        estimated = await asyncio.to_thread(self._estimated, skills)
        self.effects, self._records = estimated.effects, estimated.records
        enough = self._rule().help_e
        self._surely_help = frozenset(
            skill.sha256 for key, skill in skills.items() if estimated.helps[key] >= enough
        )
        for key, skill in skills.items():
            harm_e = estimated.harm[key]
            if self._library().skills.get(key) != skill:
                continue  # the user has changed it meanwhile
            if to_retire(harm_e, limit=self._rule().harm_e):
                await self._retire(skill, f"conversations go better without it (e = {harm_e:.0f})")
        await self._look_for_stale(skills)

    def _estimated(self, skills: Mapping[SkillKey, Skill]) -> _Estimated:
        """From all conversations on which a coin was tossed: no request waits for that."""
        outcomes = self._flips.outcomes({key: skill.sha256 for key, skill in skills.items()})
        return _Estimated(
            effects=effects_in(outcomes, skills),
            records=records_in(outcomes),
            harm={key: live_harm_e(outcomes, key) for key in skills},
            helps={key: live_help_e(outcomes, key) for key in skills},
        )

    async def _retire(self, skill: Skill, why: str) -> None:
        if self._brought_back(skill):
            await self._propose(skill, why)
            return
        await self._approve.retire(skill.key, why=why)
        log.info("skill %s was retired: %s", skill.name, why)
        self._tell(skill, why)

    def _brought_back(self, skill: Skill) -> bool:
        """The user took the retirement of this very text back: from then on they are asked."""
        states = self._skills.history(skill.key)
        return any(s.change == ChangeKind.RETIRE and s.sha256 == skill.sha256 for s in states)

    async def _look_for_stale(self, skills: Mapping[SkillKey, Skill]) -> None:
        used = self._flips.last_used()
        since = {generation.number: generation.at for generation in self._skills.generations()}
        for key, skill in skills.items():
            last = max(used.get(key, since[skill.since]), since[skill.since])
            if stale(last, self._clock.now(), days=self._rule().stale_days):
                await self._propose(skill, f"it was in no conversation since {last:%Y-%m-%d}")

    async def _propose(self, skill: Skill, why: str) -> None:
        """Once for each text: what the user turned down is not proposed again."""
        earlier = self._proposals.of_skill(skill.key)
        if any(p.kind is ProposalKind.RETIRE and p.base_sha256 == skill.sha256 for p in earlier):
            return
        data = self._skills.folders.data(skill.sha256)
        now = self._clock.now()
        proposal = Proposal(
            id=self._ids.new("prop"),
            kind=ProposalKind.RETIRE,
            key=skill.key,
            base_sha256=skill.sha256,
            sha256=hashlib.sha256(data).hexdigest(),
            text=self._skills.folders.text(skill.sha256),
            status=ProposalStatus.UNPROVED,
            origin=Origin.GUARD,
            made_at=now,
            changed_at=now,
            reason=why,
        )
        await self._proposals.add(proposal, data)


def measured(library: Library, proposals: Proposals) -> dict[SkillKey, Skill]:
    """The skills in force that Lull wrote, as they were approved."""
    approved = {p.sha256 for p in proposals.with_status({ProposalStatus.APPROVED})}
    return {
        skill.key: skill
        for skill in library.skills.values()
        if skill.status is SkillStatus.ACTIVE and skill.sha256 in approved
    }


def effects_in(outcomes: Sequence[Outcome], skills: Iterable[SkillKey]) -> dict[SkillKey, Effect]:
    """What each skill does, where both sides of its coin were seen."""
    found = {key: effect(outcomes, key) for key in skills}
    return {key: value for key, value in found.items() if value is not None}


def records_in(outcomes: Sequence[Outcome]) -> dict[SkillKey, tuple[float, float]]:
    """Good and bad trajectories by the skills that were in them, each counted by its p_good."""
    found: dict[SkillKey, tuple[float, float]] = {}
    for outcome in outcomes:
        for key, toss in outcome.tosses.items():
            if not toss.left_out:
                good, bad = found.get(key, (0.0, 0.0))
                found[key] = (good + outcome.good, bad + 1.0 - outcome.good)
    return found
