"""Tests of which rated answers train, which are kept out, and how these are paired."""

from __future__ import annotations

import random

from lull.core.training.ratings import (
    LEAST_OF_A_KIND,
    RATED_STEPS,
    RatedTurn,
    learnable_kinds,
    pair_ratings,
    passes_over_ratings,
    rating_held_out,
)
from lull.core.training.rollout import held_out
from lull.pocket import language as pocket


def rated(number: int, kind: str, asked: str, *, good: bool) -> RatedTurn:
    return RatedTurn(turn=f"turn_{number:03}", kind=kind, asked=asked, good=good)


def many(count: int, kind: str, *, bad_of: int, seed: int = 1) -> list[RatedTurn]:
    """Ratings of distinct requests, one in `bad_of` of them good."""
    chance = random.Random(f"{kind} {seed}")
    return [
        rated(
            number,
            kind,
            f"{kind} {' '.join(chance.sample(pocket.WORDS, 3))}",
            good=number % bad_of == 0,
        )
        for number in range(count)
    ]


def test_half_of_the_requests_are_kept_out_and_always_the_same() -> None:
    asked = [one.asked for one in many(2000, "note", bad_of=2)]
    kept = [one for one in asked if rating_held_out(one)]
    assert 0.45 < len(kept) / len(asked) < 0.55
    assert all(rating_held_out(f"  {one.upper()} ") for one in kept)
    assert all(rating_held_out(one) for one in asked if held_out(one))


def test_a_kind_is_learned_from_only_if_both_labels_are_there() -> None:
    both = many(12 * LEAST_OF_A_KIND, "note", bad_of=6)
    good = [rated(900 + n, "plan", f"plan {n}", good=True) for n in range(50)]
    slips = [rated(990 + n, "plan", f"plan slip {n}", good=False) for n in range(2)]
    assert learnable_kinds([*both, *good, *slips]) == {"note"}
    unknown = [rated(n, "", f"how {n}", good=n % 2 == 0) for n in range(2 * LEAST_OF_A_KIND)]
    assert learnable_kinds(unknown) == {""}
    assert learnable_kinds(unknown[1:]) == frozenset()


def test_each_answer_is_in_one_pair_and_only_with_one_of_its_kind() -> None:
    ratings = [
        *many(60, "note", bad_of=6),
        *(rated(500 + n, "route", f"route {n}", good=n % 2 == 0) for n in range(10)),
    ]
    of = {one.turn: one for one in ratings}
    pairs = pair_ratings(ratings, {"note", "route"})
    assert len(pairs) == 10 + 5
    for side in ("good", "bad"):
        turns = [getattr(pair, side) for pair in pairs]
        assert len(set(turns)) == len(turns)
    for pair in pairs:
        assert of[pair.good].good and not of[pair.bad].good
        assert of[pair.good].kind == of[pair.bad].kind
    assert {of[pair.good].kind for pair in pair_ratings(ratings, {"note"})} == {"note"}


def test_two_answers_to_one_request_are_held_against_each_other() -> None:
    ratings = [
        rated(1, "note", "note for apple river", good=True),
        rated(2, "note", "note for stone tiger", good=False),
        rated(3, "note", "Note for  apple river", good=False),
        rated(4, "note", "note for stone tiger", good=True),
    ]
    pairs = {(pair.good, pair.bad) for pair in pair_ratings(ratings, {"note"})}
    assert pairs == {("turn_001", "turn_003"), ("turn_004", "turn_002")}


def test_a_request_that_was_rated_often_counts_once() -> None:
    asked = "note for apple river"
    often = [rated(n, "note", asked, good=False) for n in range(20)]
    good = [rated(100 + n, "note", f"note for moon {n}", good=True) for n in range(20)]
    (pair,) = pair_ratings([*often, *good], {"note"})
    assert pair.bad == "turn_000", "the newest"


def test_requests_of_no_known_kind_are_paired_only_if_they_are_alike() -> None:
    ratings = [
        rated(1, "", "translate the letter to my landlord", good=True),
        rated(2, "", "translate the letter to my dentist", good=False),
        rated(3, "", "which pump fits a 40 litre tank", good=False),
    ]
    (pair,) = pair_ratings(ratings, {""})
    assert (pair.good, pair.bad) == ("turn_001", "turn_002")


def test_a_small_batch_is_passed_over_more_often() -> None:
    for answers in (1, 64, 240, 700, 5000):
        passes = passes_over_ratings(answers, 16)
        assert passes * answers >= RATED_STEPS * 16 or passes == 1
        assert passes == 1 or (passes - 1) * answers < RATED_STEPS * 16
