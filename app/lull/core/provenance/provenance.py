"""Traces each sentence of a proposed skill to its source: the user, the model, or unknown.

Only shared words are compared. A sentence counts as somebody else's if several of its words in a
row occur in an untrusted text and not in what the user typed, or if half of its subject words occur
in one sentence of such a text and were never typed by the user. What the user typed is the user's,
whoever else says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from lull.core.provenance.authorship import Author, AuthoredSpan, SpanPlace
from lull.core.skills.skill import SkillText
from lull.core.skills.stated_skill import words_of
from lull.core.skills.word_overlap import (
    RUN_WORDS,
    Runs,
    covered_share,
    runs_of,
    sentences,
    shared_positions,
    subjects,
    words,
)

COPIED_RUN: Final = 6
"""Number of consecutive words shared with a source that make a sentence a copy, however long it
is.
"""
COPIED_SHARE: Final = 0.5
"""Share of a sentence's words found in a source from which the sentence counts as a copy."""
RETOLD_SHARE: Final = 0.5
"""Share of a sentence's subject words, at least two, from which it counts as retold from the source
that contains them.
"""
TYPED_SHARE: Final = 0.5
"""Share of a sentence's subject words from which it counts as the user's if the user's text
contains them.
"""
MOST_PIECE_WORDS: Final = 80
"""Most words examined at once; longer sentences are split into pieces of this length."""

