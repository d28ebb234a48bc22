"""A window in German."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from lull.desktop.language.choice import ENGLISH, put_in_force


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    put_in_force(qapp, "de")
    yield
    put_in_force(qapp, ENGLISH)
