"""What tests of nights of training share: the run that is to be trained, verdicts and groups."""

from __future__ import annotations

from lull.core.adapters.gate_report import GateCheck, Verdict
from lull.core.training.rollout import GroupState, SampledPolicy
from lull.loops.training.next_step import (
    NextStep,
    NothingToDo,
    Task,
)
from lull.loops.training.work.trainer_work import TrainerWork
from tests.building import FACTS
from tests.doubles.fakes import FakeClock
from tests.loops.night_house import (
    NightHouse,
)

BASE = SampledPolicy(base=FACTS.digest, adapter="")


def verdict(*, accepted: bool) -> Verdict:
    why = GateCheck(name="target", holds=accepted, text="Nine of ten answers are better.")
    return Verdict(accepted=accepted, at=FakeClock().now(), against=None, checks=(why,))


def groups(house: NightHouse, *states: GroupState) -> int:
    wanted = states or tuple(GroupState)
    return len(house.training.groups(BASE, states=wanted, unused=False))


def taken(house: NightHouse) -> set[str]:
    """Ids of the runs that hold groups, which no other run can have."""
    all_ = house.training.groups(BASE, states=tuple(GroupState), unused=False)
    assert all_
    return {group.run for group in all_ if group.run}


def stuck(next_step: NextStep) -> bool:
    return isinstance(next_step, NothingToDo) and next_step.stuck


async def to_train(house: NightHouse) -> TrainerWork:
    """Bring the loop to a run that is to be trained, and return its work."""
    await house.menus(12)
    for _ in range(12):
        next_step = await house.job.search_now()
        (work,) = house.job.works()
        if next_step.task is Task.TRAIN:
            assert isinstance(work, TrainerWork)
            return work
        await work.run_slice(house.clock.monotonic_s() + 30)
    raise AssertionError(next_step)
