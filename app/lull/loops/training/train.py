"""Carries out the steps of training: samples answers, makes training runs, and has trained adapters
tested by the gate (the checks that an adapter must pass before it answers users).

Which step comes next is decided by `decide_step`; `training_job` runs the steps while the computer
is idle.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from lull.core.adapters.gate_report import Verdict
from lull.core.errors import Conflict, EngineDown, LullError, TrainingError, UpstreamDown
from lull.core.ports import Clock
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.skill import Skill
from lull.core.text.coded_text import coded_text
from lull.core.training.lesson import lesson_of
from lull.core.training.record import (
    Run,
    RunStatus,
    run_status_text,
    with_failed_test,
    with_retry,
    with_status,
    with_unread_adapter,
)
from lull.core.training.rollout import chosen_groups, mean_reward
from lull.core.training.spec import RunKind
from lull.loops.training.as_written import hash_as_written
from lull.loops.training.decide_step import groups_reached
from lull.loops.training.make_run import MakeRun, RunMaterial, RunStart
from lull.loops.training.next_step import (
    GroupSource,
    LabelledAnswers,
    MakingStep,
    SamplingStep,
    SkillToTrainIn,
    TrainRule,
    run_of,
)
from lull.loops.training.rollout import Rollouts
from lull.loops.training.training_data import TrainingData
from lull.store.adapters.adapter_files import ChangedAdapter, UnreadableAdapter
from lull.store.training.run_folders import RunFolders
from lull.store.training.training import Training


class PromotesAdapters(Protocol):
    """Interface that tests a trained adapter and puts it into use if it passes."""

    async def store_run_adapter(
        self, run: Run, folder: str, graduates: Skill | None, wrote: str
    ) -> str:
        """Store the adapter that a training run has produced, and return its id. A repeated call
        for the same run returns the same id.

        `wrote` is the hash of what its trainer wrote, "" if that is not known. Raises LullError, as
        ChangedAdapter for files with another hash.
        """

    async def run_gate(self, adapter: str, until_s: float) -> Verdict | None:
        """Compare a stored LoRA adapter with the active one on test prompts, to decide whether it
        may answer users; stop at `until_s` (monotonic clock).

        Return None if more remains to be measured. An accepted adapter is then active, or on trial
        with a share of new conversations. Raises LullError.
        """


class TrainingSteps:
    """Carries out steps of training, which were decided elsewhere: sampling answers, making a
    training run, and testing its adapter.
    """

    def __init__(
        self,
        *,
        training: Training,
        folders: RunFolders,
        rollouts: Rollouts,
        make_run: MakeRun,
        data: TrainingData,
        promote: PromotesAdapters,
        in_use: LibraryInUse,
        clock: Clock,
        rule: Callable[[], TrainRule],
    ) -> None:
        self._training = training
        self._folders = folders
        self._rollouts = rollouts
        self._make_run = make_run
        self._data = data
        self._promote = promote
        self._in_use = in_use
        self._clock = clock
        self._rule = rule

    async def make(self, step: MakingStep) -> Run:
        """Write the examples and settings of the training run that `step` describes to a folder,
        and the run to the database; return the run.

        Raises StoreError, EngineError, Conflict, TrainingError. If the adapter that the run starts
        from cannot be read three times in a row, the run that trained it is stuck.
        """
        learner = step.learner
        material = await self._material(step)
        if not material.examples:
            raise TrainingError(
                "None of the data for this run is left.",
                hint="Its conversations have gone, or do not fit into the model's window.",
            )
        last = run_of(step)
        if last is None:
            before = RunStart(root=learner.adapter, folder=learner.adapter_folder)
        else:
            try:
                await hash_as_written(self._training, self._folders, last.id)
            except ChangedAdapter as error:
                await self._give_up(last.id, error)
                words = "The training run %1 is now %2."
                failed = run_status_text(RunStatus.FAILED)
                raise Conflict(coded_text("run-changed", words, last.id, failed)) from error
            except UnreadableAdapter as error:
                # Counted as the trainer's own tries are, which would start from the same files.
                counted = partial(self._unread_adapter, error=error)
                await self._training.change(last.id, counted)
                raise
            before = RunStart(
                root=last.root,
                folder=str(self._folders.adapter(last.id)),
                parent=last.id,
                round=last.round + 1,
            )
        return await self._make_run.make(
            learner, material, before, step.recent, update_parent=self._continued
        )

    def _unread_adapter(self, now: Run, error: LullError) -> Run:
        if now.status is not RunStatus.TRAINED:
            return now  # cancelled in the meantime
        return with_unread_adapter(now, error.detail, self._clock.now())

    def _continued(self, last: Run, by: str) -> Run:
        if last.status is not RunStatus.TRAINED:
            words = "The training run %1 is now %2."
            raise Conflict(coded_text("run-changed", words, last.id, run_status_text(last.status)))
        return with_status(last, RunStatus.CONTINUED, f"{by} continues.", self._clock.now())

    async def _material(self, step: MakingStep) -> RunMaterial:
        match step.source:
            case GroupSource(pool=book, policy=policy):
                telling = await asyncio.to_thread(self._rollouts.groups_with_signal, book, policy)
                groups = chosen_groups(telling, most=self._rule().groups_a_run)
                sampled = await asyncio.to_thread(self._rollouts.scored_groups, book, policy)
                return self._make_run.of_groups(
                    groups, book.prompts, reward_before=mean_reward(sampled)
                )
            case SkillToTrainIn(skill=skill, course=course):
                served = await asyncio.to_thread(self._data.turns_for_skill, skill, step.recent)
                own = [prompt for prompt in served if not prompt.held_out]
                return await self._make_run.of_skill(step.learner, skill, own, course)
            case LabelledAnswers(answers=labelled):
                return await self._make_run.of_labels(step.learner, labelled)

    async def sample(self, step: SamplingStep) -> int:
        """Sample answers to a few stored requests for a GRPO run; return to how many requests, 0
        when none is left. Raises LullError.
        """
        return await self._rollouts.sample_next(step.learner, step.source.policy, step.source.pool)

    def count_with_signal(self, source: GroupSource) -> int:
        """Return how many groups of sampled answers the next GRPO run can learn from so far: those
        whose answers differ in reward. Blocking.

        For a run that continues an earlier one fewer groups may be enough; then the number that a
        run needs is returned.
        """
        telling = self._rollouts.groups_with_signal(source.pool, source.policy)
        if source.continues is None:
            return len(telling)
        sampled = self._rollouts.scored_groups(source.pool, source.policy)
        return groups_reached(telling, sampled, self._rule())

    async def retry_stuck_runs(self) -> None:
        """Let training runs that got stuck continue from their last checkpoint, with the next round
        or with their test, because the user commands it.
        """
        for run in await asyncio.to_thread(self._training.runs, {RunStatus.STUCK}):
            # What is recorded as trained is not handed to the trainer again: it would take whatever
            # is in the folder now for its own work.
            wrote = await asyncio.to_thread(self._training.written_adapter, run.id)
            retried = partial(with_retry, at=self._clock.now(), trained=bool(wrote))
            await self._training.change(run.id, retried)

    async def judge(self, run_id: str, until_s: float) -> bool:
        """Test the adapter of a finished training run against the active one, until `until_s`
        (monotonic clock).

        Return True if the test has ended with a verdict, False if more remains to be measured.
        Raises LullError; after three failures in a row the run is stuck.
        """
        try:
            ended = await self._judge(run_id, until_s)
        except ChangedAdapter as error:
            await self._give_up(run_id, error)  # a further try would find the same
            raise
        except LullError as error:
            if not _passes(error):
                counted = partial(self._failed_test, error=error)
                await self._training.change(run_id, counted)
            raise
        return ended

    async def _judge(self, run_id: str, until_s: float) -> bool:
        # The last piece of work may have changed the run.
        run = await asyncio.to_thread(self._training.get, run_id)
        if run.status is RunStatus.FAILED:
            return True  # its adapter was refused
        adapter = run.adapter
        if run.status is not RunStatus.JUDGING or adapter is None:
            adapter = await self._judging(run)
        verdict = await self._promote.run_gate(adapter, until_s)
        if verdict is not None:
            await self._judged(run, verdict)
        elif run.progress.failed_tests:
            await self._training.change(run_id, _without_failed_tests)
        return verdict is not None

    def _failed_test(self, now: Run, error: LullError) -> Run:
        if now.status not in (RunStatus.TRAINED, RunStatus.JUDGING):
            return now  # cancelled in the meantime
        return with_failed_test(now, error.detail, self._clock.now())

    async def _judging(self, run: Run) -> str:
        """Send a finished run's adapter to its test before it may answer users; return its id."""
        graduates = next(
            (s for s in self._in_use.library.skills.values() if s.sha256 == run.graduates), None
        )
        wrote = await hash_as_written(self._training, self._folders, run.id)
        adapter = await self._promote.store_run_adapter(
            run, str(self._folders.adapter(run.id)), graduates, wrote
        )
        await self._training.change(
            run.id,
            lambda now: with_status(
                replace(now, adapter=adapter), RunStatus.JUDGING, run.why, self._clock.now()
            ),
        )
        return adapter

    async def _give_up(self, run_id: str, error: LullError) -> None:
        """End a training run whose adapter must not be used; its material may be used again."""

        def plan(now: Run) -> Run:
            if now.status not in (RunStatus.TRAINED, RunStatus.JUDGING):
                return now  # cancelled in the meantime
            return with_status(now, RunStatus.FAILED, error.detail, self._clock.now())

        await self._training.change(run_id, plan, free=True)

    async def _judged(self, run: Run, verdict: Verdict) -> None:
        """Record the verdict on a run's adapter, unless the run was cancelled in the meantime."""

        def plan(now: Run) -> Run:
            if now.status is not RunStatus.JUDGING:
                return now
            judged = replace(now, verdict="accepted", reasons=verdict.reasons)
            if verdict.accepted:
                return with_status(judged, RunStatus.PROMOTED, now.why, self._clock.now())
            judged, why = replace(judged, verdict="rejected"), " ".join(verdict.reasons)
            if now.kind is RunKind.GRADUATION:
                lesson = lesson_of(verdict, now.course)
                judged, why = replace(judged, next_course=lesson.next), lesson.said
            return with_status(judged, RunStatus.REJECTED, why or now.why, self._clock.now())

        await self._training.change(run.id, plan)


def _passes(error: LullError) -> bool:
    """Whether a test failed only because engine or Ollama do not answer now, or because an
    adapter's files cannot be read now.
    """
    passing = EngineDown | UpstreamDown | UnreadableAdapter
    return isinstance(error, passing) or isinstance(error.__cause__, passing)


def _without_failed_tests(run: Run) -> Run:
    return replace(run, progress=replace(run.progress, failed_tests=0))
