"""Tests of the README's transcript with the real processes: what it shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.eventually import PATIENCE_S
from tests.running import Lull

README = Path(__file__).parents[2] / "README.md"


def steps() -> Iterator[tuple[str, str]]:
    """Yield each command of the transcripts with what it prints."""
    blocks = re.findall(r"<!-- transcript -->\n```console\n(.*?)```", README.read_text(), re.DOTALL)
    assert blocks, "the README has lost its transcript"
    for part in re.split(r"^\$ ", "".join(blocks), flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed.strip()


def matches(printed: str, shown: str) -> bool:
    """Return whether a print matches what is shown, where `…` is anything within a line."""
    pattern = ".*?".join(re.escape(piece) for piece in shown.split("…"))
    return re.fullmatch(pattern, printed) is not None


@pytest.mark.full
@pytest.mark.slow
def test_the_readme_s_transcript_is_what_happens(lull: Lull) -> None:
    service = lull.serve()
    environment = lull.environment()
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    for command, shown in steps():
        done = subprocess.run(
            ["sh", "-c", command],
            capture_output=True,
            text=True,
            env=environment,
            timeout=PATIENCE_S,
            check=False,
        )
        printed = [line.rstrip() for line in done.stdout.strip().splitlines()]
        expected = [line.rstrip() for line in shown.splitlines()]
        assert len(printed) == len(expected), (command, done.stdout, done.stderr)
        for got, wanted in zip(printed, expected, strict=True):
            assert matches(got, wanted), (command, got, wanted)
    assert service.stop() == 0


def test_the_transcript_has_something_to_run() -> None:
    assert len(list(steps())) >= 13


def test_nothing_that_is_run_needs_a_program_that_make_setup_does_not_bring() -> None:
    assert {command.split()[0] for command, _ in steps()} == {"lull"}
