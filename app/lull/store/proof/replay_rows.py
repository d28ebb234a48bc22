"""Reads and writes the replayed pairs of a proposed skill (one request answered with and without
it).
"""

from __future__ import annotations

import json
import sqlite3

from lull.core.proof.evidence import pair_to_json
from lull.core.proof.pairs import Pair
from lull.store.proof.support import write_support


def add_pair(connection: sqlite3.Connection, proposal: str, pair: Pair) -> None:
    """Append a pair of answers to one request, with and without the skill, to a proposed skill's
    replays; the request's turn is recorded as used for testing it.
    """
    connection.execute(
        "INSERT INTO replays (proposal, number, pair, answers) VALUES (?,"
        " (SELECT coalesce(max(number), 0) + 1 FROM replays WHERE proposal = ?), ?, ?)",
        (proposal, proposal, json.dumps(pair_to_json(pair)), json.dumps(pair.answers)),
    )
    write_support(connection, proposal, [(pair.request, pair.part.value)])


def forget_replays(connection: sqlite3.Connection, proposal: str) -> None:
    """Delete the results of testing a proposed skill on past requests, after its text or the model
    changed.
    """
    for table in ("replays", "shown_pairs"):
        connection.execute(f"DELETE FROM {table} WHERE proposal = ?", (proposal,))


def blank_answers(connection: sqlite3.Connection) -> None:
    """Delete the answers, but not the scores, from the results of testing proposed skills where the
    request is no longer stored.
    """
    connection.execute(
        "UPDATE replays SET answers = '' WHERE answers <> '' AND CASE WHEN json_valid(pair) THEN"
        " coalesce(json_extract(pair, '$.request'), '') NOT IN (SELECT id FROM turns) ELSE 1 END"
    )
