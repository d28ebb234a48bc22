"""A scripted engine for tests, without a model; behaves like the real one.

By default it answers with the words of the newest message and the adapter's name, shuffled by the
seed, so that tests see which prompt, adapter and seed were used. Pass `answer` for others. It
passes `tests/backends/mlx/test_engine_contract.py` like `MlxEngine`.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import random
import re
from collections.abc import AsyncGenerator, Callable, Sequence

from lull.core.chat.messages import Finish
from lull.core.errors import EngineDown, EngineError, RequestError, UpstreamDown
from lull.core.models.engine import Chunk, EngineStatus, GenerateRequest, Token

Say = Callable[[GenerateRequest], str]


class FakeEngine:
    """An engine that gives scripted answers, one token per word; token id 0 ends an answer."""

    def __init__(self, answer: Say | None = None, *, window_tokens: int = 512) -> None:
        self.window_tokens = window_tokens
        self.requests: list[GenerateRequest] = []
        """All requests received, in order."""
        self.adapters: dict[str, str] = {}
        """Folder of each loaded adapter, by version."""
        self.away: dict[str | None, float] = {}
        """KL divergence of a version from any other, in nats per token."""
        self.likes: Callable[[str | None, tuple[int, ...], tuple[int, ...]], float] = (
            lambda _adapter, _prompt, _answer: -1.0
        )
        """Log-probability of an answer after a prompt, both as token ids, under a version."""
        self.hangups = 0
        self.failure: EngineError | UpstreamDown | None = None
        """Error that every call raises while it is set."""
        self._answer = answer or _echo
        self._ids: dict[str, int] = {"": 0}
        self._in_flight = 0
        self._decoded = 0
        self._unseeded = itertools.count(1)

    def says(self, answer: Say) -> None:
        """Answer with this function from now on."""
        self._answer = answer

    def knock_down(self) -> None:
        """Simulate a crash: every call raises EngineDown until `failure` is set back to None."""
        self.failure = EngineDown(
            "The built-in engine stopped unexpectedly (signal 9).",
            hint="It is being restarted; try again in a moment.",
        )

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[Chunk, None]:
        self._raise_failure()
        self.requests.append(request)
        prompt = self._checked_prompt(request)
        room = self.window_tokens - len(prompt)
        most = min(room, request.sampling.max_tokens or room)
        held = cut = ""
        self._in_flight += 1
        ended = False
        try:
            words = [*_words(self._say(request)), ""]
            for count, word in enumerate(words[:most], start=1):
                await asyncio.sleep(0)
                self._raise_failure()
                self._decoded += 1
                stop = next((s for s in request.sampling.stop if s and s in held + word), None)
                finish = Finish.STOP if word == "" or stop else None
                if finish is None and count == most:
                    finish = Finish.LENGTH
                # Simpler than the real one, and allowed: with stop strings nothing is sent early.
                held += word
                cut = held[: held.index(stop)] if stop else held
                piece = cut if finish is not None or not request.sampling.stop else ""
                if piece:
                    held = ""
                ended = finish is not None
                yield Chunk(
                    text=piece,
                    tokens=self._details(request, word),
                    finish=finish,
                    prompt_tokens=len(prompt) if ended else 0,
                    completion_tokens=count if ended else 0,
                )
                if ended:
                    return
        finally:
            self._in_flight -= 1
            if not ended:
                self.hangups += 1

    async def tokenize(self, request: GenerateRequest) -> tuple[int, ...]:
        self._raise_failure()
        return self._checked_prompt(request)

    async def divergence(
        self,
        prompt_ids: Sequence[int],
        ids: Sequence[int],
        *,
        adapter: str | None,
        against: str | None = None,
        against_prompt_ids: Sequence[int] = (),
    ) -> tuple[float, ...]:
        """Return the scripted KL divergence between the two versions at each token, from `away`."""
        self._raise_failure()
        for version, read in ((adapter, prompt_ids), (against, against_prompt_ids or prompt_ids)):
            self._checked_prompt(GenerateRequest(prompt_ids=tuple(read), adapter=version))
        if not ids:
            raise RequestError("There is no answer to compare.", status=400)
        return (0.0 if adapter == against else self.away.get(adapter, 0.0),) * len(ids)

    async def answer_logprobs(
        self, prompt_ids: Sequence[int], ids: Sequence[int], *, adapter: str | None
    ) -> tuple[float, ...]:
        """Return the scripted log-probability of each token, from `likes`."""
        self._raise_failure()
        self._checked_prompt(GenerateRequest(prompt_ids=tuple(prompt_ids), adapter=adapter))
        if not ids:
            raise RequestError("There is no answer to compare.", status=400)
        return (self.likes(adapter, tuple(prompt_ids), tuple(ids)) / len(ids),) * len(ids)

    async def load_adapter(self, version: str, folder: str) -> None:
        self._raise_failure()
        self.adapters[version] = folder

    def expect_adapter(self, version: str, folder: str) -> None:
        self.adapters[version] = folder

    async def drop_adapter(self, version: str) -> None:
        self.adapters.pop(version, None)

    async def status(self) -> EngineStatus:
        return EngineStatus(
            loaded=self.failure is None,
            adapters=tuple(self.adapters),
            in_flight=self._in_flight,
            window_tokens=self.window_tokens,
            parameters=1_000,
            memory_mb=1.0,
            size_bytes=4_000,
            decoded_tokens=self._decoded,
        )

    def _raise_failure(self) -> None:
        if self.failure is not None:
            raise self.failure

    def _checked_prompt(self, request: GenerateRequest) -> tuple[int, ...]:
        ids = request.prompt_ids or tuple(self._id(word) for word in _words(_asked(request)))
        if not ids:
            raise RequestError("The prompt is empty.", status=400)
        if len(ids) >= self.window_tokens:
            raise RequestError(
                f"The prompt has {len(ids)} tokens; the model's window is {self.window_tokens}, "
                "and an answer needs room in it.",
                status=400,
            )
        if request.adapter is not None and request.adapter not in self.adapters:
            raise RequestError(f"The adapter {request.adapter!r} is not loaded.", status=400)
        return ids

    def _say(self, request: GenerateRequest) -> str:
        text = self._answer(request)
        if request.sampling.temperature == 0 or self._answer is not _echo:
            return text
        seed = request.sampling.seed
        words = _words(text)
        random.Random(next(self._unseeded) if seed is None else seed).shuffle(words)
        return "".join(words)

    def _details(self, request: GenerateRequest, word: str) -> tuple[Token, ...]:
        if request.logprobs is None:
            return ()
        ranked = [(self._id(word), math.log(0.5), word)]
        ranked += [(1_000_000 + i, math.log(0.5) - i, f"other{i}") for i in range(1, 20)]
        top = tuple(ranked[: request.logprobs])
        return (Token(id=self._id(word), logprob=math.log(0.5), text=word, top=top),)

    def _id(self, word: str) -> int:
        return self._ids.setdefault(word, len(self._ids))


def _asked(request: GenerateRequest) -> str:
    said = [f"{message.role.value}: {message.text}\n" for message in request.messages]
    return request.prompt if request.prompt is not None else "".join(said)


def _echo(request: GenerateRequest) -> str:
    newest = request.messages[-1].text if request.messages else request.prompt or "some ids"
    return f"{request.adapter or 'base'} hears: {newest}"


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+|\s+$", text)
