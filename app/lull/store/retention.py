"""Retention: the oldest conversations go first, with every message that only they held."""

from __future__ import annotations

import sqlite3


def shrink(connection: sqlite3.Connection, most_bytes: int) -> int:
    """Remove the oldest tenth again and again until what is used fits."""
    removed = 0
    while True:
        (page,) = connection.execute("PRAGMA page_size").fetchone()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        (rows,) = connection.execute("SELECT count(*) FROM trajectories").fetchone()
        if (pages - free) * page <= most_bytes or rows == 0:
            return removed
        removed += connection.execute(
            "DELETE FROM trajectories WHERE id IN"
            " (SELECT id FROM trajectories ORDER BY last, id LIMIT ?)",
            (max(1, rows // 10),),
        ).rowcount
        sweep_messages(connection)


def sweep_messages(connection: sqlite3.Connection) -> None:
    """Remove messages that no turn's chain reaches any more."""
    connection.execute(
        "DELETE FROM messages WHERE link NOT IN ("
        " WITH RECURSIVE kept (link) AS ("
        "  SELECT answer_link FROM turns UNION SELECT request_link FROM turns"
        "  UNION SELECT m.parent FROM messages m JOIN kept k ON m.link = k.link)"
        " SELECT link FROM kept)"
    )
    connection.execute("DELETE FROM words WHERE link NOT IN (SELECT link FROM messages)")
