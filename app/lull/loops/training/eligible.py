"""Decides which stored turns (requests with their answers) may be used to train the weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lull.core.training.eligibility import (
    SupportRequests,
    TurnFacts,
    why_not_trainable,
    why_prompt_unusable,
)
from lull.store.feedback.reward_rows import RewardRow, ServedTurn
from lull.store.feedback.rewards import Rewards
from lull.store.proof.proposals import Proposals


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEligibility:
    """The reasons, if any, why a turn (a request with its answer) may not be used for training, and
    the answer's reward. `support` says whether a skill (an instruction text) was learned from the
    turn or tested on it.
    """

    reward: RewardRow
    support: bool
    why_not: str
    """Why the recorded answer may not train the weights; "" if it may."""
    why_no_prompt: str = ""
    """Why the request may not train the weights with new sampled answers either; "" if it may."""


def unchanged_since(generation: int) -> Callable[[ServedTurn], bool]:
    """Return a check, for `Eligible`, of whether a turn would get the same skills today, which does
    not choose skills anew: it assumes so only for turns since the last change of the skill library,
    which made this generation.
    """
    return lambda served: served.turn.generation == generation


class Eligible:
    """Checks whether stored turns (requests with their answers) may be used to train the
    weights.
    """

    def __init__(
        self, rewards: Rewards, proposals: Proposals, *, still: Callable[[ServedTurn], bool]
    ) -> None:
        """The function `still` tells whether a turn would get the same skills today."""
        self._rewards = rewards
        self._proposals = proposals
        self._still = still
        self._cluster: tuple[frozenset[str], SupportRequests] = (frozenset(), SupportRequests(()))

    def check_turns(self, turns: Sequence[str]) -> dict[str, TurnEligibility]:
        """Check whether these turns (stored requests with their answers) may be used for training;
        return the results by turn id.

        Deleted turns are missing. Blocking.
        """
        support = frozenset(self._proposals.support())
        cluster = self._near(support)
        return {
            served.turn.id: self._judged(served, support, cluster)
            for served in self._rewards.served(turns)
        }

    def _judged(
        self, served: ServedTurn, support: frozenset[str], cluster: SupportRequests
    ) -> TurnEligibility:
        taught = served.turn.id in support
        standing = TurnFacts(
            complete=served.turn.complete,
            reward=served.reward.reward,
            current=self._still(served),
            support=taught,
            near_support=not taught and cluster.near(served.asked),
            excluded=served.excluded,
        )
        return TurnEligibility(
            reward=served.reward,
            support=taught,
            why_not=why_not_trainable(standing),
            why_no_prompt=why_prompt_unusable(standing),
        )

    def _near(self, support: frozenset[str]) -> SupportRequests:
        known, cluster = self._cluster
        if known != support:
            cluster = SupportRequests(self._proposals.support_subject_words())
            self._cluster = (support, cluster)
        return cluster
