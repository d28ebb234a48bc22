"""Tests of the suspension bench on a few trials: it measures what it says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench.lulls import suspension
from bench.report import write
from bench.screen import missing

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform != "linux", reason="Xvfb is tried on Linux"),
]


def test_a_real_child_is_suspended_on_real_input(tmp_path: Path) -> None:
    if absent := missing():
        pytest.skip(f"no {' and no '.join(absent)} on this machine")
    document = suspension.measure(4)
    assert [row["trials"] for row in document["rows"]] == [4, 4, 1]
    for row in document["rows"]:
        # No limit here: how fast a busy machine is, the bench's goals say.
        assert 0.0 < row["p50_s"] <= row["p99_s"] <= row["longest_s"], row
    assert document["simulated"] is False
    assert len(document["goals"]) == 3
    assert json.loads(write(document, tmp_path).read_text()) == document


@pytest.mark.parametrize(
    ("share", "quantile"), [(0.5, 3.0), (0.99, 5.0), (1.0, 5.0), (0.2, 1.0), (0.0, 1.0)]
)
def test_a_quantile_is_a_time_that_was_measured(share: float, quantile: float) -> None:
    assert suspension.quantile([1.0, 2.0, 3.0, 4.0, 5.0], share) == quantile
