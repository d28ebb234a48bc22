"""Tests of signals of the machine: power, heat, processor load, memory and running programs.

They are read from the real machine, and from fakes of unusual ones.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from lull.backends.machine.apps import ExclusiveApps, plain_name
from lull.backends.machine.heat import Heat
from lull.backends.machine.load import (
    LoadOfOthers,
    LoadSample,
    ProcessCpuTime,
    share_of_others,
    take_sample,
    used_between,
)
from lull.backends.machine.memory import MemorySignal
from lull.backends.machine.power import NO_BATTERY, Power, PowerProfile, PowerReading
from lull.core.idle.signals import Known, Reading, Unknown
from tests.doubles.logind_service import POWER_SAVER, power_daemon
from tests.doubles.private_bus import PrivateBus, private_bus
from tests.eventually import eventually

# Power


@dataclass(frozen=True)
class Charge:
    percent: float
    power_plugged: bool | None


def test_no_battery_is_mains() -> None:
    assert Power(lambda: None).read() == Known(NO_BATTERY)
    assert NO_BATTERY.on_mains is True


def test_this_machine_answers_for_real() -> None:
    answer = Power().read()
    assert isinstance(answer, Known)
    assert isinstance(answer.value.on_mains, bool | Unknown)


@pytest.mark.parametrize(
    ("charge", "supply"),
    [
        (Charge(80, True), PowerReading(on_mains=True, battery_share=0.8)),
        (Charge(7.5, False), PowerReading(on_mains=False, battery_share=0.075)),
        (Charge(103, True), PowerReading(on_mains=True, battery_share=1.0)),
        (
            Charge(50, None),
            PowerReading(on_mains=Unknown("the battery does not say"), battery_share=0.5),
        ),
        (
            Charge(math.nan, False),
            PowerReading(
                on_mains=False, battery_share=Unknown("the battery does not say how full it is")
            ),
        ),
    ],
)
def test_a_battery_says_what_it_knows(charge: Charge, supply: PowerReading) -> None:
    assert Power(lambda: charge).read() == Known(supply)


@pytest.mark.parametrize("error", [FileNotFoundError("capacity"), ValueError("x"), TypeError()])
def test_a_battery_that_cannot_be_read_is_unknown(error: Exception) -> None:
    def battery() -> Charge:
        raise error

    answer = Power(battery).read()
    assert isinstance(answer, Unknown)
    assert answer.why.startswith("the battery cannot be read: ")


@pytest.fixture
def bus() -> Iterator[PrivateBus]:
    with private_bus() as bus:
        yield bus


@pytest.mark.skipif(sys.platform != "linux", reason="D-Bus is Linux's")
@pytest.mark.parametrize(
    "name", ["org.freedesktop.UPower.PowerProfiles", "net.hadess.PowerProfiles"]
)
def test_old_and_new_power_daemons_are_understood(bus: PrivateBus, name: str) -> None:
    source = PowerProfile({"DBUS_SYSTEM_BUS_ADDRESS": bus.address})
    assert source.read() == Unknown("power-profiles-daemon is not running here")
    with power_daemon(bus.address, "performance", name):
        assert source.read() == Known(False)
    with power_daemon(bus.address, POWER_SAVER, name):
        assert source.read() == Known(True)
    source.close()


# Heat


@dataclass(frozen=True)
class Sysfs:
    root: Path

    def zone(self, number: int, temp: str, *trips: tuple[str, str]) -> None:
        folder = self.root / "class" / "thermal" / f"thermal_zone{number}"
        self._write(folder, "temp", temp)
        for trip, (kind, at) in enumerate(trips):
            self._write(folder, f"trip_point_{trip}_type", kind)
            self._write(folder, f"trip_point_{trip}_temp", at)

    def chip(self, number: int, **files: str) -> None:
        for name, text in files.items():
            self._write(self.root / "class" / "hwmon" / f"hwmon{number}", name, text)

    def _write(self, folder: Path, name: str, text: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text}\n")

    def hot(self) -> Reading[bool]:
        return Heat(self.root).read()


SILENT = Unknown("no sensor here reports the temperature at which the machine slows down")


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    return Sysfs(tmp_path)


@pytest.mark.parametrize(
    ("temp", "trips", "hot"),
    [
        ("45000", [("passive", "90000"), ("critical", "105000")], False),
        ("89000", [("passive", "90000"), ("critical", "105000")], False),
        ("90000", [("passive", "90000"), ("critical", "105000")], True),
        ("94000", [("critical", "100000")], False),
        ("95000", [("critical", "100000")], True),
        ("101000", [("hot", "105000")], True),
        ("61000", [("active", "60000"), ("critical", "100000")], False),
    ],
)
def test_hot_is_where_the_sensor_slows_down_or_nearly_stops(
    sysfs: Sysfs, temp: str, trips: list[tuple[str, str]], hot: bool
) -> None:
    sysfs.zone(0, temp, *trips)
    assert sysfs.hot() == Known(hot)


def test_one_hot_sensor_is_enough(sysfs: Sysfs) -> None:
    sysfs.zone(0, "40000", ("critical", "100000"))
    sysfs.zone(1, "97000", ("critical", "100000"))
    assert sysfs.hot() == Known(True)


def test_limits_that_drivers_make_up_say_nothing(sysfs: Sysfs) -> None:
    sysfs.zone(0, "55000", ("passive", "0"), ("passive", "-274000"))
    assert sysfs.hot() == SILENT


def test_a_sensor_that_sleeps_says_nothing(sysfs: Sysfs) -> None:
    sysfs.zone(0, "", ("critical", "100000"))
    assert sysfs.hot() == SILENT
    sysfs.zone(1, "50000", ("critical", "100000"))
    assert sysfs.hot() == Known(False)


def test_a_machine_without_sensors_says_nothing(sysfs: Sysfs) -> None:
    assert sysfs.hot() == SILENT


@pytest.mark.parametrize(("now", "hot"), [("94000", False), ("95000", True)])
def test_chips_are_asked_too(sysfs: Sysfs, now: str, hot: bool) -> None:
    sysfs.chip(0, temp1_input=now, temp1_crit="100000", temp2_input="200000")
    assert sysfs.hot() == Known(hot), "and one without a limit is not judged"


# Processor


def sample(
    busy_s: float,
    all_s: float,
    ours: dict[int, ProcessCpuTime],
    servers: dict[int, ProcessCpuTime] | None = None,
) -> LoadSample:
    def keyed(uses: dict[int, ProcessCpuTime]) -> dict[tuple[int, float], ProcessCpuTime]:
        return {(pid, 0.0): used for pid, used in uses.items()}

    return LoadSample(busy_s=busy_s, all_s=all_s, ours=keyed(ours), servers=keyed(servers or {}))


@pytest.mark.parametrize(
    ("last", "this", "servers_are_ours", "share"),
    [
        # 40 s of all cores' time passed.
        (sample(10, 100, {}), sample(20, 140, {}), False, 0.25),
        (
            sample(10, 100, {1: ProcessCpuTime(5)}),
            sample(20, 140, {1: ProcessCpuTime(9)}),
            False,
            0.15,
        ),
        (
            sample(10, 100, {1: ProcessCpuTime(5)}),
            sample(20, 140, {1: ProcessCpuTime(5), 2: ProcessCpuTime(10)}),
            False,
            0.0,
        ),
        # A child ended: its parent keeps what it used, of which 4 s were known before.
        (
            sample(10, 100, {1: ProcessCpuTime(5), 2: ProcessCpuTime(4)}),
            sample(20, 140, {1: ProcessCpuTime(5, ended_s=10)}),
            False,
            0.1,
        ),
        # A system that does not keep an ended child's time: only its last part is lost.
        (
            sample(10, 100, {1: ProcessCpuTime(5), 2: ProcessCpuTime(4)}),
            sample(20, 140, {1: ProcessCpuTime(7)}),
            False,
            0.2,
        ),
        # A server that answers our replays.
        (
            sample(10, 100, {}, {9: ProcessCpuTime(1)}),
            sample(20, 140, {}, {9: ProcessCpuTime(9)}),
            False,
            0.25,
        ),
        (
            sample(10, 100, {}, {9: ProcessCpuTime(1)}),
            sample(20, 140, {}, {9: ProcessCpuTime(9)}),
            True,
            0.05,
        ),
        # Clocks that disagree by a tick.
        (
            sample(10, 100, {1: ProcessCpuTime(5)}),
            sample(11, 140, {1: ProcessCpuTime(9)}),
            False,
            0.0,
        ),
        (sample(10, 100, {}), sample(60, 140, {}), False, 1.0),
    ],
)
def test_load_is_what_is_left_when_ours_is_taken_out(
    last: LoadSample, this: LoadSample, servers_are_ours: bool, share: float
) -> None:
    assert share_of_others(last, this, servers_are_ours=servers_are_ours) == Known(share)


def test_a_clock_that_stands_still_tells_nothing() -> None:
    still = sample(10, 100, {})
    answer = share_of_others(still, still, servers_are_ours=False)
    assert answer == Unknown("the processor's counters don't move")


def test_a_process_number_that_is_used_again_is_another_process() -> None:
    last = {(7, 1.0): ProcessCpuTime(50.0)}
    assert used_between(last, {(7, 2.0): ProcessCpuTime(3.0)}) == 3.0


BUSY = "import time\nend = time.process_time() + 600\nwhile time.process_time() < end: pass"


@pytest.mark.slow
def test_what_a_child_of_ours_computes_is_ours_and_a_strangers_is_not() -> None:
    """Tests only to which side a child's processor time counts, as others use this machine, too."""
    source = LoadOfOthers(first_s=0.01)
    source.read()
    with subprocess.Popen([sys.executable, "-c", BUSY]) as child:
        try:
            used = eventually(lambda: psutil.Process(child.pid).cpu_times().user, lambda s: s > 0.5)
            ours = take_sample().ours
            assert any(pid == child.pid and u.own_s >= used for (pid, _), u in ours.items())
            assert isinstance(source.read(), Known)
        finally:
            child.kill()
    ended_s = sum(used.ended_s for used in take_sample().ours.values())
    assert sys.platform != "linux" or ended_s >= used, "and it is still ours when it has ended"


