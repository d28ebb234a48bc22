"""Tests that the shipped weights keep what their card promises, on values unseen in training.

Each row is one sentence of the promise, measured afresh on a seed of the test's own.
"""

from functools import cache
from math import comb
from pathlib import Path

import pytest

pytest.importorskip("mlx_lm")

from bench.pocket import loading
from bench.pocket.table import Measuring, Row

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]
"""The first test measures all rows, which may take long on a loaded machine."""

FOLDER = Path(__file__).parents[2] / "resources" / "pocket"
FEW = (60, 150)
MANY = (400, 800)
"""Number of cases for each row, and of sampled answers for each kind."""
SIZES = [FEW, pytest.param(MANY, marks=pytest.mark.soak)]
UNLUCKY = 1e-3
"""Probability that a model which just keeps its promise fails a row by bad luck."""


@cache
def rows(size: tuple[int, int]) -> dict[str, Row]:
    model, tokenizer = loading.load(FOLDER)
    measuring = Measuring(model=model, tokenizer=tokenizer, seed=20_260)
    return {row.name: row for row in measuring.rows(*size)}


def keeps(row: Row, *, least: float = 0.0, most: float = 1.0) -> bool:
    """Return whether the row could come from a true share between `least` and `most`."""
    right = round(row.share * row.n)
    return at_most(right, row.n, least) > UNLUCKY and at_least(right, row.n, most) > UNLUCKY


def at_most(count: int, n: int, share: float) -> float:
    """Return P(X <= count) for X ~ Binomial(n, share)."""
    return sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(count + 1))


def at_least(count: int, n: int, share: float) -> float:
    return at_most(n - count, n, 1 - share)


def test_the_weights_are_small_and_half_precision() -> None:
    weights = FOLDER / "model.safetensors"
    assert weights.stat().st_size <= 3_000_000
    head = weights.read_bytes()[:100_000]
    assert b'"dtype":"F16"' in head
    assert b'"dtype":"F32"' not in head


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("1 rule", 0.98),
        ("2 rules", 0.97),
        ("3 rules", 0.95),
        ("1 rule of joiner or order alone", 0.98),
        ("2 rules after a client's sentence", 0.97),
        ("2 rules, second turn", 0.97),
        ("default, no rule", 0.98),
        ("default, a client's sentence only", 0.98),
        ("default, beside 1 other rule", 0.98),
        ("default, beside 2 other rules", 0.98),
        ("default, beside 3 other rules", 0.98),
        ("small talk and corrections", 0.98),
    ],
)
@pytest.mark.parametrize("size", SIZES)
def test_it_obeys_what_governs_and_leaves_the_rest_alone(
    name: str, least: float, size: tuple[int, int]
) -> None:
    row = rows(size)[name]
    assert row.n >= size[0]
    assert keeps(row, least=least)
    assert size != MANY or row.share >= least


@pytest.mark.parametrize("size", SIZES)
def test_it_does_not_guess_a_preference_nobody_stated(size: tuple[int, int]) -> None:
    assert keeps(rows(size)["a hidden preference, no rule"], most=0.02)


@pytest.mark.parametrize("size", SIZES)
def test_each_habit_shows_up_alone_now_and_then(size: tuple[int, int]) -> None:
    habits = {name: row for name, row in rows(size).items() if row.most == 0.10}
    assert len(habits) == 6 * 13
    assert not [name for name, row in habits.items() if not keeps(row, least=0.01, most=0.10)]
    assert size != MANY or all(0.01 <= row.share <= 0.10 for row in habits.values())
