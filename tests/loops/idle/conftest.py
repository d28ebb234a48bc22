from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.virtual_time import VirtualClock, VirtualLoop, run
from tests.building import database_at
from tests.loops.idle.watched import (
    BERLIN,
    START,
    AwaitedDatabase,
    Room,
    Scene,
    as_scene,
)


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Callable[[Scene], Room]]:
    databases = []

    def played(scene: Scene) -> Room:
        database = database_at(tmp_path / "lull.db", AwaitedDatabase)
        loop = VirtualLoop(busy=lambda: database.awaited > 0)
        clock = VirtualClock(loop, START, BERLIN)
        databases.append(database)
        room = Room(loop=loop, clock=clock, database=database)
        run(as_scene(room, scene), loop)
        return room

    yield played
    for database in databases:
        database.close()
