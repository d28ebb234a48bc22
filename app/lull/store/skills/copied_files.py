"""Keeps the files beside a skill that is being copied to another chat app, from before the copy is
in the library until they lie in its folder.

So a kill in between leaves no copy without them: the next start moves or removes what waits.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from lull.core.errors import LullError
from lull.core.skills.skill import EVERYBODY, RESERVED_CLIENT, SkillKey
from lull.store.disk.on_disk import inside
from lull.store.skills.skill_files import copy_beside
from lull.store.skills.skill_folders import SkillFolders

T = TypeVar("T")


class CopiedFiles:
    """Holds the additional files of copies of skills until the library has these copies. Its plain
    methods block.
    """

    def __init__(self, folders: SkillFolders) -> None:
        self._folders = folders
        self._root = folders.root / "copies"

    async def taken_along(
        self, source: SkillKey, to: SkillKey, change: Callable[[], Awaitable[T]]
    ) -> T:
        """Copy the files beside a skill to a waiting folder, carry out the `change` that puts its
        copy `to` into the library, and move them into the copy's folder; return what the change
        returns.

        Raises SkillError, and what `change` raises: then nothing waits.
        """
        await asyncio.to_thread(self._hold, source, to)
        try:
            changed = await change()
        except LullError:
            await asyncio.to_thread(self.drop, to)
            raise
        await asyncio.to_thread(self.install, to)
        return changed

    def _hold(self, source: SkillKey, to: SkillKey) -> None:
        self.drop(to)
        copy_beside(self._folders.folder(source), self._held(to))

    def held(self) -> list[SkillKey]:
        """Return the copies of skills for which files wait: a kill came in between."""
        return [
            SkillKey(EVERYBODY if client.name == RESERVED_CLIENT else client.name, folder.name)
            for client in _folders_in(self._root)
            for folder in _folders_in(client)
        ]

    def install(self, to: SkillKey) -> None:
        """Move the files that wait for a copied skill into its folder, now that the library has it.
        Raises SkillError.
        """
        copy_beside(self._held(to), self._folders.folder(to))
        self.drop(to)

    def drop(self, to: SkillKey) -> None:
        """Remove the files that wait for a copied skill, since it is not in the library."""
        shutil.rmtree(self._held(to), ignore_errors=True)

    def _held(self, to: SkillKey) -> Path:
        return inside(inside(self._root, to.client or RESERVED_CLIENT), to.name)


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(one for one in folder.iterdir() if one.is_dir() and not one.is_symlink())
    except OSError:
        return []
