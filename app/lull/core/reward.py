"""How good an answer was, and who says so.

Four kinds of source speak about a turn, in a fixed order of trust; the most trusted one that
speaks decides and the rest are silent. This file decides that order, what several votes of a judge
come to, and which rewards are too unsure to learn from. What a source saw is `signals`' business,
and how far its word can be believed is `calibration`'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Source(StrEnum):
    """Who speaks, the most trusted first: the order of these lines is the order of trust."""

    VERIFIABLE = "verifiable"
    """A tool's exit code, a test, a schema, a check of the user's own."""
    EXPLICIT = "explicit"
    """The user's own rating."""
    IMPLICIT = "implicit"
    """What the user did next: a correction, a second try, thanks."""
    JUDGE = "judge"
    """A model that was asked, several times."""

    @property
    def trust(self) -> int:
        """0 for the most trusted."""
        return tuple(Source).index(self)


LEAST_VOTES: Final = 2
"""Of a judge's votes so many must be readable; one voice alone is no verdict."""
GREY: Final = (0.35, 0.65)
"""p_good from here to there, both ends included, is masked from training."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One answer of the judge that could be read."""

    score: int
    """-1 bad, 0 neither, 1 good."""
    reason: str

    def __post_init__(self) -> None:
        if self.score not in (-1, 0, 1):
            raise ValueError(f"a vote is -1, 0 or 1, not {self.score}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward:
    """What a turn is worth. A turn of which nobody spoke has none, which is not the same as 0."""

    value: float
    """-1 to 1, as the source said it."""
    p_good: float
    """0 to 1: the chance that the user would call the answer good, after calibration."""
    source: Source
    votes: tuple[Vote, ...] = ()

    def __post_init__(self) -> None:
        # Written so that not-a-number is refused too.
        if not -1.0 <= self.value <= 1.0:
            raise ValueError(f"a reward is between -1 and 1, not {self.value}")
        if not 0.0 <= self.p_good <= 1.0:
            raise ValueError(f"a probability is between 0 and 1, not {self.p_good}")


def majority(votes: Sequence[Vote | None]) -> int | None:
    """-1, 0 or 1 where more than half of the readable votes agree; None is no verdict.

    A vote that could not be read is given as None. It counts for nothing, and above all not for
    0: a judge that fails must not look like one that is undecided.
    """
    scores = Counter(vote.score for vote in votes if vote is not None)
    cast = scores.total()
    if cast < LEAST_VOTES:
        return None
    score, count = scores.most_common(1)[0]
    return score if 2 * count > cast else None


def combined(rewards: Iterable[Reward | None]) -> Reward | None:
    """The reward of the turn from those of its sources, oldest first; None: nobody spoke.

    The most trusted source that speaks decides alone. Where one source spoke several times, its
    last word holds if it is a person's or a judge's, for they may change their mind; of several
    checks and of several reactions the worst holds, for one failed test is a failure however many
    others passed, and a "thanks" at the end of a correction takes nothing back.
    """
    spoken = [reward for reward in rewards if reward is not None]
    if not spoken:
        return None
    source = min((reward.source for reward in spoken), key=lambda source: source.trust)
    own = [reward for reward in spoken if reward.source is source]
    if source in (Source.EXPLICIT, Source.JUDGE):
        return own[-1]
    return min(own, key=lambda reward: (reward.p_good, reward.value))


def failed(reward: Reward) -> bool:
    """True for what belongs into the failure set; the grey zone does not."""
    return reward.p_good < GREY[0]


def trainable(reward: Reward) -> bool:
    """False inside the grey zone, where a label is as likely wrong as not."""
    return not GREY[0] <= reward.p_good <= GREY[1]
