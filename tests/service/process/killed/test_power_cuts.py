"""Tests of power cuts during approvals, switches of skills, moves of adapters, forget, restore.

What was acknowledged is there and nothing is half done; what was never synced to the disk is gone.
No byte comes back of what `lull forget` removed.

They run as root on ext4 on a loop device; what other file systems reorder is not tried.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.loops.adapters.made_adapters import nudged_adapters

pytestmark = [pytest.mark.soak, pytest.mark.timeout(7200)]
MEBIBYTES = 192
SCENARIO = Path(__file__).with_name("power_cut.py")
ALONE = ["unshare", "--mount", "--propagation", "private"]


def made_disk(image: Path) -> None:
    """Make a disk image with ext4; skip the test where that or mounting it is impossible."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root can mount a file system, and only on Linux")
    with image.open("wb") as file:
        file.truncate(MEBIBYTES << 20)
    made = subprocess.run(["mkfs.ext4", "-q", str(image)], capture_output=True, text=True)
    tried = [*ALONE, "mount", "-o", "loop", str(image), "/mnt"]
    mounted = subprocess.run(tried, capture_output=True, text=True)
    if made.returncode or mounted.returncode:
        pytest.skip(f"no file system in a file here: {made.stderr}{mounted.stderr}")


@pytest.mark.parametrize(("what", "cuts"), [("changes", 30), ("forgetting", 12), ("restoring", 12)])
def test_a_power_cut_takes_nothing_that_was_acknowledged(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, what: str, cuts: int
) -> None:
    image, disk = tmp_path / "image", tmp_path / "disk"
    disk.mkdir()
    made_disk(image)
    root = Path(__file__).parents[4]
    adapters = nudged_adapters(tmp_path_factory) if what == "changes" else tmp_path
    told = {"DISK": disk, "IMAGE": image, "ADAPTERS": adapters, "CUTS": cuts}
    played = f"{SCENARIO}::test_{what}"
    ran = subprocess.run(
        [*ALONE, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", played],
        env={**os.environ, **{f"LULL_TEST_{name}": str(value) for name, value in told.items()}},
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
