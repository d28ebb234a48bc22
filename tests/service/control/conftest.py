from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket


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
