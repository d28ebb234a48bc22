"""Generates the pairs of answers that a user is going to compare, with and without a proposed
skill: several at the same time where the model's engine is fast at that, so that only the first
pair is waited for.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from lull.core.chat.messages import Completion
from lull.core.errors import RequestError
from lull.core.idle.ports import QuietRunner
from lull.loops.feedback.at_once import at_once
from lull.loops.proof.replay import THIS_REQUEST, Replay, ReplayCase, ReplayTarget

log = logging.getLogger(__name__)

AnswerPair = tuple[Completion, Completion]
"""The answers to one request without and with the proposed skill."""


class PlannedAnswers(NamedTuple):
    """A recorded request that is to be answered without and with a proposed skill, and the seed."""

    case: ReplayCase
    seed: int


class PreparedAnswers:
    """Generates pairs of answers, with and without a proposed skill, and keeps in memory those that
    were generated together with others and not yet used.
    """

    def __init__(self, replay: Replay, quiet: QuietRunner) -> None:
        self._replay = replay
        self._quiet = quiet
        self._ready: list[tuple[object, AnswerPair | None]] = []
        """Answers not used yet, each with all that shaped them; None for a refused request."""

    async def take(
        self, stage: ReplayTarget, planned: Sequence[PlannedAnswers]
    ) -> AnswerPair | None:
        """Return the answers to the first of the planned requests, which are not kept any longer;
        None if this request cannot be compared.

        If they are not there, those to all planned requests are generated now, and nothing
        generated before is kept. Waits until no chat is going on. Raises what the model raises.
        """
        first = _shaped_by(stage, planned[0])
        if all(shaped_by != first for shaped_by, _ in self._ready):
            answers = await self._quiet.run(
                lambda: at_once(self._generate(stage, plan) for plan in planned), hurry=True
            )
            shapes = [_shaped_by(stage, plan) for plan in planned]
            self._ready = list(zip(shapes, answers, strict=True))
        found = next(answers for shaped_by, answers in self._ready if shaped_by == first)
        self._ready = [one for one in self._ready if one[0] != first]
        return found

    async def _generate(self, stage: ReplayTarget, plan: PlannedAnswers) -> AnswerPair | None:
        try:
            answers = await self._replay.answers(stage, plan.case, plan.seed)
        except RequestError as error:
            if error.status not in THIS_REQUEST:
                raise
            log.info("%s cannot be asked again: %s", plan.case.turn, error)
            return None
        return answers if all(answer.complete for answer in answers) else None


def _shaped_by(stage: ReplayTarget, plan: PlannedAnswers) -> object:
    """Everything that the answers depend on; two requests with the same are answered alike."""
    case = plan.case
    model = (stage.engine, stage.digest, stage.adapter, stage.sampling)
    return (model, case.turn, case.without, case.with_, plan.seed)
