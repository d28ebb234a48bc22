"""`python -m bench.gates.undecided`: how long a proof should go on where many answers cannot be
scored.

Each try of a request is undecided by chance. Shown are for several rules of giving up how often a
proof gives up that more tries would have decided, how many tries it makes, and how many it makes
where no answer is ever scored. All else is the real rule of proofs; useless skills show that giving
up lets no more of them through.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from lull.core.proof import pairing
from lull.core.proof.pairs import Pair, PairPart, Totals
from lull.core.proof.proof import ProofRule, ProofState, verdict

RATES: Final = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
REQUESTS: Final = (1, 3, 20)
SKILLS: Final = {"obeyed": (0.1, 0.9), "helps": (0.35, 0.65), "useless": (0.5, 0.5)}
"""How often answers keep the rule without the skill and with it."""
_RULE: Final = ProofRule()


@dataclass(slots=True)
class Tries:
    """The tries of a simulated proof so far, by request."""

    scored: list[int]
    undecided: list[int]
    in_a_row: list[int]
    """How many of the newest tries of each request were undecided."""


Asks = Callable[[Tries], Sequence[int]]
"""Returns the requests that a proof goes on asking."""


def _each(able: Callable[[Tries, int], bool]) -> Asks:
    return lambda tries: [one for one in range(len(tries.scored)) if able(tries, one)]


def _linear(at_first: int, per_pair: int, of_one: int) -> Asks:
    def asks(tries: Tries) -> Sequence[int]:
        if sum(tries.undecided) >= at_first + per_pair * sum(tries.scored):
            return []
        able = [
            one
            for one, (scored, undecided) in enumerate(
                zip(tries.scored, tries.undecided, strict=True)
            )
            if undecided < of_one + per_pair * scored
        ]
        return able or range(len(tries.scored))

    return asks


def as_lull(tries: Tries) -> Sequence[int]:
    """Ask as `still_asked` says, which Lull uses."""
    requests = [(str(one), PairPart.FAILURE) for one in range(len(tries.scored))]
    pairs = [
        Pair(request=str(one), part=PairPart.FAILURE, seed=seed, without=0, with_=0, scored_by="")
        for one, count in enumerate(tries.scored)
        for seed in range(count)
    ]
    undecided = [str(one) for one, count in enumerate(tries.undecided) for _ in range(count)]
    return sorted(int(one) for one, _ in pairing.still_asked(requests, pairs, undecided))


RULES: Final[dict[str, Asks]] = {
    "1 of a request": _each(lambda tries, one: tries.undecided[one] < 1),
    "3 of a request": _each(lambda tries, one: tries.undecided[one] < 3),
    "3 in a row": _each(lambda tries, one: tries.in_a_row[one] < 3),
    "120 tries": lambda tries: (
        range(len(tries.scored)) if sum(tries.scored) + sum(tries.undecided) < 120 else []
    ),
    "6 + 4 a pair": _linear(6, 4, 3),
    "12 + 2 a pair": _linear(12, 2, 3),
    "12 + 4 a pair": _linear(12, 4, 3),
    "12 + 9 a pair": _linear(12, 9, 3),
    "24 + 9 a pair": _linear(24, 9, 3),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a simulated proof ended."""

    gave_up: bool
    accepted: bool
    tries: int


def simulate(
    rng: np.random.Generator, asks: Asks, undecided: Sequence[float], chances: tuple[float, float]
) -> End:
    """Simulate one proof; `undecided` holds how often the answers to each request are undecided."""
    tries = Tries(*([0] * len(undecided) for _ in range(3)))
    wins = losses = pairs = total = 0
    while (state := _verdict(wins, losses, pairs)) is ProofState.UNDECIDED:
        asked = asks(tries)
        if not asked:
            return End(gave_up=True, accepted=False, tries=total)
        total += 1
        one = min(asked, key=lambda one: tries.scored[one] + tries.undecided[one])
        if rng.random() < undecided[one]:
            tries.undecided[one] += 1
            tries.in_a_row[one] += 1
            continue
        tries.scored[one] += 1
        tries.in_a_row[one] = 0
        without, with_ = rng.random(2) < chances
        wins += int(with_ > without)
        losses += int(without > with_)
        pairs += 1
    return End(gave_up=False, accepted=state is ProofState.PROVED, tries=total)


@cache
def _verdict(wins: int, losses: int, pairs: int) -> ProofState:
    totals = Totals(benefit_pairs=pairs, wins=wins, losses=losses)
    return verdict(totals, _RULE, successes=0)[0]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.gates.undecided", description=__doc__)
    parser.add_argument("--proofs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    rates = "  ".join(f"{rate:10.2f}" for rate in RATES)
    print("Of each cell: the share of proofs that gave up, and the mean number of tries.")
    print(f"{'rule':17}n  {rates}  half never  helps 0.70  useless")
    for name, asks in {**RULES, "Lull's": as_lull}.items():
        for requests in REQUESTS:
            cells = []
            for rate in RATES:
                ends = _ends(asks, [rate] * requests, SKILLS["obeyed"], args)
                cells.append(_cell(ends))
            half = [1.0] * (requests // 2) + [0.0] * (requests - requests // 2)
            cells.append(_cell(_ends(asks, half, SKILLS["obeyed"], args)))
            cells.append(_cell(_ends(asks, [0.7] * requests, SKILLS["helps"], args)))
            useless = _ends(asks, [0.5] * requests, SKILLS["useless"], args)
            accepted = sum(end.accepted for end in useless) / len(useless)
            print(f"{name:16}{requests:3}  {'  '.join(cells)}  {accepted:.3f}", flush=True)
    return 0


def _ends(
    asks: Asks, undecided: Sequence[float], chances: tuple[float, float], args: argparse.Namespace
) -> list[End]:
    rng = np.random.default_rng(args.seed)
    return [simulate(rng, asks, undecided, chances) for _ in range(args.proofs)]


def _cell(ends: Sequence[End]) -> str:
    gave_up = sum(end.gave_up for end in ends) / len(ends)
    tries = sum(end.tries for end in ends) / len(ends)
    return f"{gave_up:4.0%} {tries:5.1f}"


if __name__ == "__main__":
    raise SystemExit(main())
