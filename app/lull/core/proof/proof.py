"""Decides when a skill counts as proved, from past requests that were answered with and without it.

A pair is one recorded request answered twice with the same seed, without and with the skill. Only
pairs in which one answer is better count; a sign test asks whether the skill wins more often than
it loses. The two answers need not be independent: if a skill changes nothing, a win is as likely as
a loss whatever a shared seed does.

Pairs come from three parts. Failures (turns that made the user unhappy) and siblings (similar
requests that the writer of the skill never saw) test the benefit. Past successes test for harm:
failures were selected because they failed, so any change, even a useless one, tends to do better
there and worse on what was right before. So a benefit is shown first, and counts as proof only
after past successes were replayed and do not look suspicious. Benefit pairs that are lost beyond
chance count as harm, too.

A benefit is shown by its e-value at any time, or by one randomised decision when the pairs are used
up (`last_look`). What is still open when the first pairs are used up goes on to as many again.

The null hypothesis: on *these* requests, each weighted alike, the skill wins no more often than it
loses. Several seeds of one request make only the statement about that request more certain, so the
number of distinct requests stands beside every e-value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from lull.core.proof.evalue import e_value_from_log
from lull.core.proof.last_look import LOOK_E, LastLook, acceptance_chance
from lull.core.proof.pairs import Pair, PairPart, Totals, distinct_pairs, totals_of

MOST_PAIRS_LIMIT: Final = 10_000
"""Upper limit of the setting `most_pairs`, as a guard against typing errors."""


class ProofState(StrEnum):
    """How far the proof that a skill helps has come."""

    UNDECIDED = "undecided"
    """More replayed pairs are needed."""
    PROVED = "proved"
    HARMFUL = "harmful"
    UNPROVED = "unproved"
    """The allowed pairs are used up, or those left cannot decide the proof any more."""


class ShownBy(StrEnum):
    """Which evidence has shown that a skill helps: none so far, its e-value, or the last look (the
    one randomised decision when the allowed pairs of answers are used up).
    """

    NOTHING = ""
    EVIDENCE = "evidence"
    """The e-value of the skill's benefit reached 1/alpha."""
    LAST_LOOK = "last look"
    """The e-value stayed below 1/alpha, and the randomised last look accepted the skill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofRule:
    """Settings of a proof (the test of a skill on past requests): the significance level, how many
    pairs of answers are compared, and e-values from which harm is suspected or certain.
    """

    alpha: float = 0.05
    """Significance level: a skill is proved at an e-value of 1/alpha or by the last look; for a
    useless skill the probability of this is at most alpha.
    """
    first_pairs: int = 60
    """Number of pairs, all parts together, after which a proof must be open (`open_e`) to go on."""
    most_pairs: int = 120
    """Most replayed pairs in a proof, all parts together."""
    open_e: float = 0.1
    """E-value from which a proof counts as open, if the skill has won at all: the pairs do not yet
    speak ten to one against it.
    """
    harm_e: float = 20.0
    success_pairs: int = 20
    """Number of pairs on past successes, if there are any, that are required before a benefit
    counts.
    """
    least_success_pairs: int = 5
    """Number of pairs always reserved for past successes, however many the benefit takes."""
    suspect_e: float = 2.1
    """E-value of the bet on harm from which harm is suspected, so the skill is not proved: three
    more losses than wins among the first pairs.
    """
    unkept_pairs: int = 12
    """Number of benefit pairs after which a test ends in which no answer with the skill kept the
    rule: the model does not follow it.
    """
    winless_pairs: int = 24
    """Number of benefit pairs after which a test ends in which the skill was never better."""

    @classmethod
    def with_first_pairs(cls, number: int, *, alpha: float) -> ProofRule:
        """Return a rule by which as many pairs again may follow the first `number`."""
        return cls(alpha=alpha, first_pairs=number, most_pairs=2 * number)

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 1.0:
            raise ValueError(f"alpha lies between 0 and 1, not at {self.alpha}")
        if not 1 <= self.most_pairs <= MOST_PAIRS_LIMIT:
            raise ValueError(f"most_pairs is from 1 to {MOST_PAIRS_LIMIT}, not {self.most_pairs}")
        if not 1 <= self.first_pairs <= self.most_pairs:
            raise ValueError(f"first_pairs is from 1 to most_pairs, not {self.first_pairs}")
        if not 0.0 < self.open_e <= 1.0:
            raise ValueError(f"open_e lies between 0 and 1, not at {self.open_e}")
        if not 1.0 < self.suspect_e <= self.harm_e < math.inf:
            raise ValueError("1 < suspect_e <= harm_e is wanted")
        if min(self.unkept_pairs, self.winless_pairs) < 1:
            raise ValueError("unkept_pairs and winless_pairs are from 1 on")
        if not 0 <= self.least_success_pairs <= min(self.success_pairs, self.first_pairs - 1):
            raise ValueError("least_success_pairs is more than there can be")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofDecision:
    """What the replayed pairs of answers prove about a skill so far."""

    state: ProofState
    why: str
    pairs: int
    requests: int
    """Number of distinct failures and siblings whose pairs show the benefit."""
    wins: int
    losses: int
    """Number of benefit pairs that the skill lost; `wins` counts those it won."""
    e_value: float
    harm_e_value: float
    """E-value of the bet that the skill harms past successes."""
    success_pairs: int
    success_wins: int
    success_losses: int
    shown_by: ShownBy
    """What showed the benefit, whatever became of the proof since."""


def decide(
    pairs: Iterable[Pair], rule: ProofRule, *, successes: int, look: LastLook | None = None
) -> ProofDecision:
    """Decide whether a skill is proved, from past requests answered with and without it. May be
    called at any time; it is called after every pair.

    `successes` is the number of past successes that can be replayed; if it is 0, a benefit needs no
    pairs on past successes to count. A repeated pair (same request and seed) counts once. Without a
    `look` (the randomised last decision) only the e-value decides.
    """
    kept = distinct_pairs(pairs)
    totals = totals_of(kept)
    state, why = verdict(totals, rule, successes=successes, look=look)
    rests_on = {pair.request for pair in kept if pair.part is not PairPart.SUCCESS}
    return ProofDecision(
        state=state,
        why=why,
        pairs=totals.pairs,
        requests=len(rests_on),
        wins=totals.wins,
        losses=totals.losses,
        e_value=e_value_from_log(totals.log_e),
        harm_e_value=e_value_from_log(totals.harm_log_e),
        success_pairs=totals.success_pairs,
        success_wins=totals.success_wins,
        success_losses=totals.success_losses,
        shown_by=shown_by(totals, rule, successes=successes, look=look),
    )


def picks_wanted(pairs: Iterable[Pair], rule: ProofRule) -> int:
    """Return how many more blind comparisons by the user would show that the skill helps, if all of
    them favoured it; 0 if this is already shown. May exceed the number of pairs still allowed.
    """
    totals = totals_of(distinct_pairs(pairs))
    return _wanted(
        rule,
        lambda more: replace(
            totals, wins=totals.wins + more, picked_wins=totals.picked_wins + more
        ),
    )


def wins_wanted(pairs: Iterable[Pair], rule: ProofRule) -> int:
    """Return how many more pairs of answers would show that the skill helps, if it were better in
    all of them; 0 if this is already shown. May exceed the number of pairs still allowed.
    """
    return _wanted(rule, totals_of(distinct_pairs(pairs)).after)


def _wanted(rule: ProofRule, after: Callable[[int], Totals]) -> int:
    shown = (more for more in range(rule.most_pairs) if benefit_shown(after(more), rule))
    return next(shown, rule.most_pairs)


def most_picks_left(pairs: Iterable[Pair], rule: ProofRule, *, successes: int) -> int:
    """Return how many more pairs of answers the user may at most be asked to compare, whatever they
    pick: some pairs are reserved for requests that had gone well, if there are any.
    """
    totals = totals_of(distinct_pairs(pairs))
    kept = max(0, rule.least_success_pairs - totals.success_pairs) if successes else 0
    return max(0, rule.most_pairs - totals.pairs - kept)


def successes_left(pairs: Iterable[Pair], rule: ProofRule, *, successes: int) -> int:
    """Return how many requests that had gone well are still to be repeated before a benefit that is
    shown counts as proof.
    """
    totals = totals_of(distinct_pairs(pairs))
    most = budget(totals, rule, successes=successes)
    return max(0, _successes_wanted(totals, rule, successes, most) - totals.success_pairs)


def verdict(
    totals: Totals, rule: ProofRule, *, successes: int, look: LastLook | None = None
) -> tuple[ProofState, str]:
    """Return whether a skill is proved, unproved, harmful or undecided by these counts of better
    and worse answers, and why in words.
    """
    if totals.harm_log_e >= math.log(rule.harm_e):
        lost = f"{totals.success_losses} of {totals.success_pairs} past successes got worse"
        return ProofState.HARMFUL, lost
    if totals.benefit_loss_log_e >= math.log(rule.harm_e):
        return ProofState.HARMFUL, f"it lost {totals.losses} and won {totals.wins} of its own pairs"
    by = shown_by(totals, rule, successes=successes, look=look)
    if by is not ShownBy.NOTHING:
        return _after_benefit(totals, rule, successes=successes, by=by)
    if is_spent(totals, rule, successes=successes, look=look):
        return ProofState.UNPROVED, _not_shown(totals, rule, look)
    if (hopeless := _hopeless(totals, rule)) is not None:
        return ProofState.UNPROVED, hopeless
    left = benefit_pairs_left(totals, rule, successes=successes)
    if not _can_show(totals, totals.after(left), rule, look):
        return ProofState.UNPROVED, f"the {left} pairs that are left can show no benefit any more"
    return ProofState.UNDECIDED, f"{totals.wins} won, {totals.losses} lost so far"


def shown_by(totals: Totals, rule: ProofRule, *, successes: int, look: LastLook | None) -> ShownBy:
    """Return which evidence shows that a skill helps: its e-value, the last look (the randomised
    final decision), or none.
    """
    if benefit_shown(totals, rule):
        return ShownBy.EVIDENCE
    spent = is_spent(totals, rule, successes=successes, look=look)
    if spent and look is not None and look.accepts(e_value_from_log(totals.log_e), rule.alpha):
        return ShownBy.LAST_LOOK
    return ShownBy.NOTHING


def benefit_shown(totals: Totals, rule: ProofRule) -> bool:
    """Whether the e-value of the compared answers is high enough (1/alpha) to show that the skill
    helps.
    """
    return totals.log_e >= _target(rule)


def is_spent(totals: Totals, rule: ProofRule, *, successes: int, look: LastLook | None) -> bool:
    """Whether the test of the skill's benefit is over: no pair of answers is left for it, or the
    randomised final decision (last look) was made.
    """
    taken = look is not None and look.after > 0
    return taken or benefit_pairs_left(totals, rule, successes=successes) <= 0


def look_due(totals: Totals, rule: ProofRule, look: LastLook, *, successes: int) -> bool:
    """Whether to make the randomised final decision (last look) on a skill now: the allowed pairs
    of answers are used up, and the e-value favours the skill but is below 1/alpha (alpha: the
    significance level).
    """
    if look.after or benefit_shown(totals, rule):
        return False
    spent = is_spent(totals, rule, successes=successes, look=look)
    return spent and acceptance_chance(e_value_from_log(totals.log_e), rule.alpha) > 0.0


def benefit_pairs_left(totals: Totals, rule: ProofRule, *, successes: int) -> int:
    """Return how many more pairs of answers may be compared to show that a skill helps, on requests
    that had gone wrong and similar ones. Some pairs are reserved for requests that had gone well,
    if there are any.
    """
    still_kept = max(0, rule.least_success_pairs - totals.success_pairs) if successes else 0
    most = rule.most_pairs if may_extend(totals, rule) else rule.first_pairs
    return most - totals.pairs - still_kept


def may_extend(totals: Totals, rule: ProofRule) -> bool:
    """Whether testing a skill may go on after the first allowed pairs of answers: the skill was
    better in at least one pair, and its e-value does not speak clearly against it.
    """
    return totals.wins > 0 and totals.log_e >= math.log(rule.open_e)


def budget(totals: Totals, rule: ProofRule, *, successes: int) -> int:
    """Return how many pairs of answers a skill's test may use in all, given its results so far."""
    used = totals.benefit_pairs + (rule.least_success_pairs if successes else 0)
    goes_on = not benefit_shown(totals, rule) and may_extend(totals, rule)
    first = used < rule.first_pairs or (used == rule.first_pairs and not goes_on)
    return rule.first_pairs if first else rule.most_pairs


