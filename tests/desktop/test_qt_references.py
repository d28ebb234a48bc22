"""Tests that the pinned Qt counts references to None and True correctly.

PySide6 6.12.0 did not: before Python 3.12, where these are counted like any other object, the
window crashed after a while.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal

CALLS = 300


class Heard(QObject):
    signal = Signal(str)


def test_calls_and_signals_leave_the_count_of_none_and_true_alone(qapp: object) -> None:
    heard = Heard()
    before = sys.getrefcount(None), sys.getrefcount(True)
    for _ in range(CALLS):
        heard.setObjectName("a")
        heard.signal.emit("a")
    lost = before[0] - sys.getrefcount(None), before[1] - sys.getrefcount(True)
    assert max(lost) < CALLS / 3
