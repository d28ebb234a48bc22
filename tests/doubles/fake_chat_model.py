"""A scripted chat model for tests, without a server; behaves like the real ones.

Answers are given in turn and the last one is repeated; an error among them is raised. Without
answers it repeats the words of the newest message, shuffled by the seed. It passes
`tests/backends/chat/test_chat_model_contract.py` like the real ones.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lull.core.chat.messages import Completion, Finish, Message, Role, Sampling, Usage, text_message
from lull.core.errors import LullError, RequestError
from tests.doubles.scripted_endpoint import echo


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAsk:
    """One recorded call of `FakeChatModel.chat`."""

    messages: tuple[Message, ...]
    sampling: Sampling
    format: str
    tools: str
    adapter: str | None

    @property
    def newest(self) -> str:
        return self.messages[-1].text


Reply = str | dict[str, object] | Completion | LullError
Says = Reply | Callable[[ChatAsk], Reply]
"""An answer to give, or a function that returns one; a dict is sent as JSON text."""


def complete(text: str, finish: Finish = Finish.STOP, tokens: int = 3) -> Completion:
    return Completion(
        message=text_message(Role.ASSISTANT, text),
        finish=finish,
        usage=Usage(prompt_tokens=11, completion_tokens=tokens),
    )


class FakeChatModel:
    """A chat model that gives scripted answers (implements `core.ports.ChatModel`)."""

    def __init__(self, *answers: Says, name: str = "fake-model") -> None:
        self.name = name
        self.asked: list[ChatAsk] = []
        self.adapters: set[str] = set()
        self.failure: LullError | None = None
        """Error that every call raises while it is set."""
        self.hanging = False
        """Whether calls hang without an answer."""
        self.hanging_after: int | None = None
        """Number of calls after which all others hang; None: no such number."""
        self.hangups = 0
        self.answers = list(answers)

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        format: str = "",  # noqa: A002
        tools: str = "",
        adapter: str | None = None,
    ) -> Completion:
        ask = ChatAsk(
            messages=tuple(messages),
            sampling=sampling,
            format=format,
            tools=tools,
            adapter=adapter,
        )
        self.asked.append(ask)
        if adapter is not None and adapter not in self.adapters:
            raise RequestError(f"The adapter {adapter!r} is not loaded.", status=400)
        await self._wait()
        if self.failure is not None:
            raise self.failure
        return self._said(ask)

    async def _wait(self) -> None:
        late = self.hanging_after is not None and len(self.asked) > self.hanging_after
        try:
            await (asyncio.Event().wait() if self.hanging or late else asyncio.sleep(0))
        except asyncio.CancelledError:
            self.hangups += 1
            raise

    def _said(self, ask: ChatAsk) -> Completion:
        if not self.answers:
            return _echoed(ask)
        answer = self.answers[0]
        self.answers = self.answers[1:] or self.answers
        reply = answer(ask) if callable(answer) else answer
        if isinstance(reply, LullError):
            raise reply
        if isinstance(reply, Completion):
            return reply
        return complete(reply if isinstance(reply, str) else json.dumps(reply))


def _echoed(ask: ChatAsk) -> Completion:
    drawn = ask.sampling
    text, cut, tokens = echo(
        ask.newest, seed=drawn.seed, temperature=drawn.temperature, limit=drawn.max_tokens
    )
    return complete(text, Finish.LENGTH if cut else Finish.STOP, tokens)
