"""Rewrites a text as it is read once what hides its words from a search is gone, and maps positions
in the rewritten text back.

Such are letters, blanks and signs that JSON, a web address, a byte string or HTML escapes
(`l\\u00f6senord`, `%3A%2F%2F`, `%C3%BC`, `pass\\x77ord`, `&nbsp;`), also where one escapes the
escapes of another, a plus for a blank in a query, characters that nobody sees, the backslashes of
JSON in JSON in JSON, and YAML's way to write a value below its name.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from heapq import merge
from html.entities import html5
from itertools import chain
from typing import Final, NamedTuple

_MOST_LAYERS: Final = 3
"""How often escapes in what escapes had hidden are rewritten, too."""

_H: Final = "[0-9a-fA-F]"
_NEXT: Final = rf"[89abAB]{_H}"
"""A byte that continues a letter in UTF-8."""


def _bytes(start: str) -> re.Pattern[str]:
    """Match one letter of escaped bytes: ASCII that is seen, a blank or a line's end, a letter in
    UTF-8, or one in Latin-1.
    """
    return re.compile(
        rf"{start}(?:[2-6]{_H}|7[0-9a-eA-E]|0[9aAdD])|"
        rf"{start}[c-dC-D]{_H}{start}{_NEXT}|{start}[eE]{_H}(?:{start}{_NEXT}){{2}}|"
        rf"{start}[fF][0-4](?:{start}{_NEXT}){{3}}|{start}[a-fA-F]{_H}"
    )


# Lookbehinds keep the time linear: a run of backslashes is read from its beginning only.
_ONCE: Final = r"(?<!\\)\\{1,64}"
_IN_ADDRESS: Final = _bytes("%(?:25){0,8}")
"""Matches `%3A`, and `%253A` where an address was put into an address."""
_BYTE: Final = _bytes(_ONCE + "x")
_PERCENT_U: Final = re.compile(rf"%(?:25){{0,8}}u{_H}{{4}}")
_BYTE_VALUE: Final = re.compile(rf"{_H}{{2}}(?=[%\\]|$)")
_TAG: Final = rf"u[dD][bB]40\\{{1,64}}u[dD][cC][0-7]{_H}"
_CODE: Final = re.compile(
    _ONCE + rf"(?:{_TAG}|u({_H}{{4}})|u\{{({_H}{{1,6}})\}}|U({_H}{{8}}))|%(?:25){{0,8}}u({_H}{{4}})"
)
"""Matches a letter's number as JSON, a program or an old script writes it: `\\u00f6`, `\\u{f6}`,
`\\U000000f6`, `%u00f6`; and a tag, which nobody sees, as JSON writes it.
"""
_IN_HTML: Final = re.compile(
    rf"&(?:#(\d{{1,7}});?|#[xX]({_H}{{1,6}});?|([A-Za-z][A-Za-z0-9]{{1,30}};))"
)
_UNSEEN: Final = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f"
    "\ufeff\U000e0000-\U000e007f"
)
_HIDDEN: Final = re.compile(f"(?<=[!-~])[{_UNSEEN}]{{1,64}}(?=[!-~])")
_NOTHING_SEEN: Final = re.compile(f"[{_UNSEEN}]")
_HYPHEN: Final = re.compile("[\u2010-\u2015]")
_BACKSLASHES: Final = re.compile(r"(?<!\\)\\{5,}(?![\\u])")
_BLOCK: Final = re.compile(
    r"(?<=[\w\"'])[ \t]{0,3}:[ \t]{0,3}[>|][-+0-9]{0,2}[ \t]{0,3}(?:\#[^\n\\]{0,80})?"
    r"(?:\r?\n|(?:\\{1,64}r)?\\{1,64}n)[ \t]{1,40}(?=\S)"
)
"""Matches YAML's block scalars, as `password: >-` above a line with the password."""
_PLUSES: Final = re.compile(r"=[^\s&#\"'<>`=+]*+\+[^\s&#\"'<>`=]*+")
"""Matches what may be a value of a query with a plus in it."""
_IN_FORM: Final = re.compile(r"=[\w.~*%+!()-]*")
_MOST_IN_NAME: Final = 60

_ESCAPE: Final = re.compile(
    rf"%{_H}{{2}}|\\x{_H}{{2}}|[\\%]u{_H}{{4}}|\\u\{{{_H}{{1,6}}\}}|\\U{_H}{{8}}|&#?\w{{2,12}};"
)
_LONGEST_ESCAPE: Final = 12


class _Layer(NamedTuple):
    """Where the pieces of a rewritten text stood before."""

    starts: array[int]
    """Where each piece begins in the rewritten text."""
    places: array[int]
    """Where each of these pieces begins in the text that was rewritten."""

    def place(self, at: int) -> int:
        piece = bisect_right(self.starts, at) - 1
        return self.places[piece] + at - self.starts[piece]


class Undisguised(NamedTuple):
    """A text without what hid its words."""

    text: str
    layers: tuple[_Layer, ...]

    def place(self, at: int) -> int:
        """Map a position in the rewritten text to one in the text before."""
        for layer in reversed(self.layers):
            at = layer.place(at)
        return at


class _Change(NamedTuple):
    begin: int
    end: int
    instead: str


def undisguised(text: str) -> Undisguised | None:
    """Return the text without what hides words in it; None if there is nothing of that."""
    changes = [*_changes(text), *_begun(_pluses(text) if "+" in text else iter(()))]
    layers: list[_Layer] = []
    while changes:
        text, layer = _rewritten(text, changes)
        layers.append(layer)
        changes = _changes(text) if len(layers) < _MOST_LAYERS else []
    return Undisguised(text, tuple(layers)) if layers else None


