"""When a skill counts as proved: which replays say so, and how many are enough.

A pair is one recorded request answered twice under the same seed, without and with the skill. Only
pairs in which one answer is better than the other say anything; of those the sign test asks whether
the skill wins more often than it loses. The two answers of a pair need not be independent: if a
skill changes nothing, a win is as likely as a loss whatever a shared seed does.

Pairs come from three parts. Failures (the turns that made somebody unhappy) and siblings (similar
requests that the writer of the skill never saw) speak for the benefit. Past successes speak for
harm: failures were picked because they failed, so that any change at all, a useless one too, tends
to do better there and worse on what was right before. A benefit is therefore proved first and then
stands until past successes were replayed; while these look suspicious it is not proved. Benefit
pairs that are lost, surely and not by chance, count as harm as well.

What the null says: on *these* requests, each weighted alike, the skill wins no more than it loses.
Several seeds of one request make the statement about that request sure; they make it no wider.
That is why the number of distinct requests stands beside every e-value, and a reader must take
"proved on 1 request" as it is written.

Replaying, scoring and the user's decision are elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from lull.core.evalue import from_log, harm_log_e_value, log_e_value, pick_log_e_value

LONGEST_PROOF: Final = 10_000
"""Pairs. Only stops accidents: nobody's machine rests that long."""
BY_CHECK: Final = "verifier:check"
"""Who scored a pair by the check that was proposed with the skill."""
BY_USER: Final = "user"
"""Who scored a pair that the user picked from, not knowing which answer is which."""
SAME_WORDS: Final = "same words"
"""Of a pair for the user whose answers are the same: there was nothing to pick."""


class Part(StrEnum):
    FAILURE = "failure"
    SIBLING = "sibling"
    """Held out: like the failures, and not seen by what wrote the skill."""
    SUCCESS = "success"


