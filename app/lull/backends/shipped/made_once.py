"""A folder of model weights that is made when first needed, and again after damage."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from lull.backends.mlx.model_folder import check_model_folder
from lull.backends.mlx.weight_folders import is_current
from lull.core.errors import EngineError, WeightsError


class FolderMadeOnce:
    """The folder of one model's MLX weights, made by the first caller that needs it; later callers
    wait for it or find it complete.
    """

    def __init__(self, place: Path, make: Callable[[], Awaitable[None]]) -> None:
        """Configure the folder: `place` is its path, and the function `make` makes it when it is
        needed.
        """
        self.place = place
        self._make = make
        self._one_at_a_time = asyncio.Lock()

    @property
    def is_made(self) -> bool:
        """Whether the folder of weights is as this version of Lull makes it and its files have the
        right sizes. Blocking.
        """
        try:
            check_model_folder(self.place)
        except EngineError:
            return False
        return is_current(self.place)

    async def folder(self) -> Path:
        """Return the folder of weights, making it if it is missing or damaged.

        Raises what `make` raises, and WeightsError if a damaged folder cannot be deleted.
        """
        async with self._one_at_a_time:
            if not await asyncio.to_thread(lambda: self.is_made):
                await asyncio.to_thread(self._clear)
                await self._make()
        return self.place

    def _clear(self) -> None:
        """Delete a damaged folder, which would otherwise count as complete."""
        try:
            if self.place.exists():
                shutil.rmtree(self.place)
        except OSError as error:
            raise WeightsError(
                f"{error.filename or self.place}: {error.strerror}.",
                hint="Check the disk, and who may write there.",
            ) from error
