"""Lists the active skills whose effect is measured, and estimates these effects from stored
evidence.

There are two kinds of evidence: replays of past requests with and without a skill, and live
conversations from which the skill was left out at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lull.core.proof.holdout import Effect, HoldoutOutcome, effect, live_harm_e, live_help_e
from lull.core.proof.in_use import (
    SkillMeasure,
    UseCounts,
    combined_e_value,
    counts_of,
    replay_effect,
    replay_harm_e,
    replay_help_e,
)
from lull.core.proof.pairs import BY_USER, SAME_WORDS, Pair
from lull.core.proof.proposal import Proposal, ProposalOrigin, ProposalStatus
from lull.core.skills.skill import Library, Skill, SkillKey, SkillStatus
from lull.store.chat.holdout_assignments import HoldoutAssignments
from lull.store.proof.proposals import Proposals
from lull.store.proof.use_replays import UseReplays


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredSkill:
    """An approved skill whose effect on answers is measured, with the approved proposal that it
    comes from.
    """

    skill: Skill
    proposal: Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillEstimates:
    """Estimates for all measured skills, by skill: effects on the mean reward, good and bad answers
    (`records`), e-values (evidence of a sequential test) for harm and for help, and counts of
    replays.
    """

    effects: Mapping[SkillKey, Effect]
    records: Mapping[SkillKey, tuple[float, float]]
    harm: Mapping[SkillKey, float]
    """Each skill's e-value for harm."""
    helps: Mapping[SkillKey, float]
    """Each skill's e-value for help."""
    replays: Mapping[SkillKey, UseCounts]


@dataclass(frozen=True, slots=True, kw_only=True)
class UseEvidence:
    """The stored evidence of approved skills' effects: replays of past requests in idle time, and
    conversations from which a skill was left out at random.
    """

    assignments: HoldoutAssignments
    replays: UseReplays

    def estimates(self, skills: Mapping[SkillKey, Skill]) -> SkillEstimates:
        """Estimate each skill's effect on answers, from all its replays and all conversations of
        its holdout, in which chance decided whether it was in the prompt. Slow.
        """
        texts = texts_of(skills)
        outcomes, pairs = self.assignments.outcomes(texts), self.replays.pairs(texts)
        return SkillEstimates(
            effects=effects_in(outcomes, pairs),
            records=reward_sums(outcomes, pairs),
            harm={
                k: combined_e_value(live_harm_e(outcomes, k), replay_harm_e(pairs[k]))
                for k in skills
            },
            helps={
                k: combined_e_value(live_help_e(outcomes, k), replay_help_e(pairs[k]))
                for k in skills
            },
            replays={key: counts_of(pairs[key]) for key in skills},
        )


def texts_of(skills: Mapping[SkillKey, Skill]) -> dict[SkillKey, str]:
    """Return the hash of each skill's text; what is measured counts only for this text."""
    return {key: skill.sha256 for key, skill in skills.items()}


def measured_skills(library: Library, proposals: Proposals) -> dict[SkillKey, Skill]:
    """Return the active skills (instruction texts) that Lull wrote and that are unchanged since
    their approval.
    """
    return {key: one.skill for key, one in approved_from(library, proposals).items()}


def approved_from(library: Library, proposals: Proposals) -> dict[SkillKey, MeasuredSkill]:
    """Return the active skills that Lull wrote, unchanged since approval, with the proposals they
    were approved from.

    A copy in another client's library is measured by the proposal of the original.
    """
    decided = [
        proposal
        for proposal in proposals.with_status({ProposalStatus.APPROVED})
        if proposal.origin is not ProposalOrigin.FILE
    ]
    by_text = {proposal.sha256: proposal for proposal in decided}
    by_key = {(proposal.key, proposal.sha256): proposal for proposal in decided}
    return {
        skill.key: MeasuredSkill(
            skill=skill,
            proposal=by_key.get(
                (skill.key, skill.sha256), replace(by_text[skill.sha256], key=skill.key)
            ),
        )
        for skill in library.skills.values()
        if skill.status is SkillStatus.ACTIVE and skill.sha256 in by_text
    }


def scored_in_proof(pairs: Iterable[Pair]) -> bool:
    """Whether any replayed pair of answers in a skill's proof was scored by a program or a judge
    model, and not by the user's pick.
    """
    return any(pair.scored_by not in (BY_USER, SAME_WORDS) for pair in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEffects:
    """The estimates, from the database, of how much each skill changes answers, for commands that
    run without the service. How a skill is being measured (by replays, or by leaving it out at
    random) is not included: only the service knows it.
    """

    evidence: UseEvidence
    texts: Mapping[SkillKey, str]
    """The sha256 of the text of each measured skill."""

    @property
    def effects(self) -> Mapping[SkillKey, Effect]:
        """The estimated effect of each measured skill on the mean reward of answers. Blocking."""
        outcomes = self.evidence.assignments.outcomes(self.texts)
        return effects_in(outcomes, self.evidence.replays.pairs(self.texts))

    def measures(self) -> Mapping[SkillKey, SkillMeasure]:
        """Return nothing: how effects are being measured is known only to a running service."""
        return {}


def effects_in(
    outcomes: Sequence[HoldoutOutcome], pairs: Mapping[SkillKey, Sequence[Pair]]
) -> dict[SkillKey, Effect]:
    """Estimate how much each skill changes the mean reward of answers: by its replays (`pairs`),
    or, where there are none, by the conversations from which it was left out at random
    (`outcomes`).
    """
    found = {key: replay_effect(own) or effect(outcomes, key) for key, own in pairs.items()}
    return {key: value for key, value in found.items() if value is not None}


def reward_sums(
    outcomes: Sequence[HoldoutOutcome], pairs: Mapping[SkillKey, Sequence[Pair]]
) -> dict[SkillKey, tuple[float, float]]:
    """Sum up how good answers with each skill were, as (sum of rewards, sum of 1 minus reward),
    over live conversations and replays that had the skill in the prompt.
    """
    found: dict[SkillKey, tuple[float, float]] = {}
    for outcome in outcomes:
        for key, toss in outcome.tosses.items():
            if not toss.left_out:
                good, bad = found.get(key, (0.0, 0.0))
                found[key] = (good + outcome.good, bad + 1.0 - outcome.good)
    for key, own in pairs.items():
        for pair in own:
            good, bad = found.get(key, (0.0, 0.0))
            found[key] = (good + pair.with_, bad + 1.0 - pair.with_)
    return found
