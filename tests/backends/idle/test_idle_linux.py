"""Tests of idle signals on Linux: fakes of Mutter and logind on D-Bus, and which one is asked."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.screen import Screen, missing
from lull.backends.idle.linux import MutterIdle, linux_input
from lull.backends.idle.polled import PolledSignal, PollPace
from lull.backends.machine.logind import LogindIdle, LogindInhibitors, LogindLock, LogindWaking
from lull.core.idle.signals import Known, Reading, Unknown
from tests.doubles.logind_service import NO_SESSION, SESSION, Inhibitor, Logind, mutter
from tests.doubles.private_bus import PrivateBus, private_bus
from tests.eventually import eventually

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="D-Bus is Linux's")

GNOME_ON_WAYLAND = {"XDG_SESSION_TYPE": "wayland", "WAYLAND_DISPLAY": "wayland-0"}
NETWORK = ("sleep", "NetworkManager", "NetworkManager needs to turn off networks", "delay", 0, 9)
LID = ("handle-lid-switch", "gsd-power", "External monitor attached", "block", 1000, 9)
FILM = ("idle", "firefox", "video-playing", "block", 1000, 9)
DOWNLOAD = ("shutdown:sleep:idle", "steam", "Downloading", "block", 1000, 9)
PATIENT_FILM = ("idle", "player", "ends soon", "delay", 1000, 9)
WIDE = ("idleness", "odd", "a word that only looks like it", "block", 1000, 9)


@pytest.fixture
def bus() -> Iterator[PrivateBus]:
    with private_bus() as bus:
        yield bus


@pytest.fixture
def environ(bus: PrivateBus) -> dict[str, str]:
    """The environment in which one private D-Bus is both the system bus and the session bus."""
    names = ("DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS")
    return dict.fromkeys(names, bus.address)


@pytest.fixture
def logind(bus: PrivateBus) -> Iterator[Logind]:
    with Logind(bus.address) as service:
        yield service


def told(source: Any) -> Any:
    """Return the source's answer, asking again while a slow machine lets the question time out."""
    return eventually(
        source.read,
        lambda answer: not (isinstance(answer, Unknown) and "not answer" in answer.why),
    )


def answers(source: Any) -> Any:
    """Return the source's answer, and close the source."""
    answer = told(source)
    source.close()
    return answer


# Mutter


def test_mutters_milliseconds_are_seconds(bus: PrivateBus, environ: dict[str, str]) -> None:
    idle_ms = [0]
    source = MutterIdle(environ)
    with mutter(bus.address, idle_ms):
        assert told(source) == Known(0.0)
        idle_ms[0] = 3_600_500
        assert told(source) == Known(3600.5)
        idle_ms[0] = 7
        assert told(source) == Known(0.007)
    assert told(source) == Unknown("Mutter is not running here")
    source.close()


def test_asking_starts_nobody(bus: PrivateBus, environ: dict[str, str]) -> None:
    assert answers(MutterIdle(environ)) == Unknown("Mutter is not running here")


@pytest.mark.slow
@pytest.mark.logs("unknown from now on: Mutter does not answer")
def test_a_mutter_that_hangs_is_unknown_until_it_goes_on(
    bus: PrivateBus, environ: dict[str, str]
) -> None:
    with mutter(bus.address, [1500]) as service:
        source: PolledSignal[float] = PolledSignal(
            MutterIdle(environ), pace=PollPace(every_s=0.01, within_s=0.2)
        )
        source.start()
        eventually(source.latest, lambda answer: answer == Known(1.5))
        service.silent = True
        silent = eventually(source.latest, lambda answer: isinstance(answer, Unknown))
        assert silent == Unknown("Mutter does not answer")
        service.silent = False
        eventually(source.latest, lambda answer: answer == Known(1.5))
        source.stop()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("", "there is no desktop session"),
        (
            "unix:path=/nowhere/bus",
            "the desktop session cannot be reached: No such file or directory",
        ),
        ("tcp:host=localhost,port=1", "the desktop session cannot be reached: "),
        ("nonsense", "the desktop session cannot be reached: "),
    ],
)
def test_without_a_bus_it_is_unknown(address: str, why: str) -> None:
    answer = answers(MutterIdle({"DBUS_SESSION_BUS_ADDRESS": address}))
    assert isinstance(answer, Unknown)
    assert answer.why.startswith(why)


def test_a_session_bus_without_an_address_is_where_systemd_puts_it(bus: PrivateBus) -> None:
    runtime = Path(bus.address.removeprefix("unix:path=")).parent
    (runtime / "bus").symlink_to(bus.address.removeprefix("unix:path="))
    with mutter(bus.address, [1500]):
        assert answers(MutterIdle({"XDG_RUNTIME_DIR": str(runtime)})) == Known(1.5)


# logind


def test_idle_is_idle_since_the_hint_at_least(environ: dict[str, str], logind: Logind) -> None:
    now_s = time.monotonic()
    logind.hint(idle=True, since_s=100.0)
    source = LogindIdle(environ, monotonic_s=lambda: 700.0)
    assert told(source) == Known(600.0)
    logind.hint(idle=False, since_s=now_s)
    assert told(source) == Known(0.0), "not idle is input now"
    source.close()


def test_a_desktop_that_never_gave_a_hint_tells_nothing(
    environ: dict[str, str], logind: Logind
) -> None:
    logind.hint(idle=False, since_s=0)
    assert answers(LogindIdle(environ)) == Unknown(
        "the desktop does not tell logind when it is idle"
    )


