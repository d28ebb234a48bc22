"""A fixture for all tests of the benches."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def one_application(qapp: QApplication) -> QApplication:
    """Make the Qt application that tests of the desktop need before a bench makes another.

    A bench that draws a picture makes an application where there is none, and one that shows no
    windows; tests of the desktop that run later in this process would have no other.
    """
    return qapp
