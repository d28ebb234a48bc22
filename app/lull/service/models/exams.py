"""Handles `lull model exams` in a running service: lists which chat models passed exams (tests for
reading feedback, judging answers or writing skills), and runs exams now.

`{"exams": [{"model", "role", "passed", "score", "low", "high", "n", "why", "digest", "at"}],
"not_examined": [{"model", "why"}], "roles": {role: {"setting", "model", "why"}}, "running": null or
{"model", "role", "done", "of"}, "error": null or an error}`. `passed` is null while an exam goes
on, `low` and `high` are the bounds of the score's interval, `n` is the number of items marked.
`done` of `of` items are done in the running exam.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence

from lull.contract.json_object import Json
from lull.core.chat.model_name import canonical
from lull.core.errors import LullError
from lull.core.models.candidates import Candidate, is_auto, is_off
from lull.core.models.exam import ROLES, ExamResult, ModelRole
from lull.loops.models.examine_models import HURRIED_S, ExamineModels, WaitingExam

log = logging.getLogger(__name__)
_WITHOUT_MODEL = {
    ModelRole.READER: "Lull's own small model reads your messages.",
    ModelRole.JUDGE: "Only tools, checks, your ratings and your own words count.",
    ModelRole.WRITER: "Skills come only from corrections that you put in words.",
}
"""By role, what happens if no model has it, in words."""


class ExamRequests:
    """Answers the control API's requests about exams (tests of whether a chat model may read
    feedback, judge answers or write skills).
    """

    def __init__(
        self,
        examine: ExamineModels,
        *,
        settings: Callable[[], Mapping[ModelRole, tuple[str, str]]],
        done: Callable[[], None],
    ) -> None:
        """The function `settings` returns the model and address that are set for each role (reader,
        judge, writer).

        The callback `done` is called when the exams have ended.
        """
        self._examine = examine
        self._settings = settings
        self._done = done
        self._task: asyncio.Task[None] | None = None
        self._at: WaitingExam | None = None
        self._error: LullError | None = None

    async def list(self) -> Json:
        """Return the JSON of all exam results of chat models, of which model has each role
        (feedback reader, judge, skill writer), and of the running exam.
        """
        examine = self._examine
        return {
            **exams_view(examine.results(), examine.not_examined()),
            "roles": self.roles(),
            "running": _running(self._at) if self._under_way else None,
            "error": self._error.as_dict() if self._error is not None else None,
        }

    def roles(self) -> Json:
        """Return the JSON of which model has each role (feedback reader, judge, skill writer), and
        why it was chosen.
        """
        settings = self._settings()
        return {role.value: self._role(role, *settings[role]) for role in ROLES}

    async def start_all(self) -> Json:
        """Start all exams of chat models (tests for a role such as judge) that are still to be
        taken; users' chats still go first.

        Raises UpstreamDown.
        """
        if not self._under_way:
            await self._examine.refresh()
            self._error = None
            self._task = asyncio.create_task(self._all(), name="exams")
            await asyncio.sleep(0)
        return await self.list()

    async def close(self) -> None:
        """Stop the running exams of chat models; results stored so far are kept."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    @property
    def _under_way(self) -> bool:
        return self._task is not None and not self._task.done()

    async def _all(self) -> None:
        """Run the waiting exams, skipping models that cannot be asked; keeps the last error."""
        passed_over: set[tuple[str, ModelRole]] = set()
        while (one := self._next(passed_over)) is not None:
            self._at = one
            try:
                await self._examine.step(one.model, one.role, within_s=HURRIED_S)
            except LullError as error:
                log.info("%s cannot be examined: %s", one.model, error)
                self._error = error
                passed_over.add((one.model, one.role))
        self._done()

    def _next(self, passed_over: set[tuple[str, ModelRole]]) -> WaitingExam | None:
        waiting = self._examine.waiting()
        return next((w for w in waiting if (w.model, w.role) not in passed_over), None)

    # Explanations

    def _role(self, role: ModelRole, setting: str, address: str) -> Json:
        model, why = self._who(role, setting, address)
        return {"setting": setting, "model": model, "why": why}

    def _who(self, role: ModelRole, setting: str, address: str) -> tuple[str | None, str]:
        if is_off(setting):
            return None, f"Switched off. {_WITHOUT_MODEL[role]}"
        if is_auto(setting) and address:
            return None, (
                f"A server is set in {role.value}.address, but no model: enter its name, too."
                f" {_WITHOUT_MODEL[role]}"
            )
        if is_auto(setting):
            model = self._examine.admitted(role)
            if model is None:
                return None, f"{self._examine.why_none_admitted(role)} {_WITHOUT_MODEL[role]}"
            return model, f"{model} passed its test. {self._result(model, role)}".strip()
        if address:
            return setting, f"{setting} runs at its own address and is not tested."
        return setting, self._named(setting, role)

    def _named(self, model: str, role: ModelRole) -> str:
        known = self._known(model, role)
        if known is None or known.passed is None:
            return f"{model} is used because you named it; it has not been tested yet."
        if known.passed:
            return f"{model} is used because you named it, and passed its test. {known.why}"
        return f"{model} is used because you named it; it did not pass its test. {known.why}"

    def _result(self, model: str, role: ModelRole) -> str:
        known = self._known(model, role)
        return known.why if known is not None else ""

    def _known(self, model: str, role: ModelRole) -> ExamResult | None:
        own = (one for one in self._examine.results() if one.role is role)
        return next((one for one in own if canonical(one.model) == canonical(model)), None)


def exams_view(results: Sequence[ExamResult], not_examined: Sequence[Candidate]) -> Json:
    """Return the JSON that the control API shows of all models' exams."""
    return {
        "exams": [exam_view(one) for one in results],
        "not_examined": [{"model": one.name, "why": one.why_not} for one in not_examined],
    }


def exam_view(one: ExamResult) -> Json:
    """Return the JSON that the control API shows of one model's exam."""
    return {
        "model": one.model,
        "role": one.role.value,
        "passed": one.passed,
        "score": _rounded(one.score),
        "low": _rounded(one.low),
        "high": _rounded(one.high),
        "n": one.n,
        "why": one.why,
        "digest": one.digest,
        "at": one.at.isoformat() if one.at is not None else None,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _running(one: WaitingExam | None) -> Json | None:
    if one is None:
        return None
    return {"model": one.model, "role": one.role.value, "done": one.done, "of": one.of}
