"""Tests of a whole service in the test's process whose records another program changes while it
runs: put right, and told at the next look.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.adapters.published import PublishedStatus, PublishedVersion
from lull.core.errors import LullError, StoreError
from lull.core.events import EventKind
from lull.core.training.record import Run, RunStatus
from lull.core.training.spec import RunKind
from lull.service.entry.started import started
from lull.service.process import records
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.service.process.records import RecordChecks, WatchRecords
from lull.service.proxy.auth import AccessRules
from lull.service.wiring.service import Service
from lull.store.adapters.published import PublishedVersions
from lull.store.chat.event_log import EventLog
from lull.store.rows.sealed_tables import SEALED_TABLES
from lull.store.skills.proof_records import record_proof
from tests.building import database_at
from tests.damage import damage_record, stopped_database
from tests.doubles.fakes import FakeClock
from tests.eventually import PATIENCE_S

pytestmark = [
    pytest.mark.slow,
    pytest.mark.logs("Part of the database was damaged or changed"),
]
NOW = datetime(2026, 11, 28, 9, tzinfo=UTC)
Change = Callable[[sqlite3.Connection], object]


@asynccontextmanager
async def serving(home: Path) -> AsyncIterator[Service]:
    paths = Paths.from_environment({"LULL_HOME": str(home)}, "linux")
    paths.prepare()
    async with started(Settings(), paths, AccessRules(port=0)) as service:
        yield service


async def stocked(service: Service) -> None:
    """Store a published version, a run with what its trainer wrote, and a proof."""
    run = Run(
        id="run_1",
        kind=RunKind.KTO,
        status=RunStatus.REJECTED,
        why="It was no better.",
        made_at=NOW,
        changed_at=NOW,
        model="pocket",
        base="base",
        root=None,
        parent=None,
    )
    await service.shared.stores.training.add_run(run, ())
    await write(service)


async def write(service: Service) -> None:
    """Write each kind of record once more, always the same."""
    database, training = service.shared.stores.database, service.shared.stores.training
    published = PublishedVersion(
        model="pocket",
        number=1,
        name="pocket-lull-v1",
        adapter="sha of an adapter",
        base="sha of the base",
        status=PublishedStatus.READY,
        at=NOW,
    )
    await PublishedVersions(database).put(published)
    await training.change("run_1", lambda now: now, wrote="sha of what was written")
    await record_proof(database, "sha of a text", b"proof")


def told(service: Service) -> dict[str, str]:
    return {one["key"]: one["detail"] for one in service.shared.problems.current()}


def tables(home: Path) -> list[list[tuple[object, ...]]]:
    with stopped_database(home / "lull.db") as other:
        return [other.execute(f"SELECT * FROM {one.name}").fetchall() for one in SEALED_TABLES]


CHANGED: dict[str, tuple[str, Change]] = {
    "a published name": (
        "published rows",
        lambda c: c.execute("UPDATE published SET name = 'mine'"),
    ),
    "another hash": (
        "records of trained adapters",
        lambda c: c.execute("UPDATE trained_adapters SET sha256 = 'sha of evil'"),
    ),
    "a run more": (
        "records of trained adapters",
        lambda c: c.execute("INSERT INTO trained_adapters VALUES ('run_2', 'sha of evil')"),
    ),
    "a proof gone": ("records of proofs", lambda c: c.execute("DELETE FROM proof_records")),
}
DAMAGED: dict[str, tuple[str, Change]] = {
    "a run": ("run rows", lambda c: c.execute("UPDATE runs SET status = 'traned'")),
    "a published version": (
        "published rows",
        lambda c: damage_record(c, "published", "pocket:latest 1"),
    ),
}


@pytest.mark.parametrize("what", [*CHANGED, *DAMAGED])
async def test_what_is_changed_while_it_runs_is_told_by_the_job_that_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(records, "LOOK_AT_RECORDS_EVERY_S", 0.02)
    key, change = {**CHANGED, **DAMAGED}[what]
    async with serving(tmp_path) as service:
        await stocked(service)
        await service.upkeep.watch_records.look()
        assert key not in told(service)
        whole = tables(tmp_path)
        with stopped_database(tmp_path / "lull.db") as other:
            change(other)
        bus = service.shared.bus
        async with asyncio.timeout(PATIENCE_S), bus.watching(after=bus.last) as events:
            looking = asyncio.create_task(service.upkeep.watch_records.run())
            async for event in events:
                if event.kind == EventKind.PROBLEM and event.fields["key"] == key:
                    break
        looking.cancel()
        said = told(service)[key]
        if what in CHANGED:
            assert "changed outside of Lull" in said and "put right" in said
            assert tables(tmp_path) == whole
        else:
            assert "is damaged" in said
        await service.upkeep.watch_records.look()
        assert told(service)[key] == said, "it stands until the next start"
    async with serving(tmp_path) as service:
        assert (key in told(service)) == (what in DAMAGED)


@pytest.mark.parametrize("what", CHANGED)
async def test_what_was_changed_while_stopped_is_told_at_the_start(
    tmp_path: Path, what: str
) -> None:
    key, change = CHANGED[what]
    async with serving(tmp_path) as service:
        await stocked(service)
    with stopped_database(tmp_path / "lull.db") as other:
        change(other)
    async with serving(tmp_path) as service:
        assert "put right" in told(service)[key]


@pytest.mark.parametrize("what", CHANGED)
async def test_what_a_change_in_between_puts_right_is_told_at_the_next_look(
    tmp_path: Path, what: str
) -> None:
    """Also one by a command: it is noted in the database."""
    key, change = CHANGED[what]
    async with serving(tmp_path) as service:
        await stocked(service)
        whole = tables(tmp_path)
        with stopped_database(tmp_path / "lull.db") as other:
            change(other)
        await write(service)
        assert tables(tmp_path) == whole
        await service.upkeep.watch_records.look()
        assert "put right" in told(service)[key]


async def test_a_look_at_records_in_order_waits_for_no_write(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        await stocked(service)
        hold, begun = threading.Event(), threading.Event()
        service.shared.stores.database.post(lambda _: begun.set() or hold.wait(PATIENCE_S))
        assert await asyncio.to_thread(begun.wait, PATIENCE_S)
        try:
            async with asyncio.timeout(PATIENCE_S / 2):
                await service.upkeep.watch_records.look()
                await service.slow_loop.adapters.control.check_records()
        finally:
            hold.set()
        assert not told(service).keys() & {key for key, _ in CHANGED.values()}


STUCK = {
    "records of proofs": (
        "CREATE TRIGGER another BEFORE DELETE ON proof_records"
        " BEGIN SELECT RAISE(ABORT, 'no'); END",
        "UPDATE proof_records SET evidence_sha256 = 'x'",
    ),
    "records of trained adapters": (
        "CREATE TRIGGER another BEFORE INSERT ON trained_adapters"
        " BEGIN SELECT RAISE(ABORT, 'no'); END",
        "UPDATE trained_adapters SET sha256 = 'x'",
    ),
    "published rows": (
        "CREATE TRIGGER another BEFORE INSERT ON published BEGIN SELECT RAISE(ABORT, 'no'); END",
        "UPDATE published SET name = 'mine'",
    ),
}


@pytest.mark.parametrize("key", STUCK)
async def test_what_cannot_be_put_right_is_told_and_not_written_again(
    tmp_path: Path, key: str
) -> None:
    async with serving(tmp_path) as service:
        await stocked(service)
        database, look = service.shared.stores.database, service.upkeep.watch_records.look
        with stopped_database(tmp_path / "lull.db") as other:
            for statement in STUCK[key]:
                other.execute(statement)
        await look()
        assert "cannot be put right from its sealed copy" in told(service)[key]
        changes = [database.changes]
        for _ in range(8):
            await look()
            assert "cannot be put right from its sealed copy" in told(service)[key]
            changes.append(database.changes)
        # The event that tells of it may be stored in between.
        assert any(one == another for one, another in itertools.pairwise(changes)), changes
    async with serving(tmp_path) as service:
        assert "cannot be put right from its sealed copy" in told(service)[key]
        with stopped_database(tmp_path / "lull.db") as other:
            other.execute("DROP TRIGGER another")
        await service.upkeep.watch_records.look()
        assert "is put right from its sealed copy" in told(service)[key]


@pytest.mark.parametrize("note", [b"\xff\n\xfe", b"", b"a\n" * 100_000])
async def test_a_note_that_others_wrote_stops_neither_look_nor_start(
    tmp_path: Path, note: bytes
) -> None:
    async with serving(tmp_path) as service:
        await stocked(service)
        with stopped_database(tmp_path / "lull.db") as other:
            other.executemany(
                "INSERT OR REPLACE INTO facts VALUES (?, ?)",
                [(f"put-right:{one.name}", note) for one in SEALED_TABLES],
            )
        await service.upkeep.watch_records.look()
    async with serving(tmp_path):
        pass


@pytest.mark.logs("The disk is full", "A row is damaged")
async def test_a_kind_that_cannot_be_looked_at_hides_no_other(tmp_path: Path) -> None:
    database = database_at(tmp_path / "lull.db")
    problems = Problems(EventBus(EventLog(database), FakeClock()))

    async def fails() -> LullError | None:
        raise StoreError("The disk is full.")

    checks = {
        "first": RecordChecks(repair=fails),
        "second": RecordChecks(damage=lambda: StoreError("A row is damaged.")),
    }
    await WatchRecords(checks, problems).look()
    told = {one["key"]: one["detail"] for one in problems.current()}
    assert told == {"first": "The disk is full.", "second": "A row is damaged."}
    database.close()
