from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.control.conftest import alone  # noqa: F401  it is a fixture
from tests.service.process.upstream import Slow, slow_ollama


@pytest.fixture
def slow() -> Iterator[Slow]:
    with slow_ollama() as made:
        yield made
