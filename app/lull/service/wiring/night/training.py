"""Builds the job that trains LoRA adapters: the model that is trained, its data and the judge that
scores answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from lull.backends.retrieval.late_exemplars import LateExemplars
from lull.backends.system.clock import TimeSortedIds
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.feedback.judge import ChosenJudge
from lull.core.training.ports import Trainer
from lull.loops.adapters.promote import Promote
from lull.loops.training.decide_step import DecideStep
from lull.loops.training.eligible import Eligible
from lull.loops.training.make_run import MakeRun, RunRule
from lull.loops.training.next_step import TrainRule
from lull.loops.training.ratings import Ratings
from lull.loops.training.replay_examples import ReplayExamples
from lull.loops.training.rewarding import RewardAnswers
from lull.loops.training.rollout import RolloutRule, Rollouts
from lull.loops.training.train import TrainingSteps
from lull.loops.training.training_data import TrainingData
from lull.loops.training.training_job import TrainingJob, wait_until_readable
from lull.loops.training.work.running_trainer import RunningTrainer
from lull.service.models.aux_models import TrainingJudge
from lull.service.training.events import ToldTraining
from lull.service.training.served_learner import ServedLearner
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.learning.feedback import LearningParts
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.training.run_folders import RunFolders
from lull.store.training.tidy_runs import RunFolderCleanup


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingGateParts:
    """The parts that LoRA training and the gate (the checks of an adapter before it answers users)
    share, such as the training data and the scoring of answers.
    """

    folders: RunFolders
    adapters: Adapters
    files: AdapterFiles
    eligible: Eligible
    rewarding: RewardAnswers
    rollouts: Rollouts
    ratings: Ratings
    judges: ChosenJudge
    """The judge model for training; none if the only one is the model that learns."""


def parts_of(
    shared: SharedParts, settings: Callable[[], Settings], paths: Paths, learning: LearningParts
) -> TrainingGateParts:
    """Build the parts that LoRA training and the gate (the checks of an adapter before it answers
    users) share, such as the training data and the scoring of answers.
    """
    stores = shared.stores
    rows_missing = stores.database.rows_missing
    folders = RunFolders(paths.home / "runs", rows_missing=rows_missing)
    eligible = Eligible(
        stores.rewards, stores.proposals, still=learning.current_selection.selects_same_skills
    )

    judges = TrainingJudge(learning.models.aux, settings)
    rewarding = RewardAnswers(
        rewards=stores.rewards,
        feedback=stores.feedback,
        proposals=stores.proposals,
        verifier=learning.scoring.verifier,
        judges=judges,
        book=learning.scoring.book,
    )
    adapters = Adapters(stores.database)
    return TrainingGateParts(
        folders=folders,
        adapters=adapters,
        files=AdapterFiles(paths.home / "adapters", rows_missing=rows_missing, runs=folders),
        eligible=eligible,
        rewarding=rewarding,
        judges=judges,
        ratings=Ratings(
            adapters=adapters,
            training=stores.training,
            rewards=stores.rewards,
            eligible=eligible,
            rewarding=rewarding,
            current_selection=learning.current_selection,
            curriculum=learning.curriculum,
        ),
        rollouts=Rollouts(
            rewards=stores.rewards,
            training=stores.training,
            eligible=eligible,
            current_selection=learning.current_selection,
            rewarding=rewarding,
            clock=shared.clock,
            ids=TimeSortedIds(),
            rule=lambda: rollout_rule(settings()),
        ),
    )


def training_job_of(
    shared: SharedParts,
    settings: Callable[[], Settings],
    parts: TrainingGateParts,
    *,
    learning: LearningParts,
    trainer: Trainer,
    promote: Promote,
    memory: LateExemplars,
    short_of_memory: Callable[[], bool],
) -> TrainingJob:
    """Build the job that trains LoRA adapters in idle times."""
    training = shared.stores.training

    data = _data_of(shared, settings, parts, learning)
    return TrainingJob(
        deciding=_deciding_of(shared, settings, parts, data),
        train=_train_of(shared, settings, parts, learning, data, promote),
        running=RunningTrainer(
            trainer,
            training=training,
            folders=parts.folders,
            clock=shared.clock,
            kill_after_s=lambda: settings().training.suspend_kill_after_s,
            short_of_memory=short_of_memory,
        ),
        training=training,
        tidying=RunFolderCleanup(
            training, parts.folders, keep=lambda: settings().training.keep_runs
        ),
        clock=shared.clock,
        settle=partial(wait_until_readable, shared.stores.database.flush, memory.asked),
        problems=shared.problems,
        events=ToldTraining(shared.bus),
    )


def _deciding_of(
    shared: SharedParts,
    settings: Callable[[], Settings],
    parts: TrainingGateParts,
    data: TrainingData,
) -> DecideStep:
    return DecideStep(
        learner=ServedLearner(
            model=lambda: settings().training.model,
            local=shared.models.local,
            places=shared.models.places,
            adapters=parts.adapters,
            files=parts.files,
        ),
        training=shared.stores.training,
        folders=parts.folders,
        rollouts=parts.rollouts,
        data=data,
        ratings=parts.ratings,
        clock=shared.clock,
        rule=lambda: train_rule(settings()),
    )


def _train_of(
    shared: SharedParts,
    settings: Callable[[], Settings],
    parts: TrainingGateParts,
    learning: LearningParts,
    data: TrainingData,
    promote: Promote,
) -> TrainingSteps:
    return TrainingSteps(
        training=shared.stores.training,
        folders=parts.folders,
        rollouts=parts.rollouts,
        make_run=_make_run_of(shared, settings, parts, learning),
        data=data,
        promote=promote,
        in_use=shared.in_use,
        clock=shared.clock,
        rule=lambda: train_rule(settings()),
    )


def _data_of(
    shared: SharedParts,
    settings: Callable[[], Settings],
    parts: TrainingGateParts,
    learning: LearningParts,
) -> TrainingData:
    return TrainingData(
        training=shared.stores.training,
        rollouts=parts.rollouts,
        eligible=parts.eligible,
        rewarding=parts.rewarding,
        current_selection=learning.current_selection,
        proposals=shared.stores.proposals,
        in_use=shared.in_use,
        adapters=parts.adapters,
        rule=lambda: train_rule(settings()),
    )


def _make_run_of(
    shared: SharedParts,
    settings: Callable[[], Settings],
    parts: TrainingGateParts,
    learning: LearningParts,
) -> MakeRun:
    ids = TimeSortedIds()
    return MakeRun(
        training=shared.stores.training,
        folders=parts.folders,
        replay_examples=ReplayExamples(
            eligible=parts.eligible,
            rewarding=parts.rewarding,
            current_selection=learning.current_selection,
            curriculum=learning.curriculum,
        ),
        clock=shared.clock,
        new_id=lambda: ids.new("run"),
        rule=lambda: run_rule(settings()),
    )


# Settings as rules


def rollout_rule(settings: Settings) -> RolloutRule:
    """Return the parameters of sampling answers for training, by the settings."""
    training = settings.training
    return RolloutRule(
        group_size=training.group_size,
        most_a_prompt=training.rollouts_a_prompt,
        answer_tokens=training.answer_tokens,
        answers_at_once=settings.engine.max_batch,
    )


def run_rule(settings: Settings) -> RunRule:
    """Return the parameters of a training run, by the settings."""
    training = settings.training
    return RunRule(
        replay_share=training.replay_share,
        groups_a_step=training.groups_a_step,
        answers_a_step=training.answers_a_step,
        learning_rate=training.learning_rate,
        rank=training.rank,
        kl_beta=training.kl_beta,
        memory_share=training.memory_share,
        graduation_epochs=training.graduation_epochs,
        answer_tokens=training.answer_tokens,
    )


def train_rule(settings: Settings) -> TrainRule:
    """Return the parameters that say when a training run is made, by the settings."""
    training = settings.training
    return TrainRule(
        enabled=training.enabled,
        groups=training.groups,
        single_answers=training.single_answers,
        graduation=training.graduation,
        groups_a_run=training.groups_a_run,
        groups_at_least=training.groups_at_least,
        rounds=training.rounds,
        labels_a_run=training.labels_a_run,
        labels_of_the_rarer=training.labels_of_the_rarer,
        graduation_prompts=training.graduation_prompts,
    )
