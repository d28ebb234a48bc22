"""Measures in idle time at which place in its prompt a model obeys skills (instruction texts) best.

The models that the user talks to most answer fixed test cases: a request with a rule, and a program
that checks whether the answer keeps the rule. Each case is asked once with the rule in each place
of the prompt. A mark, whether the answers kept the rule, is stored at once, so measuring goes on
where it stopped. Until a model is measured, skills are put into its system text.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.messages import Completion, Finish, Message, Role, text_message
from lull.core.checks.check import CheckLibraries
from lull.core.checks.check_answer import passes_check
from lull.core.errors import LullError
from lull.core.idle.ports import QuietRunner
from lull.core.models.most_used_model import COUNTED_PERIOD, CountsAnswers
from lull.core.ports import Clock
from lull.core.proof.placing import (
    PlacingCase,
    PlacingMark,
    PlacingResult,
    PlacingSheet,
    next_case,
    with_best_place,
)
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.prompt_block import Placement
from lull.loops.feedback.at_once import at_once
from lull.loops.proof.replay import OpensTargets, ReplayTarget, prompt_with_skills
from lull.store.proof.placings import Placings

log = logging.getLogger(__name__)

MOST_MODELS: Final = 3
"""Number of models, most talked to first, that are measured."""
MOST_TOKENS: Final = 200
"""Longest answer of a case in tokens; one that is cut off there is not scored."""
SEED: Final = 7
"""Seed of every answer, so that two answers to a case differ only by the rule's place."""
_OWN_MARK: Final = "skills>"
"""What an answer holds that repeats the block of skills instead of obeying it."""


LOOK_FOR_MODELS_EVERY_S: Final = 60.0
"""Seconds between looks which models the user talks to."""


class WaitingPlacing(NamedTuple):
    """A model whose best place for skills in its prompt is still to be measured, with the number of
    test questions asked so far (`done`) and the most that may be needed (`of`).
    """

    model: str
    digest: str
    done: int
    of: int


