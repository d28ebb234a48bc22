"""Builds the job that measures, for each model, at which place in a prompt it obeys skills
(instruction texts) best.
"""

from __future__ import annotations

from lull.backends.chat.placing_cases import load_placing_sheet
from lull.core.errors import ResourceError
from lull.core.idle.ports import QuietRunner
from lull.core.proof.placing import PlacingSheet
from lull.loops.proof.measure_placing import MeasurePlacing, PlacingModels
from lull.service.models.replay_targets import ReplayTargets
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.learning.checks import TOOLS
from lull.store.proof.placings import Placings

PROBLEM = "placing"


def placing_of(
    shared: SharedParts, targets: ReplayTargets, quiet: QuietRunner, *, slice_s: float
) -> MeasurePlacing:
    """Build the job that measures, for each model, at which place in a prompt it obeys skills best.

    If the file of test cases is missing, this is shown as a problem and nothing is measured.
    """
    try:
        sheet = load_placing_sheet()
    except ResourceError as error:
        shared.problems.report(PROBLEM, error)
        sheet = PlacingSheet(sha256="", cases=())

    return MeasurePlacing(
        store=Placings(shared.stores.database),
        sheet=sheet,
        models=PlacingModels(uses=shared.stores.trajectories, here=targets, in_use=shared.in_use),
        quiet=quiet,
        clock=shared.clock,
        slice_s=slice_s,
        tools=TOOLS,
        places=shared.models.places,
    )
