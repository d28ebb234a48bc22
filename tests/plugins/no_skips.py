"""Pytest plugin: fails a run in which a test was skipped that should have run here.

`.ci/run` loads this (by LULL_NO_SKIP=1, see the Makefile), so that a missing Ollama or keyring on
the CI machine is a failure and not a green run that tested less. Skips that are allowed begin their
reason with words that this file lists. A run of no test at all fails, too.
"""

import pytest

ALLOWED = (
    "only on macOS",
    "only on Windows",
    "needs an accelerator",
    "needs the hand-out data",
    "needs a Chromium",  # 200 MB that CI does not install
    "the recordings are not here",  # they are not part of the repository
    "needs the chat program",  # each is some hundred MB that CI does not install
    "no namespaces for users here",  # many systems allow them to root alone, or to nobody
)


class NoSkips:
    def __init__(self) -> None:
        self.ran = 0
        self.forbidden: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._judge(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not report.skipped:
            self.ran += 1
        self._judge(report)

    def _judge(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        reason = _reason(report)
        if not reason.startswith(ALLOWED):
            self.forbidden.append(f"{report.nodeid}: {reason}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        collected_only = session.config.getoption("collectonly")
        if (self.forbidden or not self.ran) and session.exitstatus == 0 and not collected_only:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.forbidden:
            terminalreporter.write_line(f"skipped, but should run here: {line}", red=True)
        if not self.ran:
            terminalreporter.write_line("no test ran", red=True)


def _reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    # pytest keeps a skip as (file, line, "Skipped: reason").
    where = report.longrepr
    text = where[2] if isinstance(where, tuple) else str(where)
    return text.removeprefix("Skipped: ")


def pytest_configure(config: pytest.Config) -> None:
    # xdist's workers hand their reports to the one process that judges.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(NoSkips(), "lull-no-skips")
