"""Prepares an exchange (request, answer, the user's next message) for the reader, a model that
tells what the message says of the answer: shortens the texts to the model's input limits, and
splits the message into sentences.

The request and the answer are included only as far as they help to understand the message. Of a
very long message only the beginning and the end are included, where people say what they want.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

ASKED_CHARS: Final = 240
ANSWER_HEAD_CHARS: Final = 200
ANSWER_TAIL_CHARS: Final = 120
SAID_HEAD_CHARS: Final = 1_000
SAID_TAIL_CHARS: Final = 600
MOST_SENTENCES: Final = 40
END_CHARS: Final = 8_000
"""Characters read at each end of a very long message, so that a paste of hundreds of kilobytes is
not split as a whole.
"""
CUT_MARK: Final = " … "


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request, the model's answer, and the user's next message."""

    asked: str
    answer: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableExchange:
    """A request, its answer and the user's next message, shortened to the input limits of the model
    that reads them.
    """

    asked: str
    answer: str
    sentences: tuple[str, ...]
    """Sentences of the user's message in order, each with its trailing space; substrings of the
    message."""


def readable(exchange: Exchange) -> ReadableExchange:
    """Return an exchange shortened to what a model reads to find feedback in the user's message."""
    return ReadableExchange(
        asked=_head(exchange.asked.strip(), ASKED_CHARS),
        answer=_both_ends(exchange.answer.strip(), ANSWER_HEAD_CHARS, ANSWER_TAIL_CHARS),
        sentences=_shown(sentences_to_read(exchange.said)),
    )


def sentences_to_read(said: str) -> tuple[str, ...]:
    """Return the sentences of a user's message that a model may be shown to interpret the message;
    of a very long message only those at its beginning and its end.
    """
    if len(said) <= 2 * END_CHARS:
        return sentences(said)
    return (*sentences(said[:END_CHARS]), *sentences(said[-END_CHARS:]))


_END: Final = re.compile(r"(?<=[.!?…。！？])[\"'”’»)\]]*\s+|\n+\s*")
_FENCE: Final = re.compile(r"^(```|~~~).*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|z\.B|d\.h|u\.a|bzw|ca|etc|vs|Mr|Mrs|Ms|Dr|Prof|Nr|St|p\.ej|Sr|Sra)|\b[A-Z]|\d)\.$"
)
_NUMBER: Final = re.compile(r"\b[Nn]o\.\s*\d\Z")
"""Matches "No. 5", but not the start of "No. Use bullets", where no number follows."""


def sentences(text: str) -> tuple[str, ...]:
    """Split a text into sentences after `.`, `!`, `?` and line breaks, keeping fenced blocks whole;
    the joined pieces give the text again.
    """
    pieces: list[str] = []
    at = 0
    for fence in _FENCE.finditer(text):
        pieces += _cut(text[at : fence.start()])
        pieces.append(fence.group())
        at = fence.end()
    pieces += _cut(text[at:])
    return tuple(_joined_blanks(pieces))


def _cut(text: str) -> list[str]:
    pieces: list[str] = []
    at = 0
    for end in _END.finditer(text):
        if "\n" not in end.group() and _goes_on(text, max(at, end.start() - 12), end):
            continue
        pieces.append(text[at : end.end()])
        at = end.end()
    if at < len(text):
        pieces.append(text[at:])
    return pieces


def _goes_on(text: str, since: int, end: re.Match[str]) -> bool:
    """Whether the full stop belongs to an abbreviation or to a quotation inside the sentence (a
    last line saying "Over." in each reply)."""
    quoted = not end.group().isspace() and text[end.end() : end.end() + 1].islower()
    if quoted or _ABBREVIATED.search(text, since, end.start()):
        return True
    return bool(_NUMBER.search(text, since, end.end() + 1))


def _joined_blanks(pieces: list[str]) -> list[str]:
    """Joins pieces that are only white space to their neighbour."""
    out: list[str] = []
    for piece in pieces:
        if out and (not piece.strip() or not out[-1].strip()):
            out[-1] += piece
        elif piece:
            out.append(piece)
    return out


def _shown(pieces: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first and last sentences, as many as fit; overlong ones are shortened."""
    cut = [_both_ends(p, 500, 200) if len(p) > 700 else p for p in pieces]
    head: list[str] = []
    left = SAID_HEAD_CHARS
    for piece in cut[: MOST_SENTENCES // 2]:
        if head and len(piece) > left:
            break
        head.append(piece)
        left -= len(piece)
    tail: list[str] = []
    left = SAID_TAIL_CHARS
    for piece in reversed(cut[len(head) :][-MOST_SENTENCES // 2 :]):
        if tail and len(piece) > left:
            break
        tail.append(piece)
        left -= len(piece)
    return (*head, *reversed(tail))


def _head(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + CUT_MARK


def _both_ends(text: str, head: int, tail: int) -> str:
    return text if len(text) <= head + tail else text[:head] + CUT_MARK + text[-tail:]