def _hopeless(totals: Totals, rule: ProofRule) -> str | None:
    """Why a test ends early that shows nothing so far; None if it does not. To end without a proof
    never accepts a useless skill, so this costs no error, and of useful skills very few.
    """
    if totals.broken == totals.benefit_pairs >= rule.unkept_pairs:
        return f"your model did not keep this rule in {totals.broken} of {totals.broken} tries"
    if not totals.wins and totals.benefit_pairs >= rule.winless_pairs:
        return f"it was better in none of {totals.benefit_pairs} pairs"
    return None


def _can_show(totals: Totals, best: Totals, rule: ProofRule, look: LastLook | None) -> bool:
    """Whether the best that may come, all wins, would show a benefit or leave it to a look."""
    for_a_look = look is not None and may_extend(totals, rule) and best.log_e >= math.log(LOOK_E)
    return for_a_look or benefit_shown(best, rule)


def _not_shown(totals: Totals, rule: ProofRule, look: LastLook | None) -> str:
    said = f"{totals.pairs} pairs did not show a benefit"
    if look is None or not acceptance_chance(e_value_from_log(totals.log_e), rule.alpha):
        return said
    return f"{said}; the final draw, with a chance of {_chance(totals, rule)}, went against it"


def _chance(totals: Totals, rule: ProofRule) -> str:
    return f"{acceptance_chance(e_value_from_log(totals.log_e), rule.alpha):.0%}"


