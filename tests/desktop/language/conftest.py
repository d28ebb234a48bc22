"""A fixture that puts the window into German."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from lull.desktop.language.language_choice import ENGLISH, apply_language


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    apply_language(qapp, "de")
    yield
    apply_language(qapp, ENGLISH)
