"""Runs the database's single writer thread: commits queued writes in order, many per transaction.

Between statements the writer competes with requests for the interpreter lock. So frequent items go
through an `Inbox`, which writes a whole batch in a few statements. A write that raises is rolled
back alone, without its neighbours.
"""

from __future__ import annotations

import contextlib
import logging
import math
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import groupby
from typing import Any, Generic, NamedTuple, TypeVar

from lull.core.errors import StoreError

log = logging.getLogger(__name__)
T = TypeVar("T")
DatabaseWork = Callable[[sqlite3.Connection], T]

WRITES_PER_TRANSACTION = 256
"""Most writes in one transaction, so that the writes after it do not wait long."""
GATHER_S = 0.01
"""Seconds to wait before a write that follows another closely, so that concurrent requests share a
transaction: at most a hundred commits a second.
"""
BACKLOG = 20_000
"""Most writes waiting in the queue; beyond this, new ones are dropped and counted. Replies are
never delayed.
"""


class _Entry(NamedTuple):
    """A queued write."""

    work: DatabaseWork[Any]
    future: Future[Any] | None = None
    """The caller's future; None if nobody waits."""
    inbox: Inbox[Any] | None = None
    item: Any = None
    """The item that `work` writes alone and the inbox writes in a batch."""
    synced: bool = False
    """Whether a power cut must not undo the write once it is committed."""


class Inbox(Generic[T]):
    """Queue that accepts items of one kind one by one and writes them to the database in batches,
    in order.
    """

    def __init__(
        self,
        post: Callable[[_Entry], bool],
        write: Callable[[sqlite3.Connection, Sequence[T]], None],
    ) -> None:
        self.write = write
        self._post = post

    def put(self, item: T) -> None:
        """Queue an item to be stored soon; never waits or raises."""
        self._post(_Entry(partial(_write_items, self.write, [item]), None, self, item))


