"""A result of an exam counts only for the prompts it was obtained with."""

from __future__ import annotations

from lull.backends.reader.exam_prompts import prompts_version
from lull.core.models.exam import ROLES, ModelRole


def test_each_role_has_a_version_of_its_own() -> None:
    assert len({prompts_version(role, votes=3, temperature=0.7) for role in ROLES}) == len(ROLES)


def test_how_often_and_how_warmly_a_judge_is_asked_changes_its_exam_alone() -> None:
    for role in ROLES:
        versions = {
            prompts_version(role, votes=votes, temperature=temperature)
            for votes, temperature in ((3, 0.7), (5, 0.7), (3, 0.2))
        }
        assert len(versions) == (3 if role is ModelRole.JUDGE else 1)
