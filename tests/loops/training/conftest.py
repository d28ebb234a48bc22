from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.loops.night_house import (
    NightHouse,
)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[NightHouse]:
    made = NightHouse(tmp_path)
    yield made
    await made.job.close()
    await asyncio.to_thread(made.database.close)
