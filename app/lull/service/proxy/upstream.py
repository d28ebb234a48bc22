"""Defines the interfaces of the two sources of answers to the proxy's requests: the upstream
Ollama, and the models that Lull's own engine serves.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.messages import ChatRequest
from lull.service.proxy.dialects.base import Dialect
from lull.service.proxy.forward import ProxyAnswer


class Upstream(Protocol):
    """Interface by which the proxy learns the state of the upstream Ollama, whether or not that
    runs.
    """

    @property
    def never_reached(self) -> bool:
        """Whether no Ollama was reached since Lull started, so that only the model that ships with
        Lull answers.
        """

    @property
    def has_no_models(self) -> bool:
        """Whether Ollama has no model, so that only the one that ships with Lull can answer."""

    @property
    def how_to_start(self) -> str:
        """A sentence that tells the user where Ollama is expected and how to start it."""

    def remote(self, model: str) -> bool | Awaitable[bool]:
        """Whether a model runs on another machine, so that Lull must not read its requests."""

    def facts(self, model: str) -> ModelFacts | Awaitable[ModelFacts]:
        """Return the digest of the weights, the context window and the adapter of a model."""

    def probe_soon(self) -> None:
        """Have Ollama probed soon (asked whether it runs), because a request could not be
        forwarded.
        """


class OwnModels(Protocol):
    """Interface of the models that Lull's own engine serves, without Ollama, through Ollama's
    API.
    """

    def answers(self, chat: ChatRequest) -> bool:
        """Whether Lull's own engine answers this chat request."""

    def only_lull_serves(self, name: str) -> bool:
        """Whether only Lull serves a model of this name, and Ollama has none."""

    def facts(self, name: str) -> ModelFacts:
        """Return a model's facts (digest, context window, adapter …), to be recorded with an
        answer. Raises RequestError (404) if the model is not served.
        """

    async def answer(
        self, dialect: Dialect, body: bytes, *, adapter: str | None = ...
    ) -> ProxyAnswer:
        """Answer a chat request from Lull's own engine with the LoRA adapter `adapter`; None means
        the base model, the default means the adapter in use.

        Errors of the client or the engine become answers.
        """

    def needs_body(self, method: str, path: str) -> bool:
        """Whether a request to this path may concern models that Lull's own engine serves, so that
        its body must be read to find out.
        """

    def lists(self, path: str) -> bool:
        """Whether requests to this path concern all models rather than one named in the body."""

    def merger(self, path: str) -> Callable[[bytes], bytes] | None:
        """Return the function that adds Lull's models to the upstream's listing at this path.

        None for other paths.
        """

    async def answer_non_chat(
        self, method: str, path: str, body: bytes, *, alone: bool
    ) -> ProxyAnswer | None:
        """Answer a request that is not a chat request (such as one to show a model) from the data
        of the models that Lull itself serves; return None if the upstream Ollama should answer.
        """

    def unknown_route(self, method: str, path: str, how_to_start: str) -> ProxyAnswer:
        """Return the error answer for a path that Lull itself does not serve, when there is no
        Ollama to ask; `how_to_start` is the text of the error for a path that Ollama could answer.
        """
