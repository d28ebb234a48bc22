"""`lull model exams` of a running service: who helps Lull, how each model did, and exams at once.

`{"exams": [{"model", "role", "passed", "score", "low", "high", "n", "why", "digest", "at"}],
"not_examined": [{"model", "why"}], "roles": {role: {"setting", "model", "why"}}, "running": null or
{"model", "role", "done", "of"}, "error": null or an error}`. `passed` is null while one goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lull.core.errors import LullError
from lull.core.model_name import canonical
from lull.core.models.candidates import Candidate, is_auto, is_off
from lull.core.models.exam import ROLES, ExamResult, Role
from lull.loops.examine_models import HURRIED_S, ExamineModels, Waiting

log = logging.getLogger(__name__)
Json = dict[str, Any]
_NOBODY = {
    Role.READER: "Lull's own small reader reads.",
    Role.JUDGE: "Only tools, checks, your ratings and your own words count.",
    Role.WRITER: "Skills come from your own worded corrections alone.",
}


class ExamRequests:
    def __init__(
        self,
        examine: ExamineModels,
        *,
        settings: Callable[[], Mapping[Role, tuple[str, str]]],
        done: Callable[[], None],
    ) -> None:
        """`settings`: model and address of each role. `done`: exams came to their end."""
        self._examine = examine
        self._settings = settings
        self._done = done
        self._task: asyncio.Task[None] | None = None
        self._at: Waiting | None = None
        self._error: LullError | None = None

    async def list(self) -> Json:
        examine = self._examine
        return {
            **exams_view(examine.results(), examine.not_examined()),
            "roles": self.roles(),
            "running": _running(self._at) if self._under_way else None,
            "error": self._error.as_dict() if self._error is not None else None,
        }

    def roles(self) -> Json:
        settings = self._settings()
        return {role.value: self._role(role, *settings[role]) for role in ROLES}

    async def now(self) -> Json:
        """Begin all that is to be done, without waiting for a lull; a chat still goes first.
        Raises UpstreamDown."""
        if not self._under_way:
            await self._examine.look()
            self._error = None
            self._task = asyncio.create_task(self._all(), name="exams")
            await asyncio.sleep(0)
        return await self.list()

    async def close(self) -> None:
        """What was reached is kept."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    @property
    def _under_way(self) -> bool:
        return self._task is not None and not self._task.done()

    async def _all(self) -> None:
        """A model that cannot be asked is passed over, and the last such trouble is said."""
        passed_over: set[tuple[str, Role]] = set()
        while (one := self._next(passed_over)) is not None:
            self._at = one
            try:
                await self._examine.step(one.model, one.role, within_s=HURRIED_S)
            except LullError as error:
                log.info("%s cannot be examined: %s", one.model, error)
                self._error = error
                passed_over.add((one.model, one.role))
        self._done()

    def _next(self, passed_over: set[tuple[str, Role]]) -> Waiting | None:
        waiting = self._examine.waiting()
        return next((w for w in waiting if (w.model, w.role) not in passed_over), None)

    # Words

    def _role(self, role: Role, setting: str, address: str) -> Json:
        model, why = self._who(role, setting, address)
        return {"setting": setting, "model": model, "why": why}

    def _who(self, role: Role, setting: str, address: str) -> tuple[str | None, str]:
        if is_off(setting):
            return None, f"Switched off. {_NOBODY[role]}"
        if is_auto(setting) and address:
            return None, f"Name the model that {role.value}.address serves. {_NOBODY[role]}"
        if is_auto(setting):
            model = self._examine.admitted(role)
            if model is None:
                return None, f"{self._examine.why_nobody(role)} {_NOBODY[role]}"
            return model, f"{model} passed its exam. {self._result(model, role)}".strip()
        if address:
            return setting, f"{setting} runs at an address of its own and is not examined."
        return setting, self._named(setting, role)

    def _named(self, model: str, role: Role) -> str:
        known = self._known(model, role)
        if known is None or known.passed is None:
            return f"{model} is used because you named it; it was not examined yet."
        if known.passed:
            return f"{model} is used because you named it, and passed its exam. {known.why}"
        return f"{model} is used because you named it; it did not pass its exam. {known.why}"

    def _result(self, model: str, role: Role) -> str:
        known = self._known(model, role)
        return known.why if known is not None else ""

    def _known(self, model: str, role: Role) -> ExamResult | None:
        own = (one for one in self._examine.results() if one.role is role)
        return next((one for one in own if canonical(one.model) == canonical(model)), None)


def exams_view(results: Sequence[ExamResult], not_examined: Sequence[Candidate]) -> Json:
    return {
        "exams": [exam_view(one) for one in results],
        "not_examined": [{"model": one.name, "why": one.why_not} for one in not_examined],
    }


def exam_view(one: ExamResult) -> Json:
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


def _running(one: Waiting | None) -> Json | None:
    if one is None:
        return None
    return {"model": one.model, "role": one.role.value, "done": one.done, "of": one.of}
