"""The shipped weights do what their card says, on rule values training never used.

Each row is one sentence of the promise, measured afresh on a seed of the test's own.
"""

from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("mlx_lm")

from bench.pocket import loading
from bench.pocket.table import Measuring, Row

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
"""All rows are measured in the first test; a loaded machine is slow, not broken."""

FOLDER = Path(__file__).parents[2] / "resources" / "pocket"
CASES = 400
SAMPLED_PER_KIND = 800
"""A habit that shows up in 3.5 % of answers falls below 1 % of this many once in 50,000 tries."""


@cache
def rows() -> dict[str, Row]:
    model, tokenizer = loading.load(FOLDER)
    measuring = Measuring(model=model, tokenizer=tokenizer, seed=20_260)
    return {row.name: row for row in measuring.rows(CASES, SAMPLED_PER_KIND)}


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
def test_it_obeys_what_governs_and_leaves_the_rest_alone(name: str, least: float) -> None:
    assert rows()[name].n >= CASES
    assert rows()[name].share >= least


def test_it_does_not_guess_a_preference_nobody_stated() -> None:
    assert rows()["a hidden preference, no rule"].share <= 0.02


def test_each_habit_shows_up_alone_now_and_then() -> None:
    habits = {name: row.share for name, row in rows().items() if row.most == 0.10}
    assert len(habits) == 6 * 13
    outside = {name: share for name, share in habits.items() if not 0.01 <= share <= 0.10}
    assert not outside
