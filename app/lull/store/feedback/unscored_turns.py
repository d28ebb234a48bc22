"""Reads a turn that is not scored yet, with the turn before it, whose answer its new message may be
feedback on.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from lull.store.chat.turn_rows import TurnRow, turn_row

NEWEST_MESSAGES = 200
"""Messages of a request that are read to see what was said last. A request may hold 200,000, which
cost the service hundreds of megabytes and hold up its event loop for most of a second.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnscoredTurn:
    """A conversation turn that is not scored yet, with the turn before it: the user's message in
    the new turn may contain feedback on the answer of the turn before.
    """

    turn: TurnRow
    """The unscored turn; its `request` holds only the messages that are new in it, of very many the
    newest.
    """
    before: TurnRow | None
    again: TurnRow | None
    """An earlier turn with exactly the same request and history, if the user asked again."""


def unscored_turn(connection: sqlite3.Connection, row: sqlite3.Row) -> UnscoredTurn:
    """Read the unscored turn of a row of the table `turns`, with the turns that it follows."""
    place = (row["trajectory"], row["id"])
    earlier = connection.execute(
        "SELECT * FROM turns WHERE trajectory = ? AND id < ? ORDER BY id DESC LIMIT 64", place
    ).fetchall()
    # What a user corrects in Lull's window may be older; the correction has the answer's number.
    earlier += connection.execute(
        "SELECT * FROM turns WHERE trajectory = ? AND id < ? AND number = ?",
        (*place, row["number"]),
    ).fetchall()
    # The client may have reworded the answer; the request before it still matches.
    links = {o[column] for o in earlier for column in ("answer_link", "request_link")}
    turn = turn_row(connection, row, links - {row["request_link"]}, most=NEWEST_MESSAGES)
    again = next((o for o in earlier if o["request_link"] == row["request_link"]), None)
    behind = link_before(connection, row["request_link"], len(turn.request))
    before = next((o for o in earlier if behind in (o["answer_link"], o["request_link"])), None)
    return UnscoredTurn(
        turn=turn,
        before=_brief(connection, before, links),
        again=_brief(connection, again, links),
    )


def _brief(
    connection: sqlite3.Connection, row: sqlite3.Row | None, links: set[str]
) -> TurnRow | None:
    """Read a turn with only its new messages, of very many the newest."""
    if row is None:
        return None
    return turn_row(connection, row, links - {row["request_link"]}, most=NEWEST_MESSAGES)


def link_before(connection: sqlite3.Connection, link: str, steps: int) -> str:
    """Return the link `steps` messages before this one."""
    for _ in range(steps):
        row = connection.execute("SELECT parent FROM messages WHERE link = ?", (link,)).fetchone()
        if row is None:
            return ""
        link = row["parent"]
    return link
