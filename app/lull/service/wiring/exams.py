"""The exams, put together: who is asked, under which settings, and when."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import psutil

from lull.backends.chat_reader import ChatReader, prompt_mark
from lull.backends.exam_sheets import sheets, small_reader
from lull.backends.llm_judge import RULES, JudgePrompts, LlmJudge
from lull.backends.model_evolver import ModelEvolver
from lull.backends.ollama_chat import OllamaChat
from lull.backends.ollama_models import OllamaModels
from lull.config.settings import Settings
from lull.core.errors import ResourceError
from lull.core.lull_work import LullWork
from lull.core.models.candidates import Memory
from lull.core.models.exam import Role
from lull.core.ports import Quiet
from lull.loops.exam_work import ExamWork
from lull.loops.examine_models import HURRIED_S, Examinee, ExamineModels, Waiting
from lull.resources import prompt_sha256
from lull.service.borrowed_models import BorrowedModels
from lull.service.wiring.asking import World
from lull.store.exams import Exams

PROBLEM = "exams"


@dataclass(slots=True)
class ExamParts:
    """The story, with the doors to the models it asks."""

    examine: ExamineModels
    world: World
    borrowed: BorrowedModels
    chats: list[OllamaChat] = field(default_factory=list)
    asking: set[str] = field(default_factory=set)

    def queue(self) -> Sequence[LullWork]:
        """One at a time: what comes next may turn out not to be needed."""
        return [self._work(one) for one in self.examine.waiting()[:1]]

    def _work(self, one: Waiting) -> ExamWork:
        async def borrow() -> None:
            await self.borrowed.borrow()
            self.asking.add(one.model)

        return ExamWork(
            one,
            step=lambda within_s: self.examine.step(one.model, one.role, within_s=within_s),
            clock=self.world.clock,
            borrow=borrow,
            free=self.borrowed.give_back,
        )

    async def close(self) -> None:
        for chat in self.chats:
            await chat.close()


def exams_of(world: World, settings: Callable[[], Settings], quiet: Quiet) -> ExamParts:
    """What is missing among Lull's own files is a problem, and then nobody is examined."""
    chats: list[OllamaChat] = []
    asking: set[str] = set()
    coin = random.SystemRandom()
    try:
        prompts, papers, small = JudgePrompts.shipped(), sheets(), small_reader()
    except ResourceError as error:
        world.problems.came(PROBLEM, error)
        prompts, papers, small = JudgePrompts(turn="", wish="", pair=""), {}, None

    def examinee(name: str) -> Examinee:
        now = settings()
        # Never elsewhere: an OllamaChat refuses what does not run on this machine.
        chat = OllamaChat(world.ollama.address, name, timeout_s=HURRIED_S, own_upstream=True)
        chats.append(chat)
        return Examinee(
            reader=ChatReader(chat, coin=coin),
            judge=LlmJudge(
                chat,
                coin=coin,
                prompts=prompts,
                votes=now.judge.votes,
                temperature=now.judge.temperature,
            ),
            writer=ModelEvolver(chat, coin=coin),
        )

    known: dict[tuple[str, int, float], Examinee] = {}

    def one_each(name: str) -> Examinee:
        judge = settings().judge
        key = (name, judge.votes, judge.temperature)
        if key not in known:
            known[key] = examinee(name)
        return known[key]

    def forms(role: Role) -> str:
        judge = settings().judge
        match role:
            case Role.READER:
                return f"read-{prompt_mark()}"
            case Role.JUDGE:
                mark = prompt_sha256("judge-wish")[:12]
                return f"judge-{RULES}-{mark}-{judge.votes}-{judge.temperature:g}"
            case Role.WRITER:
                return f"evolve-{prompt_sha256('evolve')[:12]}"

    examine = ExamineModels(
        Exams(world.stores.database),
        models=OllamaModels(world.asking, settings().upstream.resolved(os.environ)),
        loaded=world.ollama.loaded,
        here=world.ollama.digests,
        sheets=papers,
        forms=forms,
        small=small,
        examinee=one_each,
        settings=lambda: wanted(settings()),
        memory=this_memory,
        quiet=quiet,
        clock=world.clock,
    )
    borrowed = BorrowedModels(
        loaded=world.ollama.loaded,
        unload=world.ollama.unload,
        asked=lambda: asking,
        activity=world.activity,
        clock=world.clock,
    )
    return ExamParts(examine=examine, world=world, borrowed=borrowed, chats=chats, asking=asking)


def models_and_addresses(settings: Settings) -> dict[Role, tuple[str, str]]:
    """Who is to do what, as the settings say."""
    return {
        Role.READER: (settings.reader.model, ""),
        Role.JUDGE: (settings.judge.model, settings.judge.address),
        Role.WRITER: (settings.writer.model, settings.writer.address),
    }


def wanted(settings: Settings) -> dict[Role, str]:
    """Of whom an exam is wanted. A server at an address of its own is nobody's to examine: what it
    is and where it runs, only its owner knows."""
    known = models_and_addresses(settings)
    return {role: "" if address else model for role, (model, address) in known.items()}


def this_memory() -> Memory:
    found = psutil.virtual_memory()
    return Memory(total_bytes=found.total, available_bytes=found.available)
