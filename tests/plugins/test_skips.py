"""Tests of what a run reports of skipped tests, and when they fail it, with real runs of pytest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eventually import PATIENCE_S, eventually
from tests.paths import ROOT
from tests.plugins.looking import Looking
from tests.plugins.skipped import NO_OLLAMA

pytestmark = pytest.mark.full

PASSES = "def test_passes(): pass\n"


def ran(tmp_path: Path, code: str, *words: str) -> tuple[int, list[str]]:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(f"import pytest\n\n{code}")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider"),
            *("-c", str(tmp_path / "pytest.ini"), *words, str(tmp_path)),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=PATIENCE_S,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST")},
    )
    return done.returncode, done.stdout.splitlines()


def skipping(reason: str, count: int) -> str:
    return "".join(f"def test_{n}(): pytest.skip({reason!r})\n" for n in range(count))


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two"])
def test_the_line_before_the_last_says_how_to_have_an_ollama(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    code, lines = ran(
        tmp_path, PASSES + skipping(NO_OLLAMA, 3), "-p", "tests.plugins.skipped", *workers
    )
    assert code == 0
    assert lines[-2].startswith("3 tests were skipped for want of an Ollama: `make ollama`")
    assert "1 passed, 3 skipped" in lines[-1]


@pytest.mark.parametrize("more", ["", skipping("only on macOS", 2)], ids=["none", "others"])
def test_nothing_is_said_where_nothing_was_skipped_for_that(tmp_path: Path, more: str) -> None:
    _, lines = ran(tmp_path, PASSES + more, "-p", "tests.plugins.skipped")
    assert "ollama" not in "\n".join(lines).lower()


def test_programs_that_are_missing_are_named_once_each(tmp_path: Path) -> None:
    code = PASSES + skipping("no Xvfb and no trayer on this machine", 1)
    code += "def test_more(): pytest.skip('no trayer on this machine')\n"
    _, lines = ran(tmp_path, code, "-p", "tests.plugins.skipped")
    assert lines[-2].startswith(
        "2 tests were skipped for want of Xvfb, trayer: `make setup-test` installs"
    )


def test_every_other_reason_stands_there_with_its_count(tmp_path: Path) -> None:
    code = PASSES + skipping("only on macOS", 2) + "def test_x(): pytest.skip('needs a link')\n"
    _, lines = ran(tmp_path, code, "-p", "tests.plugins.skipped")
    assert lines[-2] == "3 tests were skipped here: only on macOS (2), needs a link (1)."


def test_this_run_has_it(pytestconfig: pytest.Config) -> None:
    hook = pytestconfig.hook.pytest_terminal_summary
    assert any(one.function.__module__ == "tests.plugins.skipped" for one in hook.get_hookimpls())


def test_where_nothing_may_be_skipped_it_fails_the_run(tmp_path: Path) -> None:
    code, lines = ran(tmp_path, PASSES + skipping(NO_OLLAMA, 1), "-p", "tests.plugins.no_skips")
    assert code == 1
    assert any("skipped, but should run here" in line for line in lines)
    allowed = PASSES + skipping("the recordings are not here", 1)
    assert ran(tmp_path, allowed, "-p", "tests.plugins.no_skips")[0] == 0
    assert ran(tmp_path, skipping("only on macOS", 1), "-p", "tests.plugins.no_skips")[0] == 1


def test_while_tests_are_looked_for_it_is_said_and_then_no_more() -> None:
    said: list[str] = []
    looking = Looking(said.append, every_s=0.01)
    eventually(lambda: len(said) > 2)
    looking.pytest_collection_finish()
    known = len(said)
    assert re.fullmatch(r"still looking for the tests, for \d+ s now", said[0])
    looking.pytest_sessionfinish()
    assert len(said) == known
