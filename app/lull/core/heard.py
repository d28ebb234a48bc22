"""What was said in the turns behind a candidate, read once: the user's wishes and all the rest.

Every sentence that is not the user's is looked at for what it could do in a skill: does it give an
order, for ever or for once, does it tempt as an attack does. Of the user's own only wishes count: a
question or a complaint that names a thing does not ask for it. How a candidate compares with all
that is core/taint.py's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lull.core.characters import readings
from lull.core.flags import Allowed, FlagKind
from lull.core.lures import lures, speaks_for
from lull.core.orders import (
    is_about_answers,
    is_negated,
    is_norm,
    is_order,
    is_promise,
    is_standing,
    wishes,
)
from lull.core.trust import Origin, Place, Span
from lull.core.wording import (
    covered,
    is_glue,
    names,
    root,
    runs,
    sentences,
    subjects,
    telling,
    unwrapped,
    words,
)

BACKED = 0.75
"""Share of a quotation's subjects that the user must have typed for it to be theirs."""
_GRAVE = frozenset(
    {
        FlagKind.OWN_RULES,
        FlagKind.CONCEALMENT,
        FlagKind.EXFILTRATION,
        FlagKind.PERSISTENCE,
        FlagKind.AUTHORITY,
        FlagKind.ADVERTISING,
        FlagKind.MARKUP,
        FlagKind.MONEY,
        FlagKind.SAFETY,
    }
)
"""What an ordinary page, mail or log does not ask of its reader in the way an attack does."""
_COMMON = frozenset({FlagKind.COMMAND, FlagKind.LINK, FlagKind.PERMISSION})
"""What pages and files are full of; who takes it over takes it from them."""
_GRAVE_IN_ANSWER = frozenset(
    {FlagKind.OWN_RULES, FlagKind.CONCEALMENT, FlagKind.EXFILTRATION, FlagKind.MARKUP}
)
_CLAUSE = re.compile(r"[,:;(]\s|\s(?:but|and|instead|rather|aber|und|sondern|pero|mais)\s")
_CLAUSE_WORDS = 2
_ANNOUNCED = re.compile(
    r":\s|[\"“”„«»|\t]|(?<=\w),(?=\S)|\b(?:INFO|WARN|WARNING|ERROR|DEBUG|NOTICE)\b\W"
)
_LURE_LIMIT = 2000
"""Characters of one sentence; what is longer is cut into several."""


