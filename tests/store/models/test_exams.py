"""Tests of the table of exam results: a result counts for one build of a model and one exam."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lull.core.models.exam import ExamMark, ExamResult, ModelRole
from lull.store.models.exams import Exams
from tests.building import opened

AT = datetime(2026, 11, 23, 3, tzinfo=UTC)
UNDER_WAY = ExamResult(
    model="any:latest",
    digest="a" * 64,
    role=ModelRole.JUDGE,
    exam="exam 1",
    marks=(ExamMark(item="item 1", right=True, kept=True),),
    at=AT,
)


@pytest.fixture
def exams(tmp_path: Path) -> Iterator[Exams]:
    with opened(tmp_path / "lull.db") as database:
        yield Exams(database)


async def test_a_result_comes_back_and_what_came_later_replaces_it(exams: Exams) -> None:
    await exams.put(UNDER_WAY)
    assert exams.all() == (UNDER_WAY,)
    passed = replace(
        UNDER_WAY, passed=True, score=0.9, low=0.8, high=0.95, sensitivity=0.9, specificity=0.85
    )
    await exams.put(passed)
    assert exams.all() == (passed,)


@pytest.mark.parametrize("change", [{"digest": "b" * 64}, {"exam": "exam 2"}])
async def test_with_a_new_build_or_a_new_exam_the_old_result_goes(
    exams: Exams, change: dict[str, str]
) -> None:
    other_role = replace(UNDER_WAY, role=ModelRole.WRITER, at=AT - timedelta(days=1))
    await exams.put(other_role)
    await exams.put(UNDER_WAY)
    anew = replace(UNDER_WAY, at=AT + timedelta(days=1), **change)  # type: ignore[arg-type]
    await exams.put(anew)
    assert exams.all() == (other_role, anew)


async def test_a_model_is_one_whether_or_not_its_usual_tag_is_named(exams: Exams) -> None:
    await exams.put(UNDER_WAY)
    await exams.put(replace(UNDER_WAY, model="any"))
    assert [result.model for result in exams.all()] == ["any"]
