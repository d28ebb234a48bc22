"""Fixtures for tests of the loops: a classroom for each test, closed after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.loops.classroom import Classroom


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Classroom]:
    made = Classroom(tmp_path)
    yield made
    await asyncio.to_thread(made.database.close)
