"""Removes secrets (such as passwords) from turns with long texts (more than 32,000 characters in
request and answer) before the database's writer thread gets them.

Searching a text for secrets can take seconds if somebody wrote the text to be slow. So the messages
of a long request are searched in a helper process, and other long texts on a thread. This module
holds the steps that both share.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from lull.core.chat.messages import Message, MessagePart
from lull.core.chat.trajectory import Turn
from lull.core.provenance.redaction import redact_message, redact_text
from lull.store.chat.recording import (
    PIECE_CHARACTERS,
    PIECE_ROWS,
    Prepared,
    RedactedSecret,
    compress_rows,
    message_row,
    secret_mark,
    tools_mark,
)
from lull.store.chat.turn_rows import without_surrogates

KEPT_CHARACTERS: Final = 1_000_000
"""Most characters stored of one message; more than any model reads at once."""
SHORT_CHARACTERS: Final = 1_000
"""Characters that are stored of an answer in its short form."""
LONG_CHARACTERS: Final = 32_000
"""Characters of a turn's texts above which they are prepared before the writer gets them.

The texts of a shorter turn cost the writer far less than a second, whatever they are.
"""


class UnstoredParts(NamedTuple):
    """The messages and tool definitions of a turn (request and answer) that are not in the database
    yet, with methods that remove their secrets and compress them.
    """

    key: bytes
    messages: list[tuple[str, str, Message]]
    """Each message to store, newest first, as (hash-chain link, its parent's link, message)."""
    tools: str
    """JSON text of the offered tools; "" if there are none or they are stored."""

    def pieces(self) -> Iterator[bytes]:
        """Yield the messages in compressed pieces (groups of limited size), newest first, with
        secrets replaced by placeholders.
        """
        number, rows, size = _Secrets(self.key), list[tuple[str, str, str, str]](), 0
        for link, parent, message in self.messages:
            row = message_row(link, parent, redact_message(message, number))
            rows.append(row)
            size += len(row[2])
            if len(rows) >= PIECE_ROWS or size >= PIECE_CHARACTERS:
                yield compress_rows(rows, number.found)
                number, rows, size = _Secrets(self.key), [], 0
        if rows:
            yield compress_rows(rows, number.found)

    def tool_set(self) -> bytes:
        """Return the request's tool definitions, compressed, with secrets replaced by placeholders;
        b"" if there are none to store.
        """
        number = _Secrets(self.key)
        safe = redact_text(self.tools, number)
        return compress_rows([[safe]], number.found) if self.tools else b""


class _Secrets:
    """Assigns placeholder numbers to secrets; the store replaces them.

    They are long and random, so that no text contains one.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._first = 10**24 + secrets.randbelow(10**24)
        self.found: list[RedactedSecret] = []

    def __call__(self, kind: str, secret: str) -> int:
        number = self._first + len(self.found)
        self.found.append(RedactedSecret(str(number), kind, secret_mark(self._key, secret)))
        return number


def pair_with_links(
    links: Sequence[str], messages: Sequence[Message]
) -> list[tuple[str, str, Message]]:
    """Pair messages with their links (a link is a hash of a message and all before it).

    Returns (link, link of the message before, message) for each message, oldest first.
    """
    return list(zip(links, ("", *links), messages, strict=False))


def is_long(turn: Turn, prepared: Prepared | None) -> bool:
    """Return whether a turn (request and answer) has so many characters that secrets must be
    removed from its texts before the database's writer thread gets them.

    Texts that a helper process has already `prepared` do not count.
    """
    answer = turn.completion.message
    said = [answer] if prepared is not None else [*turn.messages, answer]
    size = sum(
        sum(len(part.text) for part in message.parts)
        + sum(len(call.name) + len(call.arguments) for call in message.tool_calls)
        for message in said
    )
    return size + (0 if prepared is not None else len(turn.tools)) > LONG_CHARACTERS


def prepare(
    turn: Turn,
    prepared: Prepared | None,
    *,
    key: bytes,
    missing: Callable[[str], str],
    has_tools: Callable[[str], bool],
) -> Prepared:
    """Remove the secrets from those texts of a turn that are not stored yet, and pack them for the
    database's writer.

    If a helper process has already `prepared` the request, only the answer is left to do. `missing`
    and `has_tools` ask the database which message links and which tool definitions it lacks. Raises
    StoreError.
    """
    said = [] if prepared is not None else pair_with_links(turn.links, turn.messages)
    said.append((turn.answer_link, (turn.links or ("",))[-1], turn.completion.message))
    lacks = frozenset(json.loads(missing(json.dumps([link for link, _, _ in said]))))
    tools = without_surrogates(turn.tools) if prepared is None else ""
    mark = tools_mark(tools) if tools else ""
    todo = UnstoredParts(
        key,
        [
            (link, parent, truncate_message(message))
            for link, parent, message in reversed(said)
            if link in lacks
        ],
        shortened(tools, KEPT_CHARACTERS) if tools and not has_tools(mark) else "",
    )
    before = prepared or Prepared(tools=mark, tool_set=todo.tool_set())
    return replace(before, pieces=(*todo.pieces(), *before.pieces), answered=True)


def short_form(turn: Turn, prepared: Prepared | None) -> tuple[Turn, Prepared]:
    """Return a turn with long texts in the form stored when there is no time to search it for
    secrets: with the beginning of its answer, and only those messages of its request from which
    secrets are already removed (`prepared`).
    """
    message = truncate_message(turn.completion.message, SHORT_CHARACTERS)
    completion = replace(turn.completion, message=message)
    return replace(turn, completion=completion), prepared or Prepared()


def truncate_message(message: Message, most: int = KEPT_CHARACTERS) -> Message:
    """Shorten a message to what is stored of it: the first `most` characters of its text.

    If the arguments of its tool calls are longer than `most` together, a note replaces each of
    them.
    """
    if sum(len(part.text) for part in message.parts) > most:
        left, parts = most, list[MessagePart]()
        for part in message.parts:
            parts.append(replace(part, text=shortened(part.text, left)))
            left = max(0, left - len(part.text))
        message = replace(message, parts=tuple(parts))
    if sum(len(call.arguments) for call in message.tool_calls) > most:
        calls = [replace(c, arguments=shortened(c.arguments, 0)) for c in message.tool_calls]
        message = replace(message, tool_calls=tuple(calls))
    return message


def shortened(text: str, most: int) -> str:
    """Return the first `most` characters of a text, followed by a note on how many are missing; a
    text that is short enough is returned unchanged.
    """
    more = len(text) - most
    return text if more <= 0 else f"{text[:most]}⟨{more} characters more are not kept⟩"
