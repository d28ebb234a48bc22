"""Builds the slow loop, which trains LoRA adapters in idle times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lull.backends.mlx.trainer_process import TrainerProcesses
from lull.backends.retrieval.late_exemplars import LateExemplars
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.loops.forgetting.forget import Forget
from lull.loops.models.choose_model import ChooseModel
from lull.loops.training.training_job import TrainingJob
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.learning.feedback import LearningParts
from lull.service.wiring.night.adapters import AdapterParts, adapters_of
from lull.service.wiring.night.forget import forget_of
from lull.service.wiring.night.training import parts_of, training_job_of
from lull.service.wiring.night.weights import TrainedModelParts, weights_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowLoop:
    """The parts of the slow loop, which trains LoRA adapters in idle times."""

    weights: TrainedModelParts
    adapters: AdapterParts
    job: TrainingJob
    forget: Forget


def slow_loop_of(
    choose: ChooseModel,
    shared: SharedParts,
    settings: Callable[[], Settings],
    paths: Paths,
    *,
    learning: LearningParts,
    memory: LateExemplars,
    short_of_memory: Callable[[], bool],
) -> SlowLoop:
    """Build the slow loop, which trains LoRA adapters in idle times.

    It consists of weights, adapters, training and the deletion of conversations.
    """
    weights = weights_of(
        choose,
        settings(),
        paths,
        shared.asking,
        shared.stores.database,
        shared.problems,
        shared.models,
        shared.clock,
    )
    parts = parts_of(shared, settings, paths, learning)
    adapters = adapters_of(
        shared, settings, learning=learning, parts=parts, host=weights.host(shared.models.local)
    )
    job = training_job_of(
        shared,
        settings,
        parts,
        learning=learning,
        trainer=TrainerProcesses(),
        promote=adapters.promote,
        memory=memory,
        short_of_memory=short_of_memory,
    )
    forget = forget_of(
        shared,
        paths,
        parts,
        learning=learning,
        job=job,
        promote=adapters.promote,
        memory=memory,
    )
    return SlowLoop(weights=weights, adapters=adapters, job=job, forget=forget)
