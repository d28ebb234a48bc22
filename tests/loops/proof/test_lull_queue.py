"""Tests of the queue of work for lulls: its order is that in which users wait for the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from lull.core.idle.scheduling import LullWork
from lull.core.skills.skill import SkillKey
from lull.loops.proof.lull_queue import LullQueue
from lull.loops.proof.measure_placing import MeasurePlacing, WaitingPlacing
from lull.loops.proof.measure_use import MeasureUse, WaitingUse
from lull.loops.proof.proof_work import PAIR_S, PairTimes, ProofWork
from lull.loops.proof.prove import WaitingProof
from tests.doubles.fakes import FakeClock

CLOCK = FakeClock()
LISTS = SkillKey("", "lists")


@dataclass
class Lent:
    said: list[str] = field(default_factory=list)

    async def note_loaded(self) -> None:
        self.said.append("borrow")

    async def unload_own(self) -> None:
        self.said.append("give back")


class Waits:
    """Stands in for every kind of work for a lull, with one piece of each waiting."""

    def __init__(self) -> None:
        self.done: list[object] = []

    def waiting(self) -> list[WaitingProof]:
        return [WaitingProof(proposal="prop_1", name="menus", pairs=3, most_pairs=60)]

    async def prove_in_lull(self, proposal: str) -> int:
        self.done.append(proposal)
        return 0

    async def measure_in_lull(self, skill: SkillKey) -> int:
        self.done.append(skill)
        return 0


class Uses:
    def waiting(self) -> list[WaitingUse]:
        return [WaitingUse(LISTS, 4)]


class Placings:
    def waiting(self) -> list[WaitingPlacing]:
        return [WaitingPlacing("llama3.2", "digest", 1, 6)]

    async def slice(self, model: str) -> int:
        return 0


class Waiting:
    def __init__(self, *works: LullWork) -> None:
        self._works = works

    def works(self) -> Sequence[LullWork]:
        return self._works


def other(name: str, lent: Lent) -> LullWork:
    async def done(_: str) -> int:
        return 0

    return ProofWork(
        name,
        name=name,
        pairs=0,
        most_pairs=1,
        prove=done,
        times=PairTimes(),
        clock=CLOCK,
        models=lent,
    )


async def test_proofs_go_first_and_training_last() -> None:
    waits, lent = Waits(), Lent()
    queue = LullQueue(
        proving=waits,
        measure=cast(MeasureUse, Uses()),
        placing=cast(MeasurePlacing, Placings()),
        exams=Waiting(other("exam", lent)),
        preparing=Waiting(other("ready", lent)),
        training=Waiting(other("training", lent)),
        models=lent,
        clock=CLOCK,
    )
    works = queue.works()
    assert [one.id for one in works] == [
        "prop_1",
        "use:/lists",
        "exam",
        "ready",
        "llama3.2",
        "training",
    ]
    for one in works[:2]:
        await one.run_slice(CLOCK.monotonic_s() + 30.0)
    assert waits.done == ["prop_1", LISTS] and lent.said == ["borrow", "borrow"]


async def test_what_a_pair_of_answers_needs_is_what_earlier_ones_took() -> None:
    clock = FakeClock()

    class Slow(Waits):
        async def prove_in_lull(self, proposal: str) -> int:
            clock.advance(120.0)
            return 0 if self.done else 3

    waits, lent = Slow(), Lent()
    queue = LullQueue(
        proving=waits,
        measure=cast(MeasureUse, Uses()),
        placing=cast(MeasurePlacing, Placings()),
        exams=Waiting(),
        preparing=Waiting(),
        training=Waiting(),
        models=lent,
        clock=clock,
    )
    proof, *_ = queue.works()
    assert (proof.needs_s, proof.left_s) == (PAIR_S, 57 * PAIR_S)
    await proof.run_slice(clock.monotonic_s() + 30.0)
    proof, use, _ = queue.works()
    assert (proof.needs_s, proof.left_s) == (40.0, 57 * 40.0)
    assert use.needs_s == PAIR_S  # other replays take other times
    waits.done = ["all"]
    await proof.run_slice(clock.monotonic_s() + 30.0)
    assert queue.works()[0].needs_s == 40.0  # nothing was made, so nothing is learned
