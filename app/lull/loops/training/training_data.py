"""Finds the stored skills (instruction texts), answers and requests from which training runs can be
made, and checks whether those of an existing run may still be used.

These are skills ready to be trained into the weights, and groups of sampled answers that may still
improve the model. Everything here blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple

from lull.core.feedback.reward import is_failure
from lull.core.proof.pairs import totals_of
from lull.core.proof.proposal import ProposalStatus
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.skill import Skill, SkillStatus
from lull.core.training.lesson import GraduationCourse
from lull.core.training.record import (
    WISH,
    CurrentState,
    Run,
    RunStatus,
    newest_in_series,
    why_other_weights,
    why_superseded,
)
from lull.core.training.rollout import SampledPolicy, mean_reward
from lull.core.training.spec import RunKind
from lull.loops.chat.current_selection import CurrentSelection
from lull.loops.training.eligible import Eligible
from lull.loops.training.learner import Learner
from lull.loops.training.next_step import TrainRule
from lull.loops.training.ratings import SPENT
from lull.loops.training.rewarding import RewardAnswers
from lull.loops.training.rollout import Prompt, RequestPool, Rollouts
from lull.store.adapters.adapters import Adapters
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.proof.proposals import Proposals
from lull.store.training.training import Training

PROVED_E = 20.0
"""Minimum e-value of a skill's proof for the skill to be trained into the weights."""
ENOUGH = 0.8
"""Mean reward of answers sampled at temperature 1 at which a series of GRPO runs ends.

The likeliest answer is right long before, and further training only forgets (arXiv 2509.04259).
"""


class TrainingData:
    """Looks up the stored skills (instruction texts), answers and requests from which training runs
    can be made.
    """

    def __init__(
        self,
        *,
        training: Training,
        rollouts: Rollouts,
        eligible: Eligible,
        rewarding: RewardAnswers,
        current_selection: CurrentSelection,
        proposals: Proposals,
        in_use: LibraryInUse,
        adapters: Adapters,
        rule: Callable[[], TrainRule],
    ) -> None:
        self._training = training
        self._rollouts = rollouts
        self._eligible = eligible
        self._rewarding = rewarding
        self._current_selection = current_selection
        self._proposals = proposals
        self._in_use = in_use
        self._adapters = adapters
        self._rule = rule

    def why_superseded(self, run: Run, learner: Learner) -> str:
        """Return why a training run may not continue: its requests, skills (instruction texts) or
        model have changed since it was made; "" if it may continue.
        """
        if run.status is RunStatus.JUDGING:
            # Only the weights matter now: the turns were valid when it was trained.
            return why_other_weights(run, model=learner.name, base=learner.digest)
        turns = self._eligible.check_turns(tuple(run.skills))
        may = [turn for turn, known in turns.items() if not known.why_no_prompt]
        served = {one.turn.id: one for one in self._rollouts.served(may)}
        skills = {
            turn: tuple(sorted(skill.sha256 for skill in self._current_selection.skills(one) or ()))
            for turn, one in served.items()
        }
        live = {
            s.sha256 for s in self._in_use.library.skills.values() if s.status is SkillStatus.ACTIVE
        }
        now = CurrentState(
            model=learner.name,
            base=learner.digest,
            root=learner.adapter,
            skills=skills,
            live=live,
        )
        return why_superseded(run, now) or self._unsaid(run)

    def _unsaid(self, run: Run) -> str:
        """Return why the wishes that scored the run no longer count; "" while they do."""
        said = {one.id for one in self._training.sources(run.id) if one.kind == WISH}
        if not said:
            return ""
        wishes = self._rewarding.wishes(self._rollouts.candidates(run.model))
        if said <= {wish.turn for wish in wishes}:
            return ""
        return "What you said about these requests has since been used for a skill, or is gone."

    def why_no_gain(self, pool: RequestPool, policy: SampledPolicy) -> str:
        """Return why sampling more answers from this policy (base model and adapter) would not help
        training: the answers are good enough, or these requests were tried already; "" if it may
        help.
        """
        sampled = self._rollouts.scored_groups(pool, policy)
        reward = mean_reward(sampled)
        if len(sampled) >= self._rule().groups_a_run and reward is not None and reward >= ENOUGH:
            return f"{reward:.0%} of the generated answers are already good."
        runs = [run for run in self._training.runs() if run.kind is RunKind.GRPO]
        tried = [
            run
            for run in runs
            if (run.base, run.root or "") == astuple(policy)
            # A superseded course was not tried to its end.
            and newest_in_series(run, runs).status is not RunStatus.SUPERSEDED
        ]
        if not tried:
            return ""
        since = max(run.made_at for run in tried).isoformat()
        new = sum(_newest(one) > since and not one.held_out for one in pool.prompts)
        wanted = self._rule().groups_at_least
        if new >= wanted:
            return ""
        return (
            f"Lull has already trained the current model on these requests. {wanted} new requests "
            f"are needed; {new} have come in since."
        )

    def next_skill_to_train_in(
        self, learner: Learner, recent: Sequence[ServedTurn]
    ) -> tuple[Skill, GraduationCourse] | None:
        """Return the skill (an instruction text) to train into the weights next, and how its
        training differs from the usual after failed tries; None if no skill is proved well enough
        and was used for enough requests.
        """
        learned = self._adapters.learned_by_active(learner.name)
        tried: dict[str, GraduationCourse | None] = {}
        for run in self._training.runs(SPENT):  # newest first
            tried.setdefault(run.graduates, run.next_course)
        for skill in sorted(self._in_use.library.skills.values(), key=lambda one: one.key):
            if skill.client or skill.status is not SkillStatus.ACTIVE:
                continue
            course = tried.get(skill.sha256, GraduationCourse())
            if course is None or skill.sha256 in learned:
                continue
            if self._proved(skill) and self._ripe(self.turns_for_skill(skill, recent)):
                return skill, course
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

    def turns_for_skill(self, skill: Skill, recent: Sequence[ServedTurn]) -> list[Prompt]:
        """Return the turns (requests with answers) with which this skill can be trained into the
        weights: the request needed the skill and had it in its prompt, and the answer did not fail.
        """
        having = [
            one
            for one in recent
            if any(s.sha256 == skill.sha256 for s in one.turn.skills)
            and self._rewarding.is_about(one, skill)
        ]
        judged = self._eligible.check_turns([one.turn.id for one in having])
        found = []
        for one in having:
            known, reward = judged.get(one.turn.id), one.reward.reward
            if known is None or known.why_no_prompt or (reward is not None and is_failure(reward)):
                continue
            found.append(Prompt(served=one, skills=self._current_selection.skills(one) or ()))
        return found


def _newest(prompt: Prompt) -> str:
    """Return the time of the request or of its wish, whichever is later; ISO 8601."""
    said = prompt.wish.at if prompt.wish is not None else ""
    return max(prompt.served.turn.at, said)
