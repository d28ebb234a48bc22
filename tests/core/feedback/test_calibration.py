"""Tests of calibration: how far each source is believed, and how the user's labels change that."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.feedback.calibration import (
    Calibration,
    Counts,
    RatingCandidate,
    agreement,
    corrected_rate,
    may_train_on_judge,
    p_good,
    question_of_the_day,
    rates,
    wilson,
)
from lull.core.feedback.reward import GREY, Reward, Source, is_failure, trainable

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
counts = st.builds(
    Counts,
    tp=st.integers(0, 500),
    fn=st.integers(0, 500),
    fp=st.integers(0, 500),
    tn=st.integers(0, 500),
)
sources = st.sampled_from(Source)


# p_good


@pytest.mark.parametrize("source", list(Source))
def test_a_lone_verdict_is_believed_enough_to_be_used_before_any_label(source: Source) -> None:
    good = Reward(value=1.0, p_good=p_good(1.0, source), source=source)
    bad = Reward(value=-1.0, p_good=p_good(-1.0, source), source=source)
    assert trainable(good)
    assert not is_failure(good)
    assert is_failure(bad)


def test_the_more_trusted_say_more() -> None:
    said = [p_good(1.0, source) for source in (Source.JUDGE, Source.IMPLICIT, Source.VERIFIABLE)]
    assert said == sorted(said)
    assert p_good(1.0, Source.EXPLICIT) > 0.98
    assert p_good(-1.0, Source.EXPLICIT) < 0.02
    assert p_good(1.0, Source.VERIFIABLE) > 0.95
    assert p_good(-1.0, Source.IMPLICIT) == pytest.approx(0.1)


@given(sources, counts, st.floats(0, 1))
def test_a_verdict_of_neither_is_grey(source: Source, known: Counts, prior: float) -> None:
    assert GREY[0] - 1e-9 <= p_good(0.0, source, known, prior=prior) <= GREY[1] + 1e-9


@given(sources, counts, st.floats(0, 1), st.floats(-1, 1), st.floats(-1, 1))
def test_a_better_verdict_never_makes_it_worse(
    source: Source, known: Counts, prior: float, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    worse = p_good(low, source, known, prior=prior)
    better = p_good(high, source, known, prior=prior)
    assert 0.0 < worse <= better + 1e-12 < 1.0 + 1e-12


@given(sources, counts, st.floats(0, 1), st.floats(-1, 0))
def test_what_a_source_calls_bad_is_never_learned_as_good(
    source: Source, known: Counts, prior: float, value: float
) -> None:
    assert p_good(value, source, known, prior=prior) <= GREY[1] + 1e-9


def test_it_is_the_rule_of_bayes() -> None:
    known = Counts(tp=72, fn=18, fp=6, tn=54)
    found = rates(Source.JUDGE, known)
    says_good = 0.4 * found.sensitivity + 0.6 * (1 - found.specificity)
    posterior = 0.4 * found.sensitivity / says_good
    assert p_good(1.0, Source.JUDGE, known, prior=0.4) == pytest.approx(posterior)
    says_bad = 0.4 * (1 - found.sensitivity) + 0.6 * found.specificity
    posterior = 0.4 * (1 - found.sensitivity) / says_bad
    assert p_good(-1.0, Source.JUDGE, known, prior=0.4) == pytest.approx(posterior)


def test_a_judge_that_calls_all_good_is_soon_believed_in_nothing() -> None:
    always = Counts(tp=40, fp=40)
    assert not trainable(
        Reward(value=1.0, p_good=p_good(1.0, Source.JUDGE, always), source=Source.JUDGE)
    )


def test_a_judge_that_is_worse_than_chance_is_ignored_and_not_turned_round() -> None:
    wrong = Counts(fn=90, fp=90, tp=10, tn=10)
    for value in (-1.0, 1.0):
        assert GREY[0] <= p_good(value, Source.JUDGE, wrong) <= GREY[1]


def test_a_few_labels_do_not_tip_a_source_over() -> None:
    assert p_good(1.0, Source.IMPLICIT, Counts(fp=1)) > GREY[1]
    assert p_good(1.0, Source.IMPLICIT, Counts(fp=60)) < GREY[1]


# Labels


def test_labels_are_counted_for_each_source_that_took_a_side() -> None:
    found = Calibration.of(
        [
            (True, {Source.JUDGE: 1.0, Source.IMPLICIT: -1.0}),
            (True, {Source.JUDGE: 0.0}),
            (False, {Source.JUDGE: 1.0}),
            (False, {Source.JUDGE: -0.5}),
            (False, {}),
        ]
    )
    assert found.counts[Source.JUDGE] == Counts(tp=1, fp=1, tn=1)
    assert found.counts[Source.IMPLICIT] == Counts(fn=1)
    assert Source.VERIFIABLE not in found.counts
    assert found.p_good(1.0, Source.VERIFIABLE) == p_good(1.0, Source.VERIFIABLE)


@given(counts, sources)
def test_labels_that_agree_raise_belief(known: Counts, source: Source) -> None:
    one_more = known.with_pair(good=True, value=1.0)
    assert rates(source, one_more).sensitivity > rates(source, known).sensitivity
    assert rates(source, one_more).specificity == rates(source, known).specificity


# The true rate


def test_the_corrected_rate_is_rogan_and_gladen() -> None:
    found = rates(Source.JUDGE, Counts(tp=792, fn=200, fp=200, tn=792))
    share = corrected_rate(560, 1000, found)
    expected = (0.56 + found.specificity - 1) / (found.sensitivity + found.specificity - 1)
    assert share.value == pytest.approx(expected)
    assert share.low < share.value < share.high
    assert share.n == 1000


def test_the_interval_covers_the_truth() -> None:
    """Simulated: with 100 labels of each kind for a judge of sensitivity 0.85 and specificity 0.80,
    about 19 of 20 intervals hold the true rate.
    """
    chance = random.Random(3)
    covered = 0
    for _ in range(1500):
        true, right = chance.uniform(0.1, 0.9), (0.85, 0.80)
        tp = sum(chance.random() < right[0] for _ in range(100))
        tn = sum(chance.random() < right[1] for _ in range(100))
        says_good = true * right[0] + (1 - true) * (1 - right[1])
        good = sum(chance.random() < says_good for _ in range(200))
        found = rates(Source.JUDGE, Counts(tp=tp, fn=100 - tp, fp=100 - tn, tn=tn))
        share = corrected_rate(good, 200, found)
        covered += share.low <= true <= share.high
    assert 0.93 <= covered / 1500 <= 0.99


@given(st.integers(0, 300), st.integers(0, 300), sources, counts)
def test_a_rate_is_a_share_within_its_interval(
    one: int, other: int, source: Source, known: Counts
) -> None:
    good, n = sorted((one, other))
    share = Calibration(counts={source: known}).true_rate(source, good=good, n=n)
    assert 0.0 <= share.low <= share.value <= share.high <= 1.0


def test_a_source_that_says_nothing_gives_no_narrow_interval() -> None:
    useless = rates(Source.JUDGE, Counts(tp=500, fn=500, fp=500, tn=500))
    share = corrected_rate(70, 100, useless)
    assert (share.low, share.high) == (0.0, 1.0)
    assert corrected_rate(0, 0, useless).n == 0


@pytest.mark.parametrize(("good", "n"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(good: int, n: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        corrected_rate(good, n, rates(Source.JUDGE, Counts()))
    with pytest.raises(ValueError, match="no share"):
        wilson(good, n)


def test_wilson_gives_known_values() -> None:
    share = wilson(8, 10)
    assert (share.low, share.high) == (
        pytest.approx(0.4902, abs=1e-4),
        pytest.approx(0.9433, abs=1e-4),
    )
    assert wilson(0, 0).n == 0
    assert wilson(0, 10).low == 0.0
    assert wilson(10, 10).high == 1.0


# The question of the day


def doubt(turn: str, judge: float | None, signals: float | None) -> RatingCandidate:
    return RatingCandidate(turn=turn, judge=judge, signals=signals)


def test_the_turn_of_the_largest_disagreement_is_asked_about() -> None:
    doubts = [doubt("a", 0.7, 0.3), doubt("b", 0.75, 0.05), doubt("c", 0.9, 0.9)]
    assert question_of_the_day(doubts, asked_last=None, now=NOON) == "b"


def test_nobody_is_asked_where_nothing_is_in_doubt() -> None:
    doubts = [doubt("a", 0.7, 0.6), doubt("b", None, 0.1), doubt("c", 0.9, None)]
    assert question_of_the_day(doubts, asked_last=None, now=NOON) is None
    assert question_of_the_day([], asked_last=None, now=NOON) is None


@given(st.integers(0, 72))
def test_one_question_in_a_day_is_enough(hours: int) -> None:
    asked = question_of_the_day(
        [doubt("a", 0.9, 0.1)], asked_last=NOON, now=NOON + timedelta(hours=hours)
    )
    assert (asked is not None) == (hours >= 24)


def test_a_question_by_a_clock_set_ahead_keeps_no_other_from_being_asked() -> None:
    later = NOON + timedelta(days=400)
    assert question_of_the_day([doubt("a", 0.9, 0.1)], asked_last=later, now=NOON) == "a"


# The judge beside checks


def test_agreement_counts_only_where_both_took_a_side() -> None:
    found = agreement([(1.0, 1.0), (-1.0, -0.5), (1.0, -1.0), (0.0, 1.0), (1.0, 0.0)])
    assert (found.value, found.n) == (pytest.approx(2 / 3), 3)


@pytest.mark.parametrize(
    ("agreed", "n", "may"),
    [
        (0, 0, True),
        (1, 3, True),
        (0, 3, False),
        (5, 10, True),
        (2, 10, False),
        (13, 20, False),
        (14, 20, True),
        (69, 100, False),
        (95, 100, True),
    ],
)
def test_below_seventy_percent_judged_labels_are_not_trained_on(
    agreed: int, n: int, may: bool
) -> None:
    found = agreement([(1.0, 1.0)] * agreed + [(1.0, -1.0)] * (n - agreed))
    allowed, why = may_train_on_judge(found)
    assert allowed is may
    assert why.endswith(".")
    if not may:
        assert "70%" in why
        assert f"of {n} answers" in why
