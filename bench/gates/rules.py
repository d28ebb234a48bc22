"""The rules that accept or reject a skill: Lull's own, called as in the product, and other
projects'.

Peers, as their public code has it: SkillClaw validates a candidate on up to 3 replayed cases and
wants a mean score of 0.75 (`validation_min_mean_score`, AMAP-ML/SkillClaw,
evolve_server/core/config.py) and no less than the baseline's; SkillOpt-Sleep accepts where the
candidate's score on held-out tasks is above the current one's (`cand_score > current_score`,
microsoft/SkillOpt, skillopt_sleep/gate.py); MetaClaw (arXiv 2603.17187) takes every skill that its
evolver writes. They see the same simulated answers as we do.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bench.gates.worlds import MOST, Scored
from lull.core.proof.evalue import e_value_from_log
from lull.core.proof.last_look import LastLook, acceptance_chance
from lull.core.proof.pairs import Totals
from lull.core.proof.proof import ProofRule, ProofState, ShownBy, shown_by, verdict

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
    won_NT = benefit.with_ - benefit.without
    kept_NT = success.with_ - success.without if success else None
    found = ends(won_NT, kept_NT, coins, broke_NT=benefit.with_ == 0)
    accepted = found.state == ProofState.PROVED
    return Result(
        accepted=accepted,
        last_look=accepted & (found.shown_by == ShownBy.LAST_LOOK),
        harmful=found.state == ProofState.HARMFUL,
        pairs=found.pairs,
    )


class Ends(NamedTuple):
    """How N simulated proofs ended, what had shown their benefit, and their numbers of pairs."""

    state: npt.NDArray[np.str_]
    shown_by: npt.NDArray[np.str_]
    pairs: npt.NDArray[np.int64]


_KEY_C = (MOST + 1) ** np.arange(7)
"""Makes one number of the seven counts of a proof."""


def ends(
    won_NT: npt.NDArray[np.int8],
    kept_NT: npt.NDArray[np.int8] | None,
    coins: npt.NDArray[np.float64],
    *,
    broke_NT: npt.NDArray[np.bool_] | None = None,
) -> Ends:
    """Prove simulated skills side by side, each from its first pair to its decision.

    Outcomes of the pairs that may be replayed, on failures and siblings and on past successes
    (None: there are none): 1 won, -1 lost, 0 equal. `broke_NT`: whether the answer with the skill
    was found to break its rule; None: nothing tells that.
    """
    counts_NC = np.zeros((len(won_NT), 7), dtype=np.int64)
    end_N2 = np.empty((len(won_NT), 2), dtype="U16")
    going = np.arange(len(won_NT))
    while len(going):
        # The rule is asked once for all skills that stand at the same counts.
        keys = counts_NC[going] @ _KEY_C
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        same = counts_NC[going[first]].tolist()
        stands = [_stands(tuple(counts), kept_NT is not None) for counts in same]
        by_coin = np.array([(one.unlucky, one.lucky) for one in stands])
        lucky = coins[going] <= np.array([one.chance for one in stands])[which]
        end_N2[going] = by_coin[which, lucky.astype(int)]
        going = going[end_N2[going, 0] == ProofState.UNDECIDED]
        shown = end_N2[going, 1] != ShownBy.NOTHING
        if broke_NT is not None:
            counts_NC[going[~shown], 6] += broke_NT[going[~shown], counts_NC[going[~shown], 0]]
        _count(counts_NC, 0, going[~shown], won_NT)
        if kept_NT is not None:  # once the benefit is shown, past successes are replayed
            _count(counts_NC, 3, going[shown], kept_NT)
    return Ends(end_N2[:, 0], end_N2[:, 1], counts_NC[:, 0] + counts_NC[:, 3])


def _count(
    counts_NC: npt.NDArray[np.int64],
    part: int,
    skills: npt.NDArray[np.int64],
    outcome_NT: npt.NDArray[np.int8],
) -> None:
    """Replay the next pair of these skills. `part`: the column of the count of such pairs, followed
    by those won and lost.
    """
    outcome = outcome_NT[skills, counts_NC[skills, part]]
    counts_NC[skills, part] += 1
    counts_NC[skills, part + 1] += outcome > 0
    counts_NC[skills, part + 2] += outcome < 0


class Stands(NamedTuple):
    """A proof's state at some counts, for a coin within the last look's chance and for others."""

    chance: float
    lucky: tuple[ProofState, ShownBy]
    unlucky: tuple[ProofState, ShownBy]


_ALWAYS = LastLook(seed="", coin=1e-9)
_NEVER = LastLook(seed="", coin=1.0 - 1e-9)


@cache
def _stands(counts: tuple[int, ...], successes: bool) -> Stands:
    """Return the product's own verdict for these counts of pairs (all, won, lost; the same on past
    successes; in how many the answer with the skill broke its rule); cached, because simulated
    skills of every kind reach the same ones.
    """
    names = ("benefit_pairs", "wins", "losses", "success_pairs", "success_wins", "success_losses")
    names = (*names, "broken")
    totals = Totals(**dict(zip(names, counts, strict=True)))

    def state(look: LastLook) -> tuple[ProofState, ShownBy]:
        kept = int(successes)
        found, _ = verdict(totals, RULE, successes=kept, look=look)
        return found, shown_by(totals, RULE, successes=kept, look=look)

    odds = acceptance_chance(e_value_from_log(totals.log_e), RULE.alpha)
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
