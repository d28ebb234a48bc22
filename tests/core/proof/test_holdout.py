"""Tests of the live holdout: a skill's effect is measured by leaving it out at random, and harm is
noticed with few false alarms.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.core.proof.holdout import (
    HELP_E,
    HOLDOUT_SHARE,
    HoldoutOutcome,
    Toss,
    effect,
    hashed_coin,
    left_out,
    live_harm_e,
    live_help_e,
    stale,
    thompson,
    to_retire,
)
from lull.core.skills.skill import SkillKey

A, B, C = (SkillKey("", name) for name in ("a", "b", "c"))
SHARE = 0.15
"""Share of simulated trajectories without the skill; for users it is at most HOLDOUT_SHARE."""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def lived(
    n: int,
    effects: Mapping[SkillKey, float],
    chance: Random,
    *,
    base: float = 0.5,
    weather: float = 0.0,
    share: float = SHARE,
) -> list[HoldoutOutcome]:
    """Simulated trajectories, good or bad; `weather` makes whole stretches easier or harder."""
    found = []
    for i in range(n):
        tosses = {key: Toss(left_out=chance.random() < share, share=share) for key in effects}
        good = base + weather * math.sin(i / 20)
        good += sum(effects[key] for key, toss in tosses.items() if not toss.left_out)
        found.append(HoldoutOutcome(good=float(chance.random() < good), tosses=tosses))
    return found


def highest_e(outcomes: list[HoldoutOutcome], *, every: int = 5) -> float:
    """The highest e-value for harm that somebody sees who looks after every `every` outcomes."""
    return max(live_harm_e(outcomes[:n], A) for n in range(0, len(outcomes) + 1, every))


# The coin


def test_no_more_than_one_in_fifty_trajectories_goes_without() -> None:
    coin = hashed_coin("secret")
    tosses = [left_out(A, f"t{i}", "", coin=coin) for i in range(20_000)]
    assert all(toss.share == HOLDOUT_SHARE for toss in tosses)
    assert HOLDOUT_SHARE == 0.02
    assert sum(toss.left_out for toss in tosses) / 20_000 == pytest.approx(0.02, abs=0.004)


def test_the_coins_of_two_skills_know_nothing_of_each_other() -> None:
    coin = hashed_coin("secret")
    both = Counter(
        tuple(left_out(one, f"t{i}", "", share=SHARE, coin=coin).left_out for one in (A, B))
        for i in range(40_000)
    )
    assert both[True, True] / 40_000 == pytest.approx(SHARE**2, abs=0.004)


def test_a_trajectory_keeps_its_coin_and_others_get_their_own() -> None:
    coin = hashed_coin("secret")

    def side(key: SkillKey, client: str, secret: str = "secret") -> list[bool]:
        own = hashed_coin(secret)
        return [left_out(key, f"t{i}", client, coin=own).left_out for i in range(200)]

    first = side(A, "")
    assert first == [left_out(A, f"t{i}", "", coin=coin).left_out for i in range(200)]
    others = [side(B, ""), side(SkillKey("x", "a"), ""), side(A, "x"), side(A, "", "other")]
    assert all(first != other for other in others)


@given(st.text(max_size=5), st.text(max_size=5), st.floats(0, 0.99))
def test_any_id_can_be_tossed_for(trajectory: str, client: str, share: float) -> None:
    toss = left_out(A, trajectory, client, share=share, coin=hashed_coin("s"))
    assert toss.share == share
    assert not (toss.left_out and share == 0.0)


@pytest.mark.parametrize("share", [-0.1, 1.0, math.nan])
def test_a_share_off_the_scale_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="share"):
        left_out(A, "t", "", share=share, coin=hashed_coin("s"))


@pytest.mark.parametrize(("good", "share"), [(1.1, 0.15), (math.nan, 0.15), (0.5, 0.0), (0.5, 1.0)])
def test_an_outcome_that_says_nothing_is_refused(good: float, share: float) -> None:
    with pytest.raises(ValueError, match=r"outcome|coin"):
        HoldoutOutcome(good=good, tosses={A: Toss(left_out=False, share=share)})


# The effect


@pytest.mark.full
@pytest.mark.parametrize(
    ("effects", "base"),
    [
        ({A: 0.0}, 0.5),
        ({A: 0.3, B: -0.3}, 0.5),
        ({A: -0.3, B: 0.1, C: 0.1}, 0.7),
        ({A: 0.0, B: 0.4}, 0.3),
    ],
)
def test_the_interval_covers_the_effect(effects: dict[SkillKey, float], base: float) -> None:
    """Simulated, 150 trajectories each: at least about 19 of 20 intervals hold the true effect."""
    chance = Random(7)
    covered = widths = 0.0
    for _ in range(250):
        found = effect(lived(150, effects, chance, base=base), A)
        assert found is not None
        covered += found.low <= effects[A] <= found.high
        widths += found.high - found.low
    assert covered / 250 >= 0.92
    assert widths / 250 < 0.6


@pytest.mark.full
def test_with_many_trajectories_the_effect_is_seen() -> None:
    found = effect(lived(4000, {A: 0.2, B: -0.2}, Random(1), weather=0.1), A)
    assert found is not None
    assert found.n == 4000
    assert 0.1 < found.low < found.value < found.high < 0.3


def test_what_others_do_is_not_this_skills_doing() -> None:
    chance = Random(2)
    alone = [effect(lived(300, {A: 0.0, B: 0.5}, chance, base=0.2), A) for _ in range(60)]
    values = [found.value for found in alone if found is not None]
    assert len(values) == 60
    assert abs(sum(values) / 60) < 0.03


def test_the_chance_may_have_been_changed_meanwhile() -> None:
    """Outcomes are weighted by the share at their time, so that an easy month in which few were
    left out does not bias the effect.
    """
    chance = Random(4)
    found = effect(
        [
            *lived(3000, {A: 0.0}, chance, base=0.9, share=0.1),
            *lived(3000, {A: 0.0}, chance, base=0.3, share=0.5),
        ],
        A,
    )
    assert found is not None
    assert abs(found.value) < 0.05


def test_without_both_sides_there_is_no_effect() -> None:
    here, gone = Toss(left_out=False, share=0.15), Toss(left_out=True, share=0.15)
    assert effect([], A) is None
    assert effect([HoldoutOutcome(good=1.0, tosses={A: here})] * 5, A) is None
    assert effect([HoldoutOutcome(good=1.0, tosses={A: gone})] * 5, A) is None
    assert effect([HoldoutOutcome(good=1.0, tosses={B: here})] * 5, A) is None


def test_a_few_equal_outcomes_are_no_certainty() -> None:
    here, gone = Toss(left_out=False, share=0.15), Toss(left_out=True, share=0.15)
    found = effect(
        [HoldoutOutcome(good=1.0, tosses={A: here})] * 6
        + [HoldoutOutcome(good=1.0, tosses={A: gone})] * 2,
        A,
    )
    assert found is not None
    assert found.low < -0.2
    assert found.high > 0.2


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.booleans(), st.booleans(), st.floats(0.05, 0.95)), max_size=40
    )
)
def test_no_history_breaks_the_estimate(rows: list[tuple[float, bool, bool, float]]) -> None:
    outcomes = [
        HoldoutOutcome(
            good=good,
            tosses={A: Toss(left_out=a, share=share), B: Toss(left_out=b, share=share)},
        )
        for good, a, b, share in rows
    ]
    found = effect(outcomes, A)
    if found is not None:
        assert -1.0 <= found.low <= found.value <= found.high <= 1.0
    assert live_harm_e(outcomes, A) >= 0.0


# Harm


@pytest.mark.full
@pytest.mark.parametrize(
    ("gain", "base", "weather"),
    [(0.0, 0.5, 0.0), (0.0, 0.5, 0.4), (0.0, 0.9, 0.1), (0.2, 0.4, 0.2)],
)
def test_a_harmless_skill_is_hardly_ever_retired(gain: float, base: float, weather: float) -> None:
    """Simulated, with a look after every fifth of 200 trajectories: at most 5 % may be retired."""
    chance = Random(11)
    alarms = sum(
        to_retire(highest_e(lived(200, {A: gain, B: 0.0}, chance, base=base, weather=weather)))
        for _ in range(150)
    )
    assert alarms / 150 <= 0.05


def test_the_bet_is_fair_whatever_the_outcome_is() -> None:
    """Exact: averaged over the coin flip, a skill without effect leaves the e-value as it was."""
    history = lived(40, {A: 0.0}, Random(5))
    for good in (0.0, 0.3, 1.0):
        for share in (0.15, 0.5, 0.8):
            after = sum(
                weight
                * live_harm_e(
                    [
                        *history,
                        HoldoutOutcome(good=good, tosses={A: Toss(left_out=out, share=share)}),
                    ],
                    A,
                )
                for out, weight in ((True, share), (False, 1.0 - share))
            )
            assert after == pytest.approx(live_harm_e(history, A), rel=1e-9)


def test_a_harmful_skill_is_found() -> None:
    chance = Random(3)
    found = sum(
        to_retire(highest_e(lived(400, {A: -0.4}, chance, base=0.9), every=20)) for _ in range(30)
    )
    assert found >= 28


def test_help_is_harm_the_other_way_round() -> None:
    outcomes = lived(60, {A: -0.4}, Random(7), base=0.9)
    turned = [HoldoutOutcome(good=1.0 - one.good, tosses=one.tosses) for one in outcomes]
    assert live_help_e(turned, A) == pytest.approx(live_harm_e(outcomes, A))


def test_a_skill_that_everybody_misses_when_it_is_left_out_is_soon_sure() -> None:
    """Half of these skills surely help after 40 conversations, about six of them without it."""
    chance = Random(9)
    lives = [lived(40, {A: 0.9}, chance, base=0.05) for _ in range(40)]
    assert sum(live_help_e(life, A) >= HELP_E for life in lives) >= 20


@pytest.mark.full
@pytest.mark.parametrize(("base", "weather"), [(0.5, 0.4), (0.9, 0.1), (0.1, 0.1)])
def test_a_skill_that_does_nothing_is_hardly_ever_held_for_a_help(
    base: float, weather: float
) -> None:
    """Simulated, with a look at every 5th of 200 trajectories: at most 5 % may seem to help."""
    chance = Random(12)
    taken_in = 0
    for _ in range(150):
        life = lived(200, {A: 0.0}, chance, base=base, weather=weather)
        taken_in += any(live_help_e(life[:n], A) >= HELP_E for n in range(0, 201, 5))
    assert taken_in / 150 <= 0.05


def test_trajectories_without_its_coin_say_nothing() -> None:
    known = lived(50, {A: -0.5}, Random(6), base=0.9)
    other = lived(50, {B: -0.5}, Random(6), base=0.9)
    assert live_harm_e([*known, *other], A) == live_harm_e(known, A)
    assert live_harm_e([], A) == 1.0


def test_retirement_begins_at_twenty() -> None:
    assert to_retire(20.0)
    assert not to_retire(19.9)


# Stale, and no room for all


@given(st.integers(0, 200))
def test_sixty_days_without_use_are_stale(days: int) -> None:
    assert stale(NOON - timedelta(days=days), NOON) == (days >= 60)


def test_the_better_skill_is_chosen_more_often_and_the_unknown_gets_its_turn() -> None:
    records = {A: (40.0, 10.0), B: (10.0, 40.0), C: (0.0, 0.0)}
    chance = Random(9)
    first = Counter(thompson(records, at_most=1, chance=chance)[0] for _ in range(500))
    assert first[A] > first[C] > first[B]
    assert first[C] > 50


def test_the_same_chance_gives_the_same_choice_of_at_most_so_many() -> None:
    records = {A: (4.0, 1.0), B: (1.0, 4.0), C: (2.0, 2.0)}
    shuffled = {key: records[key] for key in (C, A, B)}
    chosen = thompson(records, at_most=2, chance=Random(1))
    assert chosen == thompson(shuffled, at_most=2, chance=Random(1))
    assert len(chosen) == len(set(chosen)) == 2
    assert thompson(records, at_most=0, chance=Random(1)) == []
    assert thompson({}, at_most=3, chance=Random(1)) == []
