"""Tests of the reason why no training run can be made yet: it reads well with any numbers."""

from __future__ import annotations

from lull.loops.training.next_step import NothingToDo
from tests.loops.night_house import NightHouse


async def test_what_is_missing_is_told_in_numbers_that_need_no_plural(house: NightHouse) -> None:
    next_step = await house.does(0)
    assert isinstance(next_step, NothingToDo)
    assert next_step.text.startswith("Not enough to train on yet. Scored answers so far: 0. ")
    assert "Requests whose answers Lull can score: 0 of 0. " in next_step.text
    assert "Ratings to train on: 0 good, 0 bad; 64 are needed, at least 20 of each. " in (
        next_step.text
    )
    assert "Ratings still missing: at least 84." in next_step.text
