"""The turns that taught a skill or stood in its proof, and what they asked.

Their subject words are kept beside them: a conversation may be removed while the skill that it
taught goes on, and a request much like it must still not train the weights.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from lull.core.eligibility import marks_of
from lull.store.database import Database
from lull.store.reward_rows import newest_words
from lull.store.turn_rows import turn_row

_STANDING = (
    " FROM support s JOIN proposals p ON p.id = s.proposal"
    # What was rejected taught nothing, and its turns are free again.
    " WHERE p.status <> 'rejected'"
)


def support_turns(database: Database, turns: Sequence[str] | None = None) -> set[str]:
    """Turns that taught a skill or stood in its proof, of these or of all."""
    only = f" AND s.turn IN ({','.join('?' * len(turns))})" if turns is not None else ""
    rows = database.read(
        lambda connection: connection.execute(
            f"SELECT DISTINCT s.turn {_STANDING}{only}", tuple(turns or ())
        ).fetchall()
    )
    return {row["turn"] for row in rows}


def support_marks(database: Database) -> list[frozenset[str]]:
    """What the support turns asked, also those that were removed meanwhile."""

    def work(connection: sqlite3.Connection) -> list[frozenset[str]]:
        rows = connection.execute(
            f"SELECT s.turn, max(s.marks) AS marks {_STANDING} GROUP BY s.turn"
        ).fetchall()
        return [
            frozenset(json.loads(row["marks"] or _marks(connection, row["turn"]))) for row in rows
        ]

    return database.read(work)


def write_support(
    connection: sqlite3.Connection, proposal: str, turns: Iterable[tuple[str, str]]
) -> None:
    """Turns with the part that each had in the making of the proposal."""
    connection.executemany(
        "INSERT OR IGNORE INTO support (turn, proposal, part, marks) VALUES (?, ?, ?, ?)",
        [(turn, proposal, part, _marks(connection, turn)) for turn, part in turns],
    )


def _marks(connection: sqlite3.Connection, turn: str) -> str:
    row = connection.execute("SELECT * FROM turns WHERE id = ?", (turn,)).fetchone()
    asked = newest_words(turn_row(connection, row, set()).request) if row else ""
    return json.dumps(sorted(marks_of(asked)))
