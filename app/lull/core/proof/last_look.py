"""The last look: one randomised decision that may still accept a skill when its proof (test) has
used up all allowed pairs of answers without enough evidence.

A proof whose e-value ends below 1/alpha has not used all of the error probability that it is
allowed. Stopped at any time tau, a proof may also accept when E_tau >= U / alpha for one number U,
uniform between 0 and 1 and independent of the pairs: a useless skill is then still accepted at most
in alpha of all cases (randomised Ville's inequality: Ramdas & Manole, arXiv 2304.02611). This is
true for one such look only, with no pair after it. The number U is drawn before the first pair,
from a seed that is stored with it, so that anybody can draw it again.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

LOOK_E: Final = 1.0
"""E-value above which the last look (the final randomised decision) may accept a skill; at 1 or
less the replayed answers do not favour it.
"""

_BITS: Final = 52
"""Bits of the coin; half a step above each number is still an exact float below 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastLook:
    """The last look of a skill's test: the random number that may decide whether the skill is
    accepted once the allowed replays of past requests are used up, and whether that decision was
    made.
    """

    seed: str
    """Seed of the random number `coin`; fixed before the first pair."""
    coin: float
    """Random number between 0 and 1; the skill is accepted if the `acceptance_chance` of its
    e-value reaches it.
    """
    after: int = 0
    """Number of benefit pairs (replays that test whether the skill helps) after which the look was
    taken; 0 while it was not.
    """

    def accepts(self, e_value: float, alpha: float) -> bool:
        """Return whether the drawn coin accepts a proof whose evidence is this strong."""
        return self.coin <= acceptance_chance(e_value, alpha)


def last_look(seed: str) -> LastLook:
    """Draw from a seed the random number for the last look at a skill: the one randomised decision
    that may still accept the skill when no more past requests may be tried and the evidence falls
    short.
    """
    return LastLook(seed=seed, coin=number_from_seed(seed))


def acceptance_chance(e_value: float, alpha: float) -> float:
    """Return the probability with which the last look (the final randomised decision) accepts a
    skill: its e-value times the significance level `alpha`, at most 1; 0 for an e-value of 1 or
    less.
    """
    return min(1.0, alpha * e_value) if e_value > LOOK_E else 0.0


def number_from_seed(seed: str) -> float:
    """Derive from a seed the random number between 0 and 1 for the last look at a skill (the final
    randomised decision); the same on every machine.
    """
    text = f"last look\0{seed}".encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.sha256(text).digest(), "big") >> (256 - _BITS)
    return (number + 0.5) / (1 << _BITS)
