"""Formats answers of Lull's own inference engine: the code that all API dialects (request and
answer formats) share.

A chunk is written at once, or kept until the last one if the answer is not streamed. JSON is
written as Go writes it, so that answers look like Ollama's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from lull.core.chat.messages import Finish
from lull.core.models.engine import Chunk, Token

_GO_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
"""Characters that Go's JSON encoder escapes."""
JSON_UTF8 = "application/json; charset=utf-8"
JSON = "application/json"
EVENTS = "text/event-stream"
MID_STREAM = "an error was encountered while running the model: {}"
"""Ollama's error text for a failure in mid-stream."""


def go_json(value: object, *, sort_keys: bool = False) -> str:
    """Return a value as compact JSON, escaped as Go's encoder does.

    Escaped are `<`, `>`, `&`, U+2028 and U+2029.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys)
    return text.translate(_GO_ESCAPES)


def go_bytes(value: object) -> bytes:
    """Encode a value as JSON the way Ollama (a Go program) does."""
    return go_json(value).encode("utf-8", "replace")


def event(data: object, *, name: str = "", sort_keys: bool = False) -> bytes:
    """Return the bytes of one server-sent event with this JSON data and name ("" for no name)."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {go_json(data, sort_keys=sort_keys)}\n\n".encode("utf-8", "replace")


def rfc3339(at: datetime) -> str:
    """Format a time as Go prints it: UTC, without trailing zeros in the fraction."""
    text = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f").rstrip("0").rstrip(".")
    return f"{text}Z"


def nanoseconds(*seconds: float) -> int:
    """Return the sum of the given durations (in seconds) in nanoseconds, but at least 1.

    Go would leave a zero out of the JSON, and clients divide by this number.
    """
    return max(1, round(sum(seconds) * 1e9))


def hex_id(number: int, at: datetime, digits: int = 24) -> str:
    """Return an id of `digits` hex digits for an answer, computed from its number and time, so that
    the same answer always gets the same id.
    """
    return hashlib.sha256(f"{number} {at.isoformat()}".encode()).hexdigest()[:digits]


def plain_number(value: float) -> float | int:
    """Turn a whole float such as 1.0 into the integer 1, as Go prints it."""
    return int(value) if value == int(value) else value


def logprob(token: Token) -> dict[str, object]:
    """Return the JSON of a token's log-probability, and of the most likely tokens in its place."""
    entry = _logprob(token.text, token.logprob)
    if token.top:
        entry["top_logprobs"] = [_logprob(text, value) for _, value, text in token.top]
    return entry


def _logprob(text: str, value: float) -> dict[str, object]:
    return {"token": text, "logprob": value, "bytes": list(text.encode("utf-8", "replace"))}


class PieceWriter:
    """Formats the beginning, the pieces and the end of an answer in this order; a subclass defines
    the format of each API.
    """

    def __init__(self, *, stream: bool) -> None:
        self.stream = stream
        self.texts: list[str] = []
        self.tokens: list[Token] = []
        self._waiting: list[Token] = []
        """Tokens whose text has not been emitted yet."""
        self._opened = False

    def write(self, chunk: Chunk) -> Iterable[bytes]:
        """Return the bytes to send now for one chunk of an answer."""
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
        """The text of the answer so far."""
        return "".join(self.texts)

    def whole(self, last: Chunk) -> bytes:
        """Return the bytes of the complete answer to a request without streaming."""
        raise NotImplementedError

    def opening(self) -> Iterable[bytes]:
        """Return the bytes sent before the first piece of a streamed answer."""
        return ()

    def piece(self, text: str, tokens: Sequence[Token]) -> Iterable[bytes]:
        """Return the bytes of one piece of text in a streamed answer."""
        raise NotImplementedError

    def closing(self, last: Chunk) -> Iterable[bytes]:
        """Return the bytes sent after the last piece of a streamed answer."""
        raise NotImplementedError


def _without_end(chunk: Chunk) -> Sequence[Token]:
    """The chunk's tokens without the end token, which Ollama counts but never lists."""
    silent = chunk.finish is Finish.STOP and chunk.tokens and not chunk.tokens[-1].text
    return chunk.tokens[:-1] if silent else chunk.tokens


def with_logprobs(entry: Mapping[str, object], tokens: Sequence[Token]) -> dict[str, object]:
    """Return a JSON entry of an answer with the log-probabilities of its tokens added under
    `logprobs`, if there are any tokens.
    """
    if not tokens:
        return dict(entry)
    return {**entry, "logprobs": [logprob(token) for token in tokens]}
