"""Tests of files that are no whole backup: each is refused, and the home stays as it was."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from lull.core.backups.backup import MANIFEST
from lull.core.errors import BackupError
from lull.service.process.lock import alive
from lull.store.backups import restoring
from lull.store.backups.reading import unpacked
from lull.store.sqlite.migrations import MIGRATIONS
from tests.store.backups.homes import (
    again,
    below,
    brought_back,
    said_of,
    turns,
)


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
