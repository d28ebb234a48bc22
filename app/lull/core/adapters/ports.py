"""Interface (port) by which a restarted engine has its LoRA adapters checked."""

from __future__ import annotations

from typing import Protocol

from lull.core.errors import LullError


class ReloadedAdapters(Protocol):
    """Interface that checks the LoRA adapters which a restarted engine loads again, and hears of
    those that it could not load.
    """

    def damage_of(self, sha256: str, folder: str) -> str:
        """Describe what is wrong with the files of the adapter with this sha256 in a folder; "" if
        nothing. Blocking.
        """

    def on_load_failure(self, sha256: str, error: LullError) -> None:
        """Hear that the engine could not load the adapter with this sha256, and why. Never
        blocks.
        """
