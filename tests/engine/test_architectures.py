"""Tests that batching gives the same answers with every kind of cache that mlx-lm models have."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eventually import PATIENCE_S

pytestmark = pytest.mark.full


@pytest.mark.slow
def test_every_kind_of_cache_gives_the_same_answers_alone_and_in_company() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.engine.architectures"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=PATIENCE_S,
    )
    assert run.returncode == 0, run.stderr
    verdicts = {line.pop("family"): line for line in map(json.loads, run.stdout.splitlines())}
    assert len(verdicts) == 7
    for family, verdict in verdicts.items():
        assert all(verdict.values()), (family, verdict)
