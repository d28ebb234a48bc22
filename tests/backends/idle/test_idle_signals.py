"""Tests of all idle signals together: their values, fast polling, sleep, and choice of source."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bench.screen import Screen, missing
from lull.backends.idle.file import IdleFile
from lull.backends.idle.polled import PollPace
from lull.backends.idle.signals import (
    WOKEN_S,
    MachineSources,
    Paces,
    SignalSources,
    SystemSignals,
    UserSources,
)
from lull.backends.idle.sources import choose_source, sources_of
from lull.backends.machine.memory import FreeMemory
from lull.backends.machine.power import NO_BATTERY, PowerReading
from lull.backends.system.clock import SystemClock
from lull.core.errors import SettingsError
from lull.core.idle.signals import IdleSignals, Known, Unknown
from tests.doubles.fake_source import FakeSource
from tests.eventually import PATIENCE_S, eventually

BERLIN = ZoneInfo("Europe/Berlin")
OFTEN = PollPace(every_s=0.005, within_s=30.0)
SELDOM = PollPace(every_s=3600.0, within_s=30.0)


@dataclass
class TwoClocks:
    """A clock with a time of day and a count of seconds, which a test can advance separately."""

    at: datetime = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
    ran_s: float = 1000.0

    def now(self) -> datetime:
        return self.at

    def monotonic_s(self) -> float:
        return self.ran_s

    def run(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
        self.ran_s += seconds

    def sleep(self, seconds: float) -> None:
        """Simulate a sleeping computer: on Linux and macOS the count of seconds stands still."""
        self.at += timedelta(seconds=seconds)


@dataclass
class Fakes:
    input: FakeSource[float] = field(default_factory=lambda: FakeSource(Known(700.0)))
    locked: FakeSource[bool] = field(default_factory=lambda: FakeSource(Known(True)))
    waking: FakeSource[float] = field(default_factory=lambda: FakeSource(Known(float("-inf"))))
    power: FakeSource[PowerReading] = field(default_factory=lambda: FakeSource(Known(NO_BATTERY)))
    saving: FakeSource[bool] = field(default_factory=lambda: FakeSource(Known(False)))
    heat: FakeSource[bool] = field(default_factory=lambda: FakeSource(Known(False)))
    load: FakeSource[float] = field(default_factory=lambda: FakeSource(Known(0.04)))
    memory: FakeSource[FreeMemory] = field(
        default_factory=lambda: FakeSource(Known(FreeMemory(free_share=0.6, pressure=0.01)))
    )
    call: FakeSource[bool] = field(default_factory=lambda: FakeSource(Known(False)))
    app: FakeSource[str] = field(default_factory=lambda: FakeSource(Known("Blender")))

    def all(self) -> list[FakeSource[Any]]:
        return list(vars(self).values())


@dataclass
class Data:
    """A fake of the chat proxy: whether a chat is in flight, and seconds since the last one."""

    busy: bool = False
    quiet_s: float = 12.5


Make = Callable[..., SystemSignals]


@pytest.fixture
def fakes() -> Fakes:
    return Fakes()


@pytest.fixture
def clock() -> TwoClocks:
    return TwoClocks()


@pytest.fixture
def worked() -> list[bool]:
    return []


@pytest.fixture
def make(fakes: Fakes, clock: TwoClocks, worked: list[bool]) -> Iterator[Make]:
    made: list[SystemSignals] = []

    def begin(calm: PollPace = OFTEN, hurried: PollPace = OFTEN, **more: Any) -> SystemSignals:
        sources = SignalSources(
            user=UserSources(
                input=fakes.input, locked=fakes.locked, call=fakes.call, app=fakes.app
            ),
            machine=MachineSources(
                waking=fakes.waking,
                power=fakes.power,
                saving=fakes.saving,
                heat=fakes.heat,
                load=fakes.load,
                memory=fakes.memory,
                working=worked.append,
            ),
        )
        paces = Paces(calm=calm, hurried=hurried)
        more = {"clock": clock, "zone": lambda: BERLIN, "paces": paces, **more}
        made.append(SystemSignals(sources, **more))
        made[-1].start()
        eventually(lambda: [one.asked for one in fakes.all()], all)
        return made[-1]

    yield begin
    for one in made:
        one.close()
    for fake in fakes.all():
        fake.go_on()


@pytest.fixture
def real() -> SystemClock:
    """The system's clock, for tests in which a source must be polled more than once."""
    return SystemClock()


