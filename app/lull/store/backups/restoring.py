"""Restores a backup: moves the current data in Lull's data folder (the home) aside and the unpacked
data into place.

Writing `restoring.json` commits the restore: before that, nothing in the home has changed; after
it, the next Lull process finishes what was interrupted. Each file or folder is moved by one atomic
rename, so an interrupted restore can be continued safely. While `restoring.json` exists, nothing
else opens the home.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from lull.core.backups.backup import DATABASE, Manifest, replaced_by_restore
from lull.core.errors import BackupError, Busy, NotFound
from lull.store.backups.parts import Tell, as_backup_errors, work_folder
from lull.store.backups.reading import unpacked
from lull.store.backups.witness import Witness
from lull.store.disk.leftovers import READY, RESTORING
from lull.store.disk.on_disk import read_regular, to_disk, write_atomically
from lull.store.sqlite.database import Database

JOURNAL: Final = RESTORING
_MOST_BYTES: Final = 4_000_000
"""Most bytes of a journal that are read."""
_ASIDE: Final = "before-restore-"
_CLOSE_TIMEOUT_S: Final = 5.0
"""Timeout in seconds for other processes to close the database; reading commands are quick."""


def restore_interrupted(home: Path) -> bool:
    """Return whether the restore of a backup was interrupted by a crash and must still be
    finished.
    """
    return (home / JOURNAL).exists()


def replaced_data_folders(home: Path) -> list[Path]:
    """Return the folders that hold the data which earlier restores of backups replaced, oldest
    first.
    """
    found = [one for one in home.glob(f"{_ASIDE}*") if one.name.removeprefix(_ASIDE).isdecimal()]
    return sorted(found, key=_number)


def verify_backup(home: Path, file: Path, *, alive: Callable[[int], bool], tell: Tell) -> Manifest:
    """Unpack a backup into a temporary folder to verify it, and return its manifest; Lull's data
    stays unchanged. Raises BackupError.
    """
    with as_backup_errors(file, fills=home), work_folder(home, "restore", alive) as work:
        return unpacked(file, work / "new", home=home, tell=tell)


def restore(
    home: Path, file: Path, *, at: str, alive: Callable[[int], bool], tell: Tell
) -> tuple[Manifest, Path | None]:
    """Restore a backup; return its manifest, and the folder into which the former data was moved
    (None if there was none).

    The caller holds the data folder's lock. Raises BackupError, StoreError and Busy; then nothing
    has changed.
    """
    with as_backup_errors(file, fills=home), work_folder(home, "restore", alive) as work:
        manifest = unpacked(file, work / "new", home=home, tell=tell)
        _as_a_start_would(work / "new" / DATABASE, at=at)
        # From here on it must outlive this process.
        ready = (work / "new").rename(home / f".restore.{os.getpid()}{READY}")
        try:
            return manifest, _swap(home, ready)
        except BaseException:
            if not restore_interrupted(home):
                shutil.rmtree(ready, ignore_errors=True)
            raise


def undo(home: Path) -> Path | None:
    """Undo the last restore of a backup: put the data from before it back into Lull's data folder.

    Return the folder into which the restored data was moved, None if there was none. Raises
    NotFound, BackupError and Busy.
    """
    folders = replaced_data_folders(home)
    if not folders:
        raise NotFound(f"Nothing was restored in {home}.", hint="There is nothing to undo.")
    with as_backup_errors(home):
        return _swap(home, folders[-1])


def finish(home: Path) -> bool:
    """Finish an interrupted restore of a backup; return whether there was one.

    The caller holds the data folder's lock. Raises BackupError.
    """
    journal = home / JOURNAL
    if not restore_interrupted(home):
        return False
    try:
        with as_backup_errors(journal):
            step = _read(journal)
            _carry_out(home, step)
            journal.unlink()
            to_disk(home)
    except BackupError as error:
        raise BackupError(
            f"A restore was interrupted and cannot be completed yet: {error.detail}",
            hint="Fix that; Lull then continues with it.",
        ) from error
    return True


def _as_a_start_would(database: Path, *, at: str) -> None:
    """Migrate the restored database and write a new witness, so that the next start reports no
    loss.
    """
    opened = Database(database, rescue=False)
    try:
        Witness(database).write(opened, at=at, running=False)
    finally:
        opened.close()


# The step


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    new: str
    """Name of the folder with the restored data."""
    old: str
    """Name of the new folder for the former data."""
    brings: tuple[str, ...]
    away: tuple[str, ...]


def _swap(home: Path, new: Path) -> Path | None:
    _close(home / DATABASE)
    folders = replaced_data_folders(home)
    step = _Step(
        new=new.name,
        old=f"{_ASIDE}{_number(folders[-1]) + 1 if folders else 1}",
        brings=tuple(sorted(one.name for one in new.iterdir() if replaced_by_restore(one.name))),
        away=tuple(sorted(one.name for one in home.iterdir() if replaced_by_restore(one.name))),
    )
    for folder in (new, *(one for one in new.rglob("*") if one.is_dir())):
        to_disk(folder)
    to_disk(home)
    write_atomically(home / JOURNAL, json.dumps(asdict(step)).encode())
    to_disk(home)
    finish(home)
    return home / step.old if step.away else None


def _read(journal: Path) -> _Step:
    """Parse the journal. Raises BackupError, OSError."""
    try:
        said = json.loads(read_regular(journal, _MOST_BYTES))
        step = _Step(
            new=str(said["new"]),
            old=str(said["old"]),
            brings=tuple(map(str, said["brings"])),
            away=tuple(map(str, said["away"])),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BackupError(f"{journal} cannot be read.") from error
    folders = [step.new.removesuffix(READY), step.old]
    if any(
        "/" in name or not name.startswith((_ASIDE, ".restore.")) for name in folders
    ) or not all(replaced_by_restore(name) for name in (*step.brings, *step.away)):
        raise BackupError(f"{journal} was not written by Lull.")
    return step


def _carry_out(home: Path, step: _Step) -> None:
    """Move every name that has not been moved yet. A move is atomic, so after an interruption
    each name is either in its old place or in its new one.
    """
    new, old = home / step.new, home / step.old
    old.mkdir(mode=0o700, exist_ok=True)
    for name in step.away:
        if not _is_there(old / name) and _is_there(home / name):
            (home / name).rename(old / name)
    to_disk(old)
    for name in step.brings:
        if _is_there(new / name):
            if _is_there(home / name):  # made meanwhile by somebody who did not know
                (home / name).rename(old / f"{name}.late")
            (new / name).rename(home / name)
    to_disk(home)
    for folder in (new, old):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _number(folder: Path) -> int:
    return int(folder.name.removeprefix(_ASIDE))


def _close(database: Path) -> None:
    """Merge the WAL into the database file. Raises Busy while another process uses it. A damaged
    database is left as it is.
    """
    if not database.is_file() or database.stat().st_size == 0:
        return
    place = f"{database.absolute().as_uri()}?mode=rw"
    with (
        contextlib.suppress(sqlite3.DatabaseError),
        closing(
            sqlite3.connect(place, uri=True, isolation_level=None, timeout=_CLOSE_TIMEOUT_S)
        ) as file,
    ):
        try:
            file.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise Busy(
                    f"Another program has {database} open.",
                    hint="Nothing was changed; close that program and try again.",
                ) from error
