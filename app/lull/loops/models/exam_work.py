"""Runs a model's exam (labelled items that decide whether it may judge answers) as background work,
one question at a time.

It stops at once when the user comes back. Each mark is stored. A question that was interrupted is
asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from lull.core.idle.ports import BorrowsModels
from lull.core.idle.scheduling import WorkKind
from lull.core.models.exam import ModelRole
from lull.core.ports import Clock
from lull.core.text.coded_text import CodedText, coded_text
from lull.loops.models.examine_models import QUESTION_S, WaitingExam

QUESTION_GUESS_S: Final = 6.0
"""Assumed seconds for one exam question."""
GRACE_S: Final = 10.0
"""Seconds that an exam question may run past the end of its unit of work."""
_QUESTION_STOPS_WITHIN_S: Final = 0.5
"""Most seconds to wait for a cancelled question to stop."""


def title_of_test(waiting: WaitingExam) -> CodedText:
    """Return a line for the user that says which test of a model is under way."""
    match waiting.role:
        case ModelRole.READER:
            words = "Testing whether %1 understands your feedback well enough"
            return coded_text("work-exam-reader", words, waiting.model)
        case ModelRole.JUDGE:
            words = "Testing whether %1 judges answers well enough"
            return coded_text("work-exam-judge", words, waiting.model)
    words = "Testing whether %1 writes skills well enough"
    return coded_text("work-exam-writer", words, waiting.model)


class ExamWork:
    """The background work of examining one model for one role, such as judge of answers (implements
    the interface LullWork).
    """

    kind = WorkKind.EXAM
    needs_s = QUESTION_GUESS_S
    value = 0.1
    """How this work is valued among the work that waits for a lull: low, because users do not wait
    for exams.
    """

    def __init__(
        self,
        waiting: WaitingExam,
        *,
        step: Callable[[float], Awaitable[bool]],
        clock: Clock,
        models: BorrowsModels,
    ) -> None:
        """The function `step` asks one exam question within the given number of seconds, and
        returns True if there is another question.

        `models` lends the model for each question, and takes it back when its memory is needed.
        """
        self.id = f"exam {waiting.digest[:16]} {waiting.role.value}"
        self.text = title_of_test(waiting)
        self.progress = waiting.done / max(1, waiting.of)
        self.left_s = max(1, waiting.of - waiting.done) * QUESTION_GUESS_S
        self._step = step
        self._clock = clock
        self._models = models
        self._may_go = asyncio.Event()
        self._ended = False
        self._asking: asyncio.Task[bool] | None = None

    async def run_slice(self, until_s: float) -> None:
        self._may_go.set()
        await self._models.note_loaded()
        within_s, took_s = QUESTION_S, 0.0
        # The first question gets the whole time; later ones begin only if they should finish.
        while not self._ended and self._clock.monotonic_s() + took_s < until_s:
            await self._may_go.wait()
            began_s = self._clock.monotonic_s()
            if self._ended or not await self._ask_one(within_s):
                return
            now_s = self._clock.monotonic_s()
            took_s, within_s = now_s - began_s, max(1.0, until_s + GRACE_S - now_s)

    async def _ask_one(self, within_s: float) -> bool:
        """Ask one question of the exam; return True if there may be more, also if stopped."""
        self._asking = asyncio.ensure_future(self._ask(within_s))
        try:
            await asyncio.wait({self._asking})
        finally:
            self._asking.cancel()
        return self._asking.cancelled() or self._asking.result()

    async def _ask(self, within_s: float) -> bool:
        return await self._step(within_s)

    async def suspend(self) -> None:
        self._may_go.clear()
        if self._asking is not None:
            self._asking.cancel()

    async def resume(self) -> None:
        self._may_go.set()

    async def give_back_memory(self) -> None:
        self._ended = True
        self._may_go.set()
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking}, timeout=_QUESTION_STOPS_WITHIN_S)
        await self._models.unload_own()
