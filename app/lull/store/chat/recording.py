"""Writes finished turns (request and answer) to the database in batches, with secrets redacted.

Client-supplied text is redacted here, on the writer's thread; messages already stored are skipped.
The messages of a long turn arrive already redacted and in pieces (`long_turns.py`): the newest
piece is written with the turn, each other piece in its own transaction, so no other write waits for
all of them.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

import zstandard

from lull.core.chat.message_chain import message_to_json
from lull.core.chat.messages import Message, Sampling
from lull.core.chat.trajectory import Selection, Turn
from lull.core.provenance.redaction import Number, redact_message, redact_name, redact_text
from lull.store.chat.search_words import add_words
from lull.store.chat.turn_rows import as_json, selection_json, suffixes_json, without_surrogates
from lull.store.sqlite.writer import insert

SEARCH_CHARACTERS: Final = 100_000
"""Number of characters of a message that the search index covers."""

_TRAJECTORIES: Final = (
    "trajectories (id, client, session, model, turns, started, last, selection, suffixes,"
    " generation, apart)"
)
_UPSERT: Final = (
    "ON CONFLICT (id) DO UPDATE SET turns = turns + 1, last = max(last, excluded.last),"
    " suffixes = excluded.suffixes, generation = excluded.generation"
)
_TURNS: Final = (
    "turns (id, trajectory, number, at, route, model, base, adapter, generation, skills, template,"
    " sampling, request_link, answer_link, finish, error, prompt_tokens, completion_tokens, took_s,"
    " note, suffixes, known, tools, format)"
)
_ASSIGNMENTS: Final = "coin_flips (trajectory, client, name, sha256, left_out, share)"

TurnValues = tuple[object, ...]
"""The values of one row of a turn, in the order of the columns that are inserted."""


PIECE_ROWS: Final = 200
"""Most messages in one piece of a long request."""
PIECE_CHARACTERS: Final = 400_000
"""Most characters in one piece of a long request; the writer stores it in well under a second."""
_TOKEN: Final = re.compile(r"\d{25}")
"""Matches the token of a secret that has no number yet; see `RedactedSecret`."""
_LINKS_PER_QUERY: Final = 500
"""Message links looked up per SQL statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The messages and tool definitions of a turn with long texts that are not stored yet; another
    process or thread has already removed the secrets from them.
    """

    pieces: tuple[bytes, ...] = ()
    """Compressed pieces of messages, made by `compress_rows`, newest messages first."""
    tools: str = ""
    """Hash of the tools offered with the request."""
    tool_set: bytes = b""
    """The offered tools, compressed by `compress_rows`; empty if they are stored already."""
    answered: bool = False
    """Whether the answer is among the pieces."""


class RedactedSecret(NamedTuple):
    """A secret that was removed from a text, before the database has given it a number.

    Equal secrets get the same number, so that a repeated secret is recognised.
    """

    token: str
    """Placeholder in the text that the secret's number will replace."""
    kind: str
    mark: str


class TurnRecord(NamedTuple):
    """A finished turn (request and answer) to be stored in its conversation, with the client's name
    for the session, the skills selected for the prompt and, if its texts are long, its messages
    without secrets (`prepared`).
    """

    turn: Turn
    session: str
    selection: Selection
    prepared: Prepared | None = None


def compress_rows(rows: Sequence[Sequence[str]], secrets: Sequence[RedactedSecret]) -> bytes:
    """Compress rows of text (messages or tool definitions), with the list of the secrets removed
    from them, into bytes that a helper process or thread hands to the database's writer.
    """
    return zstandard.ZstdCompressor(level=1).compress(json.dumps([rows, secrets]).encode())


def message_row(link: str, parent: str, message: Message) -> tuple[str, str, str, str]:
    """Build the database row of one message: its link (a hash of it and all messages before it),
    the link of the message before it, the message as JSON, and its text for the search index.
    """
    words = without_surrogates(message.text[:SEARCH_CHARACTERS])
    return (link, parent, message_to_json(message), words)


