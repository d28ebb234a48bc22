"""The rules that accept or reject a skill: Lull's own, called as in the product, and other
projects'.

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
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bench.gates.worlds import Scored
from lull.core.proof.evalue import from_log
from lull.core.proof.last_look import LastLook, chance
from lull.core.proof.proof import ProofRule, ProofState, ShownBy, Totals, shown_by, verdict

RULE = ProofRule()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """An acceptance rule's decisions on N simulated skills: accepted, accepted by a last look,
    called harmful, pairs replayed.
    """

    accepted: npt.NDArray[np.bool_]
    last_look: npt.NDArray[np.bool_]
    harmful: npt.NDArray[np.bool_]
    pairs: npt.NDArray[np.int64]


def lull(benefit: Scored, success: Scored | None, coins: npt.NDArray[np.float64]) -> Result:
    """Decide each skill with Lull's own proof rule, asked after every pair as in the product.

    `coins` holds a number between 0 and 1 for each skill's last look.
    """
    won_NT = (benefit.with_ - benefit.without).tolist()
    kept_NT = (success.with_ - success.without).tolist() if success else [[] for _ in won_NT]
    decided = [
        one(won_T, kept_T, coin=coin)
        for won_T, kept_T, coin in zip(won_NT, kept_NT, coins.tolist(), strict=True)
    ]
    accepted = np.array([end.state is ProofState.PROVED for end in decided])
    return Result(
        accepted=accepted,
        last_look=accepted & np.array([end.shown_by is ShownBy.LAST_LOOK for end in decided]),
        harmful=np.array([end.state is ProofState.HARMFUL for end in decided]),
        pairs=np.array([end.pairs for end in decided]),
    )


class End(NamedTuple):
    """How one simulated proof ended, what had shown the benefit, and the number of pairs used."""

    state: ProofState
    shown_by: ShownBy
    pairs: int


def one(won_T: Sequence[int], kept_T: Sequence[int], *, coin: float) -> End:
    """Prove one simulated skill from its first pair to the decision.

    Outcomes of the pairs that may be replayed, on failures and siblings and on past successes: 1
    won, -1 lost, 0 equal.
    """
    benefit, success = _NOTHING, _NOTHING
    while True:
        stands = _stands(benefit, success, bool(kept_T))
        state, shown = stands.lucky if coin <= stands.chance else stands.unlucky
        if state is not ProofState.UNDECIDED:
            return End(state, shown, benefit[0] + success[0])
        if shown is not ShownBy.NOTHING:
            success = _counted(success, kept_T[success[0]])
        else:
            benefit = _counted(benefit, won_T[benefit[0]])


Counts = tuple[int, int, int]
"""Counts of replayed pairs: (all, won, lost)."""
_NOTHING: Counts = (0, 0, 0)


def _counted(counts: Counts, outcome: int) -> Counts:
    return counts[0] + 1, counts[1] + (outcome > 0), counts[2] + (outcome < 0)


class Stands(NamedTuple):
    """A proof's state at some counts, for a coin within the last look's chance and for others."""

    chance: float
    lucky: tuple[ProofState, ShownBy]
    unlucky: tuple[ProofState, ShownBy]


_ALWAYS = LastLook(seed="", coin=1e-9)
_NEVER = LastLook(seed="", coin=1.0 - 1e-9)


@cache
def _stands(benefit: Counts, success: Counts, successes: bool) -> Stands:
    """Return the product's own verdict for these counts; cached, because thousands of simulated
    skills reach the same ones.
    """
    totals = Totals(
        benefit_pairs=benefit[0],
        wins=benefit[1],
        losses=benefit[2],
        success_pairs=success[0],
        success_wins=success[1],
        success_losses=success[2],
    )

    def state(look: LastLook) -> tuple[ProofState, ShownBy]:
        kept = int(successes)
        found, _ = verdict(totals, RULE, successes=kept, look=look)
        return found, shown_by(totals, RULE, successes=kept, look=look)

    odds = chance(from_log(totals.log_e), RULE.alpha)
    return Stands(chance=odds, lucky=state(_ALWAYS), unlucky=state(_NEVER))


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
        last_look=np.zeros(len(accepted), dtype=bool),
        harmful=np.zeros(len(accepted), dtype=bool),
        pairs=np.full(len(accepted), pairs),
    )
