"""Tests of idle signals on macOS, with fakes of its libraries and commands.

They need no Mac: the libraries are stand-ins in C with the true types, and the texts of commands
are in their true form. docs/macos-checklist.md says what a person must try on a Mac.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from lull.backends.idle.macos import (
    IoregIdle,
    MacScreenAwake,
    QuartzIdle,
    mac_heat,
    mac_lock,
    mac_recording,
    mac_saving,
)
from lull.backends.machine.macos import Frameworks
from lull.core.idle.signals import Known, Reading, Unknown
from tests.backends.stand_in import StandIn, stand_in


@pytest.fixture
def mac(tmp_path: Path) -> StandIn:
    return stand_in("macos", tmp_path)


@pytest.fixture
def frameworks(mac: StandIn) -> Frameworks:
    return Frameworks(mac.open)


@pytest.mark.parametrize("idle_s", [0.0, 0.016, 86_400.25])
def test_quartz_is_asked_for_any_input_of_the_hardware(
    mac: StandIn, frameworks: Frameworks, idle_s: float
) -> None:
    mac.real("now_idle_s").value = idle_s
    assert QuartzIdle(frameworks).read() == Known(idle_s)
    assert mac.number("asked_state").value == 1
    assert mac.number("asked_type").value == -1, "all 32 bits"


@pytest.mark.parametrize("idle_s", [-1.0, math.nan, math.inf])
def test_no_time_is_unknown(mac: StandIn, frameworks: Frameworks, idle_s: float) -> None:
    mac.real("now_idle_s").value = idle_s
    assert QuartzIdle(frameworks).read() == Unknown("Quartz has seen no input yet")


def test_libraries_that_are_not_there_are_unknown(mac: StandIn, frameworks: Frameworks) -> None:
    mac.missing = True
    made = [mac_lock, mac_heat, mac_saving, mac_recording]
    for source in [QuartzIdle(frameworks), *(make(frameworks) for make in made)]:
        answer = source.read()
        assert isinstance(answer, Unknown)
        assert answer.why.endswith("cannot be asked: image not found")


def test_functions_that_are_not_there_are_unknown(tmp_path: Path) -> None:
    elsewhere = Frameworks(stand_in("windows", tmp_path).open)
    for source in (QuartzIdle(elsewhere), mac_lock(elsewhere), mac_heat(elsewhere)):
        assert isinstance(source.read(), Unknown)


@pytest.mark.parametrize(
    ("session", "locked"),
    [
        (0, Unknown("there is no session at a screen")),
        (1, Known(False)),
        (2, Known(True)),
        (3, Known(True)),
    ],
)
def test_the_lock_stands_in_the_session(
    mac: StandIn, frameworks: Frameworks, session: int, locked: Reading[bool]
) -> None:
    mac.number("now_session").value = session
    source = mac_lock(frameworks)
    assert [source.read() for _ in range(50)] == [locked] * 50
    assert mac.number("alive").value == 0, "what was copied is released"


@pytest.mark.parametrize(("state", "hot"), [(0, False), (1, False), (2, True), (3, True)])
def test_serious_and_critical_are_hot(
    mac: StandIn, frameworks: Frameworks, state: int, hot: bool
) -> None:
    mac.number("now_thermal_state").value = state
    assert mac_heat(frameworks).read() == Known(hot)


@pytest.mark.parametrize(
    ("mode", "saving"), [(0, Known(False)), (1, Known(True)), (-1, Unknown("this system has none"))]
)
def test_low_power_mode_is_told_where_there_is_one(
    mac: StandIn, frameworks: Frameworks, mode: int, saving: Reading[bool]
) -> None:
    mac.number("now_low_power").value = mode
    assert mac_saving(frameworks).read() == saving


def named(pid: int) -> str:
    return {71: "corespeechd", 72: "zoom.us", 73: "coreaudiod"}.get(pid, "")


@pytest.mark.parametrize(
    ("recorders", "recording"),
    [([], False), ([72], True), ([71], False), ([71, 73, 72], True), ([99], True)],
)
def test_each_program_is_asked_whether_it_records(
    mac: StandIn, frameworks: Frameworks, recorders: list[int], recording: bool
) -> None:
    mac.numbers("now_recorders", recorders)
    assert mac_recording(frameworks, named).read() == Known(recording)


def test_a_program_that_is_nobodys_name_records_all_the_same(
    mac: StandIn, frameworks: Frameworks
) -> None:
    nobody = max(psutil.pids()) + 100_000
    mac.numbers("now_recorders", [nobody])
    assert mac_recording(frameworks).read() == Known(True)


@pytest.mark.parametrize(
    ("microphone", "recording"),
    [
        (0, Known(False)),
        (1, Known(True)),
        (-1, Unknown("there is no microphone to check")),
    ],
)
def test_an_older_system_is_asked_for_the_microphone(
    mac: StandIn, frameworks: Frameworks, microphone: int, recording: Reading[bool]
) -> None:
    mac.number("now_tells_recorders").value = 0
    mac.number("now_microphone").value = microphone
    assert mac_recording(frameworks).read() == recording


# Commands


class Command:
    """A stand-in for every command of the system: gives one answer and records the commands."""

    def __init__(self, answer: Reading[str]) -> None:
        self.answer = answer
        self.asked: list[Sequence[str]] = []

    def __call__(self, command: Sequence[str]) -> Reading[str]:
        self.asked.append(command)
        return self.answer


IOREG = """\
+-o IOHIDSystem  <class IOHIDSystem, id 0x100000abc, registered, matched, active, busy 0>
    {
      "HIDIdleTime" = %s
      "HIDParameters" = {"HIDClickTime"=500000000,"HIDIdleTimeOfNothing"=1}
    }
