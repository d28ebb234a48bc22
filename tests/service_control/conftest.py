from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desk import Desk
from tests.running import Lull, RunningLull
from tests.service_control.socket_client import ControlSocket
from tests.service_control.upstream import Slow, slow_ollama


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLull]:
    """One running service for the questions that leave it as it is, or only add to it."""
    with RunningLull.cleaned_up(tmp_path_factory.mktemp("shared") / "home") as lull:
        yield lull.serve()


@pytest.fixture
def control(shared: RunningLull) -> ControlSocket:
    return ControlSocket(shared.lull.home)


@pytest.fixture
def alone(lull: Lull) -> ControlSocket:
    """For the service of this test's own `lull`."""
    return ControlSocket(lull.home)


@pytest.fixture
def slow() -> Iterator[Slow]:
    with slow_ollama() as made:
        yield made


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A control socket over a real store, without models."""
    with Desk(tmp_path / "home").open() as desk:
        yield desk
