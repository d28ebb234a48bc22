"""Tests of what becomes of a dialog when it is closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog

from tests.desktop.conftest import Shown, live
from tests.desktop.played.week import play
from tests.desktop.scripted import Scripted
from tests.desktop.widgets.dialogs import asked


@pytest.fixture
def kept() -> Iterator[list[QDialog]]:
    """What a test puts here stays a Python object until pytest-qt has closed its widgets."""
    made: list[QDialog] = []
    yield made
    made.clear()


def test_a_closed_dialog_is_deleted_and_nothing_closes_it_again(
    kept: list[QDialog], scripted: Scripted, home: Path, show: Callable[..., Shown]
) -> None:
    play(scripted, home / "logs")
    shown = live(show(home))
    ends = Qt.WidgetAttribute.WA_DeleteOnClose
    kept.extend(one for one in asked(shown) if one.testAttribute(ends))
    assert len(kept) > 10
    for one in kept:
        one.close()
    shown.until(lambda: [one for one in kept if shiboken6.isValid(one)] == [])
