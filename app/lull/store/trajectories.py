"""What was said: messages by their links, trajectories, turns, the user's own labels.

Message texts are redacted here, on the writer's thread, before they are written; a message that
is stored already is not looked at again. Everything a turn needs is written in one transaction.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial

from lull.core.chain import message_to_json
from lull.core.errors import NotFound
from lull.core.messages import Message
from lull.core.redact import redact_message, redact_text
from lull.core.trajectory import Selection, Turn
from lull.store.database import Database
from lull.store.retention import shrink, sweep_messages
from lull.store.turn_rows import (
    LISTED,
    STANDING,
    Label,
    Position,
    TrajectoryRow,
    TurnRow,
    plain,
    position,
    selection_json,
    suffixes_json,
    trajectory_row,
    turn_row,
)

__all__ = ["Label", "Position", "Trajectories", "TrajectoryRow", "TurnRow"]

SEARCH_CHARACTERS = 100_000
"""Of one message, that the search index reads."""
SEARCHED_LINKS = 64
"""Newest messages of a history whose links are looked for."""

_TURN_COLUMNS = (
    "id, trajectory, number, at, route, model, base, adapter, generation, skills, template,"
    " sampling, request_link, answer_link, finish, error, prompt_tokens, completion_tokens, took_s,"
    " note, suffixes, known, tools, format"
)
_MARKS = ", ".join("?" for _ in _TURN_COLUMNS.split(","))
_INSERT_TURN = f"INSERT INTO turns ({_TURN_COLUMNS}) VALUES ({_MARKS})"


class Trajectories:
    """The tables `messages`, `trajectories`, `turns`, `words`, `secrets_seen`."""

    def __init__(self, database: Database, *, key: bytes) -> None:
        self._db = database
        self._key = key

    # Writing

    def record(self, turn: Turn, *, session: str, selection: Selection) -> None:
        """Store a finished turn soon; the caller never waits."""
        self._db.post(lambda connection: self._write(connection, turn, session, selection))

    def _write(
        self, connection: sqlite3.Connection, turn: Turn, session: str, selection: Selection
    ) -> None:
        stamp = turn.stamp
        number = partial(self._number, connection)
        parent = ""
        for link, message in zip(turn.links, turn.messages, strict=True):
            self._write_message(connection, link, parent, message)
            parent = link
        self._write_message(connection, turn.answer_link, parent, turn.completion.message)
        connection.execute(
            "INSERT INTO trajectories (id, client, session, model, turns, started, last, selection,"
            " suffixes, generation, apart) VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET turns = turns + 1, last = excluded.last,"
            " suffixes = excluded.suffixes, generation = excluded.generation",
            (
                stamp.trajectory,
                stamp.client,
                plain(session),
                plain(stamp.model),
                stamp.at.isoformat(),
                stamp.at.isoformat(),
                selection_json(selection),
                suffixes_json(turn.suffixes),
                turn.known,
                stamp.apart,
            ),
        )
        usage = turn.completion.usage
        connection.execute(
            _INSERT_TURN,
            (
                stamp.turn,
                stamp.trajectory,
                stamp.number,
                stamp.at.isoformat(),
                stamp.route,
                plain(stamp.model),
                plain(stamp.policy.model),
                stamp.policy.adapter,
                stamp.policy.generation,
                json.dumps([asdict(skill) for skill in stamp.skills]),
                stamp.template_sha256,
                json.dumps(_set_fields(asdict(stamp.sampling))),
                turn.links[-1] if turn.links else "",
                turn.answer_link,
                turn.completion.finish.value,
                redact_text(plain(turn.completion.error), number),
                usage.prompt_tokens,
                usage.completion_tokens,
                turn.took_s,
                turn.note,
                suffixes_json(turn.suffixes),
                turn.known,
                self._tools(connection, turn.tools),
                redact_text(plain(turn.format), number) if turn.format else "",
            ),
        )
        if stamp.number == 1 and selection.flips:
            connection.executemany(
                "INSERT OR IGNORE INTO coin_flips VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (stamp.trajectory, f.client, f.name, f.sha256, f.left_out, f.share)
                    for f in selection.flips
                ],
            )

    def _tools(self, connection: sqlite3.Connection, tools: str) -> str:
        """The mark of the tools that were offered; a client offers the same ones for days."""
        if not tools:
            return ""
        text = plain(tools)
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        known = connection.execute("SELECT 1 FROM tool_sets WHERE sha256 = ?", (sha256,))
        if known.fetchone() is None:
            safe = redact_text(text, partial(self._number, connection))
            connection.execute("INSERT INTO tool_sets VALUES (?, ?)", (sha256, safe))
        return sha256

    def _write_message(
        self, connection: sqlite3.Connection, link: str, parent: str, message: Message
    ) -> None:
        if connection.execute("SELECT 1 FROM messages WHERE link = ?", (link,)).fetchone():
            return
        safe = redact_message(message, partial(self._number, connection))
        connection.execute(
            "INSERT INTO messages VALUES (?, ?, ?)", (link, parent, message_to_json(safe))
        )
        if safe.text:
            connection.execute(
                "INSERT INTO words (text, link) VALUES (?, ?)",
                (plain(safe.text[:SEARCH_CHARACTERS]), link),
            )

    def _number(self, connection: sqlite3.Connection, kind: str, secret: str) -> int:
        mark = hashlib.blake2b(plain(secret).encode(), digest_size=16, key=self._key).hexdigest()
        row = connection.execute(
            "SELECT number FROM secrets_seen WHERE kind = ? AND mark = ?", (kind, mark)
        ).fetchone()
        if row:
            return int(row["number"])
        (last,) = connection.execute(
            "SELECT coalesce(max(number), 0) FROM secrets_seen WHERE kind = ?", (kind,)
        ).fetchone()
        connection.execute("INSERT INTO secrets_seen VALUES (?, ?, ?)", (kind, mark, last + 1))
        return int(last) + 1

    async def label(self, turn: str, label: Label | None, *, at: datetime) -> None:
        """Set or clear the user's own label. Raises NotFound."""

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE turns SET label = ?, labelled_at = ? WHERE id = ?",
                (label, at.isoformat() if label else None, turn),
            )
            if changed.rowcount == 0:
                raise NotFound(f"There is no turn {turn}.", hint="`lull show ID` lists the turns.")

        await self._db.write(work)

    async def keep_within(self, *, oldest: datetime | None, most_bytes: int | None) -> int:
        """Remove the oldest trajectories beyond an age or a size; how many were removed."""

        def work(connection: sqlite3.Connection) -> int:
            removed = 0
            if oldest is not None:
                removed = connection.execute(
                    "DELETE FROM trajectories WHERE last < ?", (oldest.isoformat(),)
                ).rowcount
            if most_bytes is not None:
                removed += shrink(connection, most_bytes)
            if removed:
                sweep_messages(connection)
                self._db.checkpoint_soon()
            return removed

        return await self._db.write(work)

    # Reading

    def position(self, links: Sequence[str]) -> Position | None:
        """The trajectory that this history continues, the newest if several do.

        `links` are those of the history without the newest message, oldest first. The longest
        known answer in it decides; a history whose last answer the client reworded is still found
        by the request before that. What is injected goes on as it stood at that turn.
        """

        def work(connection: sqlite3.Connection) -> sqlite3.Row | None:
            for link in reversed(links[-SEARCHED_LINKS:]):
                for column in ("answer_link", "request_link"):
                    row: sqlite3.Row | None = connection.execute(
                        f"{STANDING} WHERE t.{column} = ? ORDER BY t.at DESC, t.id DESC LIMIT 1",
                        (link,),
                    ).fetchone()
                    if row is not None:
                        return row
            return None

        row = self._db.read(work)
        return position(row) if row else None

    def session(self, client: str, session: str) -> Position | None:
        """The trajectory that a client named itself."""
        row = self._db.read(
            lambda connection: connection.execute(
                f"{STANDING} WHERE r.client = ? AND r.session = ?"
                " ORDER BY t.at DESC, t.number DESC LIMIT 1",
                (client, plain(session)),
            ).fetchone()
        )
        return position(row) if row else None

    def page(
        self, *, client: str | None, search: str, after: str, limit: int
    ) -> tuple[list[TrajectoryRow], str]:
        """Trajectories, newest first, and the id to go on from ("" at the end)."""
        where, values = ["1"], []
        if client is not None:
            where.append("r.client = ?")
            values.append(client)
        if after:
            where.append("(r.last, r.id) < (SELECT last, id FROM trajectories WHERE id = ?)")
            values.append(after)
        if search.strip():
            where.append(
                "r.id IN (SELECT trajectory FROM turns"
                " WHERE request_link IN (SELECT link FROM words WHERE words MATCH ?)"
                " OR answer_link IN (SELECT link FROM words WHERE words MATCH ?))"
            )
            values += [_fts(search)] * 2
        rows = self._db.read(
            lambda connection: connection.execute(
                f"{LISTED} WHERE {' AND '.join(where)} ORDER BY r.last DESC, r.id DESC LIMIT ?",
                (*values, limit + 1),
            ).fetchall()
        )
        found = [trajectory_row(row) for row in rows[:limit]]
        return found, found[-1].id if len(rows) > limit else ""

    def get(self, trajectory: str) -> tuple[TrajectoryRow, list[TurnRow]]:
        """One trajectory with its turns. Raises NotFound."""

        def work(
            connection: sqlite3.Connection,
        ) -> tuple[sqlite3.Row | None, list[TurnRow]]:
            row = connection.execute(f"{LISTED} WHERE r.id = ?", (trajectory,)).fetchone()
            turns = connection.execute(
                "SELECT * FROM turns WHERE trajectory = ? ORDER BY number, at", (trajectory,)
            ).fetchall()
            known: set[str] = set()
            return row, [turn_row(connection, turn, known) for turn in turns]

        row, turns = self._db.read(work)
        if row is None:
            raise NotFound(
                f"There is no conversation {trajectory}.",
                hint="`lull conversations` lists them, newest first.",
            )
        return trajectory_row(row), turns

    def turn(self, turn: str) -> TurnRow:
        """One turn. Raises NotFound."""

        def work(connection: sqlite3.Connection) -> TurnRow | None:
            row = connection.execute("SELECT * FROM turns WHERE id = ?", (turn,)).fetchone()
            return turn_row(connection, row, set()) if row else None

        found = self._db.read(work)
        if found is None:
            raise NotFound(f"There is no turn {turn}.", hint="`lull show ID` lists the turns.")
        return found

    def counts(self) -> tuple[int, int]:
        """Trajectories and turns."""
        row = self._db.read(
            lambda connection: connection.execute(
                "SELECT (SELECT count(*) FROM trajectories), (SELECT count(*) FROM turns)"
            ).fetchone()
        )
        return int(row[0]), int(row[1])


def _set_fields(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value not in (None, ())}


def _fts(search: str) -> str:
    """The user's words as a full-text query: each must occur, the last may be a beginning."""
    said = plain(search).replace('"', " ").replace("\0", " ")
    words = [f'"{word}"' for word in said.split()]
    return " ".join(words) + "*" if words else '""'
