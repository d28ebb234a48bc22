"""Tests of the order of the reader's lessons."""

from __future__ import annotations

from bench.reader.training.plan import BATCH_TOKENS, MOST_TOGETHER, Plan, learning_rate, steps_of


def test_every_item_is_taught_once_an_epoch_in_batches_of_like_length() -> None:
    lengths = [20 + 7 * i % 300 for i in range(500)] + [BATCH_TOKENS + 1]
    steps = list(steps_of(Plan(epochs=2), lengths))
    assert sorted(i for step in steps for i in step) == sorted([*range(501)] * 2)
    assert steps == list(steps_of(Plan(epochs=2), lengths))
    for step in steps:
        assert len(step) <= MOST_TOGETHER
        assert len(step) == 1 or len(step) * max(lengths[i] for i in step) <= BATCH_TOKENS


def test_the_learning_rate_rises_and_falls_to_nothing() -> None:
    plan = Plan(warm_up=10, learning_rate=1.0)
    rates = [learning_rate(plan, step, 100) for step in range(101)]
    assert rates[0] < 0.11
    assert max(rates) > 0.95
    assert rates[100] < 1e-9


def test_a_plan_tells_with_what_it_is_started_anew() -> None:
    assert Plan().settings() == []
    plan = Plan(frozen=9, both_ways=True, onto="b246", learning_rate=4e-4)
    assert plan.settings() == [
        "--learning-rate=0.0004",
        "--frozen=9",
        "--both-ways",
        "--onto=BEFORE",
    ]
