"""Finds where a conversation has the words that the user searches for, as the service finds them:
each word in one and the same message, the last one as the beginning of a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

Hit = tuple[int, int]
"""Where a searched word is in a text, as (first character, character after the last)."""


def hits(text: str, search: str) -> list[Hit]:
    """Return where a message has the words of a search, in order; nothing unless it has them all.

    Capital letters and accents make no difference.
    """
    words = _folded(search.replace('"', " ")).split()
    within = _folded(text)
    found: list[Hit] = []
    for number, word in enumerate(words):
        end = "" if number == len(words) - 1 else r"(?!\w)"
        places = [one.span() for one in re.finditer(rf"(?<!\w){re.escape(word)}{end}", within)]
        if not places:
            return []
        found += places
    return sorted(found)


def part_with(text: str, found: Sequence[Hit], most: int) -> str:
    """Return a text, or of one that is too long a part: that with the first hit, or else its
    beginning.
    """
    if len(text) <= most:
        return text
    first = max(0, found[0][0] - most // 4) if found and found[0][1] > most else 0
    last = first + most
    return f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}"


def _folded(text: str) -> str:
    """Return a text in small letters without accents, in as many characters."""
    return "".join(_letter(one) for one in text)


def _letter(character: str) -> str:
    if character.isascii():
        return character.lower()
    base = unicodedata.normalize("NFD", character)[0].lower()
    return base if len(base) == 1 else character
