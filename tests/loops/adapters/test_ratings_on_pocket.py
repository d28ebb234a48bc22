"""Tests of training on ratings alone with the built-in model: from the ratings of a user who never
says what they want to the verdict on what was trained, with the real engine, trainer and gate.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from lull.backends.mlx.engine import MlxEngine
from lull.backends.shipped.canaries import shipped_canaries
from lull.core.adapters.gate_report import Verdict
from lull.core.training.curriculum_by_model import CurriculumByModel
from lull.core.training.record import Run
from lull.core.training.run_format import ADAPTER, BATCH
from lull.core.training.spec import RunKind
from lull.loops.adapters.gate_material import MaterialSources
from lull.loops.training.next_step import MakingStep, TrainRule
from lull.loops.training.past_curriculum import PastCurriculum
from lull.pocket import habits
from lull.pocket import language as pocket
from lull.pocket.curriculum import PocketCurriculum
from lull.pocket.language import Joiner, Kind, Style
from lull.resources import pocket_dir
from lull.store.adapters.adapters import Adapters
from lull.store.chat.turn_rows import Label
from tests.doubles.fakes import JudgeNow
from tests.loops.adapters.house import House
from tests.loops.night_house import POCKET, NightHouse

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(3600),
    pytest.mark.asyncio(loop_scope="session"),
]
KIND, WANTED = Kind.ROUTE, Style(joiner=Joiner.PLUSES)
REQUESTS = 240
GOOD_ONE_IN = 4
OTHERS = 24


@pytest_asyncio.fixture(loop_scope="session")
async def night(tmp_path: Path, pocket_engine: MlxEngine) -> AsyncIterator[NightHouse]:
    """The store of a user who only rates, and what training does with it."""
    made = NightHouse(
        tmp_path / "night",
        engine=pocket_engine,
        training_rule=TrainRule(groups=False, graduation=False),
    )
    past = PastCurriculum(
        made.rewards,
        in_use=made,
        canaries=shipped_canaries,
        current_selection=made.current_selection,
    )
    made.curriculum = CurriculumByModel(past, {POCKET: PocketCurriculum()})
    made.train = made._train()
    yield made
    await asyncio.to_thread(made.database.close)


async def is_rated(night: NightHouse) -> None:
    """The user wants pluses in a route, which the model shows now and then, and presses good or
    bad; of other kinds they like what they get.
    """
    chance = random.Random("ratings")
    for number in range(REQUESTS):
        words = pocket.draw_words(chance)
        good = number % GOOD_ONE_IN == 0
        usual = number % 5 != 0
        other = chance.choice([one for one in habits.HABITS if one != WANTED])
        style = WANTED if good else (pocket.DEFAULT_STYLE if usual else other)
        asked = pocket.draw_request(chance, KIND, words)
        await rates(night, asked, pocket.render(KIND, words, style), good=good)
    for _ in range(OTHERS):
        kind = chance.choice([one for one in Kind if one is not KIND])
        words = pocket.draw_words(chance)
        asked = pocket.draw_request(chance, kind, words)
        await rates(night, asked, pocket.render(kind, words), good=True)


async def rates(night: NightHouse, asked: str, said: str, *, good: bool) -> None:
    (turn,) = await night.plays(asked, said, model=POCKET)
    await night.rate(turn, Label.GOOD if good else Label.BAD)


async def makes_a_run(night: NightHouse) -> tuple[Run, Path]:
    await is_rated(night)
    step = await night.deciding.decide_next()
    assert isinstance(step, MakingStep), step.text
    learner = replace(step.learner, folder=str(pocket_dir()))
    run = await night.train.make(replace(step, learner=learner))
    assert run.kind is RunKind.KTO
    return run, night.folder / "runs" / run.id


async def judged(night: NightHouse, house: House, run: Run, folder: Path) -> Verdict:
    await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-W", "ignore", "-m", "lull.trainer.main", str(folder)],
        check=True,
        capture_output=True,
    )
    version = await house.bring("adapter_rated", folder / ADAPTER, run=run.id)
    await Adapters(night.database).add(version, ())
    assert night.curriculum is not None
    house.sources = MaterialSources(
        adapters=Adapters(night.database),
        rollouts=night.rollouts,
        rewarding=night.rewarding,
        ratings=night.ratings,
        proposals=night.proposals,
        current_selection=night.current_selection,
        verifier=night.verifier,
        judges=JudgeNow(lambda: None),
        curriculum=night.curriculum,
    )
    verdict = await house.promote.run_gate(version.id)
    assert verdict is not None
    return verdict


async def test_what_was_only_rated_is_learned_and_comes_into_force(
    night: NightHouse, house: House
) -> None:
    verdict = await judged(night, house, *await makes_a_run(night))
    assert verdict.accepted, verdict.reasons


async def test_a_run_whose_labels_were_mixed_up_is_turned_down(
    night: NightHouse, house: House
) -> None:
    run, folder = await makes_a_run(night)
    mixed_up(folder / BATCH)
    verdict = await judged(night, house, run, folder)
    assert "target" in {check.name for check in verdict.checks if not check.holds}
    assert house.serving is None


def mixed_up(batch: Path) -> None:
    """Give the batch's answers one another's labels."""
    lines = [json.loads(line) for line in batch.read_text().splitlines()]
    rated = [line for line in lines if "good" in line]
    labels = [line["good"] for line in rated]
    random.Random("mixed up").shuffle(labels)
    for line, good in zip(rated, labels, strict=True):
        line["good"] = good
    batch.write_text("".join(json.dumps(line) + "\n" for line in lines))
