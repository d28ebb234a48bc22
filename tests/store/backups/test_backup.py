"""Tests of backups: they restore all, damaged or foreign ones are refused, none is half applied.

Kills come from an audit hook in a process of its own: it dies at the n-th opening, renaming or
removing of a file, wherever in the code that is.
"""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import sqlite3
import stat
import struct
import subprocess
import sys
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import pytest

from lull.config.paths import Paths
from lull.core.backups.backup import MANIFEST
from lull.core.chat.trajectory import Selection
from lull.core.errors import BackupError, Busy, LullError, NotFound, StoreError
from lull.core.skills import skill_secrets
from lull.service.process.lock import alive
from lull.service.wiring.base.stores import Stores, open_stores
from lull.store.backups import backup as backup_module
from lull.store.backups import restoring
from lull.store.backups.backup import COPYING, PACKING, FinishedBackup, make
from lull.store.backups.reading import manifest_of, unpacked
from lull.store.disk.leftovers import sweep_leftovers
from lull.store.skills.skill_files import SEARCHED_BYTES
from lull.store.sqlite.migrations import MIGRATIONS
from tests.building import turn, user

AT = "2026-11-22T10:00:00+00:00"
SECRET = b"hunter2-planted"


def opened(home: Path) -> Stores:
    return open_stores(Paths(home=home, temporary=home))


def say(stores: Stores, *names: str) -> None:
    for name in names:
        one = turn(user(name), turn_id=f"t-{name}", trajectory=f"c-{name}")
        stores.trajectories.record(one, session="", selection=Selection())
    stores.database.flush()


