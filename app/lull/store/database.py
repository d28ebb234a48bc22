"""One SQLite file, one writer thread, readers that never wait for it.

Writes are functions handed to the writer (`writer.py`); it runs what has gathered in one
transaction, so a busy minute costs few commits and a turn is on disk within a fraction of a second.
`post` never waits and never fails its caller; `write` waits for the commit and gives back the
result. What cannot be opened is kept aside and explained, and the service starts with a fresh file.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from lull.core.errors import StoreError
from lull.store.migrations import MIGRATIONS
from lull.store.writer import Inbox, Transaction, Work, Writer

T = TypeVar("T")

CHECK_UP_TO = 256 * 1024 * 1024
"""Bytes of a file that is checked at every opening; a larger one only when it was suspected."""
_KEPT_WAL = 8 * 1024 * 1024
_READERS_CACHE_KB = 512


class Database:
    """The open file. `kept_aside` names the damaged file that was found in its place, if any.

    Raises StoreError. `rescue=False` explains damage and leaves the file where it is: for readers
    beside a running service, under which no file may be moved away.
    """

    def __init__(self, path: Path, *, rescue: bool = True) -> None:
        self.path = path
        self.kept_aside: Path | None = None
        self._suspect = path.with_name(path.name + ".suspect")
        self._closed = False
        self._local = threading.local()
        self._readers: list[_Reader] = []
        self._readers_lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = self._open(rescue=rescue)
        except OSError as error:
            raise StoreError(
                f"{error.filename or path}: {error.strerror}.",
                hint="Check LULL_HOME, the folder's permissions and free space.",
            ) from error
        self._writer = Writer(connection, in_words=self._in_words, closed=self._is_closed)

    # Opening

    def _open(self, *, rescue: bool) -> sqlite3.Connection:
        try:
            return self._opened()
        except sqlite3.DatabaseError as error:
            if not _looks_damaged(error):
                raise self._cannot_open(error) from error
            if not rescue:
                raise StoreError(
                    f"{self.path} is damaged: {error}.",
                    hint="Restart Lull: it keeps the file aside and begins a new one.",
                ) from error
        self.kept_aside = self._set_aside()
        try:
            return self._opened()
        except sqlite3.Error as error:
            raise self._cannot_open(error) from error

    def _cannot_open(self, error: sqlite3.Error) -> StoreError:
        if self.path.is_dir():
            return StoreError(
                f"{self.path} is a folder.", hint="Move it away; Lull makes the file."
            )
        return StoreError(
            f"{self.path}: {error}.", hint="Check the folder's permissions and free space."
        )

    def _opened(self) -> sqlite3.Connection:
        connection = _connect(self.path)
        try:
            self._check(connection)
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        suspected = self._suspect.exists()
        if not suspected and self.path.stat().st_size > CHECK_UP_TO:
            return
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(f"malformed: {verdict}")
        self._suspect.unlink(missing_ok=True)

    def _set_aside(self) -> Path:
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.damaged-{number}")).exists():
            number += 1
        for suffix in ("", "-wal", "-shm"):
            source = self.path.with_name(self.path.name + suffix)
            if source.exists():
                source.rename(aside.with_name(aside.name + suffix))
        self._suspect.unlink(missing_ok=True)
        return aside

    def _migrate(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(MIGRATIONS):
            raise StoreError(
                f"{self.path} was written by a newer Lull (layout {version}).",
                hint="Update Lull, or move the file away.",
            )
        if 0 < version < len(MIGRATIONS):
            _copy(connection, self.path.with_name(f"{self.path.name}.before-{version + 1}"))
        for number, script in enumerate(MIGRATIONS[version:], version + 1):
            with Transaction(connection):
                # Another process may have come first while we waited for the lock.
                (now,) = connection.execute("PRAGMA user_version").fetchone()
                if now >= number:
                    continue
                for statement in script.split(";\n"):
                    if statement.strip():
                        connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")

    # Writing

    def post(self, work: Work[Any]) -> None:
        """Write soon; never waits, never raises. A failure is logged once when it comes and once
        when it goes; what does not fit the backlog any more is dropped and counted.

        What is posted must not mind being begun again after a rollback, nor what else is posted.
        """
        self._writer.post_work(work)

    def inbox(self, write: Callable[[sqlite3.Connection, Sequence[T]], None]) -> Inbox[T]:
        """For what comes many times a second: posted one by one, handed to `write` many at a time,
        in their order. When that fails each is written by itself."""
        return self._writer.inbox(write)

    async def write(self, work: Work[T]) -> T:
        """Write and wait for the commit. Raises what `work` raises, with nothing written. It finds
        everything that was posted before."""
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Work[T]) -> Future[T]:
        return self._writer.submit(work)

    def flush(self) -> None:
        """Wait until everything posted so far is on disk."""
        self.submit(lambda _: None).result()

    def checkpoint_soon(self) -> None:
        """After this transaction give the room that became free back to the disk."""
        self._writer.checkpoint_soon()

    @property
    def failing(self) -> bool:
        """Writes are being lost now."""
        return self._writer.failing

    @property
    def dropped(self) -> int:
        """Posted writes that the backlog had no room for."""
        return self._writer.dropped

    # Reading

    def read(self, work: Work[T]) -> T:
        """Read what is committed, on this thread. Raises StoreError."""
        reader = self._reader()
        # A connection that is closed under a running statement takes the process with it.
        with reader.in_use:
            if self._closed:
                raise self._is_closed()
            try:
                return work(reader.connection)
            except sqlite3.Error as error:
                raise self._in_words(error) from error

    def _reader(self) -> _Reader:
        reader: _Reader | None = getattr(self._local, "reader", None)
        if reader is None:
            with self._readers_lock:
                if self._closed:
                    raise self._is_closed()
                try:
                    reader = _Reader(_connect(self.path, readonly=True), threading.RLock())
                except sqlite3.Error as error:
                    raise self._in_words(error) from error
                self._readers.append(reader)
            self._local.reader = reader
        return reader

    def size_bytes(self) -> int:
        wal = self.path.with_name(self.path.name + "-wal")
        return self.path.stat().st_size + (wal.stat().st_size if wal.exists() else 0)

    def close(self) -> None:
        """Write what waits and let who reads finish, then close. Safe to call twice."""
        self._closed = True
        self._writer.finish()
        with self._readers_lock:
            for reader in self._readers:
                with reader.in_use:
                    reader.connection.close()
            self._readers.clear()
        self._writer.close()

    def _is_closed(self) -> StoreError:
        return StoreError(f"{self.path} is closed.", hint="Lull is ending.")

    def _in_words(self, error: sqlite3.Error) -> StoreError:
        """The failure for people; damage is remembered, so that the next opening looks closely."""
        if _looks_damaged(error):
            with contextlib.suppress(OSError):
                self._suspect.touch()
        return StoreError(f"{self.path}: {error}.", hint="`lull doctor` checks the file.")


class _Reader(NamedTuple):
    """One thread's connection; closing it waits until it is not in use."""

    connection: sqlite3.Connection
    in_use: threading.RLock


