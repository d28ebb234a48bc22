"""Finds all database rows that belong to given conversations, to move them to the trash, and
inserts them again when the conversations are restored.

Dependent tables are found through the database's foreign keys, so new tables are included
automatically.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Any, Final

from lull.store.chat.search_words import add_words, indexed_texts
from lull.store.chat.trash_files import ROOT, TrashRow, TrashRows

SHARED: Final = ("messages", "words", "tool_sets")
"""Tables of what was said or offered in conversations; several may need the same row."""
_NUMBERED: Final = ("kept_pieces", "use_replays")
"""Tables whose only key is a running number; a deleted row's number may have been given to another
row since.
"""
_VALUES_PER_QUERY: Final = 500
"""Most values in one SQL statement."""


def rows_of_conversations(
    connection: sqlite3.Connection, ids: Sequence[str]
) -> list[tuple[str, TrashRow]]:
    """Return every database row that depends on these conversations, and the rows of their
    messages; a row that others depend on comes before them.
    """
    found = own_rows(connection, ids)
    return found + _said(connection, [row for table, row in found if table == "turns"])


def own_rows(connection: sqlite3.Connection, ids: Sequence[str]) -> list[tuple[str, TrashRow]]:
    """Return every database row that depends on these conversations; a row that others depend on
    comes before them.
    """
    found: list[tuple[str, TrashRow]] = []
    seen: set[tuple[str, str]] = set()
    waiting: list[tuple[str, str, list[Any]]] = [(ROOT, "id", list(ids))]
    children = _children(connection)
    while waiting:
        table, column, values = waiting.pop(0)
        rows = rows_where(connection, table, column, values)
        fresh = []
        for row in rows:
            mark = (table, repr(sorted(row.items())))
            if mark not in seen:
                seen.add(mark)
                fresh.append(row)
        found += [(table, row) for row in fresh]
        for child, own, theirs in children.get(table, ()):
            if fresh:
                waiting.append((child, own, [row[theirs] for row in fresh]))
    return found


def by_conversation(rows: Sequence[tuple[str, TrashRow]]) -> dict[str, set[str]]:
    """Return, by conversation, what its own rows hold, so that two readings can be compared."""
    turns = {row["id"]: row["trajectory"] for table, row in rows if table == "turns"}
    found: dict[str, set[str]] = {row["id"]: set() for table, row in rows if table == ROOT}
    for table, row in rows:
        whose = row["id"] if table == ROOT else row.get("trajectory", turns.get(row.get("turn")))
        if whose in found and table not in SHARED:
            found[whose].add(f"{table} {sorted(row.items())!r}")
    return found


def _children(connection: sqlite3.Connection) -> dict[str, list[tuple[str, str, str]]]:
    """Return, by table, the (table, column, referenced column) that cascade on delete."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for table in _tables(connection):
        for key in connection.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            if key["on_delete"] == "CASCADE":
                found.setdefault(key["table"], []).append((table, key["from"], key["to"]))
    return found


def _tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return [row["name"] for row in rows]


def _said(connection: sqlite3.Connection, turns: Sequence[TrashRow]) -> list[tuple[str, TrashRow]]:
    ends = {turn[name] for turn in turns for name in ("request_link", "answer_link")}
    messages: dict[str, TrashRow] = {}
    while ends:
        rows = rows_where(connection, "messages", "link", sorted(ends))
        messages |= {row["link"]: row for row in rows}
        ends = {row["parent"] for row in rows if row["parent"]} - messages.keys()
    texts = indexed_texts(connection, sorted(messages))
    words = [{"link": link, "text": text} for link, text in texts]
    tools = sorted({turn["tools"] for turn in turns if turn["tools"]})
    return [
        *(("messages", row) for row in messages.values()),
        *(("words", row) for row in words),
        *(("tool_sets", row) for row in rows_where(connection, "tool_sets", "sha256", tools)),
    ]


