"""Rewrites a text without what hides a word from a search but not from a reader or a program, and
maps positions in the rewritten text back.

Such are letters that JSON, a web address or HTML escapes (`l\\u00f6senord`, `pass\\x77ord`,
`%3A%2F%2F`, `&#61;`), characters that nobody sees, the backslashes of JSON in JSON in JSON, and
YAML's way to write a value below its name.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterable
from heapq import merge
from typing import Final, NamedTuple

_AROUND: Final = 160
"""Characters kept before and after each place that is rewritten, where only names count."""

# Lookbehinds keep the time linear: a run of backslashes is read from its beginning only.
_ONCE: Final = r"(?<!\\)\\{1,64}u"
_OTHER_LETTER: Final = re.compile(_ONCE + r"(?!00[0-9abAB]|20)([0-9a-fA-F]{4})")
_LETTER: Final = re.compile(_ONCE + r"(00(?:2[dD]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]))")
# Of what is seen in ASCII: what is not may be a byte of any letter.
_HEX: Final = r"(2[1-9a-fA-F]|[3-6][0-9a-fA-F]|7[0-9a-eA-E])"
_IN_ADDRESS: Final = re.compile("%" + _HEX)
_BYTE: Final = re.compile(r"(?<!\\)\\{1,64}x" + _HEX)
_IN_HTML: Final = re.compile(
    r"&(?:#0{0,4}(?:3[3-9]|[4-9]\d|1[01]\d|12[0-6])|#[xX]0{0,4}" + _HEX + r"|amp|apos|colon|commat|"
    r"equals|gt|lowbar|lt|period|quot|sol);"
)
_UNSEEN: Final = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f"
    "\ufeff\U000e0000-\U000e007f"
)
_HIDDEN: Final = re.compile(f"(?<=[!-~])[{_UNSEEN}]{{1,64}}(?=[!-~])")
_ESCAPED_HIDDEN: Final = re.compile(
    _ONCE + r"(?:00[aA][dD]|034[fF]|061[cC]|180[eE]|20(?:0[b-fB-F]|2[a-eA-E]|6[0-46-9a-fA-F])|"
    r"[fF][eE](?:0[0-9a-fA-F]|[fF]{2})|[dD][bB]40\\{1,64}u[dD][cC][0-7][0-9a-fA-F])"
)
_BACKSLASHES: Final = re.compile(r"(?<!\\)\\{5,}(?![\\u])")
_BLOCK: Final = re.compile(
    r"(?<=[\w\"'])[ \t]{0,3}:[ \t]{0,3}[>|][-+0-9]{0,2}[ \t]{0,3}(?:\#[^\n\\]{0,80})?"
    r"(?:\r?\n|(?:\\{1,64}r)?\\{1,64}n)[ \t]{1,40}(?=\S)"
)
"""Matches YAML's block scalars, as `password: >-` above a line with the password."""


class Undisguised(NamedTuple):
    """A text without what hid its words, or the parts of it around such places."""

    text: str
    starts: list[int]
    """Where each piece begins in `text`."""
    places: list[int]
    """Where each of these pieces begins in the text that was rewritten."""
    whole: bool
    """Whether this is the whole text; otherwise only names are to be searched in it, since pieces
    end anywhere.
    """

    def place(self, at: int) -> int:
        """Map a position in the rewritten text to one in the text before."""
        piece = bisect_right(self.starts, at) - 1
        return self.places[piece] + at - self.starts[piece]


class _Change(NamedTuple):
    begin: int
    end: int
    instead: str


def undisguised(text: str) -> Undisguised | None:
    """Return the text without what hides words in it; None if there is nothing of that."""
    alone: list[_Change] = []
    if "\\u" in text:
        alone += _changes(_LETTER, text, by_code=True)
        alone += _changes(_ESCAPED_HIDDEN, text)
    if "\\x" in text:
        alone += _changes(_BYTE, text, by_code=True)
    if "%" in text:
        alone += _changes(_IN_ADDRESS, text, by_code=True)
    if "&" in text:
        alone += _unescaped_html(text)
    if not text.isascii():
        alone += _changes(_HIDDEN, text)
    if "\\\\\\\\\\" in text:
        alone += _changes(_BACKSLASHES, text, instead="\\")
    names: list[_Change] = []
    if "\\u" in text:
        names += _changes(_OTHER_LETTER, text, by_code=True)
    if ": >" in text or ": |" in text:
        names += _changes(_BLOCK, text, instead=": ")
    if not alone and not names:
        return None
    return _rewritten(text, merge(sorted(alone), sorted(names)), whole=bool(alone))


def _changes(
    pattern: re.Pattern[str], text: str, *, instead: str = "", by_code: bool = False
) -> list[_Change]:
    return [
        _Change(*match.span(), chr(int(match.group(1), 16)) if by_code else instead)
        for match in pattern.finditer(text)
    ]


def _unescaped_html(text: str) -> list[_Change]:
    return [_Change(*one.span(), html.unescape(one.group())) for one in _IN_HTML.finditer(text)]


def _rewritten(text: str, changes: Iterable[_Change], *, whole: bool) -> Undisguised:
    pieces: list[str] = []
    starts: list[int] = []
    places: list[int] = []
    length, at, end = 0, 0, len(text) if whole else -1

    def take(piece: str, place: int) -> None:
        nonlocal length
        pieces.append(piece)
        starts.append(length)
        places.append(place)
        length += len(piece)

    for change in changes:
        if change.begin < at:
            continue  # the one before reaches into it
        begin = at if whole else max(at, change.begin - _AROUND)
        if begin > end >= 0:
            take(text[at:end], at)
            take("\n", end)
            at = begin
        elif end < 0:
            at = begin
        take(text[at : change.begin], at)
        take(change.instead, change.begin)
        at = change.end
        end = len(text) if whole else min(len(text), change.end + _AROUND)
    take(text[at:end], at)
    return Undisguised("".join(pieces), starts, places, whole)
