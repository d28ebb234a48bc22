"""A configuration file parsed into a tree whose nodes know their positions in the text.

An edit replaces or inserts a few characters, and everything else stays as the user wrote it. The
edited text is parsed again, and its meaning must equal the old file's with only the wanted values
changed. This check finds every mistake of an edit, whatever unusual thing the file contains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from lull.core.errors import ClientFileError

DEEPEST: Final = 60
"""Deepest nesting that is read; real configurations stay below ten."""
BOM: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"

TreeValue = str | Sequence["TreeValue"] | Mapping[str, "TreeValue"]
"""A value to write: a string, or a list or map of such values."""


class NodeKind(Enum):
    """The kinds of values in a configuration file of another program."""

    MAP = auto()
    LIST = auto()
    TEXT = auto()
    """A string value."""
    OTHER = auto()
    """A number, a truth value, null, or a reference to another node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeEntry:
    """One `key: value` of a map in a configuration file, with the key's position."""

    key: str
    key_start: int
    node: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One value of a configuration file with its position in the text."""

    kind: NodeKind
    start: int
    end: int
    text: str = ""
    """The string itself; for a node of kind OTHER, its text as it is in the file."""
    entries: tuple[NodeEntry, ...] = ()
    items: tuple[Node, ...] = ()
    flow: bool = True
    """Whether a map or list is written in brackets; False for YAML's indented form."""

    def get(self, key: str) -> Node | None:
        """Return the value of a key of this map node, or None."""
        return next((entry.node for entry in self.entries if entry.key == key), None)

    def plain(self) -> object:
        """Return this node's value without text positions, so that two texts with the same meaning
        compare equal.
        """
        match self.kind:
            case NodeKind.MAP:
                return {entry.key: entry.node.plain() for entry in self.entries}
            case NodeKind.LIST:
                return [item.plain() for item in self.items]
            case NodeKind.TEXT:
                return self.text
            case NodeKind.OTHER:
                return (self.text,)


Reader = Callable[[str], Node | None]
"""Type of a function that parses a text into its root node; None if the text has no value. Raises
ClientFileError.
"""


def unchangeable(why: str, wanted: str = "") -> ClientFileError:
    """Return the error to raise for a configuration file that Lull cannot edit safely because of
    how it is written.
    """
    hint = f"It was left as it is. Write this yourself: {wanted}" if wanted else ""
    return ClientFileError(why, hint=hint or "It was left as it is.")


def split_bom(text: str) -> tuple[str, str]:
    """Split a text into the byte order mark that it begins with, or "", and the rest."""
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def newline_of(text: str) -> str:
    """Return the line ending that the text uses, CRLF or LF: that of its first line. If an only
    line ends with a carriage return, this counts as CRLF.
    """
    return "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"


def line_start(text: str, at: int) -> int:
    """Return the index in the text at which the line begins that contains position `at`."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return the index in the text at which the line that contains position `at` ends, before its
    line ending.
    """
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    return end - 1 if end > at and text[end - 1] == "\r" else end


def with_value(meaning: object, path: Sequence[str], value: object) -> object:
    """Return a parsed configuration file (`meaning`) with the value at a path of keys set; missing
    maps on the way are made.
    """
    if not path:
        return value
    if meaning is None:
        meaning = {}
    if not isinstance(meaning, dict):
        raise unchangeable(f"{path[0]} cannot be set, because something else stands in its place.")
    head, *rest = path
    return {**meaning, head: with_value(meaning.get(head), rest, value)}
