"""Finds installed chat apps by their executables, and their versions without running them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PACKAGE_LIMIT: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class ProgramsOnPath:
    """Finds installed programs in the folders of the PATH variable; implements
    InstalledPrograms.
    """

    path: str | None
    """The PATH; None for that of this process."""

    def executable(self, names: Sequence[str]) -> Path | None:
        """Return the path of the first of these programs that is found on the PATH; None if none
        is.
        """
        for name in names:
            if found := shutil.which(name, path=self.path):
                return Path(found)
        return None

    def version(self, executable: Path, names: Sequence[str]) -> str | None:
        """Return the version of the npm or pip package that a program belongs to; None if unknown.

        An npm program lies inside its package, a pip program beside its environment's packages.
        Running it would take seconds, and some programs look for updates then.
        """
        try:
            real = executable.resolve(strict=True)
        except OSError:
            return None
        return _npm_version(real) or _pip_version(real, executable, names)


def _npm_version(real: Path) -> str | None:
    for folder in list(real.parents)[:4]:
        package = folder / "package.json"
        try:
            if package.stat().st_size > _PACKAGE_LIMIT:
                return None
            version = json.loads(package.read_text("utf-8")).get("version")
            return str(version) if version else None
        except (OSError, ValueError, AttributeError):
            continue
    return None


def _pip_version(real: Path, executable: Path, names: Sequence[str]) -> str | None:
    wanted = re.compile(
        rf"(?:{'|'.join(re.escape(name.replace('-', '_')) for name in names)})(?:_chat)?"
        r"-(\d[^-]*)\.dist-info",
        re.IGNORECASE,
    )
    for base in {real.parents[1], executable.parent.parent}:
        for folder in sorted(base.glob("lib/python3*/site-packages/*.dist-info")):
            if found := wanted.fullmatch(folder.name):
                return found[1]
    return None
