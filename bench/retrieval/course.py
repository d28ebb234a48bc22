"""Runs one collection through every retrieval system, library size and phrasing."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from bench.private_rules import Phrasing
from bench.private_rules.rule import Words
from bench.retrieval.collection import Asked, Collection, Split
from bench.retrieval.libraries import Shelf, shelf
from bench.retrieval.measures import DEEPEST, Hit, averaged, hit
from bench.retrieval.others import OTHERS, top
from bench.retrieval.product import Credit, HeldOut, Lull, exemplars

SMALLEST = 40
TIMED_REQUESTS = 40
"""Number of requests whose time is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One measured combination: a retrieval system, the credit of its exemplars, and which of them
    it may use.
    """

    system: str
    credit: Credit = Credit.NONE
    split: Split = Split.OTHERS


@dataclass(slots=True)
class Seen:
    """All results of one arm over the phrasings; filled while the benchmark runs."""

    hits: dict[str, list[Hit]] = field(default_factory=lambda: defaultdict(list))
    """Results by request, one per phrasing."""
    silent: list[bool] = field(default_factory=list)
    """For each small-talk utterance of ours: nothing found."""
    fresh: list[bool] = field(default_factory=list)
    """The same for utterances that nothing was tuned to."""
    aside: list[bool] = field(default_factory=list)
    """For each request that no rule applies to: whether none of the collection's skills was
    found.
    """
    times_ms: list[float] = field(default_factory=list)
    libraries: list[tuple[Lull, Shelf]] = field(default_factory=list)

    @property
    def averaged(self) -> list[Hit]:
        return [averaged(hits) for hits in self.hits.values()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """Small talk, which concerns no skill."""

    ours: tuple[str, ...]
    fresh: tuple[str, ...]


LULL = "Lull"


def arms() -> Iterator[Arm]:
    yield Arm(system=LULL)
    for credit in (Credit.RIGHT, Credit.WRONG):
        for split in Split:
            yield Arm(system=LULL, credit=credit, split=split)
    for name in OTHERS:
        yield Arm(system=name)


def run(
    collection: Collection, others: Sequence[Words], sizes: Sequence[int], talk: Talk, *, seed: int
) -> dict[tuple[Arm, int], Seen]:
    """`others` are the skills that libraries are filled up with."""
    seen: dict[tuple[Arm, int], Seen] = defaultdict(Seen)
    shelves = {
        (size, phrasing): shelf(collection, phrasing, size, others, seed)
        for size in sizes
        for phrasing in Phrasing
    }
    for (size, _), filled in shelves.items():
        for name in OTHERS:
            _other(Arm(system=name), filled, collection, talk, seen[Arm(system=name), size])
    spare = [words.name for words in others[: SMALLEST - len(collection.words)]]
    lulls = {place: Lull(filled, collection) for place, filled in shelves.items()}
    for credit in Credit:
        known = exemplars(collection, credit, spare, seed=seed)
        memory = None if credit is Credit.NONE else HeldOut(known, collection)
        for arm in arms():
            if arm.system == LULL and arm.credit is credit:
                for (size, phrasing), lull in lulls.items():
                    seen[arm, size].libraries.append((lull, shelves[size, phrasing]))
                _lull([seen[arm, size] for size in sizes], memory, arm.split, collection, talk)
    return dict(seen)


def _lull(
    by_size: Sequence[Seen],
    memory: HeldOut | None,
    split: Split,
    collection: Collection,
    talk: Talk,
) -> None:
    """All sizes at once, because hiding exemplars takes longest."""
    libraries = [(seen, *library) for seen in by_size for library in seen.libraries]
    timed = {asked.id for asked in _timed(collection)}

    def hide(asked: Asked | None) -> None:
        if memory is not None:
            memory.hide(asked, split)

    for asked in collection.measured:
        hide(asked)
        for seen, lull, filled in libraries:
            found = lull.found(asked.text, memory)
            seen.hits[asked.id].append(_hit(asked, found, filled, collection))
            if asked.id in timed:
                seen.times_ms.append(_took_ms(lambda: lull.found(asked.text, memory)))  # noqa: B023
    for asked in collection.aside:
        hide(asked)
        for seen, lull, filled in libraries:
            seen.aside.append(filled.rule_of.keys().isdisjoint(lull.found(asked.text, memory)))
    hide(None)
    for seen, lull, _ in libraries:
        seen.silent += [not lull.found(text, memory) for text in talk.ours]
        seen.fresh += [not lull.found(text, memory) for text in talk.fresh]


def _other(arm: Arm, filled: Shelf, collection: Collection, talk: Talk, seen: Seen) -> None:
    system = OTHERS[arm.system](filled.skills)
    deep = DEEPEST + len(filled.name_of)

    def finds(text: str) -> list[str]:
        return [filled.skills[place].name for place in top(system.scores(text), deep)]

    for asked in collection.measured:
        seen.hits[asked.id].append(_hit(asked, finds(asked.text), filled, collection))
    seen.aside += [filled.rule_of.keys().isdisjoint(finds(one.text)) for one in collection.aside]
    seen.silent += [not finds(text) for text in talk.ours]
    seen.fresh += [not finds(text) for text in talk.fresh]
    seen.times_ms += [_took_ms(lambda: finds(one.text)) for one in _timed(collection)]  # noqa: B023


def _hit(asked: Asked, found: Sequence[str], filled: Shelf, collection: Collection) -> Hit:
    """Score one search; skills of rules that begin later are ignored."""
    rules = [filled.rule_of.get(name, "") for name in found]
    there = [rule for rule in rules if not rule or rule in asked.in_force]
    return hit(collection.name, asked.day, there, asked.needs)


def _timed(collection: Collection) -> Sequence[Asked]:
    return collection.measured[:: max(1, len(collection.measured) // TIMED_REQUESTS)]


def _took_ms(work: Callable[[], object]) -> float:
    """Milliseconds of the processor, which a busy machine does not lengthen."""
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1000
