"""Opens the chat models that take exams (tests for a role such as judge), and offers the next exam
as work for an idle window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lull.config.learning import JudgeSettings
from lull.core.idle.ports import BorrowsModels
from lull.core.idle.scheduling import LullWork
from lull.core.ports import Clock
from lull.loops.models.exam_work import ExamWork
from lull.loops.models.examine_models import HURRIED_S, Examinee, ExamineModels, WaitingExam
from lull.service.models.makes_models import MakesModels, OllamaChatModel


class Examinees:
    """Opens the chat models that take exams, each in the three roles of feedback reader, judge and
    skill writer, and keeps them open while the judge's settings stay the same.
    """

    def __init__(self, make: MakesModels, judge: Callable[[], JudgeSettings]) -> None:
        """The function `judge` returns the current settings of the judge."""
        self._make = make
        self._judge = judge
        self._chats: list[OllamaChatModel] = []
        self._known: dict[tuple[str, int, float], Examinee] = {}

    async def close(self) -> None:
        """Close the connections to all models that were opened."""
        for chat in self._chats:
            await chat.close()

    def named(self, name: str) -> Examinee:
        """Return a model in the three roles; it is opened on the first call."""
        judge = self._judge()
        key = (name, judge.votes, judge.temperature)
        if key not in self._known:
            self._known[key] = self._opened(name, judge)
        return self._known[key]

    def _opened(self, name: str, judge: JudgeSettings) -> Examinee:
        # A model that does not run on this machine is refused.
        chat = self._make.ollama(name, timeout_s=HURRIED_S)
        self._chats.append(chat)
        return Examinee(
            reader=self._make.reader(chat),
            judge=self._make.judge(chat, votes=judge.votes, temperature=judge.temperature),
            writer=self._make.writer(chat),
        )


class ExamQueue:
    """Offers the exams of chat models that are still to be taken as work for an idle window."""

    def __init__(
        self, examine: ExamineModels, *, models: BorrowsModels, asking: set[str], clock: Clock
    ) -> None:
        """The set `asking` gets the names of the models that exams have asked."""
        self._examine = examine
        self._models = models
        self._asking = asking
        self._clock = clock

    def works(self) -> Sequence[LullWork]:
        """Return the next exam of a chat model as work for an idle window: a list of one, or an
        empty list.

        The exams after it are not listed yet, since its result may make them needless.
        """
        return [self._work(one) for one in self._examine.waiting()[:1]]

    def _work(self, one: WaitingExam) -> ExamWork:
        async def step(within_s: float) -> bool:
            self._asking.add(one.model)
            return await self._examine.step(one.model, one.role, within_s=within_s)

        return ExamWork(one, step=step, clock=self._clock, models=self._models)
