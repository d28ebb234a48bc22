"""The floors of the house, and what may never be written into it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = sorted((ROOT / "app" / "lull" / "core").glob("*.py"))


@pytest.mark.slow
def test_no_floor_imports_from_one_above() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [tool, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("file", CORE, ids=lambda file: file.name)
def test_core_imports_only_the_standard_library(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            top = name.split(".")[0]
            assert top in sys.stdlib_module_names or name.startswith("lull.core"), name


@pytest.mark.parametrize("word", ["async def", "time.time(", "datetime.now(", "random.random("])
def test_core_has_no_clock_no_chance_and_nothing_that_waits(word: str) -> None:
    # Ports are only shapes: what waits there waits elsewhere.
    assert [f.name for f in CORE if word in f.read_text("utf-8") and f.name != "ports.py"] == []


def test_the_constraints_name_no_host() -> None:
    text = (ROOT / "packaging" / "constraints.txt").read_text()
    assert "://" not in text
    assert "index-url" not in text
