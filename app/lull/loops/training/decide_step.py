"""Decides what training does next: sample answers, write the files of a training run, train its
LoRA adapter, or test that adapter.

1. a training run that was begun is trained to its end, or given up (superseded) with a reason 2.
after a GRPO run the next round is sampled from its adapter, while it still improves 3. a trained
adapter goes to the gate (the checks that it must pass before it answers users) 4. otherwise a
well-proved skill is trained into the weights; or else groups of answers are sampled until there are
enough for a GRPO run; or else a run on single recorded answers is made
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from lull.core.errors import EngineDown, LullError
from lull.core.ports import Clock
from lull.core.skills.skill import Skill
from lull.core.training.lesson import GraduationCourse
from lull.core.training.ratings import LEAST_OF_A_KIND
from lull.core.training.record import (
    AT_WORK,
    OPEN_RUN_STATUSES,
    Run,
    RunStatus,
    why_not_started,
    with_status,
)
from lull.core.training.rollout import RolloutGroup, SampledPolicy, mean_reward
from lull.core.training.spec import RunKind
from lull.loops.training.as_written import hash_as_written
from lull.loops.training.learner import FindsLearner, Learner
from lull.loops.training.next_step import (
    GroupCount,
    GroupSource,
    JudgingStep,
    LabelledAnswers,
    MakingStep,
    NextStep,
    NothingToDo,
    SamplingStep,
    SkillToTrainIn,
    TrainingStep,
    TrainRule,
)
from lull.loops.training.ratings import RatedAnswers, Ratings
from lull.loops.training.rollout import RequestPool, Rollouts
from lull.loops.training.training_data import ENOUGH, TrainingData
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.training.run_folders import RunFolders
from lull.store.training.training import Training

log = logging.getLogger(__name__)


_NEEDS_FOLDER: Final = AT_WORK | {RunStatus.STUCK}
"""Statuses of runs whose inputs are only in their folder, so a run without it is superseded."""


class DecideStep:
    """Decides which stage of training a LoRA adapter comes next, such as sampling answers,
    training, or testing the adapter.
    """

    def __init__(
        self,
        *,
        learner: FindsLearner,
        training: Training,
        folders: RunFolders,
        rollouts: Rollouts,
        data: TrainingData,
        ratings: Ratings,
        clock: Clock,
        rule: Callable[[], TrainRule],
    ) -> None:
        self._learner = learner
        self._training = training
        self._folders = folders
        self._rollouts = rollouts
        self._data = data
        self._ratings = ratings
        self._clock = clock
        self._rule = rule
        self._loaded: set[str] = set()
        """Versions of unfinished courses' adapters that were loaded into the engine."""

    async def decide_next(self, *, hurry: bool = False) -> NextStep:
        """Decide which stage of training comes next, such as sampling answers or testing an
        adapter; mark training runs whose data or model has changed as superseded.

        With `hurry` a run is made from fewer answers. Raises StoreError, EngineError.
        """
        if not self._rule().enabled:
            return NothingToDo(text="Training is switched off in the settings.")
        learner = await self._learner()
        if learner is None:
            return NothingToDo(text=self._learner.why_none())
        open_ = await self._open_run(learner)
        if open_ is not None and open_.status is RunStatus.STUCK:
            return NothingToDo(text=open_.why, stuck=True)
        if open_ is not None and open_.status in AT_WORK:
            return TrainingStep(text=_trains(open_), run=open_)
        if open_ is not None and open_.status is RunStatus.JUDGING:
            return _judges(open_)
        if open_ is None and learner.on_trial:
            text = (
                f"{learner.on_trial} is on trial; the next training waits for its result and "
                "builds on the model that stays."
            )
            return NothingToDo(text=text)
        recent = tuple(await asyncio.to_thread(self._rollouts.candidates, learner.name))
        pool = await asyncio.to_thread(self._rollouts.collect_requests, learner.name)
        if open_ is not None:
            return await self._after_training(learner, open_, recent, pool)
        skill = None
        if self._rule().graduation:
            skill = await asyncio.to_thread(self._data.next_skill_to_train_in, learner, recent)
        return await self._anew(learner, recent, pool, skill, hurry=hurry)

    async def _open_run(self, learner: Learner) -> Run | None:
        """The open run that may continue; others are superseded."""
        found: Run | None = None
        for run in await asyncio.to_thread(self._training.runs, OPEN_RUN_STATUSES):
            why = await asyncio.to_thread(self._data.why_superseded, run, learner)
            if run.status in _NEEDS_FOLDER and self._folders.is_gone(run.id):
                why = "Its folder is gone."
            if run.status is RunStatus.TRAINED and self._folders.adapter_is_gone(run.id):
                why = "The adapter that it trained is gone."
            if why:
                await self._supersede(run.id, why)
            elif found is None:
                found = run
        return found

    async def _after_training(
        self, learner: Learner, run: Run, recent: tuple[ServedTurn, ...], pool: RequestPool
    ) -> NextStep:
        """The step after training: another round of a series of GRPO runs, or the test of its
        adapter.
        """
        if run.kind is not RunKind.GRPO:
            return _judges(run)
        rule = self._rule()
        policy = SampledPolicy(base=learner.digest, adapter=engine_adapter_name(run.id))
        try:
            await self._give(learner, policy.adapter, run.id)
        except EngineDown:
            raise
        except LullError as error:  # nothing can be sampled from it; its test says more
            log.info("%s cannot be loaded: %s", policy.adapter, error)
            return _judges(run)
        telling = await asyncio.to_thread(self._rollouts.groups_with_signal, pool, policy)
        all_ = await asyncio.to_thread(self._rollouts.scored_groups, pool, policy)
        more = await asyncio.to_thread(self._rollouts.next_request, pool, policy) is not None
        source = GroupSource(pool=pool, policy=policy, continues=run)
        groups = GroupCount(
            with_signal=groups_reached(telling, all_, rule), wanted=rule.groups_a_run
        )
        if more and groups.with_signal < rule.groups_a_run:
            text = f"Practising: answering your past requests again, round {run.round}"
            return SamplingStep(text=text, learner=learner, source=source, groups=groups)
        reward = mean_reward(all_)
        await self._training.change(run.id, lambda now: _rewarded(now, reward))
        done = run.round >= rule.rounds or (reward is not None and reward >= ENOUGH)
        if done or len(telling) < min(rule.groups_at_least, rule.groups_a_run):
            return _judges(run)
        text = f"Preparing round {run.round + 1}"
        return MakingStep(text=text, learner=learner, recent=recent, source=source, groups=groups)

    async def _anew(
        self,
        learner: Learner,
        recent: tuple[ServedTurn, ...],
        pool: RequestPool,
        found: tuple[Skill, GraduationCourse] | None,
        *,
        hurry: bool,
    ) -> NextStep:
        """The step that begins a training run: of the skill that was found, if any, or of what can
        be made of the pool of requests or of rated answers.
        """
        rule = self._rule()
        runs = [] if hurry else await asyncio.to_thread(self._training.runs)
        tired: list[str] = []
        said: list[str] = []
        groups = GroupCount()

        def may(kind: RunKind, graduates: str = "") -> bool:
            why = why_not_started(runs, base=learner.digest, kind=kind, graduates=graduates)
            tired.extend([why] if why else [])
            return not why

        if found is not None and may(RunKind.GRADUATION, found[0].sha256):
            skill = SkillToTrainIn(skill=found[0], course=found[1])
            text = _graduates(skill)
            return MakingStep(text=text, learner=learner, recent=recent, source=skill)
        if rule.groups and may(RunKind.GRPO):
            seen = await self._groups(learner, recent, pool, hurry=hurry)
            if not isinstance(seen, NothingToDo):
                return seen
            said.append(seen.text)
            groups = seen.groups
        if rule.single_answers and may(RunKind.KTO):
            rated = await asyncio.to_thread(self._ratings.of, learner.name, recent)
            lacking = _lacking(rated, rule)
            if not lacking:
                return MakingStep(
                    text="Preparing training with recorded answers",
                    learner=learner,
                    recent=recent,
                    source=LabelledAnswers(answers=rated.train),
                    groups=groups,
                )
            said.append(lacking)
            scored = sum(one.reward.reward is not None for one in recent)
            said.insert(0, f"Not enough to train on yet. Scored answers so far: {scored}.")
        text = " ".join([*tired, *said]) or "Every kind of training is switched off."
        return NothingToDo(text=text, stuck=bool(tired), groups=groups)

    async def _groups(
        self,
        learner: Learner,
        recent: tuple[ServedTurn, ...],
        pool: RequestPool,
        *,
        hurry: bool,
    ) -> NextStep:
        rule, policy = self._rule(), learner.policy
        if why := await asyncio.to_thread(self._data.why_no_gain, pool, policy):
            return NothingToDo(text=why)
        telling = await asyncio.to_thread(self._rollouts.groups_with_signal, pool, policy)
        more = await asyncio.to_thread(self._rollouts.next_request, pool, policy) is not None
        source = GroupSource(pool=pool, policy=policy, continues=None)
        groups = GroupCount(with_signal=len(telling), wanted=rule.groups_a_run)
        enough = rule.groups_a_run
        if hurry and not more:
            enough = min(enough, rule.groups_at_least)
        if len(telling) >= enough:
            return MakingStep(
                text="Preparing training with generated answers",
                learner=learner,
                recent=recent,
                source=source,
                groups=groups,
            )
        if more:
            text = "Practising: answering your past requests again"
            return SamplingStep(text=text, learner=learner, source=source, groups=groups)
        scored, total = len(pool.prompts), len(pool.prompts) + pool.unscored
        text = (
            f"Requests whose answers Lull can score: {scored} of {total}. It practises on these, "
            f"and needs {rule.groups_a_run} of them with both good and bad answers; so far it has "
            f"{len(telling)}."
        )
        return NothingToDo(text=text, groups=groups)

    async def _supersede(self, run: str, why: str) -> None:
        """End a training run without a result; its groups of sampled answers may be used by the
        next run.
        """
        log.info("run %s: superseded (%s)", run, why)
        now = self._clock.now()
        await self._training.change(
            run, lambda was: with_status(was, RunStatus.SUPERSEDED, why, now), free=True
        )

    async def _give(self, learner: Learner, version: str, run: str) -> None:
        """Load the newest adapter of a series of GRPO runs, as its trainer wrote it, into the
        engine, and drop older ones.
        """
        if version in self._loaded and version in (await learner.engine.status()).adapters:
            return
        for old in tuple(self._loaded):
            self._loaded.discard(old)
            try:
                await learner.engine.drop_adapter(old)
            except LullError as error:
                log.info("%s could not be dropped: %s", old, error)
        await hash_as_written(self._training, self._folders, run)
        await learner.engine.load_adapter(version, str(self._folders.adapter(run)))
        self._loaded.add(version)


