"""Finds the parts of a message that stand between tags or quotation marks, in time linear in the
message's length.

A regular expression would search the rest of the message for each opening that nothing closes: a
paste of 200,000 characters of tags would take a quarter of a minute.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

Region = tuple[int, int]

MOST_TAGGED: Final = 200_000
"""Most characters between a tag and the one that closes it."""
_TAG: Final = re.compile(r"<(?P<name>[a-z][\w:-]{0,40})(?:\s[^<>]{0,500})?>", re.IGNORECASE)
_END_TAG: Final = re.compile(r"</(?P<name>[a-z][\w:-]{0,40})\s*>", re.IGNORECASE)
_OPENS: Final = re.compile(r"[“„«「\"]|(?<!\w)['‘]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    closes: str
    """The signs of which one closes a quotation that this mark opens."""
    most: int = 20_000
    """Most characters between the marks."""
    in_a_line: bool = False
    before_a_word: bool = True
    """Whether this mark closes a quotation even directly before a letter; an apostrophe does not.
    """
    open_end: bool = False
    """Whether the end of the message closes it."""


_MARKS: Final = {
    "“": _Mark(closes="”", open_end=True),
    "„": _Mark(closes='“”"'),
    "«": _Mark(closes="»"),
    "「": _Mark(closes="」"),
    '"': _Mark(closes='"'),
    "'": _Mark(closes="'", most=2_000, in_a_line=True, before_a_word=False),
    "‘": _Mark(closes="’", most=2_000, before_a_word=False),
}


def tagged(text: str) -> Iterator[Region]:
    """Yield the regions of a text from a tag to the first later tag that closes it, such as
    `<a>…</a>`. Regions inside another one are left out.
    """
    ends: defaultdict[str, list[Region]] = defaultdict(list)
    for end in _END_TAG.finditer(text):
        ends[end["name"].lower()].append(end.span())
    for left in ends.values():
        left.reverse()
    at = 0
    for tag in _TAG.finditer(text) if ends else ():
        left = ends.get(tag["name"].lower(), [])
        while left and left[-1][0] < tag.end():
            left.pop()
        if tag.start() >= at and left and left[-1][0] - tag.end() <= MOST_TAGGED:
            at = left[-1][1]
            yield tag.start(), at


def quotations(text: str) -> Iterator[Region]:
    """Yield the regions of a text that are quotations, quotation marks included. No region begins
    inside another.
    """
    at = 0
    next_end: dict[str, int] = {}
    for found in _OPENS.finditer(text):
        start, mark = found.start(), _MARKS[found.group()]
        if start < at:
            continue
        if next_end.get(mark.closes, 0) <= start:
            next_end[mark.closes] = _next(text, mark.closes, start + 1)
        end = next_end[mark.closes]
        if _is_quotation(text, mark, start, end):
            at = min(end + 1, len(text))
            yield start, at


def _next(text: str, signs: str, at: int) -> int:
    """Return where the first of these signs stands; the length of the text if none does."""
    found = re.compile(f"[{signs}]").search(text, at)
    return found.start() if found else len(text)


def _is_quotation(text: str, mark: _Mark, start: int, end: int) -> bool:
    if not 0 < end - start - 1 <= mark.most or (end == len(text) and not mark.open_end):
        return False
    if mark.in_a_line and "\n" in text[start:end]:
        return False
    return mark.before_a_word or re.match(r"\w", text[end + 1 : end + 2]) is None
