"""Tests that a folder that is costly to make is made once in a run, with real runs of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eventually import PATIENCE_S
from tests.paths import ROOT

pytestmark = pytest.mark.full

TEST = """
import pytest
from tests.plugins.made_once import made_once

def make(folder):
    folder.mkdir()
    with open({log!r}, "a") as log:
        log.write("x")
    if {fails}:
        raise ValueError
    (folder / "file").write_text("made")

@pytest.mark.parametrize("number", range(3))
def test_it(tmp_path_factory, number):
    assert (made_once(tmp_path_factory, "costly", make) / "file").read_text() == "made"
"""


def run(folder: Path, *words: str, fails: str = "False") -> str:
    """Run files of three tests each on what is costly; return a mark for each time it was made."""
    log = folder / "log"
    log.unlink(missing_ok=True)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name in ("a", "b"):
        (folder / f"test_{name}.py").write_text(TEST.format(log=str(log), fails=fails))
    subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
            *("-c", str(folder / "pytest.ini"), *words, str(folder)),
        ],
        check=fails == "False",
        cwd=ROOT,
        capture_output=True,
        timeout=PATIENCE_S,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST")},
    )
    return log.read_text()


def test_all_workers_share_what_one_of_them_made(tmp_path: Path) -> None:
    assert run(tmp_path, "-n", "2", "--dist", "loadfile") == "x"
    assert run(tmp_path) == "x"  # another run makes its own


def test_what_failed_is_made_again(tmp_path: Path) -> None:
    first_fails = f"open({str(tmp_path / 'log')!r}).read() == 'x'"
    assert run(tmp_path, fails=first_fails) == "xx"
