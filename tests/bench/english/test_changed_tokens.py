"""Tests of which tokens of an answer were put there by a rule."""

from __future__ import annotations

import pytest

from bench.english.training.plan import changed_tokens, weights_of

OWN = [1, 2, 3, 4, 5, 0]
"""Tokens of an answer and its end, 0."""


@pytest.mark.parametrize(
    ("answer", "changed"),
    [
        pytest.param([1, 2, 3, 4, 5, 0], [], id="nothing"),
        pytest.param([9, 8, 1, 2, 3, 4, 5, 0], [0, 1], id="words in front"),
        pytest.param([1, 2, 0], [2], id="ended early"),
        pytest.param([1, 2, 4, 5, 0], [2], id="a word left out"),
        pytest.param([1, 2, 9, 8, 4, 5, 0], [2, 3], id="two words for one"),
        pytest.param([1, 2, 3, 4, 5, 9, 0], [5], id="words at the end"),
        pytest.param([7, 8, 9], [0, 1, 2], id="another answer"),
    ],
)
def test_a_token_counts_where_the_own_answer_has_another(
    answer: list[int], changed: list[int]
) -> None:
    found = changed_tokens(OWN, answer)
    assert [place for place, one in enumerate(found) if one] == changed


def test_a_rule_weighs_the_same_however_many_tokens_it_changes() -> None:
    one = weights_of([False, False, True, False], [True, False, True, False], 12)
    assert one == [1, 1, 12, 1]
    two = weights_of([True, False, True], [True, True, True], 12)
    assert two == [6, 1, 6]
    many = weights_of([True] * 40, [True] * 40, 12)
    assert sum(many) == pytest.approx(12)
    assert many[0] == many[2] > 8 * many[8] > 0


def test_what_the_base_would_have_said_anyway_counts_once() -> None:
    assert weights_of([True, True, True], [False, True, False], 12) == [1, 12, 1]
    assert weights_of([], [], 12) == []
