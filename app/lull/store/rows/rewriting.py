"""Records that the database file must be rewritten, since its free space may hold deleted text."""

from __future__ import annotations

import sqlite3
import time
from typing import Final

from lull.store.rows.facts import fact

TO_REWRITE: Final = "to-rewrite"
"""Fact that is set while deleted text may still be in the database file's free space."""
REWRITTEN: Final = b"to-copy"
"""Its value once the file was rewritten, while the old one is still read and cannot be replaced."""
_FRAME_HEADER_BYTES: Final = 24
"""Bytes before each page in the write-ahead log (https://sqlite.org/fileformat2.html#walformat)."""
_AT_A_TIME_MS: Final = 200
"""Longest wait for readers in one go, in milliseconds: meanwhile nobody can write."""


def rewrite_copy(connection: sqlite3.Connection) -> None:
    """Rewrite a copy of the database if deleted text may still be in its free space, as in that of
    the database itself. Raises sqlite3.Error.
    """
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'facts'").fetchone():
        return  # of an older layout
    if fact(connection, TO_REWRITE) not in (None, REWRITTEN):
        connection.execute("VACUUM")


def log_bytes(connection: sqlite3.Connection) -> int:
    """Return the bytes in the write-ahead log of a transaction that writes all that is in use."""
    page, pages, unused = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_size", "page_count", "freelist_count")
    )
    return int((pages - unused) * (page + _FRAME_HEADER_BYTES))


def log_emptied(connection: sqlite3.Connection, patience_s: float) -> bool:
    """Empty the write-ahead log into the database; return False if another program still reads it
    after `patience_s`. Blocking. Raises sqlite3.Error.

    While SQLite waits for readers here it holds up all who write, whose records would be lost after
    half a minute. So it waits for moments only, with time for writers between these.
    """
    ends_s = time.monotonic() + patience_s
    (usual_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {_AT_A_TIME_MS}")
    try:
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() >= ends_s:
                return False
            time.sleep(2 * _AT_A_TIME_MS / 1000)
    finally:  # what the caller writes next may wait for another writer as usual
        connection.execute(f"PRAGMA busy_timeout = {usual_ms}")
    return True
