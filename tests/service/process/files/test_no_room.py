"""Tests of a disk that is really full: a real service whose home lies on a small file system.

It is mounted for the processes of one test alone, and the test fills it up.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOM = "48m"
ALONE = ["unshare", "--mount", "--propagation", "private"]
SMALL_DISK = Path(__file__).with_name("small_disk.py")


def why_not() -> str:
    """Return why no file system can be mounted here; "" if one can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root can mount a file system, and only Linux for one process alone"
    ran = subprocess.run([*ALONE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True)
    return "" if ran.returncode == 0 else f"no file system can be mounted: {ran.stderr.decode()}"


REFUSED = why_not()
pytestmark = [pytest.mark.full, pytest.mark.skipif(bool(REFUSED), reason=REFUSED)]


@pytest.mark.parametrize(
    "scenario",
    [
        "test_a_full_disk_is_said_and_nothing_is_half_done",
        "test_a_start_without_room_says_so_in_one_line",
        "test_commands_on_a_full_disk_say_what_to_do",
        "test_a_backup_to_a_full_disk_names_that_disk",
    ],
)
def test_on_a_full_disk(tmp_path: Path, scenario: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = f'mount -t tmpfs -o size={ROOM},mode=700 none "$LULL_TEST_DISK" && exec "$@"'
    pytest_words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"{SMALL_DISK}::{scenario}"]
    ran = subprocess.run(
        [*ALONE, "sh", "-c", mounted, "sh", sys.executable, *pytest_words],
        env={**os.environ, "LULL_TEST_DISK": str(disk)},
        cwd=Path(__file__).parents[4],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    assert list(disk.iterdir()) == [], "nobody else sees what is on it"
