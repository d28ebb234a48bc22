"""Builds the part that deletes a conversation and everything derived from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lull.backends.retrieval.late_exemplars import LateExemplars
from lull.config.paths import Paths
from lull.loops.adapters.promote import Promote
from lull.loops.forgetting.derived import ForgetTables
from lull.loops.forgetting.forget import Forget, ForgetFiles
from lull.loops.training.training_job import TrainingJob
from lull.service.chat.forget_in_service import ForgetInService
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.learning.feedback import LearningParts
from lull.service.wiring.night.training import TrainingGateParts
from lull.store.forgetting.forgetting import ForgettingRows


def forget_of(
    shared: SharedParts,
    paths: Paths,
    slow: TrainingGateParts,
    *,
    learning: LearningParts,
    job: TrainingJob,
    promote: Promote,
    memory: LateExemplars,
) -> Forget:
    """Build the part of a running service that deletes a conversation and what was learned from
    it.
    """
    stores = shared.stores

    def logs() -> Iterator[Path]:
        return paths.logs.glob("*")

    tables = ForgetTables(
        trajectories=stores.trajectories,
        proposals=stores.proposals,
        skills=stores.skills,
        training=stores.training,
        adapters=slow.adapters,
        rewards=stores.rewards,
        feedback=stores.feedback,
        forgetting=ForgettingRows(stores.database),
    )
    elsewhere = ForgetInService(
        approve=shared.approve,
        wishes=learning.scoring.score.wishes,
        fast_loop=learning.fast_loop,
        job=job,
        promote=promote,
        memory=memory,
        home=paths.home,
    )
    return Forget(
        tables,
        ForgetFiles(runs=slow.folders, adapters=slow.files, logs=logs),
        elsewhere,
        approve=shared.approve,
        in_use=shared.in_use,
    )