def write_records(
    connection: sqlite3.Connection, records: Sequence[TurnRecord], *, key: bytes
) -> None:
    """Store finished turns (requests with their answers) and their messages, oldest first.

    `key` hashes secrets, so repeated ones get the same number.
    """
    number = partial(_number, connection, key)
    _write_messages(connection, records, number)
    for record in records:
        if record.prepared is not None and record.prepared.pieces:
            write_piece(connection, record.prepared.pieces[0])
    rows = [_trajectory(record, key, number) for record in records]
    insert(connection, _TRAJECTORIES, rows, _UPSERT)
    turns = [_turn(record.turn, _tools(connection, record, number), number) for record in records]
    insert(connection, _TURNS, turns)
    assignments = [one for record in records for one in _assignments(record)]
    insert(connection, _ASSIGNMENTS, assignments, "ON CONFLICT DO NOTHING")


def write_message(
    connection: sqlite3.Connection, link: str, parent: str, message: Message, *, key: bytes
) -> None:
    """Store one message without its secrets, under its link (a hash of it and all messages before
    it); `parent` is the link of the message before it.
    """
    if not stored_of(connection, [link]):
        safe = redact_message(message, partial(_number, connection, key))
        _insert_messages(connection, [message_row(link, parent, safe)])


def write_piece(connection: sqlite3.Connection, piece: bytes) -> None:
    """Store one more piece (a compressed group of messages) of a request with long texts.

    Raises ZstdError, ValueError or TypeError if it is damaged.
    """
    rows = _unpacked(connection, piece)
    stored = stored_of(connection, [row[0] for row in rows])
    _insert_messages(connection, [row for row in rows if row[0] not in stored])


def _unpacked(connection: sqlite3.Connection, piece: bytes) -> list[list[str]]:
    rows, secrets = json.loads(zstandard.ZstdDecompressor().decompress(piece))
    numbers = {token: str(_marked(connection, kind, mark)) for token, kind, mark in secrets}
    return [[_numbered(text, numbers) for text in row] for row in rows] if numbers else rows


def _numbered(text: str, numbers: Mapping[str, str]) -> str:
    """Put the secrets' numbers in place of their long tokens, in one pass for all."""
    return _TOKEN.sub(lambda found: numbers.get(found[0], found[0]), text)


def _insert_messages(connection: sqlite3.Connection, rows: Sequence[Sequence[str]]) -> None:
    insert(connection, "messages", [row[:3] for row in rows])
    add_words(connection, [(row[0], row[3]) for row in rows if row[3]])


def _write_messages(
    connection: sqlite3.Connection, records: Sequence[TurnRecord], number: Number
) -> None:
    said: dict[str, tuple[str, Message]] = {}
    for turn, _, _, prepared in records:
        parent = ""
        if prepared is None:
            for link, message in zip(turn.links, turn.messages, strict=True):
                said.setdefault(link, (parent, message))
                parent = link
        elif turn.links:
            parent = turn.links[-1]
        if prepared is None or not prepared.answered:
            said.setdefault(turn.answer_link, (parent, turn.completion.message))
    stored = stored_of(connection, list(said))
    new = [
        message_row(link, parent, redact_message(message, number))
        for link, (parent, message) in said.items()
        if link not in stored
    ]
    _insert_messages(connection, new)


def stored_of(connection: sqlite3.Connection, links: Sequence[str]) -> frozenset[str]:
    """Return those of the given message links (a link is a hash of a message and all before it)
    that are stored.
    """
    found: list[str] = []
    for at in range(0, len(links), _LINKS_PER_QUERY):
        # One aggregated row, because each fetched row would wait for the interpreter lock. The
        # CROSS JOIN fixes the join order, which the planner gets wrong for a small table.
        (some,) = connection.execute(
            "SELECT json_group_array(m.link) FROM json_each(?) AS said"
            " CROSS JOIN messages AS m ON m.link = said.value",
            (json.dumps(links[at : at + _LINKS_PER_QUERY]),),
        ).fetchone()
        found += json.loads(some)
    return frozenset(found)