def known(signals: SystemSignals) -> IdleSignals:
    """Return the signals once every source has answered."""
    return eventually(
        signals.signals,
        lambda look: (
            not any(
                isinstance(value, Unknown) and value.why.endswith("asked yet")
                for value in (getattr(look, name) for name in IdleSignals.__dataclass_fields__)
            )
        ),
    )


def test_a_look_holds_every_signal(make: Make, clock: TwoClocks) -> None:
    assert known(make(chats=Data())) == IdleSignals(
        now=clock.at.astimezone(BERLIN),
        monotonic_s=1000.0,
        input_idle_s=700.0,
        locked=True,
        on_mains=True,
        battery_share=Unknown("there is no battery"),
        low_power=False,
        hot=False,
        load_of_others=0.04,
        memory_free_share=0.6,
        memory_pressure=0.01,
        call=False,
        exclusive_app="Blender",
        chats_in_flight=0,
        since_chat_s=12.5,
        asleep_gap_s=0.0,
    )


def test_the_time_is_in_a_zone_that_knows_daylight_saving(make: Make, clock: TwoClocks) -> None:
    signals = make(calm=SELDOM)
    assert signals.signals().now.isoformat() == "2026-03-29T01:30:00+01:00"
    clock.run(3600)
    assert signals.signals().now.isoformat() == "2026-03-29T03:30:00+02:00"


def test_a_chat_shows_at_once(make: Make) -> None:
    chats = Data()
    signals = make(chats=chats)
    chats.busy, chats.quiet_s = True, 0.0
    assert (signals.signals().chats_in_flight, signals.signals().since_chat_s) == (1, 0.0)


def test_without_a_data_plane_there_never_was_a_chat(make: Make) -> None:
    assert make().signals().since_chat_s == float("inf")


@pytest.mark.parametrize(
    "name",
    ["input", "locked", "power", "saving", "heat", "load", "memory", "call", "app"],
)
def test_each_unknown_keeps_its_reason_to_itself(make: Make, fakes: Fakes, name: str) -> None:
    getattr(fakes, name).answer = Unknown("it broke")
    look = known(make())
    broken = {
        "input": ["input_idle_s"],
        "locked": ["locked"],
        "power": ["on_mains", "battery_share"],
        "saving": ["low_power"],
        "heat": ["hot"],
        "load": ["load_of_others"],
        "memory": ["memory_free_share", "memory_pressure"],
        "call": ["call"],
        "app": ["exclusive_app"],
    }[name]
    fields = IdleSignals.__dataclass_fields__
    assert [one for one in fields if getattr(look, one) == Unknown("it broke")] == broken


@pytest.mark.parametrize("nonsense", [-3.0, float("nan")])
def test_a_number_that_cannot_be_is_unknown_and_stops_nobody(
    make: Make, fakes: Fakes, nonsense: float
) -> None:
    fakes.input.answer = fakes.load.answer = Known(nonsense)
    fakes.memory.answer = Known(FreeMemory(free_share=nonsense, pressure=nonsense))
    fakes.power.answer = Known(PowerReading(on_mains=False, battery_share=nonsense))
    look = known(make())
    strange = Unknown(f"the system says {nonsense}, which is impossible")
    assert look.input_idle_s == look.load_of_others == look.battery_share == strange
    assert look.memory_free_share == look.memory_pressure == strange


