"""Tests that Qt objects in reference cycles are freed in the window's thread and in no other."""

from __future__ import annotations

import gc
import threading

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


def test_a_cycle_is_freed_here_though_another_thread_allocates(
    qapp: QApplication, qtbot: QtBot
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
        rubbish = [[] for _ in range(100 * gc.get_threshold()[0])]
        qtbot.waitUntil(lambda: bool(freed), timeout=WAIT_MS)
        assert freed == [threading.current_thread()] and rubbish
    finally:
        collector.stop()


def test_stopped_it_leaves_the_collector_as_it_was(qapp: QApplication) -> None:
    was = gc.isenabled()
    collector = GarbageCollector()
    collector.stop()
    assert gc.isenabled() is was
