"""Fixtures for the engine's tests: one tiny model, one reference process, one running engine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lull.backends.mlx.engine import EngineOptions, MlxEngine
from lull.core.chat.messages import Finish, Sampling
from lull.core.models.engine import Chunk, Engine, GenerateRequest, Token


@dataclass(frozen=True)
class Tiny:
    """A tiny model's folder, and the reference process that computes the right answers."""

    folder: Path
    process: subprocess.Popen[str]

    @property
    def model(self) -> Path:
        return self.folder / "model"

    def adapter(self, name: str) -> str:
        return str(self.folder / "adapters" / name)

    def ask(self, question: str, **arguments: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"ask": question, **arguments}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def greedy(self, prompt: list[int], count: int, adapter: str | None = None) -> list[int]:
        return list(self.ask("greedy", prompt=prompt, count=count, adapter=adapter))

    def penalised(self, prompt: list[int], count: int, **penalties: float) -> list[int]:
        return list(self.ask("penalised", prompt=prompt, count=count, **penalties))

    def logprobs(
        self, prompt: list[int], answer: list[int], adapter: str | None = None
    ) -> list[float]:
        return list(self.ask("logprobs", prompt=prompt, answer=answer, adapter=adapter))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tiny]:
    folder = tmp_path_factory.mktemp("tiny")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.engine.reference", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    known = Tiny(folder, process)
    known.ask("encode", text="the cat")  # answered once the model is made
    with process:
        yield known
        assert process.stdin is not None
        process.stdin.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def engine(tiny: Tiny) -> AsyncIterator[MlxEngine]:
    """The running engine that all tests share, with short slices of the prompt.

    Tests load adapters under versions of their own; ordinary prompts span several slices.
    """
    running = MlxEngine(tiny.model, options=EngineOptions(slice_tokens=16))
    await running.start()
    yield running
    await running.close()


@dataclass(frozen=True)
class Whole:
    """A whole answer, collected from its chunks."""

    text: str
    pieces: tuple[str, ...]
    tokens: tuple[Token, ...]
    last: Chunk

    @property
    def ids(self) -> list[int]:
        return [token.id for token in self.tokens]

    @property
    def finish(self) -> Finish | None:
        return self.last.finish


async def collect(engine: Engine, request: GenerateRequest) -> Whole:
    chunks = [chunk async for chunk in engine.generate(request)]
    return Whole(
        text="".join(chunk.text for chunk in chunks),
        pieces=tuple(chunk.text for chunk in chunks if chunk.text),
        tokens=tuple(token for chunk in chunks for token in chunk.tokens),
        last=chunks[-1],
    )


def asking(
    prompt: list[int] | str,
    *,
    adapter: str | None = None,
    logprobs: int | None = 0,
    **sampling: Any,
) -> GenerateRequest:
    text = prompt if isinstance(prompt, str) else None
    return GenerateRequest(
        prompt=text,
        prompt_ids=() if isinstance(prompt, str) else tuple(prompt),
        adapter=adapter,
        logprobs=logprobs,
        sampling=Sampling(**sampling),
    )
