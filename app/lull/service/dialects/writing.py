"""Writing an answer of our own engine: what all dialects' writers have in common.

A chunk becomes bytes at once, or is kept until the last one when the client did not ask for a
stream. JSON is written the way Go writes it, so that nobody can tell the answers apart.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from lull.core.messages import Finish
from lull.core.ports import Chunk, Token

_HTML = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
JSON_UTF8 = "application/json; charset=utf-8"
JSON = "application/json"
EVENTS = "text/event-stream"
MID_STREAM = "an error was encountered while running the model: {}"


def go_json(value: object, *, sort_keys: bool = False) -> str:
    """Compact, and `<`, `>` and `&` escaped, as Go's encoder does."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys)
    return text.translate(_HTML)


def go_bytes(value: object) -> bytes:
    return go_json(value).encode("utf-8", "replace")


def event(data: object, *, name: str = "", sort_keys: bool = False) -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {go_json(data, sort_keys=sort_keys)}\n\n".encode("utf-8", "replace")


def rfc3339(at: datetime) -> str:
    """As Go prints a time: UTC, no trailing zeros in the fraction."""
    text = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f").rstrip("0").rstrip(".")
    return f"{text}Z"


def nanoseconds(*seconds: float) -> int:
    """At least one: Go leaves a zero out, and clients divide by it."""
    return max(1, round(sum(seconds) * 1e9))


def hex_id(number: int, at: datetime, digits: int = 24) -> str:
    """The same for one answer, another for each other."""
    return hashlib.sha256(f"{number} {at.isoformat()}".encode()).hexdigest()[:digits]


def plain_number(value: float) -> float | int:
    """Go prints 1.0 as 1."""
    return int(value) if value == int(value) else value


def logprob(token: Token) -> dict[str, object]:
    entry = _logprob(token.text, token.logprob)
    if token.top:
        entry["top_logprobs"] = [_logprob(text, value) for _, value, text in token.top]
    return entry


def _logprob(text: str, value: float) -> dict[str, object]:
    return {"token": text, "logprob": value, "bytes": list(text.encode("utf-8", "replace"))}


class PieceWriter:
    """Keeps the order of things; a subclass says what each piece looks like."""

    def __init__(self, *, stream: bool) -> None:
        self.stream = stream
        self.texts: list[str] = []
        self.tokens: list[Token] = []
        self._waiting: list[Token] = []
        """Tokens whose text has not come out yet."""
        self._opened = False

    def write(self, chunk: Chunk) -> Iterable[bytes]:
        self._waiting += _without_end(chunk)
        spoken: Sequence[Token] = ()
        if chunk.text or chunk.finish:
            spoken, self._waiting = self._waiting, []
        self.texts.append(chunk.text)
        self.tokens += spoken
        if not self.stream:
            return [self.whole(chunk)] if chunk.finish else []
        return [*self._start(), *self._middle(chunk, spoken), *self._end(chunk)]

    def _start(self) -> Iterable[bytes]:
        first, self._opened = not self._opened, True
        return self.opening() if first else ()

    def _middle(self, chunk: Chunk, tokens: Sequence[Token]) -> Iterable[bytes]:
        return self.piece(chunk.text, tokens) if chunk.text else ()

    def _end(self, chunk: Chunk) -> Iterable[bytes]:
        return self.closing(chunk) if chunk.finish else ()

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def whole(self, last: Chunk) -> bytes:
        """The answer to a request that asked for no stream."""
        raise NotImplementedError

    def opening(self) -> Iterable[bytes]:
        return ()

    def piece(self, text: str, tokens: Sequence[Token]) -> Iterable[bytes]:
        raise NotImplementedError

    def closing(self, last: Chunk) -> Iterable[bytes]:
        raise NotImplementedError


def _without_end(chunk: Chunk) -> Sequence[Token]:
    """An end token says nothing: Ollama counts it and never lists it."""
    silent = chunk.finish is Finish.STOP and chunk.tokens and not chunk.tokens[-1].text
    return chunk.tokens[:-1] if silent else chunk.tokens


def with_logprobs(entry: Mapping[str, object], tokens: Sequence[Token]) -> dict[str, object]:
    """The entry, with `logprobs` behind it when there are any."""
    if not tokens:
        return dict(entry)
    return {**entry, "logprobs": [logprob(token) for token in tokens]}
