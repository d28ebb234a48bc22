"""Where each sentence of a candidate comes from: the user, the model, or somebody unknown.

Found by runs of words (copied) and by shared subjects (retold: other words of the same class,
another order). Three things make a sentence untrusted:

- it is copied from an untrusted span, or from an order in the assistant's history;
- it names what only an untrusted order names (an address, a brand, a number);
- it is about what an untrusted order is about, and the user never asked for that.

Where the user typed the same wish, it is theirs, whoever else says it too; a question or a
complaint that names the thing is no wish, and "never X" is no wish for X. What follows from all
this is core/screening.py's decision.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lull.core.characters import readings
from lull.core.heard import Sources, Statement, runs_of, sources_of
from lull.core.lures import lures
from lull.core.orders import (
    is_negated,
    is_order,
    is_promise,
)
from lull.core.skill import SkillText
from lull.core.trust import Origin, Place, Span
from lull.core.wording import (
    covered,
    names,
    runs,
    sentences,
    subjects,
    telling,
    undressed,
    words,
)

COPIED = 0.6
"""Share of a sentence's runs of words that make it a copy."""
RETOLD = 0.6
"""Share of its subjects, with two telling ones, that make it a retelling."""
HINTED = 0.3
"""Share enough where it also shares a telling subject that the user never named."""
ASKED_FOR = 0.5
"""Share of its subjects in one wish of the user that makes it the user's."""
CLOSER = 0.2
"""By so much may a stranger's sentence be nearer than the user's own, and it is still theirs."""

