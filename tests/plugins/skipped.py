"""Pytest plugin: says at the end what was skipped and why, and how to install what is missing.

Hundreds of tests need an Ollama, and a newcomer who sees only a number thinks that this is how it
must be. The lines stand above pytest's own last line, which other programs read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

NO_OLLAMA = "ollama is not on the PATH"
"""The reason that tests give for skipping where there is no Ollama."""
_NO_PROGRAM = re.compile(r"\bno (.+) on this machine\b")
"""The reason where programs are missing, such as: no Xvfb and no trayer on this machine."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    yield
    ollama, programs, others = 0, list[list[str]](), Counter[str]()
    for reason in map(_reason, terminalreporter.stats.get("skipped", ())):
        if NO_OLLAMA in reason:
            ollama += 1
        elif missing := _NO_PROGRAM.search(reason):
            programs.append(missing[1].split(" and no "))
        else:
            others[reason] += 1
    if others:
        reasons = ", ".join(f"{reason} ({count})" for reason, count in others.most_common())
        terminalreporter.write_line(f"{_tests(others.total())} skipped here: {reasons}.")
    if ollama:
        terminalreporter.write_line(
            f"{_tests(ollama)} skipped for want of an Ollama: `make ollama` builds one, then they"
            " run."
        )
    if programs:
        names = ", ".join(sorted({program for each in programs for program in each}))
        terminalreporter.write_line(
            f"{_tests(len(programs))} skipped for want of {names}: `make setup-test` installs the"
            " Debian packages that have them."
        )


def _reason(skipped: pytest.TestReport) -> str:
    said = skipped.longrepr[2] if isinstance(skipped.longrepr, tuple) else str(skipped.longrepr)
    return said.removeprefix("Skipped: ")


def _tests(count: int) -> str:
    return "1 test was" if count == 1 else f"{count} tests were"