def _after_benefit(
    totals: Totals, rule: ProofRule, *, successes: int, by: ShownBy
) -> tuple[ProofState, str]:
    shown = f"{totals.wins} won, {totals.losses} lost of {totals.benefit_pairs} pairs"
    if by is ShownBy.LAST_LOOK:
        shown = f"{shown}; accepted by the final draw, with a chance of {_chance(totals, rule)}"
    most = budget(totals, rule, successes=successes)
    suspect = totals.harm_log_e >= math.log(rule.suspect_e)
    if not suspect and totals.success_pairs >= _successes_wanted(totals, rule, successes, most):
        held = f"{totals.success_pairs} past successes stayed good"
        none = "there was no past success to replay"
        return ProofState.PROVED, f"{shown}; {held if totals.success_pairs else none}"
    if totals.pairs >= most or not successes:
        if suspect:
            return ProofState.UNPROVED, f"{shown}; but it may spoil good answers"
        return ProofState.UNPROVED, f"{shown}; but too few past successes were replayed"
    return ProofState.UNDECIDED, f"{shown}; past successes are being replayed"


def _successes_wanted(totals: Totals, rule: ProofRule, successes: int, most: int) -> int:
    """Pairs on past successes that a benefit needs to count; 0 if there are none."""
    if not successes:
        return 0
    left = most - totals.benefit_pairs
    return max(rule.least_success_pairs, min(rule.success_pairs, left))


def _target(rule: ProofRule) -> float:
    return -math.log(rule.alpha)
