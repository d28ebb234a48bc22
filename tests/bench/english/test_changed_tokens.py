"""Tests of which tokens of an answer were put there by a rule."""

from __future__ import annotations

import pytest

from bench.english.training.plan import changed_tokens

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
