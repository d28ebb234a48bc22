"""A power cut in the middle of approvals, switches of skills and moves to adapters: what was never
synced to the disk is gone, what was acknowledged is there, and nothing is half done.

On ext4, as root, with a loop device; what other file systems reorder is not tried.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.soak, pytest.mark.timeout(7200)]
CUTS = 30
MEBIBYTES = 192
SCENARIO = Path(__file__).with_name("power_cut.py")
ALONE = ["unshare", "--mount", "--propagation", "private"]


def made_disk(image: Path) -> None:
    """Skips where no such file system can be made or mounted."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root can mount a file system, and only on Linux")
    with image.open("wb") as file:
        file.truncate(MEBIBYTES << 20)
    made = subprocess.run(["mkfs.ext4", "-q", str(image)], capture_output=True, text=True)
    tried = [*ALONE, "mount", "-o", "loop", str(image), "/mnt"]
    mounted = subprocess.run(tried, capture_output=True, text=True)
    if made.returncode or mounted.returncode:
        pytest.skip(f"no file system in a file here: {made.stderr}{mounted.stderr}")


def test_a_power_cut_takes_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    image, disk, adapters = tmp_path / "image", tmp_path / "disk", tmp_path / "adapters"
    disk.mkdir()
    made_disk(image)
    root = Path(__file__).parents[2]
    making = ["-W", "ignore", "-m", "tests.adapters.make_adapters", str(adapters)]
    subprocess.run([sys.executable, *making, "nudged", "nudged2"], cwd=root, check=True)
    told = {"DISK": disk, "IMAGE": image, "ADAPTERS": adapters, "CUTS": CUTS}
    ran = subprocess.run(
        [*ALONE, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(SCENARIO)],
        env={**os.environ, **{f"LULL_TEST_{name}": str(value) for name, value in told.items()}},
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
