"""Words, sentences and what two texts share: the plain measures of sameness.

Provenance compares runs of words, likeness compares stems. Nothing here knows what a word means;
which share of what is enough is decided by those who compare.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from lull.core.characters import bare, unaccented
from lull.core.retrieval import stem, terms

_SENTENCE_END: Final = re.compile(r"(?<=[.!?;…])[\"'”’»)\]]{0,3}\s+|(?<=[。！？；])|\n+|\s[–—]\s")
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|z\.b|d\.h|p\.ej|etc|vs|bzw|mr|mrs|dr|no|nr|ca)\.)$", re.I
)
_BULLET: Final = re.compile(r"^\s*(?:[-*+•>#|]+|\(?\d{1,3}[.)]|\[[ x]\])\s+", re.I)
_EMPHASIS: Final = re.compile(r"[*_~`]{1,3}")
_LINKED: Final = re.compile(r"\[([^\]\n]{0,200})\]\((\S{0,500}?)\)")
_WORDS: Final = re.compile(r"[^\W_]+(?:['’.@:/-][^\W_]+)*")
_UNSPACED: Final = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])")
_NEGATED: Final = re.compile(
    r"\b(?:no|not|never|cannot|without|avoid|stop|skip|omit|\w+n't|leave (?:\w+ ){0,4}out|"
    r"nicht|nie|niemals|kein\w*|ohne|nunca|sin|jamais|sans|pas)\b|不|别|勿|ない"
)
_GLUE: Final = frozenset(
    """
    always never must ever every each ensure sure remember rule instead rather example cannot
    without avoid until unless according required require important careful future today case whole
    wrong right try again immer nie nicht bitte soll muss und oder der die das ein eine mit siempre
    nunca debe por favor los las con toujours jamais dois les des avec pour
    """.split()  # noqa: SIM905  a page of quotes would be harder to read
)
"""Words that only hold an instruction together."""


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, list items and lines too, without their bullets."""
    parts: list[str] = []
    for piece in _SENTENCE_END.split("\n".join(_BULLET.sub("", s) for s in text.split("\n"))):
        if parts and _ABBREVIATED.search(parts[-1]) and piece:
            parts[-1] = f"{parts[-1]} {piece}"
        elif piece and piece.strip():
            parts.append(piece.strip())
    stripped = (_BULLET.sub("", part).strip() for part in parts)
    return tuple(part for part in stripped if re.search(r"\w", part))


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """Without markdown, hidden characters and accents, in small letters."""
    plain = _EMPHASIS.sub("", _LINKED.sub(r"\1 \2", bare(text)))
    return unaccented(plain).casefold().replace("’", "'")


def words(text: str) -> list[str]:
    """The words in their order, folded; a sign of a script without spaces is a word."""
    spaced = _UNSPACED.sub(r" \1 ", folded(text))
    return [word.split("'")[0] for word in _WORDS.findall(spaced)]


@lru_cache(maxsize=4096)
def subjects(text: str) -> frozenset[str]:
    """Stems of the words that carry a subject."""
    return frozenset(_root(term) for term in terms(folded(text)) if term not in _GLUED)


def _root(term: str) -> str:
    """With the -ing of short words off too ("asking", "saying")."""
    return term[:-3] if len(term) >= 6 and term.endswith("ing") else term


_GLUED: Final = _GLUE | {stem(word) for word in _GLUE}


def covered(part: frozenset[str], whole: frozenset[str]) -> float:
    """The share of `part` that `whole` has, in [0, 1]; 0 for an empty part."""
    return len(part & whole) / len(part) if part else 0.0


def is_negated(sentence: str) -> bool:
    return bool(_NEGATED.search(folded(sentence)))


RUN: Final = 3
"""Words; a run is known by its threes, and three in a row are rarely chance."""
Runs = frozenset[tuple[str, ...]]


def runs_of(of: list[str], length: int = RUN) -> Runs:
    """Every `length` words in a row."""
    return frozenset(tuple(of[i : i + length]) for i in range(len(of) - length + 1))


def shared_places(said: list[str], runs: Runs, length: int = RUN) -> frozenset[int]:
    """The places in `said` of words that lie in a run of `length` words of the other text."""
    starts = (i for i in range(len(said) - length + 1) if tuple(said[i : i + length]) in runs)
    return frozenset(place for i in starts for place in range(i, i + length))
