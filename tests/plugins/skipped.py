"""Says at the end of a run what was skipped for want of an Ollama, and how to have one.

Hundreds of tests need it, and a newcomer who sees only a number thinks that this is how it must be.
The line stands above pytest's own last line, which others read.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

NO_OLLAMA = "ollama is not on the PATH"
"""The reason that tests give for skipping."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    yield
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    count = sum(NO_OLLAMA in reason for reason in skipped)
    if count:
        tests = "1 test was" if count == 1 else f"{count} tests were"
        terminalreporter.write_line(
            f"{tests} skipped for want of an Ollama: `make ollama` builds one, then they run."
        )
