"""Splits texts into words and sentences, and measures how many words or runs of words two texts
share.

To trace a text's author, runs of words are compared; for text similarity, stems. Nothing here knows
what a word means; callers decide how much overlap is enough.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from lull.core.skills.subject_words import stem, terms
from lull.core.text.unicode_safety import normalised_text, unaccented

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
"""Function words of instructions, which carry no subject."""


def sentences(text: str) -> tuple[str, ...]:
    """Split a text into its sentences, including list items and lines, without bullets."""
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
    """Return the text without markdown, hidden characters and accents, in lower case."""
    plain = _EMPHASIS.sub("", _LINKED.sub(r"\1 \2", normalised_text(text)))
    return unaccented(plain).casefold().replace("’", "'")


def words(text: str) -> list[str]:
    """Return the words of a text in normal form, in order; in scripts without spaces each character
    is a word.
    """
    spaced = _UNSPACED.sub(r" \1 ", folded(text))
    return [word.split("'")[0] for word in _WORDS.findall(spaced)]


@lru_cache(maxsize=4096)
def subjects(text: str) -> frozenset[str]:
    """Return the stems of those words that say what a text is about."""
    return frozenset(_root(term) for term in terms(folded(text)) if term not in _GLUED)


def _root(term: str) -> str:
    """The stem without -ing, which `stem` keeps on short words ("asking", "saying")."""
    return term[:-3] if len(term) >= 6 and term.endswith("ing") else term


_GLUED: Final = _GLUE | {stem(word) for word in _GLUE}


def covered_share(part: frozenset[str], whole: frozenset[str]) -> float:
    """Return what share of the items in `part` is also in `whole`, from 0 to 1; 0 if `part` is
    empty.
    """
    return len(part & whole) / len(part) if part else 0.0


def is_negated(sentence: str) -> bool:
    """Return whether there is a negation in a sentence."""
    return bool(_NEGATED.search(folded(sentence)))


RUN_WORDS: Final = 3
"""Number of consecutive words in a run; three shared words in a row are rarely chance."""
Runs = frozenset[tuple[str, ...]]


def runs_of(text_words: list[str], length: int = RUN_WORDS) -> Runs:
    """Return every run of `length` consecutive words in a list of words."""
    return frozenset(tuple(text_words[i : i + length]) for i in range(len(text_words) - length + 1))


def shared_positions(text_words: list[str], runs: Runs, length: int = RUN_WORDS) -> frozenset[int]:
    """Return the positions of those words in `text_words` that belong to a run of `length`
    consecutive words which also occurs in another text, whose runs are `runs`.
    """
    starts = (
        i for i in range(len(text_words) - length + 1) if tuple(text_words[i : i + length]) in runs
    )
    return frozenset(place for i in starts for place in range(i, i + length))
