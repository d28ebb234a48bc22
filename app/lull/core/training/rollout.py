"""Rollouts for GRPO: groups of answers that the model sampled to stored requests, and the choice of
the next request to sample.

A group is useful for training only if some of its answers were better than others. One with equal
rewards is recorded as well, so that the same request is not sampled again and again. A group
belongs to the policy that sampled it and to the skills in its prompt; if these change, it is no
longer on-policy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

HELD_OUT_ONE_IN: Final = 5
"""One request in this many is kept out of training, for testing adapters."""


class GroupState(StrEnum):
    """Whether a group of sampled answers to one request can be trained on."""

    TELLING = "telling"
    """Some of the group's answers were better than others, so the group can be trained on."""
    FLAT = "flat"
    """All rewards in the group are equal, so training on it would change nothing (DAPO, arXiv
    2503.14476, section 3.2).
    """
    SILENT = "silent"
    """Fewer than two of the group's answers could be scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutAnswer:
    """One answer sampled from the model for training: its token ids, their log-probabilities and
    its reward.
    """

    ids: tuple[int, ...]
    """Token ids of the answer, the end token included."""
    logprobs: tuple[float, ...]
    """Natural log-probabilities of the tokens under the policy that sampled the answer, one per
    id.
    """
    reward: float | None
    """Probability, 0 to 1, that the user would call the answer good; None if unknown or too
    uncertain to learn from.
    """

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.logprobs):
            raise ValueError(f"{len(self.ids)} ids and {len(self.logprobs)} log-probabilities")


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPolicy:
    """Identifies the weights with which the model sampled a group of answers: a base model and a
    LoRA adapter.
    """

    base: str
    """Digest of the base weights."""
    adapter: str
    """Version of the adapter; "" for the base alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutGroup:
    """Several answers that a model was made to give to one past request, with their rewards
    (GRPO).
    """

    id: str
    turn: str
    trajectory: str
    at: datetime
    policy: SampledPolicy
    skills: tuple[str, ...]
    """sha256 of each skill in the group's prompt, sorted."""
    number: int
    """Index of this group among those of its turn and policy, from 0."""
    prompt_ids: tuple[int, ...]
    samples: tuple[RolloutAnswer, ...]
    scored_by: str
    """Who scored the group: `verifier: …` or `judge: …`; "" if it could not be scored."""
    wish: str = ""
    """Id of the turn in which the user said the wish that the group was scored by; "" for none."""
    run: str | None = None
    """Id of the training run that used the group."""

    @property
    def state(self) -> GroupState:
        """Whether the group can be trained on, by its rewards."""
        return state_of(self.samples)

    @property
    def reward(self) -> float | None:
        """Mean of the known rewards of the group's sampled answers; None if none is known."""
        known = [s.reward for s in self.samples if s.reward is not None]
        return sum(known) / len(known) if known else None


def held_out(request: str) -> bool:
    """Whether a request is kept out of training, so that adapters can be tested on it; one in five
    is.

    The choice depends only on the request's words, so that equal requests are always on the same
    side.
    """
    digest = hashlib.sha256(normalised_words(request).encode("utf-8", "replace")).digest()
    return digest[0] % HELD_OUT_ONE_IN == 0


def normalised_words(request: str) -> str:
    """Return a request's words in a normal form. Requests with the same normal form count as the
    same request.
    """
    return " ".join(request.lower().split())


def state_of(samples: Sequence[RolloutAnswer]) -> GroupState:
    """Return whether a group of sampled answers can be trained on, by their rewards."""
    known = [s.reward for s in samples if s.reward is not None]
    if len(known) < 2:
        return GroupState.SILENT
    return GroupState.FLAT if min(known) == max(known) else GroupState.TELLING


def mean_reward(groups: Iterable[RolloutGroup]) -> float | None:
    """Return the mean reward over groups of sampled answers, each group weighted equally; None if
    no group has a known reward.
    """
    known = [group.reward for group in groups if group.reward is not None]
    return sum(known) / len(known) if known else None


def next_prompt(
    prompts: Sequence[str], done: Mapping[str, Sequence[GroupState]], *, most: int
) -> str | None:
    """Choose the turn whose request the model answers next for training: the first one of those
    with the fewest groups of sampled answers so far. None if no turn is left.

    Turns whose answers could not be scored and those with `most` groups are skipped.
    """
    open_ = [
        turn
        for turn in prompts
        if GroupState.SILENT not in (states := done.get(turn, ())) and len(states) < most
    ]
    return min(open_, key=lambda turn: len(done.get(turn, ())), default=None)


def chosen_groups(groups: Sequence[RolloutGroup], *, most: int) -> tuple[RolloutGroup, ...]:
    """Choose at most `most` groups of sampled answers for one training run. Only groups whose
    answers have different rewards are used. They are taken from each request in turn, oldest first,
    so that no request crowds out the others.
    """
    by_turn: dict[str, list[RolloutGroup]] = {}
    for group in sorted(groups, key=lambda g: (g.number, g.id)):
        if group.state is GroupState.TELLING:
            by_turn.setdefault(group.turn, []).append(group)
    rounds = max((len(own) for own in by_turn.values()), default=0)
    in_turn = [own[n] for n in range(rounds) for own in by_turn.values() if n < len(own)]
    return tuple(in_turn[:most])
