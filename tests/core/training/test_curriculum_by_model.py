"""Tests of extra training requests: they come from a model's own source or the user's past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.canary import CanaryTask
from lull.core.chat.messages import Message
from lull.core.training.curriculum_by_model import CurriculumByModel


@dataclass
class NamedCurriculum:
    """Fake curriculum that gives its own name as every subject and as every fresh request."""

    name: str

    def canaries(self, version: AdapterVersion) -> Sequence[CanaryTask]:
        return ()

    def subject(self, model: str, asked: str) -> str:
        return self.name

    def fresh_requests(self, model: str, words: str, count: int) -> Sequence[str]:
        return [self.name] * count

    def anchors(
        self, model: str, count: int, with_skills: bool, about: str
    ) -> Sequence[tuple[Message, ...]]:
        return ()


def test_a_model_with_a_source_of_its_own_gets_it_under_any_spelling_of_its_name() -> None:
    made = CurriculumByModel(NamedCurriculum("past"), {"pocket": NamedCurriculum("toy")})
    assert [made.subject(name, "") for name in ("pocket", "pocket:latest")] == ["toy", "toy"]
    assert made.fresh_requests("pocket", "", 2) == ["toy", "toy"]


def test_every_other_model_gets_the_users_past() -> None:
    made = CurriculumByModel(NamedCurriculum("past"), {"pocket": NamedCurriculum("toy")})
    assert made.subject("qwen3:4b", "") == "past"
