"""Tests of a turn's reward: how votes are counted, and which source decides."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.feedback.reward import (
    GREY,
    Reward,
    Source,
    Vote,
    combined,
    is_failure,
    majority,
    trainable,
)


def votes(*scores: int | None) -> list[Vote | None]:
    return [None if score is None else Vote(score=score, reason="because") for score in scores]


def reward(source: Source, value: float, p_good: float | None = None) -> Reward:
    p = (value + 1) / 2 if p_good is None else p_good
    return Reward(value=value, p_good=p, source=source)


rewards = st.builds(
    reward,
    st.sampled_from(Source),
    st.floats(-1, 1),
)


@pytest.mark.parametrize(
    ("given_votes", "verdict"),
    [
        ((1, 1, 1), 1),
        ((1, 1, -1), 1),
        ((-1, 0, -1), -1),
        ((0, 0, 1), 0),
        ((1, 1, None), 1),
        ((-1, None, -1), -1),
    ],
)
def test_what_most_of_the_readable_votes_say_is_the_verdict(
    given_votes: tuple[int | None, ...], verdict: int
) -> None:
    assert majority(votes(*given_votes)) == verdict


@pytest.mark.parametrize(
    "given_votes",
    [
        (),
        (None, None, None),
        (1, None, None),
        (1, -1, None),
        (1, 0, -1),
        (0, 1, None),
        (1, 1, 0, -1),
        (1, 1, -1, -1, 0),
    ],
)
def test_a_tie_and_a_lone_voice_are_no_verdict(given_votes: tuple[int | None, ...]) -> None:
    assert majority(votes(*given_votes)) is None


@given(st.lists(st.sampled_from([-1, 0, 1, None]), max_size=7))
def test_the_order_of_votes_does_not_matter_and_failures_count_for_nothing(
    scores: list[int | None],
) -> None:
    readable = [score for score in scores if score is not None]
    assert majority(votes(*scores)) == majority(votes(*readable))
    assert majority(votes(*readable)) == majority(votes(*reversed(readable)))


@pytest.mark.parametrize("score", [-2, 2, 7])
def test_a_vote_off_the_scale_is_refused(score: int) -> None:
    with pytest.raises(ValueError, match="-1, 0 or 1"):
        Vote(score=score, reason="")


@pytest.mark.parametrize("value", [-1.01, 1.5, math.nan, math.inf])
def test_a_reward_off_the_scale_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="between -1 and 1"):
        Reward(value=value, p_good=0.5, source=Source.JUDGE)


@pytest.mark.parametrize("p", [-0.01, 1.01, math.nan])
def test_a_probability_off_the_scale_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Reward(value=0.0, p_good=p, source=Source.JUDGE)


def test_the_order_of_trust_is_rating_then_checks_then_reaction_then_judge() -> None:
    order = sorted(Source, key=lambda source: source.trust)
    assert order == [Source.EXPLICIT, Source.VERIFIABLE, Source.IMPLICIT, Source.JUDGE]


@given(st.lists(rewards, min_size=1, max_size=8))
def test_the_most_trusted_that_speaks_decides_and_the_rest_are_silent(said: list[Reward]) -> None:
    found = combined(said)
    assert found is not None
    assert found in said
    assert all(found.source.trust <= other.source.trust for other in said)
    heard = [other for other in said if other.source is found.source]
    assert combined(heard) == found


def test_nobody_speaking_is_no_reward() -> None:
    assert combined([]) is None
    assert combined([None, None]) is None


def test_one_failed_check_outweighs_those_that_passed() -> None:
    good, bad = reward(Source.VERIFIABLE, 1.0), reward(Source.VERIFIABLE, -1.0)
    assert combined([bad, good]) == bad
    assert combined([good, bad, good]) == bad


def test_thanks_take_no_correction_back() -> None:
    correction, thanks = reward(Source.IMPLICIT, -1.0), reward(Source.IMPLICIT, 1.0)
    assert combined([correction, thanks]) == correction


def test_a_rating_may_be_changed() -> None:
    good, bad = reward(Source.EXPLICIT, 1.0), reward(Source.EXPLICIT, -1.0)
    assert combined([bad, good]) == good
    assert combined([good, bad]) == bad


@given(st.floats(0, 1))
def test_a_turn_is_failed_or_grey_or_neither_but_never_two_of_them(p: float) -> None:
    one = reward(Source.JUDGE, 0.0, p)
    assert not (is_failure(one) and not trainable(one))
    assert trainable(one) == (p < GREY[0] or p > GREY[1])


@pytest.mark.parametrize("p", GREY)
def test_the_ends_of_the_grey_zone_are_grey(p: float) -> None:
    assert not trainable(reward(Source.JUDGE, 0.0, p))
    assert not is_failure(reward(Source.JUDGE, 0.0, p))
