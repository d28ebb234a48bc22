"""Fixtures and hooks for all tests: unexpected log lines fail a test, and each has its own home."""

from __future__ import annotations

import gc
import logging
import os
import re
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.plugins.looking import pytest_sessionstart  # noqa: F401  it is a hook
from tests.plugins.skipped import pytest_terminal_summary  # noqa: F401  it is a hook
from tests.running import Lull, RunningLull

# With two test workers on two cores, OpenBLAS threads that spin for each other take a minute for a
# second's work. Processes that Lull starts inherit this and also set it themselves.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Qt windows and pictures are drawn without a screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# A test run that a script put into the background ignores Ctrl-C, and one under nohup ignores a
# closed terminal; all processes that tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if os.name == "posix" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Hypothesis examples have no deadline, since a busy machine is no fault. On a developer's machine
# each run draws new examples; in CI they are fixed, so that no change fails for another's fault.
settings.register_profile(
    "lull", deadline=None, max_examples=60, derandomize="LULL_NO_SKIP" in os.environ
)
settings.load_profile("lull")


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark and order the collected tests.

    Tests that ask for a folder are marked `files`, so that `make quick` leaves them out. Of a slow
    test with many cases only the first runs in `make test`; the others are marked `full`. The files
    that take longest come first, so that no worker is left alone with one at the end.
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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without garbage collection, and exempt them from it afterwards: it would
    look through all of them each time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True)
def no_unexpected_log_lines(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """Fail a test that logs WARNING or above, unless `@pytest.mark.logs("pattern")` declares it."""
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
    """The `lull` command line on a home of its own; every process that it started is ended."""
    with RunningLull.cleaned_up(tmp_path / "home") as made:
        yield made
