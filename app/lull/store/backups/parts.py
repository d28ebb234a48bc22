"""Helpers that making, reading and restoring backups share: temporary folders, row counts, and
errors converted to messages for users.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from lull.core.backups.backup import BackupCounts
from lull.core.errors import BackupError
from lull.store.disk.leftovers import sweep_work
from lull.store.disk.on_disk import is_no_room

Tell = Callable[[str, int, int], None]
"""Callback that reports progress: the part (such as `COPYING`), bytes done, bytes in all. It may
block, except during `COPYING`, and may raise to stop the work.
"""
CHUNK: Final = 1 << 20
_UNCHANGED: Final = "Nothing was changed."

_COUNTED: Final = {
    "conversations": "count(*) FROM trajectories",
    "turns": "count(*) FROM turns",
    "generation": "coalesce(max(number), 0) FROM generations",
    "skills": "count(*) FROM skill_states s WHERE status <> 'archived' AND generation ="
    " (SELECT max(generation) FROM skill_states l WHERE l.client = s.client AND l.name = s.name)",
    "adapters": "count(*) FROM adapters",
    "calendars": "count(*) FROM feeds",
}


class NoRoom(BackupError):
    """Raised when a disk has too little room to make, try out or restore a backup."""


def layout_and_counts(database: Path) -> tuple[int, BackupCounts]:
    """Open a database file; return the version number of its table layout and how much it holds
    (counts of conversations, turns, skills, adapters, …).
    """
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        (layout,) = connection.execute("PRAGMA user_version").fetchone()
        counts = {
            name: connection.execute(f"SELECT {what}").fetchone()[0]
            for name, what in _COUNTED.items()
        }
    return layout, BackupCounts(**counts)


@contextmanager
def work_folder(home: Path, name: str, alive: Callable[[int], bool]) -> Iterator[Path]:
    """Context manager for a private temporary folder in Lull's data folder.

    First removes such folders of killed processes; `alive` tells whether a process id is in use.
    """
    sweep_work(home, alive)
    folder = home / f".{name}.{os.getpid()}.work.tmp"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def as_backup_errors(where: Path, *, fills: Path | None = None) -> Iterator[None]:
    """Context manager that converts OSError and sqlite3.Error to BackupError, with a message for
    the user that names the file or folder `where`; if a disk is full, the one with the folder
    `fills`, which is written to.
    """
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        if is_no_room(error):
            raise NoRoom(
                f"There is no room left on the disk with {fills or where}.",
                hint=f"{_UNCHANGED} Make room there.",
            ) from error
        raise _as_backup_error(error, where) from error


def _as_backup_error(error: OSError | sqlite3.Error, where: Path) -> BackupError:
    if isinstance(error, OSError):
        return BackupError(
            f"{error.filename or where}: {error.strerror or error}.",
            hint=f"{_UNCHANGED} Check the disk, the folder and who may use it.",
        )
    return BackupError(
        f"{where}: the database says “{error}”.",
        hint=f"{_UNCHANGED} `lull doctor` looks at the disk and the database.",
    )
