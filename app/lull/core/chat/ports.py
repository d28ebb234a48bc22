"""Interface of a chat model that Lull itself asks (it does not forward users' requests to it)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from lull.core.chat.messages import Completion, Message, Sampling


class ChatModel(Protocol):
    """Interface of a chat model that Lull itself asks: to answer past requests again, to judge
    answers, or to write skills (instruction texts).
    """

    name: str
    """The model's name on its server, recorded with its judgements and in evidence."""

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        format: str = "",  # noqa: A002  the field's own word, as in ChatRequest
        tools: str = "",
        adapter: str | None = None,
    ) -> Completion:
        """Send messages to the model and return its complete answer. Cancelling the call stops the
        model.

        `format` and `tools` are JSON texts as in ChatRequest; `adapter` is the version of the LoRA
        adapter to answer with, None for the model without one. Raises UpstreamDown if the model
        server is absent or too slow, RequestError if it refuses the request, EngineError if Lull's
        own inference engine fails.
        """


class StopsEarly(Protocol):
    """Interface of a chat model whose answers may end as soon as enough is known of them."""

    async def chat_until(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        adapter: str | None,
        enough: Callable[[str], bool],
    ) -> Completion:
        """Answer like `chat`, but end the answer once the function `enough` is true of what it says
        so far; such an answer is `settled`. Raises what `chat` raises.
        """
