"""What is written of finished turns: many of them with few statements, free of secrets.

Message texts are redacted here, on the writer's thread, before they are written; a message that is
stored already is not looked at again.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from lull.core.chain import message_to_json
from lull.core.messages import Message, Sampling
from lull.core.redact import Number, redact_message, redact_text
from lull.core.trajectory import Selection, Turn
from lull.store.turn_rows import as_json, plain, selection_json, suffixes_json
from lull.store.writer import insert

SEARCH_CHARACTERS: Final = 100_000
"""Of one message, that the search index reads."""

_TRAJECTORIES: Final = (
    "trajectories (id, client, session, model, turns, started, last, selection, suffixes,"
    " generation, apart)"
)
_GOES_ON: Final = (
    "ON CONFLICT (id) DO UPDATE SET turns = turns + 1, last = max(last, excluded.last),"
    " suffixes = excluded.suffixes, generation = excluded.generation"
)
_TURNS: Final = (
    "turns (id, trajectory, number, at, route, model, base, adapter, generation, skills, template,"
    " sampling, request_link, answer_link, finish, error, prompt_tokens, completion_tokens, took_s,"
    " note, suffixes, known, tools, format)"
)
_FLIPS: Final = "coin_flips (trajectory, client, name, sha256, left_out, share)"

Row = tuple[object, ...]


class Record(NamedTuple):
    """A finished turn, and what its trajectory is known by."""

    turn: Turn
    session: str
    selection: Selection


def write_records(connection: sqlite3.Connection, records: Sequence[Record], *, key: bytes) -> None:
    """Store turns, oldest first; `key` marks secrets that were seen before."""
    number = partial(_number, connection, key)
    _write_messages(connection, records, number)
    insert(connection, _TRAJECTORIES, [_trajectory(record) for record in records], _GOES_ON)
    turns = [_turn(record.turn, _tools(connection, record, number), number) for record in records]
    insert(connection, _TURNS, turns)
    flips = [flip for record in records for flip in _flips(record)]
    insert(connection, _FLIPS, flips, "ON CONFLICT DO NOTHING")


def _write_messages(
    connection: sqlite3.Connection, records: Sequence[Record], number: Number
) -> None:
    said: dict[str, tuple[str, Message]] = {}
    for turn, _, _ in records:
        parent = ""
        for link, message in zip(turn.links, turn.messages, strict=True):
            said.setdefault(link, (parent, message))
            parent = link
        said.setdefault(turn.answer_link, (parent, turn.completion.message))
    stored = _stored(connection, list(said))
    new = [
        (link, parent, redact_message(message, number))
        for link, (parent, message) in said.items()
        if link not in stored
    ]
    insert(connection, "messages", [(link, up, message_to_json(safe)) for link, up, safe in new])
    words = [(plain(safe.text[:SEARCH_CHARACTERS]), link) for link, _, safe in new if safe.text]
    insert(connection, "words (text, link)", words)


def _stored(connection: sqlite3.Connection, links: Sequence[str]) -> frozenset[str]:
    # One row with all of them: each row would be one more wait for the interpreter.
    (found,) = connection.execute(
        "SELECT json_group_array(link) FROM messages"
        " WHERE link IN (SELECT value FROM json_each(?))",
        (json.dumps(links),),
    ).fetchone()
    return frozenset(json.loads(found))


def _trajectory(record: Record) -> Row:
    turn, session, selection = record
    stamp = turn.stamp
    at = stamp.at.isoformat()
    return (
        stamp.trajectory,
        stamp.client,
        plain(session),
        plain(stamp.model),
        1,
        at,
        at,
        selection_json(selection),
        suffixes_json(turn.suffixes),
        turn.known,
        stamp.apart,
    )


def _turn(turn: Turn, tools: str, number: Number) -> Row:
    stamp, usage = turn.stamp, turn.completion.usage
    return (
        stamp.turn,
        stamp.trajectory,
        stamp.number,
        stamp.at.isoformat(),
        stamp.route,
        plain(stamp.model),
        plain(stamp.policy.model),
        stamp.policy.adapter,
        stamp.policy.generation,
        as_json(stamp.skills),
        stamp.template_sha256,
        as_json(_set_fields(stamp.sampling)),
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
        tools,
        redact_text(plain(turn.format), number),
    )


def _set_fields(sampling: Sampling) -> dict[str, object]:
    values = {name: getattr(sampling, name) for name in sampling.__slots__}
    return {name: value for name, value in values.items() if value not in (None, ())}


def _flips(record: Record) -> list[Row]:
    stamp = record.turn.stamp
    flips = record.selection.flips if stamp.number == 1 else ()
    return [(stamp.trajectory, f.client, f.name, f.sha256, f.left_out, f.share) for f in flips]


def _tools(connection: sqlite3.Connection, record: Record, number: Number) -> str:
    """The mark of the tools that were offered; a client offers the same ones for days."""
    if not record.turn.tools:
        return ""
    text = plain(record.turn.tools)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    known = connection.execute("SELECT 1 FROM tool_sets WHERE sha256 = ?", (sha256,))
    if known.fetchone() is None:
        safe = redact_text(text, number)
        connection.execute("INSERT INTO tool_sets VALUES (?, ?)", (sha256, safe))
    return sha256


def _number(connection: sqlite3.Connection, key: bytes, kind: str, secret: str) -> int:
    mark = hashlib.blake2b(plain(secret).encode(), digest_size=16, key=key).hexdigest()
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
