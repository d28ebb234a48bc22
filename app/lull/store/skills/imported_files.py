"""Keeps the files beside an imported skill, from before its proposal is stored until the user has
decided about its text.

They wait in `waiting/PROPOSAL/` of the library. So a kill in between leaves no approved skill
without them: the next start installs or removes what waits.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from lull.core.errors import Conflict
from lull.core.skills.skill import SkillKey
from lull.store.disk.on_disk import inside
from lull.store.skills.skill_files import check_beside, copy_beside
from lull.store.skills.skill_folders import SkillFolders


class ImportedFiles:
    """Holds the additional files of imported skills until the user has approved or rejected their
    texts. Its methods block.
    """

    def __init__(self, folders: SkillFolders) -> None:
        self._folders = folders
        self.root = folders.root / "waiting"

    def hold(self, proposal: str, source: Path) -> None:
        """Copy the files beside an imported skill to the waiting folder of its proposal. Raises
        SkillError.
        """
        copy_beside(source, self._held(proposal))

    def held(self) -> list[str]:
        """Return the ids of the proposals for which additional files wait."""
        return [folder.name for folder in _visible(self.root)]

    def install(self, proposal: str, key: SkillKey) -> None:
        """Copy the files that wait for a proposal into the folder of the skill, which is now
        approved, then remove those that waited. Raises SkillError.
        """
        source = self._held(proposal)
        if source.is_dir():
            copy_beside(source, self._folders.folder(key))
            self.remove(proposal)

    def remove(self, proposal: str) -> None:
        """Remove the files that wait for a proposal, with their folder."""
        shutil.rmtree(self._held(proposal), ignore_errors=True)

    def drop(self, proposal: str) -> None:
        """Remove the files that wait for a proposal, but leave their folder, which says that there
        were some.
        """
        for left in _visible(self._held(proposal)):
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)

    def were_dropped(self, proposal: str) -> bool:
        """Return whether a proposal had additional files and they were removed."""
        folder = self._held(proposal)
        return folder.is_dir() and not _visible(folder)

    def check(self, key: SkillKey, proposal: str = "") -> None:
        """Raise SkillError if a file beside the skill, or one that waits for its proposal, holds a
        password or a key; Conflict if those that waited were removed.
        """
        check_beside(self._folders.folder(key))
        if proposal:
            if self.were_dropped(proposal):
                raise Conflict(
                    f"The files beside '{key.name}' were removed after it was turned down.",
                    hint="Import its folder again: `lull skills import FOLDER`.",
                )
            check_beside(self._held(proposal))

    def _held(self, proposal: str) -> Path:
        return inside(self.root, proposal)


def _visible(folder: Path) -> list[Path]:
    try:
        return sorted(one for one in folder.iterdir() if not one.name.startswith("."))
    except OSError:
        return []