def test_servers_are_ours_while_work_runs_and_for_the_stretch_in_which_it_ended() -> None:
    taken: list[LoadSample] = []

    def take() -> LoadSample:
        """Return a sample ten seconds after the last one, of which a server computed five."""
        n = len(taken)
        taken.append(sample(5 * n, 10 * n, {}, {9: ProcessCpuTime(5 * n)}))
        return taken[-1]

    source = LoadOfOthers(take, first_s=0.0)
    others, ours = Known(0.5), Known(0.0)
    assert source.read() == others
    source.set_working(True)
    assert [source.read(), source.read()] == [ours, ours]
    source.set_working(False)
    assert source.read() == ours
    assert [source.read(), source.read()] == [others, others]
    source.set_working(True)
    source.set_working(False)
    assert source.read() == ours, "however short it was"
    assert source.read() == others


# Memory


def test_this_machines_memory_is_a_share() -> None:
    answer = MemorySignal().read()
    assert isinstance(answer, Known)
    assert 0.0 < answer.value.free_share <= 1.0


@pytest.mark.parametrize(
    ("text", "pressure"),
    [
        ("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=9.00", 0.0),
        ("some avg10=12.34 avg60=2.00 avg300=0.00 total=99\nfull avg10=3.00 total=1", 0.1234),
        ("some avg10=100.00 avg60=100.00 avg300=1 total=1\n", 1.0),
        ("full avg10=50.00 avg60=0.00 avg300=0.00 total=0\n", None),
        ("", None),
    ],
)
def test_pressure_is_a_share_of_time(tmp_path: Path, text: str, pressure: float | None) -> None:
    (tmp_path / "pressure").mkdir()
    (tmp_path / "pressure" / "memory").write_text(text)
    answer = MemorySignal(tmp_path).read()
    assert isinstance(answer, Known)
    if pressure is None:
        assert isinstance(answer.value.pressure, Unknown)
    else:
        assert answer.value.pressure == pytest.approx(pressure)


