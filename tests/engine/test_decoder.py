"""Tests that the decoder for the CPU computes what the model itself computes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eventually import PATIENCE_S

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="MLX runs on the GPU there")
CASES = 26


def test_it_computes_what_the_model_does_and_leaves_other_kinds_to_it(
    subtests: pytest.Subtests,
) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.engine.decoding"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=PATIENCE_S,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    verdicts = {line.pop("case"): line for line in map(json.loads, run.stdout.splitlines())}
    assert len(verdicts) == CASES
    for case, verdict in verdicts.items():
        with subtests.test(case):
            by_mlx = case.startswith("mlx: ")
            assert verdict["by_numpy"] is not by_mlx
            assert verdict["difference"] <= (0 if by_mlx else 1e-4)