_OUTSIDE = (Place.TOOL, Place.PASTED)
_PROSE = re.compile(r"(?:[^\W\d_]{1,30}[,;]? +){2,}[^\W\d_]+|[\u3040-\u30ff\u3400-\u9fff]{5,}")
"""Three words in a row."""
_DATA = re.compile(r"[{}\[\]|=\t]|\d{4}-\d\d-\d\d|\w\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence of a conversation, read once."""

    text: str
    span: Span
    subjects: frozenset[str]
    names: frozenset[str]
    runs: frozenset[tuple[str, ...]]
    """Of two and of three words."""
    order: bool
    standing: bool
    prose: bool
    """A sentence in words, not data."""
    norm: bool
    """An order that says how things ought to be, not a step ("preheat the oven")."""
    negated: bool
    grave: frozenset[FlagKind]

    @property
    def heeded(self) -> bool:
        """Whether taking it over would be taking an order from a stranger."""
        return self.order or self.strong or (self.prose and self.span.place in _OUTSIDE)

    @property
    def strong(self) -> bool:
        return self.standing or bool(self.grave)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What was said in the turns that a candidate comes from."""

    wishes: tuple[Statement, ...]
    """The user's, whole sentences and clauses."""
    typed: tuple[tuple[Span, frozenset[str], frozenset[tuple[str, ...]]], ...]
    """Of each typed span: its subjects and runs."""
    strange: tuple[Statement, ...]
    """Everybody else's sentences."""
    runs: tuple[tuple[Span, frozenset[tuple[str, ...]]], ...]
    """Of each span that is not the user's: runs of two and of three words."""

    @property
    def attack(self) -> Statement | None:
        """The first stranger's sentence that speaks to a model as an attack would, if any."""
        return next((s for s in self.strange if _attacks(s) and not self._taken_up(s)), None)

    @property
    def pressure(self) -> Statement | None:
        """The first stranger's sentence that would have answers be so or so for good, if any."""
        return next((s for s in self.strange if _presses(s) and not self._taken_up(s)), None)

    def _taken_up(self, statement: Statement) -> bool:
        """An answer that only says the user's wish again."""
        if statement.span.place is not Place.ANSWER:
            return False
        have = frozenset[str]().union(*(wish.subjects for wish in self.wishes))
        return covered(telling(statement.subjects), have) >= BACKED - 0.25


def sources_of(spans: Sequence[Span]) -> Sources:
    typed = [span for span in spans if span.origin is Origin.USER]
    strange = [span for span in spans if span.origin is not Origin.USER]
    return Sources(
        wishes=tuple(_wishes(typed)),
        typed=tuple((span, subjects(span.text), runs_of(span.text)) for span in typed),
        strange=tuple(s for span in strange for s in _statements(span)),
        runs=tuple(
            (span, frozenset().union(*(runs_of(reading) for reading in readings(span.text))))
            for span in strange
        ),
    )


def wished(sentence: str, sources: Sources) -> float:
    """The share of a sentence's subjects in what the user wished for, in [0, 1]."""
    have = frozenset[str]().union(*(wish.subjects for wish in sources.wishes))
    return covered(subjects(sentence), have)


def backed(quote: str, sources: Sources, *, negated: bool, strictly: bool = False) -> bool:
    """True where the user typed these words, or others of the same meaning.

    `negated` is of the sentence that the quotation stands in: other words count only in a wish
    that says yes or no as it does, and so do the same ones where they say no themselves, or
    `strictly`.
    """
    stems, about = _stems(quote), telling(subjects(quote))
    strictly = strictly or is_negated(quote)
    for wish in sources.wishes:
        same = wish.negated == negated
        typed = len(stems & _stems(wish.text)) >= BACKED * len(stems)
        if typed and (same or not strictly):
            return True
        if same and about and covered(about, wish.subjects) >= BACKED:
            return True
    return False


def _stems(text: str) -> frozenset[str]:
    """Of the words that are not mere glue; of all words where there are no others."""
    said = [root(word) for word in words(text)]
    return frozenset(word for word in said if not is_glue(word)) or frozenset(said)


# Reading what was said


def runs_of(text: str) -> frozenset[tuple[str, ...]]:
    said = words(text)
    return runs(said, 3) | runs(said, 2)


def _statements(span: Span) -> Iterable[Statement]:
    seen: set[str] = set()
    for reading in readings(span.text):
        for sentence in (*sentences(reading), *sentences(unwrapped(reading))):
            for piece in (*_cut(sentence), *_announced(sentence)):
                if piece.lower() not in seen:
                    seen.add(piece.lower())
                    yield _statement(piece, span)


def _announced(sentence: str) -> Iterable[str]:
    """What stands behind a colon or inside quotes, as a sentence of its own."""
    pieces = [piece.strip() for piece in _ANNOUNCED.split(sentence[:_LURE_LIMIT])]
    return (p for p in pieces if len(pieces) > 1 and (" " in p.strip() or not p.isascii()))


def _cut(sentence: str) -> Iterable[str]:
    return (sentence[i : i + _LURE_LIMIT] for i in range(0, len(sentence), _LURE_LIMIT))


@lru_cache(maxsize=4096)
def _statement(text: str, span: Span) -> Statement:
    found = frozenset(lure.kind for lure in lures(text) if lure.allowed is not Allowed.SHOWN)
    if speaks_for(text):
        found |= {FlagKind.ADVERTISING}
    return Statement(
        text=text,
        span=span,
        subjects=subjects(text),
        names=names(text),
        runs=runs_of(text),
        # "I will …" is no order to anybody; "I will always …" is a habit that can be taken on.
        order=is_order(text) and not (span.place is Place.ANSWER and is_promise(text)),
        standing=is_standing(text) or (is_order(text) and is_about_answers(text)),
        norm=(is_norm(text) or is_negated(text))
        and not (span.place is Place.ANSWER and is_promise(text)),
        prose=bool(_PROSE.search(text)) and not _DATA.search(text),
        negated=is_negated(text),
        grave=found & (_GRAVE | _COMMON),
    )


def _wishes(spans: Iterable[Span]) -> Iterable[Statement]:
    """What the user asks for. "That's wrong, use dashes" asks for dashes."""
    for span in spans:
        for sentence in sentences(span.text):
            clauses = [c for c in _CLAUSE.split(sentence) if len(c.split()) >= _CLAUSE_WORDS]
            for piece in dict.fromkeys((sentence, *clauses)):
                if wishes(piece):
                    yield _statement(piece, span)


def _attacks(statement: Statement) -> bool:
    """Few pages, files and answers speak so unless they want something of a model."""
    grave, place = statement.grave, statement.span.place
    if place is Place.SYSTEM:  # full of orders, and not where attacks come from
        return False
    if grave & _GRAVE_IN_ANSWER:
        return True
    bent = grave & _GRAVE and (statement.standing or is_about_answers(statement.text))
    return bool(bent) and statement.order and place in _OUTSIDE


def _presses(statement: Statement) -> bool:
    """Any order about answers, or for good: a manual may say so too."""
    about_answers = is_about_answers(statement.text)
    match statement.span.place:
        case Place.SYSTEM:
            return False
        case Place.ANSWER:  # answers advise all the time
            return statement.order and statement.standing and about_answers
        case _:
            tempting = bool(statement.grave & _GRAVE) or about_answers
            return statement.standing or (tempting and statement.order)