def test_closed_and_started_again_it_sees_again(make: Make, fakes: Fakes) -> None:
    signals = make()
    known(signals)
    signals.close()
    fakes.input.answer = Known(3.0)
    signals.start()
    assert known(signals).input_idle_s == 3.0
    assert known(signals).hot is False


def test_a_look_waits_for_nobody(make: Make, fakes: Fakes, real: SystemClock) -> None:
    signals = make(clock=real)
    for fake in fakes.all():
        fake.hang()
    # If a source were asked here, this would never end.
    assert known(signals).input_idle_s == 700.0
    assert signals.signals().exclusive_app == "Blender"


# Fast polling


def test_in_a_hurry_input_is_asked_at_once_and_often(
    make: Make, fakes: Fakes, real: SystemClock
) -> None:
    signals = make(calm=SELDOM, hurried=OFTEN, clock=real)
    assert known(signals).input_idle_s == 700.0
    fakes.input.answer = Known(0.02)
    signals.set_fast_polling(True)
    eventually(lambda: signals.signals().input_idle_s, lambda idle: idle == 0.02)
    eventually(lambda: fakes.input.asked, lambda n: n > 10)
    others = [one for one in fakes.all() if one is not fakes.input]
    assert [one.asked for one in others] == [1] * len(others), "and only input"
    signals.set_fast_polling(False)


def test_who_is_about_to_tell_the_user_reads_the_last_input_anew(
    make: Make, fakes: Fakes, real: SystemClock
) -> None:
    signals = make(calm=SELDOM, hurried=OFTEN, clock=real)
    assert known(signals).input_idle_s == 700.0
    fakes.input.answer = Known(0.02)
    signals.look_again(30.0)
    assert signals.signals().input_idle_s == 0.02


def test_whoever_counts_our_load_hears_of_work(make: Make, worked: list[bool]) -> None:
    signals = make()
    signals.set_fast_polling(True)
    signals.set_fast_polling(False)
    assert worked == [True, False]


def test_input_is_told_without_waiting_for_a_look(
    make: Make, fakes: Fakes, real: SystemClock
) -> None:
    returned = threading.Event()
    signals = make(returned=returned.set, clock=real)
    known(signals)
    fakes.input.answer = Known(0.0)
    eventually(lambda: signals.signals().input_idle_s, lambda idle: idle == 0.0)
    asked = fakes.input.asked
    eventually(lambda: fakes.input.asked, lambda n: n > asked)  # so that answer was heard
    assert not returned.is_set(), "nothing runs that would have to stop"
    signals.set_fast_polling(True)
    fakes.input.answer = Known(5.0)
    eventually(lambda: signals.signals().input_idle_s, lambda idle: idle == 5.0)
    assert not returned.is_set(), "nobody came"
    fakes.input.answer = Known(0.1)
    assert returned.wait(PATIENCE_S)


@pytest.mark.logs("unknown from now on: the display has gone")
def test_nobody_to_be_seen_any_more_is_told_too(
    make: Make, fakes: Fakes, real: SystemClock
) -> None:
    returned = threading.Event()
    signals = make(returned=returned.set, clock=real)
    known(signals)
    signals.set_fast_polling(True)
    fakes.input.answer = Unknown("the display has gone")
    assert returned.wait(PATIENCE_S)


# Sleep


def test_a_clock_that_ran_while_the_other_stood_was_asleep(make: Make, clock: TwoClocks) -> None:
    signals = make(calm=SELDOM)
    assert signals.signals().asleep_gap_s == 0.0
    clock.run(15)
    assert signals.signals().asleep_gap_s == 0.0
    clock.sleep(9 * 3600)
    assert signals.signals().asleep_gap_s == 9 * 3600
    clock.run(WOKEN_S / 2)
    assert signals.signals().asleep_gap_s == 9 * 3600, "whoever looks second is told as well"
    clock.run(WOKEN_S / 2)
    assert signals.signals().asleep_gap_s == 0.0


