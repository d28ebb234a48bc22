"""Decides which recorded chat turns may be used to train a model's weights; turns that a skill was
made from may not.

If turns that taught a skill (support data) also trained the weights, the weights would learn what
the prompt already says, and the two effects could not be separated (MetaClaw, arXiv 2603.17187,
section 3.4). Nothing is deleted: eligibility is a predicate on what was recorded with each turn.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from lull.core.feedback.reward import Reward, trainable
from lull.core.skills.subject_words import terms

NEAR_SIMILARITY = 0.6
"""Jaccard similarity of two requests' subject words from which the requests count as the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """The facts about a recorded chat turn that decide whether it may be used to train the
    weights.
    """

    complete: bool
    reward: Reward | None
    current: bool
    """Whether the turn was answered with exactly those skills that its prompt would get today."""
    support: bool
    """Whether the turn taught a skill, or was used to test one on past requests."""
    near_support: bool
    """Whether a very similar request taught a skill."""
    excluded: bool = False
    """Whether the user excluded the turn's conversation from learning."""


def why_not_trainable(facts: TurnFacts) -> str:
    """Return why a recorded turn may not be used to train the weights, in words; "" if it may."""
    if why := why_prompt_unusable(facts):
        return why
    if facts.reward is None:
        return "not scored yet"
    if not trainable(facts.reward):
        return "its score is too uncertain"
    return ""


def why_prompt_unusable(facts: TurnFacts) -> str:
    """Return why the request of a recorded turn may not be used for training with newly sampled
    answers, in words; "" if it may.

    The new answers get scores of their own, so the recorded answer's reward does not matter.
    """
    if facts.excluded:
        return "you keep its conversation out of learning"
    if not facts.complete:
        return "the answer is incomplete"
    if facts.support:
        return "it was used to write or to prove a skill"
    if facts.near_support:
        return "a similar request was used for a skill"
    if not facts.current:
        return "its prompt would get different skills today"
    return ""


def comparison_words(request: str) -> frozenset[str]:
    """Return the words by which it is decided whether two requests are nearly the same: a request's
    subject words (those that say what it is about), or its whole text as one item if it has none.
    """
    plain = request.strip().lower()
    return frozenset(terms(request)) or frozenset({f"\0{plain}"} if plain else ())


class SupportRequests:
    """The requests of all turns that a skill was made from (support data). Tells whether another
    request is nearly the same as one of them.
    """

    def __init__(self, support: Iterable[frozenset[str]]) -> None:
        """`support` holds, for the request of each turn that taught a skill, its words as
        `comparison_words` returns them.
        """
        self._marks = list(dict.fromkeys(support))
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, marks in enumerate(self._marks):
            for mark in marks:
                self._holders[mark].append(number)

    def near(self, request: str) -> bool:
        """Return whether a request is nearly the same as one that taught a skill."""
        marks = comparison_words(request)
        shared = Counter(number for mark in marks for number in self._holders.get(mark, ()))
        return any(
            count / (len(marks) + len(self._marks[number]) - count) >= NEAR_SIMILARITY
            for number, count in shared.items()
        )
