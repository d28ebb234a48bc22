"""Tests of the adapter gate's decision: each check by itself, then the verdict from all of them."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lull.core.adapters.gate import (
    CheckState,
    GateRule,
    TargetTest,
    closeness,
    decide,
    family,
    manner,
    skill_retention,
    target,
)
from lull.core.adapters.gate_measured import (
    CanaryPair,
    Distance,
    Manner,
    Measures,
    TargetPair,
    manner_of,
)
from lull.core.adapters.gate_report import Verdict, verdict_from, verdict_json
from lull.core.adapters.gate_statistics import gain_bound, gain_log_e, harm_log_e, safe_log_e
from lull.core.provenance.leaks import leaks

RULE = GateRule()
NOW = datetime(2026, 11, 21, tzinfo=UTC)
GOOD, BAD = (True, True), (True, False)


def probes(*, held: int, lost: int = 0, won: int = 0, sampled: bool = False) -> list[CanaryPair]:
    sides = [(True, True)] * held + [(True, False)] * lost + [(False, True)] * won
    return [CanaryPair(family="code", old=o, new=n, sampled=sampled) for o, n in sides]


def targets(wins: int, losses: int = 0, ties: int = 0) -> list[TargetPair]:
    scores = [(0.0, 1.0)] * wins + [(1.0, 0.0)] * losses + [(0.5, 0.5)] * ties
    return [TargetPair(request=f"turn_{i}", old=o, new=n) for i, (o, n) in enumerate(scores)]


def said(*, characters: int = 100, repeated: float = 0.0, refused: bool = False) -> Manner:
    return Manner(characters=characters, repeated=repeated, refused=refused)


ALL_WELL = Measures(
    probes=tuple(probes(held=12)),
    targets=tuple(targets(25)),
    replay=(Distance(nats=0.1, tokens=10),),
    canaries=(Distance(nats=0.1, tokens=10),),
    manners=((said(), said()),) * 20,
    answers_searched=20,
)


def verdict(measures: Measures) -> Verdict:
    return decide(measures, RULE, at=NOW, against=None)


# Canaries


@pytest.mark.parametrize(("lost", "won"), [(0, 0), (1, 1), (0, 3)])
def test_a_family_holds_that_loses_no_more_than_it_wins(lost: int, won: int) -> None:
    look = family("code", probes(held=10, lost=lost, won=won), RULE)
    assert look.state is CheckState.HOLDS


def test_three_points_are_allowed_and_no_more() -> None:
    assert family("code", probes(held=97, lost=3), RULE).state is CheckState.HOLDS
    assert family("code", probes(held=96, lost=4), RULE).state is CheckState.OPEN


def test_one_probe_of_a_small_family_is_looked_at_again_and_many_are_not() -> None:
    assert family("code", probes(held=5, lost=1), RULE).state is CheckState.OPEN
    assert family("code", probes(held=10, lost=2), RULE).state is CheckState.FAILS


def test_a_second_look_shows_that_it_is_not_worse_or_that_it_is() -> None:
    first = probes(held=11, lost=1)
    safe = family("code", [*first, *probes(held=154, sampled=True)], RULE)
    assert safe.state is CheckState.HOLDS
    few = family("code", [*first, *probes(held=100, sampled=True)], RULE)
    assert few.state is CheckState.OPEN
    harm = family("code", [*first, *probes(held=30, lost=12, sampled=True)], RULE)
    assert harm.state is CheckState.FAILS
    assert "does not rule out that it is worse by 3 points" in harm.check.text


def test_a_second_look_ends_with_its_pairs() -> None:
    first, rng = probes(held=11, lost=1), random.Random(4)
    pairs = list(first)
    for _ in range(RULE.most_again):
        worse = rng.random() < 0.03
        pairs += probes(held=int(not worse), lost=int(worse), sampled=True)
    assert family("code", pairs, RULE).state is not CheckState.OPEN


def passes(wins_share: float, loss_share: float, rng: random.Random, rule: GateRule) -> bool:
    """Whether a second look at a canary family passes if these are its true shares of wins and
    losses; decided after each pair.
    """
    pairs = probes(held=11, lost=1)
    while True:
        drawn = rng.random()
        won = drawn < wins_share
        lost = not won and drawn < wins_share + loss_share
        pairs += probes(held=not (won or lost), lost=lost, won=won, sampled=True)
        look = family("code", pairs, rule)
        if look.state is not CheckState.OPEN:
            return look.state is CheckState.HOLDS


@pytest.mark.slow
@pytest.mark.parametrize(("won", "lost"), [(0.0, 0.03), (0.02, 0.05), (0.1, 0.15), (0.0, 0.1)])
def test_of_adapters_that_are_worse_at_most_one_in_twenty_gets_by(won: float, lost: float) -> None:
    rng, rule = random.Random(1), replace(RULE, most_again=300)
    share = sum(passes(won, lost, rng, rule) for _ in range(150)) / 150
    assert share <= 0.05


@pytest.mark.slow
def test_an_adapter_that_changes_hardly_anything_gets_by() -> None:
    rng = random.Random(2)
    assert sum(passes(0.01, 0.01, rng, RULE) for _ in range(60)) / 60 >= 0.8
    assert passes(0.0, 0.0, rng, RULE)


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, pytest.param(0.03, marks=pytest.mark.full)])
def test_the_bets_keep_their_promise_however_often_one_looks(margin: float) -> None:
    """At the edge of the null hypothesis and with a look after each of 400 pairs, each bet gives at
    most 5 % false alarms (and a margin for chance).
    """
    rng, tries = random.Random(3), 400
    alarms = [0, 0, 0]
    for _ in range(tries):
        wins = losses = ties = 0
        differences: list[float] = []
        crossed = [False] * 3
        for number in range(400):
            drawn = rng.random()
            worse = drawn < 0.1 + margin
            better = drawn > 0.9
            wins, losses, ties = wins + better, losses + worse, ties + (not (better or worse))
            differences.append(better - worse + 0.0)
            crossed[0] |= safe_log_e(wins, losses, ties, margin) >= 2.9957
            crossed[1] |= harm_log_e(wins, losses, ties, margin) >= 2.9957
            if number % 40 == 39 and margin == 0.0:
                crossed[2] |= gain_log_e(differences) >= 2.9957
        alarms = [a + c for a, c in zip(alarms, crossed, strict=True)]
    assert all(alarm / tries <= 0.05 + 0.03 for alarm in alarms)


# The target


def test_an_improvement_must_be_sure() -> None:
    assert target(targets(5), RULE).state is CheckState.OPEN
    assert target(targets(25), RULE).state is CheckState.HOLDS
    assert target(targets(0, 25), RULE).state is CheckState.FAILS
    assert target(targets(0, 0, 120), RULE).state is CheckState.FAILS
    assert target([], RULE).state is CheckState.OPEN


def test_it_ends_early_when_nothing_can_be_shown_any_more() -> None:
    look = target(targets(2, 2, 112), RULE)
    assert look.state is CheckState.FAILS
    assert "no improvement was shown" in look.check.text


def test_graded_scores_are_held_to_the_bound_that_was_announced() -> None:
    rule = replace(RULE, target=TargetTest.BOUND)
    small = [TargetPair(request=f"turn_{i}", old=0.4, new=0.6) for i in range(60)]
    look = target(small, rule)
    assert look.state is CheckState.HOLDS
    assert look.check.value is not None and 0.0 < look.check.value < 0.2
    even = [replace(pair, new=0.4) for pair in small]
    assert target(even, rule).state is CheckState.OPEN
    assert gain_bound([]) == -1.0
    with pytest.raises(ValueError, match="in \\[-1, 1\\]"):
        gain_log_e([1.5])


def test_what_a_skill_gained_must_be_kept() -> None:
    taught = [TargetPair(request="t", old=0.0, new=float(i < 9), taught=1.0) for i in range(10)]
    (look,) = skill_retention(taught, RULE)
    assert look.state is CheckState.HOLDS and look.check.value == pytest.approx(0.9)
    (look,) = skill_retention(
        [replace(pair, new=float(i < 8)) for i, pair in enumerate(taught)], RULE
    )
    assert look.state is CheckState.FAILS
    (look,) = skill_retention([replace(pair, taught=0.0) for pair in taught], RULE)
    assert look.state is CheckState.FAILS
    assert skill_retention(targets(5), RULE) == []


# Closeness, manner, secrets


def test_tokens_weigh_alike_and_the_budget_is_a_mean() -> None:
    long, short = Distance(nats=0.0, tokens=90), Distance(nats=4.0, tokens=10)
    assert closeness("kl:replay", [long, short], 0.05, "x").state is CheckState.HOLDS
    assert closeness("kl:replay", [short], 0.05, "x").state is CheckState.FAILS
    broken = [Distance(nats=float("nan"), tokens=1)]
    assert closeness("kl:replay", broken, 0.05, "x").state is CheckState.FAILS
    assert closeness("kl:canaries", [], 0.02, "x").state is CheckState.OPEN
    assert closeness("kl:replay", [], 0.05, "x").state is CheckState.HOLDS


@pytest.mark.parametrize(
    ("new", "failing"),
    [
        (said(characters=114), set()),
        (said(characters=116), {"length"}),
        (said(characters=84), {"length"}),
        (said(repeated=0.5), {"repetition"}),
        (said(refused=True), {"refusals"}),
    ],
)
def test_manner_stays_within_fifteen_percent(new: Manner, failing: set[str]) -> None:
    looks = manner([(said(), new)] * 20, RULE)
    assert {look.check.name for look in looks if look.state is CheckState.FAILS} == failing


def test_one_answer_more_or_less_is_no_drift_of_a_rate_near_zero() -> None:
    pairs = [(said(), said())] * 19 + [(said(), said(refused=True))]
    assert all(look.state is CheckState.HOLDS for look in manner(pairs, RULE))


def test_repetition_is_told_by_runs_of_words() -> None:
    assert manner_of("a b c d e f", refused=False).repeated == 0.0
    assert manner_of("a b c " * 9, refused=False).repeated > 0.8
    assert manner_of("", refused=False) == Manner(characters=0, repeated=0.0, refused=False)


def test_secrets_are_named_without_their_text() -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    assert leaks(f"it is {key}", "what is it?") == ["aws-key"]
    assert leaks(f"it is {key}", f"my key is {key}") == []
    assert leaks("it is ⟨secret:aws-key:1⟩", "") == ["a placeholder of a secret"]
    assert leaks("the tulip code is 7781", "", ["the tulip code is 7781"]) == ["planted text 1"]
    assert leaks("it is AB12CD34", "what is AB12CD34?", ["AB12CD34"]) == []
    assert leaks("nothing to see", "") == []


# All of them


def test_what_holds_everywhere_is_accepted_with_its_reasons() -> None:
    given = verdict(ALL_WELL)
    assert given.accepted
    assert all(check.holds for check in given.checks)
    assert len(given.reasons) == len(given.checks)
    assert verdict_from(verdict_json(given)) == given


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"probes": tuple(probes(held=6, lost=6))}, "canaries:code"),
        ({"probes": ()}, "canaries"),
        ({"targets": tuple(targets(1))}, "target"),
        ({"replay": (Distance(nats=1.0, tokens=10),)}, "kl:replay"),
        ({"canaries": (Distance(nats=1.0, tokens=10),)}, "kl:canaries"),
        ({"manners": ((said(), said(characters=300)),) * 20}, "length"),
        ({"manners": ()}, "manner"),
        ({"leaks": ("aws-key",)}, "secrets"),
        ({"answers_searched": 0}, "secrets"),
    ],
)
def test_one_thing_that_does_not_hold_is_enough(change: dict[str, object], name: str) -> None:
    given = verdict(replace(ALL_WELL, **change))  # type: ignore[arg-type]
    assert not given.accepted
    assert [check.name for check in given.checks if not check.holds] == [name]
    (reason,) = given.reasons
    assert reason and "Measures" not in reason
