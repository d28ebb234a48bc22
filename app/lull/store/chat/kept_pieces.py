"""Sets the messages of long requests aside in the database, and moves them from there into the
tables of conversations one piece (a compressed group of messages) per transaction.

A request of 200,000 messages is written for half a minute. Meanwhile it takes no memory, other
writes get in between, and nothing of it is lost when the service ends or is killed.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Sequence

import zstandard

from lull.store.chat.recording import write_piece
from lull.store.sqlite.database import Database

log = logging.getLogger(__name__)


class KeptPieces:
    """Keeps pieces of long requests in a table of their own, and moves the messages of one piece
    after the other into the tables of conversations until that table is empty.
    """

    def __init__(self, database: Database) -> None:
        self._db = database
        self._lock = threading.Lock()
        self._moving = False
        """Whether a write that moves a piece is queued. Never two: a transaction with many pieces
        would hold up the other writes.
        """

    def keep(self, turn: str, pieces: Sequence[bytes]) -> None:
        """Queue the writing of a request's pieces; the caller never waits."""

        def work(connection: sqlite3.Connection) -> None:
            keep_pieces(connection, turn, pieces)
            self.move()  # only now, or a write that finds the table empty could end the moving

        self._db.post(work)

    def move(self) -> None:
        """Queue the writing of the messages in all pieces that are kept; the caller never waits."""
        with self._lock:
            if self._moving:
                return
            self._moving = True
        self._post()

    def _post(self) -> None:
        if not self._db.post(self._move_one):
            self._end()

    def _end(self) -> None:
        with self._lock:
            self._moving = False

    def _move_one(self, connection: sqlite3.Connection) -> None:
        if self._db.closing:
            return  # the next start goes on
        try:
            moved = _write_kept_piece(connection)
        except sqlite3.Error:  # a full disk: the next long request tries again
            self._end()
            raise
        if moved:
            self._post()
        else:
            self._end()


def keep_pieces(connection: sqlite3.Connection, turn: str, pieces: Sequence[bytes]) -> None:
    """Set aside those pieces (compressed groups of messages) of a request whose messages are not
    in the tables of conversations yet. If their turn is deleted before, so are they.
    """
    there = connection.execute("SELECT 1 FROM turns WHERE id = ?", (turn,)).fetchone()
    if there is not None:
        connection.executemany(
            "INSERT INTO kept_pieces (turn, piece) VALUES (?, ?)", [(turn, one) for one in pieces]
        )


def _write_kept_piece(connection: sqlite3.Connection) -> bool:
    """Store the messages of the first piece that `keep_pieces` kept; False if there is none."""
    row = connection.execute(
        "SELECT number, piece FROM kept_pieces ORDER BY number LIMIT 1"
    ).fetchone()
    if row is not None:
        connection.execute("DELETE FROM kept_pieces WHERE number = ?", (row["number"],))
        try:
            write_piece(connection, row["piece"])
        except (zstandard.ZstdError, ValueError, TypeError):
            log.error("a piece of a long request is damaged: its messages are lost")
    return row is not None
