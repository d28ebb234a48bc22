"""Chooses for each model where to get additional requests with which its LoRA adapters are trained
and tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.canary import CanaryTask
from lull.core.chat.messages import Message
from lull.core.chat.model_name import canonical
from lull.core.training.ports import Curriculum


class CurriculumByModel:
    """Provides additional requests for training and testing LoRA adapters: from a source that was
    made for the model, if there is one, otherwise from the user's past requests. Implements
    `Curriculum`.
    """

    def __init__(self, past: Curriculum, own: Mapping[str, Curriculum]) -> None:
        """`past` draws on the user's past requests. `own` holds sources that were made for one
        model each, by the model's name.
        """
        self._past = past
        self._own = {canonical(name): one for name, one in own.items()}

    def _of(self, model: str) -> Curriculum:
        return self._own.get(canonical(model), self._past)

    def canaries(self, version: AdapterVersion) -> Sequence[CanaryTask]:
        return self._of(version.base_model).canaries(version)

    def subject(self, model: str, asked: str) -> str:
        return self._of(model).subject(model, asked)

    def fresh_requests(self, model: str, words: str, count: int) -> Sequence[str]:
        return self._of(model).fresh_requests(model, words, count)

    def anchors(
        self, model: str, count: int, with_skills: bool, about: str
    ) -> Sequence[tuple[Message, ...]]:
        return self._of(model).anchors(model, count, with_skills, about)
