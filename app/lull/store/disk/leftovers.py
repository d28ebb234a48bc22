"""Removes temporary files left by processes that were killed while they wrote a file atomically.

Each name carries the writer's process id. A file is left over if that process is gone, or if the id
is now our own.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

_TEMPORARY: Final = re.compile(r"\..+\.(?P<pid>\d+)\.[0-9a-z_]+\.tmp")
"""`.NAME.PID.RANDOM.tmp`, the names of `write_atomically` and `write_private`."""
_WITHOUT_PID: Final = re.compile(
    r"\.(settings\.toml|secrets\.json)\.[0-9a-z_]{8}|.+\.db\.before-\d+\.tmp|etilqs_[0-9a-f]{16}"
)
"""Names without a process id, in the home folder only: from earlier versions, copies of the
database, and SQLite's temporary files, which it removes as soon as it has opened them."""
RESTORING: Final = "restoring.json"
READY: Final = ".ready.tmp"
"""Suffix of the folder with a verified backup that a restore is about to move into place."""
_SKIPPED_FOLDERS: Final = frozenset({"vectors", "models", "logs", "run"})
"""Subfolders of the home that are not swept."""


def sweep_leftovers(home: Path, *, alive: Callable[[int], bool]) -> list[Path]:
    """Remove the temporary files that killed processes left in Lull's data folder, and return their
    paths.

    Call it while holding the lock of Lull's data folder, before anything is written.
    """
    swept = sweep_work(home, alive)
    for folder, folders, files in os.walk(home):
        if Path(folder) == home:
            folders[:] = [name for name in folders if name not in _SKIPPED_FOLDERS]
        for name in files:
            file = Path(folder, name)
            if _is_left(name, alive) or (file.parent == home and _WITHOUT_PID.fullmatch(name)):
                with contextlib.suppress(
                    OSError
                ):  # a file that cannot be removed must not stop the start
                    file.unlink()
                    swept.append(file)
    return swept


def sweep_work(home: Path, alive: Callable[[int], bool]) -> list[Path]:
    """Remove temporary folders of killed backups and restores; return their paths."""
    if (home / RESTORING).exists():
        return []  # what was made ready is in force in a moment
    made = [*home.glob(".*.work.tmp"), *home.glob(f".*{READY}")]
    left = [one for one in made if _is_left(one.name, alive)]
    for folder in left:
        shutil.rmtree(folder, ignore_errors=True)
    return left


def sweep_folder(folder: Path, alive: Callable[[int], bool]) -> None:
    """Remove unfinished backup files that killed processes left in this folder."""
    for file in folder.glob(".*.backup.tmp"):
        if _is_left(file.name, alive):
            with contextlib.suppress(OSError):
                file.unlink()


def _is_left(name: str, alive: Callable[[int], bool]) -> bool:
    found = _TEMPORARY.fullmatch(name)
    if found is None:
        return False
    pid = int(found["pid"])
    return pid == os.getpid() or not alive(pid)
