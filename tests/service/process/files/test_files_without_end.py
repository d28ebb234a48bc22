"""Tests that a pipe nobody writes to, or an endless device, among a skill's files blocks nothing.

No change, stop or start waits for it. Any archive of skills from elsewhere can contain one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

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
