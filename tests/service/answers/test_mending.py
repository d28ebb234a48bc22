"""Tests of the control API's answers where the database was damaged: it is put right, once."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from lull.core.errors import StoreError
from lull.service.answers.answering import Answering, errors, mending
from lull.store.sqlite.database import Database


class Mends:
    def __init__(self) -> None:
        self.times = 0

    async def mend(self) -> bool:
        self.times += 1
        return True


async def asked(method: str, failing: Exception, mends: Mends) -> int:
    """Ask a route that fails until the database was put right; return the status."""

    async def handler(_: web.Request) -> web.Response:
        if not mends.times:
            raise failing
        return web.json_response({})

    answering = Answering(settle=lambda: None, mending=mends)
    app = web.Application(middlewares=[errors, mending(answering)])
    app.router.add_route("*", "/", handler)
    async with TestClient(TestServer(app)) as client:
        return (await client.request(method, "/")).status


async def failed_write(tmp_path: Path, code: str) -> StoreError:
    """Return what a write raises whose statement fails this way."""
    database = Database(tmp_path / "lull.db")

    def work(connection: sqlite3.Connection) -> None:
        error = sqlite3.OperationalError(code)
        error.sqlite_errorcode = getattr(sqlite3, code)
        raise error

    try:
        with pytest.raises(StoreError) as failed:
            await database.write(work)
    finally:
        await asyncio.to_thread(database.close)
    return failed.value


@pytest.mark.logs("failed")
async def test_a_write_that_failed_over_damage_has_it_put_right(tmp_path: Path) -> None:
    failing = await failed_write(tmp_path, "SQLITE_CONSTRAINT")
    mends = Mends()
    assert await asked("POST", failing, mends) == 500, "it is not made twice"
    assert mends.times == 1
    assert await asked("POST", failing, mends) == 200
    assert await asked("GET", failing, Mends()) == 200


async def test_a_full_disk_is_no_damage(tmp_path: Path) -> None:
    failing = await failed_write(tmp_path, "SQLITE_FULL")
    mends = Mends()
    assert await asked("GET", failing, mends) == await asked("POST", failing, mends) == 500
    assert mends.times == 0


async def test_what_is_refused_in_words_is_no_damage() -> None:
    mends = Mends()
    assert await asked("GET", StoreError("It is closed."), mends) == 500
    assert mends.times == 0
