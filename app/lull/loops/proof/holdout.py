"""Watches whether approved skills (instruction texts) still help, and retires those that do harm.

A skill's effect is measured by replaying past requests with and without it in idle time
(measure_use.py). If replays cannot measure it, the skill is left out of a few conversations at
random (skill_coins.py), and these are compared with the others. A skill that surely does harm is
retired at once and the user is told; one that was not needed for long is proposed for retirement.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence

from lull.core.chat.client import Client
from lull.core.proof.holdout import Effect, Toss, stale, to_retire
from lull.core.proof.in_use import MeasuredBy, SkillMeasure, UseCounts
from lull.core.proof.rules import HoldoutRule
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.skill import Skill, SkillKey
from lull.loops.proof.measured_skills import (
    MeasuredSkill,
    UseEvidence,
    approved_from,
    scored_in_proof,
)
from lull.loops.proof.retire_skills import RetireSkills
from lull.loops.proof.skill_coins import SkillCoins
from lull.store.proof.proposals import Proposals
from lull.store.proof.use_replays import UseKey, use_key


class Holdout:
    """Knows how much each approved skill changes answers, measured by replays of past requests or
    by leaving the skill out of some conversations at random, and retires harmful skills.
    """

    def __init__(
        self,
        *,
        evidence: UseEvidence,
        coins: SkillCoins,
        retiring: RetireSkills,
        proposals: Proposals,
        in_use: LibraryInUse,
        rule: Callable[[], HoldoutRule],
    ) -> None:
        self._evidence = evidence
        self._coins = coins
        self._retiring = retiring
        self._proposals = proposals
        self._in_use = in_use
        self._rule = rule
        self._begun = False
        """Whether the library was followed since the start."""
        self._looked_at: dict[UseKey, bool] = {}
        """Whether replays can measure a skill's text, found from its past requests or its proof."""
        self._counts: Mapping[SkillKey, UseCounts] = {}
        self.effects: Mapping[SkillKey, Effect] = {}
        self.measured: Mapping[SkillKey, MeasuredSkill] = {}
        """The skills that are measured: those that Lull wrote and the user neither changed nor
        pinned.
        """

    # On the request path

    def leaves_out(self, skill: Skill, trajectory: str, client: Client) -> Toss | None:
        """Flip a coin whether to leave a skill out of a conversation's prompt, so that its effect
        can be measured; return the coin flip's result.

        None for a skill that is not measured this way.
        """
        return self._coins.leaves_out(skill, trajectory, client)

    def prefers(self, skills: Sequence[Skill], at_most: int, asked: str) -> Sequence[Skill]:
        """Choose `at_most` of the skills that fit the request `asked`, when more of them are
        relevant than may go into the prompt.
        """
        return self._coins.prefers(skills, at_most, asked)

    def effect(self, skill: Skill) -> float:
        """Return the estimated difference that a skill makes to the mean reward (0 to 1) of
        answers; 0 where none is known.
        """
        found = self.effects.get(skill.key)
        return found.value if found is not None else 0.0

    # For the user

    def measures(self) -> dict[SkillKey, SkillMeasure]:
        """Return, for each skill of the library, the method by which its effect is measured
        (replays, random holdout or none) and the counts of its replays.
        """
        return {key: self._measure(skill) for key, skill in self._in_use.library.skills.items()}

    def _measure(self, skill: Skill) -> SkillMeasure:
        share, counts = self._coins.share(skill), self._counts.get(skill.key, UseCounts())
        one = self.measured.get(skill.key)
        if one is None or one.skill != skill:
            return SkillMeasure(by=MeasuredBy.NOTHING)
        if use_key(skill) in self._coins.replayed:
            return SkillMeasure(by=MeasuredBy.REPLAY, counts=counts)
        by = MeasuredBy.COIN if share else MeasuredBy.NOTHING
        return SkillMeasure(by=by, counts=counts, share=share, first_uses=self._rule().settle_uses)

    # In the background

    def follow(self) -> None:
        """Update which skills are measured, and how, after the skill library has changed."""
        library = self._in_use.library
        found = approved_from(library, self._proposals)
        skills = [one.skill for one in found.values()]
        new = [skill for skill in skills if not self._coins.known(skill)]
        if self._begun:  # one that came with this very generation was in no conversation yet
            new = [skill for skill in new if skill.since < library.generation]
        self._begun = True
        counted = self._evidence.replays.uses(new)
        self._coins.follow(skills, {key: uses.conversations for key, uses in counted.items()})
        self.measured = {key: one for key, one in found.items() if not one.skill.pinned}
        for one in self.measured.values():
            if use_key(one.skill) not in self._looked_at:
                pairs = self._proposals.pairs(one.proposal.id)
                self._looked_at[use_key(one.skill)] = scored_in_proof(pairs)
        self._follow_replays()

    def set_replayable(self, tells: Mapping[UseKey, bool]) -> None:
        """Set which skills can be measured by replays of past requests, and so need not be left out
        of conversations at random. `tells` maps the text of each skill to whether replays can
        measure it.
        """
        self._looked_at.update(tells)
        self._follow_replays()

    def _follow_replays(self) -> None:
        here = {use_key(one.skill) for one in self.measured.values()}
        self._coins.replayed = {key for key in here if self._looked_at.get(key)}

    async def step(self) -> None:
        """Estimate how much each measured skill (an instruction text) changes answers, retire
        harmful skills and propose to retire unused ones.
        """
        self.follow()
        skills = {key: one.skill for key, one in self.measured.items()}
        found = await asyncio.to_thread(self._evidence.estimates, skills)
        self.effects, self._counts, self._coins.records = (
            found.effects,
            found.replays,
            found.records,
        )
        rule = self._rule()
        self._coins.surely_help = self._above(found.helps, skills, least=rule.help_e)
        for key, skill in skills.items():
            if self._in_use.library.skills.get(key) != skill:
                continue  # the user has changed it meanwhile
            if to_retire(found.harm[key], limit=rule.harm_e):
                why = "conversations go better without it, by more than luck explains"
                await self._retiring.retire(skill, why)
        await self._look_for_stale(skills)

    def _above(
        self, e_values: Mapping[SkillKey, float], skills: Mapping[SkillKey, Skill], *, least: float
    ) -> Collection[UseKey]:
        return {use_key(skill) for key, skill in skills.items() if e_values[key] >= least}

    async def _look_for_stale(self, skills: Mapping[SkillKey, Skill]) -> None:
        used = self._evidence.assignments.last_used()
        for key, skill in skills.items():
            since = self._retiring.active_since(skill)
            last = max(used.get(key, since), since)
            if stale(last, self._retiring.now(), days=self._rule().stale_days):
                await self._retiring.propose(
                    skill, f"it was in no conversation since {last:%Y-%m-%d}"
                )
