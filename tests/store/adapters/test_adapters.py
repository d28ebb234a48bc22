"""Tests of storing adapters: files, versions, which one is in force, and the gate's measures."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lull.core.adapters.adapter import AdaptersInForce, AdapterStatus, AdapterVersion, LearnedSkill
from lull.core.adapters.gate_measured import Distance, Manner
from lull.core.adapters.gate_report import GateCheck, Verdict
from lull.core.adapters.measurement import Measure, MeasureKind
from lull.core.adapters.published import PublishedStatus, PublishedVersion
from lull.core.errors import Conflict, StoreError
from lull.core.skills.skill import SkillKey
from lull.store.adapters.adapter_files import (
    ADAPTER_FILES,
    AdapterFiles,
    UnreadableAdapter,
    fingerprint,
)
from lull.store.adapters.adapter_rows import Move
from lull.store.adapters.adapters import Adapters
from lull.store.adapters.gate_measures import GateMeasures
from lull.store.adapters.published import PublishedVersions
from lull.store.rows.sealed_rows import changing
from lull.store.rows.sealed_tables import ADAPTERS, PUBLISHED
from lull.store.sqlite.database import Database
from tests.building import database_at
from tests.loops.adapters.scripted import made

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = database_at(tmp_path / "lull.db")
    yield opened
    opened.close()


def version(name: str, *, model: str = "pocket", parent: str | None = None) -> AdapterVersion:
    return AdapterVersion(
        id=name,
        parent=parent,
        base_model=model,
        base_digest="sha256:base",
        sha256=f"sha of {name}",
        run=f"run_{name}",
        status=AdapterStatus.CANDIDATE,
        made=NOW,
    )


async def test_what_is_written_is_read_back(database: Database) -> None:
    adapters = Adapters(database)
    checks = (GateCheck(name="target", holds=True, text="better", value=21.5, limit=20.0),)
    verdict = Verdict(accepted=True, at=NOW, against=None, checks=checks)
    await adapters.add(version("a"))
    judged = await adapters.store_verdict("a", verdict)
    assert adapters.get("a") == judged
    assert (judged.verdict, judged.status) == (verdict, AdapterStatus.CANDIDATE)
    with pytest.raises(Conflict):
        await adapters.add(version("a"))


async def test_each_model_has_a_pointer_of_its_own(database: Database) -> None:
    adapters = Adapters(database)
    await adapters.add(version("a"))
    await adapters.add(version("b", model="llama3.2"))
    await adapters.promote("a", at=NOW, why="a")
    assert adapters.in_force("llama3.2") == AdaptersInForce(model="llama3.2")
    assert (adapters.models(), adapters.active("llama3.2")) == (["llama3.2", "pocket"], None)
    with pytest.raises(Conflict, match="another model"):
        await adapters.roll_back("pocket", "b", at=NOW, why="wrong")
    assert adapters.in_force("pocket").active == "a"


async def test_moves_tell_how_it_came_about(database: Database) -> None:
    adapters = Adapters(database)
    for name in "ab":
        await adapters.add(version(name))
    await adapters.try_out("a", share=0.1, at=NOW, why="trial")
    await adapters.promote("a", at=NOW + timedelta(days=1), why="a day")
    await adapters.promote("b", at=NOW + timedelta(days=2), why="better")
    await adapters.roll_back("pocket", "a", at=NOW + timedelta(days=3), why="worse")
    told = [(move.move, move.active, move.shadow, move.why) for move in adapters.moves("pocket")]
    assert told == [
        (Move.ROLL_BACK, "a", None, "worse"),
        (Move.PROMOTE, "b", None, "better"),
        (Move.PROMOTE, "a", None, "a day"),
        (Move.TRIAL, None, "a", "trial"),
    ]
    assert [one.id for one in adapters.past("pocket")] == ["b"]
    with pytest.raises(Conflict):
        await adapters.end_trial("pocket", at=NOW, why="there is none")


async def test_a_late_verdict_does_not_change_what_serves(database: Database) -> None:
    adapters = Adapters(database)
    await adapters.add(version("a"))
    await adapters.promote("a", at=NOW, why="the user's word")
    await adapters.store_verdict("a", Verdict(accepted=False, at=NOW, against=None))
    assert adapters.get("a").status is AdapterStatus.ACTIVE


async def test_learned_skills_go_with_their_adapter_and_its_line(database: Database) -> None:
    adapters = Adapters(database)
    one, two = (LearnedSkill(skill=SkillKey("", n), sha256=f"sha of {n}") for n in ("one", "two"))
    await adapters.add(version("a"), [one])
    await adapters.add(version("b", parent="a"), [two])
    assert adapters.learned("b") == [one, two]
    assert adapters.learned("a") == [one]
    assert adapters.learned(None) == []
    await adapters.remove("a")
    assert adapters.learned("b") == [two]


async def test_what_a_model_has_learned_in_force_follows_the_pointer(database: Database) -> None:
    adapters = Adapters(database)
    await adapters.add(version("a"), [LearnedSkill(skill=SkillKey("", "one"), sha256="sha of one")])
    assert adapters.learned_by_active("pocket") == frozenset()
    await adapters.promote("a", at=NOW, why="better")
    assert adapters.learned_by_active("pocket") == {"sha of one"}


async def test_measures_are_kept_as_they_are_and_a_new_plan_begins_anew(
    database: Database,
) -> None:
    adapters, measures = Adapters(database), GateMeasures(database)
    await adapters.add(version("a"))
    assert measures.plan("a") is None
    await measures.store_plan("a", {"against": None, "targets": ["t"]}, at=NOW)
    manner = Manner(characters=3, repeated=0.5, refused=True)
    full = Measure(
        kind=MeasureKind.PROBE,
        about="code",
        old=1.0,
        new=0.0,
        away=Distance(nats=0.25, tokens=4),
        manner=(manner, manner),
        leaks=("aws-key",),
    )
    await measures.keep("a", "probe:0", full)
    await measures.keep("a", "target:0:t", Measure(kind=MeasureKind.TARGET, about="t"))
    assert measures.all("a") == {
        "probe:0": full,
        "target:0:t": Measure(kind=MeasureKind.TARGET, about="t"),
    }
    assert measures.plan("a") == {"against": None, "targets": ["t"]}
    await measures.store_plan("a", {"against": "b"}, at=NOW)
    assert measures.all("a") == {}
    await measures.keep("a", "probe:0", full)
    await adapters.remove("a")
    assert measures.all("a") == {} and measures.plan("a") is None


# Damaged rows


@pytest.mark.parametrize(
    ("column", "value"),
    [("status", "actvie"), ("made", "yesterday"), ("verdict", "{"), ("verdict", '{"accepted": 1}')],
)
async def test_a_damaged_row_costs_only_its_own_adapter(
    database: Database, column: str, value: str
) -> None:
    adapters = Adapters(database)
    await adapters.add(version("a"))
    await adapters.add(version("b", parent="a"))
    await adapters.promote("a", at=NOW, why="better")
    assert adapters.damage_error() is None

    def damage(connection: sqlite3.Connection) -> None:
        with changing(connection, ADAPTERS):  # it was damaged before there were seals
            connection.execute(f"UPDATE adapters SET {column} = ? WHERE id = 'a'", (value,))

    await database.write(damage)
    assert [one.id for one in adapters.all()] == ["b"]
    assert sorted(one.id for one in adapters.origins()) == ["a", "b"]
    assert adapters.lineage("b") == ("b", "a")
    with pytest.raises(StoreError, match="adapter a is damaged"):
        adapters.active("pocket")
    told = adapters.damage_error()
    assert told is not None and "adapter a is damaged" in told.detail
    await adapters.roll_back("pocket", None, at=NOW, why="it is forgotten")
    await adapters.remove("a")
    assert adapters.damage_error() is None


async def test_a_damaged_row_costs_only_its_own_published_version(database: Database) -> None:
    published = PublishedVersions(database)
    for number in (1, 2):
        await published.put(
            PublishedVersion(
                model="pocket",
                number=number,
                name=f"lull/pocket:{number}",
                adapter=f"adapter_{number}",
                base="sha256:base",
                status=PublishedStatus.READY,
                at=NOW,
            )
        )

    def damage(connection: sqlite3.Connection) -> None:
        with changing(connection, PUBLISHED):
            connection.execute("UPDATE published SET agreement = '[1' WHERE number = 2")

    await database.write(damage)
    assert [one.number for one in published.all()] == [1]
    told = published.damage_error()
    assert told is not None and "lull/pocket:2 is damaged" in told.detail


# Files


def test_files_are_taken_in_whole_or_not_at_all(tmp_path: Path) -> None:
    files, source = AdapterFiles(tmp_path / "adapters"), made(tmp_path, "a")
    known = files.take_in("a", source)
    assert known == fingerprint(source) and files.damage("a", known) == ""
    assert sorted(p.name for p in files.folder("a").iterdir()) == sorted(ADAPTER_FILES)
    (source / ADAPTER_FILES[1]).unlink()
    with pytest.raises(StoreError):
        files.take_in("b", source)
    assert not files.folder("b").exists()
    assert files.damage("a", known) == "", "what was there before stays"


@pytest.mark.parametrize("name", ADAPTER_FILES)
def test_either_file_counts_for_the_fingerprint(tmp_path: Path, name: str) -> None:
    files, source = AdapterFiles(tmp_path / "adapters"), made(tmp_path, "a")
    known = files.take_in("a", source)
    (files.folder("a") / name).write_bytes(b"others")
    assert "not what was trained" in files.damage("a", known)
    (files.folder("a") / name).unlink()
    assert name in files.damage("a", known)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_pipe_or_a_device_in_the_place_of_a_file_is_damage(tmp_path: Path, kind: str) -> None:
    files, source = AdapterFiles(tmp_path / "adapters"), made(tmp_path, "a")
    known = files.take_in("a", source)
    for folder in (files.folder("a"), source):
        weights = folder / "adapters.safetensors"
        weights.unlink()
        if kind == "pipe":
            os.mkfifo(weights)
        elif kind == "device":
            weights.symlink_to("/dev/zero")
        else:
            weights.mkdir()
    assert "is not a regular file" in files.damage("a", known)
    with pytest.raises(StoreError, match="is not a regular file"):
        files.take_in("b", source)


@pytest.mark.parametrize("at", ["file", "folder", "root"])
@pytest.mark.parametrize("leads", ["round", "to a disk that is away"])
def test_a_link_that_leads_nowhere_now_is_not_told_as_damage(
    tmp_path: Path, at: str, leads: str
) -> None:
    files = AdapterFiles(tmp_path / "adapters")
    known = files.take_in("a", made(tmp_path, "a"))
    weights = files.folder("a") / "adapters.safetensors"
    place = {"file": weights, "folder": weights.parent, "root": files.root}[at]
    aside = place.rename(place.with_name("aside"))
    place.symlink_to(place if leads == "round" else tmp_path / "disk" / "files")
    assert "cannot be read now" in files.damage("a", known)
    with pytest.raises(UnreadableAdapter, match="cannot be read now"):
        files.mend("a", known, run=None)
    place.unlink()
    aside.rename(place)
    assert files.damage("a", known) == ""


def test_a_sweep_removes_what_belongs_to_nobody(tmp_path: Path) -> None:
    files = AdapterFiles(tmp_path / "adapters")
    files.sweep([])
    files.take_in("a", made(tmp_path, "a"))
    files.take_in("b", made(tmp_path, "b"))
    files.sweep(["a"])
    assert files.folder("a").is_dir() and not files.folder("b").exists()


def test_adapters_that_only_lost_rows_name_are_not_swept(tmp_path: Path) -> None:
    files = AdapterFiles(tmp_path / "adapters", rows_missing=lambda: True)
    files.take_in("a", made(tmp_path, "a"))
    (files.root / ".taking-b").mkdir()
    files.sweep([])
    assert [one.name for one in files.root.iterdir()] == ["a"]
