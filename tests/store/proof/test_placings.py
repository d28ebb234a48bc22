"""Tests of the table that says where in a prompt each model obeys skills best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lull.core.proof.placing import PlacingMark, PlacingResult
from lull.core.skills.prompt_block import Placement
from lull.store.proof.placings import Placings
from tests.building import opened

AT = datetime(2026, 11, 23, 3, tzinfo=UTC)
PLACES = list(Placement)
UNDER_WAY = PlacingResult(
    model="any",
    digest="a" * 64,
    sheet="sheet 1",
    marks=(
        PlacingMark(case="case 1", place=PLACES[0], kept=2),
        PlacingMark(case="case 1", place=PLACES[1], kept=None),
    ),
    at=AT,
)


@pytest.fixture
def placings(tmp_path: Path) -> Iterator[Placings]:
    with opened(tmp_path / "lull.db") as database:
        yield Placings(database)


async def test_a_measurement_goes_on_where_it_was_and_ends_in_one_row(placings: Placings) -> None:
    await placings.put(UNDER_WAY)
    assert placings.all() == (UNDER_WAY,)
    done = replace(UNDER_WAY, place=PLACES[1], why="It kept more rules there.")
    await placings.put(done)
    assert placings.all() == (done,)


async def test_each_model_has_its_own_place_and_the_oldest_comes_first(placings: Placings) -> None:
    other = replace(UNDER_WAY, digest="b" * 64, at=AT - timedelta(days=1))
    await placings.put(UNDER_WAY)
    await placings.put(other)
    assert placings.all() == (other, UNDER_WAY)
    with_other_cases = replace(UNDER_WAY, sheet="sheet 2", marks=())
    await placings.put(with_other_cases)
    assert placings.all() == (other, with_other_cases)
