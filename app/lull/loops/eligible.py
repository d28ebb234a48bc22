"""Looks up what decides whether stored turns may train the weights (core/eligibility.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lull.core.eligibility import Standing, SupportCluster, why_no_prompt, why_not
from lull.store.proposals import Proposals
from lull.store.reward_rows import RewardRow, Served
from lull.store.rewards import Rewards


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What is known of a turn beside its words."""

    reward: RewardRow
    support: bool
    why_not: str
    """"" for a turn that may train the weights."""
    why_no_prompt: str = ""
    """"" for one whose request may, with answers sampled anew."""


class Eligible:
    def __init__(
        self, rewards: Rewards, proposals: Proposals, *, still: Callable[[Served], bool]
    ) -> None:
        """`still`: whether a turn was served with the skills that it would get today."""
        self._rewards = rewards
        self._proposals = proposals
        self._still = still
        self._cluster: tuple[frozenset[str], SupportCluster] = (frozenset(), SupportCluster(()))

    def of(self, turns: Sequence[str]) -> dict[str, Judged]:
        """By turn id; blocks."""
        support = frozenset(self._proposals.support())
        cluster = self._near(support)
        return {
            served.turn.id: self._judged(served, support, cluster)
            for served in self._rewards.served(turns)
        }

    def _judged(self, served: Served, support: frozenset[str], cluster: SupportCluster) -> Judged:
        taught = served.turn.id in support
        standing = Standing(
            complete=served.turn.complete,
            reward=served.reward.reward,
            current=self._still(served),
            support=taught,
            near_support=not taught and cluster.near(served.asked),
            excluded=served.excluded,
        )
        return Judged(
            reward=served.reward,
            support=taught,
            why_not=why_not(standing),
            why_no_prompt=why_no_prompt(standing),
        )

    def _near(self, support: frozenset[str]) -> SupportCluster:
        known, cluster = self._cluster
        if known != support:
            cluster = SupportCluster(self._proposals.support_marks())
            self._cluster = (support, cluster)
        return cluster
