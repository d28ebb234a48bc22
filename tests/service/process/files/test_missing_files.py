"""Tests that missing or emptied files are reported: at the start, in the status, by the doctor.

Each report is one line. Lull never begins anew in silence, and deletes nothing that is left.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.running import Lull

pytestmark = pytest.mark.full


def witness(lull: Lull) -> dict[str, object]:
    try:
        said: dict[str, object] = json.loads((lull.home / "witness.json").read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return said


def lived_in(lull: Lull) -> None:
    """Leave two turns, a skill of two versions, and a service that was killed."""
    running = lull.serve()
    lull.ask("skills", "add", "menu-style", "--description", "d", "--body", "b")
    lull.ask("skills", "edit", "menu-style", "--body", "c")
    for word in ("apple", "pear"):
        running.chat(f"list: {word}")
    eventually(lambda: witness(lull).get("turns") == 2)
    running.kill()


def problems(lull: Lull) -> list[str]:
    return [p["detail"] for p in lull.ask("status")["problems"]]


def store_check(lull: Lull, name: str = "store") -> dict[str, object]:
    ran = lull.run("doctor", "--json")
    found: dict[str, object] = next(c for c in ran.json["checks"] if c["name"] == name)
    assert (ran.code == 0) == (not any(c["serious"] for c in ran.json["checks"]))
    return found


def test_a_database_that_is_gone_is_told_before_the_start_and_after(lull: Lull) -> None:
    lived_in(lull)
    for file in lull.home.glob("lull.db*"):
        file.unlink()
    assert "held 2 answers in 2 conversations" in str(store_check(lull)["text"])
    assert list(lull.home.glob("lull.db*")) == []
    lull.serve()
    (said,) = [p for p in problems(lull) if "held 2 answers" in p]
    found = store_check(lull)
    assert (found["ok"], found["serious"], found["text"]) == (False, True, said)


def test_a_database_that_goes_while_lull_runs_is_told_until_it_is_back(lull: Lull) -> None:
    lull.serve()
    assert problems(lull) == []
    file, away = lull.home / "lull.db", lull.home / "elsewhere.db"
    file.rename(away)
    (said,) = eventually(lambda: problems(lull))
    assert said.startswith(f"{file} was removed while Lull runs.")
    shutil.copy(away, file)
    eventually(lambda: "replaced by another file" in problems(lull)[0])
    away.replace(file)
    eventually(lambda: problems(lull) == [])


def test_no_command_touches_what_is_there_instead_of_the_database(lull: Lull) -> None:
    running = lull.serve()
    running.chat("list: apple")
    turn = eventually(lambda: lull.ask("conversations")["conversations"])[0]["id"]
    file, away = lull.home / "lull.db", lull.home / "elsewhere.db"
    file.rename(away)
    for said in ("was removed while Lull runs", "was replaced by another file"):
        before = file.read_bytes() if file.exists() else None
        backup = lull.home.parent / "one.zip"
        for words in (
            ("forget", turn, "--yes"),
            ("forget", turn),
            ("backup", str(backup)),
        ):
            ran = lull.run(*words)
            assert ran.code == 1 and ran.err.count("\n") == 1, ran
            assert f"{file} {said}" in ran.err, ran
        assert not backup.exists()
        with ThreadPoolExecutor(12) as at_once:  # what is read is of the one that was opened
            told = [at_once.submit(lull.ask, "conversations") for _ in range(12)]
            assert turn in {one["id"] for all_ in told for one in all_.result()["conversations"]}
            assert all(len(one.result()["conversations"]) >= 1 for one in told)
        assert (file.read_bytes() if file.exists() else None) == before
        running.chat("list: pear")
        with closing(sqlite3.connect(lull.home / "another.db")) as other:
            other.execute("CREATE TABLE theirs (id)")
        (lull.home / "another.db").replace(file)
    away.replace(file)
    assert lull.ask("forget", turn, "--yes")["done"]
    assert running.stop() == 0
    lull.serve()
    assert problems(lull) == []


def database_emptied(home: Path) -> None:
    (home / "lull.db").write_bytes(b"")


def wal_gone(home: Path) -> None:
    for name in ("lull.db-wal", "lull.db-shm"):
        (home / name).unlink()


def wal_rubbish(home: Path) -> None:
    (home / "lull.db-wal").write_bytes(b"rubbish" * 2000)


def library_gone(home: Path) -> None:
    shutil.rmtree(home / "library")


def versions_gone(home: Path) -> None:
    """Remove all stored versions of skills; the earlier version is stored nowhere else."""
    shutil.rmtree(home / "library" / "versions")


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (database_emptied, "held 2 answers"),
        (wal_gone, "held 2 answers"),
        (wal_rubbish, "held 2 answers"),
        (library_gone, "menu-style"),
        (versions_gone, "menu-style"),
    ],
)
def test_what_is_gone_is_told_by_a_real_start(
    lull: Lull, harm: Callable[[Path], None], words: str
) -> None:
    lived_in(lull)
    harm(lull.home)
    for _ in range(2):  # at each start, until the user says that it is known
        running = lull.serve()
        said = problems(lull)
        checks = {one["name"]: one for one in lull.run("doctor", "--json").json["checks"]}
        told = said + [one["text"] for one in checks.values() if not one["ok"]]
        assert any(words in one for one in told), (said, checks)
        assert all("\n" not in one for one in said)
        assert running.chat("list: plum")
        running.kill()


@pytest.mark.parametrize("witness_too", [False, True])
def test_a_start_without_the_database_removes_no_adapter(lull: Lull, witness_too: bool) -> None:
    lived_in(lull)
    weights = lull.home / "adapters" / "adapter_1" / "adapters.safetensors"
    batch = lull.home / "runs" / "run_1" / "batch.jsonl"
    for file in (weights, batch):
        file.parent.mkdir(parents=True)
        file.write_bytes(b"of many nights")
    for file in lull.home.glob("lull.db*"):
        file.unlink()
    if witness_too:
        (lull.home / "witness.json").unlink()
    for _ in range(2):
        running = lull.serve()
        assert any(str(lull.home / "lull.db") in said for said in problems(lull))
        running.kill()
        assert weights.read_bytes() == batch.read_bytes() == b"of many nights"


def test_a_kill_alone_loses_and_tells_nothing(lull: Lull) -> None:
    lived_in(lull)
    running = lull.serve()
    assert lull.ask("status")["turns"] == 2
    assert problems(lull) == []
    turn = lull.ask("conversations")["conversations"][0]["id"]
    lull.ask("forget", turn, "--yes")
    running.kill()
    lull.serve()
    assert problems(lull) == []


@pytest.mark.parametrize("table", ["turns", "generations", "events"])
def test_a_table_that_is_removed_is_told_by_the_doctor_and_by_each_later_start(
    lull: Lull, table: str
) -> None:
    running = lull.serve()
    running.chat("list: apple")
    with closing(sqlite3.connect(lull.home / "lull.db", isolation_level=None)) as file:
        file.execute(f"DROP TABLE {table}")
    found = store_check(lull)
    assert (found["ok"], found["serious"]) == (False, True) and f": {table}." in str(found["text"])
    running.stop()
    for _ in range(2):
        running = lull.serve()
        (said,) = [p for p in problems(lull) if "had lost its tables" in p]
        assert f"tables {table};" in said and store_check(lull)["text"] == said
        running.stop()
    (lull.home / "tables.lost").unlink()
    lull.serve()
    assert problems(lull) == []
