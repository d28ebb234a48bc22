"""Tests of the last look: a stored coin decides a proof that has used all its pairs."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.gates.exact import Numbers, ends
from lull.core.proof.evalue import e_bh_needs
from lull.core.proof.last_look import (
    LOOK_E,
    LastLook,
    acceptance_chance,
    last_look,
    number_from_seed,
)
from lull.core.proof.pairing import next_pair
from lull.core.proof.pairs import Pair, PairPart, Totals
from lull.core.proof.proof import (
    ProofDecision,
    ProofRule,
    ProofState,
    ShownBy,
    budget,
    decide,
    look_due,
    verdict,
)

RULE = ProofRule()
ALWAYS = LastLook(seed="", coin=1e-9)
NEVER = LastLook(seed="", coin=1 - 1e-9)
HOPEFUL = Totals(benefit_pairs=120, wins=40, losses=25)
"""Totals of a proof that has used all its pairs, with an e-value between 1 and 20."""


def test_a_seed_always_gives_the_same_coin() -> None:
    """Stored proofs are checked again with the coin of their seed, so the coin may never change."""
    assert number_from_seed("prop_1 abc") == pytest.approx(0.9869309071193725, abs=1e-15)
    assert last_look("prop_1 abc") == LastLook(
        seed="prop_1 abc", coin=number_from_seed("prop_1 abc")
    )
    assert number_from_seed("prop_1 abd") != number_from_seed("prop_1 abc")


@given(st.text())
def test_a_coin_lies_between_nothing_and_one(seed: str) -> None:
    assert 0.0 < number_from_seed(seed) < 1.0


def test_coins_fall_evenly() -> None:
    coins = [number_from_seed(f"prop_{number} text") for number in range(4000)]
    for part in range(10):
        share = sum(part / 10 <= coin < (part + 1) / 10 for coin in coins) / len(coins)
        assert share == pytest.approx(0.1, abs=0.02)


def test_the_chance_is_alpha_times_the_evidence_and_none_below_one() -> None:
    assert acceptance_chance(10.0, 0.05) == 0.5
    assert acceptance_chance(10.0, 0.02) == 0.2  # beside other candidates more is asked
    assert acceptance_chance(25.0, 0.05) == 1.0
    assert acceptance_chance(1.001, 0.05) > 0.05
    assert acceptance_chance(LOOK_E, 0.05) == 0.0


# What goes on


def test_a_proof_that_is_open_goes_on_after_its_first_pairs() -> None:
    open_one = Totals(benefit_pairs=60, wins=20, losses=12)
    assert 1 < math.exp(open_one.log_e) < 20
    assert verdict(open_one, RULE, successes=0)[0] is ProofState.UNDECIDED
    assert (budget(open_one, RULE, successes=0), budget(Totals(), RULE, successes=0)) == (120, 60)
    against = Totals(benefit_pairs=60, wins=12, losses=14)
    assert math.exp(against.log_e) < RULE.open_e
    assert verdict(against, RULE, successes=0, look=ALWAYS)[0] is ProofState.UNPROVED


def test_a_skill_that_won_nothing_gets_no_further_pairs() -> None:
    for count in (53, 60):
        alike = Totals(benefit_pairs=count)
        assert verdict(alike, RULE, successes=0, look=ALWAYS)[0] is ProofState.UNPROVED


def test_a_benefit_shown_among_the_first_pairs_keeps_to_their_number() -> None:
    early, late = (Totals(benefit_pairs=n, wins=30, losses=8) for n in (55, 56))
    assert budget(early, RULE, successes=3) == 60
    assert budget(late, RULE, successes=3) == 120


def test_there_is_room_for_past_successes_at_the_end_of_the_longest_proof() -> None:
    spent = replace(HOPEFUL, benefit_pairs=115)
    state, why = verdict(spent, RULE, successes=3, look=ALWAYS)
    assert (state, "past successes are being replayed" in why) == (ProofState.UNDECIDED, True)
    whole = replace(spent, success_pairs=5)
    assert verdict(whole, RULE, successes=3, look=ALWAYS)[0] is ProofState.PROVED
    spoilt = replace(spent, success_pairs=5, success_losses=3)
    assert verdict(spoilt, RULE, successes=3, look=ALWAYS)[0] is ProofState.UNPROVED


# The look


def test_the_coin_decides_when_the_pairs_are_spent_and_not_before() -> None:
    before = replace(HOPEFUL, benefit_pairs=119)
    assert verdict(before, RULE, successes=0, look=ALWAYS)[0] is ProofState.UNDECIDED
    assert not look_due(before, RULE, ALWAYS, successes=0)
    assert look_due(HOPEFUL, RULE, ALWAYS, successes=0)
    odds = acceptance_chance(math.exp(HOPEFUL.log_e), RULE.alpha)
    for coin, state in ((odds - 1e-9, ProofState.PROVED), (odds + 1e-9, ProofState.UNPROVED)):
        found, why = verdict(HOPEFUL, RULE, successes=0, look=LastLook(seed="", coin=coin))
        assert found is state
        assert "final draw" in why
    assert verdict(HOPEFUL, RULE, successes=0)[0] is ProofState.UNPROVED  # without a coin


def test_a_proof_by_evidence_needs_no_coin_and_says_so() -> None:
    pairs = [_pair(seed, 1) for seed in range(8)]
    for look in (None, ALWAYS, NEVER):
        decision = decide(pairs, RULE, successes=0, look=look)
        assert (decision.state, decision.shown_by) == (ProofState.PROVED, ShownBy.EVIDENCE)


def test_a_look_that_was_taken_is_the_last_whatever_the_rule_becomes() -> None:
    longer = replace(RULE, most_pairs=300)
    assert verdict(HOPEFUL, longer, successes=0, look=ALWAYS)[0] is ProofState.UNDECIDED
    for look, state in ((ALWAYS, ProofState.PROVED), (NEVER, ProofState.UNPROVED)):
        taken = replace(look, after=120)
        assert verdict(HOPEFUL, longer, successes=0, look=taken)[0] is state
        assert not look_due(HOPEFUL, longer, taken, successes=0)


def test_a_look_that_was_taken_stays_so_when_past_successes_fall_away() -> None:
    spent = replace(HOPEFUL, benefit_pairs=115)
    assert look_due(spent, RULE, NEVER, successes=3)
    taken = replace(NEVER, after=115)
    assert verdict(spent, RULE, successes=0, look=NEVER)[0] is ProofState.UNDECIDED
    assert verdict(spent, RULE, successes=0, look=taken)[0] is ProofState.UNPROVED


def test_harm_outweighs_the_last_look() -> None:
    harmful = replace(HOPEFUL, success_pairs=8, success_losses=8)
    assert verdict(harmful, RULE, successes=3, look=ALWAYS)[0] is ProofState.HARMFUL


def test_neighbours_count_what_a_look_accepted_with_its_own_evidence() -> None:
    accepted = decide(_spent(40, 25, 120), RULE, successes=0, look=ALWAYS)
    assert accepted.shown_by is ShownBy.LAST_LOOK
    assert 1 < accepted.e_value < 20
    assert e_bh_needs([accepted.e_value]) == e_bh_needs([1.0]) > e_bh_needs([20.0])


# Exactly, over every course that a small proof can take


SMALL = replace(RULE, alpha=0.4, first_pairs=4, most_pairs=7, open_e=0.9, least_success_pairs=0)
SMALL_NUMBERS = Numbers(alpha=0.4, first=4, most=7, open_e=0.9)
REQUESTS = [("f0", PairPart.FAILURE), ("f1", PairPart.FAILURE)]


@pytest.mark.parametrize(("win", "loss"), [(0.5, 0.5), (0.3, 0.3), (0.6, 0.2), (0.1, 0.4)])
def test_the_product_ends_as_often_in_each_way_as_the_exact_program_says(
    win: float, loss: float
) -> None:
    chances = {1: win, -1: loss, 0: 1 - win - loss}
    evidence = look = pairs = 0.0
    for course, decision in _courses():
        p = math.prod(chances[outcome] for outcome in course)
        pairs += p * decision.pairs
        if decision.shown_by is ShownBy.EVIDENCE:
            evidence += p
        elif decision.shown_by is ShownBy.LAST_LOOK:
            look += p * acceptance_chance(decision.e_value, SMALL.alpha)
    exact = ends(win, loss, SMALL_NUMBERS)
    assert evidence == pytest.approx(exact.by_evidence, abs=1e-6)
    assert look == pytest.approx(exact.by_last_look, abs=1e-6)
    assert pairs == pytest.approx(exact.pairs, abs=1e-6)
    if win == loss:
        assert 0.0 < look < evidence + look <= SMALL.alpha


@cache
def _courses() -> list[tuple[tuple[int, ...], ProofDecision]]:
    """All sequences of outcomes that a small proof can have, with a coin that accepts."""
    ended: list[tuple[tuple[int, ...], ProofDecision]] = []
    open_ones: list[tuple[tuple[int, ...], list[Pair]]] = [((), [])]
    while open_ones:
        course, done = open_ones.pop()
        wanted = next_pair(done, SMALL, requests=REQUESTS, key="k", look=ALWAYS)
        if wanted is None:
            ended.append((course, decide(done, SMALL, successes=0, look=ALWAYS)))
            continue
        for outcome in (1, -1, 0):
            pair = _pair(wanted.seed, outcome, wanted.request)
            open_ones.append(((*course, outcome), [*done, pair]))
    return ended


def _spent(wins: int, losses: int, count: int) -> list[Pair]:
    outcomes = [1] * wins + [-1] * losses + [0] * (count - wins - losses)
    return [_pair(seed, outcome) for seed, outcome in enumerate(outcomes)]


def _pair(seed: int, outcome: int, request: str = "f0") -> Pair:
    return Pair(
        request=request,
        part=PairPart.FAILURE,
        seed=seed,
        without=float(outcome < 0),
        with_=float(outcome > 0),
        scored_by="verifier",
    )
