"""Stores the words of messages for full-text search, and finds a message's row among them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from lull.store.sqlite.writer import insert

_EVERY_ROW_OF: Final = (
    "SELECT s.row FROM json_each(?) AS said CROSS JOIN search_rows s ON s.link = said.value"
)
"""The rows of the given links, with the join in the order that uses the key of `search_rows`."""


def add_words(connection: sqlite3.Connection, said: Sequence[tuple[str, str]]) -> None:
    """Add messages, given as (link, text) with the hash that identifies each, to the full-text
    search index.

    None of them may be in the index already.
    """
    last = connection.execute("SELECT rowid FROM words ORDER BY rowid DESC LIMIT 1").fetchone()
    first = (last[0] if last else 0) + 1
    insert(
        connection,
        "words (rowid, text, link)",
        [(row, text, link) for row, (link, text) in enumerate(said, first)],
    )
    insert(
        connection,
        "search_rows (link, row)",
        [(link, row) for row, (link, _) in enumerate(said, first)],
    )


def indexed_texts(connection: sqlite3.Connection, links: Iterable[str]) -> list[tuple[str, str]]:
    """Return the texts of those of these messages that are in the full-text search index, as (link,
    text).

    A link is the hash that identifies a message.
    """
    rows = connection.execute(
        f"SELECT link, text FROM words WHERE rowid IN ({_EVERY_ROW_OF})", (_list(links),)
    )
    return [(row["link"], row["text"]) for row in rows]


def remove_words(connection: sqlite3.Connection, links: Iterable[str]) -> None:
    """Remove messages, given by their links (the hashes that identify them), from the full-text
    search index.
    """
    them = _list(links)
    connection.execute(f"DELETE FROM words WHERE rowid IN ({_EVERY_ROW_OF})", (them,))
    connection.execute(
        "DELETE FROM search_rows WHERE link IN (SELECT value FROM json_each(?))", (them,)
    )


def remove_words_of_no_message(connection: sqlite3.Connection) -> None:
    """Remove every message that is no longer stored from the full-text search index. Reads the
    whole table.
    """
    gone = connection.execute(
        "SELECT link FROM search_rows WHERE link NOT IN (SELECT link FROM messages)"
    ).fetchall()
    remove_words(connection, [row["link"] for row in gone])


def _list(links: Iterable[str]) -> str:
    return json.dumps(list(links))
