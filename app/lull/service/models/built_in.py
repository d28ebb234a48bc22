"""Tells whether the weights of the built-in chat model are made, and has them made ahead of its
first request.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any, Protocol

from lull.core.errors import LullError

log = logging.getLogger(__name__)
Json = dict[str, Any]


class MadeAtFirstUse(Protocol):
    """A model whose weights are made at first use."""

    progress: float | None
    """Share of the weights that is made, 0 to 1; None while they are not being made."""

    @property
    def is_made(self) -> bool:
        """Whether the weights are made. Blocking. Raises ResourceError if they cannot be."""

    async def folder(self) -> Path:
        """Make the weights unless they are there. Raises LullError."""


class BuiltInReadiness:
    """Answers the control API's requests about the weights of the built-in chat model."""

    def __init__(self, model: MadeAtFirstUse, *, name: str) -> None:
        self._model = model
        self._name = name
        self._ready = False
        """Known to be made; not looked at again, since that reads the whole vocabulary."""
        self._making: asyncio.Task[None] | None = None
        self._problem = ""

    async def state(self) -> Json:
        """Return the model's name, whether its weights are made, how far that is (0 to 1, None
        while nothing is being made), and what went wrong ("" if nothing).
        """
        problem = self._problem
        try:
            self._ready = self._ready or await asyncio.to_thread(lambda: self._model.is_made)
        except LullError as error:
            problem = f"{error.detail} {error.hint}".strip()
        return {
            "name": self._name,
            "ready": self._ready,
            "progress": None if self._ready else self._model.progress,
            "problem": "" if self._ready else problem,
        }

    async def prepare(self) -> Json:
        """Begin to make the weights in the background, unless they are made or being made."""
        if self._making is None or self._making.done():
            self._problem = ""
            self._making = asyncio.create_task(self._make())
        await asyncio.sleep(0)
        return await self.state()

    async def _make(self) -> None:
        try:
            await self._model.folder()
        except LullError as error:
            log.info("%s could not be made ready: %s", self._name, error)
            self._problem = f"{error.detail} {error.hint}".strip()

    async def close(self) -> None:
        """Stop making the weights; the next request for them makes them."""
        if self._making is not None:
            self._making.cancel()
            await asyncio.gather(self._making, return_exceptions=True)