class PlacingTargets(OpensTargets, Protocol):
    """Interface to the models that run on this machine and can be asked where in a prompt they obey
    skills best.
    """

    def facts_here(self, model: str) -> ModelFacts | None:
        """Return the facts of a model (its digest, context window and adapter) that the test of
        where it obeys skills best needs; None if the model does not run on this machine.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacingModels:
    """What the measurement of the best place for skills in a prompt uses: the counts of which
    models the user talks to, the way to ask these models, and the skills.
    """

    uses: CountsAnswers
    here: PlacingTargets
    in_use: LibraryInUse
    """Returns the skills; while none is active, nothing is measured."""


class MeasurePlacing:
    """Finds for each model that the user talks to at which place in its prompt it obeys skills
    (instruction texts) best.
    """

    def __init__(
        self,
        *,
        store: Placings,
        sheet: PlacingSheet,
        models: PlacingModels,
        quiet: QuietRunner,
        clock: Clock,
        slice_s: float,
        tools: CheckLibraries,
        places: dict[str, Placement],
    ) -> None:
        """`sheet` holds the test cases. `places` is filled with the best place for skills in each
        measured model's prompt, by the model's digest.
        """
        self._store = store
        self._sheet = sheet
        self._asked = models
        self._quiet = quiet
        self._clock = clock
        self._slice_s = slice_s
        self._tools = tools
        self._places = places
        self._results: dict[str, PlacingResult] = {}
        """Results with the current cases, by digest."""
        self._models: dict[str, str] = {}
        """Name by digest of the models to measure, most talked to first."""

    async def follow(self) -> None:
        """Load the stored results, then check every minute, forever, which models the user talks to
        most.
        """
        await self.load()
        while True:
            await self.refresh()
            await asyncio.sleep(LOOK_FOR_MODELS_EVERY_S)

    async def load(self) -> None:
        """Load the stored results: at which place in its prompt each measured model obeys skills
        best. From then on skills are put there.
        """
        for result in await asyncio.to_thread(self._store.all):
            if result.sheet == self._sheet.sha256:
                self._take(result)

    async def refresh(self) -> None:
        """Update the list of models to measure: those that the user talked to most lately. For
        these it is measured where in the prompt they obey skills best.
        """
        if not self._asked.in_use.library.any_active or not self._sheet.cases:
            self._models = {}
            return
        talked = await asyncio.to_thread(
            self._asked.uses.answer_counts, self._clock.now() - COUNTED_PERIOD
        )
        models: dict[str, str] = {}
        for one in sorted(talked, key=lambda one: (-one.turns, one.model)):
            facts = self._asked.here.facts_here(one.model)
            if facts is not None and facts.reads_suffixes and len(models) < MOST_MODELS:
                models.setdefault(facts.digest, one.model)
        self._models = models

    def waiting(self) -> list[WaitingPlacing]:
        """Return the models whose best place for skills in the prompt is still to be measured.
        Cheap, as it is called ten times a second.
        """
        most = len(self._sheet.cases) * len(Placement)
        return [
            WaitingPlacing(model, digest, len(self._so_far(model, digest).marks), most)
            for digest, model in self._models.items()
            if self._so_far(model, digest).place is None
        ]

    def results(self) -> list[PlacingResult]:
        """Return where in the prompt each model that the user talks to obeys skills best, the most
        used model first; unfinished measurements are included.
        """
        return [self._so_far(model, digest) for digest, model in self._models.items()]

    async def slice(self, model: str) -> int:
        """Measure for at most half a minute where in its prompt a model obeys skills best, by
        asking it test cases; return how many were asked.

        Raises LullError when the model could not be asked a single one.
        """
        end_s, marked = self._clock.monotonic_s() + self._slice_s, 0
        while self._clock.monotonic_s() < end_s:
            try:
                asked = await self._next_case(model)
                if not asked:
                    break
            except LullError as error:
                if not marked:
                    raise
                log.info("measuring where %s obeys skills waits: %s", model, error)
                break
            marked += asked
        return marked

    async def _next_case(self, model: str) -> int:
        """Ask the next case with its rule in one place, or in all places at the same time where
        the engine is fast at several answers; return in how many, 0 if there is none, or no model
        to ask.
        """
        stage = await self._asked.here.open_target(model)
        if stage is None or self._models.get(stage.digest) is None:
            return 0
        result = self._so_far(model, stage.digest)
        following = next_case(self._sheet, result.marks)
        if result.place is not None or following is None:
            return 0
        case, left = following
        places = left if stage.pairs_at_once > 1 else left[:1]
        # The caller decided that it is time for this; chats still go first.
        kept = await self._quiet.run(
            lambda: at_once(self._kept(stage, case, place) for place in places), hurry=True
        )
        marks = [
            PlacingMark(case=case.id, place=place, kept=number)
            for place, number in zip(places, kept, strict=True)
        ]
        found = with_best_place(replace(result, marks=(*result.marks, *marks)), self._sheet)
        found = replace(found, at=self._clock.now())
        await self._store.put(found)
        self._take(found)
        if found.place is not None:
            log.info("%s: %s", model, found.why)
        return len(places)

    async def _kept(self, stage: ReplayTarget, case: PlacingCase, place: Placement) -> int | None:
        """Return how many of a case's answers kept its rule; None if one cannot be checked."""
        asked: tuple[Message, ...] = (text_message(Role.USER, case.asked),)
        first = await self._answer(stage, asked, case, place)
        asked = (*asked, first.message, text_message(Role.USER, case.then))
        second = await self._answer(stage, asked, case, place)
        verdicts = [self._holds(case, one) for one in (first, second)]
        return None if None in verdicts else sum(map(bool, verdicts))

    async def _answer(
        self, stage: ReplayTarget, messages: Sequence[Message], case: PlacingCase, place: Placement
    ) -> Completion:
        prompt = prompt_with_skills(messages, [case.rule], system=stage.system, place=place)
        sampling = replace(stage.sampling, seed=SEED, max_tokens=MOST_TOKENS)
        return await stage.chat.chat(prompt, sampling=sampling, adapter=stage.adapter)

    def _holds(self, case: PlacingCase, answer: Completion) -> bool | None:
        if answer.finish is not Finish.STOP:
            return None
        text = answer.message.text
        return False if _OWN_MARK in text else passes_check(case.check, text, self._tools)

    def _so_far(self, model: str, digest: str) -> PlacingResult:
        known = self._results.get(digest)
        return known or PlacingResult(model=model, digest=digest, sheet=self._sheet.sha256)

    def _take(self, result: PlacingResult) -> None:
        self._results[result.digest] = result
        if result.place is not None:
            self._places[result.digest] = result.place
