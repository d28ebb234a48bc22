"""Tells which of many strings may occur in a short text, from the text's runs of three characters
(trigrams), so that most of the strings need not be searched for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

_LENGTH: Final = 3


class ShortText(NamedTuple):
    text: str
    triples: frozenset[str]
    """Every run of three characters in the text."""


def short_text(text: str) -> ShortText:
    return ShortText(text, _triples(text))


def _triples(text: str) -> frozenset[str]:
    return frozenset([text[at : at + _LENGTH] for at in range(len(text) - _LENGTH + 1)])


class Literals:
    """An index of strings by the runs of three characters in them (trigrams), to find those that
    may occur in a text.
    """

    def __init__(self, literals: Iterable[str]) -> None:
        by_triple: defaultdict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)
        self._shorter: list[tuple[int, str]] = []
        """Number and text of each literal of fewer than three characters."""
        for number, literal in enumerate(literals):
            if len(literal) < _LENGTH:
                self._shorter.append((number, literal))
            else:
                by_triple[literal[:_LENGTH]].append((number, _triples(literal)))
        self._by_triple = dict(by_triple)
        """Number and triples of each other literal, by its first triple."""
        self._first_triples = frozenset(by_triple)

    def that_may_occur(self, short: ShortText) -> list[int]:
        """Return the numbers, in order, of the indexed strings that may occur in a text; none of
        the others does.
        """
        text, there = short
        found = [number for number, literal in self._shorter if literal in text]
        for triple in there & self._first_triples:
            found += [number for number, needed in self._by_triple[triple] if needed <= there]
        return sorted(found)
