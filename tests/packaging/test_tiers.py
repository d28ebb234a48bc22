"""Tests of the Makefile's tiers: what they do with files whose tests all belong to one of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PASSED, FAILED, NONE = 0, 1, 5
"""Exit codes of pytest."""


def made(tier: str, home: Path, *, short: int, long: int) -> tuple[int, list[str], str]:
    """Run `make TIER` with a stand-in for Python that ends with `short` for the tests of `make
    test`, and with `long` for those of `make rest`. Return whether make failed, what was called,
    and what was said.
    """
    python = home / "python"
    python.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *"not full and"*) echo short >>{home}/log; exit {short} ;; esac\n'
        f"echo long >>{home}/log; exit {long}\n"
    )
    python.chmod(0o700)
    (home / "log").write_text("")
    asked = ["make", "--old-file=setup-test", f"PY={python}", tier, "ARGS=tests/one.py"]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(asked, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    return int(done.returncode != 0), (home / "log").read_text().split(), done.stdout


@pytest.mark.parametrize(
    ("short", "long", "failed", "called"),
    [
        (PASSED, PASSED, 0, ["short", "long"]),
        (NONE, PASSED, 0, ["short", "long"]),
        (PASSED, NONE, 0, ["short", "long"]),
        (NONE, NONE, 1, ["short", "long"]),
        (FAILED, PASSED, 1, ["short"]),
        (PASSED, FAILED, 1, ["short", "long"]),
        (NONE, FAILED, 1, ["short", "long"]),
    ],
)
def test_all_tests_of_a_file_are_run_whichever_tier_they_belong_to(
    tmp_path: Path, short: int, long: int, failed: int, called: list[str]
) -> None:
    assert made("full", tmp_path, short=short, long=long)[:2] == (failed, called)


@pytest.mark.parametrize("tier", ["test", "rest"])
def test_a_tier_that_has_none_of_them_fails_and_says_what_runs_them(
    tmp_path: Path, tier: str
) -> None:
    failed, _, said = made(tier, tmp_path, short=NONE, long=NONE)
    assert failed and "make full ARGS=" in said
    failed, _, said = made(tier, tmp_path, short=FAILED, long=FAILED)
    assert failed and "make full ARGS=" not in said
    assert not made(tier, tmp_path, short=PASSED, long=PASSED)[0]
