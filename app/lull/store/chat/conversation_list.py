"""Queries the stored conversations for a list: filtered, paged, newest first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from lull.store.chat.turn_rows import LISTED, WORE_SKILL, Label, without_surrogates

UNRATED = "none"
"""Filter value for conversations that the user has not labelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationQuery:
    """Filters for the list of conversations; empty fields match anything."""

    client: str | None = None
    model: str = ""
    label: str = ""
    """A `Label` value, or UNRATED."""
    skill: str = ""
    """Name of a skill in the prompt of the newest turn."""
    excluded: bool | None = None
    """Whether the user excluded the conversation from learning; None matches both."""
    search: str = ""
    """Words to find in the conversation's messages."""


def page(
    connection: sqlite3.Connection, wanted: ConversationQuery, *, after: str, limit: int
) -> list[sqlite3.Row]:
    """Return one page of the list of stored conversations as database rows, newest first, beginning
    after the conversation `after`.
    """
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


def clients_and_models(connection: sqlite3.Connection) -> tuple[list[str], list[str]]:
    """Return the names of all clients and of all models that occur in stored conversations, as two
    lists.
    """
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


def _clauses(wanted: ConversationQuery) -> Iterator[tuple[str, tuple[str, ...]]]:
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
        yield WORE_SKILL, (wanted.skill,)
    if wanted.search.strip():
        matching = "SELECT link FROM words WHERE words MATCH ?"
        yield (
            "r.id IN (SELECT trajectory FROM turns"
            f" WHERE request_link IN ({matching}) OR answer_link IN ({matching}))",
            (_fts(wanted.search),) * 2,
        )


def _fts(search: str) -> str:
    """Build a full-text query: every word must occur, the last one as a prefix."""
    said = without_surrogates(search).replace('"', " ").replace("\0", " ")
    words = [f'"{word}"' for word in said.split()]
    return " ".join(words) + "*" if words else '""'
