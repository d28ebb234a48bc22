"""The one thread that writes: what has gathered goes into one transaction, in the order it came.

Between two statements the writer wants the interpreter back, and a request waits for it meanwhile.
So what comes many times a second is put into an `Inbox`, which writes all that has gathered with a
few statements; what is written alone and then fails takes nothing of its neighbours with it.
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
Work = Callable[[sqlite3.Connection], T]

BATCH = 256
"""Writes in one transaction at most: bounds what a power cut could take."""
GATHER_S = 0.01
"""Where one write follows so soon on another, many requests are under way: what they leave is
written together, a hundred times a second and not a thousand."""
BACKLOG = 20_000
"""Posted writes that may wait; beyond this the newest is dropped and counted, never the reply."""


class _Entry(NamedTuple):
    """A write that waits in line."""

    work: Work[Any]
    future: Future[Any] | None = None
    """Somebody waits for it."""
    inbox: Inbox[Any] | None = None
    item: Any = None
    """What `work` writes by itself and the inbox together with others."""


class Inbox(Generic[T]):
    """Where things of one kind are posted that are stored many at a time, in their order."""

    def __init__(
        self,
        post: Callable[[_Entry], None],
        write: Callable[[sqlite3.Connection, Sequence[T]], None],
    ) -> None:
        self.write = write
        self._post = post

    def put(self, item: T) -> None:
        """Store it soon; never waits, never raises."""
        self._post(_Entry(partial(_write_items, self.write, [item]), None, self, item))


class Writer:
    """Owns the connection from here on. `in_words` makes an error of SQLite one for people,
    `closed` is the error for whoever comes too late."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        in_words: Callable[[sqlite3.Error], StoreError],
        closed: Callable[[], StoreError],
    ) -> None:
        self.dropped = 0
        self.failing = False
        """Writes are being lost now."""
        self._connection = connection
        self._in_words = in_words
        self._is_closed = closed
        self._queue: queue.SimpleQueue[_Entry | None] = queue.SimpleQueue()
        self._closed = False
        self._door = threading.Lock()
        self._checkpoint = False
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    # The door

    def post(self, entry: _Entry) -> None:
        with self._door:
            if self._closed or self._queue.qsize() >= BACKLOG:
                self.dropped += 1
                if self.dropped == 1 and not self._closed:
                    log.error("the store does not keep up: records are dropped")
                return
            self._queue.put(entry)

    def post_work(self, work: Work[Any]) -> None:
        self.post(_Entry(work))

    def inbox(self, write: Callable[[sqlite3.Connection, Sequence[T]], None]) -> Inbox[T]:
        return Inbox(self.post, write)

    def submit(self, work: Work[T]) -> Future[T]:
        future: Future[T] = Future()
        with self._door:
            if self._closed:
                future.set_exception(self._is_closed())
            else:
                self._queue.put(_Entry(work, future))
        return future

    def checkpoint_soon(self) -> None:
        """After this transaction give the room that became free back to the disk."""
        self._checkpoint = True

    def finish(self) -> None:
        """Write what waits, then end. Safe to call twice."""
        with self._door:
            first = not self._closed
            self._closed = True
        if first:
            self._queue.put(None)
        self._thread.join()

    def close(self) -> None:
        self._connection.close()

    # The thread

    def _run(self) -> None:
        ended_s = -math.inf
        while (first := self._queue.get()) is not None:
            if time.monotonic() - ended_s < GATHER_S and first.future is None:
                time.sleep(GATHER_S)
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
                [e for e in batch if e.future is None or e.future.set_running_or_notify_cancel()]
            )
            ended_s = time.monotonic()

    def _commit(self, batch: Sequence[_Entry]) -> None:
        settled: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            with Transaction(self._connection):
                for awaited, entries in groupby(batch, key=lambda entry: entry.future is not None):
                    if awaited:
                        settled += [(e.future, *self._one(e.work)) for e in entries if e.future]
                    else:
                        self._posted(list(entries))
        except sqlite3.Error as error:
            self._tell(error)
            settled = [(e.future, None, error) for e in batch if e.future is not None]
        self._give_room_back()
        for future, result, failure in settled:
            if failure is None:
                future.set_result(result)
            elif isinstance(failure, sqlite3.Error):
                future.set_exception(self._in_words(failure))
            else:
                future.set_exception(failure)

    def _posted(self, entries: Sequence[_Entry]) -> None:
        """All together, or each by itself when one of them fails."""
        works = _heaped(entries)
        _, failure = self._one(lambda connection: [work(connection) for work in works])
        if failure is None:
            self._tell(None)
            return
        for entry in entries:
            self._tell(self._one(entry.work)[1])

    def _one(self, work: Work[Any]) -> tuple[Any, BaseException | None]:
        self._connection.execute("SAVEPOINT one")
        try:
            result = work(self._connection)
        except Exception as error:  # noqa: BLE001  what any caller's write raises goes back to it
            self._connection.execute("ROLLBACK TO one")
            self._connection.execute("RELEASE one")
            return None, error
        self._connection.execute("RELEASE one")
        return result, None

    def _give_room_back(self) -> None:
        if self._checkpoint:
            self._checkpoint = False
            with contextlib.suppress(sqlite3.Error):  # busy readers: SQLite does it later itself
                # A script, because `execute` would take one step of the first and free one page.
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


def _heaped(entries: Sequence[_Entry]) -> list[Work[Any]]:
    """Their writes; those for one inbox become one write, where the first of them stood."""
    works: list[Work[Any]] = []
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


def insert(
    connection: sqlite3.Connection,
    into: str,
    rows: Sequence[Sequence[object]],
    otherwise: str = "",
) -> None:
    """Insert all rows, each of the columns that `into` names ("turns (id, at)"), with few
    statements; `otherwise` is what stands behind the values (ON CONFLICT …)."""
    at = 0
    while at < len(rows):
        # Powers of two, so that few statements are prepared and kept.
        count = min(_ROWS, 1 << ((len(rows) - at).bit_length() - 1))
        one = f"({', '.join('?' * len(rows[at]))})"
        values = ", ".join([one] * count)
        flat = [value for row in rows[at : at + count] for value in row]
        connection.execute(f"INSERT INTO {into} VALUES {values} {otherwise}", flat)
        at += count


_ROWS = 32
"""In one statement at most: SQLite allows 32,766 values."""
