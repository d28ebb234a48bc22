"""Tests of publishing adapters to Ollama as copies of their model, without an Ollama."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from lull.core.adapters.published import PublishedStatus, PublishedVersion
from lull.core.errors import WeightsError
from lull.core.models.weight_work import NextToken
from lull.loops.adapters.publish import AdapterToPublish, Publish
from lull.service.proxy.published_names import PublishedNames
from lull.store.adapters.merged_files import MergedFiles
from lull.store.adapters.published import PublishedVersions
from lull.store.rows.sealed_rows import changing
from lull.store.rows.sealed_tables import PUBLISHED
from lull.store.sqlite.database import Database
from tests.core.models.test_learnable import shown
from tests.damage import damage_record
from tests.doubles.fakes import FakeClock
from tests.loops.models.test_choose_model import FakeFiles, FakeOllama, FakeWork


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(tmp_path / "lull.db")
    yield made
    made.close()


async def no_token(_prompt: str, _adapter: str | None) -> NextToken:
    raise AssertionError("nothing is asked")


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "lost"])
@pytest.mark.parametrize("harm", ["agreement = '[1'", "status = 'raedy', name = 'x'"])
async def test_the_number_of_a_damaged_record_is_not_given_out_again(
    database: Database, tmp_path: Path, harm: str, sealed: bool
) -> None:
    """Tests one that was damaged before there were seals, and one whose seal is damaged."""
    clock, versions = FakeClock(), PublishedVersions(database)
    for number in (1, 2):
        await versions.put(
            PublishedVersion(
                model="lost:latest",
                number=number,
                name=f"lost-lull-v{number}",
                adapter=f"{number}",
                base="0" * 64,
                status=PublishedStatus.REMOVED,
                at=clock.now(),
            )
        )

    def damage(connection: sqlite3.Connection) -> None:
        with changing(connection, *([PUBLISHED] if sealed else [])):
            connection.execute(f"UPDATE published SET {harm} WHERE number = 2")
        if not sealed:
            damage_record(connection, "published", "lost:latest 2")

    await database.write(damage)
    publish = Publish(
        store=FakeOllama({"lost:latest": shown(modelfile="FROM /nowhere/sha256-" + "0" * 64)}),
        work=FakeWork(clock),
        versions=versions,
        weights=FakeFiles(),
        files=MergedFiles(tmp_path / "publishing"),
        clock=clock,
        names=PublishedNames(),
    )
    learnt = AdapterToPublish(sha256="3", folder="", base="0" * 64)
    with pytest.raises(WeightsError, match="not there"):  # its number is recorded before
        await publish.prepare("lost", learnt, says=no_token)
    assert [one.name for one in versions.all()] == ["lost-lull-v1", "lost-lull-v3"]
    assert versions.damage_error() is not None
