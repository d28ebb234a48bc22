"""Tells whether the weights of the built-in chat model have been made on this machine (a small open
model with a LoRA adapter merged in), and makes them ahead of the model's first request.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Protocol

from lull.contract.json_object import Json
from lull.core.errors import LullError

log = logging.getLogger(__name__)


class MadeAtFirstUse(Protocol):
    """Interface of a model whose weights are made on this machine when the model is first used."""

    progress: float | None
    """Share of the weights that has been made so far, 0 to 1; None while no weights are being made.
    """

    @property
    def is_made(self) -> bool:
        """Whether the model's weights have been made. Blocking. Raises ResourceError if they cannot
        be made.
        """

    async def folder(self) -> Path:
        """Return the folder with the model's weights; make the weights first if they are missing.
        Raises LullError.
        """


class BuiltInReadiness:
    """Answers the control API's requests about the weights of the built-in chat model: whether they
    have been made on this machine yet, and to make them now.
    """

    def __init__(self, model: MadeAtFirstUse, *, name: str) -> None:
        self._model = model
        self._name = name
        self._ready = False
        """Known to be made; not looked at again, since that reads the whole vocabulary."""
        self._making: asyncio.Task[None] | None = None
        self._problem = ""

    async def state(self) -> Json:
        """Return the JSON of the built-in chat model: its name, whether its weights have been made
        (`ready`), the share made so far (`progress`, 0 to 1, None while none are being made), and
        what went wrong (`problem`, "" if nothing).
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
        """Begin to make the built-in model's weights in the background, unless they have been made
        or are being made.
        """
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
        """Stop making the built-in model's weights; the next request that needs them makes them."""
        if self._making is not None:
            self._making.cancel()
            await asyncio.gather(self._making, return_exceptions=True)
