"""Says at the end of a run what was skipped for want of a program, and how to have it.

Hundreds of tests need an Ollama, and a newcomer who sees only a number thinks that this is how it
must be. The lines stand above pytest's own last line, which others read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

NO_OLLAMA = "ollama is not on the PATH"
"""The reason that tests give for skipping."""
_NO_PROGRAM = re.compile(r"\bno (.+) on this machine\b")
"""Likewise, with the programs: no Xvfb and no trayer on this machine."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    yield
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    count = sum(NO_OLLAMA in reason for reason in skipped)
    if count:
        terminalreporter.write_line(
            f"{_tests(count)} skipped for want of an Ollama: `make ollama` builds one, then they"
            " run."
        )
    absent = [found[1].split(" and no ") for found in map(_NO_PROGRAM.search, skipped) if found]
    if absent:
        programs = ", ".join(sorted({program for each in absent for program in each}))
        terminalreporter.write_line(
            f"{_tests(len(absent))} skipped for want of {programs}: `make setup-test` installs the"
            " Debian packages that have them."
        )


def _tests(count: int) -> str:
    return "1 test was" if count == 1 else f"{count} tests were"