def engine_adapter_name(run: str) -> str:
    """Return the name under which the inference engine loads a training run's LoRA adapter, to
    sample answers for the next of a series of GRPO runs.
    """
    return f"run:{run}"


def groups_reached(
    with_signal: Sequence[RolloutGroup], sampled: Sequence[RolloutGroup], rule: TrainRule
) -> int:
    """Return how many of the `groups_a_run` groups needed for the next GRPO run are reached (a
    group: several answers sampled for the same request).

    Normally it is the number of groups with a training signal (`with_signal`). Once twice
    `groups_a_run` groups were sampled, it is `groups_a_run` if most answers are good, or if at
    least `groups_at_least` groups have a signal.
    """
    seen_enough = len(sampled) >= 2 * rule.groups_a_run
    reward = mean_reward(sampled)
    good = reward is not None and reward >= ENOUGH
    if seen_enough and (good or len(with_signal) >= rule.groups_at_least):
        return rule.groups_a_run
    return len(with_signal)


def _lacking(rated: RatedAnswers, rule: TrainRule) -> str:
    """Say what is missing for a KTO run; "" if nothing is.

    Without pairs that were kept out of training nothing could show that the run improved anything.
    """
    (good, bad), pairs = rated.counts, len(rated.pairs)
    to_train = max(
        rule.labels_a_run - good - bad,
        max(0, rule.labels_of_the_rarer - good) + max(0, rule.labels_of_the_rarer - bad),
        0,
    )
    to_test = max(0, rule.pairs_to_test - pairs)
    if not to_train and not to_test:
        return ""
    return (
        f"Ratings to train on: {good} good, {bad} bad; {rule.labels_a_run} are needed, at least "
        f"{rule.labels_of_the_rarer} of each. Pairs of a good and a bad answer that are kept out, "
        f"to test what was learned: {pairs}; {rule.pairs_to_test} are needed. Ratings still "
        f"missing: at least {to_train + to_test}. Only kinds of request count that have at least "
        f"{LEAST_OF_A_KIND} good and {LEAST_OF_A_KIND} bad answers to train on."
    )


def _rewarded(run: Run, reward: float | None) -> Run:
    return replace(run, progress=replace(run.progress, reward_after=reward))


_WHAT = {
    RunKind.GRPO: "generated answers",
    RunKind.KTO: "recorded answers",
    RunKind.GRADUATION: "a skill",
}


def _graduates(of: SkillToTrainIn) -> str:
    again = f", try {of.course.number}" if of.course.number > 1 else ""
    return f"Preparing training of the skill '{of.skill.name}'{again}"


def _trains(run: Run) -> str:
    more = f", round {run.round}" if run.round > 1 else ""
    return f"Training on {_WHAT[run.kind]}{more}"


def _judges(run: Run) -> JudgingStep:
    return JudgingStep(text=f"Testing what was trained on {_WHAT[run.kind]}", run=run)
