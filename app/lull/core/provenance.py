"""Where each sentence of a candidate comes from: the user, the model, or somebody unknown.

Decided by shared words alone. A sentence is a stranger's where a run of its words stands in an
untrusted span and not in what the user typed, or where half of what it speaks of stands in one
sentence of such a span and was never typed. What the user typed is theirs, whoever says it too.
What follows from all this is core/screening.py's decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from lull.core.feedback.stated_skill import words_of
from lull.core.skill import SkillText
from lull.core.trust import Origin, Place, Span
from lull.core.word_overlap import (
    RUN,
    Runs,
    covered,
    runs_of,
    sentences,
    shared_places,
    subjects,
    words,
)

LONG_RUN: Final = 6
"""So many words in a row are a copy, however long the sentence around them is."""
COPIED: Final = 0.5
"""Share of a sentence's words that make it a copy."""
RETOLD: Final = 0.5
"""Share of its subjects, two at least, that make it a retelling."""
TYPED: Final = 0.5
"""Share of its subjects that make it the user's."""
LONGEST: Final = 80
"""Words of one sentence; what is longer is looked at in pieces."""

_OUTSIDE: Final = frozenset({Place.TOOL, Place.PASTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where one sentence of a candidate comes from."""

    sentence: str
    source: Origin
    turn: str = ""
    """The turn in which it was said; "" where nobody said it."""
    span: Span | None = None
    """In which it was said."""


@dataclass(frozen=True, slots=True)
class _Read:
    """One span, read once."""

    span: Span
    runs: Runs
    """Of three words; of the user's of two."""
    sentences: tuple[tuple[tuple[str, ...], frozenset[str]], ...]
    """The words and the subjects of each."""
    subjects: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What was said in the turns that a candidate comes from."""

    typed: tuple[_Read, ...]
    strange: tuple[_Read, ...]
    """Of nobody known: pastes, tools' results, pages, system texts."""
    answers: tuple[_Read, ...]
    said: frozenset[str]
    """What the user's words are about."""
    reply: frozenset[str]
    """What those behind the last answer are about."""
    near: frozenset[str]
    """What strangers' texts and answers are about."""
    near_runs: Runs
    replied: bool
    """The user said something behind the last answer."""
    outside: Span | None
    """The first text of a stranger's, None where there is none."""


def sources_of(spans: Sequence[Span]) -> Sources:
    reads = tuple(_read(span) for span in spans)
    last = max((i for i, s in enumerate(spans) if s.place is Place.ANSWER), default=-1)
    typed = tuple(read for read in reads if read.span.origin is Origin.USER)
    replies = (
        tuple(read for read in reads[last + 1 :] if read.span.origin is Origin.USER)
        if last >= 0
        else ()
    )
    return Sources(
        typed=typed,
        strange=tuple(read for read in reads if read.span.origin is Origin.UNTRUSTED),
        answers=tuple(read for read in reads if read.span.origin is Origin.MODEL),
        said=frozenset[str]().union(*(read.subjects for read in typed)),
        reply=frozenset[str]().union(*(read.subjects for read in replies)),
        near=frozenset[str]().union(
            *(read.subjects for read in reads if read.span.origin is not Origin.USER)
        ),
        near_runs=frozenset[tuple[str, ...]]().union(
            *(read.runs for read in reads if read.span.origin is not Origin.USER)
        ),
        replied=bool(replies),
        outside=next((span for span in spans if span.place in _OUTSIDE), None),
    )


@lru_cache(maxsize=512)
def _read(span: Span) -> _Read:
    parts = tuple((tuple(words(s)), subjects(s)) for s in sentences(span.text))
    length = 2 if span.origin is Origin.USER else RUN
    return _Read(
        span=span,
        runs=runs_of(words(span.text), length),
        sentences=parts,
        subjects=subjects(span.text),
    )


def trace(text: SkillText, sources: Sources, *, mine: bool = False) -> tuple[Provenance, ...]:
    """The sentences of description and body in order, each with its source.

    `mine`: the candidate is the user's words in a frame of ours, and the frame is nobody's; only a
    stranger's words in it count.
    """
    described = [found for s in sentences(text.description) for found in _traced(s, sources)]
    body = [found for s in sentences(text.body) for found in _traced(s, sources)]
    if not mine:
        return (*described, *body)
    framed = (found for found in (*described, *body) if found.source is Origin.UNTRUSTED)
    said = (found for s in sentences(words_of(text.body)) for found in _traced(s, sources))
    return tuple(dict.fromkeys((*framed, *said)))


def _traced(sentence: str, sources: Sources) -> Iterator[Provenance]:
    parts = sentence.split(" ")
    for at in range(0, len(parts), LONGEST):
        yield _one(" ".join(parts[at : at + LONGEST]), sources)


def _one(sentence: str, sources: Sources) -> Provenance:
    said = words(sentence)
    about = subjects(sentence)
    own = _own_places(said, sources)
    stranger = _taken_from(said, own, about, sources.strange, sources)
    if stranger is not None:
        return _from(sentence, Origin.UNTRUSTED, stranger)
    user = _nearest(said, about, sources.typed)
    if user is not None and (
        covered(about, sources.said) >= TYPED if about else 2 * len(own) >= len(said)
    ):
        return _from(sentence, Origin.USER, user)
    answer = _taken_from(said, own, about, sources.answers, sources, retold=False)
    return _from(sentence, Origin.MODEL, answer)


def _from(sentence: str, source: Origin, read: _Read | None) -> Provenance:
    span = read.span if read else None
    return Provenance(sentence=sentence, source=source, turn=span.turn if span else "", span=span)


def _own_places(said: list[str], sources: Sources) -> frozenset[int]:
    """The places of words that the user typed beside each other; of a single word, that word."""
    if len(said) == 1:
        typed = any(said[0] in part for read in sources.typed for part, _ in read.sentences)
        return frozenset({0}) if typed else frozenset()
    found = (shared_places(said, read.runs, 2) for read in sources.typed)
    return frozenset[int]().union(*found)


def _taken_from(
    said: list[str],
    own: frozenset[int],
    about: frozenset[str],
    reads: Iterable[_Read],
    sources: Sources,
    *,
    retold: bool = True,
) -> _Read | None:
    """Whose words it has that were not typed; None where it has nobody's."""
    # Most sentences share nothing with anybody; a paste may have thousands of pieces.
    news = (about & sources.near) - sources.said
    if len(said) >= RUN and len(news) < 2 and not shared_places(said, sources.near_runs) - own:
        return None
    for read in reads:
        theirs = shared_places(said, read.runs) - own
        if _is_copy(theirs, said) or _is_whole(said, own, read):
            return read
        # A client's system text is full of rules about its subject; a copy is needed there.
        if retold and read.span.place in _OUTSIDE and _is_retold(about, read, sources):
            return read
    return None


def _is_copy(theirs: frozenset[int], said: list[str]) -> bool:
    telling = [place for place in theirs if subjects(said[place])]
    much = len(theirs) >= COPIED * len(said) or _longest(theirs) >= LONG_RUN
    return len(theirs) >= RUN and much and bool(telling)


def _longest(places: frozenset[int]) -> int:
    best = length = 0
    for place in range(max(places, default=-1) + 1):
        length = length + 1 if place in places else 0
        best = max(best, length)
    return best


def _is_whole(said: list[str], own: frozenset[int], read: _Read) -> bool:
    """A sentence too short for a run, that is one of theirs word for word."""
    short = 0 < len(said) < RUN and len(own) < len(said)
    return short and any(list(part) == said for part, _ in read.sentences)


def _is_retold(about: frozenset[str], read: _Read, sources: Sources) -> bool:
    for _, theirs in read.sentences:
        shared = about & theirs
        news = shared - sources.said
        if len(news) >= 2 and len(shared) >= RETOLD * len(about):
            return True
    return False


def _nearest(said: list[str], about: frozenset[str], reads: Sequence[_Read]) -> _Read | None:
    """The newest of the spans that say most of it."""
    scored = [
        (len(shared_places(said, read.runs, 2)) + len(about & read.subjects), i)
        for i, read in enumerate(reads)
    ]
    best = max(scored, default=(0, 0))
    return reads[best[1]] if best[0] else None
