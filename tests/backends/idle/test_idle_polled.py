"""Tests of asking a signal source in its own thread: how often, timeouts, and what is logged."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator

import pytest

from lull.backends.idle.calls import AnyTrue
from lull.backends.idle.polled import FirstKnown, PolledSignal, PollPace, UnavailableSignal
from lull.core.idle.signals import Known, Reading, Unknown
from tests.doubles.fake_source import FakeSource
from tests.eventually import eventually

OFTEN = PollPace(every_s=0.005, within_s=30.0)
SELDOM = PollPace(every_s=3600.0, within_s=30.0)
IMPATIENT = PollPace(every_s=0.005, within_s=0.05)

Start = Callable[..., PolledSignal[float]]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[tuple[PolledSignal[float], FakeSource[float]]] = []

    def begin(
        source: FakeSource[float], pace: PollPace = OFTEN, **more: object
    ) -> PolledSignal[float]:
        polled: PolledSignal[float] = PolledSignal(source, pace=pace, **more)  # type: ignore[arg-type]
        polled.start()
        started.append((polled, source))
        return polled

    yield begin
    for polled, source in started:
        polled.stop()
        source.go_on()


def is_known(answer: Reading[float]) -> bool:
    return isinstance(answer, Known)


def is_unknown(answer: Reading[float]) -> bool:
    return isinstance(answer, Unknown)


def test_before_the_first_answer_nothing_is_known(start: Start) -> None:
    source = FakeSource(Known(1.0))
    source.hang()
    assert start(source).latest() == Unknown("the fake has not been asked yet")


def test_the_newest_answer_is_there_without_waiting(start: Start) -> None:
    source = FakeSource(Known(1.0))
    polled = start(source)
    eventually(polled.latest, lambda answer: answer == Known(1.0))
    source.answer = Known(2.0)
    eventually(polled.latest, lambda answer: answer == Known(2.0))


@pytest.mark.logs("unknown from now on: the fake does not answer")
def test_a_source_that_hangs_is_unknown_and_asked_once_until_it_goes_on(start: Start) -> None:
    source = FakeSource(Known(1.0))
    polled = start(source, IMPATIENT)
    eventually(polled.latest, is_known)
    source.hang()
    eventually(lambda: source.hanging, bool)  # and not only late
    silent = eventually(polled.latest, is_unknown)
    assert silent == Unknown("the fake does not answer")
    asked = source.asked
    assert [polled.latest() for _ in range(100)] == [silent] * 100
    assert source.asked == asked, "nobody queues up behind the question that hangs"
    source.go_on()
    eventually(polled.latest, is_known)


def test_a_source_that_hangs_holds_up_nobody_else(start: Start) -> None:
    hanging, well = FakeSource(Known(1.0)), FakeSource(Known(2.0))
    hanging.hang()
    start(hanging)
    polled = start(well)
    eventually(polled.latest, lambda answer: answer == Known(2.0))


@pytest.mark.logs("unknown from now on: it broke")
def test_one_line_when_it_breaks_and_one_when_it_heals(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "lull.signals")
    source = FakeSource(Known(1.0))
    polled = start(source)
    eventually(polled.latest, is_known)
    for _ in range(2):
        source.answer = Unknown("it broke")
        asked = source.asked
        eventually(lambda: source.asked, lambda n: n > asked + 5)  # noqa: B023
        source.answer = Known(1.0)
        eventually(polled.latest, is_known)
    told = [record.getMessage() for record in caplog.records]
    assert told == ["unknown from now on: it broke", "the fake answers"] * 2


def test_what_never_worked_is_no_alarm(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "lull.signals")
    source = FakeSource[float](Unknown("there is none"))
    start(source)
    eventually(lambda: source.asked, lambda n: n > 5)
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("INFO", "unknown from now on: there is none")
    ]


@pytest.mark.logs("the fake failed", "unknown from now on: asking the fake failed: no such luck")
def test_a_fault_of_the_source_itself_is_unknown_and_told_once(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    source = FakeSource(Known(1.0))
    polled = start(source)
    eventually(polled.latest, is_known)
    source.raises = ZeroDivisionError("no such luck")
    broken = eventually(polled.latest, is_unknown)
    assert broken == Unknown("asking the fake failed: no such luck")
    asked = source.asked
    eventually(lambda: source.asked, lambda n: n > asked + 5)
    assert sum(record.exc_info is not None for record in caplog.records) == 1
    source.raises = None
    eventually(polled.latest, is_known)


def test_it_is_asked_no_more_often_than_told_and_at_once_when_hurried(start: Start) -> None:
    source = FakeSource(Known(1.0))
    polled = start(source, SELDOM)
    eventually(polled.latest, is_known)
    assert source.asked == 1
    source.answer = Known(0.0)
    polled.set_pace(OFTEN)
    eventually(polled.latest, lambda answer: answer == Known(0.0))
    polled.set_pace(SELDOM)
    eventually(polled.latest, is_known)
    asked, beside = source.asked, FakeSource(Known(1.0))
    start(beside)
    eventually(lambda: beside.asked, lambda n: n > 20)
    # One question may be under way while the pace changes, and one more may be due already.
    assert source.asked - asked <= 2


@pytest.mark.logs("unknown from now on: the fake does not answer")
def test_in_a_hurry_silence_shows_soon_even_after_a_calm_time(start: Start) -> None:
    source = FakeSource(Known(1.0))
    polled = start(source, SELDOM)
    eventually(polled.latest, is_known)
    source.hang()
    polled.set_pace(IMPATIENT)
    assert eventually(polled.latest, is_unknown) == Unknown("the fake does not answer")


def test_each_answer_is_heard_in_the_threads_of_the_source(start: Start) -> None:
    heard: list[tuple[Reading[float], str]] = []

    def hear(answer: Reading[float]) -> None:
        heard.append((answer, threading.current_thread().name))

    start(FakeSource(Known(1.0)), on_reading=hear)
    eventually(lambda: len(heard), lambda n: n > 2)
    assert set(heard) == {(Known(1.0), "signal: the fake")}


def test_stopped_it_asks_no_more_and_lets_go(start: Start) -> None:
    source = FakeSource(Known(1.0))
    polled = start(source)
    eventually(polled.latest, is_known)
    polled.stop()
    eventually(lambda: source.closed, lambda n: n == 1)
    asked = source.asked
    assert polled.latest() == Known(1.0)
    assert source.asked == asked


def test_of_several_the_first_that_knows_is_believed() -> None:
    first, second, third = FakeSource(Known(1.0)), FakeSource(Known(2.0)), FakeSource(Known(3.0))
    several = FirstKnown([first, second, third])
    assert several.read() == Known(1.0)
    first.answer = Unknown("no display")
    assert several.read() == Known(2.0)
    second.answer = third.answer = Unknown("no bus")
    assert several.read() == Unknown("no display; no bus")
    assert third.asked == 1, "who comes after one that knows is left in peace"


def test_of_several_the_one_that_hangs_is_called_by_its_name(start: Start) -> None:
    first = FakeSource[float](Unknown("no"), name="the first")
    second = FakeSource(Known(2.0), name="the second")
    several = FirstKnown([first, second])
    assert several.name == "the first"
    several.read()
    assert several.name == "the second"


@pytest.mark.parametrize(
    ("one", "another", "together"),
    [
        (Known(True), Unknown("deaf"), Known(True)),
        (Unknown("deaf"), Known(True), Known(True)),
        (Known(False), Known(True), Known(True)),
        (Known(False), Known(False), Known(False)),
        (Known(False), Unknown("deaf"), Unknown("deaf")),
        (Unknown("deaf"), Known(False), Unknown("deaf")),
        (Unknown("deaf"), Unknown("blind"), Unknown("deaf; blind")),
    ],
)
def test_a_broken_sensor_never_looks_like_an_empty_chair(
    one: Reading[bool], another: Reading[bool], together: Reading[bool]
) -> None:
    assert AnyTrue([FakeSource(one), FakeSource(another)]).read() == together


def test_what_a_platform_does_not_tell_is_unknown_with_the_reason() -> None:
    assert UnavailableSignal("the lock", "nobody tells").read() == Unknown("nobody tells")


def test_started_anew_it_asks_anew_and_takes_nothing_from_before(start: Start) -> None:
    source = FakeSource(Known(1.0))
    polled = start(source, SELDOM)
    eventually(polled.latest, lambda answer: answer == Known(1.0))
    polled.stop()
    source.answer = Known(2.0)
    polled.start()
    assert polled.latest() in (Unknown("the fake has not been asked yet"), Known(2.0))
    eventually(polled.latest, lambda answer: answer == Known(2.0))


def test_started_anew_while_it_hangs_it_is_asked_by_one_thread_only(start: Start) -> None:
    source = FakeSource(Known(1.0))
    source.hang()
    polled = start(source, OFTEN)
    eventually(lambda: source.asked, lambda asked: asked == 1)
    polled.stop()
    polled.start()
    source.answer = Known(2.0)
    assert source.asked == 1
    source.go_on()
    eventually(polled.latest, lambda answer: answer == Known(2.0))
    assert source.most_at_once == 1


def test_who_asks_now_hears_what_is_true_now_and_waits_for_nobody_who_hangs(start: Start) -> None:
    source = FakeSource(Known(1.0))
    polled = start(source, SELDOM)
    eventually(polled.latest, is_known)
    source.answer = Known(2.0)
    polled.ask_now(30.0)
    assert polled.latest() == Known(2.0)
    source.hang()
    polled.ask_now(0.01)
    assert polled.latest() == Known(2.0)