def session_mark(key: bytes, session: str) -> str:
    """Hash the name that a client gave its session; the hash is stored instead of the name, which
    may be any text.
    """
    if not session:
        return ""
    return hashlib.blake2b(
        without_surrogates(session).encode(), digest_size=16, key=key
    ).hexdigest()


def _trajectory(record: TurnRecord, key: bytes, number: Number) -> TurnValues:
    turn, session, selection, _ = record
    stamp = turn.stamp
    at = stamp.at.isoformat()
    return (
        stamp.trajectory,
        stamp.client,
        session_mark(key, session),
        redact_name(without_surrogates(stamp.model), number),
        1,
        at,
        at,
        selection_json(selection),
        suffixes_json(turn.suffixes),
        turn.known,
        stamp.apart,
    )


def _turn(turn: Turn, tools: str, number: Number) -> TurnValues:
    stamp, usage = turn.stamp, turn.completion.usage
    return (
        stamp.turn,
        stamp.trajectory,
        stamp.number,
        stamp.at.isoformat(),
        stamp.route,
        redact_name(without_surrogates(stamp.model), number),
        redact_name(without_surrogates(stamp.policy.model), number),
        stamp.policy.adapter,
        stamp.policy.generation,
        as_json(stamp.skills),
        stamp.template_sha256,
        as_json(_set_fields(_without_secrets(stamp.sampling, number))),
        turn.links[-1] if turn.links else "",
        turn.answer_link,
        turn.completion.finish.value,
        redact_text(without_surrogates(turn.completion.error), number),
        usage.prompt_tokens,
        usage.completion_tokens,
        turn.took_s,
        turn.note,
        suffixes_json(turn.suffixes),
        turn.known,
        tools,
        redact_text(without_surrogates(turn.format), number),
    )


def _without_secrets(sampling: Sampling, number: Number) -> Sampling:
    return replace(
        sampling,
        stop=tuple(redact_text(without_surrogates(text), number) for text in sampling.stop),
    )


def _set_fields(sampling: Sampling) -> dict[str, object]:
    values = {name: getattr(sampling, name) for name in sampling.__slots__}
    return {name: value for name, value in values.items() if value not in (None, ())}


def _assignments(record: TurnRecord) -> list[TurnValues]:
    stamp = record.turn.stamp
    assigned = record.selection.assignments if stamp.number == 1 else ()
    return [(stamp.trajectory, f.client, f.name, f.sha256, f.left_out, f.share) for f in assigned]


def _tools(connection: sqlite3.Connection, record: TurnRecord, number: Number) -> str:
    """Return the hash of the offered tools, storing the tools if they are new."""
    if record.prepared is not None:
        return _prepared_tools(connection, record.prepared)
    if not record.turn.tools:
        return ""
    text = without_surrogates(record.turn.tools)
    sha256 = tools_mark(text)
    known = connection.execute("SELECT 1 FROM tool_sets WHERE sha256 = ?", (sha256,))
    if known.fetchone() is None:
        safe = redact_text(text, number)
        connection.execute("INSERT INTO tool_sets VALUES (?, ?)", (sha256, safe))
    return sha256


def _prepared_tools(connection: sqlite3.Connection, prepared: Prepared) -> str:
    if prepared.tool_set:
        for (safe,) in _unpacked(connection, prepared.tool_set):
            row = (prepared.tools, safe)
            connection.execute("INSERT INTO tool_sets VALUES (?, ?) ON CONFLICT DO NOTHING", row)
    return prepared.tools


def tools_mark(tools: str) -> str:
    """Hash the JSON text of a request's tool definitions; the hash identifies the set
    in the database.
    """
    return hashlib.sha256(tools.encode()).hexdigest()


def secret_mark(key: bytes, secret: str) -> str:
    """Hash a secret that was removed from a text, with the database's key, so that the secret is
    recognised when it occurs again.
    """
    return hashlib.blake2b(without_surrogates(secret).encode(), digest_size=16, key=key).hexdigest()


def _number(connection: sqlite3.Connection, key: bytes, kind: str, secret: str) -> int:
    return _marked(connection, kind, secret_mark(key, secret))


def _marked(connection: sqlite3.Connection, kind: str, mark: str) -> int:
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
