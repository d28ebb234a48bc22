"""Makes a backup file of Lull's data folder while it is in use, and verifies it before giving it
its final name.

SQLite copies the database while others write to it. The other files are read afterwards; if one was
deleted meanwhile, everything is read again, so that no row names a missing file. Then the backup is
unpacked into a temporary folder, compared with its manifest, and its database opened. Temporary
files and folders carry this process's id.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sqlite3
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from lull.core.adapters.adapter import adapter_sha256
from lull.core.backups.backup import (
    CHECKPOINTS,
    DATABASE,
    FILES,
    FOLDERS,
    MANIFEST,
    BackupEntry,
    Manifest,
    belongs_in_backup,
    is_place_of_proof,
    manifest_text,
    skill_folder_of,
)
from lull.core.errors import BackupError, NotFound
from lull.core.skills.skill_secrets import first_secret
from lull.store.adapters.adapter_files import ADAPTER_FILES
from lull.store.backups.parts import CHUNK, Tell, as_backup_errors, layout_and_counts, work_folder
from lull.store.backups.reading import unpacked
from lull.store.backups.witness import Witness
from lull.store.disk.leftovers import sweep_folder
from lull.store.disk.on_disk import open_regular, to_disk
from lull.store.rows.rewriting import rewrite_copy
from lull.store.rows.sealed_rows import sealed_rows
from lull.store.rows.sealed_tables import ADAPTERS, ADAPTERS_IN_FORCE
from lull.store.skills.skill_files import SEARCHED_BYTES, SKILL_FILE, sha256_of, without_secrets

COPYING: Final = "copying the database"
PACKING: Final = "packing"
_PAGES_PER_STEP: Final = 2048
"""Database pages copied per step (8 MB)."""
_TRIES: Final = 5
_ZLIB_LEVEL: Final = 2
"""zlib compression level: the default 6 takes three times as long to save another sixth."""
_PROOFS: Final = re.compile(r"library/versions/[^/]+/[0-9a-f]{64}\.evidence\.json")
_MOST_REMEMBERED: Final = 100_000
_searched: Final[dict[bytes, bool]] = {}
"""Cache by sha256: whether a file's content has a secret in it. Most files are unchanged at the
next backup and need not be searched again.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedBackup:
    """A backup that was made and verified: its file, its manifest, and what is not in it."""

    file: Path
    size: int
    """Size of the backup file in bytes."""
    manifest: Manifest
    left: tuple[str, ...]
    """Files that were not backed up: links, names that not every system accepts, and files of
    skills that contain a password or a key.
    """
    damaged: tuple[str, ...]
    """Paths of adapters and skill texts that the database names and that are damaged or gone, so
    that an earlier backup may have what this one has not.
    """


class _WentAway(Exception):
    """A file disappeared during the backup, because something else changed the home."""


def make(
    home: Path,
    target: Path,
    *,
    at: str,
    version: str,
    alive: Callable[[int], bool],
    tell: Tell = lambda *_: None,
) -> FinishedBackup:
    """Make a backup file of Lull's data folder and verify it. Blocking.

    `at` and `version` (time, and version of Lull) go into its manifest; `alive` tells whether a
    process id is in use; `tell` reports progress. Raises BackupError, NotFound, StoreError, and
    what `tell` raises; then `target` is not created.
    """
    database = home / DATABASE
    if missing := Witness(database).find_losses():
        raise missing[0]
    if not database.is_file():
        raise NotFound(f"Nothing is stored in {home} yet.", hint="There is nothing to back up.")
    if target.exists():
        raise BackupError(f"{target} is there already.", hint="Name another file.")
    beside = target.with_name(f".{target.name}.{os.getpid()}.backup.tmp")
    with as_backup_errors(target.parent), work_folder(home, "backup", alive) as work:
        sweep_folder(target.parent, alive)
        try:
            with _private(beside) as out:
                manifest, left, damaged = _written(
                    home, work, out, at=at, version=version, tell=tell
                )
                out.flush()
                os.fsync(out.fileno())
            shutil.rmtree(work / "live")
            tried = unpacked(beside, work / "tried", home=home, tell=tell)
            if tried != manifest:
                raise BackupError(
                    f"What was read back from {target} is not what was written.", hint="Try again."
                )
            size = beside.stat().st_size
            beside.replace(target)
            to_disk(target.parent)
        finally:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
    return FinishedBackup(file=target, size=size, manifest=manifest, left=left, damaged=damaged)


