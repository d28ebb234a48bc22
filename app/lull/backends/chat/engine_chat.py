"""Lets Lull's own inference engine answer like any chat model; used to replay past requests when a
skill (an instruction text) is tested.

The engine answers as it would for a client: sampling options that the caller leaves open get the
model's own values. It supports neither structured output nor tools; requests for them are refused,
so that free text is never mistaken for structured output.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from lull.backends.chat.endpoint import MOST_ANSWER_BYTES, NO_END, build_completion, too_long
from lull.core.chat.messages import (
    Completion,
    Finish,
    Message,
    MessagePart,
    PartKind,
    Sampling,
)
from lull.core.errors import EngineDown, RequestError
from lull.core.models.engine import Chunk, Engine, GenerateRequest

_OPEN: Final = Sampling()


class EngineChat:
    """Has Lull's own inference engine answer the chat requests that Lull itself makes; implements
    the `ChatModel` port.
    """

    def __init__(
        self, engine: Engine, name: str, *, timeout_s: float, own_sampling: Sampling = _OPEN
    ) -> None:
        """Wrap an engine; `own_sampling` fills in sampling parameters that a request leaves
        open.
        """
        self.name = name
        self._engine = engine
        self._own = own_sampling
        self._timeout_s = timeout_s

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        format: str = "",  # noqa: A002
        tools: str = "",
        adapter: str | None = None,
    ) -> Completion:
        """Have the engine answer one chat request. Raises EngineError, RequestError."""
        if format or tools:
            what = "structured output" if format else "tools"
            raise RequestError(f'"{self.name}" does not support {what}', status=400)
        return await self.chat_until(messages, sampling=sampling, adapter=adapter, enough=None)

    async def chat_until(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        adapter: str | None,
        enough: Callable[[str], bool] | None,
    ) -> Completion:
        """Answer one chat request, at most until the function `enough` is true of the answer so
        far (implements the interface StopsEarly). Raises EngineError, RequestError.
        """
        request = GenerateRequest(
            messages=tuple(_plain(message) for message in messages),
            sampling=self._filled(sampling),
            adapter=adapter,
        )
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._whole(request, enough)
        except TimeoutError as error:
            raise EngineDown(
                f"{self.name} did not answer within {self._timeout_s:g} s.",
                hint="A longer time limit in the settings helps.",
            ) from error

    async def _whole(
        self, request: GenerateRequest, enough: Callable[[str], bool] | None
    ) -> Completion:
        said: list[str] = []
        left = MOST_ANSWER_BYTES
        last: Chunk | None = None
        # Closing the generator stops the engine, even on cancellation.
        async with aclosing(self._engine.generate(request)) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                said.append(chunk.text)
                left -= len(chunk.text)
                if left < 0:
                    return too_long()
                last = chunk
                if enough is not None and chunk.finish is None and enough("".join(said)):
                    return _settled("".join(said))
        finish = last.finish if last is not None else None
        return build_completion(
            text="".join(said),
            finish=finish or Finish.ERROR,
            prompt_tokens=last.prompt_tokens if last else None,
            completion_tokens=last.completion_tokens if last else None,
            error="" if finish else NO_END,
        )

    def _filled(self, sampling: Sampling) -> Sampling:
        return sampling.or_else(self._own)


def _settled(said: str) -> Completion:
    whole = build_completion(
        text=said, finish=Finish.STOP, prompt_tokens=None, completion_tokens=None, error=""
    )
    return replace(whole, settled=True)


def _plain(message: Message) -> Message:
    """Reduce a message to its text, without images, as the engine serves clients."""
    return replace(message, parts=(MessagePart(kind=PartKind.TEXT, text=message.text),))
