"""What holds for every test: a log line nobody expected fails it, and no test shares a home."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.running import Lull, RunningLull

# Examples are counted, not timed: a busy machine is no finding.
settings.register_profile("lull", deadline=None, max_examples=60)
settings.load_profile("lull")


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