def test_a_look_that_comes_late_is_no_sleep(make: Make, clock: TwoClocks) -> None:
    signals = make(calm=SELDOM)
    signals.signals()
    clock.run(3000)
    assert signals.signals().asleep_gap_s == 0.0


def test_a_clock_that_is_set_back_is_no_sleep(make: Make, clock: TwoClocks) -> None:
    signals = make(calm=SELDOM)
    signals.signals()
    clock.sleep(-7200)
    clock.run(15)
    assert signals.signals().asleep_gap_s == 0.0


def test_a_nap_too_short_for_the_clocks_is_told_by_the_system(
    make: Make, fakes: Fakes, clock: TwoClocks
) -> None:
    fakes.waking.answer = Known(998.0)
    signals = make(calm=SELDOM)
    assert known(signals).asleep_gap_s == 1.0
    clock.run(WOKEN_S)
    assert signals.signals().asleep_gap_s == 0.0


# Which source


def chosen(wanted: str, platform: str = "linux") -> IdleFile | SystemSignals:
    return choose_source(
        platform,
        {},
        wanted,
        clock=SystemClock(),
        zone=lambda: UTC,
        apps=lambda: (),
    )


def test_a_file_wins_over_everything(tmp_path: Path) -> None:
    file = tmp_path / "a name with blanks.json"
    file.write_text('{"input_idle_s": 840}')
    source = chosen(f"file:{file}")
    assert isinstance(source, IdleFile)
    assert source.signals().input_idle_s == 840.0


def test_a_file_may_lie_in_the_users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "idle.json").write_text('{"input_idle_s": 7}')
    assert chosen("file:~/idle.json").signals().input_idle_s == 7.0


@pytest.mark.parametrize("where", ["file:me.json", "file:~nosuchuser-at-all/me.json"])
def test_a_file_that_cannot_be_meant_is_one_clear_error(where: str) -> None:
    with pytest.raises(SettingsError, match=r"idle\.source"):
        chosen(where)


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["linux", "darwin", "win32", "freebsd14"])
def test_on_every_platform_each_signal_is_a_value_or_a_reason(platform: str) -> None:
    """Tests all platforms' sources on this machine: those of others find nothing and say so."""
    signals = chosen("", platform)
    assert isinstance(signals, SystemSignals)
    signals.start()
    look = known(signals)
    signals.close()
    readings = [getattr(look, name) for name in IdleSignals.__dataclass_fields__]
    reasons = [reading.why for reading in readings if isinstance(reading, Unknown)]
    assert reasons
    assert all(why and not why.endswith(".") for why in reasons)
    if platform != sys.platform and platform != "win32":
        assert isinstance(look.input_idle_s, Unknown)
    assert isinstance(look.load_of_others, float)
    assert isinstance(look.memory_free_share, float)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="X11 is tried on Linux")
def test_a_real_desktop_is_seen_from_end_to_end() -> None:
    if absent := missing():
        pytest.skip(f"no {' and no '.join(absent)} on this machine")
    with Screen() as screen:
        environ = {**screen.environ, "XDG_SESSION_TYPE": "x11"}
        sources = sources_of("linux", environ, apps=lambda: ())
        signals = SystemSignals(sources, clock=SystemClock(), zone=lambda: UTC)
        signals.start()
        signals.set_fast_polling(True)

        def idle() -> float:
            idle_s = signals.signals().input_idle_s
            return idle_s if isinstance(idle_s, float) else -1.0

        def idle_once_moved() -> float:
            screen.move_mouse(30, next(places))  # again, where it was looked at too late
            return idle()

        before_s, places = eventually(idle, lambda s: s > 0.5), cycle(range(400))
        eventually(idle_once_moved, lambda s: 0.0 <= s < before_s)
        signals.close()
