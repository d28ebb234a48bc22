"""Where training and gate get what they ask beyond a run: by the model's language."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

from lull.core.adapter import AdapterVersion
from lull.core.messages import Message
from lull.core.model_name import canonical
from lull.core.ports import Curriculum
from lull.core.probe import Probe, probes_from
from lull.loops.past_curriculum import PastCurriculum
from lull.pocket.curriculum import PocketCurriculum
from lull.resources import probes_dir
from lull.service.wiring.asking import World
from lull.service.wiring.own_models import BUILT_IN


class CurriculumByModel:
    """Implements `core.ports.Curriculum`: the toy language draws its own, any other model's comes
    from the user's past."""

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


def curriculum_of(world: World) -> CurriculumByModel:
    past = PastCurriculum(world.stores.rewards, library=world.library, canaries=shipped_probes)
    return CurriculumByModel(past, PocketCurriculum())


@lru_cache(maxsize=1)
def shipped_probes() -> tuple[Probe, ...]:
    """Raises ResourceError."""
    files = sorted(probes_dir().glob("*.json"))
    return tuple(one for file in files for one in probes_from(json.loads(file.read_text("utf-8"))))
