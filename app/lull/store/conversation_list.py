"""The list of conversations: which of them are asked for, newest first, a page at a time.

Decides what may be filtered by. What a row says is `turn_rows.py`'s.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from lull.store.turn_rows import LISTED, Label, plain

UNRATED = "none"
"""Stands for conversations without a label of the user's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a conversation must have; empty: anything."""

    client: str | None = None
    model: str = ""
    label: str = ""
    """A `Label`, or UNRATED."""
    skill: str = ""
    """In the prompt of its newest turn."""
    excluded: bool | None = None
    """Kept out of learning by the user, or not."""
    search: str = ""
    """Words that were said in it."""


def page(
    connection: sqlite3.Connection, wanted: Wanted, *, after: str, limit: int
) -> list[sqlite3.Row]:
    """Rows for `trajectory_row`, newest first, behind the conversation `after`."""
    clauses = [*_clauses(wanted)]
    if after:
        clauses.append(
            ("(r.last, r.id) < (SELECT last, id FROM trajectories WHERE id = ?)", (after,))
        )
    where = " AND ".join(clause for clause, _ in clauses) or "1"
    values = [value for _, some in clauses for value in some]
    return connection.execute(
        f"{LISTED} WHERE {where} ORDER BY r.last DESC, r.id DESC LIMIT ?", (*values, limit)
    ).fetchall()


def kinds(connection: sqlite3.Connection) -> tuple[list[str], list[str]]:
    """Every client and every model that there is a conversation of."""
    clients, models = (
        [
            str(row[0])
            for row in connection.execute(
                f"SELECT DISTINCT {column} FROM trajectories ORDER BY {column}"
            )
        ]
        for column in ("client", "model")
    )
    return clients, models


def _clauses(wanted: Wanted) -> Iterator[tuple[str, tuple[str, ...]]]:
    if wanted.client is not None:
        yield "r.client = ?", (wanted.client,)
    if wanted.model:
        yield "r.model = ?", (wanted.model,)
    if wanted.excluded is not None:
        yield f"r.excluded_at IS {'NOT ' if wanted.excluded else ''}NULL", ()
    if wanted.label == UNRATED:
        rated = "SELECT trajectory FROM turns WHERE label IS NOT NULL"
        yield f"r.id NOT IN ({rated})", ()
    elif wanted.label:
        yield (
            "r.id IN (SELECT trajectory FROM turns WHERE label = ? AND label IS NOT NULL)",
            (Label(wanted.label).value,),
        )
    if wanted.skill:
        yield (
            "EXISTS (SELECT 1 FROM json_each(t.skills) s"
            " WHERE json_extract(s.value, '$.name') = ?)",
            (wanted.skill,),
        )
    if wanted.search.strip():
        matching = "SELECT link FROM words WHERE words MATCH ?"
        yield (
            "r.id IN (SELECT trajectory FROM turns"
            f" WHERE request_link IN ({matching}) OR answer_link IN ({matching}))",
            (_fts(wanted.search),) * 2,
        )


def _fts(search: str) -> str:
    """The user's words as a full-text query: each must occur, the last may be a beginning."""
    said = plain(search).replace('"', " ").replace("\0", " ")
    words = [f'"{word}"' for word in said.split()]
    return " ".join(words) + "*" if words else '""'
