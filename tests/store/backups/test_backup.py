"""Tests of making a backup: what is in it, and that it was unpacked and compared."""

from __future__ import annotations

import stat
import threading
import zipfile
from collections.abc import Iterator
from itertools import count, takewhile
from pathlib import Path

import pytest

from lull.core.errors import BackupError
from lull.store.backups.backup import COPYING, PACKING
from lull.store.backups.reading import unpacked
from tests.store.backups.homes import (
    SECRET,
    backed_up,
    below,
    brought_back,
    opened,
    say,
    turns,
    worries,
)


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
