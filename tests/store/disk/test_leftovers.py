"""Tests that the next start removes what a killed write left, even where it holds a secret."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lull.service.process.lock import alive
from lull.store.disk.leftovers import sweep_leftovers

WRITERS = {
    "settings.toml": "from lull.config.private_file import write_private as write",
    "secrets.json": "from lull.config.private_file import write_private as write",
    "library/versions/6e/HASH.md": (
        "from lull.store.disk.on_disk import write_atomically as write"
    ),
    "library/skills/everybody/a/SKILL.md": (
        "from lull.store.disk.on_disk import write_atomically as write"
    ),
    "library/archive/everybody/a.1/SKILL.md": (
        "from lull.store.disk.on_disk import write_atomically as write"
    ),
}

KILLED = """
import os, signal, sys
from pathlib import Path
{writer}
# Dies when everything is on disk but the last step.
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write(Path(sys.argv[1]), b"a secret")
"""


def below(home: Path) -> list[str]:
    return sorted(str(f.relative_to(home)) for f in home.rglob("*") if f.is_file())


@pytest.mark.parametrize(
    "name",
    [
        "settings.toml",
        *(pytest.param(name, marks=pytest.mark.full) for name in list(WRITERS)[1:]),
    ],
)
def test_a_write_that_is_killed_leaves_nothing_behind_the_next_start(
    tmp_path: Path, name: str
) -> None:
    target = tmp_path / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("as it was")
    code = KILLED.format(writer=WRITERS[name])
    done = subprocess.run([sys.executable, "-c", code, target], check=False)
    assert done.returncode == -9
    assert len(below(tmp_path)) == 2
    (swept,) = sweep_leftovers(tmp_path, alive=alive)
    assert swept.parent == target.parent
    assert below(tmp_path) == [name]
    assert target.read_text() == "as it was"


def test_what_a_live_process_writes_and_what_others_named_stays(tmp_path: Path) -> None:
    kept = [
        f".settings.toml.{os.getppid()}.abcdefgh.tmp",
        ".hidden",
        "notes.tmp",
        "library/skills/everybody/a/.draft.tmp",
        "vectors/.x.1.2.tmp",
        "settings.toml",
        "lull.db.before-3",
    ]
    gone = [
        f".service.json.{os.getpid()}.140.tmp",
        ".settings.toml.a1b2c3_4",
        "lull.db.before-3.tmp",
        "library/versions/aa/.a.md.999999999.7.tmp",
    ]
    for name in (*kept, *gone):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    swept = sweep_leftovers(tmp_path, alive=alive)
    assert sorted(str(f.relative_to(tmp_path)) for f in swept) == sorted(gone)
    assert below(tmp_path) == sorted(kept)


def test_a_temporary_file_of_sqlite_goes_at_the_next_start(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    for name in ("etilqs_71d01b56b01b12e9", "etilqs_mine", "library/etilqs_71d01b56b01b12e9"):
        (tmp_path / name).touch()
    sweep_leftovers(tmp_path, alive=alive)
    assert below(tmp_path) == ["etilqs_mine", "library/etilqs_71d01b56b01b12e9"]
