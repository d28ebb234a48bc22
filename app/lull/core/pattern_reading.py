"""From the text of a check's pattern to its tree; the search itself stands in `pattern`.

The language is Python's, less what needs going back in the text: no references to groups, no
looking ahead or behind, no atomic groups. Whatever else is not understood is refused in words,
so that a pattern never means something other than the user has approved.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from lull.core.errors import SkillError

MOST_REPEATS: Final = 100
DEEPEST: Final = 10
_FLAGS: Final = re.compile(r"\(\?([a-z]+)\)")
_COUNT: Final = re.compile(r"\{(\d*)(,?)(\d*)\}")
_NAMED: Final = re.compile(r"\(\?P<[A-Za-z_]\w*>")
_PLAIN: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


class At(Enum):
    """A place in the text, which takes no character."""

    START = "A"
    LINE_START = "^"
    END = "Z"
    LAST_LINE_END = "$"
    LINE_END = "$m"
    EDGE = "b"
    NO_EDGE = "B"


@dataclass(frozen=True, slots=True, kw_only=True)
class One:
    """Any one character of a set."""

    ranges: tuple[tuple[str, str], ...] = ()
    kinds: str = ""
    """Letters of the classes in it: d, w, s, and D, W, S for their opposites."""
    negated: bool = False
    fold: bool = False
    """Case does not count."""

    def has(self, character: str) -> bool:
        forms = {character, character.lower(), character.upper()} if self.fold else {character}
        return any(map(self._holds, forms)) != self.negated

    def _holds(self, character: str) -> bool:
        if any(low <= character <= high for low, high in self.ranges):
            return True
        return any(_KINDS[kind.lower()](character) == kind.islower() for kind in self.kinds)


def is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_KINDS: Final[dict[str, Callable[[str], bool]]] = {
    "d": str.isdecimal,
    "w": is_word,
    "s": str.isspace,
}


@dataclass(frozen=True, slots=True)
class Many:
    """One thing after the other."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Either:
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    node: Node
    least: int
    most: int | None


Node = One | At | Many | Either | Repeat


class Reader:
    """From the text of a pattern to its tree. Raises SkillError."""

    def __init__(self, pattern: str) -> None:
        flags = _FLAGS.match(pattern)
        self._flags = flags.group(1) if flags else ""
        self._text = pattern[flags.end() :] if flags else pattern
        self._at = 0
        self._depth = 0
        if set(self._flags) - set("ims"):
            raise refused(f"the flags '{self._flags}' are not known; i, m and s are")

    def read(self) -> Node:
        node = self._either()
        if self._at < len(self._text):
            raise refused("a closing bracket has no opening one")
        return node

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        if self._at >= len(self._text):
            raise refused("it breaks off in the middle")
        self._at += 1
        return self._text[self._at - 1]

    def _either(self) -> Node:
        ways = [self._many()]
        while self._peek() == "|":
            self._at += 1
            ways.append(self._many())
        return ways[0] if len(ways) == 1 else Either(tuple(ways))

    def _many(self) -> Node:
        nodes: list[Node] = []
        while self._peek() not in ("", "|", ")"):
            nodes.append(self._repeated(self._atom()))
        return Many(tuple(nodes))

    def _repeated(self, node: Node) -> Node:
        bounds = self._bounds()
        if bounds is None:
            return node
        if isinstance(node, At):
            raise refused("a place such as ^ or \\b cannot be repeated")
        least, most = bounds
        if max(least, most or 0) > MOST_REPEATS or (most is not None and most < least):
            raise refused(f"repeats go from 0 to {MOST_REPEATS}, the smaller number first")
        if self._peek() == "?":
            self._at += 1
        if self._peek() in ("*", "+", "?") or self._bounds() is not None:
            raise refused("one repeat follows another")
        return Repeat(node, least, most)

    def _bounds(self) -> tuple[int, int | None] | None:
        """Of the repeat that stands here, if one does."""
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if self._peek() in simple:
            return simple[self._take()]
        count = _COUNT.match(self._text, self._at)
        if count is None or not (count.group(1) or count.group(3)):
            return None  # a brace like any other character
        self._at = count.end()
        if len(count.group(0)) > 10:
            raise refused("a number in it is too long")
        least = int(count.group(1) or 0)
        return least, (int(count.group(3)) if count.group(3) else None if count.group(2) else least)

    def _atom(self) -> Node:
        character = self._take()
        match character:
            case "(":
                return self._group()
            case "[":
                return self._set()
            case ".":
                return One(negated=True, ranges=() if "s" in self._flags else (("\n", "\n"),))
            case "^":
                return At.LINE_START if "m" in self._flags else At.START
            case "$":
                return At.LINE_END if "m" in self._flags else At.LAST_LINE_END
            case "\\":
                return self._escaped()
            case "*" | "+" | "?":
                raise refused(f"nothing stands before '{character}' to be repeated")
        return self._literal(character)

    def _literal(self, character: str) -> One:
        return One(ranges=((character, character),), fold="i" in self._flags)

    def _group(self) -> Node:
        named = _NAMED.match(self._text, self._at - 1)
        if named:
            self._at = named.end()
        elif self._text.startswith("?:", self._at):
            self._at += 2
        elif self._peek() == "?":
            raise refused("looking ahead or behind and other special groups are not allowed")
        self._depth += 1
        if self._depth > DEEPEST:
            raise refused(f"its groups are nested more than {DEEPEST} deep")
        node = self._either()
        if self._peek() != ")":
            raise refused("an opening bracket has no closing one")
        self._at += 1
        self._depth -= 1
        return node

    def _escaped(self) -> Node:
        character = self._take()
        if character in "dwsDWS":
            return One(kinds=character)
        places = {"A": At.START, "Z": At.END, "b": At.EDGE, "B": At.NO_EDGE}
        if character in places:
            return places[character]
        return self._literal(self._plain(character))

    def _plain(self, character: str) -> str:
        """The character that a backslash before this one means."""
        if character in _PLAIN:
            return _PLAIN[character]
        digits = {"x": 2, "u": 4}.get(character)
        if digits:
            code = self._text[self._at : self._at + digits]
            if not re.fullmatch(rf"[0-9A-Fa-f]{{{digits}}}", code):
                raise refused(f"\\{character} needs {digits} hexadecimal digits")
            self._at += digits
            return chr(int(code, 16))
        if character.isdecimal():
            raise refused("references to groups are not allowed")
        if character.isascii() and character.isalpha():
            raise refused(f"\\{character} is not known")
        return character

    def _set(self) -> One:
        negated = self._peek() == "^"
        self._at += negated
        ranges: list[tuple[str, str]] = []
        kinds = ""
        first = True
        while (character := self._take()) != "]" or first:
            first = False
            low = self._in_set(character)
            if len(low) > 1:
                kinds += low[1]
                continue
            high = low
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                high = self._in_set(self._take())
                if len(high) > 1 or high < low:
                    raise refused(f"'{low}-{high}' is no range")
            ranges.append((low, high))
        return One(ranges=tuple(ranges), kinds=kinds, negated=negated, fold="i" in self._flags)

    def _in_set(self, character: str) -> str:
        """One character, or a backslash and the letter of a class."""
        if character != "\\":
            return character
        character = self._take()
        if character in "dwsDWS":
            return f"\\{character}"
        return "\b" if character == "b" else self._plain(character)


def refused(why: str) -> SkillError:
    return SkillError(
        f"The check's pattern cannot be used: {why}.",
        hint="Use plain characters, sets, groups, '|', repeats, ^, $ and \\b.",
    )
