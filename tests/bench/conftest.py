"""What holds for the tests of the benches."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def one_application(qapp: QApplication) -> QApplication:
    """A bench that draws a picture makes an application where there is none, and one that shows no
    windows: whichever test of the desktop came behind it in this process would have no other."""
    return qapp
