"""Tests of the temporary folder for compiled kernels: no other user can write into it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = "from lull.config.own_temporary import own_temporary; print(own_temporary())"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="only on macOS and Linux")


def used(folder: Path) -> Path:
    """Return the temporary folder that a process chooses where `folder` is the usual one."""
    folder.chmod(0o1777)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    taken = Path(done.stdout.strip())
    assert taken.parent == folder
    assert stat.S_IMODE(taken.lstat().st_mode) == 0o700 and taken.lstat().st_uid == os.geteuid()
    return taken


def test_a_temporary_folder_that_is_the_users_own_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o700)
    environ = {**os.environ, "TMPDIR": str(tmp_path / "mine")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(tmp_path / "mine")


def test_homes_of_one_user_share_a_folder_of_their_own(tmp_path: Path) -> None:
    assert used(tmp_path) == used(tmp_path) == tmp_path / f"lull-{os.geteuid()}"


def opened(own: Path) -> None:
    own.mkdir()
    own.chmod(0o777)


def linked(own: Path) -> None:
    own.symlink_to(own.parent)


def a_file(own: Path) -> None:
    own.write_text("x")


@pytest.mark.parametrize("laid", [opened, linked, a_file])
def test_one_that_others_laid_out_is_not_used(tmp_path: Path, laid: Callable[[Path], None]) -> None:
    own = tmp_path / f"lull-{os.geteuid()}"
    laid(own)
    assert used(tmp_path) != own
