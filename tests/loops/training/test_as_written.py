"""Tests of adapters that are not what their trainer wrote: refused, said once, and trained anew."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.errors import AdapterError
from lull.core.training.record import Run, RunStatus
from lull.core.training.rollout import GroupState
from lull.loops.training.decide_step import engine_adapter_name
from lull.loops.training.next_step import (
    JudgingStep,
    MakingStep,
    NothingToDo,
    TrainRule,
    run_of,
)
from lull.store.adapters.adapter_files import ADAPTER_FILES, UnreadableAdapter, fingerprint
from tests.damage import damage_record
from tests.loops.night_house import NightHouse
from tests.loops.training.nights import BASE
from tests.loops.training.test_failing_gate import to_test, trained

pytestmark = [pytest.mark.slow, pytest.mark.logs("is not what its trainer wrote")]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[NightHouse]:
    made = NightHouse(tmp_path)
    yield made
    await made.job.close()
    await asyncio.to_thread(made.database.close)


async def to_the_next_round(house: NightHouse) -> Run:
    """Bring the loop to a trained run from which the next round is to be made."""
    house.training_rule = replace(TrainRule(), groups_a_run=4, groups_at_least=1, rounds=3)
    run = await trained(house)
    for _ in range(40):
        step = await house.does(0)
        if isinstance(step, MakingStep):
            break
        await house.does()
    assert isinstance(step, MakingStep) and run_of(step) == house.training.get(run.id)
    return run


async def refused(house: NightHouse, run: Run) -> None:
    """Test a run's adapter once, and look at what became of it."""
    assert isinstance(await house.job.search_now(), JudgingStep)
    (work,) = house.job.works()
    with pytest.raises(AdapterError, match="not what its training wrote"):
        await work.run_slice(house.clock.monotonic_s() + 30)
    await work.run_slice(house.clock.monotonic_s() + 30)  # a try more finds nothing to do
    ended = house.training.get(run.id)
    assert ended.status is RunStatus.FAILED and "changed outside of Lull" in ended.why
    assert house.gate.brought == [] and house.gate.considered == []
    step = await house.job.search_now()
    assert run_of(step) is None and not isinstance(step, JudgingStep)
    assert house.job.trouble is not None and "changed outside" in house.job.trouble.detail
    used = house.training.groups(BASE, states=tuple(GroupState), unused=False)
    assert used and all(group.run is None for group in used), "its material may be used again"


@pytest.mark.parametrize("name", ADAPTER_FILES)
async def test_other_bytes_than_the_trainer_wrote_are_refused_once(
    house: NightHouse, name: str
) -> None:
    run = await to_test(house)
    folder = house.folders.adapter(run.id)
    assert house.training.written_adapter(run.id) == fingerprint(folder)
    await house.training.change(run.id, lambda now: now, wrote=fingerprint(folder))
    assert house.training.written_adapter(run.id) == fingerprint(folder), "said twice"
    (folder / name).write_bytes(b"others")
    await refused(house, run)


@pytest.mark.parametrize("how", ["damaged", "removed", "another", "a run that never was"])
async def test_what_no_record_of_lulls_vouches_for_is_refused_too(
    house: NightHouse, how: str
) -> None:
    run = await to_test(house)
    weights = house.folders.adapter(run.id) / ADAPTER_FILES[0]
    weights.write_bytes(b"others")
    evil = fingerprint(weights.parent)
    seals = "part = 'trained_adapters'"
    if how == "damaged":
        await house.database.write(lambda c: damage_record(c, "trained_adapters", run.id))
    elif how == "removed":
        await house.database.write(lambda c: c.execute("DELETE FROM trained_adapters"))
        await house.database.write(lambda c: c.execute(f"DELETE FROM row_seals WHERE {seals}"))
    elif how == "another":
        await house.database.write(
            lambda c: c.execute("UPDATE trained_adapters SET sha256 = ?", (evil,))
        )
    else:
        shutil.copytree(house.folders.folder(run.id), house.folders.folder("run_evil"))
        await house.database.write(
            lambda c: c.execute(
                "INSERT INTO runs SELECT 'run_evil', kind, status, why, made_at, changed_at, model,"
                " base, root, parent, adapter, fields FROM runs"
            )
        )
        await house.job.cancel(run.id)
        run = replace(run, id="run_evil")
    await refused(house, run)


async def test_no_round_goes_on_from_other_bytes(house: NightHouse) -> None:
    run = await to_the_next_round(house)
    (house.folders.adapter(run.id) / ADAPTER_FILES[0]).write_bytes(b"others")
    (work,) = house.job.works()
    await work.run_slice(house.clock.monotonic_s() + 30)
    assert house.training.get(run.id).status is RunStatus.FAILED
    assert all(one.parent != run.id for one in house.training.runs())
    assert run_of(await house.job.search_now()) is None


@pytest.mark.parametrize("ends", ["readable again", "given up"])
async def test_a_round_whose_adapter_stays_unreadable_is_tried_three_times_and_then_said(
    house: NightHouse, ends: str
) -> None:
    run = await to_the_next_round(house)
    weights = house.folders.adapter(run.id) / ADAPTER_FILES[0]
    aside = weights.rename(weights.with_name("aside"))
    weights.symlink_to(house.folders.root / "disk" / "away")
    for _ in range(3):
        assert isinstance(await house.does(0), MakingStep)
        (work,) = house.job.works()
        with pytest.raises(UnreadableAdapter):
            await work.run_slice(house.clock.monotonic_s() + 30)
    stuck = house.training.get(run.id)
    assert stuck.status is RunStatus.STUCK
    for words in ("3 times", "cannot be read now", "train now", f"lull train cancel {run.id}"):
        assert words in stuck.why
    assert await house.does(2) == NothingToDo(text=stuck.why, stuck=True)
    if ends == "given up":
        await house.job.cancel(run.id)
        assert run_of(await house.job.search_now()) is None, "others are held up"
        return
    weights.unlink()
    aside.rename(weights)
    await house.job.train_now()
    assert isinstance(await house.does(0), MakingStep)
    await house.does()
    assert house.training.get(run.id).status is RunStatus.CONTINUED
    assert [one.parent for one in house.training.runs() if one.id != run.id] == [run.id]
    assert len(house.trainer.runs) == 1, "it was trained again"


async def test_none_is_sampled_from_other_bytes(house: NightHouse) -> None:
    house.training_rule = replace(TrainRule(), groups_a_run=4, groups_at_least=1, rounds=3)
    run = await trained(house)
    await house.job.search_now()
    await house.engine.drop_adapter(engine_adapter_name(run.id))  # as after a start
    (house.folders.adapter(run.id) / ADAPTER_FILES[0]).write_bytes(b"others")
    await refused(house, run)


async def test_one_that_was_trained_before_this_was_recorded_is_tested(house: NightHouse) -> None:
    run = await to_test(house)
    await house.training.change(run.id, lambda now: now, wrote="")
    (work,) = house.job.works()
    await work.run_slice(house.clock.monotonic_s() + 30)
    assert [brought[0] for brought in house.gate.brought] == [run.id]
