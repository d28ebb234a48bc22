"""Judges whether several words or groups of letters are a passphrase and no part of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lull.core.secrets.values.letters import are_random_letters
from lull.core.secrets.values.plain_words import DUMMIES, GRAMMAR, IN_SENTENCES, WORDS


def passphrase(row: str) -> Iterator[tuple[int, int]]:
    """Yield the position of a passphrase at the start of a text: at least four words, up to the
    first word that only sentences contain.
    """
    end, words, known = 0, 0, 0
    for word in re.finditer(r"[^\s-]+", row):
        low = word.group().lower()
        if low in GRAMMAR or low in IN_SENTENCES:
            break
        end, words, known = word.end(), words + 1, known + (low in WORDS)
    if words >= _FEWEST_WORDS and known <= 1:
        yield 0, end


_FEWEST_WORDS: Final = 4


JOINED_PHRASE: Final = "(?:{})".format(
    "|".join(
        rf"[a-zß-ɏ]{{3,14}}(?:{sign}[a-zß-ɏ]{{3,14}}){{3,11}}(?![\w-]|\.\w)"
        for sign in ("-", r"\.", "_")
    )
)


def is_joined_phrase(value: str) -> bool:
    """Whether words that are joined by one sign are a passphrase and no term."""
    if re.fullmatch(JOINED_PHRASE, value) is None:
        return False
    words = re.split("[._-]", value)
    known = sum(word in GRAMMAR or word in IN_SENTENCES or word in WORDS for word in words)
    return known * _MOST_OF_SENTENCES <= len(words)


_MOST_OF_SENTENCES: Final = 5
"""One word of so many may be one of sentences."""


_JOINED_WITH_NUMBER: Final = re.compile(
    r"[A-Za-z]{4,14}(?:([-_.])[A-Za-z]{4,14}(?:\1[A-Za-z]{4,14}){0,3})[-_.]?(?!(?:19|20)\d\d(?!\d))\d{3,6}[!?#*]?"
)
_OF_SETTINGS: Final = frozenset(
    """
    prod test live stage staging sandbox cert certs secrets credentials service server client
    master main user users admin auth session cookie signing default config release build version
    cluster node keys tokens data database backup store vault team project region east west north
    south central north
    """.split()  # noqa: SIM905  as the other lists of words
)
"""Words of the names that programs give to what they keep: of those a name has one, a phrase none."""


def is_numbered_phrase(value: str) -> bool:
    """Whether words that are joined by one sign, and a number behind them, are a made-up phrase and
    no name with a year or a place in a list.
    """
    if _JOINED_WITH_NUMBER.fullmatch(value) is None:
        return False
    words = re.findall("[a-z]+", value.lower())
    return not any(
        word in GRAMMAR
        or word in IN_SENTENCES
        or word in WORDS
        or word in DUMMIES
        or word in _OF_SETTINGS
        for word in words
    )


GROUPS_OF_FOUR: Final = r"[a-z]{4}(?:[ -][a-z]{4}){3}(?![\w-])"
"""A password for one program, as Google and Apple draw it."""


def drawn_in_groups(value: str) -> bool:
    """Whether the groups of four letters of an app password are drawn and not words."""
    return are_random_letters(re.sub(r"[ -]", "", value))
