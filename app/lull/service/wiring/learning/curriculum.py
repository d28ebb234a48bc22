"""Chooses, by model, the source of extra requests for training and testing LoRA adapters."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.canary import Probe, probes_from
from lull.core.chat.messages import Message
from lull.core.chat.model_name import canonical
from lull.core.skills.prompt_block import Placement
from lull.core.training.ports import Curriculum
from lull.loops.training.past_curriculum import PastCurriculum
from lull.pocket.curriculum import PocketCurriculum
from lull.resources import probes_dir
from lull.service.wiring.own_models import BUILT_IN
from lull.service.wiring.shared import SharedParts


class CurriculumByModel:
    """Chooses extra requests for training by model: generated for the built-in one, else from the
    user's past.

    Implements Curriculum.
    """

    def __init__(self, past: Curriculum, toy: Curriculum) -> None:
        self._past = past
        self._toy = toy

    def _of(self, model: str) -> Curriculum:
        return self._toy if canonical(model) == canonical(BUILT_IN) else self._past

    def canaries(self, version: AdapterVersion) -> Sequence[Probe]:
        return self._of(version.base_model).canaries(version)

    def subject(self, model: str, asked: str) -> str:
        return self._of(model).subject(model, asked)

    def fresh_requests(self, model: str, words: str, count: int) -> Sequence[str]:
        return self._of(model).fresh_requests(model, words, count)

    def anchors(
        self, model: str, count: int, with_skills: bool, about: str
    ) -> Sequence[tuple[Message, ...]]:
        return self._of(model).anchors(model, count, with_skills, about)


def curriculum_of(world: SharedParts, place: Callable[[str], Placement]) -> CurriculumByModel:
    """Build the source of extra requests, chosen by model, for training and testing LoRA
    adapters.

    `place` returns where a model's prompts hold skills (instruction texts).
    """
    past = PastCurriculum(
        world.stores.rewards, library=world.library, canaries=shipped_probes, place=place
    )
    return CurriculumByModel(past, PocketCurriculum())


@lru_cache(maxsize=1)
def shipped_probes() -> tuple[Probe, ...]:
    """Return the canary prompts that ship with Lull, which test whether a LoRA adapter has lost
    abilities.

    Raises ResourceError.
    """
    files = sorted(probes_dir().glob("*.json"))
    return tuple(one for file in files for one in probes_from(json.loads(file.read_text("utf-8"))))
