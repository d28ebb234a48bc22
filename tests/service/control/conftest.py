from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLull]:
    """A running service, shared by tests that change nothing in it or only add to it."""
    with RunningLull.cleaned_up(tmp_path_factory.mktemp("shared") / "home") as lull:
        yield lull.serve()


@pytest.fixture
def control(shared: RunningLull) -> ControlSocket:
    return ControlSocket(shared.lull.home)


@pytest.fixture
def alone(lull: Lull) -> ControlSocket:
    """The control socket of the service that this test's own `lull` starts."""
    return ControlSocket(lull.home)
