"""The data type of a pattern that finds one form of secret in texts, with an example and a
counterexample.

A hint is a literal that every match begins with, so the text is scanned by plain search and the
regular expression tried only there, not at each character. Hints are part of the pattern, so none
can be forgotten in a list elsewhere. Which of many hints may occur in a short text is told from the
text's runs of three characters (trigrams), so that most of them need not be searched for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple

NOTHING: Final = re.compile(r"(?!)")


class PatternPlace(Enum):
    """Where in a text a pattern for secrets is tried: at the beginning of a word, anywhere, in a
    long run of key characters, behind a name, and so on.
    """

    WORD = auto()
    """At a hint word that no letter or digit precedes; the last letter of an escape sequence does
    not count.
    """
    ANYWHERE = auto()
    """At a hint word, also in the middle of a word."""
    RUN = auto()
    """Anywhere in a long run of characters that keys consist of, where one of the hints is in such a run,
    or where there is no hint.
    """
    TEXT = auto()
    """Anywhere in a text that contains one of the hints; without hints, anywhere in every text."""
    NUMBER = auto()
    """At the beginning of a number of at least three digits; such a pattern has no hints."""
    NAME = auto()
    """Right behind one of the pattern's `names`."""


_TRIPLE: Final = 3


class ShortText(NamedTuple):
    """A text with an index of its runs of three characters, by which impossible patterns are
    skipped fast.
    """

    text: str
    triples: frozenset[str]
    """Every run of three characters in the text."""


def short_text(text: str) -> ShortText:
    """Index a text by its runs of three characters."""
    return ShortText(text, _triples(text))


def _triples(text: str) -> frozenset[str]:
    return frozenset([text[at : at + _TRIPLE] for at in range(len(text) - _TRIPLE + 1)])


class TrigramIndex:
    """An index of strings by the runs of three characters in them (trigrams), to find those that
    may occur in a text.
    """

    def __init__(self, literals: Iterable[str]) -> None:
        by_triple: defaultdict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)
        self._shorter: list[tuple[int, str]] = []
        """Number and text of each literal of fewer than three characters."""
        for number, literal in enumerate(literals):
            if len(literal) < _TRIPLE:
                self._shorter.append((number, literal))
            else:
                by_triple[literal[:_TRIPLE]].append((number, _triples(literal)))
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


LETTERS_ONLY: Final = bytes(c if 97 <= c <= 122 or c >= 128 else 32 for c in range(256))
"""Table for `bytes.translate` that keeps small ASCII letters and non-ASCII bytes and turns all
others into spaces.
"""


def longest_letters(hint: str) -> bytes:
    """Return the longest run of letters in a hint (the literal text with which a pattern's matches
    begin). The hint cannot be in a text that does not contain this run.
    """
    return max(
        hint.encode("utf-8", "replace").translate(LETTERS_ONLY).split(), key=len, default=b""
    )


OTHER_SCRIPT: Final = re.compile(r"[\u0250-\u1dff\u3040-\ud7ff\uf900-\ufdff]")


