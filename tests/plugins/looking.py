"""Pytest plugin: says every ten seconds that the thousands of tests are still being collected."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

import pytest

EVERY_S: Final = 10.0


class Looking:
    """Reports in a thread of its own, from the session's start until the tests are collected."""

    def __init__(self, say: Callable[[str], None], *, every_s: float = EVERY_S) -> None:
        self._say = say
        self._every_s = every_s
        self._found = threading.Event()
        self._thread = threading.Thread(target=self._go_on, daemon=True)
        self._thread.start()

    def _go_on(self) -> None:
        began_s = time.monotonic()
        while not self._found.wait(self._every_s):
            self._say(f"still looking for the tests, for {time.monotonic() - began_s:.0f} s now")

    def _end(self) -> None:
        self._found.set()
        self._thread.join()

    def pytest_collection_finish(self) -> None:
        self._end()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        self._end()

    def pytest_sessionfinish(self) -> None:
        self._end()


def pytest_sessionstart(session: pytest.Session) -> None:
    # xdist's workers collect the tests; only the process that prints reports.
    config = session.config
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not hasattr(config, "workerinput") and reporter is not None:
        config.pluginmanager.register(Looking(reporter.write_line), "lull-looking")
