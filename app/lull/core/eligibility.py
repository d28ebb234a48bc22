"""Which turns may train the weights: support and query data kept apart.

What taught a skill (support) must never train the weights as well, or they would learn what the
prompt says already and nobody could tell the two apart (MetaClaw, arXiv 2603.17187, section 3.4).
Nothing is deleted for that: eligibility is a predicate over what was stamped and stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
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


def why_not(standing: Standing) -> str:
    """Why the turn may not train weights; "" for an eligible one."""
    if not standing.complete:
        return "the answer is incomplete"
    if standing.support:
        return "it taught a skill or stood in its proof"
    if standing.near_support:
        return "a request much like it taught a skill"
    if not standing.current:
        return "its prompt would get other skills today"
    if standing.reward is None:
        return "not scored yet"
    if not trainable(standing.reward):
        return "its score is too unsure"
    return ""


class SupportCluster:
    """Finds requests that are near duplicates of a support turn's."""

    def __init__(self, requests: Mapping[str, str]) -> None:
        """`requests` by turn: the user's newest words."""
        self._words = {turn: frozenset(terms(text)) for turn, text in requests.items()}
        self._turns: defaultdict[str, list[str]] = defaultdict(list)
        for turn, words in self._words.items():
            for word in words:
                self._turns[word].append(turn)
        self._wordless = {
            text.strip().lower() for turn, text in requests.items() if not self._words[turn]
        }

    def near(self, request: str) -> bool:
        words = frozenset(terms(request))
        if not words:
            return request.strip().lower() in self._wordless
        shared: defaultdict[str, int] = defaultdict(int)
        for word in words:
            for turn in self._turns.get(word, ()):
                shared[turn] += 1
        return any(
            count / (len(words) + len(self._words[turn]) - count) >= NEAR
            for turn, count in shared.items()
        )
