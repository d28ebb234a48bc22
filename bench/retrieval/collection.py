"""What a retrieval bench asks: requests, the rules each needs, and skills in three phrasings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bench.private_rules import Phrasing, RuleSet, rule_set
from bench.private_rules.rule import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request with the rules that it needs."""

    id: str
    text: str
    needs: frozenset[str]
    in_force: frozenset[str]
    """Rules whose skills exist on its day; a later one's skill is not there to be found."""
    day: str
    order: int
    """Place in the course of the days."""
    wording: str = ""
    """Requests of one wording, other than "", were made from the same sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """One user's days: what is asked of one library."""

    name: str
    source: str
    asked: tuple[Asked, ...]
    """Only requests that need something, in their order."""
    words: Mapping[str, Mapping[Phrasing, Words]]
    """By rule."""
    aside: tuple[str, ...] = ()
    """Requests that no rule of the collection concerns."""


def private(seed: int) -> Collection:
    """A fresh rule set as a collection."""
    rules: RuleSet = rule_set(seed)
    in_force = {day.id: frozenset(day.in_force) for day in rules.days}
    asked = [
        Asked(
            id=request.id,
            text=request.text,
            needs=frozenset(request.rules),
            in_force=in_force[request.day] | frozenset(request.rules),
            day=request.day,
            order=order,
            wording=request.wording,
        )
        for order, request in enumerate(rules.requests)
    ]
    return Collection(
        name=f"private {seed}",
        source="private rules",
        asked=tuple(one for one in asked if one.needs),
        words={rule.id: rule.words for rule in rules.rules},
        aside=tuple(_aside(rules)),
    )


def _aside(rules: RuleSet) -> Iterator[str]:
    """Tasks that no rule of the set concerns, not even one that begins later, and plain talk."""
    for request in rules.requests:
        task = request.task
        if task is not None and not any(rule.concerns(task) for rule in rules.rules):
            yield request.text
    for day in rules.days:
        yield from day.unruled


class Split(StrEnum):
    """Which other requests of the collection may be exemplars of one; never the request itself,
    nor another with the same text."""

    OTHERS = "all others"
    UNLIKE = "unlike"
    """None of its own day where a collection has real requests, none of its own wording where they
    were made from sentences."""
    EARLIER = "earlier"
    """As in use: only what was asked before."""


def may_help(other: Asked, asked: Asked, split: Split) -> bool:
    if other.text == asked.text:
        return False
    if split is Split.EARLIER:
        return other.order < asked.order
    if split is Split.UNLIKE:
        same = other.wording == asked.wording if asked.wording else other.day == asked.day
        return not same
    return True