def _private(file: Path) -> IO[bytes]:
    return os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b")


# Writing


def _written(
    home: Path, work: Path, out: IO[bytes], *, at: str, version: str, tell: Tell
) -> tuple[Manifest, tuple[str, ...], tuple[str, ...]]:
    for _ in range(_TRIES):
        shutil.rmtree(work / "live", ignore_errors=True)
        (work / "live").mkdir()
        out.seek(0)
        out.truncate()
        with contextlib.suppress(_WentAway):
            return _once(home, work / "live", out, at=at, version=version, tell=tell)
    raise BackupError(f"{home} kept changing.", hint="Try again when Lull is idle.")


def _once(
    home: Path, work: Path, out: IO[bytes], *, at: str, version: str, tell: Tell
) -> tuple[Manifest, tuple[str, ...], tuple[str, ...]]:
    copy = work / DATABASE
    there = set(_files(home)[0])
    with as_backup_errors(home), _as_it_stands(home / DATABASE) as live:
        there |= _files(home)[0].keys()
        _copy(live, copy, tell)
    layout, counts = layout_and_counts(copy)
    # What a row of the copy names was there when the copy began, and shall be still.
    now, left = _files(home)
    if there - now.keys():
        raise _WentAway
    now[DATABASE] = copy
    of = sum(_size(file) for file in now.values())
    with as_backup_errors(home):
        left += _screened(now, work / "screened", lambda: tell(PACKING, 0, of))
    entries, done = {}, 0
    of = sum(_size(file) for file in now.values())
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=_ZLIB_LEVEL) as packed:
        for name, file in sorted(now.items()):
            entries[name] = _pack(packed, name, file, lambda more: tell(PACKING, done + more, of))  # noqa: B023
            done += entries[name].size
        manifest = Manifest(at=at, version=version, layout=layout, counts=counts, entries=entries)
        packed.writestr(MANIFEST, manifest_text(manifest))
    return manifest, tuple(sorted(left)), _damaged(copy, entries)


def _damaged(database: Path, entries: Mapping[str, BackupEntry]) -> tuple[str, ...]:
    """Return the paths of what the copied database names and the other files lack: texts of skills
    that are damaged or gone, and adapters that are damaged, or gone although they answer requests.
    """
    texts, adapters, used = [], [], []
    # One of an older Lull may have no such tables yet.
    with closing(sqlite3.connect(database)) as copy, contextlib.suppress(sqlite3.OperationalError):
        texts = [sha for (sha,) in copy.execute("SELECT DISTINCT sha256 FROM skill_states")]
        adapters = copy.execute("SELECT id, sha256 FROM adapters").fetchall()
        used = copy.execute("SELECT active, shadow, held FROM adapters_in_force").fetchall()
        # What counts where rows have sealed copies.
        made = sealed_rows(copy, ADAPTERS).all()
        force = sealed_rows(copy, ADAPTERS_IN_FORCE).all()
        adapters = [(row["id"], row["sha256"]) for row in made]
        used = [(row["active"], row["shadow"], row["held"]) for row in force]
    found = []
    for sha256 in texts:
        name = f"library/versions/{sha256[:2]}/{sha256}.md"
        if name not in entries or entries[name].sha256 != sha256:
            found.append(name)
    in_use = {one for row in used for one in row}
    for adapter, sha256 in adapters:
        files = [entries.get(f"adapters/{adapter}/{name}") for name in ADAPTER_FILES]
        if not any(files) and adapter not in in_use:
            continue  # its files were not needed any more
        weights, config = (file.sha256 if file else "" for file in files)
        if adapter_sha256(weights=weights, config=config) != sha256:
            found.append(f"adapters/{adapter}")
    return tuple(sorted(found))


