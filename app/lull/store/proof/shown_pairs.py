"""Stores the pair of answers last shown to the user for a proposed skill, until the user picks the
better one.

Stores only what a pick needs: request, seed, hashes, and which answer came first. The answers
themselves are not stored, so after a crash the user is shown a new pair.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Final

from lull.core.errors import Conflict
from lull.core.proof.evidence import pair_from_json, pair_to_json
from lull.core.proof.pairs import Pair
from lull.store.rows.measured_rows import MeasuredRows
from lull.store.rows.readable_rows import NamedValues, readable


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPair:
    """Two answers that the user is shown to choose the better one from."""

    id: str
    proposal: str
    with_first: bool
    """Whether answer A is the one with the skill; decided by a coin flip, and never shown."""
    pair: Pair
    """The replayed pair of answers; which is better is not known yet."""


def _shown(row: NamedValues) -> ShownPair:
    return ShownPair(
        id=row["id"],
        proposal=row["proposal"],
        with_first=bool(row["with_first"]),
        pair=pair_from_json(json.loads(row["pair"])),
    )


SHOWN_ROWS: Final = MeasuredRows("shown_pairs", _shown)


def write_shown(connection: sqlite3.Connection, shown: ShownPair) -> None:
    """Store the pair of answers, with and without a proposed skill, that the user is shown to
    compare.

    It replaces the proposal's previous one.
    """
    pair = json.dumps(pair_to_json(shown.pair))
    connection.execute(
        "INSERT OR REPLACE INTO shown_pairs VALUES (?, ?, ?, ?)",
        (shown.proposal, shown.id, int(shown.with_first), pair),
    )


def close_shown(connection: sqlite3.Connection, shown: ShownPair) -> None:
    """Delete the stored pair of answers (with and without a skill) that the user was asked to
    compare.

    Raises Conflict if it is no longer the one being shown.
    """
    closed = connection.execute(
        "DELETE FROM shown_pairs WHERE proposal = ? AND id = ?", (shown.proposal, shown.id)
    )
    if not closed.rowcount:
        raise not_open(shown.proposal, shown.id)


def not_open(proposal: str, pair: str) -> Conflict:
    """Return the error for a pair of answers that waits for no pick any more."""
    return Conflict(
        f"The pair {pair[:80]} is not open any more.",
        hint=f"`lull review compare {proposal}` shows the next one.",
    )


def check_new(connection: sqlite3.Connection, proposal: str, pair: Pair) -> None:
    """Raise Conflict if this request was already answered with this random seed to test the
    proposed skill.
    """
    rows = connection.execute("SELECT pair FROM replays WHERE proposal = ?", (proposal,))
    done = [readable(row["pair"], pair_from_json, None) for row in rows]
    if any(one and (one.request, one.seed) == (pair.request, pair.seed) for one in done):
        raise Conflict(
            "This very pair has already been counted.",
            hint=f"`lull review compare {proposal}` shows the next one.",
        )
