"""What holds for every test: a log line nobody expected fails it, and no test shares a home."""

from __future__ import annotations

import gc
import logging
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.plugins.looking import pytest_sessionstart  # noqa: F401  it is a hook
from tests.plugins.skipped import pytest_terminal_summary  # noqa: F401  it is a hook
from tests.running import Lull, RunningLull

# Two workers on two cores: threads of an OpenBLAS that spin for each other take a minute for a
# second's work. What Lull starts inherits it, and sets the same for itself.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Windows are shown to nobody, and pictures are drawn without a screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# A run that a script put into the background ignores Ctrl-C, one under nohup a closed terminal, and
# so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if os.name == "posix" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Examples are counted, not timed: a busy machine is no finding. At a desk each run draws others; in
# CI they are the same for the same test, so that no submission meets what another one brought in.
settings.register_profile(
    "lull", deadline=None, max_examples=60, derandomize="LULL_NO_SKIP" in os.environ
)
settings.load_profile("lull")


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that ask for a folder are marked `files`, so that `make quick` leaves them out. Of a
    slow test with many cases the first is enough for `make test`; the others are marked `full`.
    What takes longest begins first, so that no worker is left alone with it at the end.
    """
    begun: set[str] = set()
    for item in items:
        if "tmp_path" in getattr(item, "fixturenames", ()):
            item.add_marker("files")
        if item.get_closest_marker("slow") and not item.get_closest_marker("full"):
            test, _, case = item.nodeid.partition("[")
            if case and test in begun:
                item.add_marker("full")
            begun.add(test)

    def patience(item: pytest.Item) -> tuple[float, bool]:
        own = item.get_closest_marker("timeout")
        long = any(item.get_closest_marker(mark) for mark in ("slow", "full"))
        return (own.args[0] if own else 0.0), long

    longest: dict[object, tuple[float, bool]] = {}
    for item in items:
        longest[item.path] = max(longest.get(item.path, (0.0, False)), patience(item))
    items.sort(key=lambda item: longest[item.path], reverse=True)


def pytest_collection_finish() -> None:
    """Eight thousand tests are no garbage: no collection looks at them again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_unexpected_log_lines(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """WARNING and above must be declared with `@pytest.mark.logs("pattern")`."""
    caplog.set_level(logging.WARNING)
    yield
    expected = [
        re.compile(pattern)
        for marker in request.node.iter_markers("logs")
        for pattern in marker.args
    ]
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    unexpected = [
        f"{record.name}: {record.getMessage()}"
        for record in records
        if record.levelno >= logging.WARNING
        and not any(pattern.search(record.getMessage()) for pattern in expected)
    ]
    assert not unexpected, f"unexpected log lines: {unexpected}"


@pytest.fixture
def lull(tmp_path: Path) -> Iterator[Lull]:
    """The command line with a home of its own; whatever it started is ended."""
    with RunningLull.cleaned_up(tmp_path / "home") as made:
        yield made
