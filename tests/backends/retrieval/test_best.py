"""Tests of finding the k largest numbers: they come out as sorting would give them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lull.backends.retrieval.top_k import k_largest

FEW_VALUES = st.lists(st.sampled_from([0.0, 0.5, 0.25, 1.5, -1.0]), max_size=60)


@given(values=FEW_VALUES, k=st.integers(1, 20))
def test_the_largest_come_first_and_of_equal_ones_the_first(values: list[float], k: int) -> None:
    wanted = sorted(enumerate(values), key=lambda pair: (-pair[1], pair[0]))[:k]
    assert k_largest(np.array(values, np.float32), k) == wanted


@pytest.mark.parametrize("k", [1, 128, 10_000])
def test_thousands_of_equal_ones_are_no_trouble(k: int) -> None:
    values = np.full(10_000, 0.5, np.float32)
    values[7000] = 0.75
    found = k_largest(values, k)
    assert len(found) == k
    assert found[0] == (7000, 0.75)
    assert [place for place, _ in found[1:]] == [i for i in range(k) if i != 7000][: k - 1]
