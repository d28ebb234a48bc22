"""Tests of the witness: a database that lost something is told apart from a first start.

Nothing of the database is thrown away. What a killed service leaves is played by a copy of its
files while it has them open.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from lull.config.paths import Paths
from lull.core.chat.trajectory import Selection
from lull.core.errors import StoreError
from lull.service.wiring.base.stores import Stores, open_stores
from lull.store.backups.witness import Witness
from lull.store.chat.deletion_list import ToForget
from lull.store.forgetting.forgetting import ForgettingRows
from lull.store.forgetting.trash import Removal, Trash
from lull.store.sqlite.database import Database
from lull.store.training.run_folders import RunFolders
from tests.building import turn, user

AT = "2026-11-22T10:00:00+00:00"


def paths(home: Path) -> Paths:
    return Paths(home=home, temporary=home)


@contextmanager
def served(home: Path, *, rescue: bool = True) -> Iterator[Stores]:
    """Open the stores as a service does, and stop in good order."""
    stores = open_stores(paths(home), rescue=rescue)
    try:
        yield stores
        if rescue:
            stores.witness.write(stores.database, at=AT, running=False)
    finally:
        stores.database.close()


def say(stores: Stores, *names: str) -> None:
    for name in names:
        one = turn(user(name), turn_id=f"t-{name}", trajectory=f"c-{name}")
        stores.trajectories.record(one, session="", selection=Selection())
    stores.database.flush()
    stores.witness.write(stores.database, at=AT, running=True)


def worries(home: Path, *, rescue: bool = True) -> list[str]:
    with served(home, rescue=rescue) as stores:
        return [worry.detail for worry in stores.database.worries]


def turns(home: Path) -> int:
    with served(home) as stores:
        return stores.trajectories.counts()[1]


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A home of two turns, as a killed service leaves it: both are still in the WAL."""
    (tmp_path / "first").mkdir()
    with served(tmp_path / "first") as stores:
        say(stores, "apple", "pear")
        shutil.copytree(tmp_path / "first", tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    with served(tmp_path / "home") as stores:
        say(stores, "apple", "pear")
    return tmp_path / "home"


def all_gone(home: Path) -> None:
    for file in home.glob("lull.db*"):
        file.unlink()


def file_gone(home: Path) -> None:
    (home / "lull.db").unlink()


def file_emptied(home: Path) -> None:
    (home / "lull.db").write_bytes(b"")


def all_emptied(home: Path) -> None:
    all_gone(home)
    (home / "lull.db").write_bytes(b"")


def wal_gone(home: Path) -> None:
    (home / "lull.db-wal").unlink()
    (home / "lull.db-shm").unlink()


def wal_emptied(home: Path) -> None:
    (home / "lull.db-wal").write_bytes(b"")


def wal_rubbish(home: Path) -> None:
    (home / "lull.db-wal").write_bytes(b"rubbish" * 2000)


def wal_begun_with_zeros(home: Path) -> None:
    with (home / "lull.db-wal").open("r+b") as wal:
        wal.write(b"\0" * 40)


def wal_flipped(home: Path) -> None:
    """Flip a byte in the middle of the WAL, where SQLite then stops reading without an error."""
    wal = home / "lull.db-wal"
    data = bytearray(wal.read_bytes())
    data[len(data) // 2] ^= 0xFF
    wal.write_bytes(data)


LOSSES = [
    *(all_gone, file_gone, file_emptied, all_emptied),
    *(wal_gone, wal_emptied, wal_rubbish, wal_begun_with_zeros, wal_flipped),
]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.__name__)
def test_what_is_lost_is_told_at_each_start_until_the_user_says_so(
    killed: Path, loss: Callable[[Path], None]
) -> None:
    loss(killed)
    for _ in range(3):
        (said,) = worries(killed)
        assert "held 2 answers in 2 conversations" in said
    (said,) = worries(killed, rescue=False)
    (killed / "witness.lost-1.json").unlink()
    assert worries(killed) == []


@pytest.mark.parametrize(
    "loss", [all_gone, file_gone, file_emptied, all_emptied, wal_rubbish], ids=lambda x: x.__name__
)
def test_who_only_looks_changes_nothing(killed: Path, loss: Callable[[Path], None]) -> None:
    loss(killed)
    before = {file.name: file.read_bytes() for file in killed.glob("lull.db*")}
    with pytest.raises(StoreError, match="held 2 answers"):
        open_stores(paths(killed), rescue=False)
    assert {file.name: file.read_bytes() for file in killed.glob("lull.db*")} == before


@pytest.mark.parametrize("loss", [file_gone, file_emptied, wal_rubbish], ids=lambda x: x.__name__)
def test_a_wal_that_sqlite_would_throw_away_is_kept(
    killed: Path, loss: Callable[[Path], None]
) -> None:
    loss(killed)
    kept = (killed / "lull.db-wal").read_bytes()
    worries(killed)
    assert (killed / "lull.db.damaged-1-wal").read_bytes() == kept


def test_a_kill_alone_loses_and_tells_nothing(killed: Path) -> None:
    assert worries(killed) == []
    assert turns(killed) == 2


def test_whoever_reads_after_a_kill_and_closes_the_file_takes_nothing(killed: Path) -> None:
    with closing(sqlite3.connect(killed / "lull.db")) as file:
        assert file.execute("SELECT count(*) FROM turns").fetchone() == (2,)
    assert not (killed / "lull.db-wal").exists()
    assert worries(killed) == []


async def test_what_is_removed_on_purpose_is_not_missed(stopped: Path) -> None:
    with served(stopped) as stores:
        await stores.database.write(lambda c: c.execute("DELETE FROM trajectories"))
    assert worries(stopped) == []


async def test_a_removal_that_the_witness_did_not_see_is_not_missed(stopped: Path) -> None:
    with served(stopped) as stores:
        rows = ForgettingRows(stores.database)
        await rows.remove(ToForget(trajectory="c-apple", turns=("t-apple",)), {})
        trash = Trash(stopped / "trash", stores.database)
        await trash.move_to_trash(["c-pear"], Removal(why="age", at=AT, born=0.0, conversations=()))
        assert stores.trajectories.counts()[1] == 0
        shutil.copytree(stopped, stopped.parent / "copy")
    assert worries(stopped.parent / "copy") == []


@pytest.mark.parametrize("table", ["turns", "trajectories"])
def test_rows_that_another_program_deletes_are_missed(stopped: Path, table: str) -> None:
    with closing(sqlite3.connect(stopped / "lull.db")) as other, other:
        other.execute("PRAGMA foreign_keys = ON")
        other.execute(f"DELETE FROM {table} WHERE id LIKE '%apple'")
    for _ in range(2):
        (said,) = worries(stopped)
        assert "Lull's folder held 2 answers" in said


def test_a_stop_leaves_everything_in_the_one_file(stopped: Path) -> None:
    assert [file.name for file in stopped.glob("lull.db*")] == ["lull.db"]


def rubbish_appended(home: Path) -> None:
    with (home / "lull.db-wal").open("ab") as wal:
        wal.write(b"rubbish" * 2000)


@pytest.mark.parametrize("harm", [wal_rubbish, rubbish_appended, wal_begun_with_zeros])
def test_rubbish_beside_a_database_that_was_stopped_is_no_loss(
    stopped: Path, harm: Callable[[Path], None]
) -> None:
    (stopped / "lull.db-wal").touch()
    harm(stopped)
    assert Witness(stopped / "lull.db").find_losses() == []
    assert worries(stopped) == []
    assert (stopped / "lull.db.damaged-1-wal").exists()
    assert turns(stopped) == 2


def test_rubbish_behind_a_wal_is_no_loss(killed: Path) -> None:
    rubbish_appended(killed)
    assert worries(killed) == []
    assert turns(killed) == 2


@pytest.mark.parametrize("harm", [wal_rubbish, wal_begun_with_zeros])
def test_what_may_be_lost_behind_the_last_witness_is_told_as_that(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    (tmp_path / "first").mkdir()
    with served(tmp_path / "first") as stores:
        say(stores, "apple", "pear")
        with closing(sqlite3.connect(tmp_path / "first" / "lull.db")) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        one = turn(user("plum"), turn_id="t-plum", trajectory="c-plum")
        stores.trajectories.record(one, session="", selection=Selection())
        stores.database.flush()
        shutil.copytree(tmp_path / "first", tmp_path / "home")
    harm(tmp_path / "home")
    (said,) = worries(tmp_path / "home")
    assert "All 2 answers that Lull's folder held on 2026-11-22T10:00 are there; what was" in said
    assert turns(tmp_path / "home") == 2
    assert worries(tmp_path / "home") == []


def test_an_older_database_is_told(stopped: Path) -> None:
    older = (stopped / "lull.db").read_bytes()
    with served(stopped) as stores:
        say(stores, "plum")
    (stopped / "lull.db").write_bytes(older)
    (said,) = worries(stopped)
    assert "has gone back to 2 answers. On " in said and "held 3 answers" in said


def test_files_that_are_put_back_are_told_no_more(stopped: Path) -> None:
    kept = (stopped / "lull.db").read_bytes()
    all_gone(stopped)
    assert len(worries(stopped)) == 1
    (stopped / "lull.db").write_bytes(kept)
    worries(stopped)
    (stopped / "witness.lost-2.json").unlink(missing_ok=True)
    assert worries(stopped) == []
    assert turns(stopped) == 2


def test_a_witness_that_cannot_be_read_is_no_witness(stopped: Path) -> None:
    for text in ("", "{", "[]", '{"turns": "x"}', "null"):
        (stopped / "witness.json").write_text(text)
        assert worries(stopped) == []


@pytest.mark.parametrize("emptied", [True, False])
def test_a_database_that_went_with_its_witness_is_told_by_what_is_left(
    stopped: Path, emptied: bool
) -> None:
    version = stopped / "library" / "versions" / "ab" / "abcd.md"
    version.parent.mkdir(parents=True)
    version.write_text("---\nname: menu\n---\n")
    for name in ("lull.db", "witness.json"):
        (stopped / name).unlink()
        if emptied:
            (stopped / name).touch()
    (worry,) = worries(stopped)
    assert "skill texts 1, adapters 0, training runs 0." in worry and "in Review" in worry
    assert ("is empty" if emptied else "is gone") in worry


@pytest.mark.parametrize("left", ["adapters/adapter_1", "runs/run_1"])
def test_adapters_and_runs_alone_tell_that_the_database_went_with_its_witness(
    stopped: Path, left: str
) -> None:
    kept = (stopped / "lull.db").read_bytes()
    (stopped / left).mkdir(parents=True)
    for name in ("lull.db", "witness.json"):
        (stopped / name).unlink()
    said = "adapters 1, training runs 0" if "adapters" in left else "adapters 0, training runs 1"
    (first,) = worries(stopped)
    assert f"skill texts 0, {said}. No adapter is in use." in first and "is gone" in first
    for _ in range(2):  # until the user says so, or brings the file back
        (again,) = worries(stopped)
        assert "was begun anew" in again
    with served(stopped) as stores:
        assert stores.database.rows_missing()
    (stopped / "lull.db").write_bytes(kept)
    worries(stopped)
    for file in stopped.glob("witness.lost-*.json"):  # of the database that was begun between
        file.unlink()
    assert worries(stopped) == [] and turns(stopped) == 2


def test_a_damaged_database_without_a_witness_is_told_until_the_user_says_so(
    stopped: Path,
) -> None:
    (stopped / "adapters" / "adapter_1").mkdir(parents=True)
    (stopped / "witness.json").unlink()
    (stopped / "lull.db").write_bytes(b"rubbish" * 2000)
    with served(stopped) as stores:
        assert stores.database.kept_aside is not None
    (again,) = worries(stopped)
    assert "was begun anew" in again
    (stopped / "witness.lost-1.json").unlink()
    assert worries(stopped) == []


def test_tables_that_were_dropped_cost_only_themselves(stopped: Path) -> None:
    with closing(sqlite3.connect(stopped / "lull.db")) as file:
        file.execute("DROP TABLE proposals")
        file.execute("DROP INDEX turns_by_answer")
        file.execute("DROP TABLE words")
        file.commit()
    with served(stopped) as stores:
        (said,) = stores.database.worries
        assert "had lost its tables proposals, words" in said.detail
        assert stores.trajectories.counts() == (2, 2)
        say(stores, "plum")


def without(home: Path, *tables: str) -> None:
    """Drop tables, as a program that knows nothing of Lull does."""
    with closing(sqlite3.connect(home / "lull.db", isolation_level=None)) as file:
        for table in tables:
            file.execute(f"DROP TABLE {table}")


def test_tables_that_were_lost_are_told_until_they_are_back(stopped: Path) -> None:
    whole = (stopped / "lull.db").read_bytes()
    without(stopped, "decisions", "words")
    for _ in range(3):
        (said,) = worries(stopped)
        assert "had lost its tables decisions" in said
    without(stopped, "proposals")
    for _ in range(2):
        (said,) = worries(stopped)
        assert "had lost its tables decisions, proposals;" in said
    (stopped / "lull.db").write_bytes(whole)
    (stopped / "witness.json").unlink()
    for _ in range(2):
        assert worries(stopped) == []
    assert not (stopped / "tables.lost").exists()


def test_tables_that_were_lost_before_anybody_looked_are_told(stopped: Path) -> None:
    without(stopped, "decisions")
    Database(stopped / "lull.db").close()  # as when a backup is tried out
    for _ in range(2):
        (said,) = worries(stopped)
        assert "had lost its tables decisions" in said


def test_who_deletes_the_reminder_hears_no_more_of_lost_tables(stopped: Path) -> None:
    without(stopped, "decisions")
    with served(stopped) as stores:
        (worry,) = stores.database.worries
        assert "delete tables.lost;" in worry.hint and stores.database.rows_missing()
    (stopped / "tables.lost").unlink()
    for _ in range(2):
        assert worries(stopped) == []
    without(stopped, "words")
    with served(stopped) as stores:
        (worry,) = stores.database.worries
        assert worry.hint.startswith("Nothing is lost") and "decisions" not in worry.detail
    assert worries(stopped) == []


@pytest.mark.parametrize("name", ["library", "library/versions"])
async def test_texts_of_skills_that_are_gone_are_told(stopped: Path, name: str) -> None:
    state = "INSERT INTO skill_states VALUES ('', 'menu-style', 1, 1, ?, 'active', 0)"
    with served(stopped) as stores:
        sha256 = stores.skills.folders.keep_bytes(b"text")
        await stores.database.write(
            lambda c: (
                c.execute("INSERT INTO generations VALUES (1, ?, 'add', '')", (AT,)),
                c.execute(state, (sha256,)),
            )
        )
        assert stores.skills.missing() is None
    shutil.rmtree(stopped / name)
    with served(stopped) as stores:
        missing = stores.skills.missing()
        assert missing is not None
        assert "1 of 1 skill texts are gone" in missing.detail and "menu-style" in missing.detail


def test_runs_that_only_lost_rows_name_are_not_swept(tmp_path: Path) -> None:
    for name in ("run_1", ".new-run_2"):
        (tmp_path / name).mkdir()
    assert RunFolders(tmp_path, rows_missing=lambda: True).sweep([]) == [".new-run_2"]
    assert RunFolders(tmp_path).sweep([]) == ["run_1"]
