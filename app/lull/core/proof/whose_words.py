"""Decides who wrote the words of each sentence of a proposed skill, so that nobody is misquoted.

"Said by you" is claimed only of what the user typed word for word. If Lull made a sentence from the
user's words, it is called derived, and the parts that the user typed can be marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from lull.core.proof.proposal import Trace
from lull.core.skills.word_overlap import subjects

LEAST_RUN: Final = 2
"""Fewest words in a row that count as the user's, unless the sentence has fewer."""
_WORD: Final = re.compile(r"\w+(?:['’]\w+)*")


class WordsAuthor(StrEnum):
    """Who wrote the words of a sentence in a proposed skill: the user, Lull from the user's words,
    a model, or somebody quoted.
    """

    YOURS = "yours"
    """The user typed every word of the sentence, in this order."""
    DERIVED = "derived"
    """Lull made the sentence of the user's words."""
    LULL = "lull"
    """The sentence was written by a model or is fixed text of Lull's."""
    OTHERS = "others"
    """The sentence comes from a text that somebody else wrote."""


def words_author(trace: Trace, *, wish: str = "") -> WordsAuthor:
    """Return who wrote the words of a sentence of a proposed skill: the user, Lull, a model or
    somebody else. If the stored sentence (`trace`) does not mark the user's own words in it, they
    are searched for in `wish`, the text that the user typed.
    """
    if trace.source == "untrusted":
        return WordsAuthor.OTHERS
    if trace.source != "user":
        return WordsAuthor.LULL
    runs = trace.quoted or quoted_parts(trace.sentence, (wish,))
    said = _words(trace.sentence)
    return (
        WordsAuthor.YOURS
        if said and any(_words(run) == said for run in runs)
        else WordsAuthor.DERIVED
    )


def quoted_parts(sentence: str, typed: Iterable[str]) -> tuple[str, ...]:
    """Return the longest parts of a sentence that occur word for word in one of the texts that the
    user typed.
    """
    found = list(_WORD.finditer(sentence))
    said = [match[0].casefold() for match in found]
    texts = [_words(text) for text in typed]
    least = min(LEAST_RUN, len(said))
    runs: list[str] = []
    at = 0
    while at < len(said):
        length = max((_shared(said[at:], text) for text in texts), default=0)
        run = sentence[found[at].start() : found[at + length - 1].end()] if length else ""
        whole = length == len(said)
        if length >= least and (whole or subjects(run)):
            runs.append(run)
            at += length
        else:
            at += 1
    return tuple(runs)


def _words(text: str) -> list[str]:
    return [match.casefold() for match in _WORD.findall(text)]


def _shared(said: list[str], text: list[str]) -> int:
    """How many first words of `said` stand in a row somewhere in `text`."""
    best = 0
    for start, word in enumerate(text):
        if not said or word != said[0]:
            continue
        length = 1
        while (
            length < len(said)
            and start + length < len(text)
            and said[length] == text[start + length]
        ):
            length += 1
        best = max(best, length)
    return best
