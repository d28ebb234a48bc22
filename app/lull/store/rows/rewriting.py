"""Records that the database file must be rewritten, since its free space may hold deleted text."""

from __future__ import annotations

import sqlite3
from typing import Final

from lull.store.rows.facts import fact

TO_REWRITE: Final = "to-rewrite"
"""Fact that is set while deleted text may still be in the database file's free space."""
REWRITTEN: Final = b"to-copy"
"""Its value once the file was rewritten, while the old one is still read and cannot be replaced."""
_FRAME_HEADER_BYTES: Final = 24
"""Bytes before each page in the write-ahead log (https://sqlite.org/fileformat2.html#walformat)."""


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
