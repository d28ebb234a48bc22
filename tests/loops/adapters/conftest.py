"""Fixtures: adapters of the built-in model, trained once per session, and one engine for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lull.backends.mlx.engine import MlxEngine
from lull.resources import pocket_dir
from tests.loops.adapters.house import House

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the trained adapters in its folders `good`, `poisoned` and `hacked`."""
    folder = tmp_path_factory.mktemp("trained")
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "tests.loops.adapters.make_adapters",
        str(folder),
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def pocket_engine() -> AsyncIterator[MlxEngine]:
    running = MlxEngine(pocket_dir())
    await running.start()
    yield running
    await running.close()


@pytest_asyncio.fixture(loop_scope="session")
async def house(tmp_path: Path, pocket_engine: MlxEngine) -> AsyncIterator[House]:
    """A house with a home folder of its own, on the engine that all tests share."""
    made = House(tmp_path / "home", pocket_engine)
    await made.serve_pocket()
    yield made
    await made.close()
