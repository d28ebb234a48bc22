"""What was said: messages by their links, trajectories, turns, the user's own labels.

Message texts are redacted here, on the writer's thread, before they are written; a message that
is stored already is not looked at again. Everything a turn needs is written in one transaction.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial

from lull.core.chain import encodable, message_from_json, message_to_json
from lull.core.errors import NotFound
from lull.core.messages import Message, Role, text_message
from lull.core.redact import redact_message, redact_text
from lull.core.trajectory import NOTHING_KNOWN, InjectedSkill, Selection, Suffix, Turn
from lull.store.database import Database

SEARCH_CHARACTERS = 100_000
"""Of one message, that the search index reads."""
SEARCHED_LINKS = 64
"""Newest messages of a history whose links are looked for."""
DAMAGED = "⟨this message cannot be read⟩"


class Label(StrEnum):
    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryRow:
    id: str
    client: str
    model: str
    turns: int
    started: str
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a request stands: the trajectory it continues and what that one had injected."""

    trajectory: str
    turns: int
    selection: Selection
    suffixes: tuple[Suffix, ...]
    known: int
    """The generation up to which skills were looked up; NOTHING_KNOWN: none was yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRow:
    """One stored turn as a person may read it; texts are redacted."""

    id: str
    trajectory: str
    number: int
    at: str
    route: str
    model: str
    base: str
    adapter: str | None
    generation: int
    skills: tuple[InjectedSkill, ...]
    sampling: dict[str, object]
    request: tuple[Message, ...]
    """What was new in this request, oldest first."""
    answer: Message
    finish: str
    error: str
    prompt_tokens: int | None
    completion_tokens: int | None
    took_s: float
    note: str
    label: Label | None

    @property
    def complete(self) -> bool:
        return self.finish not in ("hangup", "error")


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
            "INSERT INTO trajectories VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET turns = turns + 1, last = excluded.last,"
            " suffixes = excluded.suffixes, generation = excluded.generation",
            (
                stamp.trajectory,
                stamp.client,
                _plain(session),
                _plain(stamp.model),
                stamp.at.isoformat(),
                stamp.at.isoformat(),
                _selection_json(selection),
                _suffixes_json(turn.suffixes),
                turn.known,
            ),
        )
        usage = turn.completion.usage
        connection.execute(
            "INSERT INTO turns VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,NULL,NULL,?,?)",
            (
                stamp.turn,
                stamp.trajectory,
                stamp.number,
                stamp.at.isoformat(),
                stamp.route,
                _plain(stamp.model),
                _plain(stamp.policy.model),
                stamp.policy.adapter,
                stamp.policy.generation,
                json.dumps([asdict(skill) for skill in stamp.skills]),
                stamp.template_sha256,
                json.dumps(_set_fields(asdict(stamp.sampling))),
                turn.links[-1] if turn.links else "",
                turn.answer_link,
                turn.completion.finish.value,
                redact_text(_plain(turn.completion.error), number),
                usage.prompt_tokens,
                usage.completion_tokens,
                turn.took_s,
                turn.note,
                _suffixes_json(turn.suffixes),
                turn.known,
            ),
        )

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
                (_plain(safe.text[:SEARCH_CHARACTERS]), link),
            )

    def _number(self, connection: sqlite3.Connection, kind: str, secret: str) -> int:
        mark = hashlib.blake2b(_plain(secret).encode(), digest_size=16, key=self._key).hexdigest()
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
                removed += _shrink(connection, most_bytes)
            if removed:
                _sweep_messages(connection)
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
                        f"{_STANDING} WHERE t.{column} = ? ORDER BY t.at DESC, t.id DESC LIMIT 1",
                        (link,),
                    ).fetchone()
                    if row is not None:
                        return row
            return None

        row = self._db.read(work)
        return _position(row) if row else None

    def session(self, client: str, session: str) -> Position | None:
        """The trajectory that a client named itself."""
        row = self._db.read(
            lambda connection: connection.execute(
                f"{_STANDING} WHERE r.client = ? AND r.session = ?"
                " ORDER BY t.at DESC, t.number DESC LIMIT 1",
                (client, _plain(session)),
            ).fetchone()
        )
        return _position(row) if row else None

    def page(
        self, *, client: str | None, search: str, after: str, limit: int
    ) -> tuple[list[TrajectoryRow], str]:
        """Trajectories, newest first, and the id to go on from ("" at the end)."""
        where, values = ["1"], []
        if client is not None:
            where.append("client = ?")
            values.append(client)
        if after:
            where.append("(last, id) < (SELECT last, id FROM trajectories WHERE id = ?)")
            values.append(after)
        if search.strip():
            where.append(
                "id IN (SELECT trajectory FROM turns WHERE request_link IN (SELECT link FROM words"
                " WHERE words MATCH ?) OR answer_link IN (SELECT link FROM words WHERE words"
                " MATCH ?))"
            )
            values += [_fts(search)] * 2
        rows = self._db.read(
            lambda connection: connection.execute(
                "SELECT id, client, model, turns, started, last FROM trajectories"
                f" WHERE {' AND '.join(where)} ORDER BY last DESC, id DESC LIMIT ?",
                (*values, limit + 1),
            ).fetchall()
        )
        found = [TrajectoryRow(**dict(row)) for row in rows[:limit]]
        return found, found[-1].id if len(rows) > limit else ""

    def get(self, trajectory: str) -> tuple[TrajectoryRow, list[TurnRow]]:
        """One trajectory with its turns. Raises NotFound."""

        def work(
            connection: sqlite3.Connection,
        ) -> tuple[sqlite3.Row | None, list[TurnRow]]:
            row = connection.execute(
                "SELECT id, client, model, turns, started, last FROM trajectories WHERE id = ?",
                (trajectory,),
            ).fetchone()
            turns = connection.execute(
                "SELECT * FROM turns WHERE trajectory = ? ORDER BY number, at", (trajectory,)
            ).fetchall()
            known: set[str] = set()
            return row, [_turn_row(connection, turn, known) for turn in turns]

        row, turns = self._db.read(work)
        if row is None:
            raise NotFound(
                f"There is no conversation {trajectory}.",
                hint="`lull conversations` lists them, newest first.",
            )
        return TrajectoryRow(**dict(row)), turns

    def turn(self, turn: str) -> TurnRow:
        """One turn. Raises NotFound."""

        def work(connection: sqlite3.Connection) -> TurnRow | None:
            row = connection.execute("SELECT * FROM turns WHERE id = ?", (turn,)).fetchone()
            return _turn_row(connection, row, set()) if row else None

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


def _turn_row(connection: sqlite3.Connection, row: sqlite3.Row, known: set[str]) -> TurnRow:
    new: list[Message] = []
    link = row["request_link"]
    while link and link not in known:
        found = connection.execute(
            "SELECT parent, message FROM messages WHERE link = ?", (link,)
        ).fetchone()
        if found is None:
            break
        known.add(link)
        new.append(_message(found["message"]))
        link = found["parent"]
    known.add(row["answer_link"])
    answer = connection.execute(
        "SELECT message FROM messages WHERE link = ?", (row["answer_link"],)
    ).fetchone()
    return TurnRow(
        id=row["id"],
        trajectory=row["trajectory"],
        number=row["number"],
        at=row["at"],
        route=row["route"],
        model=row["model"],
        base=row["base"],
        adapter=row["adapter"],
        generation=row["generation"],
        skills=_skills(json.loads(row["skills"])),
        sampling=json.loads(row["sampling"]),
        request=tuple(reversed(new)),
        answer=_message(answer["message"] if answer else ""),
        finish=row["finish"],
        error=row["error"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        took_s=row["took_s"],
        note=row["note"],
        label=Label(row["label"]) if row["label"] else None,
    )


def _message(text: str) -> Message:
    """One damaged row must not hide the rest of a conversation."""
    try:
        return message_from_json(text)
    except (ValueError, KeyError, TypeError):
        return text_message(Role.ASSISTANT, DAMAGED)


def _skills(values: list[dict[str, object]]) -> tuple[InjectedSkill, ...]:
    return tuple(
        InjectedSkill(name=str(v["name"]), version=int(str(v["version"])), sha256=str(v["sha256"]))
        for v in values
    )


_STANDING = (
    "SELECT r.id, r.selection, t.number, t.suffixes, coalesce(t.known, r.generation) AS known"
    " FROM turns t JOIN trajectories r ON r.id = t.trajectory"
)


def _position(row: sqlite3.Row) -> Position:
    selection = json.loads(row["selection"])
    return Position(
        trajectory=row["id"],
        turns=row["number"],
        selection=Selection(
            skills=_skills(selection["skills"]),
            block=selection["block"],
            why=selection["why"],
            model_system=selection.get("model_system", ""),
        ),
        suffixes=tuple(
            Suffix(message=s["message"], text=s["text"], skills=_skills(s["skills"]))
            for s in json.loads(row["suffixes"])
        ),
        known=max(NOTHING_KNOWN, row["known"]),
    )


def _selection_json(selection: Selection) -> str:
    return _plain(json.dumps(asdict(selection), ensure_ascii=False))


def _suffixes_json(suffixes: Sequence[Suffix]) -> str:
    return json.dumps([asdict(suffix) for suffix in suffixes], ensure_ascii=False)


def _plain(text: str) -> str:
    """Half of a surrogate pair cannot be stored; a question mark stands for it."""
    return text if encodable(text) else text.encode(errors="replace").decode()


def _set_fields(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value not in (None, ())}


def _fts(search: str) -> str:
    """The user's words as a full-text query: each must occur, the last may be a beginning."""
    plain = _plain(search).replace('"', " ").replace("\0", " ")
    words = [f'"{word}"' for word in plain.split()]
    return " ".join(words) + "*" if words else '""'


def _shrink(connection: sqlite3.Connection, most_bytes: int) -> int:
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
        _sweep_messages(connection)


def _sweep_messages(connection: sqlite3.Connection) -> None:
    """Remove messages that no turn's chain reaches any more."""
    connection.execute(
        "DELETE FROM messages WHERE link NOT IN ("
        " WITH RECURSIVE kept (link) AS ("
        "  SELECT answer_link FROM turns UNION SELECT request_link FROM turns"
        "  UNION SELECT m.parent FROM messages m JOIN kept k ON m.link = k.link)"
        " SELECT link FROM kept)"
    )
    connection.execute("DELETE FROM words WHERE link NOT IN (SELECT link FROM messages)")
