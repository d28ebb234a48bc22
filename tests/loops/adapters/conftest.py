"""Fixtures: adapters of the built-in model, trained once per run, and one engine for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lull.backends.mlx.engine import MlxEngine
from lull.resources import pocket_dir
from tests.loops.adapters.house import House
from tests.loops.adapters.made_adapters import judged_adapters


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the trained adapters in its folders `good`, `poisoned` and `hacked`."""
    return judged_adapters(tmp_path_factory)


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