_OUTSIDE: Final = frozenset({SpanPlace.TOOL, SpanPlace.PASTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where one sentence of a proposed skill comes from: who wrote it, and the part of a
    conversation in which it was found.
    """

    sentence: str
    source: Author
    turn: str = ""
    """Id of the turn that the sentence comes from; "" if no source was found."""
    span: AuthoredSpan | None = None
    """The part of the conversation that the sentence comes from; None if no source was found."""


@dataclass(frozen=True, slots=True)
class _Read:
    """One span with its derived sets, computed once."""

    span: AuthoredSpan
    runs: Runs
    """The sequences of three words (of two words in texts by the user) that sentences are compared
    by.
    """
    sentences: tuple[tuple[tuple[str, ...], frozenset[str]], ...]
    """The words and the subjects of each sentence."""
    subjects: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTurns:
    """The texts of the conversation turns that a proposed skill comes from, by author."""

    typed: tuple[_Read, ...]
    strange: tuple[_Read, ...]
    """Text spans of unknown authors: pastes, tool results, web pages, system texts."""
    answers: tuple[_Read, ...]
    said: frozenset[str]
    """Subject words of the user's text."""
    reply: frozenset[str]
    """Subject words of the user's text after the last answer."""
    near: frozenset[str]
    """Subject words of all texts that the user did not type: other people's texts and answers."""
    near_runs: Runs
    replied: bool
    """Whether the user said something after the last answer."""
    outside: AuthoredSpan | None
    """The first tool result or pasted text; None if there is none."""


def sources_of(spans: Sequence[AuthoredSpan]) -> SourceTurns:
    """Prepare a conversation's pieces of text for finding out where a skill's
    sentences come from.
    """
    reads = tuple(_read(span) for span in spans)
    last = max((i for i, s in enumerate(spans) if s.place is SpanPlace.ANSWER), default=-1)
    typed = tuple(read for read in reads if read.span.origin is Author.USER)
    replies = (
        tuple(read for read in reads[last + 1 :] if read.span.origin is Author.USER)
        if last >= 0
        else ()
    )
    return SourceTurns(
        typed=typed,
        strange=tuple(read for read in reads if read.span.origin is Author.UNTRUSTED),
        answers=tuple(read for read in reads if read.span.origin is Author.MODEL),
        said=frozenset[str]().union(*(read.subjects for read in typed)),
        reply=frozenset[str]().union(*(read.subjects for read in replies)),
        near=frozenset[str]().union(
            *(read.subjects for read in reads if read.span.origin is not Author.USER)
        ),
        near_runs=frozenset[tuple[str, ...]]().union(
            *(read.runs for read in reads if read.span.origin is not Author.USER)
        ),
        replied=bool(replies),
        outside=next((span for span in spans if span.place in _OUTSIDE), None),
    )


@lru_cache(maxsize=512)
def _read(span: AuthoredSpan) -> _Read:
    parts = tuple((tuple(words(s)), subjects(s)) for s in sentences(span.text))
    length = 2 if span.origin is Author.USER else RUN_WORDS
    return _Read(
        span=span,
        runs=runs_of(words(span.text), length),
        sentences=parts,
        subjects=subjects(span.text),
    )


def trace(text: SkillText, sources: SourceTurns, *, mine: bool = False) -> tuple[Provenance, ...]:
    """Return the sentences of a skill's description and body in order, each with who wrote it,
    according to the conversation turns in `sources`.

    `mine`: the skill consists of the user's words inside a fixed sentence of Lull's ("In every
    answer the user wants: “…”"); that fixed sentence is then ignored, unless it contains somebody
    else's words.
    """
    described = [found for s in sentences(text.description) for found in _traced(s, sources)]
    body = [found for s in sentences(text.body) for found in _traced(s, sources)]
    if not mine:
        return (*described, *body)
    framed = (found for found in (*described, *body) if found.source is Author.UNTRUSTED)
    said = (found for s in sentences(words_of(text.body)) for found in _traced(s, sources))
    return tuple(dict.fromkeys((*framed, *said)))


def _traced(sentence: str, sources: SourceTurns) -> Iterator[Provenance]:
    parts = sentence.split(" ")
    for at in range(0, len(parts), MOST_PIECE_WORDS):
        yield _one(" ".join(parts[at : at + MOST_PIECE_WORDS]), sources)


def _one(sentence: str, sources: SourceTurns) -> Provenance:
    said = words(sentence)
    about = subjects(sentence)
    own = _own_places(said, sources)
    stranger = _taken_from(said, own, about, sources.strange, sources)
    if stranger is not None:
        return _from(sentence, Author.UNTRUSTED, stranger)
    user = _nearest(said, about, sources.typed)
    if user is not None and (
        covered_share(about, sources.said) >= TYPED_SHARE if about else 2 * len(own) >= len(said)
    ):
        return _from(sentence, Author.USER, user)
    answer = _taken_from(said, own, about, sources.answers, sources, retold=False)
    return _from(sentence, Author.MODEL, answer)


def _from(sentence: str, source: Author, read: _Read | None) -> Provenance:
    span = read.span if read else None
    return Provenance(sentence=sentence, source=source, turn=span.turn if span else "", span=span)


def _own_places(said: list[str], sources: SourceTurns) -> frozenset[int]:
    """Positions of words that the user typed next to each other; for a single word, that word."""
    if len(said) == 1:
        typed = any(said[0] in part for read in sources.typed for part, _ in read.sentences)
        return frozenset({0}) if typed else frozenset()
    found = (shared_positions(said, read.runs, 2) for read in sources.typed)
    return frozenset[int]().union(*found)


def _taken_from(
    said: list[str],
    own: frozenset[int],
    about: frozenset[str],
    reads: Iterable[_Read],
    sources: SourceTurns,
    *,
    retold: bool = True,
) -> _Read | None:
    """The span that the sentence copies or retells without it having been typed; None if there is
    none."""
    # Most sentences share nothing with any span, and a paste may have thousands of pieces.
    news = (about & sources.near) - sources.said
    if (
        len(said) >= RUN_WORDS
        and len(news) < 2
        and not shared_positions(said, sources.near_runs) - own
    ):
        return None
    for read in reads:
        theirs = shared_positions(said, read.runs) - own
        if _is_copy(theirs, said) or _is_whole(said, own, read):
            return read
        # A client's system text is full of rules on its subject, so only a copy counts there.
        if retold and read.span.place in _OUTSIDE and _is_retold(about, read, sources):
            return read
    return None


def _is_copy(theirs: frozenset[int], said: list[str]) -> bool:
    telling = [place for place in theirs if subjects(said[place])]
    much = len(theirs) >= COPIED_SHARE * len(said) or _longest(theirs) >= COPIED_RUN
    return len(theirs) >= RUN_WORDS and much and bool(telling)


def _longest(places: frozenset[int]) -> int:
    best = length = 0
    for place in range(max(places, default=-1) + 1):
        length = length + 1 if place in places else 0
        best = max(best, length)
    return best


def _is_whole(said: list[str], own: frozenset[int], read: _Read) -> bool:
    """Whether a sentence too short for a run equals one of the span's word for word."""
    short = 0 < len(said) < RUN_WORDS and len(own) < len(said)
    return short and any(list(part) == said for part, _ in read.sentences)


def _is_retold(about: frozenset[str], read: _Read, sources: SourceTurns) -> bool:
    for _, theirs in read.sentences:
        shared = about & theirs
        news = shared - sources.said
        if len(news) >= 2 and len(shared) >= RETOLD_SHARE * len(about):
            return True
    return False


def _nearest(said: list[str], about: frozenset[str], reads: Sequence[_Read]) -> _Read | None:
    """The newest of the spans that share most with it."""
    scored = [
        (len(shared_positions(said, read.runs, 2)) + len(about & read.subjects), i)
        for i, read in enumerate(reads)
    ]
    best = max(scored, default=(0, 0))
    return reads[best[1]] if best[0] else None
