"""Tells which of many patterns may match in a text at all, so that the others need not be tried: by
the literals that their matches begin with, the names they stand behind, and the digits they have.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from lull.core.secrets.values.pattern import (
    LETTERS_ONLY,
    Pattern,
    PatternPlace,
    SecretNames,
    ShortText,
    TrigramIndex,
    longest_letters,
    short_text,
)


class _Hint(NamedTuple):
    text: str
    letters: bytes
    """Its longest run of letters."""
    divided: bool
    """Whether it has a blank."""
    places: list[int]
    """Numbers of the patterns that have it."""


class WordsOfLong(NamedTuple):
    """The words of a long text, each once, since it repeats most of them: a hint that does not
    occur in these need not be searched for in the text.
    """

    whole: str
    """The text's words, separated at blanks."""
    letters: bytes
    """The text's runs of letters."""


class MayMatch(NamedTuple):
    """Which patterns may match in a text, and what was learned of the text on the way."""

    patterns: set[int]
    """Numbers of the patterns."""
    firsts: dict[str, int]
    """For each hint in the text, the position where it first occurs."""
    words: ShortText | WordsOfLong
    """What tells which literals may occur in the text."""
    numbers: list[int]
    """The positions where the text's numbers of at least three digits begin."""


_BLANK: Final = re.compile(r"\s")
_NUMBER: Final = re.compile(r"\d{3,}")
_DIGIT: Final = re.compile(r"\d")
_SHORT_TEXT: Final = 4_500


class PatternIndex:
    """An index of patterns by what must be in a text so that they match."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        plain: defaultdict[str, list[int]] = defaultdict(list)
        dense: defaultdict[str, list[int]] = defaultdict(list)
        named: defaultdict[SecretNames, list[int]] = defaultdict(list)
        self._in_runs: list[int] = []
        self._at_numbers: list[int] = []
        self._always: list[int] = []
        for at, pattern in enumerate(patterns):
            in_run = pattern.where is PatternPlace.RUN
            for hint in pattern.hints:
                (dense if pattern.dense or in_run else plain)[hint].append(at)
            for names in pattern.names:
                named[names].append(at)
            if pattern.hints or pattern.names:
                continue
            if in_run:
                self._in_runs.append(at)
            elif pattern.where is PatternPlace.NUMBER:
                self._at_numbers.append(at)
            else:
                self._always.append(at)
        self._dense = dict(dense)
        self._named = dict(named)
        """Numbers of the patterns behind each sort of names."""
        self._plain = [
            _Hint(hint, longest_letters(hint), bool(_BLANK.search(hint)), places)
            for hint, places in plain.items()
        ]
        self._dense_hints = list(self._dense)
        self._sort_of_stem = [one for one in named for _ in (*one.stems, *one.begins)]
        stems = (stem for one in named for stem in (*one.stems, *one.begins))
        self._literals = TrigramIndex([*plain, *dense, *stems])
        """The texts of `_plain`, those of `_dense_hints` and the stems of all names: a short text is
        searched for all of them at once.
        """
        self._of_digits = frozenset(at for at, one in enumerate(patterns) if one.has_digits)

    def may_match(self, text: str, low: str, runs: Sequence[tuple[int, int]]) -> MayMatch:
        """Return the patterns that may match in a text, given it in lower case, too, and where its
        long runs of key characters stand.
        """
        words = _words(low)
        firsts: dict[str, int] = {}
        wanted = set(self._always)
        plain, dense, sorts = self._that_may_occur(words)
        for hint in plain:
            at = low.find(hint.text)
            if at >= 0:
                firsts[hint.text] = at
                wanted.update(hint.places)
        if runs:
            wanted.update(self._in_runs)
            in_runs = "\n".join([low[begin:end] for begin, end in runs]) if dense else ""
            for literal in dense:
                if literal in in_runs:
                    firsts[literal] = low.find(literal)
                    wanted.update(self._dense[literal])
        for names in sorts:
            wanted.update(self._named[names])
        numbers = [number.start() for number in _NUMBER.finditer(text)]
        if numbers:
            wanted.update(self._at_numbers)
        elif _DIGIT.search(text) is None:
            wanted -= self._of_digits
        return MayMatch(wanted, firsts, words, numbers)

    def _that_may_occur(
        self, words: ShortText | WordsOfLong
    ) -> tuple[list[_Hint], list[str], set[SecretNames]]:
        """The hints, those that are sought in runs, and the sorts of names that may occur."""
        if not isinstance(words, ShortText):
            hints = [
                hint
                for hint in self._plain
                if hint.letters in words.letters and (hint.divided or hint.text in words.whole)
            ]
            return hints, self._dense_hints, set(self._named)
        plain, dense, sorts = [], [], set()
        behind_plain = len(self._plain)
        behind_dense = behind_plain + len(self._dense_hints)
        for number in self._literals.that_may_occur(words):
            if number < behind_plain:
                plain.append(self._plain[number])
            elif number < behind_dense:
                dense.append(self._dense_hints[number - behind_plain])
            else:
                sorts.add(self._sort_of_stem[number - behind_dense])
        return plain, dense, sorts


def _words(low: str) -> ShortText | WordsOfLong:
    if len(low) <= _SHORT_TEXT:
        return short_text(low)
    whole = "\n".join(set(low.split()))
    letters = whole.encode("utf-8", "replace").translate(LETTERS_ONLY)
    return WordsOfLong(whole, b" ".join(set(letters.split())))
