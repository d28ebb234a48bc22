"""The rules by which a skill is accepted: our own, called as the product calls it, and peers'.

Peers, as their public code has it: SkillClaw validates a candidate on up to 3 replayed cases and
wants a mean score of 0.75 (`validation_min_mean_score`, AMAP-ML/SkillClaw,
evolve_server/core/config.py) and no less than the baseline's; SkillOpt-Sleep accepts where the
candidate's score on held-out tasks is above the current one's (`cand_score > current_score`,
microsoft/SkillOpt, skillopt_sleep/gate.py); MetaClaw (arXiv 2603.17187) takes every skill that its
evolver writes. They see the same simulated answers as we do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from bench.gates.worlds import Scored
from lull.core.proof import ProofRule, ProofState, Totals, benefit_shown, verdict

RULE = ProofRule()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Of each skill, [N]: accepted, called harmful, and how many pairs were replayed."""

    accepted: npt.NDArray[np.bool_]
    harmful: npt.NDArray[np.bool_]
    pairs: npt.NDArray[np.int64]


def lull(benefit: Scored, success: Scored | None) -> Result:
    """Asked after every pair, as the proof loop does."""
    won_NT = (benefit.with_ - benefit.without).tolist()
    kept_NT = (success.with_ - success.without).tolist() if success else [[] for _ in won_NT]
    decided = [one(won_T, kept_T) for won_T, kept_T in zip(won_NT, kept_NT, strict=True)]
    return Result(
        accepted=np.array([state is ProofState.PROVED for state, _ in decided]),
        harmful=np.array([state is ProofState.HARMFUL for state, _ in decided]),
        pairs=np.array([pairs for _, pairs in decided]),
    )


def one(won_T: Sequence[int], kept_T: Sequence[int]) -> tuple[ProofState, int]:
    """One skill from its first pair to the decision, and how many pairs that took.

    Outcomes of the pairs that may be replayed, on failures and siblings and on past successes: 1
    won, -1 lost, 0 equal.
    """
    benefit, success = _NOTHING, _NOTHING
    while True:
        state, shown = _state(benefit, success, bool(kept_T))
        if state is not ProofState.UNDECIDED:
            return state, benefit[0] + success[0]
        if shown:
            success = _counted(success, kept_T[success[0]])
        else:
            benefit = _counted(benefit, won_T[benefit[0]])


Counts = tuple[int, int, int]
"""Pairs, won, lost."""
_NOTHING: Counts = (0, 0, 0)


def _counted(counts: Counts, outcome: int) -> Counts:
    return counts[0] + 1, counts[1] + (outcome > 0), counts[2] + (outcome < 0)


@cache
def _state(benefit: Counts, success: Counts, successes: bool) -> tuple[ProofState, bool]:
    """The product's own verdict; only remembered, for ten thousand skills meet the same counts."""
    totals = Totals(
        benefit_pairs=benefit[0],
        wins=benefit[1],
        losses=benefit[2],
        success_pairs=success[0],
        success_wins=success[1],
        success_losses=success[2],
    )
    return verdict(totals, RULE, successes=int(successes))[0], benefit_shown(totals, RULE)


def skillclaw(benefit: Scored, _success: Scored | None) -> Result:
    base, candidate = benefit.without[:, :3].mean(axis=1), benefit.with_[:, :3].mean(axis=1)
    return _at_once((candidate >= 0.75) & (candidate >= base), 3)


def skillopt(benefit: Scored, held_out: int) -> Result:
    current = benefit.without[:, :held_out].sum(axis=1, dtype=np.int64)
    candidate = benefit.with_[:, :held_out].sum(axis=1, dtype=np.int64)
    return _at_once(candidate > current, held_out)


def metaclaw(benefit: Scored, _success: Scored | None) -> Result:
    return _at_once(np.ones(len(benefit.with_), dtype=bool), 0)


def _at_once(accepted: npt.NDArray[np.bool_], pairs: int) -> Result:
    return Result(
        accepted=accepted,
        harmful=np.zeros(len(accepted), dtype=bool),
        pairs=np.full(len(accepted), pairs),
    )
