"""Contract tests that every source of an idle signal passes: the fake, and the real ones.

Real here are X11, D-Bus, PulseAudio, processes and memory; Mutter, logind and the power daemon are
services of our own on a real bus; sysfs is a folder; the libraries of macOS and Windows are
stand-ins compiled from C.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench.screen import Screen, missing
from lull.backends.idle.calls import AnyTrue, Recording
from lull.backends.idle.linux import MutterIdle
from lull.backends.idle.macos import (
    IoregIdle,
    MacScreenAwake,
    QuartzIdle,
    mac_heat,
    mac_lock,
    mac_recording,
    mac_saving,
)
from lull.backends.idle.polled import FirstKnown, SignalSource
from lull.backends.idle.windows import Win32Idle
from lull.backends.idle.x11 import X11Idle
from lull.backends.machine.apps import ExclusiveApps
from lull.backends.machine.commands import command_runner
from lull.backends.machine.heat import Heat
from lull.backends.machine.load import LoadOfOthers
from lull.backends.machine.logind import LogindIdle, LogindInhibitors, LogindLock, LogindWaking
from lull.backends.machine.macos import Frameworks
from lull.backends.machine.memory import FreeMemory, MemorySignal
from lull.backends.machine.power import Power, PowerProfile, PowerReading
from lull.core.idle.signals import Known, Reading, Unknown
from tests.backends.stand_in import stand_in
from tests.doubles.fake_source import FakeSource
from tests.doubles.logind_service import Logind, mutter, power_daemon
from tests.doubles.private_bus import private_bus
from tests.eventually import eventually
from tests.sound import sound_server

Stack = ExitStack
Cut = Callable[[], None]


@dataclass(frozen=True)
class Case:
    source: SignalSource[Any]
    fits: Callable[[Any], bool]
    """Whether a value is one that the source can give."""
    breaks: Cut | None = None
    """Makes the source fail from now on; None where nothing can."""
    heals: Cut | None = None


def seconds(value: Any) -> bool:
    return isinstance(value, float) and 0.0 <= value < 1e6


def yes_or_no(value: Any) -> bool:
    return isinstance(value, bool)


def share(value: Any) -> bool:
    return isinstance(value, float) and 0.0 <= value <= 1.0


def a_fake(_stack: Stack, _folder: Path) -> Case:
    source = FakeSource[float](Known(3.0))

    def breaks() -> None:
        source.answer = Unknown("the fake is broken")

    def heals() -> None:
        source.answer = Known(4.0)

    return Case(source, seconds, breaks, heals)


def x11(stack: Stack, _folder: Path) -> Case:
    if absent := missing():
        pytest.skip(f"no {' and no '.join(absent)} on this machine")
    screen = stack.enter_context(Screen())
    return Case(X11Idle(screen.display), seconds, screen.end, screen.start)


def _on_a_bus(stack: Stack, make: Callable[[dict[str, str]], SignalSource[Any]], fits: Any) -> Case:
    """A case for logind or a service beside it; to break it, its private D-Bus is ended."""
    bus = stack.enter_context(private_bus())
    names = ("DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS")
    source = make(dict.fromkeys(names, bus.address))
    services = stack.enter_context(ExitStack())

    def serve() -> None:
        logind = Logind(bus.address)
        logind.hint(idle=True, since_s=0.001)
        services.enter_context(logind)
        services.enter_context(mutter(bus.address, [1500]))
        services.enter_context(power_daemon(bus.address, "balanced"))

    def breaks() -> None:
        bus.end()
        services.close()

    def heals() -> None:
        bus.start()
        serve()

    serve()
    return Case(source, fits, breaks, heals)


def mutter_idle(stack: Stack, _folder: Path) -> Case:
    return _on_a_bus(stack, MutterIdle, seconds)


def logind_idle(stack: Stack, _folder: Path) -> Case:
    return _on_a_bus(stack, LogindIdle, lambda value: isinstance(value, float) and value >= 0.0)


def logind_lock(stack: Stack, _folder: Path) -> Case:
    return _on_a_bus(stack, LogindLock, yes_or_no)


def logind_inhibitors(stack: Stack, _folder: Path) -> Case:
    return _on_a_bus(stack, LogindInhibitors, yes_or_no)


def logind_waking(stack: Stack, _folder: Path) -> Case:
    return _on_a_bus(stack, LogindWaking, lambda value: value == float("-inf"))


def power_profile(stack: Stack, _folder: Path) -> Case:
    return _on_a_bus(stack, PowerProfile, yes_or_no)


def recording(stack: Stack, folder: Path) -> Case:
    server = stack.enter_context(sound_server(folder))
    source = Recording(server.environ, command_runner(server.environ))
    return Case(source, yes_or_no, server.end, server.start)


def processor(_stack: Stack, _folder: Path) -> Case:
    return Case(LoadOfOthers(first_s=0.05), share)


def memory(_stack: Stack, _folder: Path) -> Case:
    def fits(room: Any) -> bool:
        pressed = isinstance(room.pressure, Unknown) or share(room.pressure)
        return isinstance(room, FreeMemory) and share(room.free_share) and pressed

    return Case(MemorySignal(), fits)


def battery(_stack: Stack, _folder: Path) -> Case:
    return Case(Power(), lambda supply: isinstance(supply, PowerReading))


def heat(_stack: Stack, folder: Path) -> Case:
    zone = folder / "class" / "thermal" / "thermal_zone0"
    zone.mkdir(parents=True)
    files = {"temp": "41000", "trip_point_0_type": "critical", "trip_point_0_temp": "100000"}

    def heals() -> None:
        for name, text in files.items():
            (zone / name).write_text(text + "\n")

    heals()
    return Case(Heat(folder), yes_or_no, (zone / "temp").unlink, heals)


def apps(_stack: Stack, _folder: Path) -> Case:
    source = ExclusiveApps(lambda: ("no-such-program-anywhere", sys.executable))
    return Case(source, lambda value: isinstance(value, str))


def _library(name: str, folder: Path) -> Any:
    return stand_in(name, folder)


def _mac(make: Callable[[Frameworks], SignalSource[Any]], fits: Any, folder: Path) -> Case:
    library = stand_in("macos", folder)

    # An open library stays open, so a new source is made for each question.
    class Asked:
        name = "a Mac"

        def read(self) -> Reading[Any]:
            return make(Frameworks(library.open)).read()

        def close(self) -> None: ...

    def breaks() -> None:
        library.missing = True

    def heals() -> None:
        library.missing = False

    return Case(Asked(), fits, breaks, heals)


def quartz(_stack: Stack, folder: Path) -> Case:
    return _mac(QuartzIdle, seconds, folder)


def the_macs_lock(_stack: Stack, folder: Path) -> Case:
    return _mac(mac_lock, yes_or_no, folder)


def the_macs_heat(_stack: Stack, folder: Path) -> Case:
    return _mac(mac_heat, yes_or_no, folder)


def the_macs_saving(_stack: Stack, folder: Path) -> Case:
    return _mac(mac_saving, yes_or_no, folder)


def the_macs_recording(_stack: Stack, folder: Path) -> Case:
    return _mac(mac_recording, yes_or_no, folder)


def _command(make: Callable[[Any], SignalSource[Any]], said: str, fits: Any) -> Case:
    answer: list[Reading[str]] = [Known(said)]

    def breaks() -> None:
        answer[0] = Unknown("the command is not installed here")

    def heals() -> None:
        answer[0] = Known(said)

    return Case(make(lambda _command: answer[0]), fits, breaks, heals)


def ioreg(_stack: Stack, _folder: Path) -> Case:
    return _command(IoregIdle, '  "HIDIdleTime" = 2500000000\n', seconds)


def pmset(_stack: Stack, _folder: Path) -> Case:
    return _command(MacScreenAwake, "Assertion status system-wide:\n", yes_or_no)


def windows(_stack: Stack, folder: Path) -> Case:
    library = stand_in("windows", folder)

    def breaks() -> None:
        library.number("now_refuses").value = 1

    def heals() -> None:
        library.number("now_refuses").value = 0

    return Case(Win32Idle(library.open), seconds, breaks, heals)


def _several(make: Callable[[list[SignalSource[Any]]], SignalSource[Any]]) -> Case:
    parts = [FakeSource[bool](Known(False), name=name) for name in ("one", "another")]

    def breaks() -> None:
        for part in parts:
            part.answer = Unknown(f"{part.name} is broken")

    def heals() -> None:
        for part in parts:
            part.answer = Known(False)

    return Case(make(list(parts)), yes_or_no, breaks, heals)


def the_first_known(_stack: Stack, _folder: Path) -> Case:
    return _several(FirstKnown)


def any_true(_stack: Stack, _folder: Path) -> Case:
    return _several(AnyTrue)


ON_LINUX = [
    *(x11, mutter_idle, logind_idle, logind_lock, logind_inhibitors, logind_waking),
    *(power_profile, recording, heat),
]
ANYWHERE = [
    *(a_fake, processor, memory, battery, apps, the_first_known, any_true, windows),
    *(quartz, ioreg, the_macs_lock, the_macs_heat, the_macs_saving, the_macs_recording, pmset),
]


@pytest.fixture(params=[*ON_LINUX, *ANYWHERE], ids=lambda made: made.__name__)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Case]:
    if request.param in ON_LINUX and sys.platform != "linux":
        pytest.skip("only Linux has this")
    with ExitStack() as stack:
        made = request.param(stack, tmp_path)
        yield made
        made.source.close()


def known(case: Case) -> Any:
    answer = eventually(case.source.read, lambda answer: isinstance(answer, Known))
    assert isinstance(answer, Known)
    return answer.value


def test_it_answers_a_value(case: Case) -> None:
    assert case.source.name
    assert case.fits(known(case))
    assert case.fits(known(case)), "and again"


def test_what_breaks_is_unknown_in_words_and_heals(case: Case) -> None:
    if case.breaks is None or case.heals is None:
        # What the source reads belongs to this process, so it cannot fail.
        assert isinstance(case.source.read(), Known)
        return
    assert case.fits(known(case))
    case.breaks()
    broken = eventually(case.source.read, lambda answer: isinstance(answer, Unknown))
    assert isinstance(broken, Unknown)
    assert broken.why
    assert not broken.why.endswith(".")
    assert isinstance(case.source.read(), Unknown), "and stays so"
    case.heals()
    assert case.fits(known(case))


def test_it_may_be_closed_twice_and_asked_again(case: Case) -> None:
    case.source.close()
    assert case.fits(known(case))
    case.source.close()
    case.source.close()
    assert case.fits(known(case))
