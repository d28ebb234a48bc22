"""Fixtures that call the command line in this process, with a home of its own and no service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lull.cli.main import main
from tests.desk import Desk
from tests.running import Ran, RunningLull, nobodys_port

Here = Callable[..., Ran]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLull]:
    """A service for the tests of one file."""
    with RunningLull.cleaned_up(tmp_path_factory.mktemp("cli") / "home") as lull:
        yield lull.serve()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def here(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    monkeypatch.setenv("LULL_HOME", str(home))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)  # no window opens in a test of words
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{nobodys_port()}")

    def call(*words: str) -> Ran:
        capsys.readouterr()
        code = main(words)
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return call


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """A service without models for the home of `here`: its control socket and its store."""
    with Desk(home).open() as desk:
        yield desk
