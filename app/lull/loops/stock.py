"""What the slow loop can be fed with: skills that are ripe, labels that are sure, and whether more
groups would come to anything. And whether what a run was made of still stands. Everything blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple

from lull.core.proof import totals_of
from lull.core.proposal import ProposalStatus
from lull.core.reward import GREY, failed
from lull.core.rollout import Policy, mean_reward
from lull.core.skill import Library, Skill, SkillStatus
from lull.core.training_record import (
    WISH,
    Run,
    RunStatus,
    Stand,
    end_of_course,
    other_weights,
    superseded,
)
from lull.core.training_run import RunKind
from lull.loops.eligible import Eligible
from lull.loops.examine import Examine, may_train
from lull.loops.learner import Learner
from lull.loops.outlook import TrainRule
from lull.loops.rollout import Book, Prompt, Rollouts
from lull.loops.today import Today
from lull.store.proposals import Proposals
from lull.store.reward_rows import Served
from lull.store.training import Training

PROVED_E = 20.0
"""A skill is trained in only when its proof says so much (LEARNING: e ≥ 20)."""
ENOUGH = 0.8
"""Mean reward of what a round's adapter samples at temperature 1 from which the course ends: the
likeliest answer is right long before, and what goes on only forgets (arXiv 2509.04259)."""
SPENT = frozenset(RunStatus) - {RunStatus.SUPERSEDED, RunStatus.CANCELLED, RunStatus.FAILED}
"""Runs whose material is used up."""


class Stock:
    def __init__(
        self,
        *,
        training: Training,
        rollouts: Rollouts,
        eligible: Eligible,
        examine: Examine,
        today: Today,
        proposals: Proposals,
        library: Callable[[], Library],
        learned: Callable[[], frozenset[str]],
        rule: Callable[[], TrainRule],
    ) -> None:
        """`learned`: sha256 of the skills that the adapter in force needs no more."""
        self._training = training
        self._rollouts = rollouts
        self._eligible = eligible
        self._examine = examine
        self._today = today
        self._proposals = proposals
        self._library = library
        self._learned = learned
        self._rule = rule

    def superseded(self, run: Run, learner: Learner) -> str:
        """Why a run that was begun may not go on; "" while it may."""
        if run.status is RunStatus.JUDGING:
            # The gate compares it with what is in force; the turns were right when it was trained.
            return other_weights(run, model=learner.name, base=learner.digest)
        turns = self._eligible.of(tuple(run.skills))
        may = [turn for turn, known in turns.items() if not known.why_no_prompt]
        served = {one.turn.id: one for one in self._rollouts.served(may)}
        skills = {
            turn: tuple(sorted(skill.sha256 for skill in self._today.skills(one) or ()))
            for turn, one in served.items()
        }
        live = {s.sha256 for s in self._library().skills.values() if s.status is SkillStatus.ACTIVE}
        now = Stand(
            model=learner.name,
            base=learner.digest,
            root=learner.adapter,
            skills=skills,
            live=live,
        )
        return superseded(run, now) or self._unsaid(run)

    def _unsaid(self, run: Run) -> str:
        """Why the words that it was scored by count no more; "" while they do."""
        said = {one.id for one in self._training.sources(run.id) if one.kind == WISH}
        if not said:
            return ""
        wishes = self._examine.wishes(self._rollouts.candidates(run.model))
        if said <= {wish.turn for wish in wishes}:
            return ""
        return "What you said of these requests has taught a skill meanwhile, or is gone."

    def nothing_to_gain(self, book: Book, policy: Policy) -> str:
        """Why more groups of this policy would come to nothing; "" where they may not."""
        sampled = self._rollouts.all_of(book, policy)
        reward = mean_reward(sampled)
        if len(sampled) >= self._rule().groups_a_run and reward is not None and reward >= ENOUGH:
            return f"{reward:.0%} of the sampled answers are as they should be."
        runs = [run for run in self._training.runs() if run.kind is RunKind.GRPO]
        tried = [
            run
            for run in runs
            if (run.base, run.root or "") == astuple(policy)
            # A course that was superseded has tried nothing to its end.
            and end_of_course(run, runs).status is not RunStatus.SUPERSEDED
        ]
        if not tried:
            return ""
        since = max(run.made_at for run in tried).isoformat()
        new = sum(_newest(one) > since and not one.held_out for one in book.prompts)
        wanted = self._rule().groups_at_least
        if new >= wanted:
            return ""
        return (
            "What these requests can teach was tried on the weights that are in force;"
            f" {wanted} new requests are wanted, {new} have come since."
        )

    def to_graduate(self, recent: Sequence[Served]) -> Skill | None:
        """The skill that is to be trained in next."""
        tried = {run.graduates for run in self._training.runs(SPENT) if run.graduates}
        for skill in sorted(self._library().skills.values(), key=lambda one: one.key):
            if skill.client or skill.status is not SkillStatus.ACTIVE:
                continue
            if skill.sha256 in tried or skill.sha256 in self._learned():
                continue
            if self._proved(skill) and self._ripe(self.served_by(skill, recent)):
                return skill
        return None

    def _proved(self, skill: Skill) -> bool:
        return any(
            proposal.status is ProposalStatus.APPROVED
            and proposal.sha256 == skill.sha256
            and totals_of(self._proposals.pairs(proposal.id)).log_e >= math.log(PROVED_E)
            for proposal in self._proposals.of_skill(skill.key)
        )

    def _ripe(self, prompts: Sequence[Prompt]) -> bool:
        return len({one.served.asked for one in prompts}) >= self._rule().graduation_prompts

    def served_by(self, skill: Skill, recent: Sequence[Served]) -> list[Prompt]:
        """Turns that may train, wanted this skill and had it in their prompt, and did not fail."""
        having = [
            one
            for one in recent
            if any(s.sha256 == skill.sha256 for s in one.turn.skills)
            and self._examine.is_about(one, skill)
        ]
        judged = self._eligible.of([one.turn.id for one in having])
        found = []
        for one in having:
            known, reward = judged.get(one.turn.id), one.reward.reward
            if known is None or known.why_no_prompt or (reward is not None and failed(reward)):
                continue
            found.append(Prompt(served=one, skills=self._today.skills(one) or ()))
        return found

    def labelled(self, recent: Sequence[Served]) -> list[tuple[Prompt, bool]]:
        """Recorded answers with a sure score that no run has used, newest first."""
        trains = self._examine.judge_trains()[0]
        used = self._training.trained_on(RunKind.KTO, SPENT)
        fresh = [one for one in recent if one.turn.id not in used]
        judged = self._eligible.of([one.turn.id for one in fresh])
        found = []
        for one in fresh:
            known, reward = judged.get(one.turn.id), one.reward.reward
            if known is None or known.why_not or reward is None:
                continue
            if may_train(reward.source, judge_trains=trains):
                prompt = Prompt(served=one, skills=self._today.skills(one) or ())
                found.append((prompt, reward.p_good > GREY[1]))
        return found


def _newest(prompt: Prompt) -> str:
    """When it, or the words that its answers are held to, came."""
    said = prompt.wish.at if prompt.wish is not None else ""
    return max(prompt.served.turn.at, said)


def counts(labelled: Sequence[tuple[Prompt, bool]]) -> tuple[int, int]:
    good = sum(good for _, good in labelled)
    return good, len(labelled) - good
