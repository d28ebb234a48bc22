"""Tests of file modes: each file of the home is closed to other users, and so is its copy."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.running import Lull

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


def open_to_others(home: Path) -> list[str]:
    return sorted(
        f"{stat.S_IMODE(mode):o} {path.relative_to(home)}"
        for path, mode in modes(home)
        if not stat.S_ISLNK(mode) and mode & 0o077
    )


def modes(home: Path) -> Iterator[tuple[Path, int]]:
    """Yield each path in the home with its mode; files that vanish meanwhile are left out."""
    for where, folders, names in os.walk(home):
        for name in (*folders, *names):
            path = Path(where, name)
            with suppress(FileNotFoundError):
                yield path, path.lstat().st_mode


def lived_in(lull: Lull, tmp_path: Path) -> None:
    running = lull.serve()
    running.chat("list: apple")
    imported = tmp_path / "given" / "with-script"
    imported.mkdir(parents=True)
    (imported / "SKILL.md").write_text("---\nname: with-script\ndescription: d\n---\n\nDo so.\n")
    (imported / "run.sh").write_text("true")
    (imported / "run.sh").chmod(0o755)
    lull.ask("skills", "import", str(imported))
    (proposal,) = lull.ask("review")["proposals"]
    lull.ask("review", "approve", proposal["id"], "--sha256", proposal["sha256"])
    turn = eventually(lambda: lull.ask("conversations")["conversations"])[0]
    lull.ask("rate", lull.ask("show", turn["id"])["turns"][0]["id"], "good")
    eventually((lull.home / "vectors").exists)
    lull.ask("skills", "delete", "with-script")
    lull.ask("settings", "set", "skills.at_most", "5")
    running.stop()


@pytest.mark.full
def test_whatever_is_written_is_closed_to_others_and_what_was_open_is_closed(
    lull: Lull, tmp_path: Path
) -> None:
    before = os.umask(0o022)
    try:
        lull.ask("skills", "add", "menu-style", "--description", "d", "--body", "b")
        assert open_to_others(lull.home) == []
        lived_in(lull, tmp_path)
    finally:
        os.umask(before)
    assert len(list(lull.home.rglob("*"))) > 15
    assert open_to_others(lull.home) == []

    # Open files as earlier versions left them, and a link that leads out of the home.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("others read this")
    elsewhere.chmod(0o644)
    (lull.home / "link").symlink_to(elsewhere)
    for path in lull.home.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    running = lull.serve()
    assert running.chat("list: pear")
    assert open_to_others(lull.home) == []
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o644
