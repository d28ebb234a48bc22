"""Sets a value in a JSON text and keeps every other character: comments, key order and layout."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from lull.core.clients.json_text import read_json
from lull.core.clients.tree import (
    Node,
    TreeValue,
    line_start,
    newline_of,
    split_bom,
    unchangeable,
    with_value,
)

_REST_OF_LINE: Final = re.compile(r"[ \t]*(?:/\*[^\n]*?\*/[ \t]*)*(?://[^\n\r]*)?")
"""Blanks and comments behind a value, up to the end of its line."""
_STEP: Final = "  "


def set_in_json(text: str, path: Sequence[str], value: TreeValue) -> str:
    """Return the JSON text with the value at a path of keys set; missing objects on the way are
    made.

    If the value is already equal, nothing changes. Raises ClientFileError if the text cannot be
    read or edited safely, or if a key on the way has a value that is not an object.
    """
    bom, body = split_bom(text)
    root = read_json(body)
    wanted = _meaning(value)
    before = None if root is None else root.plain()
    expected = with_value(before, path, wanted)
    if before == expected:
        return text
    after = _set(body, root, path, value)
    read = read_json(after)
    if read is None or read.plain() != expected:
        raise unchangeable("It is written in an unusual way.", f"{'.'.join(path)} = {_dump(value)}")
    return bom + after


def _set(text: str, root: Node | None, path: Sequence[str], value: TreeValue) -> str:
    nl = newline_of(text)
    if root is None:
        gap = "" if not text or text.endswith("\n") else nl
        return f"{text}{gap}{_nested(path, value, nl, '')}{nl}"
    node = root
    for depth, key in enumerate(path):
        inner = node.get(key)
        if inner is None:
            return _inserted(text, node, key, _nested(path[depth + 1 :], value, nl, "\0"))
        node = inner
    return text[: node.start] + _dump(value) + text[node.end :]


def _inserted(text: str, node: Node, key: str, written: str) -> str:
    """The text with one entry more at the end of a map. NUL in `written` is the entry's indent."""
    nl = newline_of(text)
    close = node.end - 1
    if not node.entries:
        outer = _indent_at(text, node.start)
        inner = outer + _STEP
        entry = f"{_dump(key)}: {written}".replace("\0", inner)
        begin = line_start(text, close)
        if text[begin:close].strip() or begin <= node.start:
            return f"{text[:close].rstrip(' ')}{nl}{inner}{entry}{nl}{outer}{text[close:]}"
        return f"{text[:begin]}{inner}{entry}{nl}{text[begin:]}"
    last = node.entries[-1]
    begin = line_start(text, last.key_start)
    own_line = not text[begin : last.key_start].strip()
    indent = text[begin : last.key_start] if own_line else _indent_at(text, last.key_start)
    entry = f"{_dump(key)}: {written}".replace("\0", indent)
    comma = _comma_behind(text, last.node.end)
    if not own_line:
        if comma is not None:
            return f"{text[: comma + 1]} {entry},{text[comma + 1 :]}"
        return f"{text[: last.node.end]}, {entry}{text[last.node.end :]}"
    if comma is not None:
        place = _end_of_line(text, comma + 1)
        return f"{text[:place]}{nl}{indent}{entry},{text[place:]}"
    place = _end_of_line(text, last.node.end)
    rest = text[last.node.end : place]
    lead = "" if text[place : place + 1] in ("\r", "\n") else nl + _indent_at(text, node.start)
    return f"{text[: last.node.end]},{rest}{nl}{indent}{entry}{lead}{text[place:].lstrip(' ')}"


def _end_of_line(text: str, at: int) -> int:
    found = _REST_OF_LINE.match(text, at)
    end = found.end() if found else at
    # A comment that something follows on its line may belong to that.
    return end if text[end : end + 1] in ("", "\n", "\r") else at


def _comma_behind(text: str, at: int) -> int | None:
    """The position of the comma behind the last entry, or None."""
    found = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*,", re.DOTALL).match(text, at)
    return found.end() - 1 if found else None


def _indent_at(text: str, at: int) -> str:
    """The blanks at the beginning of the line that holds the position."""
    begin = line_start(text, at)
    line = text[begin:at]
    return line[: len(line) - len(line.lstrip())]


def _nested(path: Sequence[str], value: TreeValue, nl: str, indent: str) -> str:
    """The value inside maps for the keys of the path, laid out one key a line."""
    whole: TreeValue = value
    for key in reversed(path):
        whole = {key: whole}
    written = _dump(whole, indent=len(_STEP)) if isinstance(whole, dict) else _dump(whole)
    return written.replace("\n", nl + indent)


def _dump(value: TreeValue, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _meaning(value: TreeValue) -> object:
    node = read_json(json.dumps(value))
    assert node is not None
    return node.plain()


def node_at(text: str, path: Sequence[str]) -> Node | None:
    """Return the node of the value at a path of keys in a JSON text, or None. Raises
    ClientFileError if the text cannot be read.
    """
    node = read_json(split_bom(text)[1])
    for key in path:
        node = None if node is None else node.get(key)
    return node
