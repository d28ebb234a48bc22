"""Parses JSON, JSON with comments and JSON5 into a tree whose nodes know their positions in the
text.

Programs are lenient with their own configuration files: comments, trailing commas, keys without
quotes and single quotes all occur (Zed: JSON with comments, OpenClaw: JSON5).
"""

from __future__ import annotations

import json
import re
from typing import Final

from lull.core.clients.tree import DEEPEST, Node, NodeEntry, NodeKind, unchangeable

_BLANK: Final = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_DOUBLE: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"', re.DOTALL)
_SINGLE: Final = re.compile(r"'(?:[^'\\\n]|\\.)*'", re.DOTALL)
_WORD: Final = re.compile(r"[^\s,:\[\]{}\"'/]+")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_SHORT: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}


def read_json(text: str) -> Node | None:
    """Return the root node of a JSON text; None if the text is blank. Raises ClientFileError."""
    reading = _Reading(text)
    at = reading.blank(0)
    if at == len(text):
        return None
    root = reading.value(at, 0)
    if (rest := reading.blank(root.end)) != len(text):
        raise reading.wrong(rest)
    return root


class _Reading:
    def __init__(self, text: str) -> None:
        self.text = text

    def wrong(self, at: int) -> Exception:
        line = self.text.count("\n", 0, at) + 1
        return unchangeable(f"Line {line} is not the JSON that was expected.")

    def blank(self, at: int) -> int:
        """The next position that is neither a blank nor inside a comment."""
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int) -> Node:
        if depth > DEEPEST:
            raise unchangeable(f"It is nested more than {DEEPEST} levels deep.")
        match self.text[at : at + 1]:
            case "{":
                return self._map(at, depth)
            case "[":
                return self._list(at, depth)
            case '"' | "'":
                return self._string(at)
        word = _WORD.match(self.text, at)
        if word is None:
            raise self.wrong(at)
        return Node(kind=NodeKind.OTHER, start=at, end=word.end(), text=word[0])

    def _string(self, at: int) -> Node:
        double = self.text[at] == '"'
        found = (_DOUBLE if double else _SINGLE).match(self.text, at)
        if found is None:
            raise self.wrong(at)
        said = found[0][1:-1]
        try:
            text = json.loads(found[0], strict=False) if double else _unescaped(said)
        except ValueError:
            text = _unescaped(said)
        return Node(kind=NodeKind.TEXT, start=at, end=found.end(), text=text)

    def _map(self, at: int, depth: int) -> Node:
        entries: list[NodeEntry] = []
        known: set[str] = set()
        here = self.blank(at + 1)
        while self.text[here : here + 1] != "}":
            if self.text[here : here + 1] in ('"', "'"):
                key = self._string(here)
                name, end = key.text, key.end
            elif word := _WORD.match(self.text, here):
                name, end = word[0], word.end()
            else:
                raise self.wrong(here)
            if name in known:
                line = self.text.count("\n", 0, here) + 1
                raise unchangeable(f"{name!r} appears twice in the same place (line {line}).")
            known.add(name)
            colon = self.blank(end)
            if self.text[colon : colon + 1] != ":":
                raise self.wrong(colon)
            node = self.value(self.blank(colon + 1), depth + 1)
            entries.append(NodeEntry(key=name, key_start=here, node=node))
            here = self._next(node.end, "}")
        return Node(kind=NodeKind.MAP, start=at, end=here + 1, entries=tuple(entries))

    def _list(self, at: int, depth: int) -> Node:
        items: list[Node] = []
        here = self.blank(at + 1)
        while self.text[here : here + 1] != "]":
            items.append(self.value(here, depth + 1))
            here = self._next(items[-1].end, "]")
        return Node(kind=NodeKind.LIST, start=at, end=here + 1, items=tuple(items))

    def _next(self, at: int, closing: str) -> int:
        """The position of the next element, or of the closing bracket."""
        here = self.blank(at)
        sign = self.text[here : here + 1]
        if sign == ",":
            return self.blank(here + 1)
        if sign == closing:
            return here
        raise self.wrong(here)


def _unescaped(said: str) -> str:
    """A string of JSON5 without its escapes."""

    def one(found: re.Match[str]) -> str:
        what = found[1]
        if what[0] in "ux" and len(what) > 1:
            return chr(int(what[1:], 16))
        return "" if what in ("\n", "\r\n") else _SHORT.get(what, what)

    return _ESCAPE.sub(one, said)
