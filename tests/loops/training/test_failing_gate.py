"""Tests of a trained run whose adapter cannot be tested: it is not tried again for ever."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.adapters.gate_report import GateCheck, Verdict
from lull.core.errors import (
    AdapterError,
    EngineDown,
    EngineError,
    LullError,
    StoreError,
    UpstreamDown,
    WeightsError,
)
from lull.core.training.record import Run, RunStatus
from lull.loops.training.next_step import JudgingStep, NothingToDo, TrainRule
from lull.store.adapters.adapter_files import UnreadableAdapter
from tests.doubles.fake_engine import FakeEngine
from tests.doubles.fakes import FakeClock
from tests.loops.night_house import NightHouse, now_and_then, says_menus

pytestmark = pytest.mark.slow

PASSED = Verdict(
    accepted=True,
    checks=(GateCheck(name="target", holds=True, text="Better."),),
    at=FakeClock().now(),
    against=None,
)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[NightHouse]:
    made = NightHouse(tmp_path)
    yield made
    await made.job.close()
    await asyncio.to_thread(made.database.close)


async def trained(house: NightHouse) -> Run:
    """Bring the loop to a run that is trained and not yet tested."""
    await house.menus(14)
    for _ in range(20):
        await house.job.search_now()
        if found := house.training.runs({RunStatus.TRAINED}):
            return found[0]
        (work,) = house.job.works()
        await work.run_slice(house.clock.monotonic_s() + 30)
    raise AssertionError(house.training.runs())


async def to_test(house: NightHouse) -> Run:
    """Bring the loop to a run that is trained and is to be tested next."""
    run = await trained(house)
    for _ in range(20):
        if isinstance(await house.does(0), JudgingStep):
            return run
        await house.does()
    raise AssertionError(house.training.runs())


async def fails(house: NightHouse, times: int, words: str) -> None:
    """Try the test this many times, as one that fails is tried again when it has rested."""
    for _ in range(times):
        assert isinstance(await house.job.search_now(), JudgingStep)
        (work,) = house.job.works()
        with pytest.raises(LullError, match=words):
            await work.run_slice(house.clock.monotonic_s() + 30)


@pytest.mark.parametrize(
    "error",
    [
        WeightsError("The copy may not answer."),
        AdapterError("adapter_1 cannot be used: It is damaged."),
        EngineError("The adapter cannot be loaded."),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_a_test_that_fails_three_times_waits_for_the_users_word(
    house: NightHouse, error: LullError
) -> None:
    run = await to_test(house)
    house.gate.verdicts = [error] * 3
    await fails(house, 3, error.detail)
    stuck = house.training.get(run.id)
    assert stuck.status is RunStatus.STUCK
    for words in ("failed 3 times", error.detail, "train now", f"lull train cancel {run.id}"):
        assert words in stuck.why
    assert await house.does(3) == NothingToDo(text=stuck.why, stuck=True)
    assert len(house.gate.considered) == 3

    house.gate.verdicts = [error, error, PASSED]
    await house.job.train_now()
    await fails(house, 2, error.detail)
    await house.does()
    assert house.training.get(run.id).status is RunStatus.PROMOTED
    assert len(house.trainer.runs) == 1, "it was trained again"


async def test_one_whose_adapter_cannot_be_stored_waits_too_and_is_given_up_by_a_word(
    house: NightHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> str:
        raise StoreError("The adapter cannot be kept: the disk is full.")

    run = await to_test(house)
    with monkeypatch.context() as patch:
        patch.setattr(house.gate, "store_run_adapter", full)
        await fails(house, 3, "disk is full")
    assert house.training.get(run.id).status is RunStatus.STUCK
    await house.job.cancel(run.id)
    step = await house.job.search_now()
    assert isinstance(step, NothingToDo) and not step.stuck, "others may be trained"


async def test_tests_that_fail_now_and_then_come_to_their_end(house: NightHouse) -> None:
    run = await to_test(house)
    for _ in range(4):
        house.gate.verdicts += [EngineError("It ended.")]
        await fails(house, 1, "It ended")
        house.gate.verdicts += [None, EngineError("It ended.")]
        await fails(house, 1, "It ended")
        house.gate.verdicts += [None, EngineDown("Not now.")]
        await fails(house, 1, "Not now")
    house.gate.verdicts = [PASSED]
    await house.does()
    assert house.training.get(run.id).status is RunStatus.PROMOTED


async def test_what_passes_by_itself_counts_as_no_failed_test(
    house: NightHouse,
) -> None:
    wrapped = AdapterError("adapter_1 cannot be used: Ollama does not answer.")
    wrapped.__cause__ = UpstreamDown("Ollama does not answer.")
    run = await to_test(house)
    unreadable = UnreadableAdapter("No answer of the disk.")
    passing = [EngineDown("No answer."), UpstreamDown("No answer."), wrapped, unreadable]
    house.gate.verdicts = [*passing * 2, unreadable]
    await fails(house, 9, "answer")
    assert house.training.get(run.id).status is RunStatus.JUDGING
    house.gate.verdicts = [PASSED]
    await house.does()
    assert house.training.get(run.id).status is RunStatus.PROMOTED


async def test_a_trained_run_without_its_adapter_is_out_of_date(house: NightHouse) -> None:
    run = await trained(house)
    shutil.rmtree(house.folders.adapter(run.id))
    step = await house.job.search_now()
    gone = house.training.get(run.id)
    assert gone.status is RunStatus.SUPERSEDED and "adapter" in gone.why
    assert not isinstance(step, JudgingStep | NothingToDo), "others are not held up"


@pytest.mark.parametrize("away", ["folder", "disk"])
async def test_a_trained_run_whose_folder_is_out_of_reach_for_a_while_is_tested_later(
    house: NightHouse, away: str
) -> None:
    run = await to_test(house)
    place = house.folders.root if away == "disk" else house.folders.folder(run.id)
    aside = place.rename(place.with_name("aside"))
    # A fault of the system, to root as well, or a link to another disk that is not there.
    place.symlink_to(place if away == "folder" else place.with_name("disk") / "runs")
    await house.job.search_now()
    assert house.training.get(run.id).status is RunStatus.TRAINED
    place.unlink()
    aside.rename(place)
    assert isinstance(await house.does(0), JudgingStep)


class Refusing(FakeEngine):
    """An engine that can load no adapter, as one that finds each of them cut short."""

    async def load_adapter(self, version: str, folder: str) -> None:
        raise EngineError(f"{folder} cannot be loaded.")


async def test_rounds_whose_adapter_cannot_be_loaded_end_with_its_test(house: NightHouse) -> None:
    house.training_rule = replace(TrainRule(), groups_a_run=4, groups_at_least=1, rounds=3)
    house.engine = Refusing(says_menus(now_and_then))
    run = await trained(house)
    house.gate.verdicts = [PASSED]
    assert isinstance(await house.job.search_now(), JudgingStep)
    await house.does()
    assert house.training.get(run.id).status is RunStatus.PROMOTED
