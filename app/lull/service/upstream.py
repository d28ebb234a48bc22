"""What the data plane knows of the upstream: is it there, whose are the models, how to start it."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from lull.core.policy import ModelFacts


class Upstream(Protocol):
    """An Ollama, or its absence."""

    @property
    def alone(self) -> bool:
        """No Ollama was seen since the start: the built-in model answers alone."""

    @property
    def empty(self) -> bool:
        """It has no model: only the built-in one can answer."""

    @property
    def how_to_start(self) -> str: ...

    def remote(self, model: str) -> bool | Awaitable[bool]:
        """A model that runs on somebody else's machine, which Lull may not touch."""

    def facts(self, model: str) -> ModelFacts | Awaitable[ModelFacts]: ...

    def failed(self) -> None:
        """A request could not be passed on: look again soon."""
