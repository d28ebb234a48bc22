"""Tests that a pipe nobody writes to, or an endless device, among a skill's files blocks nothing.

No change, stop or start waits for it. Any archive of skills from elsewhere can contain one. Nor
does a start wait for one in the place of an adapter's file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lull.backends.mlx.local_facts import read_local_model
from lull.core.chat.messages import Sampling
from lull.resources import pocket_dir
from lull.store.rows.sealed_rows import changing
from lull.store.rows.sealed_tables import OF_ADAPTERS
from tests.damage import stopped_database
from tests.eventually import eventually
from tests.running import Lull

TEXT = "---\nname: nice\ndescription: When a song is asked for\n---\n\nRhyme the lines.\n"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(os.name != "posix", reason="no pipes in folders here"),
]


def pipe(place: Path) -> None:
    os.mkfifo(place)


def endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


@pytest.mark.full
@pytest.mark.parametrize("make", [pipe, endless], ids=["pipe", "endless"])
def test_beside_a_dropped_skill(lull: Lull, make: Callable[[Path], None]) -> None:
    running = lull.serve()
    folder = lull.home / "library" / "skills" / "everybody" / "nice"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(TEXT)
    make(folder / "evidence.json")
    lull.ask("skills", "list")
    (waiting,) = eventually(lambda: lull.ask("review", "list")["proposals"], bool)
    lull.ask("review", "approve", waiting["id"], "--sha256", waiting["sha256"])
    lull.ask("skills", "edit", "nice", "--body", "Rhyme all lines.")
    lull.ask("skills", "add", "brief", "--description", "Always.", "--body", "Be brief.")
    assert running.stop() == 0
    again = lull.serve()
    names = [one["name"] for one in lull.ask("skills", "list")["skills"]]
    assert sorted(names) == ["brief", "nice"]
    assert again.stop() == 0


@pytest.mark.parametrize("make", [pipe, endless], ids=["pipe", "endless"])
def test_in_the_place_of_the_database(lull: Lull, make: Callable[[Path], None]) -> None:
    running = lull.serve()
    lull.ask("skills", "add", "brief", "--description", "Always.", "--body", "Be brief.")
    running.kill()  # so that what it holds is in the files beside it, too
    file, away = lull.home / "lull.db", lull.home / "away.db"
    file.rename(away)
    make(file)
    beside = sorted(one.name for one in lull.home.glob("lull.db?*"))
    for words in (["serve", "--port", "0"], ["skills"], ["backup"], ["forget", "conv_1", "--yes"]):
        ran = lull.run(*words)
        assert ran.code == 1 and ran.err.count("\n") == 1, ran
        assert f"{file} is a pipe or a device and no file. (Move it away." in ran.err, ran
    assert "is a pipe or a device" in lull.run("doctor").out
    assert sorted(one.name for one in lull.home.glob("lull.db?*")) == beside
    file.unlink()
    away.rename(file)
    lull.serve()
    assert [one["name"] for one in lull.ask("skills", "list")["skills"]] == ["brief"]
    assert lull.ask("status")["problems"] == []


def test_in_the_place_of_a_working_copy_and_of_the_witness(lull: Lull) -> None:
    running = lull.serve()
    lull.ask("skills", "add", "brief", "--description", "Always.", "--body", "Be brief.")
    file = lull.home / "library" / "skills" / "everybody" / "brief" / "SKILL.md"
    file.unlink()
    os.mkfifo(file)
    lull.ask("skills", "edit", "brief", "--body", "Be very brief.")
    assert file.is_file() and "Be very brief." in file.read_text()
    assert running.stop() == 0
    witness = lull.home / "witness.json"
    witness.unlink()
    os.mkfifo(witness)
    assert lull.serve().stop() == 0


@pytest.mark.parametrize("make", [pipe, endless], ids=["pipe", "endless"])
def test_in_the_place_of_what_is_kept_of_backups_of_clients_and_in_the_trash(
    lull: Lull, make: Callable[[Path], None]
) -> None:
    names = ("backups.json", "trash/000001.gz", "clients/zed-0123456789ab/connection.json")
    assert lull.serve().stop() == 0
    for name in names:
        (lull.home / name).parent.mkdir(parents=True, exist_ok=True)
        make(lull.home / name)
    running = lull.serve()
    (problem,) = eventually(lambda: lull.ask("status")["problems"])
    assert "000001.gz" in problem["detail"]
    for words in (["trash"], ["connect"], ["backup"], ["doctor"]):
        ran = lull.run(*words)
        assert ran.code in (0, 1) and "did not come to an end" not in ran.out, ran
    assert running.stop() == 0


def test_in_the_place_of_an_adapter_whose_neighbour_has_a_damaged_record(lull: Lull) -> None:
    lull.serve().stop()
    weights = lull.home / "adapters" / "adapter_1" / "adapters.safetensors"
    kept = lull.home / "runs" / "run_1" / "checkpoints"
    for folder in (weights.parent, kept):
        folder.mkdir(parents=True)
    os.mkfifo(weights)
    digest = read_local_model("pocket", pocket_dir(), sampling=Sampling()).digest
    at = "2026-11-28T10:00:00+00:00"
    with stopped_database(lull.home / "lull.db") as database, changing(database, *OF_ADAPTERS):
        for name, status in (("adapter_1", "active"), ("adapter_2", "actvie")):
            row = (name, None, "pocket", digest, f"sha of {name}", None, status, at, None)
            database.execute(f"INSERT INTO adapters VALUES ({', '.join('?' * len(row))})", row)
        database.execute(
            "INSERT INTO adapters_in_force (model, active, share, since, held_share)"
            " VALUES ('pocket', 'adapter_1', 0, ?, 0)",
            (at,),
        )
        run = ("run_1", "grpo", "trainde", "", at, at, "pocket", digest, None, None, None, "{")
        database.execute(f"INSERT INTO runs VALUES ({', '.join('?' * len(run))})", run)
    running = lull.serve()
    said = [problem["detail"] for problem in lull.ask("status")["problems"]]
    for words in ("is not a regular file", "adapter adapter_2 is damaged", "run run_1 is damaged"):
        assert any(words in one for one in said), (words, said)
    assert kept.is_dir()
    assert running.chat("list: plum")
    assert running.stop() == 0
