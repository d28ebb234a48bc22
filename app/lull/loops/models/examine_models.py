"""Examines the user's chat models while the computer is idle: which of them may read feedback,
judge answers or write skills.

It asks each candidate in Ollama one labelled question at a time, and stores a result that admits
the model to a role or says why not. Each mark is stored before the next question; a question that
was interrupted is asked again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lull.core.chat.messages import Role as Speaker
from lull.core.chat.messages import text_message
from lull.core.chat.model_name import canonical
from lull.core.errors import EvolverFault
from lull.core.feedback.calibration import Prior
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.judge import Judge, JudgeQuestion, QuestionKind
from lull.core.feedback.ports import FeedbackReader
from lull.core.idle.ports import QuietRunner
from lull.core.models.admission import judge_prior
from lull.core.models.candidates import (
    Candidate,
    largest_passed,
)
from lull.core.models.exam import (
    ExamMark,
    ExamResult,
    ExamSheet,
    Item,
    JudgeItem,
    ModelRole,
    ReadItem,
    WriteItem,
    mark_judge,
    mark_reading,
    mark_write,
)
from lull.core.ports import Clock
from lull.core.skills.failures import Failure, FailureSet
from lull.core.skills.ports import Evolver, EvolverMaterial, SkillDraft
from lull.loops.models.exam_candidates import ExamCandidates
from lull.loops.models.exam_papers import ExamPapers
from lull.store.models.exams import Exams

log = logging.getLogger(__name__)

QUESTION_S: Final = 45.0
"""Maximum seconds for one exam question in a lull, loading the model included.

Slower models would be of no use there.
"""
HURRIED_S: Final = 300.0
"""Maximum seconds for one question of an exam that the user waits for."""
MOST_LATE: Final = 2
"""How many exam questions in a row a model may answer too late before it counts as too slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examinee:
    """A chat model under examination, in the three roles it may take: feedback reader, judge of
    answers and skill writer.
    """

    reader: FeedbackReader
    judge: Judge
    writer: Evolver


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingExam:
    """A model's exam that is still to be begun or continued, with the number of questions answered
    so far (`done`) and in all (`of`).
    """

    model: str
    digest: str
    role: ModelRole
    done: int
    of: int


