"""Tests of the models on which past requests are replayed: how many pairs each answers at once."""

from __future__ import annotations

import aiohttp
import pytest

from lull.config.settings import EngineSettings, Settings
from lull.core.adapters.model_facts import ModelFacts
from lull.service.builtin.model import EngineModels, ServedModel
from lull.service.models.replay_targets import ReplayTargets
from lull.service.wiring.learning.asking import ModelsByBackends
from tests.building import FACTS
from tests.doubles.fakes import FakeClock
from tests.service.builtin.scripted import ScriptedEngine, pocket


class OneModel:
    """A stand-in for an Ollama with one model."""

    def facts(self, _: str) -> ModelFacts:
        return FACTS

    def known(self, _: str) -> ModelFacts | None:
        return FACTS

    def digests(self) -> dict[str, str]:
        return {"near:1b": FACTS.digest}


@pytest.mark.parametrize(
    ("model", "max_batch", "pairs"),
    [("pocket", 16, 4), ("pocket", 5, 2), ("pocket", 1, 1), ("near:1b", 16, 1)],
)
async def test_only_lulls_own_engine_answers_several_pairs_and_never_more_than_its_setting(
    model: str, max_batch: int, pairs: int
) -> None:
    local = EngineModels(clock=FakeClock())
    local.publish(ServedModel(model=pocket(), engine=ScriptedEngine()))
    async with aiohttp.ClientSession() as session:
        targets = ReplayTargets(
            ModelsByBackends("http://127.0.0.1:1", session),
            lambda: Settings(engine=EngineSettings(max_batch=max_batch)),
            local=local,
            ollama=OneModel(),
            places={},
        )
        target = await targets.open_target(model)
        await targets.close()
    assert target is not None
    assert target.pairs_at_once == pairs
