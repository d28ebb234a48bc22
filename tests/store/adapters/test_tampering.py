"""Tests of adapters' records changed by another program: noticed, not used, put right."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from lull.core.adapters.adapter import AdaptersInForce, AdapterStatus, LearnedSkill
from lull.core.adapters.gate_report import Verdict
from lull.core.adapters.published import PublishedStatus, PublishedVersion
from lull.core.errors import Conflict, NotFound, StoreError
from lull.core.skills.skill import SkillKey
from lull.store.adapters.adapter_rows import Move
from lull.store.adapters.adapters import Adapters
from lull.store.adapters.published import PublishedVersions
from lull.store.rows.sealed_tables import SEALED_TABLES
from lull.store.sqlite.database import Database
from lull.store.sqlite.migrations import MIGRATIONS
from tests.building import database_at, opened
from tests.damage import damage_record, stopped_database
from tests.store.adapters.test_adapters import NOW, version

ONE = LearnedSkill(skill=SkillKey("", "one"), sha256="sha of one")
TWO = AdaptersInForce(model="pocket", active="b", since=NOW + timedelta(days=1))


def ready(number: int) -> PublishedVersion:
    return PublishedVersion(
        model="pocket",
        number=number,
        name=f"lull/pocket:{number}",
        adapter=f"sha of {number}",
        base="sha256:base",
        status=PublishedStatus.READY,
        at=NOW,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lull.db"


@pytest.fixture
async def stored(file: Path) -> Path:
    """A database with two adapters that answered one after the other and one that was rejected."""
    with opened(file) as database:
        adapters = Adapters(database)
        await adapters.add(version("a"), [ONE])
        await adapters.add(version("b", parent="a"))
        await adapters.add(version("bad"))
        await adapters.store_verdict("bad", Verdict(accepted=False, at=NOW, against=None))
        await adapters.promote("a", at=NOW, why="a")
        await adapters.promote("b", at=NOW + timedelta(days=1), why="b")
        for number in (1, 2):
            await PublishedVersions(database).put(ready(number))
    return file


def said(database: Database) -> list[object]:
    adapters = Adapters(database)
    return [
        adapters.all(),
        adapters.in_force("pocket"),
        adapters.moves("pocket"),
        adapters.learned("b"),
        adapters.origins(),
        PublishedVersions(database).all(),
    ]


def rows(database: Database) -> list[list[str]]:
    """What lies in the tables themselves."""

    def read(connection: sqlite3.Connection) -> list[list[str]]:
        found = (connection.execute(f"SELECT * FROM {table.name}") for table in SEALED_TABLES)
        return [sorted(repr(tuple(row)) for row in one) for one in found]

    return database.read(read)


def everything(database: Database) -> list[object]:
    return [*said(database), *rows(database)]


TAMPERED = {
    "a rejected one in force": ("UPDATE adapters_in_force SET active = 'bad'",),
    "a rejected one on trial": ("UPDATE adapters_in_force SET shadow = 'bad', share = 1",),
    "no one in force": ("DELETE FROM adapters_in_force",),
    "another model's": (
        "INSERT INTO adapters_in_force (model, active, since) VALUES ('x', 'a', '')",
    ),
    "a verdict taken back": ("UPDATE adapters SET status = 'candidate', verdict = NULL",),
    "another hash": ("UPDATE adapters SET sha256 = 'sha of evil' WHERE id = 'b'",),
    "another id": ("UPDATE adapters SET id = 'c' WHERE id = 'a'",),
    "an adapter gone": ("DELETE FROM adapters WHERE id = 'a'",),
    "all gone": tuple(f"DELETE FROM {table.name}" for table in SEALED_TABLES),
    "an adapter more": (
        "INSERT INTO adapters SELECT 'c', parent, base_model, base_digest, 'sha of c', run,"
        " 'retired', made, verdict FROM adapters WHERE id = 'a'",
        "UPDATE adapters_in_force SET active = 'c'",
        "INSERT INTO adapter_learned VALUES ('c', '', 'one', 'sha of one')",
    ),
    "a skill not learned": ("DELETE FROM adapter_learned",),
    "a skill more": ("INSERT INTO adapter_learned VALUES ('b', '', 'two', 'sha of two')",),
    "a move gone": ("DELETE FROM adapter_moves WHERE number = 2",),
    "a move more": (
        "INSERT INTO adapter_moves VALUES (3, '2026-11-25T09:00:00+00:00', 'pocket', 'promote',"
        " 'bad', NULL, 'mine')",
    ),
    "a move changed": ("UPDATE adapter_moves SET active = 'bad' WHERE number = 1",),
    "a published name": ("UPDATE published SET name = 'mine' WHERE number = 1",),
    "a published one gone": ("DELETE FROM published WHERE number = 2",),
    "a published one more": (
        "INSERT INTO published SELECT model, 3, 'mine', adapter, base, status, at, why, agreement"
        " FROM published WHERE number = 1",
    ),
    "no text": ("UPDATE adapters SET sha256 = CAST(x'ff00fe' AS TEXT) WHERE id = 'b'",),
    "no text in a row more": (
        "INSERT INTO adapter_learned VALUES ('b', '', 'two', CAST(x'ff00fe' AS TEXT))",
    ),
    "a table gone": ("DROP TABLE adapters_in_force",),
}


@pytest.mark.parametrize("what", TAMPERED)
async def test_what_was_changed_while_stopped_is_not_used_and_put_right(
    stored: Path, what: str
) -> None:
    with opened(stored) as database:
        before, whole = said(database), everything(database)
    with stopped_database(stored) as other:
        for statement in TAMPERED[what]:
            other.execute(statement)
    with opened(stored) as database:
        adapters, published = Adapters(database), PublishedVersions(database)
        assert said(database) == before, "it was used"
        told = [await adapters.repair(), await published.repair()]
        assert everything(database) == whole
        assert any(told) and "outside of Lull" in next(filter(None, told)).detail
        assert [await adapters.repair(), await published.repair()] == [None, None], "told once"
        assert said(database) == before
        assert adapters.damage_error() is published.damage_error() is None


@pytest.mark.parametrize("what", ["a rejected one in force", "another hash", "an adapter more"])
async def test_what_was_changed_meanwhile_is_not_sealed_by_the_next_change(
    stored: Path, what: str
) -> None:
    with opened(stored) as database:
        adapters = Adapters(database)
        hash_of_b = adapters.get("b").sha256
        with stopped_database(stored) as other:
            for statement in TAMPERED[what]:
                other.execute(statement)
        await adapters.roll_back("pocket", "a", at=NOW + timedelta(days=2), why="worse")
        assert adapters.in_force("pocket").active == "a"
        assert adapters.get("b").status is AdapterStatus.ROLLED_BACK
        assert adapters.get("b").sha256 == hash_of_b
        assert [one.active for one in adapters.moves("pocket")] == ["a", "b", "a"]
        assert "c" not in {one.id for one in adapters.all()}
        told = await adapters.repair()
        assert told is not None and "is put right" in told.detail
        assert await adapters.repair() is None


LOST = {
    "damaged": lambda c: damage_record(c, "adapters_in_force", "pocket"),
    "gone": lambda c: c.execute("DELETE FROM row_seals WHERE part = 'adapters_in_force'"),
    "another's": lambda c: c.execute(
        "UPDATE row_seals SET seal = (SELECT seal FROM row_seals WHERE part = 'adapters' LIMIT 1)"
        " WHERE part = 'adapters_in_force'"
    ),
    "with the list": lambda c: c.execute(
        "DELETE FROM row_seals WHERE part = 'lists' AND id = 'adapters_in_force'"
    ),
}


@pytest.mark.parametrize("how", LOST)
async def test_where_the_record_of_who_answers_is_lost_the_last_move_counts(
    stored: Path, how: str
) -> None:
    with stopped_database(stored) as other:
        LOST[how](other)
        other.execute("UPDATE adapters_in_force SET active = 'bad'")
    with opened(stored) as database:
        adapters = Adapters(database)
        assert adapters.in_force("pocket") == TWO
        await adapters.repair()
        told = adapters.damage_error()
        assert told is not None and "outside of Lull" in told.detail
        await adapters.promote("a", at=NOW + timedelta(days=2), why="the user's word")
        assert adapters.in_force("pocket").active == "a"
        assert adapters.damage_error() is None
        assert adapters.get("b").status is AdapterStatus.RETIRED


async def test_where_nothing_valid_says_who_answers_the_base_does(stored: Path) -> None:
    with stopped_database(stored) as other:
        other.execute("DELETE FROM row_seals")
        other.execute("UPDATE adapters_in_force SET active = 'bad'")
    with opened(stored) as database:
        adapters = Adapters(database)
        assert adapters.in_force("pocket") == AdaptersInForce(model="pocket")
        assert (adapters.all(), adapters.past("pocket")) == ([], [])
        assert adapters.damage_error() is not None
        assert {one.id for one in adapters.origins()} == {"a", "b", "bad"}, "their files stay"
        with pytest.raises(StoreError, match="bad is damaged"):
            await adapters.promote("bad", at=NOW, why="no")
        await adapters.add(version("d"))
        await adapters.promote("d", at=NOW, why="a new one")
        assert adapters.in_force("pocket").active == "d"
        assert [one.id for one in adapters.all()] == ["d"], "the rest is not sealed by this"


async def test_a_lost_move_is_missed_until_the_next_one(stored: Path) -> None:
    with stopped_database(stored) as other:
        damage_record(other, "adapter_moves", "2")
        other.execute("DELETE FROM adapter_moves WHERE number = 2")
    with opened(stored) as database:
        adapters = Adapters(database)
        assert adapters.damage_error() is not None
        await adapters.roll_back("pocket", "a", at=NOW + timedelta(days=2), why="worse")
        assert [one.active for one in adapters.moves("pocket")] == ["a", "a"]
        assert adapters.damage_error() is await adapters.repair() is None


async def test_an_adapter_of_which_nothing_is_left_can_be_removed(stored: Path) -> None:
    with stopped_database(stored) as other:
        damage_record(other, "adapters", "bad")
        other.execute("DELETE FROM adapters WHERE id = 'bad'")
    with opened(stored) as database:
        adapters = Adapters(database)
        assert adapters.damage_error() is not None
        await adapters.remove("bad")
        assert adapters.damage_error() is None
        with pytest.raises(NotFound):
            await adapters.remove("bad")


async def test_a_published_version_without_a_list_is_named_all_the_same(stored: Path) -> None:
    with stopped_database(stored) as other:
        other.execute("DELETE FROM row_seals WHERE part = 'lists'")
        other.execute("UPDATE published SET model = 'a b', number = 'x' WHERE number = 1")
    with opened(stored) as database:
        assert {"pocket-lull-v1", "pocket-lull-v2"} <= set(PublishedVersions(database).names())
        told = await PublishedVersions(database).repair()
        assert told is not None and "published in Ollama" in told.detail


async def test_an_older_seal_is_not_taken_for_the_newest(file: Path) -> None:
    with opened(file) as database:
        adapters = Adapters(database)
        for name in "ab":
            await adapters.add(version(name))
        await adapters.promote("a", at=NOW, why="a")
    kept = _seals_and_row(file)
    with opened(file) as database:
        await Adapters(database).roll_back("pocket", None, at=NOW, why="it did harm")
    with stopped_database(file) as other:
        other.executemany("INSERT OR REPLACE INTO row_seals VALUES (?, ?, ?)", kept)
        other.execute("UPDATE adapters_in_force SET active = 'a'")
        other.execute("UPDATE adapters SET status = 'active' WHERE id = 'a'")
    with opened(file) as database:
        assert Adapters(database).in_force("pocket").active is None
        assert [one.id for one in Adapters(database).all()] == ["b"], "of a nothing is certain"


def _seals_and_row(file: Path) -> list[tuple[str, str, bytes]]:
    with stopped_database(file) as other:
        return other.execute(
            "SELECT * FROM row_seals WHERE part IN ('adapters', 'adapters_in_force')"
        ).fetchall()


async def test_a_lost_record_is_not_sealed_by_a_change_of_a_part_of_it(stored: Path) -> None:
    with stopped_database(stored) as other:
        damage_record(other, "adapters", "b")
        other.execute(
            "UPDATE adapters SET status = 'active', sha256 = 'sha of evil' WHERE id = 'b'"
        )
    with opened(stored) as database:
        adapters = Adapters(database)
        await adapters.roll_back("pocket", "a", at=NOW + timedelta(days=2), why="b is damaged")
        with pytest.raises(StoreError, match="adapter b is damaged"):
            adapters.get("b")
        await adapters.remove("b")
        assert adapters.damage_error() is None
        assert [one.id for one in adapters.origins()] == ["a", "bad"]


async def test_a_change_that_fails_leaves_neither_row_nor_seal(stored: Path) -> None:
    with opened(stored) as database:
        whole = everything(database)
        with pytest.raises(Conflict):
            await Adapters(database).add(version("a"), [replace(ONE, sha256="another")])
        with pytest.raises(Conflict):
            await Adapters(database).remove("b")
        assert everything(database) == whole
        assert await Adapters(database).repair() is None


async def test_what_is_written_again_as_it_was_stays_sealed(stored: Path) -> None:
    with opened(stored) as database:
        whole = everything(database)
        await PublishedVersions(database).put(ready(2))
        assert everything(database) == whole
        assert (
            await PublishedVersions(database).repair()
            is PublishedVersions(database).damage_error()
            is None
        )


@pytest.fixture
def older(file: Path) -> Iterator[Path]:
    """A database as the Lull before the seals left it."""
    with stopped_database(file) as other:
        for script in MIGRATIONS[:21]:
            other.executescript(script)
        other.execute("PRAGMA user_version = 21")
        row = ("a", None, "pocket", "base", "sha of a", None, "active", NOW.isoformat(), None)
        other.execute(f"INSERT INTO adapters VALUES ({', '.join('?' * len(row))})", row)
        other.execute(
            "INSERT INTO adapters_in_force (model, active, since) VALUES ('pocket', 'a', ?)",
            (NOW.isoformat(),),
        )
        other.execute(
            "INSERT INTO adapter_moves VALUES (1, ?, 'pocket', 'promote', 'a', NULL, 'better')",
            (NOW.isoformat(),),
        )
        other.execute("INSERT INTO adapter_learned VALUES ('a', '', 'one', 'sha of one')")
    yield file


async def test_what_is_older_than_the_seals_is_sealed_once(older: Path) -> None:
    with opened(older) as database:
        adapters = Adapters(database)
        assert adapters.active("pocket") == adapters.get("a")
        assert adapters.learned("a") == [ONE]
        assert [move.move for move in adapters.moves("pocket")] == [Move.PROMOTE]
        assert adapters.damage_error() is await adapters.repair() is None
    with stopped_database(older) as other:
        other.execute("DELETE FROM row_seals")
    with opened(older) as database:
        assert Adapters(database).active("pocket") is None, "it is not sealed anew"


@pytest.mark.parametrize("value", ["x'ff00'", "CAST(x'ff00' AS TEXT)"])
async def test_what_lull_cannot_have_written_is_not_sealed_and_stops_no_start(
    older: Path, value: str
) -> None:
    with stopped_database(older) as other:
        other.execute(f"UPDATE adapters SET sha256 = {value}")
    for _ in range(2):
        with opened(older) as database:
            adapters = Adapters(database)
            assert adapters.all() == []
            assert adapters.damage_error() is not None
            assert await adapters.repair() is None
            assert adapters.learned("a") == [ONE]


@pytest.mark.parametrize("table", ["runs", "facts", "generations", "adapter_learned"])
async def test_an_older_file_from_which_a_table_was_dropped_is_opened(
    older: Path, table: str
) -> None:
    with stopped_database(older) as other:
        other.execute(f"DROP TABLE {table}")
    with opened(older) as database:
        assert table in database.made_anew
        adapters = Adapters(database)
        assert adapters.active("pocket") == adapters.get("a")
        assert adapters.damage_error() is None


async def test_a_lost_key_seals_nothing_anew(stored: Path) -> None:
    with stopped_database(stored) as other:
        other.execute("DELETE FROM facts WHERE name = 'row-key'")
        other.execute("UPDATE adapters_in_force SET active = 'bad'")
    with opened(stored) as database:
        adapters = Adapters(database)
        assert adapters.in_force("pocket").active is None
        await adapters.add(version("d"))
        assert [one.id for one in adapters.all()] == ["d"]
        assert adapters.in_force("pocket").active is None
        assert adapters.damage_error() is not None


def test_a_new_database_has_nothing_to_tell(file: Path) -> None:
    database = database_at(file)
    assert Adapters(database).damage_error() is PublishedVersions(database).damage_error() is None
    database.close()