class SecretNames:
    """The words that name one kind of secret, such as "password" in many languages. Patterns that
    use them say where the secret stands after its name.
    """

    def __init__(
        self, *, stems: tuple[str, ...] = (), begins: tuple[str, ...] = (), rest: str
    ) -> None:
        """`stems`: beginnings in lower case, which may stand in the middle of a longer word;
        `begins`: those that no letter or digit precedes; `rest`: a regular expression for what
        ends the word.
        """
        self.stems = stems
        self.begins = begins
        self.rest = re.compile(rest)
        both = [
            *((stem, longest_letters(stem), True) for stem in stems),
            *((stem, longest_letters(stem), False) for stem in begins),
        ]
        self.stems_by_script = (
            tuple(one for one in both if one[0].isascii()),
            tuple(one for one in both if not one[0].isascii() and not OTHER_SCRIPT.search(one[0])),
            tuple(one for one in both if OTHER_SCRIPT.search(one[0])),
        )
        """(stem, its longest run of letters, whether anywhere) in ASCII, in other Latin letters and in
        other scripts: each text is searched only for those of its own scripts.
        """
        self.literals_by_script = tuple(
            TrigramIndex(stem for stem, _, _ in stems) for stems in self.stems_by_script
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """How secrets of one kind, such as a service's API keys, are recognised in a text."""

    kind: str
    regex: re.Pattern[str] = NOTHING
    """Regular expression for the secret, which is the last matched group, or else the whole
    match; not needed with `find`.
    """
    holds: str
    """An example text with such a secret, marked by « and »."""
    spares: str
    """A counterexample: a similar text without a secret."""
    hints: tuple[str, ...] = ()
    """Words in lower case that show where a match may be; `PatternPlace` says how they are used."""
    where: PatternPlace = PatternPlace.WORD
    dense: bool = False
    """Whether a match is one run of key characters; hints are then searched only in such runs,
    which are rare in ordinary text.
    """
    check: Callable[[str], bool] | None = None
    """A further test of the matched secret; None: matching is enough."""
    in_a_name: Callable[[str], bool] | None = None
    """A stricter test of a secret that goes on a longer name, as in `x-ghp_…` or `ann_ghp_…`."""
    pieces: Callable[[str], Iterable[tuple[int, int]]] | None = None
    """Function that gives the secret parts of the match, if they are not simply the last group."""
    before: re.Pattern[str] | None = None
    """Regular expression that must match in the same line before the secret."""
    not_before: re.Pattern[str] | None = None
    names: tuple[SecretNames, ...] = ()
    """Words behind which the regular expression is tried; `holds` and `spares` begin with one."""
    has_digits: bool = False
    """Whether each match has a digit; a text without one is then not searched."""
    find: Callable[[str, str, list[int]], Iterable[tuple[int, int]]] | None = None
    """Function that finds the secrets of a structure, such as a table, in a text that contains one
    of the hints. It gets the text as it is, the text in lower case, and the positions at which its
    `names` end.
    """


SHORTEST_DENSE_RUN: Final = 16
"""Shortest run of key characters in which dense patterns are searched."""

MOST_CHARACTERS_BEFORE: Final = 160
"""Most characters before a match that are examined, within its line."""


QUOTE: Final = r"(?:\\{0,7}[\"'`“”„«»‘’]|&(?:quot|#0?3[49]|apos);|%2[27]|\\{1,4}u002[27])"
"""Regular expression for a quotation mark, also as escaped in nested JSON, HTML or URLs."""

GAP: Final = r"(?:[ \t\u00a0\u202f]|\\{1,4}t){0,8}"
SIGN: Final = rf"{GAP}(?::=|\?\?=|\|\|=|\?=|=>|->|→|[:=：＝]{{1,2}}|%3[AaDd]|\\u003[ad]){GAP}"
"""Regular expression for the sign between a name and its value, such as `=` or `:`."""

_ENDS: Final = r"\s\"'`,;<>\\⟨⟩“”«»。、，；！）「」"
_BEHIND_AMPERSAND: Final = rf"(?:[&{_ENDS}]|\w{{1,32}}[=;]|#\w{{1,6}};|$)"
AMPERSAND: Final = rf"&(?={_BEHIND_AMPERSAND})"
"""Regular expression for an ampersand that ends an unquoted value: behind it the next pair of a
query, an entity of HTML or another command begins.
"""
BARE_RUN: Final = rf"[^&{_ENDS}]"
"""As `BARE`, without ampersands: one class of characters, which may be repeated possessively."""
BARE: Final = rf"(?:{BARE_RUN}|&(?!{_BEHIND_AMPERSAND}))"
"""Regular expression for one character of an unquoted value."""

LINE_END: Final = r"(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)"
"""Regular expression for a line break, also as escaped in nested JSON."""
