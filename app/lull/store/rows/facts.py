"""Reads and writes facts (the database's named values, such as secret keys), and computes the keyed
hashes by which stored copies of rows are recognized as Lull's own.
"""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
from typing import Final

MAC_BYTES: Final = 32
"""Length of a keyed hash."""


def fact(connection: sqlite3.Connection, name: str) -> bytes | None:
    """Return the value of a fact (a named value in the database); None if there is none."""
    # As bytes, because a text that is not UTF-8 could not be read at all.
    row = connection.execute(
        "SELECT CAST(value AS BLOB) FROM facts WHERE name = ?", (name,)
    ).fetchone()
    return bytes(row[0]) if row else None


def set_fact(connection: sqlite3.Connection, name: str, value: bytes) -> None:
    """Store a fact (a named value) in the database, in place of any earlier one of this name."""
    connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))


def keyed_hash(key: bytes, data: bytes) -> bytes:
    """Return the hash of `data` that only somebody with the secret key can compute."""
    return hmac.new(key, data, hashlib.sha256).digest()


def is_signed(key: bytes, value: bytes) -> bool:
    """Return whether a stored value begins with the keyed hash of the rest of it."""
    return hmac.compare_digest(value[:MAC_BYTES], keyed_hash(key, value[MAC_BYTES:]))
