"""Cancels a coroutine in the middle of a database write, which is carried out all the same."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from lull.store.sqlite.database import Database


async def cancelled_within(
    database: Database, when: str, work: Coroutine[Any, Any, object]
) -> None:
    """Begin `work`, cancel it during the first SQL write that matches `when` (such as "DELETE ON
    turns"), and return when it has ended and the writer is idle.
    """
    loop = asyncio.get_running_loop()
    task: asyncio.Future[object] | None = None
    cancelled = threading.Event()

    def cancel() -> None:
        assert task is not None
        task.cancel()
        cancelled.set()

    def midway() -> None:
        if not cancelled.is_set():
            loop.call_soon_threadsafe(cancel)
            cancelled.wait()

    def prepare(connection: sqlite3.Connection) -> None:
        connection.create_function("midway", 0, midway)
        connection.execute(f"CREATE TEMP TRIGGER midway AFTER {when} BEGIN SELECT midway(); END")

    await database.write(prepare)
    task = asyncio.ensure_future(work)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cancelled.is_set()
    await database.write(lambda connection: connection.execute("DROP TRIGGER midway"))
