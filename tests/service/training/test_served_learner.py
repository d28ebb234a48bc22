"""Tests of finding the model to train, which needs Lull's own engine to serve it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.service.builtin.model import EngineModels
from lull.service.builtin.routes import ServedModel
from lull.service.training.served_learner import ServedLearner
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.sqlite.database import Database
from tests.building import database_at
from tests.doubles.fake_engine import FakeEngine
from tests.doubles.fakes import FakeClock
from tests.service.builtin.scripted import pocket


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = database_at(tmp_path / "lull.db")
    yield opened
    opened.close()


def learner(database: Database, home: Path, *served: ServedModel) -> ServedLearner:
    local = EngineModels(clock=FakeClock())
    for one in served:
        local.publish(one)
    return ServedLearner(
        model=lambda: "pocket",
        local=local,
        places={},
        adapters=Adapters(database),
        files=AdapterFiles(home / "adapters"),
    )


async def test_a_model_whose_weights_are_missing_does_not_learn_and_it_is_said_why(
    database: Database, tmp_path: Path
) -> None:
    made = learner(database, tmp_path)
    assert await made() is None
    assert "`lull model choose pocket`" in made.why_none()


async def test_a_served_model_learns_from_the_adapter_that_answers(
    database: Database, tmp_path: Path
) -> None:
    engine, now = FakeEngine(), FakeClock().now()
    made = learner(
        database, tmp_path, ServedModel(model=pocket(), engine=engine, adapter="sha of a")
    )
    version = AdapterVersion(
        id="a",
        parent=None,
        base_model="pocket",
        base_digest="sha256:base",
        sha256="sha of a",
        run="run_a",
        status=AdapterStatus.CANDIDATE,
        made=now,
    )
    await made.adapters.add(version)
    await made.adapters.promote("a", at=now, why="better")
    found = await made()
    assert found is not None and found.engine is engine
    assert found.adapter == "sha of a" and found.adapter_folder == str(made.files.folder("a"))
