"""Tests that a tiny model of a real Ollama takes its exam, fails, and is told why."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import aiohttp
import pytest
import pytest_asyncio

from lull.backends.chat.llm_judge import JudgePrompts, LlmJudge
from lull.backends.chat.skill_writer import ModelEvolver
from lull.backends.ollama.chat import OllamaChat
from lull.backends.ollama.facts import OllamaFacts
from lull.backends.ollama.models import OllamaModels
from lull.backends.reader.chat_reader import ChatReader
from lull.backends.reader.exam_sheets import load_exams
from lull.backends.system.clock import SystemClock
from lull.core.chat.messages import Completion, Message, Sampling
from lull.core.models.candidates import MachineMemory
from lull.core.models.exam import ModelRole
from lull.loops.models.exam_candidates import ExamCandidates
from lull.loops.models.exam_papers import ExamPapers
from lull.loops.models.examine_models import Examinee, ExamineModels
from lull.store.models.exams import Exams
from lull.store.sqlite.database import Database
from tests.doubles.fakes import FakeCoin
from tests.ollama.conftest import RealOllama

pytestmark = pytest.mark.slow

T = TypeVar("T")
MODEL = "pocket-gguf"
WAIT_S = 280.0


class FewWords:
    """A chat model that is stopped after 12 tokens, as it never gives JSON anyway."""

    def __init__(self, chat: OllamaChat) -> None:
        self.name = chat.name
        self._chat = chat

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        format: str = "",  # noqa: A002
        tools: str = "",
        adapter: str | None = None,
    ) -> Completion:
        few = replace(sampling, max_tokens=12)
        return await self._chat.chat(messages, sampling=few, format=format)


class AtOnce:
    async def run(self, work: Callable[[], Awaitable[T]], *, hurry: bool = False) -> T:
        return await work()


@pytest_asyncio.fixture
async def story(ollama: RealOllama, tmp_path: Path) -> AsyncIterator[ExamineModels]:
    database = Database(tmp_path / "lull.db")
    chat = OllamaChat(ollama.address, MODEL, timeout_s=WAIT_S, own_upstream=True)
    model, coin = FewWords(chat), FakeCoin()
    judge = load_exams()[ModelRole.JUDGE]
    async with aiohttp.ClientSession() as session:
        facts = OllamaFacts(session, ollama.address, on_change=lambda _: None)
        assert await facts.probe()
        yield ExamineModels(
            Exams(database),
            candidates=ExamCandidates(
                OllamaModels(session, ollama.address),
                state=facts,
                settings=lambda: {
                    ModelRole.JUDGE: MODEL,
                    ModelRole.READER: "none",
                    ModelRole.WRITER: "none",
                },
                memory=lambda: MachineMemory(total_bytes=10**12, available_bytes=10**12),
            ),
            papers=ExamPapers(
                {ModelRole.JUDGE: replace(judge, items=judge.items[:14])},
                forms=lambda _: "words",
                small=None,
            ),
            examinee=lambda _: Examinee(
                reader=ChatReader(model, coin=coin),
                judge=LlmJudge(model, coin=coin, prompts=JudgePrompts.shipped(), votes=2),
                writer=ModelEvolver(model, coin=coin),
            ),
            quiet=AtOnce(),
            clock=SystemClock(),
        )
    await chat.close()
    database.close()


async def test_a_model_of_few_words_fails_its_exam_and_says_why(story: ExamineModels) -> None:
    await story.refresh()
    (waiting,) = story.waiting()
    assert (waiting.model, waiting.role, waiting.of) == (f"{MODEL}:latest", ModelRole.JUDGE, 14)
    while await story.step(waiting.model, waiting.role, within_s=WAIT_S):
        pass
    (result,) = story.results()
    assert result.passed is False and result.digest == waiting.digest
    assert result.low is not None and result.low < 0.7
    assert "accuracy, with good and bad answers weighted equally" in result.why
    assert f"Stopped after {result.n} of 14" in result.why
    assert story.admitted(ModelRole.JUDGE) is None