def _screened(now: dict[str, Path], copies: Path, tell: Callable[[], None]) -> tuple[str, ...]:
    """Take out of the files to back up those of skills that contain a password or a key, and return
    their paths. A SKILL.md that nobody has approved yet stays, with placeholders for its secrets.

    Searched are, as when a skill is imported, the first SEARCHED_BYTES of the files beside each
    SKILL.md. What was approved was screened before it was stored, and so were Lull's own proofs.
    """
    out: list[str] = []
    proofs = {sha256_of(file) for name, file in now.items() if _PROOFS.fullmatch(name)}
    left: dict[str, int] = {}
    for name, file in sorted(now.items()):
        if not (folder := skill_folder_of(name)):
            continue
        tell()  # a file takes seconds: here it gives way to chats, or ends
        text = name == f"{folder}/{SKILL_FILE}"
        most = SEARCHED_BYTES if text else left.get(folder, SEARCHED_BYTES)
        data, whole = _beginning(file, most)
        sha256 = hashlib.sha256(data).hexdigest()
        approved = f"library/versions/{sha256[:2]}/{sha256}.md" in now
        proof = is_place_of_proof(name) and sha256 in proofs
        if whole and (approved or proof):
            continue
        if not text:
            left[folder] = most - len(data)
        if not _has_secret(data):
            continue
        screened = without_secrets(data) if whole and file.name == SKILL_FILE else data
        if _has_secret(screened):
            del now[name]
            out.append(name)
        else:
            copies.mkdir(exist_ok=True)
            now[name] = copies / sha256
            now[name].write_bytes(screened)
    return tuple(out)


def _beginning(file: Path, most: int) -> tuple[bytes, bool]:
    """Read the first bytes of a file that other programs may be writing to; return them and whether
    they are the whole file.
    """
    try:
        with os.fdopen(open_regular(file), "rb") as stream:
            return stream.read(most), not stream.read(1)
    except FileNotFoundError as error:
        raise _WentAway from error


def _has_secret(data: bytes) -> bool:
    mark = hashlib.sha256(data).digest()
    if mark not in _searched:
        if len(_searched) >= _MOST_REMEMBERED:
            _searched.clear()
        _searched[mark] = first_secret(data) is not None
    return _searched[mark]


def _files(home: Path) -> tuple[dict[str, Path], tuple[str, ...]]:
    """Return the files to back up by path relative to the home, and the paths left out. Symlinks
    are left out, except where one of Lull's own top folders is one.
    """
    found = {name: home / name for name in FILES if (home / name).is_file()}
    left = []
    for top in FOLDERS:
        for place, folders, files in os.walk(home / top):
            here = Path(place)
            links = [name for name in folders if (here / name).is_symlink()]
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in (*files, *links):
                known = (here / name).relative_to(home).as_posix()
                if belongs_in_backup(known) and stat.S_ISREG(_mode(here / name)):
                    found[known] = here / name
                elif not name.startswith(".") and CHECKPOINTS not in here.parts:
                    left.append(known)
    return found, tuple(sorted(left))


def _mode(file: Path) -> int:
    try:
        return file.lstat().st_mode
    except FileNotFoundError:
        return 0


def _size(file: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        return file.stat().st_size
    return 0


@contextmanager
def _as_it_stands(database: Path) -> Iterator[sqlite3.Connection]:
    """Open a read transaction: later writes of others are not seen by it, and are not blocked."""
    place = f"{database.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(place, uri=True, isolation_level=None, timeout=30)) as live:
        live.execute("PRAGMA query_only = 1")
        live.execute("BEGIN")
        live.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield live


def _copy(live: sqlite3.Connection, copy: Path, tell: Tell) -> None:
    (page,) = live.execute("PRAGMA page_size").fetchone()

    def progress(_: int, left: int, of: int) -> None:
        tell(COPYING, (of - left) * page, of * page)

    with closing(sqlite3.connect(copy, isolation_level=None)) as whole:
        live.backup(whole, pages=_PAGES_PER_STEP, progress=progress, sleep=0)
        # One file, which needs none beside it.
        whole.execute("PRAGMA journal_mode = DELETE")
        rewrite_copy(whole)


def _pack(
    packed: zipfile.ZipFile, name: str, file: Path, tell: Callable[[int], None]
) -> BackupEntry:
    digest, size = hashlib.sha256(), 0
    try:
        source = file.open("rb")
    except FileNotFoundError as error:
        raise _WentAway from error
    with source, packed.open(name, "w", force_zip64=True) as out:
        while data := source.read(CHUNK):
            digest.update(data)
            out.write(data)
            size += len(data)
            tell(size)
    return BackupEntry(size=size, sha256=digest.hexdigest())
