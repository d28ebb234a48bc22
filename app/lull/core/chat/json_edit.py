"""Edits JSON text in place: appends to strings and inserts elements, and leaves every other byte as
it was.

Parsing and serialising would change number forms, escapes, white space, key order and duplicate
keys, and with them the upstream's prompt cache and fields that we do not know. So values are only
*located* here, and the new characters are spliced in.

Locating runs at C speed: the scanner of the `json` module skips a whole value. Bytes that are not
UTF-8 pass through unchanged, data after the first value is ignored (as in Go's decoder), and the
last of duplicate keys counts. Anything that is not JSON raises ValueError.
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


class JsonSpan(NamedTuple):
    """The position of a JSON value in its text: the value is text[start:end]."""

    start: int
    end: int


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _nothing(_digits: str) -> None:
    """Stands in for the conversion of a number to a value, so that a number of a million digits
    costs no time.
    """


_skip = json.JSONDecoder(parse_int=_nothing, parse_float=_nothing, parse_constant=_refuse).scan_once  # type: ignore[attr-defined]


def quoted(text: str) -> str:
    """Return the text as a JSON string literal in ASCII, which is safe in every encoding."""
    return json.dumps(text)


def value_span(text: str, at: int = 0) -> JsonSpan:
    """Return the span of the JSON value that begins at or after `at`. Raises ValueError for invalid
    JSON.
    """
    start = _after_space(text, at)
    try:
        _, end = _skip(text, start)
    except StopIteration:
        raise ValueError(f"no JSON value at {start}") from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    return JsonSpan(start, end)


def object_spans(text: str, at: int = 0) -> dict[str, JsonSpan]:
    """Return each key of the JSON object that begins at `at`, with the span of its value; of
    duplicate keys the last one counts.
    """
    spans: dict[str, JsonSpan] = {}
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


def array_spans(text: str, at: int = 0) -> list[JsonSpan]:
    """Return the span of each element of the JSON array that begins at `at`."""
    spans: list[JsonSpan] = []
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
    """Return where the next member of an object or array begins; -1 after the last one."""
    at = _after_space(text, at)
    mark = text[at : at + 1]
    if mark == closing:
        return -1
    if mark != ",":
        raise ValueError(f"no comma at {at}")
    return _after_space(text, at + 1)


class BodyEdit:
    """Collects edits to the JSON body of one HTTP request. The spans that its methods take are
    positions in the original text.

    Each method raises ValueError if the value at the span is not of the type that it edits.
    """

    def __init__(self, body: bytes) -> None:
        self.text = body.decode(*_UTF8)
        self.root = value_span(self.text)
        self._insertions: list[tuple[JsonSpan, str]] = []
        # Each object and array is scanned once, because a history may be long.
        self._members: dict[int, dict[str, JsonSpan]] = {}
        self._elements: dict[int, list[JsonSpan]] = {}

    def kind(self, span: JsonSpan) -> str:
        """First character of the JSON value at a span, which tells its type: `"`, `[`, `{`, `n` for
        null, `t`, `f`, a digit or `-`.
        """
        return self.text[span.start]

    def members(self, span: JsonSpan) -> Mapping[str, JsonSpan]:
        """Return the places of an object's values in the JSON text, by key."""
        if span.start not in self._members:
            self._members[span.start] = object_spans(self.text, span.start)
        return self._members[span.start]

    def elements(self, span: JsonSpan) -> Sequence[JsonSpan]:
        """Return the places of an array's elements in the JSON text."""
        if span.start not in self._elements:
            self._elements[span.start] = array_spans(self.text, span.start)
        return self._elements[span.start]

    def string(self, span: JsonSpan) -> str:
        """Return the string at a place in the JSON text. Raises ValueError if something else is
        there.
        """
        if self.kind(span) != '"':
            raise ValueError(f"no string at {span.start}")
        value, _ = _scan_string(self.text, span.start + 1, True)
        return value

    def append(self, span: JsonSpan, addition: str) -> None:
        """Appends text to a string value of the JSON body."""
        self.string(span)
        self._insert(JsonSpan(span.end - 1, span.end - 1), quoted(addition)[1:-1])

    def prepend(self, span: JsonSpan, addition: str) -> None:
        """Prepends text to a string value of the JSON body."""
        self.string(span)
        self._insert(JsonSpan(span.start + 1, span.start + 1), quoted(addition)[1:-1])

    def replace(self, span: JsonSpan, json_text: str) -> None:
        """Put another JSON text in this place; the rest of the text keeps its bytes."""
        self._insert(span, json_text)

    def add_first(self, array: JsonSpan, json_text: str) -> None:
        """Inserts an element at the front of an array in the JSON body."""
        comma = ", " if self.elements(array) else ""
        self._insert(JsonSpan(array.start + 1, array.start + 1), json_text + comma)

    def add_last(self, array: JsonSpan, json_text: str) -> None:
        """Adds an element at the end of an array in the JSON body."""
        elements = self.elements(array)
        if not elements:
            self.add_first(array, json_text)
            return
        end = elements[-1].end
        self._insert(JsonSpan(end, end), f", {json_text}")

    def add_member(self, span: JsonSpan, key: str, json_text: str) -> None:
        """Adds a key at the front of an object in the JSON body, so that a later duplicate of the
        same key still wins.
        """
        comma = ", " if self.members(span) else ""
        at = span.start + 1
        self._insert(JsonSpan(at, at), f"{quoted(key)}: {json_text}{comma}")

    def edited_body(self) -> bytes:
        """Return the HTTP request body with all collected edits applied."""
        pieces: list[str] = []
        at = 0
        for span, text in sorted(self._insertions, key=lambda edit: edit[0]):
            if span.start < at:
                raise ValueError("two edits meet")
            pieces += (self.text[at : span.start], text)
            at = span.end
        return "".join((*pieces, self.text[at:])).encode(*_UTF8)

    def _insert(self, span: JsonSpan, text: str) -> None:
        self._insertions.append((span, text))