def test_a_kernel_that_does_not_tell_leaves_the_free_memory_known(tmp_path: Path) -> None:
    answer = MemorySignal(tmp_path).read()
    assert isinstance(answer, Known)
    why = "this system does not tell how long programs wait for memory"
    assert answer.value.pressure == Unknown(why)


# Programs


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Steam.exe", "steam"),
        ("Final Cut Pro.app", "final cut pro"),
        (" blender ", "blender"),
        ("exe", "exe"),
        (None, ""),
    ],
)
def test_names_are_as_a_person_writes_them(name: str | None, plain: str) -> None:
    assert plain_name(name) == plain


def test_a_program_that_runs_is_named_as_the_user_named_it(tmp_path: Path) -> None:
    game = tmp_path / "LongNamedGame-for-a-test"
    game.symlink_to(Path(sys.executable).resolve())
    wanted = ["something-else", "longnamedgame-FOR-a-test"]
    source = ExclusiveApps(lambda: wanted)
    assert source.read() == Known("")
    with subprocess.Popen([game, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert eventually(source.read, lambda a: a != Known("")) == Known(wanted[1])
        wanted.clear()
        assert source.read() == Known(""), "settings change"
        process.communicate(b"\n")


def test_a_program_that_has_ended_but_was_not_looked_after_does_not_run(tmp_path: Path) -> None:
    shell = tmp_path / "a-test-shell"
    shell.symlink_to("/bin/sh")
    with subprocess.Popen([shell, "-c", "exit 0"]) as process:
        entry = psutil.Process(process.pid)
        eventually(entry.status, lambda status: status == psutil.STATUS_ZOMBIE)
        assert entry.name() == "a-test-shell"
        assert ExclusiveApps(lambda: ["a-test-shell"]).read() == Known("")
