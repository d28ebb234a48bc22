"""The pair of answers that the user was shown last of a proposal, until they pick from it.

Only what a pick needs is kept: request, seed, hashes, and which answer stood first. The answers
themselves are not: who asks again after a crash is shown others.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from lull.core.errors import Conflict
from lull.core.evidence import pair_from_json, pair_to_json
from lull.core.proof import Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPair:
    """Two answers that the user is asked to pick from."""

    id: str
    proposal: str
    with_first: bool
    """Whether A is the answer with the skill: tossed, and told to nobody."""
    pair: Pair
    """As it was replayed; who is better is not known yet."""


def shown_of(row: sqlite3.Row) -> ShownPair:
    return ShownPair(
        id=row["id"],
        proposal=row["proposal"],
        with_first=bool(row["with_first"]),
        pair=pair_from_json(json.loads(row["pair"])),
    )


def write_shown(connection: sqlite3.Connection, shown: ShownPair) -> None:
    """In the place of the pair that was shown before."""
    pair = json.dumps(pair_to_json(shown.pair))
    connection.execute(
        "INSERT OR REPLACE INTO shown_pairs VALUES (?, ?, ?, ?)",
        (shown.proposal, shown.id, int(shown.with_first), pair),
    )


def close_shown(connection: sqlite3.Connection, shown: ShownPair) -> None:
    """Raises Conflict when it is not the one that is open."""
    closed = connection.execute(
        "DELETE FROM shown_pairs WHERE proposal = ? AND id = ?", (shown.proposal, shown.id)
    )
    if not closed.rowcount:
        raise not_open(shown.proposal, shown.id)


def not_open(proposal: str, pair: str) -> Conflict:
    return Conflict(
        f"The pair {pair[:80]} is not open any more.",
        hint=f"`lull review compare {proposal}` shows the next one.",
    )


def check_new(connection: sqlite3.Connection, proposal: str, pair: Pair) -> None:
    """Raises Conflict where this request was replayed under this seed already."""
    rows = connection.execute("SELECT pair FROM replays WHERE proposal = ?", (proposal,))
    done = (json.loads(row["pair"]) for row in rows)
    if any((one["request"], one["seed"]) == (pair.request, pair.seed) for one in done):
        raise Conflict(
            "This very pair was counted already.",
            hint=f"`lull review compare {proposal}` shows the next one.",
        )
