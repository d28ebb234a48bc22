"""Decides which texts of the Settings page match what the user typed into its search.

What is typed matches the beginnings of words, parts of longer words, other endings of a word, and,
where nothing on the page has all words, words with a typing mistake and texts with only some of the
words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+(?:[._]+[^\W_]+)*")
"""A word, or several that are joined as in a setting's key."""
_PART: Final = re.compile(r"[^\W_]+")
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_INSIDE: Final = 4
"""Fewest letters that are also found in the middle of a word."""
_STEM: Final = 5
"""Fewest letters that two words share at their beginnings if only their endings differ."""
_ENDING: Final = 3
"""Most letters of an ending in which two words differ."""
_PLURALS: Final = ("s", "es", "e", "n", "en")
"""Endings in which also a word of few letters may differ from a typed one."""
_STEM_SHARE: Final = 0.7
"""Least share of the longer word that two words with different endings have in common."""
_MENDED: Final = 4
"""Fewest letters of a word for each typing mistake that is looked for."""
_MOST_MISTAKES: Final = 2
_TELLING: Final = 4
"""Fewest letters of a word that counts where no text has all words: shorter ones tell little."""

Said = frozenset[str]
"""The different words of a text, in the form in which they are compared."""


def said_in(texts: Iterable[str]) -> Said:
    """Return the words of some texts in the form in which a search compares them."""
    found: set[str] = set()
    for word in (word for text in texts for word in _words(text)):
        found.add(word)
        found.update(_PART.findall(word))
    return frozenset(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A search: the words that were typed, and how well a text has to match them."""

    words: tuple[str, ...] = ()
    needed: int = 0
    """How many of the words a text must have."""
    mends: bool = False
    """Whether a word with a typing mistake matches, too."""

    @property
    def is_exact(self) -> bool:
        """Whether a text must have all words as they were typed."""
        return self.needed == len(self.words) and not self.mends

    def fits(self, said: Said) -> bool:
        """Whether a text with these words matches; every text matches an empty search."""
        met = 0
        for left, word in enumerate(self.words):
            met += any(_meets(word, one, mends=self.mends) for one in said)
            if met + len(self.words) - left - 1 < self.needed:
                return False
        return True


def queries(text: str) -> Iterator[Query]:
    """Yield the searches for a typed text from the strictest to the mildest; of these, the first
    that finds anything on the page counts.
    """
    words = tuple(_words(text))
    yield Query(words=words, needed=len(words))
    if words:
        yield Query(words=words, needed=len(words), mends=True)
    telling = tuple(word for word in words if len(word) >= _TELLING) or words
    for needed in range(len(telling) - (telling == words), 0, -1):
        yield Query(words=telling, needed=needed, mends=True)


def _words(text: str) -> list[str]:
    plain = text.casefold().translate(_UMLAUTS)
    if not plain.isascii():
        parts = unicodedata.normalize("NFKD", plain)
        plain = "".join(one for one in parts if not unicodedata.combining(one))
    return _WORD.findall(plain)


@lru_cache(maxsize=16_384)
def _meets(word: str, one: str, *, mends: bool) -> bool:
    """Whether a typed word means this word of a text."""
    if one.startswith(word) or (len(word) >= _INSIDE and word in one):
        return True
    stem = _shared(word, one)
    if stem == len(one) and (word[stem:] in _PLURALS or stem >= _STEM):
        return len(word) - stem <= _ENDING
    if stem >= max(_STEM, _STEM_SHARE * max(len(word), len(one))):
        return max(len(word), len(one)) - stem <= _ENDING
    return mends and _is_mistyped(word, one)


def _shared(word: str, one: str) -> int:
    """With how many of the same letters two words begin."""
    pairs = zip(word, one, strict=False)
    different = (at for at, (a, b) in enumerate(pairs) if a != b)
    return next(different, min(len(word), len(one)))


def _is_mistyped(word: str, one: str) -> bool:
    """Whether a word becomes the beginning of another one when one letter, or two in a long word,
    are changed, added, left out or swapped with their neighbours. Few people mistype the first
    letter.
    """
    mistakes = min(len(word) // _MENDED, _MOST_MISTAKES)
    if not mistakes or len(one) < len(word) - mistakes or word[0] not in one[:2]:
        return False
    one = one[: len(word) + mistakes]
    before: list[int] = []
    row = list(range(len(one) + 1))
    for at, letter in enumerate(word, start=1):
        earlier, before, row = before, row, [at]
        for place, other in enumerate(one, start=1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != other))
            if at > 1 and place > 1 and letter == one[place - 2] and word[at - 2] == other:
                cost = min(cost, earlier[place - 2] + 1)
            row.append(cost)
        if min(row) > mistakes:
            return False
    return min(row) <= mistakes
