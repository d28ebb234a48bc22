"""Rewards: scores of how good a model's answer was, each with the source that gave it.

Four kinds of sources judge an answer, in a fixed order of trust; the most trusted one that has a
verdict decides alone. This module defines that order, how several votes of a judge model are
combined, and which rewards are too uncertain to learn from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Source(StrEnum):
    """Sources of verdicts on an answer, from most to least trusted; the order of definition is the
    order of trust.
    """

    EXPLICIT = "explicit"
    """Verdict of the user's own rating, which all other sources only estimate."""
    VERIFIABLE = "verifiable"
    """Verdict of a tool's exit code, a test, a schema, or a check of the user's own."""
    IMPLICIT = "implicit"
    """Verdict inferred from what the user did next: a correction, a second try, thanks."""
    JUDGE = "judge"
    """Verdict of a model that was asked several times whether the answer was good."""

    @property
    def trust(self) -> int:
        """The position of this source of verdicts in the order of trust; 0 is the most trusted
        source.
        """
        return tuple(Source).index(self)


LEAST_VOTES: Final = 2
"""Least number of readable judge votes for a verdict."""
GREY: Final = (0.35, 0.65)
"""Range of p_good (the probability that an answer is good), both ends included, that is too
uncertain to train on.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One vote of the judge model on an answer, parsed from its reply."""

    score: int
    """Score of the vote: -1 bad, 0 neither, 1 good."""
    reason: str

    def __post_init__(self) -> None:
        if self.score not in (-1, 0, 1):
            raise ValueError(f"a vote is -1, 0 or 1, not {self.score}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward:
    """The score of a model's answer, with its source. An answer without any verdict has no Reward
    at all; this is not the same as a reward of 0.
    """

    value: float
    """Score from -1 (bad) to 1 (good), as the source gave it."""
    p_good: float
    """Calibrated probability, 0 to 1, that the user would call the answer good."""
    source: Source
    votes: tuple[Vote, ...] = ()

    def __post_init__(self) -> None:
        # Written so that NaN is refused, too.
        if not -1.0 <= self.value <= 1.0:
            raise ValueError(f"a reward is between -1 and 1, not {self.value}")
        if not 0.0 <= self.p_good <= 1.0:
            raise ValueError(f"a probability is between 0 and 1, not {self.p_good}")


def majority(votes: Sequence[Vote | None]) -> int | None:
    """Return the verdict (-1, 0 or 1) that more than half of a judge model's parsed votes give;
    None if there is no such majority.

    A vote that could not be parsed is passed as None and does not count, in particular not as 0: a
    judge that fails must not look undecided.
    """
    scores = Counter(vote.score for vote in votes if vote is not None)
    cast = scores.total()
    if cast < LEAST_VOTES:
        return None
    score, count = scores.most_common(1)[0]
    return score if 2 * count > cast else None


def combined(rewards: Iterable[Reward | None]) -> Reward | None:
    """Combine the rewards (scores with their sources) that one answer got, given oldest first, into
    one; None if there are none.

    The most trusted source decides alone. If it gave several verdicts, the last one counts for a
    user or a judge, who may change their mind. For checks and reactions the worst counts: one
    failed test is a failure however many others passed, and a "thanks" after a correction does not
    cancel the correction.
    """
    spoken = [reward for reward in rewards if reward is not None]
    if not spoken:
        return None
    source = min((reward.source for reward in spoken), key=lambda source: source.trust)
    own = [reward for reward in spoken if reward.source is source]
    if source in (Source.EXPLICIT, Source.JUDGE):
        return own[-1]
    return min(own, key=lambda reward: (reward.p_good, reward.value))


def is_failure(reward: Reward) -> bool:
    """Whether a scored answer counts as a failure to learn from: the probability that it is good is
    below the range that is too uncertain.
    """
    return reward.p_good < GREY[0]


def trainable(reward: Reward) -> bool:
    """Whether the reward is certain enough to train on: the probability that the answer is good is
    not in the middle range (grey zone), where a label is as likely wrong as right.
    """
    return not GREY[0] <= reward.p_good <= GREY[1]