"""


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        (IOREG % "2500000000", Known(2.5)),
        (IOREG % "0", Known(0.0)),
        (IOREG % "9000000000" + IOREG % "1500000000", Known(1.5)),
        ("", Unknown("ioreg names no HIDIdleTime")),
        ('"HIDIdleTime" = <0011>', Unknown("ioreg names no HIDIdleTime")),
    ],
)
def test_the_registry_tells_nanoseconds(text: str, idle: Reading[float]) -> None:
    assert IoregIdle(Command(Known(text))).read() == idle


ASSERTIONS = """\
2026-11-21 09:00:00 +0100
Assertion status system-wide:
   BackgroundTask                 0
   PreventUserIdleDisplaySleep    %s
   PreventUserIdleSystemSleep     1
Listed by owning process:
   pid 86(powerd): [0x0000dead] 00:51:04 PreventUserIdleSystemSleep named: "Powerd - on"
   pid 172(coreaudiod): [0x0001] 00:10:12 PreventUserIdleSystemSleep named: "com.apple.audio"
%s
Kernel Assertions: 0x4=USB
"""
HELD = '   pid 512(%s): [0x0002] 01:00:02 %s named: "%s"'


@pytest.mark.parametrize(
    ("held", "awake"),
    [
        ("", False),
        (HELD % ("Google Chrome", "PreventUserIdleDisplaySleep", "Video Wake Lock"), True),
        (HELD % ("zoom.us", "NoDisplaySleepAssertion", "Zoom Meeting"), True),
        (HELD % ("backupd", "PreventUserIdleSystemSleep", "com.apple.backupd"), False),
        (HELD % ("joker", "NetworkClientActive", "PreventUserIdleDisplaySleep"), False),
    ],
)
def test_who_keeps_the_screen_awake_is_at_a_film_or_a_call(held: str, awake: bool) -> None:
    text = ASSERTIONS % (int(awake), held)
    assert MacScreenAwake(Command(Known(text))).read() == Known(awake)


def test_a_command_that_fails_is_unknown() -> None:
    failed = Unknown("/usr/bin/pmset is not installed here")
    assert MacScreenAwake(Command(failed)).read() == failed
    assert IoregIdle(Command(failed)).read() == failed
    odd = Unknown("pmset returned something other than assertions")
    assert MacScreenAwake(Command(Known("usage: pmset"))).read() == odd


def test_the_systems_own_commands_are_run_by_their_full_names() -> None:
    command = Command(Unknown("no"))
    IoregIdle(command).read()
    MacScreenAwake(command).read()
    assert [asked[0] for asked in command.asked] == ["/usr/sbin/ioreg", "/usr/bin/pmset"]
