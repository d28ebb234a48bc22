"""Test data of the retrieval benchmark: requests, the rules each needs, and skills in three
phrasings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bench.private_rules import Phrasing, RuleSet, rule_set
from bench.private_rules.asking import UNRULED
from bench.private_rules.rule import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request with the rules that it needs."""

    id: str
    text: str
    needs: frozenset[str]
    in_force: frozenset[str]
    """Rules in force on the request's day; skills of later rules are not in the library yet."""
    day: str
    order: int
    """Position of the request in the sequence of all days."""
    wording: str = ""
    """Id of the sentence templates that the request was made from; "" for a real request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """The requests of one user's days and the rules that their library teaches."""

    name: str
    source: str
    asked: tuple[Asked, ...]
    """The requests that need at least one rule, in order."""
    words: Mapping[str, Mapping[Phrasing, Words]]
    """By rule."""
    aside: tuple[Asked, ...] = ()
    """Requests that no rule of the collection concerns, not even one that begins later."""
    early: tuple[Asked, ...] = ()
    """Requests that only a rule that begins later concerns: at their time they wanted nothing."""
    days: frozenset[str] = frozenset()
    """The days whose requests are measured; none: all of them."""

    @property
    def measured(self) -> tuple[Asked, ...]:
        return tuple(one for one in self.asked if not self.days or one.day in self.days)

    @property
    def since(self) -> dict[str, int]:
        """The order of the first request that a rule was in force for."""
        first: dict[str, int] = {}
        for one in self.all_asked:
            for rule in one.in_force:
                first.setdefault(rule, one.order)
        return first

    @property
    def all_asked(self) -> tuple[Asked, ...]:
        """All requests in their order, also those that need nothing."""
        both = (*self.asked, *self.aside, *self.early)
        return tuple(sorted(both, key=lambda one: one.order))


def private(seed: int) -> Collection:
    """Build a collection from the rule set of a seed."""
    rules: RuleSet = rule_set(seed)
    asked = [*_in_order(rules)]
    concerned = frozenset(
        request.id
        for request in rules.requests
        if request.task is not None and any(rule.concerns(request.task) for rule in rules.rules)
    )
    return Collection(
        name=f"private {seed}",
        source="private rules",
        asked=tuple(one for one in asked if one.needs),
        words={rule.id: rule.words for rule in rules.rules},
        aside=tuple(one for one in asked if not one.needs and one.id not in concerned),
        early=tuple(one for one in asked if not one.needs and one.id in concerned),
    )


def _in_order(rules: RuleSet) -> Iterator[Asked]:
    """Each day's tasks, then its plain talk."""
    order = 0
    for day in rules.days:
        in_force = frozenset(day.in_force)
        for request in day.requests:
            needs = frozenset(request.rules)
            yield Asked(
                id=request.id,
                text=request.text,
                needs=needs,
                in_force=in_force | needs,
                day=day.id,
                order=order,
                wording=request.wording,
            )
            order += 1
        for number, text in enumerate(day.unruled):
            yield Asked(
                id=f"{day.id}-u{number}",
                text=text,
                needs=frozenset(),
                in_force=in_force,
                day=day.id,
                order=order,
                wording=_plain_wording(text),
            )
            order += 1


def _plain_wording(text: str) -> str:
    """The name of the wording that a question about no rule was made from."""
    return next(
        f"unruled-{number}"
        for number, form in enumerate(UNRULED)
        if text.startswith(form.partition("{")[0])
    )


class Split(StrEnum):
    """Which other requests of the collection may serve as exemplars for a request; never itself or
    one with the same text.
    """

    OTHERS = "all others"
    UNLIKE = "unlike"
    """Only dissimilar requests: from other days if the requests are real, from other wordings if
    they were generated.
    """
    EARLIER = "earlier"
    """Only requests that were asked before, as in real use."""


def may_help(other: Asked, asked: Asked, split: Split) -> bool:
    if other.text == asked.text:
        return False
    if split is Split.EARLIER:
        return other.order < asked.order
    if split is Split.UNLIKE:
        same = other.wording == asked.wording if asked.wording else other.day == asked.day
        return not same
    return True