class ExamineModels:
    """Runs exams of local chat models, and tells which models passed, so that they may read
    feedback, judge answers or write skills.
    """

    def __init__(
        self,
        store: Exams,
        *,
        candidates: ExamCandidates,
        papers: ExamPapers,
        examinee: Callable[[str], Examinee],
        quiet: QuietRunner,
        clock: Clock,
        question_s: float = QUESTION_S,
    ) -> None:
        """`examinee` returns the model of a given name in the three roles in which it can be
        examined.
        """
        self._store = store
        self._candidates = candidates
        self._papers = papers
        self._examinee = examinee
        self._quiet = quiet
        self._clock = clock
        self._question_s = question_s
        self._results: dict[tuple[str, ModelRole], ExamResult] = {}
        """Results of the current exam sheets, by digest and role."""
        self._late: dict[tuple[str, ModelRole], int] = {}
        self._one_at_a_time = asyncio.Lock()

    # Candidates

    async def load(self) -> None:
        """Load the stored exam results of models that belong to the current version of the
        exams.
        """
        for result in await asyncio.to_thread(self._store.all):
            if self._papers.current(result):
                self._results[result.digest, result.role] = result

    async def refresh(self) -> None:
        """Ask Ollama for its models and update the list of those to examine (to test whether they
        may judge answers). Raises UpstreamDown.
        """
        await self._candidates.refresh()

    def waiting(self) -> list[WaitingExam]:
        """Return the exams that models still have to take, in the order to take them."""
        return [
            WaitingExam(
                model=one.name,
                digest=one.digest,
                role=role,
                done=self._so_far(one.name, one.digest, role).n,
                of=self._papers.questions(role),
            )
            for one, role in self._candidates.wanted(self._passed())
            if role in self._papers
        ]

    # Results

    def results(self) -> list[ExamResult]:
        """Return the exam results of models that are installed and unchanged, ordered by model and
        role.
        """
        order = {one.digest: number for number, one in enumerate(self._candidates.found)}
        there = [
            one for one in self._results.values() if self._candidates.is_here(one.model, one.digest)
        ]
        last = len(order)
        return sorted(
            there, key=lambda one: (order.get(one.digest, last), list(ModelRole).index(one.role))
        )

    def not_examined(self) -> list[Candidate]:
        """Return the models that cannot take an exam (the test of whether they may judge answers),
        each with its reason in `why_not`.
        """
        return [one for one in self._candidates.found if one.why_not]

    def admitted(self, role: ModelRole) -> str | None:
        """Return the name of the model that is used for a role (reader, judge or writer) now if the
        setting for it is "auto".

        None where no model has passed the exam.
        """
        result = self._admitted(role)
        return result.model if result is not None else None

    def judge_belief(self, model: str) -> Prior | None:
        """Return how reliable a judge model is assumed to be (a prior), from the result of its
        exam; None if it took no exam.
        """
        for result in self._results.values():
            same = canonical(result.model) == canonical(model)
            if (
                same
                and result.role is ModelRole.JUDGE
                and self._candidates.is_here(result.model, result.digest)
            ):
                return judge_prior(result)
        return None

    def why_none_admitted(self, role: ModelRole) -> str:
        """Return the reason why no model is used for a role (reader, judge or writer) under the
        setting "auto"; "" if a model is used.
        """
        if self._admitted(role) is not None:
            return ""
        own = [one for one in self.results() if one.role is role]
        if failed := [one for one in own if one.passed is False]:
            first = failed[0]
            return f"{first.model} did not pass its test. {first.why}"
        if waits := [one for one in self.waiting() if one.role is role]:
            return f"{waits[0].model} will be tested next time you're away."
        if left := self.not_examined():
            return f"No chat model here can be tested. {left[0].name}: {left[0].why_not}"
        if gone := [one for one in self._results.values() if one.role is role]:
            return f"{gone[0].model} was tested, but it is no longer there as it was."
        return "Ollama has no chat model now that could be tested."

    def _admitted(self, role: ModelRole) -> ExamResult | None:
        passed = {
            key: one
            for key, one in self._results.items()
            if one.passed and one.role is role and self._candidates.is_here(one.model, one.digest)
        }
        best = largest_passed(self._candidates.found, role, dict.fromkeys(passed, True))
        if best is not None:
            return replace(passed[best.digest, role], model=best.name)
        return next(iter(passed.values()), None)

    def _passed(self) -> dict[tuple[str, ModelRole], bool]:
        return {key: one.passed for key, one in self._results.items() if one.passed is not None}

    # Asking

    async def step(self, model: str, role: ModelRole, *, within_s: float = QUESTION_S) -> bool:
        """Ask a model one exam question and store the mark; return True if there is another.

        Raises LullError.
        """
        async with self._one_at_a_time:
            found = next((w for w in self.waiting() if (w.model, w.role) == (model, role)), None)
            if found is None:
                return False
            result = self._so_far(found.model, found.digest, role)
            item = self._papers.next_question(result)
            try:
                mark = await self._quiet.run(lambda: self._asked(model, item, within_s), hurry=True)
            except TimeoutError:
                return await self._came_late(result, within_s)
            self._late.pop((found.digest, role), None)
            marked = replace(result, marks=(*result.marks, mark))
            return await self._keep(self._papers.with_outcome(marked))

    async def _came_late(self, result: ExamResult, within_s: float) -> bool:
        """Handle a question that was not answered in time; True if it is to be asked again.

        It counts against the model only if the model had the full time.
        """
        if within_s < self._question_s:
            return True
        key = (result.digest, result.role)
        self._late[key] = self._late.get(key, 0) + 1
        if self._late[key] < MOST_LATE:
            return True
        why = (
            f"It did not answer a question within {within_s:.0f} s and is too slow to be used "
            "while you're away."
        )
        return await self._keep(replace(result, passed=False, why=why))

    async def _keep(self, result: ExamResult) -> bool:
        kept = replace(result, at=self._clock.now())
        await self._store.put(kept)
        self._results[kept.digest, kept.role] = kept
        if kept.passed is None:
            return True
        said = "admitted" if kept.passed else "not admitted"
        log.info("%s is %s as %s: %s", kept.model, said, kept.role.value, kept.why)
        return False

    async def _asked(self, model: str, item: Item, within_s: float) -> ExamMark:
        async with asyncio.timeout(within_s):
            examinee = self._examinee(model)
            if isinstance(item, ReadItem):
                (findings,) = await examinee.reader.read([item.exchange])
                return mark_reading(item, findings)
            if isinstance(item, JudgeItem):
                return mark_judge(item, await examinee.judge.votes(_question(item)))
            return mark_write(item, await _draft(examinee.writer, item, model))

    def _so_far(self, model: str, digest: str, role: ModelRole) -> ExamResult:
        known = self._results.get((digest, role))
        return known or ExamResult(
            model=model, digest=digest, role=role, exam=self._papers.version(role)
        )


async def examine_reader(reader: FeedbackReader, sheet: ExamSheet) -> ExamResult:
    """Examine a feedback reader on all questions of an exam (labelled exchanges) at once; return
    its marks as an exam result.

    Used for the small built-in reader, for example.
    """
    items = [item for item in sheet.items if isinstance(item, ReadItem)]
    findings = await reader.read([item.exchange for item in items])
    marks = tuple(mark_reading(item, one) for item, one in zip(items, findings, strict=True))
    return ExamResult(
        model=reader.name, digest="", role=ModelRole.READER, exam=sheet.sha256, marks=marks
    )


def _question(item: JudgeItem) -> JudgeQuestion:
    return JudgeQuestion(
        asks=QuestionKind.WISH,
        messages=(text_message(Speaker.USER, item.request),),
        answer=text_message(Speaker.ASSISTANT, item.answer),
        wish=item.rule,
    )


async def _draft(writer: Evolver, item: WriteItem, model: str) -> SkillDraft | None:
    try:
        return await writer.draft(EvolverMaterial(failures=_failures(item.failures, model)))
    except EvolverFault as fault:
        log.debug("%s wrote nothing usable: %s", model, fault)
        return None


def _failures(exchanges: Sequence[Exchange], model: str) -> FailureSet:
    return FailureSet(
        failures=tuple(
            Failure(
                turn=f"exam_{number}",
                trajectory=f"exam_{number}",
                client="",
                model=model,
                messages=(text_message(Speaker.USER, one.asked),),
                answer=text_message(Speaker.ASSISTANT, one.answer),
                said=one.said,
            )
            for number, one in enumerate(exchanges)
        )
    )
