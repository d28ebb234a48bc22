"""Which of the user's chat models may read, judge or write for Lull: each is examined, in lulls.

From the models that Ollama lists, over one question at a time, to a stored result that admits a
model or says why not. A question that is stopped is asked again; every mark is on disk before the
next question. What is asked and when it is passed stands in `core/models`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from lull.core.calibration import Prior
from lull.core.errors import EvolverFault, LullError
from lull.core.failures import Failure, FailureSet
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.ports import FeedbackReader
from lull.core.messages import Role as Speaker
from lull.core.messages import text_message
from lull.core.model_name import canonical
from lull.core.models.admission import SmallReader, judge_prior, settled
from lull.core.models.candidates import (
    Candidate,
    Installed,
    Memory,
    candidates,
    chosen,
    is_auto,
    is_off,
    to_examine,
)
from lull.core.models.exam import (
    ExamResult,
    Item,
    JudgeItem,
    Mark,
    ReadItem,
    Role,
    Sheet,
    WriteItem,
    mark_judge,
    mark_read,
    mark_write,
)
from lull.core.ollama_model import ListedModel, ShownModel
from lull.core.ports import Asks, Clock, Draft, Evolver, Judge, Material, Question, Quiet
from lull.store.exams import Exams

log = logging.getLogger(__name__)

QUESTION_S: Final = 45.0
"""The longest that one question may take in a lull, loading the model included: a unit of work and
what it may run over. Who takes longer is of no use in lulls."""
HURRIED_S: Final = 300.0
"""The same for an exam that the user has asked for and waits for."""
MOST_LATE: Final = 2
"""Questions in a row that were not answered in time, before a model is taken to be too slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examinee:
    """One model, as Lull would ask it."""

    reader: FeedbackReader
    judge: Judge
    writer: Evolver