def as_read(value: str) -> str:
    """Return a short text as it is read once its escapes are gone."""
    if "%" not in value and "&" not in value and "\\" not in value:
        return value
    shown = undisguised(value)
    return value if shown is None else shown.text


def follows_escape(text: str, at: int) -> bool:
    """Whether an escape stands right before a position, or a few characters before it."""
    return holds_escape(text, max(0, at - _LONGEST_ESCAPE), at)


def holds_escape(text: str, begin: int, end: int) -> bool:
    """Whether an escape stands in a part of a text."""
    return _ESCAPE.search(text, begin, end) is not None


_Changes = Iterator[_Change]
"""Changes in the order of their places, found one after the other: a long text has millions."""


def _changes(text: str) -> list[_Changes]:
    """The changes at all that hides words, by sort."""
    sorts: list[_Changes] = []
    if "\\u" in text or "\\U" in text or ("%" in text and _PERCENT_U.search(text)):
        sorts.append(_of_codes(text))
    if "\\x" in text:
        sorts.append(_of_bytes(_BYTE, text))
    if "%" in text:
        sorts.append(_of_bytes(_IN_ADDRESS, text))
    if "&" in text:
        sorts.append(_of_html(text))
    if not text.isascii():
        sorts.append(_instead(_HIDDEN, text, ""))
    if "\\\\\\\\\\" in text:
        sorts.append(_instead(_BACKSLASHES, text, "\\"))
    if ": >" in text or ": |" in text:
        sorts.append(_instead(_BLOCK, text, ": "))
    return [begun for changes in sorts for begun in _begun(changes)]


def _begun(changes: _Changes) -> list[_Changes]:
    """Return these changes as the only item of a list; an empty list if there are none."""
    first = next(changes, None)
    return [] if first is None else [chain((first,), changes)]


def _instead(pattern: re.Pattern[str], text: str, instead: str) -> _Changes:
    return (_Change(*match.span(), instead) for match in pattern.finditer(text))


def _seen(letter: str) -> str:
    """What a reader sees of an escaped letter: each blank as a blank, each hyphen as a hyphen."""
    if letter.isascii():
        return letter
    if letter.isspace():
        return " "
    if _HYPHEN.match(letter):
        return "-"
    return "" if _NOTHING_SEEN.match(letter) else letter


_ASCII: Final = {f"{code:02x}": chr(code) for code in range(128)}


def _of_bytes(pattern: re.Pattern[str], text: str) -> _Changes:
    for match in pattern.finditer(text):
        escape = match.group()
        letter = _ASCII.get(escape[-2:].lower()) or _of_high_bytes(escape)
        yield _Change(*match.span(), letter)


def _of_high_bytes(escape: str) -> str:
    written = bytes.fromhex("".join(_BYTE_VALUE.findall(escape)))
    try:
        letters = written.decode()
    except UnicodeDecodeError:
        letters = written.decode("latin-1")
    return "".join(map(_seen, letters))


def _of_codes(text: str) -> _Changes:
    known: dict[str, str | None] = {}
    for match in _CODE.finditer(text):
        code = match.group(match.lastindex) if match.lastindex else ""
        if code not in known:
            known[code] = _readable(int(code, 16)) if code else ""
        letter = known[code]
        if letter is not None:
            yield _Change(*match.span(), letter)


def _readable(code: int) -> str | None:
    """Return the character that a reader sees for a code point; None if it is invisible."""
    if 32 <= code < 127 or code in (9, 10, 13) or 160 <= code < 0x110000:
        return _seen(chr(code))
    return None


def _of_html(text: str) -> _Changes:
    for match in _IN_HTML.finditer(text):
        decimal, hexadecimal, name = match.groups()
        if name is not None:
            letters = html5.get(name)
            letters = letters and "".join(map(_seen, letters))
        else:
            letters = _readable(int(decimal) if decimal is not None else int(hexadecimal, 16))
        if letters is not None:
            yield _Change(*match.span(), letters)


def _pluses(text: str) -> _Changes:
    """The pluses in the values of queries and forms, where they stand for blanks."""
    for match in _PLUSES.finditer(text):
        begin, end = match.span()
        name = begin
        while (
            name
            and begin - name < _MOST_IN_NAME
            and (text[name - 1].isalnum() or text[name - 1] in "_.-[]%")
        ):
            name -= 1
        before = text[name - 1 : name]
        if name == begin or not (before in "?&;" or before.isspace() or before in "\"'`"):
            continue
        if before not in ("?", "&", ";"):
            form = _IN_FORM.match(text, begin)
            several = text.count("+", begin, end) > 1 or text.find("%", begin, end) >= 0
            if form is None or form.end() != end or not several:
                continue
        at = text.find("+", begin, end)
        while at >= 0:
            yield _Change(at, at + 1, " ")
            at = text.find("+", at + 1, end)
        if text[end : end + 1] == " ":
            yield _Change(end, end + 1, "\n")  # a blank that is none of the query's ends it


def _rewritten(text: str, sorts: list[_Changes]) -> tuple[str, _Layer]:
    pieces: list[str] = []
    starts, places = array("q"), array("q")
    length, at = 0, 0

    def take(piece: str, place: int) -> None:
        nonlocal length
        if piece:
            pieces.append(piece)
            starts.append(length)
            places.append(place)
            length += len(piece)

    for begin, end, instead in sorts[0] if len(sorts) == 1 else merge(*sorts):
        if begin < at:
            continue  # the one before reaches into it
        take(text[at:begin], at)
        take(instead, begin)
        at = end
    take(text[at:], at)
    # The end of the text is a place, too.
    starts.append(length)
    places.append(len(text))
    return "".join(pieces), _Layer(starts, places)
