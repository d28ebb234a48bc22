from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.backups.homes import (
    backed_up,
    filled,
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    filled(home, "apple", "pear")
    return home


@pytest.fixture
def backup(home: Path) -> Path:
    return backed_up(home).file
