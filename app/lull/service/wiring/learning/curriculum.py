"""Builds the source of requests that training and testing of LoRA adapters use in addition to
recorded requests.
"""

from __future__ import annotations

from lull.backends.shipped.canaries import shipped_canaries
from lull.core.training.curriculum_by_model import CurriculumByModel
from lull.loops.chat.current_selection import CurrentSelection
from lull.loops.training.past_curriculum import PastCurriculum
from lull.pocket.curriculum import PocketCurriculum
from lull.service.wiring.base.own_models import TOY
from lull.service.wiring.base.shared import SharedParts


def curriculum_of(shared: SharedParts, current_selection: CurrentSelection) -> CurriculumByModel:
    """Build the source of requests that training and testing of LoRA adapters use in addition to
    recorded ones; it gives other requests for the toy model than for all others.
    """
    past = PastCurriculum(
        shared.stores.rewards,
        in_use=shared.in_use,
        canaries=shipped_canaries,
        current_selection=current_selection,
    )
    return CurriculumByModel(past, {TOY: PocketCurriculum()})