class Models(Protocol):
    """What there is; Ollama's, as `core.weight_work.ModelStore` knows it."""

    def listed(self) -> Awaitable[tuple[ListedModel, ...]]: ...

    def show(self, name: str) -> Awaitable[ShownModel]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An exam that is to be taken, or gone on with."""

    model: str
    digest: str
    role: Role
    done: int
    of: int


class ExamineModels:
    def __init__(
        self,
        store: Exams,
        *,
        models: Models,
        loaded: Callable[[], Awaitable[Collection[str] | None]],
        here: Callable[[], Mapping[str, str]],
        sheets: Mapping[Role, Sheet],
        forms: Callable[[Role], str],
        small: SmallReader | None,
        examinee: Callable[[str], Examinee],
        settings: Callable[[], Mapping[Role, str]],
        memory: Callable[[], Memory],
        quiet: Quiet,
        clock: Clock,
        question_s: float = QUESTION_S,
    ) -> None:
        """`here`: digests of the models that Ollama listed last, by canonical name. `forms`: names
        the words by which a role is asked."""
        self._store = store
        self._models = models
        self._loaded = loaded
        self._here = here
        self._sheets = sheets
        self._forms = forms
        self._small = small
        self._examinee = examinee
        self._settings = settings
        self._memory = memory
        self._quiet = quiet
        self._clock = clock
        self._question_s = question_s
        self._results: dict[tuple[str, Role], ExamResult] = {}
        """By digest, of today's sheets alone."""
        self._candidates: tuple[Candidate, ...] = ()
        self._late: dict[tuple[str, Role], int] = {}
        self._one_at_a_time = asyncio.Lock()

    # Looking

    async def load(self) -> None:
        """What is on disk."""
        for result in await asyncio.to_thread(self._store.all):
            if result.role in self._sheets and result.exam == self._exam(result.role):
                self._results[result.digest, result.role] = result

    async def look(self) -> None:
        """Which models there are and what is to be done. Raises UpstreamDown."""
        listed = await self._models.listed()
        loaded = await self._loaded() or ()
        there = [
            Installed(
                listed=one,
                shown=None if one.remote else await self._shown(one.name),
                loaded=canonical(one.name) in loaded,
            )
            for one in listed
        ]
        named = {name for name in self._settings().values() if not _no_name(name)}
        self._candidates = candidates(there, self._memory(), named=named)

    async def _shown(self, name: str) -> ShownModel | None:
        try:
            return await self._models.show(name)
        except LullError as error:
            log.info("%s is not examined: %s", name, error)
            return None

    def waiting(self) -> list[Waiting]:
        """In the order in which it is to be done; asks nobody."""
        wanted = to_examine(self._candidates, self._settings(), self._passed())
        return [
            Waiting(
                model=one.name,
                digest=one.digest,
                role=role,
                done=self._so_far(one.name, one.digest, role).n,
                of=len(self._sheets[role].items),
            )
            for one, role in wanted
            if role in self._sheets
        ]

    # What came of it

    def results(self) -> list[ExamResult]:
        """Of models that are here and as they were, by role, the largest model first."""
        order = {one.digest: number for number, one in enumerate(self._candidates)}
        there = [one for one in self._results.values() if self._is_here(one.model, one.digest)]
        last = len(order)
        return sorted(
            there, key=lambda one: (order.get(one.digest, last), list(Role).index(one.role))
        )

    def not_examined(self) -> list[Candidate]:
        return [one for one in self._candidates if one.why_not]

    def admitted(self, role: Role) -> str | None:
        """The model that "auto" means now; None where nobody has passed."""
        result = self._admitted(role)
        return result.model if result is not None else None

    def judge_belief(self, model: str) -> Prior | None:
        """What the exam says of this model as a judge."""
        for result in self._results.values():
            same = canonical(result.model) == canonical(model)
            if same and result.role is Role.JUDGE and self._is_here(result.model, result.digest):
                return judge_prior(result)
        return None

    def why_nobody(self, role: Role) -> str:
        """Why "auto" means nobody; "" where it means somebody."""
        if self._admitted(role) is not None:
            return ""
        own = [one for one in self.results() if one.role is role]
        if failed := [one for one in own if one.passed is False]:
            first = failed[0]
            return f"{first.model} did not pass its exam. {first.why}"
        if waits := [one for one in self.waiting() if one.role is role]:
            return f"{waits[0].model} is examined in the next lull."
        if left := self.not_examined():
            return f"No chat model here can be examined. {left[0].name}: {left[0].why_not}"
        return "Ollama has no chat model that could be examined."

    def _admitted(self, role: Role) -> ExamResult | None:
        passed = {
            key: one
            for key, one in self._results.items()
            if one.passed and one.role is role and self._is_here(one.model, one.digest)
        }
        best = chosen(self._candidates, role, dict.fromkeys(passed, True))
        if best is not None:
            return replace(passed[best.digest, role], model=best.name)
        return next(iter(passed.values()), None)

    def _is_here(self, model: str, digest: str) -> bool:
        return self._here().get(canonical(model)) == digest

    def _passed(self) -> dict[tuple[str, Role], bool]:
        return {key: one.passed for key, one in self._results.items() if one.passed is not None}

    # Asking

    async def step(self, model: str, role: Role, *, within_s: float = QUESTION_S) -> bool:
        """Ask one question and keep its mark; whether there is another. Raises LullError."""
        async with self._one_at_a_time:
            found = next((w for w in self.waiting() if (w.model, w.role) == (model, role)), None)
            if found is None:
                return False
            result = self._so_far(found.model, found.digest, role)
            item = _unmarked(self._sheets[role], result)
            try:
                mark = await self._quiet.run(lambda: self._asked(model, item, within_s), hurry=True)
            except TimeoutError:
                return await self._came_late(result, within_s)
            self._late.pop((found.digest, role), None)
            marked = replace(result, marks=(*result.marks, mark))
            return await self._keep(settled(marked, self._sheets[role], self._small))

    async def _came_late(self, result: ExamResult, within_s: float) -> bool:
        """Less than a whole question's time says nothing: it is asked again."""
        if within_s < self._question_s:
            return True
        key = (result.digest, result.role)
        self._late[key] = self._late.get(key, 0) + 1
        if self._late[key] < MOST_LATE:
            return True
        why = f"It did not answer a question within {within_s:.0f} s, too slow for lulls."
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

    async def _asked(self, model: str, item: Item, within_s: float) -> Mark:
        async with asyncio.timeout(within_s):
            examinee = self._examinee(model)
            if isinstance(item, ReadItem):
                (heard,) = await examinee.reader.read([item.exchange])
                return mark_read(item, heard)
            if isinstance(item, JudgeItem):
                return mark_judge(item, await examinee.judge.votes(_question(item)))
            return mark_write(item, await _draft(examinee.writer, item, model))

    def _so_far(self, model: str, digest: str, role: Role) -> ExamResult:
        known = self._results.get((digest, role))
        return known or ExamResult(model=model, digest=digest, role=role, exam=self._exam(role))

    def _exam(self, role: Role) -> str:
        """Changes with whatever would make an older result another one."""
        small = ""
        if role is Role.READER:
            small = f" {self._small.right}/{self._small.n}" if self._small else " nobody"
        return f"{self._sheets[role].sha256[:16]} {self._forms(role)}{small}"


async def reads(reader: FeedbackReader, sheet: Sheet) -> ExamResult:
    """How any reader does on the sheet: this measures the small one, too."""
    items = [item for item in sheet.items if isinstance(item, ReadItem)]
    heard = await reader.read([item.exchange for item in items])
    marks = tuple(mark_read(item, one) for item, one in zip(items, heard, strict=True))
    return ExamResult(
        model=reader.name, digest="", role=Role.READER, exam=sheet.sha256, marks=marks
    )


def _no_name(setting: str) -> bool:
    return is_off(setting) or is_auto(setting)


def _unmarked(sheet: Sheet, result: ExamResult) -> Item:
    asked = {mark.item for mark in result.marks}
    return next(item for item in sheet.items if item.id not in asked)


def _question(item: JudgeItem) -> Question:
    return Question(
        asks=Asks.WISH,
        messages=(text_message(Speaker.USER, item.request),),
        answer=text_message(Speaker.ASSISTANT, item.answer),
        wish=item.rule,
    )


async def _draft(writer: Evolver, item: WriteItem, model: str) -> Draft | None:
    try:
        return await writer.draft(Material(failures=_failures(item.failures, model)))
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
