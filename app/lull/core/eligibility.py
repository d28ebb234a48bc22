"""Which turns may train the weights: support and query data kept apart.

What taught a skill (support) must never train the weights as well, or they would learn what the
prompt says already and nobody could tell the two apart (MetaClaw, arXiv 2603.17187, section 3.4).
Nothing is deleted for that: eligibility is a predicate over what was stamped and stored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from lull.core.retrieval import terms
from lull.core.reward import Reward, trainable

NEAR = 0.6
"""Jaccard of the subject words of two requests from which they are taken for one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What decides about one turn."""

    complete: bool
    reward: Reward | None
    current: bool
    """It was served with the very skills that its prompt would get today."""
    support: bool
    """It taught a skill, or stood in the proof of one."""
    near_support: bool
    """A request much like it did."""
    excluded: bool = False
    """The user keeps its conversation out of learning."""


def why_not(standing: Standing) -> str:
    """Why the turn may not train weights; "" for an eligible one."""
    if why := why_no_prompt(standing):
        return why
    if standing.reward is None:
        return "not scored yet"
    if not trainable(standing.reward):
        return "its score is too unsure"
    return ""


def why_no_prompt(standing: Standing) -> str:
    """Why its request may not train weights with answers that are sampled anew: those have scores
    of their own, so what its recorded answer was worth does not matter."""
    if standing.excluded:
        return "you keep its conversation out of learning"
    if not standing.complete:
        return "the answer is incomplete"
    if standing.support:
        return "it taught a skill or stood in its proof"
    if standing.near_support:
        return "a request much like it taught a skill"
    if not standing.current:
        return "its prompt would get other skills today"
    return ""


def marks_of(request: str) -> frozenset[str]:
    """What a request is known by: its subject words, or all of it where it has none."""
    plain = request.strip().lower()
    return frozenset(terms(request)) or frozenset({f"\0{plain}"} if plain else ())


class SupportCluster:
    """Finds requests that are near duplicates of a support turn's."""

    def __init__(self, support: Iterable[frozenset[str]]) -> None:
        """`support`: what each of these turns asked, as `marks_of` has it."""
        self._marks = list(dict.fromkeys(support))
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, marks in enumerate(self._marks):
            for mark in marks:
                self._holders[mark].append(number)

    def near(self, request: str) -> bool:
        marks = marks_of(request)
        shared = Counter(number for mark in marks for number in self._holders.get(mark, ()))
        return any(
            count / (len(marks) + len(self._marks[number]) - count) >= NEAR
            for number, count in shared.items()
        )
