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
from lull.loops.proof.proof_work import ProofWork
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

    return ProofWork(name, name=name, pairs=0, most_pairs=1, prove=done, clock=CLOCK, models=lent)


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
