"""Sets string values in a TOML file and keeps every other character: comments, order and layout."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lull.core.clients.tree import newline_of, split_bom, unchangeable, with_value

_STRING: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}|' + r"'''(?:[^']|'{1,2}(?!'))*'{3,5}|"
    r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'",
    re.DOTALL,
)
_BLANK: Final = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")


@dataclass(frozen=True, slots=True)
class _Line:
    """A table's header or one `key = value`, with the places of the value."""

    path: tuple[str, ...]
    header: bool
    start: int
    value_start: int
    end: int


def set_in_toml(text: str, path: Sequence[str], value: str) -> str:
    """Return the TOML text with the key at the path set to a string; a missing table is added at
    the end.

    Raises ClientFileError if the text cannot be read or edited safely, or if a key on the way has a
    value that is no table.
    """
    bom, body = split_bom(text)
    before = _load(body)
    expected = with_value(before, path, value)
    if before == expected:
        return text
    after = _set(body, tuple(path), json.dumps(value, ensure_ascii=False))
    if _load(after) != expected:
        wanted = f"{'.'.join(path)} = {json.dumps(value)}"
        raise unchangeable("It is written in an unusual way.", wanted)
    return bom + after


def _load(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise unchangeable(f"It is not valid TOML: “{error}”.") from error
    except RecursionError as error:
        raise unchangeable("It is nested too deeply.") from error


def _set(text: str, path: tuple[str, ...], written: str) -> str:
    nl = newline_of(text)
    lines = _lines(text)
    table, key = path[:-1], path[-1]
    inside: tuple[str, ...] = ()
    last: _Line | None = None
    for line in lines:
        if line.header:
            inside = line.path
            if inside == table:
                last = line
        elif inside == table and line.path == (key,):
            return text[: line.value_start] + written + text[line.end :]
        elif inside == table:
            last = line
    entry = f"{key} = {written}"
    if last is not None:
        place = text.find("\n", last.end)
        if place < 0:
            return f"{text}{nl}{entry}{nl}"
        return f"{text[: place + 1]}{entry}{nl}{text[place + 1 :]}"
    if not table:
        gap = nl if text and not text.startswith(("\n", "\r")) else ""
        return f"{entry}{nl}{gap}{text}"
    gap = "" if not text else nl if text.endswith("\n") else nl * 2
    return f"{text}{gap}[{'.'.join(table)}]{nl}{entry}{nl}"


def _lines(text: str) -> list[_Line]:
    """The headers and top-level `key = value` of a text that is known to be valid TOML."""
    found: list[_Line] = []
    at = _skip_blank(text, 0)
    while at < len(text):
        if text[at] == "[":
            double = text.startswith("[[", at)
            end = _until(text, at + 1 + double, "]")
            path = () if double else _path(text[at + 1 : end])
            # A table in a list of tables is no place of ours: its path stays empty but unequal.
            path = ("\0", *path) if double else path
            found.append(_Line(path, True, at, at, end + 1 + double))
        else:
            equals = _until(text, at, "=")
            start = equals + 1
            while text[start] in " \t":
                start += 1
            end = _value_end(text, start)
            found.append(_Line(_path(text[at:equals]), False, at, start, end))
        at = _skip_blank(text, found[-1].end)
    return found


def _skip_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _until(text: str, at: int, sign: str) -> int:
    """The next position of the sign outside of strings."""
    while text[at] != sign:
        string = _STRING.match(text, at)
        at = string.end() if string else at + 1
    return at


def _value_end(text: str, at: int) -> int:
    """The end of the value that begins here, without the blanks and the comment behind it."""
    depth, end = 0, at
    while at < len(text):
        string = _STRING.match(text, at)
        if string:
            at = end = string.end()
            continue
        sign = text[at]
        if sign == "#":
            newline = text.find("\n", at)
            at = len(text) if newline < 0 else newline
            continue
        if sign == "\n" and depth == 0:
            break
        depth += (sign in "[{") - (sign in "]}")
        at += 1
        if not sign.isspace():
            end = at
    return end


def _path(written: str) -> tuple[str, ...]:
    """The keys of a dotted key: `a."b.c"` is a and b.c."""
    value: object = tomllib.loads(f"{written.strip()} = 0")
    keys: list[str] = []
    while isinstance(value, dict):
        ((key, value),) = value.items()
        keys.append(key)
    return tuple(keys)
