"""One SQLite file, one writer thread, readers that never wait for it.

Writes are functions handed to the writer; it runs what has gathered in one transaction, so a busy
minute costs few commits and a turn is on disk within a fraction of a second. `post` never waits
and never fails its caller; `write` waits for the commit and gives back the result. What cannot be
opened is kept aside and explained, and the service starts with a fresh file.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import shutil
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from lull.core.errors import StoreError
from lull.store.migrations import MIGRATIONS

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

BATCH = 256
"""Writes in one transaction at most: bounds what a power cut could take."""
BACKLOG = 20_000
"""Posted writes that may wait; beyond this the newest is dropped and counted, never the reply."""


class Database:
    """The open file. `kept_aside` names the damaged file that was found in its place, if any."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept_aside: Path | None = None
        self.dropped = 0
        self._queue: queue.Queue[tuple[Work[Any], Future[Any] | None] | None] = queue.Queue()
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._readers_lock = threading.Lock()
        self._failing = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{path.parent}: {error.strerror}.", hint="Check LULL_HOME."
            ) from error
        self._connection = self._open()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    # Opening

    def _open(self) -> sqlite3.Connection:
        try:
            return self._migrated(self._checked())
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and not _looks_damaged(error):
                raise StoreError(
                    f"{self.path}: {error}.", hint="Check the folder's permissions and free space."
                ) from error
            self.kept_aside = self._set_aside()
            return self._migrated(_connect(self.path))

    def _checked(self) -> sqlite3.Connection:
        connection = _connect(self.path)
        try:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise sqlite3.DatabaseError(verdict)
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_aside(self) -> Path:
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.damaged-{number}")).exists():
            number += 1
        for suffix in ("", "-wal", "-shm"):
            source = self.path.with_name(self.path.name + suffix)
            if source.exists():
                source.rename(aside.with_name(aside.name + suffix))
        return aside

    def _migrated(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(MIGRATIONS):
            connection.close()
            raise StoreError(
                f"{self.path} was written by a newer Lull (layout {version}).",
                hint="Update Lull, or move the file away.",
            )
        if 0 < version < len(MIGRATIONS):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            shutil.copy2(self.path, self.path.with_name(f"{self.path.name}.before-{version + 1}"))
        for number, script in enumerate(MIGRATIONS[version:], version + 1):
            with _Transaction(connection):
                for statement in script.split(";\n"):
                    if statement.strip():
                        connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
        return connection

    # Writing

    def post(self, work: Work[Any]) -> None:
        """Write soon; never waits. A failure is logged once when it comes and once when it goes."""
        if self._queue.qsize() >= BACKLOG:
            self.dropped += 1
            return
        self._queue.put((work, None))

    async def write(self, work: Work[T]) -> T:
        """Write and wait for the commit. Raises what `work` raises, with nothing written."""
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Work[T]) -> Future[T]:
        future: Future[T] = Future()
        self._queue.put((work, future))
        return future

    def flush(self) -> None:
        """Wait until everything posted so far is on disk."""
        self.submit(lambda _: None).result()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            batch = [first]
            while len(batch) < BATCH:
                try:
                    following = self._queue.get_nowait()
                except queue.Empty:
                    break
                if following is None:
                    self._queue.put(None)
                    break
                batch.append(following)
            self._commit(batch)

    def _commit(self, batch: list[tuple[Work[Any], Future[Any] | None]]) -> None:
        settled: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            with _Transaction(self._connection):
                for work, future in batch:
                    result, error = self._one(work)
                    if future is not None:
                        settled.append((future, result, error))
                    else:
                        self._tell(error)
        except sqlite3.Error as error:
            self._tell(error)
            settled = [(future, None, error) for _, future in batch if future is not None]
        for future, result, failure in settled:
            if failure is None:
                future.set_result(result)
            elif isinstance(failure, sqlite3.Error):
                future.set_exception(_in_words(self.path, failure))
            else:
                future.set_exception(failure)

    def _one(self, work: Work[Any]) -> tuple[Any, BaseException | None]:
        # One failing write must not take its neighbours in the batch with it.
        self._connection.execute("SAVEPOINT one")
        try:
            result = work(self._connection)
        except Exception as error:  # noqa: BLE001  what any caller's write raises goes back to it
            self._connection.execute("ROLLBACK TO one")
            self._connection.execute("RELEASE one")
            return None, error
        self._connection.execute("RELEASE one")
        return result, None

    def _tell(self, error: BaseException | None) -> None:
        if error is not None and not self._failing:
            log.error("recording failed; replies go on, these records are lost", exc_info=error)
        elif error is None and self._failing:
            log.warning("recording works again")
        self._failing = error is not None

    # Reading

    def read(self, work: Work[T]) -> T:
        """Read what is committed, on this thread. Raises StoreError."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = _connect(self.path, readonly=True)
            self._local.connection = connection
            with self._readers_lock:
                self._readers.append(connection)
        try:
            return work(connection)
        except sqlite3.Error as error:
            raise _in_words(self.path, error) from error

    def size_bytes(self) -> int:
        wal = self.path.with_name(self.path.name + "-wal")
        return self.path.stat().st_size + (wal.stat().st_size if wal.exists() else 0)

    def close(self) -> None:
        """Write what waits, then close. Safe to call twice."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()
        with self._readers_lock:
            for connection in self._readers:
                connection.close()
            self._readers.clear()
        self._connection.close()


class _Transaction:
    """BEGIN IMMEDIATE … COMMIT, or ROLLBACK when anything is raised."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __enter__(self) -> None:
        self.connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.connection.execute("COMMIT")
        elif self.connection.in_transaction:
            self.connection.execute("ROLLBACK")


def _connect(path: Path, *, readonly: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=30, cached_statements=256
    )
    connection.row_factory = sqlite3.Row
    if readonly:
        connection.execute("PRAGMA query_only = 1")
    else:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = 1")
    return connection


def _looks_damaged(error: sqlite3.Error) -> bool:
    words = str(error).lower()
    return any(sign in words for sign in ("malformed", "not a database", "disk i/o", "corrupt"))


def _in_words(path: Path, error: sqlite3.Error) -> StoreError:
    return StoreError(f"{path}: {error}.", hint="`lull doctor` checks the file.")
