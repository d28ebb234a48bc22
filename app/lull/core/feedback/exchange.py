"""One user message behind an answer, as a reader gets it: cut to size and into sentences.

A reader sees the request and the answer only as far as they help to understand what was said; of a
very long message it sees the beginning and the end, where people say what they want.
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
LOOKED_AT_CHARS: Final = 8_000
"""At either end: a paste of hundreds of kilobytes is not cut into sentences whole."""
CUT: Final = " … "


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What was asked, what was answered, and what the user said next."""

    asked: str
    answer: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableExchange:
    """An exchange within a reader's limits."""

    asked: str
    answer: str
    sentences: tuple[str, ...]
    """Of what was said, each with the space behind it; substrings of the message, in its order."""


def readable(exchange: Exchange) -> ReadableExchange:
    return ReadableExchange(
        asked=_head(exchange.asked.strip(), ASKED_CHARS),
        answer=_both_ends(exchange.answer.strip(), ANSWER_HEAD_CHARS, ANSWER_TAIL_CHARS),
        sentences=_shown(looked_at(exchange.said)),
    )


def looked_at(said: str) -> tuple[str, ...]:
    """The sentences of a message; of a very long one those of its two ends."""
    if len(said) <= 2 * LOOKED_AT_CHARS:
        return sentences(said)
    return (*sentences(said[:LOOKED_AT_CHARS]), *sentences(said[-LOOKED_AT_CHARS:]))


_END: Final = re.compile(r"(?<=[.!?…。！？])[\"'”’»)\]]*\s+|\n+\s*")
_FENCE: Final = re.compile(r"^(```|~~~).*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|z\.B|d\.h|u\.a|bzw|ca|etc|vs|Mr|Mrs|Ms|Dr|Prof|Nr|St|p\.ej|Sr|Sra)|\b[A-Z]|\d)\.$"
)
_NUMBER: Final = re.compile(r"\b[Nn]o\.\s*\d\Z")
""" "No. 5", but not "No. Use bullets.\""""


def sentences(text: str) -> tuple[str, ...]:
    """The text cut behind `.`, `!`, `?` and line breaks; a fenced block stays whole. Joined, the
    pieces are the text again."""
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
    """Whether the full stop belongs to a short form or to what is quoted within a sentence (a last
    line saying "Over." in each reply), and ends nothing."""
    quoted = not end.group().isspace() and text[end.end() : end.end() + 1].islower()
    if quoted or _ABBREVIATED.search(text, since, end.start()):
        return True
    return bool(_NUMBER.search(text, since, end.end() + 1))


def _joined_blanks(pieces: list[str]) -> list[str]:
    """Space alone is no sentence: it goes with its neighbour."""
    out: list[str] = []
    for piece in pieces:
        if out and (not piece.strip() or not out[-1].strip()):
            out[-1] += piece
        elif piece:
            out.append(piece)
    return out


def _shown(pieces: tuple[str, ...]) -> tuple[str, ...]:
    """The first and the last sentences, as many as fit; one that is too long for itself is cut."""
    cut = [_both_ends(p, 500, 200) if len(p) > 700 else p for p in pieces]
    head: list[str] = []
    room = SAID_HEAD_CHARS
    for piece in cut[: MOST_SENTENCES // 2]:
        if head and len(piece) > room:
            break
        head.append(piece)
        room -= len(piece)
    tail: list[str] = []
    room = SAID_TAIL_CHARS
    for piece in reversed(cut[len(head) :][-MOST_SENTENCES // 2 :]):
        if tail and len(piece) > room:
            break
        tail.append(piece)
        room -= len(piece)
    return (*head, *reversed(tail))


def _head(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + CUT


def _both_ends(text: str, head: int, tail: int) -> str:
    return text if len(text) <= head + tail else text[:head] + CUT + text[-tail:]
