"""Defines what the gate measures of a trained adapter, and of the active one beside it, before the
adapter may answer users.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LEAST_MOVE: Final = 0.1
"""Least change, in nats, of how much a rated answer is preferred to another that counts: a tenth
likelier. Less comes from rounding, and no user would notice it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryPair:
    """Whether the active adapter (`old`) and the candidate (`new`) each passed the same canary."""

    family: str
    old: bool
    new: bool
    sampled: bool = False
    """Whether both answers of the pair were sampled (second round); in the first round each probe
    is answered greedily, once.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetPair:
    """The scores, 0 to 1, of the active adapter (`old`) and the candidate (`new`) on one request
    that was kept out of training. Both answered with the same random seed.
    """

    request: str
    old: float
    new: float
    taught: float | None = None
    """Score of the active adapter with the skill in its prompt, if the candidate is to learn that
    skill; None otherwise.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferencePair:
    """By how many nats the active adapter (`old`) and the candidate (`new`) prefer the good one of
    two rated answers that were kept out of training to the bad one.
    """

    old: float
    new: float

    @property
    def change(self) -> int:
        """1 if the candidate prefers the good answer clearly more than the active adapter does, -1
        if clearly less, else 0.
        """
        more = self.new - self.old
        return 0 if abs(more) < LEAST_MOVE else (1 if more > 0 else -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """How far the candidate adapter is from the base model along one answer: the KL divergence,
    summed over the answer's tokens.
    """

    nats: float
    """Sum over the answer's tokens of the KL divergence of the candidate from the base, in nats,
    exact over the vocabulary.
    """
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """The writing style of one answer, in numbers, by which answers before and after training are
    compared.
    """

    characters: int
    repeated: float
    """Share of an answer's three-word sequences that occurred earlier in the same answer."""
    refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Everything that the gate has measured of a candidate adapter and of the active one beside
    it.
    """

    probes: tuple[CanaryPair, ...] = ()
    targets: tuple[TargetPair, ...] = ()
    preferences: tuple[PreferencePair, ...] = ()
    """Pairs of rated answers, if the candidate was trained on ratings; they take the place of
    `targets`.
    """
    replay: tuple[Distance, ...] = ()
    canaries: tuple[Distance, ...] = ()
    manners: tuple[tuple[Manner, Manner], ...] = ()
    """Pairs of (old, new) writing style of answers that training should not have changed."""
    leaks: tuple[str, ...] = ()
    """Descriptions of secrets that the candidate's answers revealed, without their text."""
    answers_searched: int = 0
    """Number of the candidate's answers that were searched for secrets."""


def manner_of(text: str, *, refused: bool) -> Manner:
    """Measure the writing style of one answer."""
    words = text.split()
    runs = [tuple(words[i : i + 3]) for i in range(len(words) - 2)]
    repeated = 1.0 - len(set(runs)) / len(runs) if runs else 0.0
    return Manner(characters=len(text), repeated=repeated, refused=refused)
