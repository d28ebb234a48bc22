from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A control socket over a real store, without models."""
    with Desk(tmp_path / "home").open() as desk:
        yield desk