class ProofState(StrEnum):
    UNDECIDED = "undecided"
    """More pairs are wanted."""
    PROVED = "proved"
    HARMFUL = "harmful"
    UNPROVED = "unproved"
    """The pairs are spent, or what is left of them can decide nothing any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofRule:
    """The numbers of a proof; each is a setting."""

    alpha: float = 0.05
    """Proved at an e-value of 1/alpha: of useless skills at most this share ever gets there."""
    most_pairs: int = 60
    """Of all parts together."""
    harm_e: float = 20.0
    success_pairs: int = 20
    """Wanted on past successes, where there are any, before a benefit counts."""
    least_success_pairs: int = 5
    """Kept free for them however long the benefit takes."""
    suspect_e: float = 2.1
    """Of the same bet as `harm_e`: from here on harm is not sure, and neither is the skill. Three
    losses more than wins, at the first ones."""

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 1.0:
            raise ValueError(f"alpha lies between 0 and 1, not at {self.alpha}")
        if not 1 <= self.most_pairs <= LONGEST_PROOF:
            raise ValueError(f"most_pairs is from 1 to {LONGEST_PROOF}, not {self.most_pairs}")
        if not 1.0 < self.suspect_e <= self.harm_e < math.inf:
            raise ValueError("1 < suspect_e <= harm_e is wanted")
        if not 0 <= self.least_success_pairs <= min(self.success_pairs, self.most_pairs - 1):
            raise ValueError("least_success_pairs is more than there can be")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One request replayed without and with the skill under one seed."""

    request: str
    """The id of the turn that is replayed."""
    part: Part
    seed: int
    without: float
    with_: float
    """How good the two answers are, on the scorer's own scale; only which is higher counts."""
    scored_by: str
    """What compared them: a verifier by name, a judge by name and version, or the user."""
    request_sha256: str = ""
    without_sha256: str = ""
    with_sha256: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.without) and math.isfinite(self.with_)):
            raise ValueError(f"a score is a finite number, not {self.without} or {self.with_}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What the decision rests on. Nothing else of the pairs matters, not their order either."""

    benefit_pairs: int = 0
    wins: int = 0
    losses: int = 0
    success_pairs: int = 0
    success_wins: int = 0
    success_losses: int = 0
    picked_wins: int = 0
    picked_losses: int = 0
    """Of the wins and losses, those by the user's own picks."""

    @property
    def pairs(self) -> int:
        return self.benefit_pairs + self.success_pairs

    @property
    def log_e(self) -> float:
        """Of two bets, each on its own pairs: who picks errs more seldom than what measures."""
        return log_e_value(*self._measured) + pick_log_e_value(self.picked_wins, self.picked_losses)

    @property
    def _measured(self) -> tuple[int, int]:
        return self.wins - self.picked_wins, self.losses - self.picked_losses

    @property
    def harm_log_e(self) -> float:
        """On past successes."""
        return harm_log_e_value(self.success_wins, self.success_losses)

    @property
    def lost_log_e(self) -> float:
        """That the skill makes worse what it was written to mend."""
        wins, losses = self._measured
        picked = pick_log_e_value(self.picked_losses, self.picked_wins)
        return harm_log_e_value(wins, losses) + picked

    def after(self, wins: int) -> Totals:
        """If so many more were won, by the user's picks where there are any so far."""
        return replace(
            self,
            benefit_pairs=self.benefit_pairs + wins,
            wins=self.wins + wins,
            picked_wins=self.picked_wins + (wins if self.picks else 0),
        )

    @property
    def picks(self) -> int:
        return self.picked_wins + self.picked_losses


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    state: ProofState
    why: str
    pairs: int
    requests: int
    """Distinct failures and siblings: what the benefit rests on."""
    wins: int
    losses: int
    """Of the benefit pairs."""
    e_value: float
    harm_e_value: float
    """On past successes."""
    success_pairs: int
    success_wins: int
    success_losses: int


def decide(pairs: Iterable[Pair], rule: ProofRule, *, successes: int) -> Decision:
    """What these pairs come to. Asked after every pair; it may be asked at any time.

    `successes` says how many past successes can be replayed: with none, the benefit decides alone,
    or with those pairs that there are. A pair that comes twice (same request and seed) counts once.
    """
    kept = once(pairs)
    totals = totals_of(kept)
    state, why = verdict(totals, rule, successes=successes)
    rests_on = {pair.request for pair in kept if pair.part is not Part.SUCCESS}
    return Decision(
        state=state,
        why=why,
        pairs=totals.pairs,
        requests=len(rests_on),
        wins=totals.wins,
        losses=totals.losses,
        e_value=from_log(totals.log_e),
        harm_e_value=from_log(totals.harm_log_e),
        success_pairs=totals.success_pairs,
        success_wins=totals.success_wins,
        success_losses=totals.success_losses,
    )


def once(pairs: Iterable[Pair]) -> list[Pair]:
    """The first of each (request, seed): the same coin must not be counted twice."""
    kept: dict[tuple[str, int], Pair] = {}
    for pair in pairs:
        kept.setdefault((pair.request, pair.seed), pair)
    return list(kept.values())


def totals_of(pairs: Iterable[Pair]) -> Totals:
    benefit, success, picked = [0, 0, 0], [0, 0, 0], [0, 0]
    for pair in pairs:
        counts = success if pair.part is Part.SUCCESS else benefit
        counts[0] += 1
        counts[1] += pair.with_ > pair.without
        counts[2] += pair.with_ < pair.without
        if pair.scored_by == BY_USER and counts is benefit:
            picked[0] += pair.with_ > pair.without
            picked[1] += pair.with_ < pair.without
    return Totals(
        benefit_pairs=benefit[0],
        wins=benefit[1],
        losses=benefit[2],
        success_pairs=success[0],
        success_wins=success[1],
        success_losses=success[2],
        picked_wins=picked[0],
        picked_losses=picked[1],
    )


def picks_wanted(pairs: Iterable[Pair], rule: ProofRule) -> int:
    """How many more picks, all for the skill, show its benefit; 0 where it is shown. May be more
    than there is room for."""
    totals = totals_of(once(pairs))
    for number in range(rule.most_pairs + 1):
        picked = replace(totals, wins=totals.wins + number, picked_wins=totals.picked_wins + number)
        if benefit_shown(picked, rule):
            return number
    return rule.most_pairs


def verdict(totals: Totals, rule: ProofRule, *, successes: int) -> tuple[ProofState, str]:
    """The state and, in words, why: a function of the counts alone."""
    if totals.harm_log_e >= math.log(rule.harm_e):
        lost = f"{totals.success_losses} of {totals.success_pairs} past successes got worse"
        return ProofState.HARMFUL, lost
    if totals.lost_log_e >= math.log(rule.harm_e):
        return ProofState.HARMFUL, f"it lost {totals.losses} and won {totals.wins} of its own pairs"
    if benefit_shown(totals, rule):
        return _after_benefit(totals, rule, successes=successes)
    left = benefit_pairs_left(totals, rule, successes=successes)
    if left <= 0:
        return ProofState.UNPROVED, f"{totals.pairs} pairs did not show a benefit"
    if not benefit_shown(totals.after(left), rule):
        return ProofState.UNPROVED, f"the {left} pairs that are left can show no benefit any more"
    return ProofState.UNDECIDED, f"{totals.wins} won, {totals.losses} lost so far"


def benefit_shown(totals: Totals, rule: ProofRule) -> bool:
    return totals.log_e >= _target(rule)


def benefit_pairs_left(totals: Totals, rule: ProofRule, *, successes: int) -> int:
    """Room for failures and siblings; some is kept for past successes where there are any."""
    still_kept = max(0, rule.least_success_pairs - totals.success_pairs) if successes else 0
    return rule.most_pairs - totals.pairs - still_kept


def _after_benefit(totals: Totals, rule: ProofRule, *, successes: int) -> tuple[ProofState, str]:
    shown = f"{totals.wins} won, {totals.losses} lost of {totals.benefit_pairs} pairs"
    suspect = totals.harm_log_e >= math.log(rule.suspect_e)
    if not suspect and totals.success_pairs >= _successes_wanted(totals, rule, successes):
        held = f"{totals.success_pairs} past successes held"
        none = "there was no past success to replay"
        return ProofState.PROVED, f"{shown}; {held if totals.success_pairs else none}"
    if totals.pairs >= rule.most_pairs or not successes:
        but = "it may spoil past successes" if suspect else "too few past successes were replayed"
        return ProofState.UNPROVED, f"{shown}, but {but}"
    return ProofState.UNDECIDED, f"{shown}; past successes are being replayed"


def _successes_wanted(totals: Totals, rule: ProofRule, successes: int) -> int:
    """Pairs on past successes before a benefit counts: none where there are none (any more)."""
    if not successes:
        return 0
    room = rule.most_pairs - totals.benefit_pairs
    return max(rule.least_success_pairs, min(rule.success_pairs, room))


def _target(rule: ProofRule) -> float:
    return -math.log(rule.alpha)
