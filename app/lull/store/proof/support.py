"""Stores support turns: the turns from which a skill was made and those that were answered again to
test it.

Their requests' subject words are stored with them: a conversation may be deleted while its skill
stays, and similar requests must still not be used for training the weights.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from lull.core.training.eligibility import comparison_words
from lull.store.chat.turn_rows import turn_row
from lull.store.feedback.reward_rows import newest_words
from lull.store.rows.readable_rows import readable
from lull.store.sqlite.database import Database
from lull.store.sqlite.value_lists import value_list

_STANDING = (
    " FROM support s JOIN proposals p ON p.id = s.proposal"
    # A rejected proposal taught nothing, so its turns may be used again.
    " WHERE p.status <> 'rejected'"
)


def support_turns(database: Database, turns: Sequence[str] | None = None) -> set[str]:
    """Return the ids of turns from which a skill was made or which were answered again to test one:
    all, or those among `turns`.

    Turns of rejected proposals do not count.
    """
    marks, values = value_list(turns or ())
    only = f" AND s.turn IN ({marks})" if turns is not None else ""
    rows = database.read(
        lambda connection: connection.execute(
            f"SELECT DISTINCT s.turn {_STANDING}{only}", values
        ).fetchall()
    )
    return {row["turn"] for row in rows}


def support_subject_words(database: Database) -> list[frozenset[str]]:
    """Return, for each past request from which a skill was made or with which one was tested, the
    set of its subject words (those that say what it is about).

    Includes requests whose turns are deleted.
    """

    def work(connection: sqlite3.Connection) -> list[frozenset[str]]:
        rows = connection.execute(
            f"SELECT s.turn, max(s.marks) AS marks {_STANDING} GROUP BY s.turn"
        ).fetchall()
        return [
            readable(row["marks"] or _marks(connection, row["turn"]), _words, frozenset())
            for row in rows
        ]

    return database.read(work)


def write_support(
    connection: sqlite3.Connection, proposal: str, turns: Iterable[tuple[str, str]]
) -> None:
    """Store from which turns a proposed skill was made, or with which it is tested, and for each
    what it was used as, such as "failure" or "wish".
    """
    connection.executemany(
        "INSERT OR IGNORE INTO support (turn, proposal, part, marks) VALUES (?, ?, ?, ?)",
        [(turn, proposal, part, _marks(connection, turn)) for turn, part in turns],
    )


def _marks(connection: sqlite3.Connection, turn: str) -> str:
    row = connection.execute("SELECT * FROM turns WHERE id = ?", (turn,)).fetchone()
    asked = newest_words(turn_row(connection, row, set()).request) if row else ""
    return json.dumps(sorted(comparison_words(asked)))


def _words(values: list[str]) -> frozenset[str]:
    return frozenset(map(str, values))
