"""Opens Lull's SQLite file with a single writer thread, and readers that never wait for it.

Writes are functions handed to the writer, which runs all that are queued in one transaction: heavy
load costs few commits, and a turn is committed within a fraction of a second. What is committed
survives a kill, but a power cut only once it was synced: at the next checkpoint, or at once with
`write_synced`. `post` never waits or raises; `write` waits for the commit and returns the result. A
file that cannot be opened is moved aside and reported, and the service starts with a fresh one.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from lull.core.errors import StoreError
from lull.store.disk.on_disk import check_is_file, is_no_room
from lull.store.rows.damaged_values import damaged_tables, mend_values
from lull.store.rows.lost_tables import lost_tables
from lull.store.rows.schema import create_missing, missing_of, schema_of
from lull.store.rows.sealed_rows import is_to_seal, seal_once
from lull.store.rows.sealed_tables import SEALED_TABLES
from lull.store.sqlite.connecting import EndableConnection, connect
from lull.store.sqlite.file_place import FilePlace
from lull.store.sqlite.migrations import MIGRATIONS, SEARCH_ROWS_ANEW
from lull.store.sqlite.preparing import Preparation, PreparingThread
from lull.store.sqlite.writer import DatabaseWork, Inbox, Transaction, Writer

T = TypeVar("T")

CHECKED_BYTES = 256 * 1024 * 1024
"""Size limit in bytes up to which a database file is checked at every opening; a larger one only
after an error suggested damage.
"""


class Database:
    """Reads from and writes to the open SQLite database file, with one writer thread.

    `kept_aside` is the damaged file found in its place, if any. Raises StoreError. `rescue=False`
    reports damage but does not move the file: for readers beside a running service.
    """

    def __init__(self, path: Path, *, rescue: bool = True) -> None:
        self.path = path
        self.kept_aside: Path | None = None
        self.made_anew: tuple[str, ...] = ()
        """Tables that were missing from an otherwise whole file and were created empty."""
        self.worries: list[StoreError] = []
        """What is missing from the file, as errors for the user; shown while they last."""
        self._suspect = path.with_name(path.name + ".suspect")
        self._closed = False
        self._local = threading.local()
        self._readers: list[EndableConnection] = []
        self._readers_lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            check_is_file(path)
            connection = self._open(rescue=rescue)
        except OSError as error:
            raise StoreError(
                f"{error.filename or path}: {error.strerror}.",
                hint="Check LULL_HOME, the folder's permissions and free space.",
            ) from error
        self.place = FilePlace(path)
        self._preparing = PreparingThread()
        self._writer = Writer(connection, in_words=self.in_words, closed=self._is_closed)

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
        return StoreError(
            f"{self.path}: {error}.", hint="Check the folder's permissions and free space."
        )

    def _opened(self) -> sqlite3.Connection:
        connection = connect(self.path, creates=True)
        try:
            self._check(connection)
            self._migrate(connection)
            self._complete(connection, len(MIGRATIONS))
            if is_to_seal(connection):
                with Transaction(connection):
                    seal_once(connection, SEALED_TABLES)
        except BaseException:
            connection.close()
            raise
        return connection

    def _complete(self, connection: sqlite3.Connection, layout: int) -> None:
        """Create, empty, any tables and indexes of this layout that are missing from the file.

        Someone dropped them; the rest of the file is still good.
        """
        wanted = schema_of(MIGRATIONS[:layout])
        if not missing_of(connection, wanted):
            return
        with Transaction(connection):
            anew = create_missing(connection, wanted, fill_search=SEARCH_ROWS_ANEW)
        self.made_anew = tuple(sorted({*self.made_anew, *anew}))

    def _check(self, connection: sqlite3.Connection) -> None:
        suspected = self._suspect.exists()
        if not suspected and self.path.stat().st_size > CHECKED_BYTES:
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
            self._complete(connection, version)  # a migration may need what was dropped
        for number, script in enumerate(MIGRATIONS[version:], version + 1):
            with Transaction(connection):
                # Another process may have migrated it while we waited for the lock.
                (now,) = connection.execute("PRAGMA user_version").fetchone()
                if now >= number:
                    continue
                for statement in script.split(";\n"):
                    if statement.strip():
                        connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")

    # Writing

    def post(self, work: DatabaseWork[Any]) -> bool:
        """Queue a write to the database; never waits or raises. Returns False if it was dropped.

        A failure is logged once when it starts and once when it ends. Writes beyond the backlog are
        dropped and counted. The work must tolerate a rollback and rerun, and not depend on other
        posted work.
        """
        return self._writer.post_work(work)

    def inbox(self, write: Callable[[sqlite3.Connection, Sequence[T]], None]) -> Inbox[T]:
        """Return a queue for frequent small writes: items are posted one by one and passed to
        `write` in batches, in order.

        If a batch fails, each item is written by itself.
        """
        return self._writer.inbox(write)

    async def write(self, work: DatabaseWork[T]) -> T:
        """Run a write function on the database and wait for its commit; it sees all writes posted
        before.

        Raises what `work` raises, with nothing written.
        """
        return await asyncio.wrap_future(self.submit(work))

    async def write_synced(self, work: DatabaseWork[T]) -> T:
        """Write something that a power cut must not undo, such as a user's decision, and wait until
        it is on disk.

        Raises what `work` raises, with nothing written.
        """
        return await asyncio.wrap_future(self._writer.submit(work, synced=True))

    def submit(self, work: DatabaseWork[T]) -> Future[T]:
        """Queue a write to the database and return a future that holds its result after the
        commit.
        """
        return self._writer.submit(work)

    def prepare(self, work: Preparation) -> None:
        """Run work that prepares a write, such as redacting a long text, soon and on a thread of
        its own; never waits or raises.

        The work is called with False; or with True, when too much work waits or the database
        closes, for a short form of the same write, which must take no time to prepare.
        """
        self._preparing.put(work)

    def flush(self, *, prepared_within_s: float | None = None) -> None:
        """Wait until all writes that were posted or are being prepared are committed: then they
        survive a kill, but not a power cut.

        `prepared_within_s` is the most seconds to wait for writes that are still being prepared.
        """
        self._preparing.flush(prepared_within_s)
        self.submit(lambda _: None).result()

    def checkpoint_soon(self) -> None:
        """Have the file shrunk by a WAL checkpoint after the current transaction, so that freed
        space returns to the disk.
        """
        self._writer.checkpoint_soon()

    def tables_gone(self) -> list[str]:
        """Return the names of tables that another program has removed since the file was opened.
        Blocking. Raises StoreError.
        """
        wanted = {name for kind, name, _ in schema_of(MIGRATIONS) if kind == "table"}
        found = self.read(lambda c: c.execute("SELECT name FROM sqlite_master").fetchall())
        return sorted(wanted - {row["name"] for row in found})

    def mend(self) -> dict[str, StoreError]:
        """Create tables that another program removed, empty, and put empty values in the place of
        damaged ones; return the errors that tell the user of either, by "tables" and "values".
        Blocking. Raises StoreError.
        """
        whole = schema_of(MIGRATIONS)
        tables = [name for kind, name, _ in whole if kind == "table"]

        def work(connection: sqlite3.Connection) -> tuple[set[str], StoreError | None]:
            anew = create_missing(connection, whole, fill_search=SEARCH_ROWS_ANEW)
            return anew, mend_values(connection, damaged_tables(connection, tables))

        # Looked for first, because a write may find no room on the disk.
        if not self.read(lambda c: missing_of(c, whole) or damaged_tables(c, tables)):
            return {}
        anew, damage = self.submit(work).result()
        self.made_anew = tuple(sorted({*self.made_anew, *anew}))
        found = self.read(lambda c: lost_tables(c, self.path, anew=anew)) if anew else []
        told = {"tables": found[0] if found else None, "values": damage}
        return {key: error for key, error in told.items() if error is not None}

    def rows_missing(self) -> bool:
        """Return whether the database may have lost rows; then a file or folder must not be deleted
        merely because no row refers to it.
        """
        return self.kept_aside is not None or bool(self.worries)

    @property
    def changes(self) -> int:
        """Number of database rows changed since the file was opened."""
        return self._writer.changes

    @property
    def closing(self) -> bool:
        """Whether the database is being closed; work that can wait should then not begin."""
        return self._writer.closed

    @property
    def failing(self) -> bool:
        """Whether writes to the database are currently being lost."""
        return self._writer.failing

    @property
    def dropped(self) -> int:
        """Number of posted writes dropped because the backlog was full."""
        return self._writer.dropped

    # Reading

    def connect(self, *, readonly: bool = False) -> EndableConnection:
        """Open one more connection to the database file, for the caller to close. Raises StoreError
        if the file cannot be opened, or was removed or replaced since the database was opened.
        """
        self.place.check()  # with the WAL that is there, SQLite would damage another file
        try:
            connection = connect(self.path, readonly=readonly)
        except sqlite3.Error as error:
            self.place.check()
            raise self.in_words(error) from error
        try:
            self.place.check()  # replaced this moment
        except StoreError:
            connection.close()
            raise
        return connection

    def read(self, work: DatabaseWork[T]) -> T:
        """Call `work`, a function that queries the database, on this thread and return its result;
        it sees only committed data. Raises StoreError.
        """
        reader = self._reader()
        # Closing a connection during a running statement crashes the process.
        with reader.in_use:
            if self._closed:
                raise self._is_closed()
            try:
                return work(reader)
            except sqlite3.Error as error:
                raise (self._is_closed() if self._closed else self.in_words(error)) from error

    @contextlib.contextmanager
    def as_if_written(self, work: DatabaseWork[Any]) -> Iterator[None]:
        """Context manager in which this thread reads the database as if the write `work` had been
        made; at the end the write is undone.

        Other writes wait meanwhile.
        """
        connection = self.connect()
        # Not even uncommitted pages may reach the disk: they hold what somebody wants forgotten.
        connection.execute("PRAGMA cache_spill = 0")
        before = getattr(self._local, "reader", None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            work(connection)
            self._local.reader = connection
            yield
        except sqlite3.Error as error:
            raise self.in_words(error) from error
        finally:
            self._local.reader = before
            connection.close()  # without a commit

    def _reader(self) -> EndableConnection:
        reader: EndableConnection | None = getattr(self._local, "reader", None)
        if reader is None:
            with self._readers_lock:
                if self._closed:
                    raise self._is_closed()
                try:
                    reader = self.connect(readonly=True)
                except StoreError:
                    if self._readers and self.place.error() is not None:
                        return self._readers[0]  # of the file that was opened; threads take turns
                    raise
                self._readers.append(reader)
            self._local.reader = reader
        return reader

    def size_bytes(self) -> int:
        """Return the size in bytes of the database file and its write-ahead log (WAL)."""
        wal = self.path.with_name(self.path.name + "-wal")
        return self.path.stat().st_size + (wal.stat().st_size if wal.exists() else 0)

    def close(self) -> None:
        """Write what is queued, then close the database file. Reads that are still running raise a
        StoreError.

        Safe to call twice, also from two threads at once.
        """
        self._preparing.close()
        self._closed = True
        with self._readers_lock:
            for reader in self._readers:
                reader.end()
        self._writer.finish()
        with self._readers_lock:
            for reader in self._readers:
                reader.end_and_close()
            self._readers.clear()
            self._writer.close()  # SQLite crashes where two threads close one connection

    def _is_closed(self) -> StoreError:
        return StoreError(f"{self.path} is closed.", hint="Lull is shutting down.")

    def in_words(self, error: sqlite3.Error) -> StoreError:
        """Convert an error of SQLite for users; damage is remembered, so that the next opening
        checks the file.
        """
        if is_no_room(error):
            return StoreError(f"{self.path}: {error}.", hint="Make room on the disk.")
        if _looks_damaged(error):
            with contextlib.suppress(OSError):
                self._suspect.touch()
        return StoreError(f"{self.path}: {error}.", hint="`lull doctor` checks the file.")


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the whole database, including the WAL; leaves no partial copy."""
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