_EXAMPLE = re.compile(r"(?i)^\W*(?:for )?(?:example|e\.g\.|good|bad|input|output|beispiel)\W*:\s*")
_NAMED = re.compile(
    r"(?i)^[\W\d]*(?:for )?(?:examples?|good|bad|input|output|q|a|e\.g\.|beispiel|"
    r"ejemplo|exemple|anti-?pattern|"
    r"instead of|before|after|user|request|wrong|right|don't|do)\b[^\n:]{0,30}:"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where one sentence of a candidate comes from."""

    sentence: str
    source: Origin
    turn: str = ""
    """The turn in which it was said; "" where nobody said it."""
    share: float = 0.0
    """How much of it the source has, in [0, 1]."""
    place: Place | None = None
    heard: str = ""
    """The sentence it comes from."""
    ordered: bool = False
    """That sentence gives an order, or tempts as an attack does."""


def trace(text: SkillText, spans: Sequence[Span]) -> tuple[Provenance, ...]:
    """The sentences of description and body in order, each with its most likely source."""
    sources = sources_of(spans)
    described = (traced(s, sources) for s in sentences(text.description))
    said = (traced(s, sources, example=example) for s, example in body_sentences(text.body))
    return (*described, *said)


def body_sentences(body: str) -> tuple[tuple[str, bool], ...]:
    """The sentences of a body, each with True where it belongs to an example.

    An example begins with its name, or stands in a fence; one that has a line to itself goes on to
    the next empty line.
    """
    out: list[tuple[str, bool]] = []
    going = fenced = False
    for line in body.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if not line.strip():
            going = False
        named = bool(_NAMED.search(undressed(line)))
        going = going or (named and undressed(line).rstrip().endswith(":"))
        out += ((sentence, named or going or fenced) for sentence in sentences(line))
    return tuple(out)


def traced(sentence: str, sources: Sources, *, example: bool = False) -> Provenance:
    """One sentence. The worst reading of it decides (see core/characters.py).

    An `example` may quote what an earlier answer states.
    """
    said = [_reading(reading, sentence, sources, example=example) for reading in readings(sentence)]
    bad = [p for p in said if p.source is Origin.UNTRUSTED]
    return max(bad, key=lambda p: p.share) if bad else said[0]


# Comparing


@dataclass(frozen=True, slots=True)
class _Asked:
    """A candidate's sentence in one reading."""

    sentence: str
    words: list[str]
    subjects: frozenset[str]
    names: frozenset[str]
    negated: bool


def _reading(reading: str, sentence: str, sources: Sources, *, example: bool) -> Provenance:
    reading = _EXAMPLE.sub("", reading) or reading
    asked = _Asked(reading, words(reading), subjects(reading), names(reading), is_negated(reading))
    own = _own(asked, sources)
    other = _strange(asked, sources, example=example)
    if other is not None and not _is_theirs(asked, own, other, sources):
        return Provenance(
            sentence=sentence,
            source=other.origin,
            turn=other.span.turn,
            share=round(other.share, 3),
            place=other.span.place,
            heard=other.heard,
            ordered=other.ordered,
        )
    if own is not None and own[1] >= ASKED_FOR:
        return Provenance(
            sentence=sentence,
            source=Origin.USER,
            turn=own[0].turn,
            share=round(own[1], 3),
            place=own[0].place,
        )
    return Provenance(sentence=sentence, source=Origin.MODEL)


def _own(asked: _Asked, sources: Sources) -> tuple[Span, float] | None:
    """The typed span that has most of it, and the share that all of them have together."""
    if not sources.typed:
        return None
    shares = [
        (max(covered(asked.subjects, have), _copied(asked.words, said)), i)
        for i, (_, have, said) in enumerate(sources.typed)
    ]
    share, best = max(shares)
    every = frozenset[str]().union(*(have for _, have, _ in sources.typed))
    return sources.typed[best][0], max(share, covered(asked.subjects, every))


@dataclass(frozen=True, slots=True)
class _Found:
    """What of a sentence somebody else said."""

    origin: Origin
    span: Span
    share: float
    heard: str
    ordered: bool


def _strange(asked: _Asked, sources: Sources, *, example: bool) -> _Found | None:
    """The source that has most of it, orders before all else.

    What only quotes an answer's facts is the model's.
    """
    wanted = _wanted(asked, sources)
    found = [
        _Found(Origin.UNTRUSTED, statement.span, share, statement.text, True)
        for statement in sources.strange
        if statement.heeded and (share := _taken(asked, statement, wanted))
    ]
    for span, said in sources.runs:
        share = _copied(asked.words, said)
        if share >= COPIED and len(asked.words) > 2:
            strange = span.place is not Place.ANSWER or (
                len(asked.words) > 3 and (_orders(asked.sentence) or not example)
            )
            origin = Origin.UNTRUSTED if strange else Origin.MODEL
            found.append(_Found(origin, span, share, asked.sentence, False))
    if not found:
        return None
    return max(found, key=lambda f: (f.origin is Origin.UNTRUSTED, f.ordered, f.share))


def _orders(sentence: str) -> bool:
    return (is_order(sentence) and not is_promise(sentence)) or bool(lures(sentence))


_Wanted = tuple[frozenset[str], frozenset[str]]


def _taken(asked: _Asked, statement: Statement, wanted: _Wanted) -> float:
    """How much of the sentence was taken from an order, 0 where nothing links them."""
    share = covered(asked.subjects, statement.subjects)
    back = covered(statement.subjects, asked.subjects)
    if asked.names & statement.names - wanted[1] and _names_count(statement):
        return max(share, HINTED)
    if len(asked.words) <= 2 and asked.words == words(statement.text):
        return 1.0
    copied = max(_copied(asked.words, statement.runs), _held(asked.words, statement))
    if copied >= COPIED and _copies_count(asked, statement, wanted):
        return copied
    return max(share, back) if _linked(asked, statement, (share, back), wanted) else 0.0


def _held(said: list[str], statement: Statement) -> float:
    """The share of an order's runs that a longer sentence has."""
    theirs = [run for run in statement.runs if len(run) == 3]
    if len(theirs) < 2:
        return 0.0
    mine = runs(said, 3)
    return sum(run in mine for run in theirs) / len(theirs)


def _copies_count(asked: _Asked, statement: Statement, wanted: _Wanted) -> bool:
    """What an answer only takes up from the user is not the answer's."""
    shared = telling(asked.subjects & statement.subjects)
    return statement.span.place is not Place.ANSWER or not _asked_for(shared, wanted)


def _wanted(asked: _Asked, sources: Sources) -> _Wanted:
    """The subjects and names in the user's wishes, names only where they say yes and no as the
    sentence does."""
    same = [w for w in sources.wishes if w.negated == asked.negated]
    about = frozenset[str]().union(*(w.subjects for w in sources.wishes))
    named = frozenset(word for w in same for word in words(w.text))
    return about, named | frozenset(n for w in same for n in w.names)


def _linked(
    asked: _Asked, statement: Statement, shares: tuple[float, float], wanted: _Wanted
) -> bool:
    """Whether a sentence retells an order. `shares`: of the sentence in the order, and back."""
    shared = telling(asked.subjects & statement.subjects)
    news = shared - wanted[0]
    strong = statement.strong
    if statement.span.place in (Place.ANSWER, Place.SYSTEM):
        # They are full of orders about their subject; the user's own words may be among them.
        if _asked_for(shared, wanted):
            return False
        unasked = covered(asked.subjects, wanted[0]) < HINTED and statement.standing
        if strong and news and (shares[0] >= HINTED or unasked):
            return True
        whole = telling(statement.subjects) <= asked.subjects
        if statement.norm and news and (whole or min(shares) >= ASKED_FOR - 0.1):
            return True
        return shares[0] >= RETOLD + 0.15 and len(shared) >= 3
    if strong and news and covered(asked.subjects, wanted[0]) < HINTED:
        return True
    strong = strong or statement.norm
    if max(shares) >= RETOLD and len(shared) >= 2:
        return True
    if shares[0] == 1.0 and len(asked.subjects) >= 2 and strong:
        return True
    if strong and news and telling(statement.subjects) <= asked.subjects:
        return True
    return shares[0] >= HINTED and len(news) >= (1 if strong else 2)


def _asked_for(shared: frozenset[str], wanted: _Wanted) -> bool:
    return bool(shared) and len(shared & wanted[0]) * 2 > len(shared)


def _names_count(statement: Statement) -> bool:
    match statement.span.place:
        case Place.ANSWER:
            return statement.strong
        case Place.SYSTEM:
            return False
        case _:
            return True


def _copied(said: list[str], have: frozenset[tuple[str, ...]]) -> float:
    length = min(3, len(said))
    if length < 2:
        return 0.0
    mine = [tuple(said[i : i + length]) for i in range(len(said) - length + 1)]
    return sum(run in have for run in mine) / len(mine)


def _is_theirs(
    asked: _Asked, own: tuple[Span, float] | None, other: _Found, sources: Sources
) -> bool:
    """Whether the user's own wish outweighs the untrusted source."""
    if own is None or own[1] < ASKED_FOR:
        return False
    wanted = _wanted(asked, sources)
    strangers = frozenset(n for s in sources.strange if s.heeded for n in s.names)
    if asked.names & strangers - wanted[1]:
        return False
    best = max(
        (
            max(covered(asked.subjects, w.subjects), _copied(asked.words, runs_of(w.text)))
            for w in sources.wishes
            if w.negated == asked.negated
        ),
        default=0.0,
    )
    if len(telling(asked.subjects)) < 2 and other.share == 1.0 and len(asked.words) > 3:
        # A phrase of one subject says no more than that somebody spoke of it.
        best = max((_copied(asked.words, said) for _, _, said in sources.typed), default=0.0)
    return best >= ASKED_FOR and best >= other.share - CLOSER
