"""Tells the proxy and the command line about the upstream Ollama: whether it runs and has
models.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable

import aiohttp

from lull.backends.ollama.facts import OllamaFacts
from lull.config.settings import Settings
from lull.core.adapters.model_facts import ModelFacts
from lull.service.wiring.own_models import BUILT_IN


class OllamaUpstream:
    """The state of the upstream Ollama for the proxy, running or not; implements `Upstream`."""

    def __init__(self, facts: OllamaFacts) -> None:
        self._facts = facts
        self.look_again = asyncio.Event()
        self.built_in_is_there = False
        self.built_in_problem = ""

    @property
    def alone(self) -> bool:
        """Whether Ollama was not reached since the start, so that Lull answers alone."""
        return not self._facts.ever_seen

    @property
    def how_to_start(self) -> str:
        return (
            f"Ollama is not running at {self._facts.address}: start it with `ollama serve` or open"
            f" the Ollama app.{self._built_in()}"
        )

    def _built_in(self) -> str:
        if self.built_in_is_there:
            return f" The built-in model answers as '{BUILT_IN}'."
        if self.built_in_problem:
            return f" The built-in model cannot answer: {self.built_in_problem}"
        return ""

    @property
    def empty(self) -> bool:
        """Whether Ollama has no models, so that only the built-in one can answer."""
        return not self._facts.state.models

    def remote(self, model: str) -> bool | Awaitable[bool]:
        return self._facts.remote(model)

    def facts(self, model: str) -> ModelFacts | Awaitable[ModelFacts]:
        return self._facts.facts(model)

    def failed(self) -> None:
        """Probe Ollama soon, because a request to it failed."""
        self.look_again.set()


async def look_at_ollama(settings: Settings) -> OllamaFacts:
    """Probe Ollama once for its state and models, without a running service. Raises
    SettingsError.
    """
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        address = settings.upstream.resolved(os.environ, own_port=settings.service.port)
        facts = OllamaFacts(session, address, on_change=lambda _: None)
        await facts.probe()
        return facts