def _connect(path: Path, *, readonly: bool = False) -> sqlite3.Connection:
    # A reader must not bring a new, empty file into being where the old one has gone.
    place = f"{path.absolute().as_uri()}?mode={'rw' if readonly else 'rwc'}"
    connection = sqlite3.connect(
        place,
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=30,
        cached_statements=256,
    )
    connection.row_factory = sqlite3.Row
    try:
        if readonly:
            connection.execute("PRAGMA query_only = 1")
            # Each thread reads on a connection of its own; the system keeps the pages anyway.
            connection.execute(f"PRAGMA cache_size = -{_READERS_CACHE_KB}")
        else:
            if connection.execute("PRAGMA page_count").fetchone()[0] == 0:
                # What is deleted later can be given back to the disk.
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = 1")
            connection.execute(f"PRAGMA journal_size_limit = {_KEPT_WAL}")
    except BaseException:
        connection.close()
        raise
    return connection


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    """The whole database as it stands, also what is still in the WAL; no half copy is left."""
    temporary = target.with_name(target.name + ".tmp")
    temporary.unlink(missing_ok=True)
    copy = sqlite3.connect(temporary)
    try:
        connection.backup(copy)
    finally:
        copy.close()
    temporary.replace(target)


def _looks_damaged(error: sqlite3.Error) -> bool:
    words = str(error).lower()
    return any(sign in words for sign in ("malformed", "not a database", "corrupt"))
