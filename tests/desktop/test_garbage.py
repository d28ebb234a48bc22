"""Tests that Qt objects in reference cycles are freed in the window's thread and in no other."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lull.desktop.garbage import GarbageCollector
from tests.desktop.conftest import WAIT_MS


class Held(QObject):
    """A Qt object in a reference cycle that notes the thread in which it was freed."""

    freed: list[threading.Thread]

    def __init__(self, freed: list[threading.Thread]) -> None:
        super().__init__()
        self.freed, self.itself = freed, self

    def __del__(self) -> None:
        self.freed.append(threading.current_thread())


@pytest.fixture(params=[True, False], ids=["on", "off"])
def was_on(request: pytest.FixtureRequest, no_garbage_in_other_threads: None) -> Iterator[bool]:
    """Whether Python's automatic collection is on when a test begins: the fixture of all tests of
    the window has turned it off, as the class itself should.
    """
    gc.collect()  # else what earlier tests left might be collected in a thread
    on: bool = request.param
    (gc.enable if on else gc.disable)()
    yield on
    gc.disable()


def test_a_cycle_is_freed_here_though_another_thread_allocates(
    qapp: QApplication, qtbot: QtBot, was_on: bool
) -> None:
    freed: list[threading.Thread] = []
    collector = GarbageCollector()
    try:
        Held(freed)
        busy = threading.Thread(target=lambda: [[number] for number in range(50_000)])
        busy.start()
        busy.join()
        assert freed == []
        assert not gc.isenabled()
        # Objects that other threads free lower the collector's count, so this makes far too many.
        rubbish: list[list[int]] = [[] for _ in range(100 * gc.get_threshold()[0])]
        qtbot.waitUntil(lambda: bool(freed), timeout=WAIT_MS)
        assert freed == [threading.current_thread()] and rubbish
    finally:
        collector.stop()


def test_stopped_it_leaves_the_collector_as_it_was(qapp: QApplication, was_on: bool) -> None:
    collector = GarbageCollector()
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled() is was_on
