"""Tests of automatic rollback: it detects an adapter that does harm and seldom accuses another."""

from __future__ import annotations

import random

import pytest

from lull.core.adapters.adapter import (
    BASE,
    Arm,
    Shadow,
    chosen_arm,
    lineage,
    trial_assignment,
    trial_key,
)
from lull.core.adapters.rollback import FEWEST_EARLIER_SCORES, HARM_E, harm_e, harm_threshold
from lull.core.proof.holdout import HoldoutOutcome, Toss

NEW = Arm(version="new")
TRIAL = Shadow(id="adapter_2", arm=NEW, share=0.1)


def trial(rng: random.Random, count: int, *, old: float, new: float) -> list[HoldoutOutcome]:
    """Simulated conversations of a trial in which the new adapter answers one in ten; `old` and
    `new` are each arm's probability of a good one.
    """
    found = []
    for _ in range(count):
        mine = rng.random() < 0.1
        good = float(rng.random() < (new if mine else old))
        found.append(
            HoldoutOutcome(
                good=good, tosses={trial_key("adapter_2"): Toss(left_out=not mine, share=0.9)}
            )
        )
    return found


def test_a_mark_needs_enough_of_what_was_before() -> None:
    assert harm_threshold([0.9] * (FEWEST_EARLIER_SCORES - 1)) is None
    mark = harm_threshold([0.9] * FEWEST_EARLIER_SCORES)
    assert mark == pytest.approx(0.85)
    noisy = harm_threshold([1.0, 0.8] * 10)
    assert noisy is not None and noisy < 0.85, "less is known, so more is allowed"
    assert harm_threshold([0.0] * 50) is None, "below nothing there is nothing"


def test_harm_after_the_trial_is_noticed() -> None:
    assert harm_e("adapter_2", [], [0.1] * 40, [0.9] * 60) >= HARM_E
    assert harm_e("adapter_2", [], [0.9] * 400, [0.9] * 60) < 1.0
    assert harm_e("adapter_2", [], [], []) <= 1.0


def test_harm_in_a_trial_is_noticed() -> None:
    rng = random.Random(1)
    noticed = sum(
        harm_e("adapter_2", trial(rng, 600, old=0.9, new=0.2), [], []) >= HARM_E for _ in range(20)
    )
    assert noticed >= 18


@pytest.mark.full
@pytest.mark.slow
def test_false_alarms_stay_below_one_in_twenty() -> None:
    rng, tries, alarms = random.Random(2), 150, 0
    for _ in range(tries):
        outcomes = trial(rng, 200, old=0.8, new=0.8)
        before = [float(rng.random() < 0.8) for _ in range(100)]
        since = [float(rng.random() < 0.8) for _ in range(200)]
        looks = range(20, 201, 20)
        alarms += any(harm_e("adapter_2", outcomes[:n], since[:n], before) >= HARM_E for n in looks)
    assert alarms / tries <= 0.05


@pytest.mark.parametrize(
    ("before", "begins", "toss", "wanted"),
    [
        (None, True, 0.05, NEW),
        (None, True, 0.1, BASE),
        (None, False, 0.05, BASE),
        ("new", False, 0.9, NEW),
        ("older", False, 0.0, BASE),
    ],
)
def test_the_arm_of_a_trajectory(
    before: str | None, begins: bool, toss: float, wanted: Arm
) -> None:
    assert chosen_arm(BASE, TRIAL, before=before, begins=begins, toss=toss) == wanted
    assert chosen_arm(BASE, None, before=before, begins=begins, toss=toss) == BASE


def test_an_assignment_tells_the_old_one_s_chance() -> None:
    for arm, left_out in ((NEW, False), (BASE, True)):
        assignment = trial_assignment(TRIAL, arm)
        assert (assignment.left_out, assignment.share, assignment.sha256) == (
            left_out,
            pytest.approx(0.9),
            "new",
        )


HELD = Shadow(id="adapter_2", arm=Arm(version="older"), share=0.1, over="new")


@pytest.mark.parametrize(
    ("before", "begins", "toss", "wanted"),
    [
        (None, True, 0.05, "older"),
        (None, True, 0.1, "new"),
        ("older", False, 0.05, "older"),
        (
            "older",
            False,
            0.5,
            "new",
        ),  # began before the trial was over: nothing is held back for it
        ("new", False, 0.05, "new"),
    ],
)
def test_after_the_trial_a_few_stay_with_what_was_before(
    before: str | None, begins: bool, toss: float, wanted: str
) -> None:
    arm = chosen_arm(NEW, HELD, before=before, begins=begins, toss=toss)
    assert arm.version == wanted


def test_its_assignment_is_the_new_one_s_and_tells_the_chance_to_be_left_out() -> None:
    for arm, left_out in ((HELD.arm, True), (NEW, False)):
        assignment = trial_assignment(HELD, arm)
        assert (assignment.name, assignment.sha256) == ("adapter:adapter_2", "new")
        assert (assignment.left_out, assignment.share) == (left_out, 0.1)


def test_a_line_ends_also_where_it_bites_its_tail() -> None:
    assert lineage("c", {"c": "b", "b": "a", "a": None}) == ("c", "b", "a")
    assert lineage("b", {"b": "a", "a": "b"}) == ("b", "a")
    assert lineage(None, {}) == ()
