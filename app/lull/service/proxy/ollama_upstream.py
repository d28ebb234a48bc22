"""Tells the proxy about the upstream Ollama: whether it runs, whether it has models, and what to
advise the user while it does not run.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from lull.core.adapters.model_facts import ModelFacts
from lull.core.errors import LullError

AT_MOST_EVERY_S: Final = 0.2
"""Fewest seconds between two probes of Ollama, however many requests fail."""


class WatchedOllama(Protocol):
    """Interface of the part that watches an Ollama server and knows its state and models."""

    address: str
    ever_seen: bool
    """Whether the server answered since the start."""

    @property
    def has_models(self) -> bool:
        """Whether the Ollama server had any models when it was last asked to list them."""

    def remote(self, name: str) -> bool | Awaitable[bool]:
        """Return whether Ollama runs a model on another machine."""

    def facts(self, name: str) -> ModelFacts | Awaitable[ModelFacts]:
        """Return the facts of one of the Ollama server's models: its digest, context window, system
        text and LoRA adapter.
        """

    async def probe(self) -> bool:
        """Ask the Ollama server for its models; return whether it answered."""


class OllamaUpstream:
    """The state of the upstream Ollama for the proxy, running or not; implements `Upstream`."""

    def __init__(self, ollama: WatchedOllama, *, built_in: str) -> None:
        """`built_in` is the name of the built-in model, which answers without an Ollama too."""
        self._ollama = ollama
        self._built_in = built_in
        self._look_again = asyncio.Event()
        self.built_in_is_there = False
        """Whether the built-in model can answer."""
        self._built_in_problem: LullError | None = None

    def know_built_in(self, *, is_there: bool, problem: LullError | None = None) -> None:
        """Take note whether the built-in model can answer, and of the problem if it cannot."""
        self.built_in_is_there, self._built_in_problem = is_there, problem

    @property
    def never_reached(self) -> bool:
        """Whether Ollama has not been reached since Lull started, so that only the model that ships
        with Lull answers.
        """
        return not self._ollama.ever_seen

    @property
    def how_to_start(self) -> str:
        return (
            f"Ollama is not running at {self._ollama.address}: start it with `ollama serve` or open"
            f" the Ollama app.{self._instead()}"
        )

    def _instead(self) -> str:
        if self.built_in_is_there:
            return f" The built-in model answers as '{self._built_in}'."
        if (problem := self._built_in_problem) is not None:
            return f" The built-in model cannot answer: {problem.detail} {problem.hint}"
        return ""

    @property
    def has_no_models(self) -> bool:
        """Whether Ollama has no models, so that only the model that ships with Lull can answer."""
        return not self._ollama.has_models

    def remote(self, model: str) -> bool | Awaitable[bool]:
        return self._ollama.remote(model)

    def facts(self, model: str) -> ModelFacts | Awaitable[ModelFacts]:
        return self._ollama.facts(model)

    def probe_soon(self) -> None:
        """Have Ollama probed soon (asked whether it runs), because a request to it failed."""
        self._look_again.set()

    async def watch(self, every_s: Callable[[], float]) -> None:
        """Background job: probe Ollama every few seconds, and soon after a request failed."""
        while True:
            await self._ollama.probe()
            self._look_again.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(every_s()):
                    await self._look_again.wait()
            await asyncio.sleep(AT_MOST_EVERY_S)
