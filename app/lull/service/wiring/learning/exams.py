"""Builds the exams, which test whether a chat model may read feedback, judge answers or write
skills.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import psutil

from lull.backends.chat.llm_judge import RULES, JudgePrompts, LlmJudge
from lull.backends.chat.skill_writer import ModelEvolver
from lull.backends.ollama.chat import OllamaChat
from lull.backends.ollama.models import OllamaModels
from lull.backends.reader.chat_reader import ChatReader, prompt_mark
from lull.backends.reader.exam_sheets import sheets, small_reader
from lull.config.learning import JudgeSettings
from lull.config.settings import Settings
from lull.core.errors import ResourceError
from lull.core.idle.ports import Quiet
from lull.core.idle.scheduling import LullWork
from lull.core.models.candidates import MachineMemory
from lull.core.models.exam import ModelRole
from lull.loops.models.exam_candidates import ExamCandidates
from lull.loops.models.exam_papers import ExamPapers
from lull.loops.models.exam_work import ExamWork
from lull.loops.models.examine_models import HURRIED_S, Examinee, ExamineModels, WaitingExam
from lull.resources import prompt_sha256
from lull.service.models.borrowed_models import BorrowedModels
from lull.service.wiring.shared import SharedParts
from lull.store.models.exams import Exams

PROBLEM = "exams"


@dataclass(slots=True)
class ExamParts:
    """The runner of the exams for chat models, with the models that it opened."""

    examine: ExamineModels
    world: SharedParts
    borrowed: BorrowedModels
    chats: list[OllamaChat] = field(default_factory=list)
    asking: set[str] = field(default_factory=set)

    def queue(self) -> Sequence[LullWork]:
        """Return the next exam of a chat model, as work for idle time.

        Only one, since its result may make others needless.
        """
        return [self._work(one) for one in self.examine.waiting()[:1]]

    def _work(self, one: WaitingExam) -> ExamWork:
        async def step(within_s: float) -> bool:
            self.asking.add(one.model)
            return await self.examine.step(one.model, one.role, within_s=within_s)

        return ExamWork(one, step=step, clock=self.world.clock, models=self.borrowed)

    async def close(self) -> None:
        for chat in self.chats:
            await chat.close()


class _Examinees:
    """Opens chat models as reader, judge and writer; each once for the judge's present settings."""

    def __init__(
        self, world: SharedParts, settings: Callable[[], Settings], prompts: JudgePrompts
    ) -> None:
        self.chats: list[OllamaChat] = []
        self._world = world
        self._settings = settings
        self._prompts = prompts
        self._coin = random.SystemRandom()
        self._known: dict[tuple[str, int, float], Examinee] = {}

    def named(self, name: str) -> Examinee:
        judge = self._settings().judge
        key = (name, judge.votes, judge.temperature)
        if key not in self._known:
            self._known[key] = self._opened(name, judge)
        return self._known[key]

    def _opened(self, name: str, judge: JudgeSettings) -> Examinee:
        # OllamaChat refuses models that do not run on this machine.
        chat = OllamaChat(
            self._world.models.ollama.address, name, timeout_s=HURRIED_S, own_upstream=True
        )
        self.chats.append(chat)
        return Examinee(
            reader=ChatReader(chat, coin=self._coin),
            judge=LlmJudge(
                chat,
                coin=self._coin,
                prompts=self._prompts,
                votes=judge.votes,
                temperature=judge.temperature,
            ),
            writer=ModelEvolver(chat, coin=self._coin),
        )


def exams_of(world: SharedParts, settings: Callable[[], Settings], quiet: Quiet) -> ExamParts:
    """Build the exams (labelled items) that decide which chat models may read feedback, judge
    answers and write skills.

    Missing resource files are shown as a problem, and then nothing is examined.
    """
    try:
        prompts, papers, small = JudgePrompts.shipped(), sheets(), small_reader()
    except ResourceError as error:
        world.problems.report(PROBLEM, error)
        prompts, papers, small = JudgePrompts(turn="", wish="", pair=""), {}, None
    examinees = _Examinees(world, settings, prompts)
    asking: set[str] = set()
    examine = ExamineModels(
        Exams(world.stores.database),
        candidates=_candidates(world, settings),
        papers=ExamPapers(papers, forms=lambda role: _form(role, settings().judge), small=small),
        examinee=examinees.named,
        quiet=quiet,
        clock=world.clock,
    )
    borrowed = BorrowedModels(
        loaded=world.models.ollama.loaded,
        unload=world.models.ollama.unload,
        asked=lambda: asking,
        activity=world.activity,
        clock=world.clock,
    )
    return ExamParts(
        examine=examine, world=world, borrowed=borrowed, chats=examinees.chats, asking=asking
    )


def _candidates(world: SharedParts, settings: Callable[[], Settings]) -> ExamCandidates:
    upstream = settings().upstream.resolved(os.environ, own_port=settings().service.port)
    return ExamCandidates(
        OllamaModels(world.asking, upstream),
        state=world.models.ollama,
        settings=lambda: wanted(settings()),
        memory=this_memory,
    )


def _form(role: ModelRole, judge: JudgeSettings) -> str:
    """Name the form of a role's exam; a result for another form does not count any more."""
    match role:
        case ModelRole.READER:
            return f"read-{prompt_mark()}"
        case ModelRole.JUDGE:
            mark = prompt_sha256("judge-wish")[:12]
            return f"judge-{RULES}-{mark}-{judge.votes}-{judge.temperature:g}"
        case ModelRole.WRITER:
            return f"evolve-{prompt_sha256('evolve')[:12]}"


def models_and_addresses(settings: Settings) -> dict[ModelRole, tuple[str, str]]:
    """Return the model and address of each role (feedback reader, judge, skill writer) as set in
    the settings.
    """
    return {
        ModelRole.READER: (settings.reader.model, ""),
        ModelRole.JUDGE: (settings.judge.model, settings.judge.address),
        ModelRole.WRITER: (settings.writer.model, settings.writer.address),
    }


def wanted(settings: Settings) -> dict[ModelRole, str]:
    """Return the setting that names the model for each role (feedback reader, judge, skill writer)
    whose exam Lull runs; "" for a model at its own address.

    Only its owner knows what such a server is and where it runs, so it is not examined.
    """
    known = models_and_addresses(settings)
    return {role: "" if address else model for role, (model, address) in known.items()}


def this_memory() -> MachineMemory:
    """Read this machine's memory sizes, which decide which chat models are examined."""
    found = psutil.virtual_memory()
    return MachineMemory(total_bytes=found.total, available_bytes=found.available)
