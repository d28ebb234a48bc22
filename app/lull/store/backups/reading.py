"""Reads a backup file: unpacks it, compares it with its manifest, and opens its database.

Nothing in the file is trusted: names, sizes and texts are checked before anything is written.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from lull.core.backups.backup import (
    DATABASE,
    MANIFEST,
    MANIFEST_LIMIT,
    BackupEntry,
    Manifest,
    read_manifest,
)
from lull.core.errors import BackupError
from lull.store.backups.parts import CHUNK, NoRoom, Tell, as_backup_errors, layout_and_counts
from lull.store.sqlite.database import Database
from lull.store.sqlite.migrations import MIGRATIONS

TRYING: Final = "trying it out"

_SPARE: Final = 64 * 1024 * 1024
"""Bytes always left free on the disk."""
_ANOTHER_BACKUP: Final = "Use another backup."


def manifest_of(file: Path) -> Manifest:
    """Read a backup's manifest (its list of files with their hashes) without checking the files.
    Raises BackupError.
    """
    with as_backup_errors(file), _opened(file) as packed:
        return _manifest(packed)


def unpacked(
    file: Path, into: Path, *, home: Path | None = None, tell: Tell = lambda *_: None
) -> Manifest:
    """Unpack a backup into a new folder, check it against its manifest, and open its database.
    Blocking.

    `home` is Lull's data folder, if `into` is in it, for messages about its disk.

    Raises BackupError, and what `tell` raises; then the folder may be incomplete.
    """
    disk = home or into.parent
    with as_backup_errors(file, fills=disk), _opened(file) as packed:
        manifest = _manifest(packed)
        _fits(packed, manifest, file, disk)
        into.mkdir(mode=0o700)
        done, of = 0, manifest.size
        for name, entry in manifest.entries.items():
            target = into / name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _unpack(packed, name, entry, target, lambda more: tell(TRYING, done + more, of))  # noqa: B023
            done += entry.size
        _try_out(into / DATABASE, manifest, tell=lambda: tell(TRYING, done, of))
    return manifest


@contextmanager
def _opened(file: Path) -> Iterator[zipfile.ZipFile]:
    if not file.is_file():
        raise BackupError(f"{file} is not a file.", hint="Name the file that `lull backup` made.")
    try:
        with zipfile.ZipFile(file) as packed:
            yield packed
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        raise BackupError(
            f"{file} is damaged or not a backup of Lull's.", hint=_ANOTHER_BACKUP
        ) from error
    except BackupError as error:
        if str(file) in error.detail or isinstance(error, NoRoom):
            raise
        raise BackupError(f"{file}: {error.detail}", hint=error.hint) from error


def _manifest(packed: zipfile.ZipFile) -> Manifest:
    members = packed.infolist()
    names = {member.filename for member in members}
    if MANIFEST not in names:
        raise BackupError(
            "It is not a Lull backup: it has no list of contents (manifest).",
            hint=_ANOTHER_BACKUP,
        )
    if len(names) != len(members):
        raise BackupError("Two of its files have the same name.", hint=_ANOTHER_BACKUP)
    for member in members:
        mode = member.external_attr >> 16
        if member.is_dir() or (stat.S_IFMT(mode) not in (0, stat.S_IFREG)):
            raise BackupError(
                f"It holds {member.filename[:80]!a}, which is not a file.", hint=_ANOTHER_BACKUP
            )
        if member.flag_bits & 1 or member.compress_type not in (
            zipfile.ZIP_STORED,
            zipfile.ZIP_DEFLATED,
        ):
            raise BackupError("It is packed in a way that Lull does not use.", hint=_ANOTHER_BACKUP)
    manifest = read_manifest(_bytes(packed, MANIFEST, MANIFEST_LIMIT))
    if odd := sorted(names ^ {MANIFEST, *manifest.entries}):
        named, others = f"{odd[0][:80]!a}", len(odd) - 1
        raise BackupError(
            f"Its list of contents (manifest) and its files differ: {named}, and {others} more."
            if others
            else f"Its list of contents (manifest) and its files differ: {named}.",
            hint=_ANOTHER_BACKUP,
        )
    if manifest.layout > len(MIGRATIONS):
        raise BackupError(
            f"A newer Lull made it ({manifest.version}, layout {manifest.layout}).",
            hint="Update Lull.",
        )
    return manifest


def _bytes(packed: zipfile.ZipFile, name: str, limit: int) -> bytes:
    with packed.open(name) as source:
        data = source.read(limit + 1)
    if len(data) > limit:
        raise BackupError(f"Its {name} is too large.", hint=_ANOTHER_BACKUP)
    return data


def _fits(packed: zipfile.ZipFile, manifest: Manifest, file: Path, into: Path) -> None:
    """Raise BackupError if the files' sizes differ from the manifest, the files overlap in the
    archive, or the disk lacks space. Called before anything is written, so that no more can come
    out than the manifest says.
    """
    members = packed.infolist()
    for member in members:
        entry = manifest.entries.get(member.filename)
        if entry is not None and entry.size != member.file_size:
            raise _not_as_it_was(member.filename)
    if sum(member.compress_size for member in members) > file.stat().st_size:
        raise BackupError("Its parts overlap.", hint=_ANOTHER_BACKUP)
    free = shutil.disk_usage(into).free
    if manifest.size + _SPARE > free:
        raise NoRoom(
            f"Unpacked it takes {manifest.size / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free"
            f" at {into}.",
            hint="Free some space.",
        )


def _not_as_it_was(name: str) -> BackupError:
    return BackupError(f"{name[:80]} in it is not what was packed.", hint=_ANOTHER_BACKUP)


def _unpack(
    packed: zipfile.ZipFile,
    name: str,
    entry: BackupEntry,
    target: Path,
    tell: Callable[[int], None],
) -> None:
    digest, left = hashlib.sha256(), entry.size
    try:
        with packed.open(name) as source, target.open("xb") as out:
            while data := source.read(min(CHUNK, left + 1)):
                left -= len(data)
                if left < 0:
                    raise _not_as_it_was(name)
                digest.update(data)
                out.write(data)
                tell(entry.size - left)
            out.flush()
            os.fsync(out.fileno())
    except FileExistsError as error:
        raise BackupError(f"It holds {name[:80]} twice.", hint=_ANOTHER_BACKUP) from error
    except (zlib.error, zipfile.BadZipFile, EOFError) as error:
        raise _not_as_it_was(name) from error
    target.chmod(0o600)
    if left or digest.hexdigest() != entry.sha256:
        raise _not_as_it_was(name)


def _try_out(database: Path, manifest: Manifest, *, tell: Callable[[], None]) -> None:
    """Raise BackupError if the database is damaged, differs from the manifest's counts, or cannot
    be opened.
    """
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA trusted_schema = 0")
        connection.execute("PRAGMA cell_size_check = 1")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (code,) = connection.execute(
            "SELECT count(*) FROM sqlite_master WHERE type IN ('trigger', 'view')"
        ).fetchone()
        if version != manifest.layout or version < 1 or code:
            raise BackupError("Its database is not one of Lull's.", hint=_ANOTHER_BACKUP)
        verdict = _verdict(connection, tell)
        if verdict != "ok":
            raise BackupError(f"Its database is damaged: {verdict}.", hint=_ANOTHER_BACKUP)
    if version == len(MIGRATIONS):  # an older one is counted by an older rule
        if layout_and_counts(database)[1] != manifest.counts:
            raise BackupError(
                "Its database does not hold what its list of contents (manifest) says.",
                hint=_ANOTHER_BACKUP,
            )
        Database(database, rescue=False).close()


def _verdict(connection: sqlite3.Connection, tell: Callable[[], None]) -> str:
    """Run SQLite's integrity check. SQLite swallows what a progress handler raises, so that is
    raised again here.
    """
    raised: list[BaseException] = []

    def go_on() -> int:
        try:
            tell()
        except BaseException as error:  # noqa: BLE001  raised below
            raised.append(error)
        return len(raised)

    connection.set_progress_handler(go_on, 200_000)
    try:
        return str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except sqlite3.OperationalError:
        if raised:
            raise raised[0] from None
        raise
    finally:
        connection.set_progress_handler(None, 0)
