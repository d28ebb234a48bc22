"""Stores the secret key with which messages are hashed (each hash identifies a message and all
before it); the key is made once for each database and never changed.

By these hashes a conversation is recognized when a client sends its history again.
"""

from __future__ import annotations

import secrets
import sqlite3
from typing import Final

from lull.store.sqlite.database import Database

_NAME: Final = "chain-key"


def chain_key(database: Database) -> bytes:
    """Return the database's secret key for message hashes, made and stored at the first call.
    Raises StoreError.
    """

    def work(connection: sqlite3.Connection) -> bytes:
        stored = chain_key_in(connection)
        if stored:
            return stored
        key = secrets.token_bytes(32)
        connection.execute("INSERT INTO facts VALUES (?, ?)", (_NAME, key))
        return key

    return database.submit(work).result()


def stored_chain_key(database: Database) -> bytes:
    """Return the database's secret key for message hashes without making one; empty if there is
    none. Raises StoreError.
    """
    return database.read(chain_key_in)


def chain_key_in(connection: sqlite3.Connection) -> bytes:
    """Return the secret key for message hashes that a database holds; empty if there is none."""
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (_NAME,)).fetchone()
    return bytes(row["value"]) if row else b""