class Writer:
    """Owns the database's write connection and its writer thread.

    `in_words` converts an SQLite error for users; `closed` makes the error for writes after
    closing.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        in_words: Callable[[sqlite3.Error], StoreError],
        closed: Callable[[], StoreError],
    ) -> None:
        self.dropped = 0
        self.failing = False
        """Whether writes are currently being lost."""
        self._connection = connection
        self._in_words = in_words
        self._is_closed = closed
        self._queue: queue.SimpleQueue[_Entry | None] = queue.SimpleQueue()
        self._closed = False
        self._door = threading.Lock()
        self._checkpoint = False
        self._syncs = False
        """Whether the connection now syncs each commit to disk."""
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    # Queueing

    def post(self, entry: _Entry) -> bool:
        """Queue a write without waiting; it is dropped and counted if too many wait. Returns
        whether it was queued.
        """
        with self._door:
            # A write in progress may queue its next piece even after closing.
            closed = self._closed and threading.current_thread() is not self._thread
            if closed or self._queue.qsize() >= BACKLOG:
                self.dropped += 1
                if self.dropped == 1 and not self._closed:
                    log.error("the store does not keep up: records are dropped")
                return False
            self._queue.put(entry)
            return True

    def post_work(self, work: DatabaseWork[Any]) -> bool:
        """Queue a write function without waiting; it is dropped and counted if too many writes
        wait. Returns whether it was queued.
        """
        return self.post(_Entry(work))

    def inbox(self, write: Callable[[sqlite3.Connection, Sequence[T]], None]) -> Inbox[T]:
        """Return an inbox whose items are written together."""
        return Inbox(self.post, write)

    def submit(self, work: DatabaseWork[T], *, synced: bool = False) -> Future[T]:
        """Queue a write function and return the future of its result after the commit."""
        future: Future[T] = Future()
        with self._door:
            if self._closed:
                future.set_exception(self._is_closed())
            else:
                self._queue.put(_Entry(work, future, synced=synced))
        return future

    def checkpoint_soon(self) -> None:
        """Have the database file and its write-ahead log shrunk after the current transaction, to
        free the space of deleted rows.
        """
        self._checkpoint = True

    @property
    def changes(self) -> int:
        """The number of rows that were changed since the start."""
        return self._connection.total_changes

    @property
    def closed(self) -> bool:
        """Whether the writer accepts no more writes from other threads, and ends when its queue is
        empty.
        """
        return self._closed

    def finish(self) -> None:
        """Write everything that is queued, then end the writer thread. Safe to call twice."""
        with self._door:
            first = not self._closed
            self._closed = True
        if first:
            self._queue.put(None)
        self._thread.join()

    def close(self) -> None:
        """Empty the write-ahead log into the database file, and close the connection. Blocking."""
        with contextlib.suppress(sqlite3.Error):  # another process reads: it checkpoints later
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    # The thread

    def _run(self) -> None:
        ended_s = -math.inf
        while (first := self._next()) is not None:
            if time.monotonic() - ended_s < GATHER_S and first.future is None:
                time.sleep(GATHER_S)
            batch = [first]
            while len(batch) < WRITES_PER_TRANSACTION:
                try:
                    following = self._queue.get_nowait()
                except queue.Empty:
                    break
                if following is None:
                    self._queue.put(None)
                    break
                batch.append(following)
            # Skip writes whose caller has cancelled; a started write is finished.
            self._commit(
                [e for e in batch if e.future is None or e.future.set_running_or_notify_cancel()]
            )
            ended_s = time.monotonic()

    def _next(self) -> _Entry | None:
        """Wait for the next entry; None at the end."""
        first = self._queue.get()
        if first is None and not self._queue.empty():
            self._queue.put(None)
            return self._next()
        return first

    def _commit(self, batch: Sequence[_Entry]) -> None:
        settled: list[tuple[Future[Any], Any, BaseException | None]] = []
        posted: list[BaseException | None] = []
        try:
            self._sync_commits(any(entry.synced for entry in batch))
            with Transaction(self._connection):
                for awaited, entries in groupby(batch, key=lambda entry: entry.future is not None):
                    if awaited:
                        settled += [(e.future, *self._one(e.work)) for e in entries if e.future]
                    else:
                        posted += self._posted(list(entries))
            # Only now: a disk that is full refuses the COMMIT, not the statements before it.
            for failed in posted:
                self._tell(failed)
        except sqlite3.Error as error:
            self._tell(error)
            settled = [(e.future, None, error) for e in batch if e.future is not None]
        self._give_room_back()
        for future, result, failure in settled:
            if failure is None:
                future.set_result(result)
            elif isinstance(failure, sqlite3.Error):
                told = self._in_words(failure)
                told.__cause__ = failure
                future.set_exception(told)
            else:
                future.set_exception(failure)

    def _sync_commits(self, wanted: bool) -> None:
        """Sync the next commits to disk, or leave that to the next checkpoint."""
        if wanted != self._syncs:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if wanted else 'NORMAL'}")
            self._syncs = wanted

    def _posted(self, entries: Sequence[_Entry]) -> list[BaseException | None]:
        """Write all together, or each by itself if one fails; return what failed, in order."""
        works = _heaped(entries)
        _, failure = self._one(lambda connection: [work(connection) for work in works])
        if failure is None:
            return [None]
        return [self._one(entry.work)[1] for entry in entries]

    def _one(self, work: DatabaseWork[Any]) -> tuple[Any, BaseException | None]:
        self._connection.execute("SAVEPOINT one")
        try:
            result = work(self._connection)
        except Exception as error:
            # Any error is passed to the caller.
            if not self._connection.in_transaction:
                # SQLite has undone the whole transaction, as it may on a full disk.
                raise _undone_by(error) from error
            self._connection.execute("ROLLBACK TO one")
            self._connection.execute("RELEASE one")
            return None, error
        self._connection.execute("RELEASE one")
        return result, None

    def _give_room_back(self) -> None:
        if self._checkpoint:
            self._checkpoint = False
            with contextlib.suppress(sqlite3.Error):  # busy readers: SQLite does it later
                # A script, because `execute` steps a pragma only once, which frees one page.
                self._connection.executescript(
                    "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)"
                )

    def _tell(self, error: BaseException | None) -> None:
        if error is not None and not self.failing:
            log.error("recording failed; replies go on, these records are lost", exc_info=error)
        elif error is None and self.failing:
            log.warning("recording works again")
        self.failing = error is not None
        if isinstance(error, sqlite3.Error):
            self._in_words(error)


def _undone_by(error: Exception) -> sqlite3.Error:
    return error if isinstance(error, sqlite3.Error) else sqlite3.OperationalError(str(error))


def _heaped(entries: Sequence[_Entry]) -> list[DatabaseWork[Any]]:
    """Return the entries' writes, merging those for one inbox into one at the first's position."""
    works: list[DatabaseWork[Any]] = []
    heaps: dict[int, list[Any]] = {}
    for entry in entries:
        if entry.inbox is None:
            works.append(entry.work)
            continue
        heap = heaps.setdefault(id(entry.inbox), [])
        if not heap:
            works.append(partial(_write_items, entry.inbox.write, heap))
        heap.append(entry.item)
    return works


def _write_items(
    write: Callable[[sqlite3.Connection, Sequence[T]], None],
    items: Sequence[T],
    connection: sqlite3.Connection,
) -> None:
    write(connection, items)


class Transaction:
    """Context manager for one SQLite transaction: BEGIN IMMEDIATE … COMMIT, or ROLLBACK if anything
    fails, including the COMMIT.
    """

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


def insert(
    connection: sqlite3.Connection,
    into: str,
    rows: Sequence[Sequence[object]],
    otherwise: str = "",
) -> None:
    """Insert all rows into a table with few SQL statements.

    `into` names the table and columns ("turns (id, at)"); `otherwise` is appended (ON CONFLICT …).
    """
    at = 0
    while at < len(rows):
        # Powers of two, so that only few statements are prepared and cached.
        count = min(_ROWS_PER_INSERT, 1 << ((len(rows) - at).bit_length() - 1))
        one = f"({', '.join('?' * len(rows[at]))})"
        values = ", ".join([one] * count)
        flat = [value for row in rows[at : at + count] for value in row]
        connection.execute(f"INSERT INTO {into} VALUES {values} {otherwise}", flat)
        at += count


_ROWS_PER_INSERT = 32
"""Most rows in one statement; SQLite allows 32,766 values."""
