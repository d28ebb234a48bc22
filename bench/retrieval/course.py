"""One collection through every system, at every size and in every phrasing."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from bench.private_rules import Phrasing
from bench.private_rules.asking import SMALL_TALK
from bench.private_rules.rule import Words
from bench.retrieval.collection import Asked, Collection, Split
from bench.retrieval.libraries import Shelf, shelf
from bench.retrieval.measures import DEEPEST, Hit, averaged, hit
from bench.retrieval.others import OTHERS, top
from bench.retrieval.product import Credit, Lull, fill
from lull.backends.chroma import ChromaExemplars

SMALLEST = 40
TIMED = 40
"""Requests whose time is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """What is measured, of one collection at one size."""

    system: str
    credit: Credit = Credit.NONE
    split: Split = Split.OTHERS


@dataclass(slots=True)
class Seen:
    """All that one arm did, over the phrasings. Filled in place, read once."""

    hits: dict[str, list[Hit]] = field(default_factory=lambda: defaultdict(list))
    """By request, one a phrasing."""
    silent: list[bool] = field(default_factory=list)
    """For each small-talk utterance: nothing found."""
    aside: list[bool] = field(default_factory=list)
    """For each request that no rule concerns: none of the collection's skills found."""
    times_ms: list[float] = field(default_factory=list)

    @property
    def averaged(self) -> list[Hit]:
        return [averaged(hits) for hits in self.hits.values()]


Finds = Callable[[str], Sequence[str]]
LULL = "Lull"


def arms() -> Iterator[Arm]:
    yield Arm(system=LULL)
    for credit in (Credit.RIGHT, Credit.WRONG):
        for split in Split:
            yield Arm(system=LULL, credit=credit, split=split)
    for name in OTHERS:
        yield Arm(system=name)


def run(
    collection: Collection,
    others: Sequence[Words],
    sizes: Sequence[int],
    memory: ChromaExemplars,
    *,
    seed: int,
) -> dict[tuple[Arm, int], Seen]:
    """`others` are the skills that libraries are filled up with; `memory` may hold other
    collections' exemplars."""
    seen: dict[tuple[Arm, int], Seen] = defaultdict(Seen)
    spare = others[: SMALLEST - len(collection.words)]
    fill(memory, collection, [words.name for words in spare], seed=seed)
    for size in sizes:
        for phrasing in Phrasing:
            filled = shelf(collection, phrasing, size, others, seed)
            lull = Lull(filled, collection, memory)
            for arm in arms():
                if arm.system == LULL:
                    _lull(lull, arm, filled, collection, seen[arm, size])
                else:
                    _other(arm, filled, collection, seen[arm, size])
    return dict(seen)


def _lull(lull: Lull, arm: Arm, filled: Shelf, collection: Collection, seen: Seen) -> None:
    def finds(text: str) -> list[str]:
        return lull.found(text, arm.credit)

    for asked in collection.asked:
        lull.hide(asked, arm.split)
        seen.hits[asked.id].append(_hit(asked, finds(asked.text), filled, collection))
    lull.hide(None, arm.split)
    _talk(finds, filled, collection, seen)


def _other(arm: Arm, filled: Shelf, collection: Collection, seen: Seen) -> None:
    system = OTHERS[arm.system](filled.skills)
    deep = DEEPEST + len(filled.name_of)

    def finds(text: str) -> list[str]:
        return [filled.skills[place].name for place in top(system.scores(text), deep)]

    for asked in collection.asked:
        seen.hits[asked.id].append(_hit(asked, finds(asked.text), filled, collection))
    _talk(finds, filled, collection, seen)


def _hit(asked: Asked, found: Sequence[str], filled: Shelf, collection: Collection) -> Hit:
    """A rule that begins later has no skill yet on that day."""
    rules = [filled.rule_of.get(name, "") for name in found]
    there = [rule for rule in rules if not rule or rule in asked.in_force]
    return hit(collection.name, asked.day, there, asked.needs)


def _talk(finds: Finds, filled: Shelf, collection: Collection, seen: Seen) -> None:
    seen.silent += [not finds(text) for text in SMALL_TALK]
    own = set(filled.name_of.values())
    seen.aside += [own.isdisjoint(finds(text)) for text in collection.aside]
    for asked in collection.asked[:: max(1, len(collection.asked) // TIMED)]:
        began = time.perf_counter()
        finds(asked.text)
        seen.times_ms.append((time.perf_counter() - began) * 1000)
