"""What `test_power_cuts.py` runs in a process of its own, whose home lies on a file system of its
own: the power of a machine is cut while a service changes what is in force.

The file system keeps what was written in memory until somebody syncs it. A cut takes what the disk
below holds in that moment, and goes on from there.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

from lull.contract import routes
from tests.properties.street import Cook
from tests.properties.test_killed_changes import ADAPTERS, Killed, stock
from tests.running import RunningLull
from tests.service_control.socket_client import ControlSocket

DISK = Path(os.environ["LULL_TEST_DISK"])
IMAGE = Path(os.environ["LULL_TEST_IMAGE"])
NUDGED = Path(os.environ["LULL_TEST_ADAPTERS"])
CUTS = int(os.environ["LULL_TEST_CUTS"])


def mount() -> None:
    """Nothing is written by itself within the time of a test."""
    subprocess.run(["mount", "-o", "loop,commit=900", str(IMAGE), str(DISK)], check=True)


class Plugged(Killed):
    """A street whose machine loses its power."""

    def is_killed(self) -> None:
        self.service.kill()
        self.deaths += 1
        after = IMAGE.with_suffix(".after")
        shutil.copyfile(IMAGE, after)
        subprocess.run(["umount", "--lazy", str(DISK)], check=True)
        after.replace(IMAGE)
        mount()
        self.service = self.lull.serve()


def test_a_power_cut_takes_nothing_that_was_acknowledged() -> None:
    mount()
    with Cook() as cook, RunningLull.cleaned_up(DISK / "home", upstream=cook.address) as lull:
        stock(lull, NUDGED, proposals=CUTS)
        subprocess.run(["sync", "--file-system", str(DISK)], check=True)
        street = Plugged(lull, cook, random.Random(5))
        changes = (street.approves_and_dies, street.switches_and_dies, street.moves_and_dies)
        for number in range(CUTS):
            changes[number % len(changes)]()
            street.is_whole()
        assert street.deaths == CUTS
        assert street.acknowledged > 0
        assert ControlSocket(lull.home).get(routes.ADAPTERS)["active"] in (None, *ADAPTERS)
        assert street.service.stop() == 0
