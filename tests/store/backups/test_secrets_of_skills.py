"""Tests of backups of skills' files with secrets in them: none leaves the home."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lull.core.errors import BackupError, LullError, NotFound
from lull.core.skills import skill_secrets
from lull.service.process.lock import alive
from lull.store.backups import backup as backup_module
from lull.store.backups.backup import PACKING, make
from lull.store.skills.skill_files import SEARCHED_BYTES
from tests.store.backups.homes import (
    AT,
    backed_up,
)

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
