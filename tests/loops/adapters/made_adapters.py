"""Adapters of the toy model, each group trained once in a test run; tests copy them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugins.made_once import made_once

ROOT = Path(__file__).parents[3]


def nudged_adapters(factory: pytest.TempPathFactory) -> Path:
    """A folder with `nudged` and `nudged2`, each with answers that no other adapter gives."""
    return _made(factory, "nudged", "nudged2")


def judged_adapters(factory: pytest.TempPathFactory) -> Path:
    """A folder with `good`, `poisoned` and `hacked`, of which the gate should let one through."""
    return _made(factory, "good", "poisoned", "hacked")


def _made(factory: pytest.TempPathFactory, *names: str) -> Path:
    def make(folder: Path) -> None:
        words = ["-m", "tests.loops.adapters.make_adapters", str(folder), *names]
        subprocess.run([sys.executable, "-W", "ignore", *words], cwd=ROOT, check=True)

    return made_once(factory, f"adapters_{'_'.join(names)}", make)
