"""Editing a JSON text in place: one string grows, every other byte stays as the client wrote it.

Parsing and writing again would change number forms, escapes, white space, key order and duplicate
keys, and with them the upstream's prompt cache and whatever a newer client means by a field we do
not know. So values are only *located* here, and the few new characters are spliced in.

Locating goes at C speed: the scanner of the `json` module skips a value whole. Bytes that are not
UTF-8 pass through unharmed, data behind the first value is ignored (as Go's decoder does), and of
a key that comes twice the last one counts. Anything that is not JSON raises ValueError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, NoReturn

_scan_string: Callable[[str, int, bool], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]
_SPACE = re.compile(r"[ \t\n\r]*")
_UTF8 = ("utf-8", "surrogateescape")
TOO_DEEP = "exceeded max depth"


class Span(NamedTuple):
    """Where a value stands: text[start:end]."""

    start: int
    end: int


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _nothing(_digits: str) -> None:
    """Numbers are skipped, never converted: a number of a million digits costs nothing."""


_skip = json.JSONDecoder(parse_int=_nothing, parse_float=_nothing, parse_constant=_refuse).scan_once  # type: ignore[attr-defined]


def quoted(text: str) -> str:
    """A JSON string literal in ASCII, so that no character of it can meet a wrong encoding."""
    return json.dumps(text)


def value_span(text: str, at: int = 0) -> Span:
    """The value that begins at or behind `at`. Raises ValueError for anything but JSON."""
    start = _after_space(text, at)
    try:
        _, end = _skip(text, start)
    except StopIteration:
        raise ValueError(f"no JSON value at {start}") from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    return Span(start, end)


def object_spans(text: str, at: int = 0) -> dict[str, Span]:
    """Each key of the object at `at` and where its (last) value stands."""
    spans: dict[str, Span] = {}
    at = _opening(text, at, "{")
    if text[at : at + 1] == "}":
        return spans
    while True:
        if text[at : at + 1] != '"':
            raise ValueError(f"no object key at {at}")
        key, at = _scan_string(text, at + 1, True)
        at = _after_space(text, at)
        if text[at : at + 1] != ":":
            raise ValueError(f"no colon at {at}")
        spans[key] = value_span(text, at + 1)
        at = _next(text, spans[key].end, "}")
        if at < 0:
            return spans


def array_spans(text: str, at: int = 0) -> list[Span]:
    """Where each element of the array at `at` stands."""
    spans: list[Span] = []
    at = _opening(text, at, "[")
    if text[at : at + 1] == "]":
        return spans
    while True:
        spans.append(value_span(text, at))
        at = _next(text, spans[-1].end, "]")
        if at < 0:
            return spans


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _opening(text: str, at: int, bracket: str) -> int:
    at = _after_space(text, at)
    if text[at : at + 1] != bracket:
        raise ValueError(f"no {bracket} at {at}")
    return _after_space(text, at + 1)


def _next(text: str, at: int, closing: str) -> int:
    """Where the next member begins; -1 behind the last one."""
    at = _after_space(text, at)
    mark = text[at : at + 1]
    if mark == closing:
        return -1
    if mark != ",":
        raise ValueError(f"no comma at {at}")
    return _after_space(text, at + 1)


class Draft:
    """One body under edit. Spans stay those of the original text until `done`.

    Each method raises ValueError when the value is not of the kind that it edits.
    """

    def __init__(self, body: bytes) -> None:
        self.text = body.decode(*_UTF8)
        self.root = value_span(self.text)
        self._insertions: list[tuple[Span, str]] = []
        # Each object and array is looked through once: a history may be long.
        self._members: dict[int, dict[str, Span]] = {}
        self._elements: dict[int, list[Span]] = {}

    def kind(self, span: Span) -> str:
        """The value's first character: `"`, `[`, `{`, `n` for null, `t`, `f`, a digit or `-`."""
        return self.text[span.start]

    def members(self, span: Span) -> Mapping[str, Span]:
        if span.start not in self._members:
            self._members[span.start] = object_spans(self.text, span.start)
        return self._members[span.start]

    def elements(self, span: Span) -> Sequence[Span]:
        if span.start not in self._elements:
            self._elements[span.start] = array_spans(self.text, span.start)
        return self._elements[span.start]

    def string(self, span: Span) -> str:
        if self.kind(span) != '"':
            raise ValueError(f"no string at {span.start}")
        value, _ = _scan_string(self.text, span.start + 1, True)
        return value

    def append(self, span: Span, addition: str) -> None:
        """Grow a string value at its end."""
        self.string(span)
        self._insert(Span(span.end - 1, span.end - 1), quoted(addition)[1:-1])

    def prepend(self, span: Span, addition: str) -> None:
        """Grow a string value at its beginning."""
        self.string(span)
        self._insert(Span(span.start + 1, span.start + 1), quoted(addition)[1:-1])

    def replace(self, span: Span, json_text: str) -> None:
        self._insert(span, json_text)

    def add_first(self, array: Span, json_text: str) -> None:
        """A new element in front."""
        comma = ", " if self.elements(array) else ""
        self._insert(Span(array.start + 1, array.start + 1), json_text + comma)

    def add_last(self, array: Span, json_text: str) -> None:
        """A new element at the end."""
        elements = self.elements(array)
        if not elements:
            self.add_first(array, json_text)
            return
        end = elements[-1].end
        self._insert(Span(end, end), f", {json_text}")

    def add_member(self, span: Span, key: str, json_text: str) -> None:
        """A new key, in front: should the object hold it under another spelling, that one wins."""
        comma = ", " if self.members(span) else ""
        at = span.start + 1
        self._insert(Span(at, at), f"{quoted(key)}: {json_text}{comma}")

    def done(self) -> bytes:
        """The edited body."""
        pieces: list[str] = []
        at = 0
        for span, text in sorted(self._insertions, key=lambda edit: edit[0]):
            if span.start < at:
                raise ValueError("two edits meet")
            pieces += (self.text[at : span.start], text)
            at = span.end
        return "".join((*pieces, self.text[at:])).encode(*_UTF8)

    def _insert(self, span: Span, text: str) -> None:
        self._insertions.append((span, text))
