"""Groups of sampled answers to one stored request, and which request is sampled next.

A group teaches only where some of its answers were better than others; one in which all are alike
is counted and kept, so that nobody samples the same again and again. A group belongs to the policy
that sampled it and to the skills that stood in its prompt: under others it is no longer on-policy.
What an answer is worth is said by `loops/rollout.py`'s verifiers and judge.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

HELD_OUT: Final = 5
"""One request in so many."""


class GroupState(StrEnum):
    TELLING = "telling"
    """Some of its answers were better than others."""
    FLAT = "flat"
    """All alike: it would change nothing (DAPO, arXiv 2503.14476, section 3.2)."""
    SILENT = "silent"
    """Fewer than two of its answers could be scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One sampled answer, exactly as the engine drew it."""

    ids: tuple[int, ...]
    """The end token counts."""
    logprobs: tuple[float, ...]
    """Natural logarithms under the policy that drew it, one for each id."""
    reward: float | None
    """0 to 1: the chance that the user would call it good. None: nobody can tell, or it is too
    unsure to learn from."""

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.logprobs):
            raise ValueError(f"{len(self.ids)} ids and {len(self.logprobs)} log-probabilities")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Whose answers they are."""

    base: str
    """Digest of the base weights."""
    adapter: str
    """Version of the adapter, "" for the base alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutGroup:
    id: str
    turn: str
    trajectory: str
    at: datetime
    policy: Policy
    skills: tuple[str, ...]
    """sha256 of each skill in the prompt, sorted."""
    number: int
    """0, 1, 2 … of the groups of this turn under this policy."""
    prompt_ids: tuple[int, ...]
    samples: tuple[Drawn, ...]
    scored_by: str
    """`verifier: …` or `judge: …`; "" where nobody could tell."""
    wish: str = ""
    """The turn of which the user said the words that it was scored by; "" where it was by none."""
    run: str | None = None
    """The run that it went into."""

    @property
    def state(self) -> GroupState:
        return state_of(self.samples)

    @property
    def reward(self) -> float | None:
        """The mean of those that are known."""
        known = [s.reward for s in self.samples if s.reward is not None]
        return sum(known) / len(known) if known else None


def held_out(request: str) -> bool:
    """Whether a request is kept for the gate, and no answer to it is ever trained on: one in five,
    the same ones for ever, because two turns that ask the same must stand on one side."""
    digest = hashlib.sha256(same_words(request).encode("utf-8", "replace")).digest()
    return digest[0] % HELD_OUT == 0


def same_words(request: str) -> str:
    """Two requests that are the same in this are one and the same request."""
    return " ".join(request.lower().split())


def state_of(samples: Sequence[Drawn]) -> GroupState:
    known = [s.reward for s in samples if s.reward is not None]
    if len(known) < 2:
        return GroupState.SILENT
    return GroupState.FLAT if min(known) == max(known) else GroupState.TELLING


def mean_reward(groups: Iterable[RolloutGroup]) -> float | None:
    """Over groups, each counting alike; None for none that was scored."""
    known = [group.reward for group in groups if group.reward is not None]
    return sum(known) / len(known) if known else None


def next_prompt(
    prompts: Sequence[str], done: Mapping[str, Sequence[GroupState]], *, most: int
) -> str | None:
    """The turn to be sampled next: the one with the fewest groups, the first of several.

    One that nobody could score is not tried again; nor is one that has `most` groups.
    """
    open_ = [
        turn
        for turn in prompts
        if GroupState.SILENT not in (states := done.get(turn, ())) and len(states) < most
    ]
    return min(open_, key=lambda turn: len(done.get(turn, ())), default=None)


def chosen_groups(groups: Sequence[RolloutGroup], *, most: int) -> tuple[RolloutGroup, ...]:
    """Telling groups for one run: one of each request in turn, the oldest first, so that a request
    with many groups does not crowd the others out."""
    by_turn: dict[str, list[RolloutGroup]] = {}
    for group in sorted(groups, key=lambda g: (g.number, g.id)):
        if group.state is GroupState.TELLING:
            by_turn.setdefault(group.turn, []).append(group)
    rounds = max((len(own) for own in by_turn.values()), default=0)
    in_turn = [own[n] for n in range(rounds) for own in by_turn.values() if n < len(own)]
    return tuple(in_turn[:most])
