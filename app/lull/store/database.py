"""One SQLite file, one writer thread, readers that never wait for it.

Writes are functions handed to the writer; it runs what has gathered in one transaction, so a busy
minute costs few commits and a turn is on disk within a fraction of a second. `post` never waits
and never fails its caller; `write` waits for the commit and gives back the result. What cannot be
opened is kept aside and explained, and the service starts with a fresh file.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
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
CHECK_UP_TO = 256 * 1024 * 1024
"""Bytes of a file that is checked at every opening; a larger one only when it was suspected."""
_KEPT_WAL = 8 * 1024 * 1024


class Database:
    """The open file. `kept_aside` names the damaged file that was found in its place, if any.

    Raises StoreError. `rescue=False` explains damage and leaves the file where it is: for readers
    beside a running service, under which no file may be moved away.
    """

    def __init__(self, path: Path, *, rescue: bool = True) -> None:
        self.path = path
        self.kept_aside: Path | None = None
        self.dropped = 0
        self._suspect = path.with_name(path.name + ".suspect")
        self._queue: queue.Queue[tuple[Work[Any], Future[Any] | None] | None] = queue.Queue()
        self._closed = False
        self._door = threading.Lock()
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._readers_lock = threading.Lock()
        self._failing = False
        self._checkpoint = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._open(rescue=rescue)
        except OSError as error:
            raise StoreError(
                f"{error.filename or path}: {error.strerror}.",
                hint="Check LULL_HOME, the folder's permissions and free space.",
            ) from error
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

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
            with _Transaction(connection):
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
        when it goes; what does not fit the backlog any more is dropped and counted."""
        with self._door:
            if self._closed or self._queue.qsize() >= BACKLOG:
                self.dropped += 1
                if self.dropped == 1 and not self._closed:
                    log.error("the store does not keep up: records are dropped")
                return
            self._queue.put((work, None))

    async def write(self, work: Work[T]) -> T:
        """Write and wait for the commit. Raises what `work` raises, with nothing written."""
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Work[T]) -> Future[T]:
        future: Future[T] = Future()
        with self._door:
            if self._closed:
                future.set_exception(self._is_closed())
            else:
                self._queue.put((work, future))
        return future

    def flush(self) -> None:
        """Wait until everything posted so far is on disk."""
        self.submit(lambda _: None).result()

    def checkpoint_soon(self) -> None:
        """After this transaction give the room that became free back to the disk."""
        self._checkpoint = True

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
            # A write whose caller has gone is not begun; one that has begun is finished.
            self._commit(
                [(w, f) for w, f in batch if f is None or f.set_running_or_notify_cancel()]
            )

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
        if self._checkpoint:
            self._checkpoint = False
            with contextlib.suppress(sqlite3.Error):  # busy readers: SQLite does it later itself
                # A script, because `execute` would take one step of the first and free one page.
                self._connection.executescript(
                    "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)"
                )
        for future, result, failure in settled:
            if failure is None:
                future.set_result(result)
            elif isinstance(failure, sqlite3.Error):
                future.set_exception(self._in_words(failure))
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
        if isinstance(error, sqlite3.Error):
            self._in_words(error)

    # Reading

    def read(self, work: Work[T]) -> T:
        """Read what is committed, on this thread. Raises StoreError."""
        try:
            return work(self._reader())
        except sqlite3.Error as error:
            raise self._in_words(error) from error

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with self._readers_lock:
                if self._closed:
                    raise self._is_closed()
                connection = _connect(self.path, readonly=True)
                self._readers.append(connection)
            self._local.connection = connection
        return connection

    @property
    def failing(self) -> bool:
        """Writes are being lost now."""
        return self._failing

    def size_bytes(self) -> int:
        wal = self.path.with_name(self.path.name + "-wal")
        return self.path.stat().st_size + (wal.stat().st_size if wal.exists() else 0)

    def close(self) -> None:
        """Write what waits, then close. Safe to call twice."""
        with self._door:
            first = not self._closed
            self._closed = True
        if first:
            self._queue.put(None)
        self._thread.join()
        with self._readers_lock:
            for connection in self._readers:
                connection.close()
            self._readers.clear()
        self._connection.close()

    def _is_closed(self) -> StoreError:
        return StoreError(f"{self.path} is closed.", hint="Lull is ending.")

    def _in_words(self, error: sqlite3.Error) -> StoreError:
        """The failure for people; damage is remembered, so that the next opening looks closely."""
        if _looks_damaged(error):
            with contextlib.suppress(OSError):
                self._suspect.touch()
        return StoreError(f"{self.path}: {error}.", hint="`lull doctor` checks the file.")


class _Transaction:
    """BEGIN IMMEDIATE … COMMIT, or ROLLBACK when anything is raised, a failing COMMIT too."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __enter__(self) -> None:
        self.connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.connection.execute("COMMIT")
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")


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
