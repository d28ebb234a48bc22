"""Lists the background work that waits for a lull (an idle time of the computer), in the order in
which users wait for its results.

First come proofs of proposed skills, then measurements of skills in use, exams of models, making
the weights of a model ready to be trained, and tests of where in its prompt each model obeys skills
best; training comes last. `watch_idle` chooses from the list by value and by the idle time that is
likely left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Protocol

from lull.core.idle.ports import BorrowsModels, OffersWork
from lull.core.idle.scheduling import LullWork
from lull.core.ports import Clock
from lull.core.skills.skill import SkillKey
from lull.loops.proof.measure_placing import MeasurePlacing
from lull.loops.proof.measure_use import MeasureUse
from lull.loops.proof.proof_work import PairTimes, PlacingWork, ProofWork, UseWork
from lull.loops.proof.prove import WaitingProof


class ProvesInLulls(Protocol):
    """Interface that proves or measures one skill per call, for a limited time, by replays: past
    requests answered again with and without the skill in the prompt.
    """

    def waiting(self) -> Sequence[WaitingProof]:
        """Return the proofs of proposed skills that still need replays (past requests answered
        again with and without the skill).
        """

    async def prove_in_lull(self, proposal: str) -> int:
        """Continue the proof of one proposed skill for a limited time; return how many pairs of
        answers were added.
        """

    async def measure_in_lull(self, skill: SkillKey) -> int:
        """Continue measuring the effect of one approved skill for a limited time; return how many
        past requests were replayed.
        """


class LullQueue:
    """The background work that waits for a lull (an idle time of the computer)."""

    def __init__(
        self,
        *,
        proving: ProvesInLulls,
        measure: MeasureUse,
        placing: MeasurePlacing,
        exams: OffersWork,
        preparing: OffersWork,
        training: OffersWork,
        models: BorrowsModels,
        clock: Clock,
    ) -> None:
        self._proving = proving
        self._measure = measure
        self._placing = placing
        self._exams = exams
        self._preparing = preparing
        self._training = training
        self._models = models
        self._clock = clock
        self._times = PairTimes()

    def works(self) -> list[LullWork]:
        """Return all background work that waits for a lull; called ten times a second."""
        return [
            *self._proofs(),
            *self._uses(),
            *self._exams.works(),
            *self._preparing.works(),
            *self._placings(),
            *self._training.works(),
        ]

    def _proofs(self) -> Iterator[LullWork]:
        for one in self._proving.waiting():
            yield ProofWork(
                one.proposal,
                name=one.name,
                pairs=one.pairs,
                most_pairs=one.most_pairs,
                prove=self._proving.prove_in_lull,
                times=self._times,
                clock=self._clock,
                models=self._models,
            )

    def _uses(self) -> Iterator[LullWork]:
        """Yield the work of measuring the effect of each active skill that has requests left to
        replay.
        """
        for one in self._measure.waiting():
            yield UseWork(
                f"use:{one.skill.client}/{one.skill.name}",
                name=one.skill.name,
                pairs=0,
                most_pairs=one.left,
                prove=partial(self._use_measured, one.skill),
                times=self._times,
                clock=self._clock,
                models=self._models,
            )

    async def _use_measured(self, skill: SkillKey, _: str) -> int:
        return await self._proving.measure_in_lull(skill)

    def _placings(self) -> Iterator[LullWork]:
        """Yield the work of finding, for each model not measured yet, where in its prompt it obeys
        skills.
        """
        for one in self._placing.waiting():
            yield PlacingWork(
                one.model,
                name=one.model,
                pairs=one.done,
                most_pairs=one.of,
                prove=self._placing.slice,
                times=self._times,
                clock=self._clock,
                models=self._models,
            )
