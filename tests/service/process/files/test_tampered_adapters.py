"""Tests of a real service whose records of adapters somebody changed while it was stopped."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from lull.backends.mlx.local_facts import read_local_model
from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.core.adapters.gate_report import GateCheck, Verdict
from lull.core.chat.messages import Sampling
from lull.resources import pocket_dir
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.sqlite.database import Database
from tests.damage import damage_record, stopped_database
from tests.loops.adapters.scripted import made
from tests.running import Lull

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


@pytest.fixture
def stocked(lull: Lull) -> Lull:
    """A stopped Lull in which one adapter was rolled back and another one was rejected."""
    assert lull.serve().stop() == 0
    digest = read_local_model("pocket", pocket_dir(), sampling=Sampling()).digest
    database, files = Database(lull.home / "lull.db"), AdapterFiles(lull.home / "adapters")

    async def bring() -> None:
        adapters = Adapters(database)
        for name in ("adapter_1", "adapter_2"):
            version = AdapterVersion(
                id=name,
                parent=None,
                base_model="pocket",
                base_digest=digest,
                sha256=files.take_in(name, made(lull.home / "made", name)),
                run=None,
                status=AdapterStatus.CANDIDATE,
                made=NOW,
            )
            await adapters.add(version)
        await adapters.promote("adapter_1", at=NOW, why="better")
        await adapters.roll_back("pocket", None, at=NOW, why="it did harm")
        checks = (GateCheck(name="target", holds=False, text="It is worse."),)
        verdict = Verdict(accepted=False, at=NOW, against=None, checks=checks)
        await adapters.store_verdict("adapter_2", verdict)

    asyncio.run(bring())
    database.close()
    return lull


def put_in_force(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE adapters SET status = 'active', verdict = NULL")
    connection.execute("UPDATE adapters_in_force SET active = 'adapter_2', held = 'adapter_1'")
    connection.execute("UPDATE adapter_moves SET active = 'adapter_2'")


def unsealed(connection: sqlite3.Connection) -> None:
    put_in_force(connection)
    connection.execute("DELETE FROM row_seals")


def with_a_damaged_seal(connection: sqlite3.Connection) -> None:
    put_in_force(connection)
    damage_record(connection, "adapters_in_force", "pocket")


@pytest.mark.parametrize("change", [put_in_force, with_a_damaged_seal, unsealed])
def test_a_rejected_adapter_is_not_put_into_force_by_a_change_of_the_database(
    stocked: Lull, change: Callable[[sqlite3.Connection], None]
) -> None:
    with stopped_database(stocked.home / "lull.db") as other:
        change(other)
    assert stocked.ask("adapters", "list")["active"] is None, "without a service"
    running = stocked.serve()
    status = stocked.ask("status")
    assert status["policy"]["adapter"] is None
    said = [problem["detail"] for problem in status["problems"]]
    told = [one for one in said if "outside of Lull" in one]
    assert len(told) == 1 and "\n" not in told[0], said
    listed = stocked.ask("adapters", "list")
    assert (listed["active"], listed["held"]) == (None, None)
    if change is put_in_force:
        assert "put right" in told[0]
        statuses = {one["id"]: one["status"] for one in listed["adapters"]}
        assert statuses == {"adapter_1": "rolled back", "adapter_2": "rejected"}
    assert (stocked.home / "adapters" / "adapter_1").is_dir(), "no file is thrown away for it"
    assert running.chat("list: plum")
    assert running.stop() == 0
    with stopped_database(stocked.home / "lull.db") as other:
        rows = other.execute("SELECT active FROM adapters_in_force").fetchall()
    assert change is not put_in_force or rows == [(None,)]
    again = stocked.serve()
    assert stocked.ask("status")["policy"]["adapter"] is None
    if change is put_in_force:
        said = [problem["detail"] for problem in stocked.ask("status")["problems"]]
        assert not any("outside of Lull" in one for one in said), "told once"
    assert again.stop() == 0
