"""Tests of which model learns by itself: how it is chosen, remembered, and made ready in lulls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lull.core.chat.trajectory import Selection
from lull.core.errors import LullError, UpstreamDown, WeightsError
from lull.core.models.most_used_model import COUNTED_PERIOD, ModelUse
from lull.loops.models.auto_learner import (
    AWAY_S,
    DAY_S,
    SOON_S,
    AutoLearner,
    LearnerPreparation,
    WeightPreparation,
)
from lull.loops.models.choose_model import ModelListing
from lull.store.chat.trajectories import Trajectories
from lull.store.sqlite.database import Database
from lull.store.sqlite.named_texts import NamedTexts
from tests.building import KEY, database_at, turn, user
from tests.core.models.test_exams import HERE
from tests.doubles.fakes import FakeClock
from tests.eventually import PATIENCE_S, stands, until


@dataclass
class House:
    database: Database
    clock: FakeClock = field(default_factory=FakeClock)
    there: ModelListing = field(default_factory=lambda: ModelListing(models=HERE))
    talked: list[ModelUse] = field(default_factory=list)
    ready: set[str] = field(default_factory=set)
    asked_since: datetime | None = None
    auto: bool = True
    made: list[str] = field(default_factory=list)
    """The models whose weights were asked for."""
    breaks: LullError | None = None
    """What the making of weights fails with; None while it works."""
    made_ready: asyncio.Event = field(default_factory=asyncio.Event)

    def answer_counts(self, since: datetime) -> list[ModelUse]:
        self.asked_since = since
        return self.talked

    async def list(self) -> ModelListing:
        return self.there

    def is_prepared(self, name: str) -> bool:
        return name in self.ready

    async def choose(self, name: str) -> None:
        self.made.append(name)
        if self.breaks is not None:
            raise self.breaks

    def open(self) -> AutoLearner:
        return AutoLearner(
            NamedTexts(self.database),
            uses=self,
            models=self,
            clock=self.clock,
            built_in=("pocket", "toy"),
        )

    def preparation(self, auto: AutoLearner) -> LearnerPreparation:
        return LearnerPreparation(auto, models=self, setting=self, clock=self.clock)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    database = database_at(tmp_path / "lull.db")
    yield House(database)
    database.close()


SAID = ModelUse(model="a", turns=3, last=datetime(2026, 11, 20, tzinfo=UTC))


async def test_the_built_in_model_learns_until_another_is_talked_to(house: House) -> None:
    auto = house.open()
    assert auto.choice.model == "pocket"
    assert await auto.choose_again() == SOON_S
    house.talked = [SAID]
    assert await auto.choose_again() == DAY_S
    assert (auto.choice.model, auto.is_ready) == ("a", False)
    assert house.asked_since == house.clock.now() - COUNTED_PERIOD


async def test_of_the_models_that_ship_the_one_talked_to_last_learns(house: House) -> None:
    auto = house.open()
    await auto.update_built_in_choice()
    assert auto.choice.model == "pocket"
    house.talked = [ModelUse(model="toy:latest", turns=1, last=SAID.last)]
    house.there = ModelListing(models=(), problem=UpstreamDown("Nobody is there."))
    await auto.update_built_in_choice()
    assert (auto.choice.model, auto.is_ready) == ("toy", True)
    assert house.open().choice.model == "toy"
    newer = ModelUse(model="pocket", turns=1, last=SAID.last + timedelta(minutes=1))
    house.talked.append(newer)
    await auto.update_built_in_choice()
    assert auto.choice.model == "pocket"


async def test_a_look_at_the_talk_leaves_a_model_of_the_users_alone(house: House) -> None:
    house.talked, auto = [SAID], house.open()
    await auto.choose_again()
    house.talked = [ModelUse(model="toy", turns=9, last=SAID.last + timedelta(days=1))]
    await auto.update_built_in_choice()
    assert auto.choice.model == "a"


async def test_what_it_meant_is_remembered_also_while_ollama_is_away(house: House) -> None:
    house.talked = [SAID]
    await house.open().choose_again()
    house.there = ModelListing(models=(), problem=UpstreamDown("Nobody is there."))
    again = house.open()
    assert again.choice.model == "a"
    assert await again.choose_again() == AWAY_S
    assert again.choice.model == "a"


async def test_its_weights_are_made_in_a_lull_and_then_no_more(house: House) -> None:
    house.talked, auto = [SAID], house.open()
    await auto.choose_again()
    preparation = house.preparation(auto)
    (work,) = preparation.works()
    assert work.text == "Making a ready to learn" and not house.made_ready.is_set()
    await work.run_slice(house.clock.monotonic_s() + 30.0)
    assert house.made == ["a"] and house.made_ready.is_set() and preparation.works() == []


async def test_no_weights_are_made_where_the_user_chose_the_model(house: House) -> None:
    house.talked, auto = [SAID], house.open()
    await auto.choose_again()
    house.auto = False
    assert house.preparation(auto).works() == []


async def test_weights_that_cannot_be_made_are_said_and_tried_again(house: House) -> None:
    house.talked, auto = [SAID], house.open()
    house.breaks = WeightsError("The disk is full.")
    await auto.choose_again()
    (work,) = house.preparation(auto).works()
    with pytest.raises(WeightsError):
        await work.run_slice(house.clock.monotonic_s() + 30.0)
    assert not auto.is_ready and not house.made_ready.is_set()


async def test_making_them_stops_when_somebody_comes_and_goes_on_later(house: House) -> None:
    tries, stopped, go_on = [], asyncio.Event(), asyncio.Event()

    async def make(model: str) -> None:
        tries.append(model)
        try:
            await go_on.wait()
        except asyncio.CancelledError:
            stopped.set()
            raise

    work = WeightPreparation("a", make=make, clock=house.clock)
    running = asyncio.create_task(work.run_slice(house.clock.monotonic_s() + 30.0))
    await until(lambda: tries)
    await work.suspend()
    await stopped.wait()
    await stands()
    assert tries == ["a"] and not running.done()
    go_on.set()
    await work.resume()
    async with asyncio.timeout(PATIENCE_S):
        await running
    assert tries == ["a", "a"]
    await work.give_back_memory()


def test_answers_are_counted_by_model_since_a_day(tmp_path: Path) -> None:
    database, clock = database_at(tmp_path / "lull.db"), FakeClock()
    trajectories = Trajectories(database, key=KEY)
    for number in range(3):
        one = turn(user(f"q{number}"), turn_id=f"t{number}", trajectory=f"c{number}", clock=clock)
        trajectories.record(one, session="", selection=Selection())
        clock.advance(86_400)
    database.flush()
    (found,) = trajectories.answer_counts(clock.now() - timedelta(days=2, hours=1))
    assert (found.model, found.turns) == ("llama3.2", 2)
    assert found.last == clock.now() - timedelta(days=1)
    database.close()
