"""Checks regularly which chat models should take exams (tests for a role such as judge), and
recalibrates rewards (scores of answers) when the judge model has changed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from lull.core.errors import LullError
from lull.loops.feedback.reward_book import RewardBook
from lull.loops.models.examine_models import ExamineModels

EXAMS_EVERY_S: Final = 60.0
"""Seconds between two checks for chat models that should take an exam."""


class FollowExams:
    """Checks regularly for chat models that should take exams, and recalibrates rewards (scores of
    answers) when another model has become the judge.
    """

    def __init__(
        self,
        examine: ExamineModels,
        book: RewardBook,
        *,
        judge: Callable[[], str],
        ask_again: asyncio.Event,
    ) -> None:
        """The function `judge` returns the name of the current judge model, "" for none.

        The event `ask_again` is set when a look is due sooner.
        """
        self._examine = examine
        self._book = book
        self._judge = judge
        self._ask_again = ask_again

    async def run(self) -> None:
        """Background job: check every minute, and sooner when settings or exam results change,
        which chat models should take exams and whether the judge model has changed.
        """
        admitted = ""
        await self._examine.load()
        while True:
            with contextlib.suppress(LullError):  # Ollama is down, which is reported elsewhere
                await self._examine.refresh()
            if (judge := self._judge()) != admitted:
                admitted = judge
                await self._book.recalibrate()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EXAMS_EVERY_S):
                    await self._ask_again.wait()
            self._ask_again.clear()