def filled(home: Path, *names: str) -> None:
    """Fill a home with a file of each kind, and a secret in each place that no backup reads.

    The home is left as after an orderly stop.
    """
    stores = opened(home)
    say(stores, *names)
    stores.skills.folders.keep_bytes(b"a skill")
    stores.witness.write(stores.database, at=AT, running=False)
    stores.database.close()
    for name in (
        *("settings.toml", "library/skills/everybody/menu/SKILL.md", "trash/000001.gz"),
        *("adapters/a1/adapters.safetensors", "runs/r1/batch.jsonl", "runs/r1/adapter/x"),
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"{name} of {len(names)}")
    for name in (
        *("secrets.json", "service.json", "logs/service.log", "vectors/chroma.sqlite3"),
        *("models/m/model.safetensors", "runs/r1/checkpoints/s/state.json", "window.ini"),
        "library/.SKILL.md.999999999.2.tmp",
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(SECRET)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    filled(home, "apple", "pear")
    return home


def backed_up(home: Path, name: str = "b.zip", **more: Any) -> FinishedBackup:
    return make(home, home.parent / name, at=AT, version="1", alive=alive, **more)


def brought_back(home: Path, file: Path) -> None:
    restoring.restore(home, file, at=AT, alive=alive, tell=lambda *_: None)


def below(home: Path) -> dict[str, str]:
    """Return every file in the home with its hash, except the database, whose bytes may differ."""
    return {
        str(file.relative_to(home)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(home.rglob("*"))
        if file.is_file() and file.name != "lull.db" and not file.name.startswith("lull.db-")
    }


def turns(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "lull.db")) as file:
        return [row[0] for row in file.execute("SELECT id FROM turns ORDER BY id")]


def worries(home: Path) -> list[str]:
    stores = opened(home)
    try:
        return [one.detail for one in stores.database.worries]
    finally:
        stores.database.close()


# Making


def test_what_cannot_be_made_again_comes_back_and_no_secret_is_in_it(home: Path) -> None:
    made = backed_up(home)
    assert stat.S_IMODE(made.file.stat().st_mode) == 0o600
    with zipfile.ZipFile(made.file) as packed:
        for name in packed.namelist():
            assert SECRET not in packed.read(name), name
    assert (made.manifest.counts.turns, made.manifest.counts.conversations) == (2, 2)
    new = home.parent / "new"
    new.mkdir()
    brought_back(new, made.file)
    kept = {name: mark for name, mark in below(home).items() if name in made.manifest.entries}
    came = below(new)
    assert came.pop("witness.json")
    assert came == kept
    assert len(kept) == len(made.manifest.entries) - 1 == 7
    assert turns(new) == ["t-apple", "t-pear"]
    assert worries(new) == []


def test_links_are_left_out_and_told(home: Path) -> None:
    (home / "library/skills/everybody/menu/link").symlink_to(home / "secrets.json")
    (home / "library/skills/everybody/elsewhere").symlink_to(home / "logs")
    made = backed_up(home)
    assert [Path(name).name for name in made.left] == ["elsewhere", "link"]


def test_what_others_write_meanwhile_is_not_torn(home: Path) -> None:
    """Tests a backup while a text is stored, and then a turn that names it, over and over."""
    stores, ended = opened(home), threading.Event()

    def write() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            say(stores, stores.skills.folders.keep_bytes(b"%d" % number))

    writer = threading.Thread(target=write)
    writer.start()
    seen = []
    try:
        # Four backups, and more while the writer has added nothing.
        for number in takewhile(lambda number: number < 4 or seen[0] == seen[-1], count()):
            there = len(turns(home))
            made = backed_up(home, f"{number}.zip")
            unpacked(made.file, home.parent / f"{number}")
            named = [one.removeprefix("t-") for one in turns(home.parent / f"{number}")]
            assert there <= len(named) == made.manifest.counts.turns
            texts = {Path(name).stem for name in made.manifest.entries if "/versions/" in name}
            assert set(named) - {"apple", "pear"} <= texts
            seen.append(len(named))
    finally:
        ended.set()
        writer.join()
        stores.database.close()
    assert seen[0] < seen[-1]


def test_the_copy_goes_on_where_others_write_between_its_steps(home: Path) -> None:
    """Tests copying a database in use, which SQLite restarts at each write without a snapshot."""
    stores = opened(home)
    large = "INSERT INTO facts VALUES ('large', zeroblob(30000000))"
    stores.database.submit(lambda connection: connection.execute(large)).result()
    steps: list[tuple[int, int]] = []

    def tell(part: str, done: int, of: int) -> None:
        if part == COPYING:
            steps.append((done, of))
            say(stores, f"late {len(steps)}")

    try:
        made = backed_up(home, tell=tell)
    finally:
        stores.database.close()
    assert len(steps) >= 2
    assert steps == sorted(steps) and steps[-1][0] == steps[-1][1]
    assert made.manifest.counts.turns == 2


def test_a_file_that_goes_while_it_is_made_does_not_tear_it(home: Path) -> None:
    gone = iter([home / "trash/000001.gz"])

    def tell(part: str, *_: int) -> None:
        if part == PACKING and (file := next(gone, None)) is not None:
            file.unlink()

    made = backed_up(home, tell=tell)
    assert "trash/000001.gz" not in made.manifest.entries


def test_one_that_always_changes_is_given_up_in_words(home: Path) -> None:
    numbers = iter(range(1000))

    def tell(part: str, *_: int) -> None:
        number = next(numbers)
        (home / f"trash/{number}.gz").write_text("x")
        (home / f"trash/{number - 1}.gz").unlink(missing_ok=True)

    with pytest.raises(BackupError, match="kept changing"):
        backed_up(home, tell=tell)
    assert sorted(file.name for file in home.parent.iterdir()) == ["home"]


def test_whoever_stops_it_finds_nothing_of_it(home: Path) -> None:
    before = below(home)
    for at in range(0, 40, 3):
        left = iter(range(at))

        def tell(*_: object, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt

        try:
            backed_up(home, tell=tell)
        except KeyboardInterrupt:
            assert sorted(file.name for file in home.parent.iterdir()) == ["home"]
            assert below(home) == before
        else:
            break
    else:
        pytest.fail("it never came to an end")


# Skills' files with a secret in them

MENU = "library/skills/everybody/menu"
TOKEN = "token = sk-proj-Zq8vT2mKp4Xw7Lr9Nc3Hb6Jd1Fs5Gy0A\n"


def put(home: Path, name: str, data: bytes) -> None:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_bytes(data)


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of what was searched for secrets, which is still done."""
    lengths: list[int] = []

    def first_secret(data: bytes) -> tuple[int, str] | None:
        lengths.append(len(data))
        return skill_secrets.first_secret(data)

    monkeypatch.setattr(backup_module, "first_secret", first_secret)
    return lengths


def test_it_can_be_stopped_before_each_file_that_is_searched(
    home: Path, searched: list[int]
) -> None:
    for number in range(3):
        put(home, f"{MENU}/{number}.txt", f"{number} of {home}".encode())
    for most in range(3):
        searched.clear()
        left = iter(range(most))

        def tell(part: str, *_: int, left: Iterator[int] = left) -> None:
            if part == PACKING and next(left, None) is None:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            backed_up(home, tell=tell)
        assert len(searched) <= 1, most
    assert sorted(file.name for file in home.parent.iterdir()) == ["home"]


def test_what_was_searched_for_one_is_not_searched_again(home: Path, searched: list[int]) -> None:
    put(home, f"{MENU}/a.txt", f"{home} a".encode())
    put(home, f"{MENU}/env", f"{TOKEN} {home}".encode())
    first = backed_up(home, "1.zip")
    assert len(searched) >= 2
    searched.clear()
    assert backed_up(home, "2.zip").left == first.left == (f"{MENU}/env",)
    assert searched == []
    put(home, f"{MENU}/a.txt", f"{home} {TOKEN}".encode())
    assert backed_up(home, "3.zip").left == (f"{MENU}/a.txt", f"{MENU}/env")
    assert len(searched) == 1


def test_no_more_of_a_folder_is_searched_than_of_one_that_is_imported(
    home: Path, searched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup_module, "SEARCHED_BYTES", 1000)
    for folder in (MENU, "library/waiting/p1"):
        for number in range(5):
            put(home, f"{folder}/{number}/x", f"{folder} {number} {home} ".encode().ljust(400))
    made = backed_up(home)
    assert sorted(searched)[-6:] == [200, 200, 400, 400, 400, 400]
    assert sum(searched) <= 2 * 1000 + len(f"{MENU}/SKILL.md of 2")
    assert f"{MENU}/4/x" in made.manifest.entries


@pytest.mark.parametrize("name", [f"{MENU}/env", f"{MENU}/SKILL.md", "library/waiting/p1/env"])
def test_the_beginning_of_a_large_file_is_searched(home: Path, name: str) -> None:
    put(home, name, TOKEN.encode() + b"\n" * SEARCHED_BYTES)
    made = backed_up(home)
    assert made.left == (name,) and name not in made.manifest.entries


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_secret_in_a_wide_text_of_a_skill_is_replaced(home: Path, encoding: str) -> None:
    put(home, f"{MENU}/SKILL.md", f"\ufeffthe oven\n{TOKEN}".encode(encoding))
    made = backed_up(home)
    assert made.left == ()
    with zipfile.ZipFile(made.file) as packed:
        text = packed.read(f"{MENU}/SKILL.md").decode("utf-16")
    assert text == "the oven\ntoken = ⟨secret:openai-key:1⟩\n"


def test_a_text_whose_secret_cannot_be_replaced_is_left_out(home: Path) -> None:
    put(home, f"{MENU}/SKILL.md", f"\ufeff{TOKEN}".encode("utf-16-le") + b"\0")
    made = backed_up(home)
    assert made.left == (f"{MENU}/SKILL.md",)
    assert f"{MENU}/SKILL.md" not in made.manifest.entries


@pytest.mark.parametrize(
    "name", [f"{MENU}/evidence.json", f"{MENU}/a/evidence.json", "library/waiting/p1/evidence.json"]
)
def test_only_a_proof_of_lulls_own_is_not_searched(
    home: Path, searched: list[int], name: str
) -> None:
    put(home, f"library/versions/ab/{'ab' * 32}.evidence.json", f"the proof of {home}".encode())
    put(home, f"{MENU}/evidence.json", f"the proof of {home}".encode())
    assert backed_up(home, "1.zip").left == ()
    assert len(f"the proof of {home}") not in searched
    put(home, name, TOKEN.encode())
    assert backed_up(home, "2.zip").left == (name,)


def database_gone(home: Path) -> None:
    (home / "lull.db").unlink()


def database_damaged(home: Path) -> None:
    data = bytearray((home / "lull.db").read_bytes())
    data[8192:] = b"\x5a" * (len(data) - 8192)
    (home / "lull.db").write_bytes(data)


@pytest.mark.parametrize("harm", [database_gone, database_damaged], ids=lambda x: x.__name__)
def test_a_home_that_lost_its_database_gets_no_backup(
    home: Path, harm: Callable[[Path], None]
) -> None:
    harm(home)
    with pytest.raises(LullError):
        backed_up(home)
    assert sorted(file.name for file in home.parent.iterdir()) == ["home"]


def test_nothing_is_overwritten_and_nothing_is_made_of_nothing(home: Path) -> None:
    (home.parent / "b.zip").write_text("mine")
    with pytest.raises(BackupError, match="is there already"):
        backed_up(home)
    assert (home.parent / "b.zip").read_text() == "mine"
    (home.parent / "empty").mkdir()
    with pytest.raises(NotFound):
        backed_up(home.parent / "empty")
    with pytest.raises(BackupError, match="No such file"):
        make(home, home / "no/where/b.zip", at=AT, version="1", alive=alive)


# Refusing


@pytest.fixture
def backup(home: Path) -> Path:
    return backed_up(home).file


def again(file: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """Pack the backup again with changed members."""
    with zipfile.ZipFile(file) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    change(members)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)


def said_of(members: dict[str, bytes]) -> None:
    """Make the manifest state the present size and hash of each member."""
    said = json.loads(members[MANIFEST])
    said["entries"] = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members.items()
        if name != MANIFEST
    }
    members[MANIFEST] = json.dumps(said).encode()


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def half(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[len(data) // 2 :])


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 0xFF
    file.write_bytes(data)


def foreign_tar(file: Path) -> None:
    with tarfile.open(file, "w:gz") as tar:
        tar.add(__file__, "../../etc/x")


def foreign_zip(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("lull.db", b"x")


def one_byte_of_a_skill(file: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        members["library/skills/everybody/menu/SKILL.md"] = b"x" * len(
            members["library/skills/everybody/menu/SKILL.md"]
        )

    again(file, change)


def one_file_more(file: Path) -> None:
    again(file, lambda members: members.update({"library/x": b"x"}))


def one_file_less(file: Path) -> None:
    again(file, lambda members: members.pop("settings.toml"))


def out_of_the_home(file: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        members["../outside"] = b"x"
        said_of(members)

    again(file, change)


def a_secret_file(file: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        members["secrets.json"] = b"{}"
        said_of(members)

    again(file, change)


def other_database(file: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        members["lull.db"] = b"no database at all" * 500
        said_of(members)

    again(file, change)


def with_database(change: Callable[[sqlite3.Connection], object]) -> Callable[[Path], None]:
    def harm(file: Path) -> None:
        def members_of(members: dict[str, bytes]) -> None:
            place = file.with_name("other.db")
            place.write_bytes(members["lull.db"])
            with closing(sqlite3.connect(place)) as database:
                change(database)
                database.commit()
            members["lull.db"] = place.read_bytes()
            place.unlink()
            said_of(members)

        again(file, members_of)

    return harm


def damaged_inside(file: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        data = bytearray(members["lull.db"])
        data[8192:] = b"\x5a" * (len(data) - 8192)
        members["lull.db"] = bytes(data)
        said_of(members)

    again(file, change)


def newer(file: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        said = json.loads(members[MANIFEST])
        said["layout"] = len(MIGRATIONS) + 1
        members[MANIFEST] = json.dumps(said).encode()

    again(file, change)


def newer_format(file: Path) -> None:
    again(file, lambda members: members.update({MANIFEST: b'{"format": 99}'}))


def twice(file: Path) -> None:
    with zipfile.ZipFile(file, "a") as packed, pytest.warns(UserWarning):
        packed.writestr("settings.toml", b"x")


def link(file: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        members["library/link"] = b"/etc/passwd"
        said_of(members)

    again(file, change)
    with zipfile.ZipFile(file) as packed:
        members = [(member, packed.read(member)) for member in packed.infolist()]
    with zipfile.ZipFile(file, "w") as packed:
        for member, data in members:
            if member.filename == "library/link":
                member.external_attr = (stat.S_IFLNK | 0o777) << 16
            packed.writestr(member, data)


def says_less_than_comes_out(file: Path) -> None:
    """Add a member that unpacks to more than the size in the central directory."""
    data = b"x" * 5_000_000

    def change(members: dict[str, bytes]) -> None:
        members["library/bomb"] = data
        said_of(members)
        said = json.loads(members[MANIFEST])
        said["entries"]["library/bomb"]["size"] = 10
        members[MANIFEST] = json.dumps(said).encode()

    again(file, change)
    raw = file.read_bytes()
    file.write_bytes(raw.replace(struct.pack("<I", len(data)), struct.pack("<I", 10)))


def larger_than_the_disk(file: Path) -> None:
    free = shutil.disk_usage(file.parent).free

    def change(members: dict[str, bytes]) -> None:
        said_of(members)
        said = json.loads(members[MANIFEST])
        said["entries"]["library/bomb"] = {"size": free, "sha256": "0" * 64}
        members[MANIFEST] = json.dumps(said).encode()
        members["library/bomb"] = b""

    again(file, change)


def deep_manifest(file: Path) -> None:
    again(file, lambda members: members.update({MANIFEST: b"[" * 1_000_000}))


HARMS = [
    *(truncated, emptied, half, flipped, foreign_tar, foreign_zip, one_byte_of_a_skill),
    *(one_file_more, one_file_less, out_of_the_home, a_secret_file, other_database),
    *(damaged_inside, newer, newer_format, twice, link, says_less_than_comes_out),
    *(larger_than_the_disk, deep_manifest),
    with_database(lambda file: file.execute("DELETE FROM turns WHERE id = 't-pear'")),
    with_database(lambda file: file.execute("DROP TABLE turns")),
    with_database(lambda file: file.execute("PRAGMA user_version = 0")),
    with_database(lambda file: file.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")),
    with_database(
        lambda file: file.execute(
            "CREATE TRIGGER t AFTER INSERT ON turns BEGIN DELETE FROM turns; END"
        )
    ),
    with_database(lambda file: file.execute("CREATE VIEW v AS SELECT 1")),
]


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_what_is_not_whole_or_not_ours_is_refused_and_nothing_changes(
    home: Path, backup: Path, harm: Callable[[Path], None]
) -> None:
    harm(backup)
    before, said = below(home), turns(home)
    with pytest.raises(BackupError) as refused:
        restoring.verify_backup(home, backup, alive=alive, tell=lambda *_: None)
    assert refused.value.hint and "\n" not in str(refused.value)
    with pytest.raises(BackupError) as refused:
        brought_back(home, backup)
    assert str(backup) in refused.value.detail or "damaged" in refused.value.detail
    assert (below(home), turns(home)) == (before, said)
    assert {file.name for file in home.parent.iterdir()} == {"home", "b.zip"}
    assert not [file.name for file in home.iterdir() if file.name.startswith((".", "before"))]


MORE = (150, pytest.mark.full), (3000, pytest.mark.soak)


@pytest.mark.parametrize("times", [50, *(pytest.param(n, marks=mark) for n, mark in MORE)])
def test_a_flipped_bit_is_noticed_or_changes_nothing(backup: Path, times: int) -> None:
    whole = backup.read_bytes()
    before = unpacked(backup, backup.with_name("as-it-was"))
    held, changed = members(backup), 0
    for seed in range(times):
        data = bytearray(whole)
        at = int.from_bytes(hashlib.sha256(b"%d" % seed).digest()[:6], "big") % (len(data) * 8)
        data[at // 8] ^= 1 << at % 8
        backup.write_bytes(data)
        shutil.rmtree(into := backup.with_name("flipped"), ignore_errors=True)
        # Many bits have no effect: dates, and which of many zeros compression refers back to.
        changes = members(backup) != held
        changed += changes
        try:
            assert unpacked(backup, into) == before
        except BackupError:
            continue
        assert not changes
    assert changed > times / 2


def members(file: Path) -> dict[str, bytes] | None:
    """Return what any program finds in a zip file, or None where it finds the file damaged."""
    try:
        with zipfile.ZipFile(file) as packed:
            return {name: packed.read(name) for name in packed.namelist()}
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        EOFError,
        KeyError,
        OSError,
    ):
        return None


# Bringing back


def test_what_stood_goes_aside_and_comes_back_bit_for_bit(home: Path, backup: Path) -> None:
    stores = opened(home)
    say(stores, "plum")
    stores.witness.write(stores.database, at=AT, running=False)
    stores.database.close()
    (home / "settings.toml").write_text("mine")
    (home / "adapters/a2").mkdir()
    (home / "adapters/a2/x").write_text("a2")
    before = below(home)
    brought_back(home, backup)
    assert turns(home) == ["t-apple", "t-pear"]
    assert not (home / "adapters/a2").exists()
    assert (home / "settings.toml").read_text() == "settings.toml of 2"
    assert worries(home) == []
    assert (home / "secrets.json").read_bytes() == SECRET
    restoring.undo(home)
    assert turns(home) == ["t-apple", "t-pear", "t-plum"]
    aside = {name for name in below(home) if name.startswith("before-restore-2/")}
    assert {name: mark for name, mark in below(home).items() if name not in aside} == before
    assert worries(home) == []
    restoring.undo(home)
    assert turns(home) == ["t-apple", "t-pear"]
    assert [folder.name for folder in restoring.replaced_data_folders(home)] == ["before-restore-3"]


def test_a_home_that_lost_everything_complains_no_more(home: Path, backup: Path) -> None:
    for name in ("lull.db", "lull.db-wal", "lull.db-shm"):
        (home / name).unlink(missing_ok=True)
    shutil.rmtree(home / "library")
    (said,) = worries(home)
    assert "held 2 answers" in said
    brought_back(home, backup)
    assert worries(home) == []
    assert turns(home) == ["t-apple", "t-pear"]


def test_an_older_layout_is_brought_to_the_newest(home: Path, backup: Path) -> None:
    """Tests restoring a database of layout 3, as an older Lull would have left it."""

    def change(members: dict[str, bytes]) -> None:
        place = backup.with_name("old.db")
        place.unlink(missing_ok=True)
        with closing(sqlite3.connect(place, isolation_level=None)) as old:
            for script in MIGRATIONS[:3]:
                old.executescript(script)
            old.execute("INSERT INTO facts VALUES ('chain-key', x'01')")
            old.execute("PRAGMA user_version = 3")
        members["lull.db"] = place.read_bytes()
        place.unlink()
        said_of(members)
        said = json.loads(members[MANIFEST])
        said["layout"] = 3
        members[MANIFEST] = json.dumps(said).encode()

    again(backup, change)
    brought_back(home, backup)
    with closing(sqlite3.connect(home / "lull.db")) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert worries(home) == []


def test_a_database_that_somebody_reads_is_not_swapped(
    home: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restoring, "_CLOSE_TIMEOUT_S", 0.1)
    stores = opened(home)
    try:
        before = below(home)
        with pytest.raises(Busy):
            brought_back(home, backup)
        assert below(home) == before
    finally:
        stores.database.close()
    brought_back(home, backup)


# Kills and full disks

DYING = """
import os, signal, sys
from pathlib import Path
from lull.core.errors import LullError
from lull.store.backups import backup, restoring
from lull.service.process.lock import alive

what, home, file, first, step, most = sys.argv[1:]
EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect", "os.chmod"}

def die_at(n):
    left = [n]
    def hook(event, args):
        if event in EVENTS:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)

import shutil
for n in range(int(first), int(most), int(step)):
    copy = Path(home).with_name(f"{what}-{n}")
    shutil.copytree(home, copy)
    child = os.fork()
    if not child:
        die_at(n)
        if what == "restore":
            restoring.restore(copy, Path(file), at="2026-11-22T10:00:00+00:00", alive=alive,
                              tell=lambda *_: None)
        else:
            backup.make(copy, copy.with_suffix(".zip"), at="2026-11-22T10:00:00+00:00",
                        version="1", alive=alive)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status == 0:
        print(n)
        break
"""


def killed_at_each(what: str, home: Path, file: Path, *, step: int, first: int = 0) -> list[Path]:
    """Return the homes left by a process that died at each step, and by one that did not."""
    words = [what, home, file, first, step, 2000]
    done = subprocess.run(
        [sys.executable, "-c", DYING, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
    return [home.with_name(f"{what}-{n}") for n in range(first, int(done.stdout) + 1, step)]


STEPS = [
    pytest.param(7, 3, id="some"),
    pytest.param(1, 0, id="each", marks=[pytest.mark.full, pytest.mark.soak]),
]


@pytest.mark.full
@pytest.mark.parametrize(("step", "first"), STEPS)
def test_a_restore_that_is_killed_anywhere_is_as_before_or_done(
    home: Path, backup: Path, step: int, first: int
) -> None:
    stores = opened(home)
    say(stores, "plum")
    stores.witness.write(stores.database, at=AT, running=False)
    stores.database.close()
    (home / "settings.toml").write_text("mine")
    (home / "adapters/a2").mkdir()
    (home / "adapters/a2/x").write_text("a2")
    mine = below(home).keys() - {"library/.SKILL.md.999999999.2.tmp"}
    seen = set()
    for left in killed_at_each("restore", home, backup, step=step, first=first):
        restoring.finish(left)
        sweep_leftovers(left, alive=alive)
        files = below(left)
        was = turns(left) == ["t-apple", "t-pear", "t-plum"]
        seen.add(was)
        assert worries(left) == [], left
        if was:
            assert files.keys() == mine
            assert files["settings.toml"] == hashlib.sha256(b"mine").hexdigest()
        else:
            assert turns(left) == ["t-apple", "t-pear"]
            assert "adapters/a2/x" not in files
            assert files["settings.toml"] == hashlib.sha256(b"settings.toml of 2").hexdigest()
            assert turns(left / "before-restore-1") == ["t-apple", "t-pear", "t-plum"]
            assert "before-restore-1/adapters/a2/x" in files
        assert not [f.name for f in left.iterdir() if f.name.startswith((".", "restoring"))]
    assert seen == {True, False}


@pytest.mark.full
@pytest.mark.parametrize(("step", "first"), STEPS)
def test_a_backup_that_is_killed_anywhere_leaves_a_whole_one_or_none(
    home: Path, step: int, first: int
) -> None:
    mine = below(home).keys() - {"library/.SKILL.md.999999999.2.tmp"}
    whole = 0
    for left in killed_at_each("backup", home, home, step=step, first=first):
        file = left.with_suffix(".zip")
        sweep_leftovers(left, alive=alive)
        assert below(left).keys() == mine
        assert turns(left) == ["t-apple", "t-pear"]
        if file.exists():
            whole += 1
            assert unpacked(file, left.with_suffix(".new")).counts.turns == 2
            file.unlink()
        make(left, file, at=AT, version="1", alive=alive)
        assert not [f.name for f in left.parent.iterdir() if f.name.startswith(f".{file.name}")]
    assert whole >= 1


@pytest.mark.full
def test_a_full_disk_is_said_in_one_line_and_leaves_nothing(home: Path, backup: Path) -> None:
    """Tests a full disk, played by a limit on the size of files at several values."""
    size = (home / "lull.db").stat().st_size
    script = """
import resource, signal, sys
from pathlib import Path
from lull.core.errors import LullError
from lull.service.process.lock import alive
from lull.store.backups import backup, restoring
home, file, most = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
for work in (
    lambda: backup.make(home, file.with_name("c.zip"), at="x", version="1", alive=alive),
    lambda: restoring.restore(home, file, at="x", alive=alive, tell=lambda *_: None),
):
    try:
        work()
    except LullError as error:
        print(error)
"""
    before = below(home)
    for most in (0, 1000, 5000, size // 3, size - 4096):
        ran = subprocess.run(
            [sys.executable, "-c", script, str(home), str(backup), str(most)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, ""), (most, ran.stderr)
        lines = ran.stdout.splitlines()
        assert len(lines) == 2 and all("Nothing was changed" in line for line in lines), lines
        assert below(home) == before
        assert {file.name for file in home.parent.iterdir()} == {"home", "b.zip"}


def test_an_error_in_the_middle_of_the_swap_is_gone_on_with_later(
    home: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, left = Path.rename, iter(range(4))

    def rename(path: Path, target: Path) -> Path:
        if next(left, None) is None:
            raise OSError(errno.EIO, "the disk is gone", str(path))
        return whole(path, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(BackupError, match="the disk is gone"):
        brought_back(home, backup)
    assert restoring.restore_interrupted(home)
    monkeypatch.undo()
    assert restoring.finish(home)
    assert not restoring.finish(home)
    assert turns(home) == ["t-apple", "t-pear"]
    assert worries(home) == []


def test_a_journal_that_is_not_ours_moves_nothing(home: Path) -> None:
    before = below(home)
    for said in (
        b"",
        b"[]",
        b'{"new": "../x", "old": "before-restore-1", "brings": ["lull.db"], "away": []}',
        b'{"new": "before-restore-1", "old": "/tmp", "brings": ["lull.db"], "away": []}',
        b'{"new": "before-restore-1", "old": "before-restore-2", "brings": [], "away": ["logs"]}',
    ):
        (home / "restoring.json").write_bytes(said)
        with pytest.raises(BackupError, match="interrupted"):
            restoring.finish(home)
        (home / "restoring.json").unlink()
        assert below(home) == before


def test_the_manifest_can_be_read_alone(backup: Path) -> None:
    assert manifest_of(backup).counts.turns == 2
    with pytest.raises(BackupError):
        manifest_of(backup.with_name("nowhere.zip"))
    assert issubclass(StoreError, LullError)
