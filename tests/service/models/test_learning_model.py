"""Tests of choosing another model to learn: it takes effect at once.

The last model still finishes the answers that it has begun.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from lull.backends.mlx.weight_folders import ModelFolders
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.config.training import TrainingSettings
from lull.core.errors import ResourceError
from lull.core.models.engine import EngineStatus
from lull.core.models.weight_form import WeightForm
from lull.resources import pocket_dir
from lull.service.adapters.reloads import AdapterReloads
from lull.service.builtin.model import EngineModels
from lull.service.builtin.routes import AnsweredByEngine
from lull.service.models.learning_model import LearningModel
from lull.service.wiring.base.own_models import SHIPPED
from lull.service.wiring.learning.trainable import ModelsOfFolders
from tests.doubles.fakes import FakeClock
from tests.eventually import until


def learns(name: str) -> Settings:
    return Settings(training=TrainingSettings(model=name))


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    made = Paths(home=tmp_path / "home", temporary=tmp_path)
    made.prepare()
    return made


@pytest.fixture
def local() -> EngineModels:
    return EngineModels(clock=FakeClock())


@pytest.fixture
async def learner(paths: Paths, local: EngineModels) -> AsyncIterator[LearningModel]:
    made = LearningModel(
        ModelsOfFolders(paths, AdapterReloads()), local, built_in=SHIPPED, leave_s=0.01
    )
    yield made
    await made.close()


@pytest.fixture
def other(paths: Paths, tmp_path: Path) -> str:
    """The name of a second model, made ready from a copy of the toy model's MLX weights."""
    folders = ModelFolders(paths.models)
    return folders.adopt(folders.inspect(shutil.copytree(pocket_dir(), tmp_path / "Other")))


async def gone(local: EngineModels, name: str) -> None:
    await until(lambda: not local.serves(name))


async def test_a_choice_holds_at_once_and_is_taken_up_once(
    learner: LearningModel, local: EngineModels, other: str
) -> None:
    assert await learner.follow(learns("pocket")) and learner.chosen is None
    assert await learner.follow(learns(other))
    assert local.served(other).answers is AnsweredByEngine.ALL
    engine = local.served(other).engine
    assert not await learner.follow(learns(other))
    assert local.served(other).engine is engine


async def test_a_model_that_ships_is_left_to_its_own_engine_whatever_lies_in_the_folder(
    learner: LearningModel, local: EngineModels, paths: Paths, tmp_path: Path
) -> None:
    folders = ModelFolders(paths.models)
    folders.adopt(folders.inspect(shutil.copytree(pocket_dir(), tmp_path / "Other")))
    (facts,) = paths.models.glob("*/lull.json")
    facts.write_text(facts.read_text("utf-8").replace("other-mlx", "pocket"), "utf-8")
    assert folders.found("pocket", WeightForm.F32) is not None
    for name in ("pocket", "Pocket:latest"):
        await learner.follow(learns(name))
        assert learner.chosen is None and not local.serves(name)


async def test_no_new_request_comes_to_the_last_one_which_is_then_let_go_of(
    learner: LearningModel, local: EngineModels, other: str
) -> None:
    await learner.follow(learns(other))
    await learner.follow(learns("pocket"))
    assert learner.chosen is None
    assert local.served(other).answers is AnsweredByEngine.NONE and not local.only_lull_serves(
        other
    )
    await gone(local, other)


async def test_the_last_one_stays_until_it_has_given_its_last_answer(
    learner: LearningModel, local: EngineModels, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await learner.follow(learns(other))
    assert learner.chosen is not None
    engine = learner.chosen.engine
    idle = await engine.status()
    said: list[EngineStatus] = []

    async def answering() -> EngineStatus:
        said.append(replace(idle, in_flight=int(len(said) < 5)))
        return said[-1]

    monkeypatch.setattr(type(engine), "pid", 1)
    monkeypatch.setattr(engine, "status", answering)
    await learner.follow(learns("pocket"))
    while len(said) < 5:
        assert local.serves(other)
        await asyncio.sleep(0.01)
    await gone(local, other)


async def test_chosen_again_while_it_is_being_let_go_of_it_answers_again(
    learner: LearningModel, local: EngineModels, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await learner.follow(learns(other))
    assert learner.chosen is not None
    let_go = asyncio.Event()

    async def close() -> None:
        let_go.set()

    monkeypatch.setattr(learner.chosen.engine, "close", close)
    for name in ("pocket", other):
        await learner.follow(learns(name))
    before = local.served(other)
    await let_go.wait()
    assert local.served(other).engine is before.engine
    assert local.served(other).answers is AnsweredByEngine.ALL


async def test_what_was_not_made_ready_does_not_learn(
    learner: LearningModel, local: EngineModels
) -> None:
    assert await learner.follow(learns("qwen3:4b"))
    assert learner.chosen is None and not local.serves("qwen3:4b")


async def test_weights_that_went_bad_leave_nobody_learning(
    learner: LearningModel, local: EngineModels, other: str, tmp_path: Path
) -> None:
    (tmp_path / "Other" / "config.json").write_text("{")
    with pytest.raises(ResourceError):
        await learner.follow(learns(other))
    assert learner.chosen is None and not local.serves(other)
    shutil.copy(pocket_dir() / "config.json", tmp_path / "Other")
    assert await learner.follow(learns(other)) and local.serves(other)