def rows_where(
    connection: sqlite3.Connection, table: str, column: str, values: Sequence[Any]
) -> list[TrashRow]:
    """Return the rows of a table that have one of these values in a column."""
    found: list[TrashRow] = []
    for at in range(0, len(values), _VALUES_PER_QUERY):
        part = values[at : at + _VALUES_PER_QUERY]
        marks = ",".join("?" * len(part))
        found += [
            dict(row)
            for row in connection.execute(
                f"SELECT * FROM {table} WHERE {column} IN ({marks})", part
            )
        ]
    return found


def put_back(connection: sqlite3.Connection, rows: Sequence[tuple[str, TrashRow]]) -> list[str]:
    """Insert rows of conversations from the trash into the database again, keeping rows that exist;
    return the ids of restored conversations.
    """
    ids = [row["id"] for table, row in rows if table == ROOT]
    there = {row["id"] for row in rows_where(connection, ROOT, "id", ids)}
    known = {row["link"] for row in rows_where(connection, "messages", "link", links_in(rows))}
    columns = {table: _columns(connection, table) for table in _tables(connection)}
    for table, row in rows:
        names = sorted(columns.get(table, set()) & row.keys())
        if not names or table == "words":
            continue
        if table in _NUMBERED:
            _put_back_numbered(connection, table, {name: row[name] for name in names})
            continue
        connection.execute(
            f"INSERT OR IGNORE INTO {table} ({', '.join(names)})"
            f" VALUES ({', '.join('?' * len(names))})",
            [row[name] for name in names],
        )
    words = {row["link"]: row["text"] for table, row in rows if table == "words"}
    add_words(connection, [(link, text) for link, text in words.items() if link not in known])
    return [one for one in ids if one not in there]


def _put_back_numbered(connection: sqlite3.Connection, table: str, row: TrashRow) -> None:
    """Insert a row with a new number, unless the same row is there."""
    names = [name for name in row if name != "number"]
    if not names:
        return
    values = [row[name] for name in names]
    connection.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) SELECT {', '.join('?' * len(names))}"
        f" WHERE NOT EXISTS (SELECT 1 FROM {table}"
        f" WHERE {' AND '.join(f'{name} IS ?' for name in names)})",
        [*values, *values],
    )


def put_back_alone(connection: sqlite3.Connection, rows: TrashRows, conversation: str) -> bool:
    """Insert one conversation of a damaged trash file into the database, or nothing of it if its
    rows violate a constraint; return whether it was inserted.
    """
    connection.execute("SAVEPOINT alone")
    try:
        put_back(connection, only_rows_of(connection, rows, {conversation}))
    except sqlite3.IntegrityError:
        connection.execute("ROLLBACK TO alone")
        return False
    finally:
        connection.execute("RELEASE alone")
    return True


def only_rows_of(
    connection: sqlite3.Connection, rows: TrashRows, ids: Collection[str]
) -> TrashRows:
    """Return, of the rows in a trash file, those that belong to these conversations, and those that
    several conversations may need, such as messages.
    """
    parents: dict[str, list[tuple[str, str, str]]] = {}
    for parent, children in _children(connection).items():
        for table, own, theirs in children:
            parents.setdefault(table, []).append((own, parent, theirs))
    found: list[tuple[str, TrashRow]] = []
    held: set[tuple[str, str, Any]] = set()
    for table, row in rows:
        mine = row["id"] in ids if table == ROOT else table in SHARED
        if mine or any(
            (up, theirs, row[own]) in held for own, up, theirs in parents.get(table, ())
        ):
            found.append((table, row))
            held |= {(table, name, value) for name, value in row.items()}
    tools = {row["tools"] for table, row in found if table == "turns"}
    return [(t, row) for t, row in found if t != "tool_sets" or row["sha256"] in tools]


def links_in(rows: Sequence[tuple[str, TrashRow]]) -> list[str]:
    """Return the links (hashes that identify messages) of the messages among these database
    rows.
    """
    return [row["link"] for table, row in rows if table == "messages"]


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row["name"] for row in connection.execute(f"PRAGMA table_info({table})")}