def test_a_hint_from_the_future_is_now(environ: dict[str, str], logind: Logind) -> None:
    logind.hint(idle=True, since_s=100.0)
    assert answers(LogindIdle(environ, monotonic_s=lambda: 99.0)) == Known(0.0)


def test_the_lock_is_told(environ: dict[str, str], logind: Logind) -> None:
    source = LogindLock(environ)
    assert told(source) == Known(False)
    logind.session["LockedHint"] = ("b", True)
    assert told(source) == Known(True)
    del logind.session["LockedHint"]
    assert told(source) == Unknown("logind does not say whether the screen is locked")
    source.close()


def test_without_a_graphical_session_it_is_the_one_lull_was_started_in(
    environ: dict[str, str], logind: Logind
) -> None:
    logind.user["Display"] = ("(so)", NO_SESSION)
    assert answers(LogindLock(environ)) == Unknown("logind knows no session of yours")
    assert answers(LogindLock({**environ, "XDG_SESSION_ID": "2"})) == Known(False)


def test_a_session_that_ended_is_looked_for_anew(environ: dict[str, str], logind: Logind) -> None:
    source = LogindLock(environ)
    assert told(source) == Known(False)
    known = logind.properties.pop((SESSION, "org.freedesktop.login1.Session"))
    logind.user["Display"] = ("(so)", NO_SESSION)
    assert isinstance(told(source), Unknown)
    other = f"{SESSION}9"
    logind.properties[other, "org.freedesktop.login1.Session"] = known
    logind.user["Display"] = ("(so)", ("29", other))
    assert told(source) == Known(False)
    source.close()


@pytest.mark.parametrize(
    ("inhibitors", "held"),
    [
        ([], False),
        ([NETWORK, LID], False),
        ([FILM], True),
        ([NETWORK, DOWNLOAD], True),
        ([PATIENT_FILM, WIDE], False),
    ],
)
def test_who_keeps_the_screen_from_idling_is_at_a_film_or_a_call(
    environ: dict[str, str], logind: Logind, inhibitors: list[Inhibitor], held: bool
) -> None:
    logind.inhibitors = inhibitors
    assert answers(LogindInhibitors(environ)) == Known(held)


def test_waking_is_heard_even_between_two_questions(
    environ: dict[str, str], logind: Logind
) -> None:
    now_s = [10.0]
    source = LogindWaking(environ, monotonic_s=lambda: now_s[0])
    assert told(source) == Known(float("-inf"))
    logind.sleep(begins=True)
    logind.sleep(begins=False)
    now_s[0] = 12.0
    assert eventually(lambda: told(source), lambda a: a != Known(float("-inf"))) == Known(12.0)
    now_s[0] = 99.0
    assert told(source) == Known(12.0), "once"
    logind.sleep(begins=True)
    assert told(source) == Known(12.0), "about to sleep is not awake"
    source.close()


def test_waking_is_heard_again_after_the_bus_was_started_anew(
    bus: PrivateBus, environ: dict[str, str]
) -> None:
    source = LogindWaking(environ, monotonic_s=lambda: 5.0)
    assert told(source) == Known(float("-inf"))
    bus.end()
    assert isinstance(told(source), Unknown)
    bus.start()
    assert told(source) == Known(float("-inf"))
    with Logind(bus.address) as logind:
        logind.sleep(begins=False)
        assert eventually(lambda: told(source), lambda a: a != Known(float("-inf"))) == Known(5.0)
    source.close()


def test_a_system_bus_that_is_not_there_is_unknown() -> None:
    nowhere = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/system_bus_socket"}
    answer = answers(LogindLock(nowhere))
    assert answer == Unknown("the system service cannot be reached: No such file or directory")


# Which of them


@pytest.fixture
def screen() -> Iterator[Screen]:
    if absent := missing():
        pytest.skip(f"no {' and no '.join(absent)} on this machine")
    with Screen() as screen:
        yield screen


def test_under_x11_the_display_is_asked(
    screen: Screen, environ: dict[str, str], logind: Logind
) -> None:
    source = linux_input({**environ, "DISPLAY": screen.display, "XDG_SESSION_TYPE": "x11"})
    assert source.name == f"the X11 display {screen.display}"
    assert isinstance(told(source), Known)
    assert logind.asked == []
    screen.end()
    logind.hint(idle=True, since_s=0.001)
    answer: Reading[float] = told(source)
    assert isinstance(answer, Known), "and logind when it has gone"
    assert "GetUser" in logind.asked
    source.close()


@pytest.mark.parametrize(
    "session",
    [
        GNOME_ON_WAYLAND,
        {"XDG_SESSION_TYPE": "wayland"},
        {"WAYLAND_DISPLAY": "wayland-1"},
        {"XDG_SESSION_TYPE": "tty", "WAYLAND_DISPLAY": "wayland-1"},
    ],
)
def test_under_wayland_xwaylands_display_is_never_asked(
    screen: Screen, bus: PrivateBus, environ: dict[str, str], session: dict[str, str]
) -> None:
    source = linux_input({**environ, **session, "DISPLAY": screen.display})
    unknown = told(source)
    assert isinstance(unknown, Unknown)
    assert unknown.why == "Mutter is not running here; logind is not running here"
    with mutter(bus.address, [2500]):
        assert told(source) == Known(2.5)
    source.close()


def test_without_any_session_nothing_is_known() -> None:
    nowhere = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/system_bus_socket"}
    answer = answers(linux_input(nowhere))
    assert isinstance(answer, Unknown)
    assert answer.why.startswith(
        "there is no desktop session; the system service cannot be reached"
    )
