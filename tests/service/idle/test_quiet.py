"""Tests, in virtual time, of when Lull asks models for itself: not beside a chat, one at a time,
urgent first.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest

from bench.virtual_time import VirtualLoop, run
from lull.service.idle.quiet import Activity, QuietTimes
from tests.doubles.fakes import FakeClock
from tests.eventually import until

LONG_S = 60.0
"""Virtual seconds in which whatever may begin has begun; times look each second."""


def in_virtual_time(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def played(*args: object, **kwargs: object) -> None:
        run(test(*args, **kwargs), VirtualLoop())

    return played


@dataclass
class Question:
    """A question that ends when a test sets `answered`; counts how often it was asked, stopped."""

    answered: asyncio.Event = field(default_factory=asyncio.Event)
    asked: int = 0
    stopped: int = 0
    running: bool = False

    async def __call__(self) -> str:
        self.asked += 1
        self.running = True
        try:
            await self.answered.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        finally:
            self.running = False
        return "answer"


@dataclass
class Home:
    activity: Activity
    quiet: QuietTimes
    may: list[bool]


@pytest.fixture
def home() -> Home:
    activity, may = Activity(FakeClock()), [True]
    return Home(activity, QuietTimes(activity, after_s=lambda: 0.0, allowed=lambda: may[0]), may)


def begun(work: Awaitable[str]) -> asyncio.Future[str]:
    return asyncio.ensure_future(work)


@pytest.mark.parametrize("hurry", [False, True])
@in_virtual_time
async def test_a_chat_stops_a_question_and_it_is_asked_again_after_it(
    home: Home, hurry: bool
) -> None:
    question = Question()
    answer = begun(home.quiet.run(question, hurry=hurry))
    await until(lambda: question.running)
    with home.activity.chat():
        await until(lambda: question.stopped == 1)
        await asyncio.sleep(LONG_S)
        assert question.asked == 1
    await until(lambda: question.running)
    question.answered.set()
    assert await answer == "answer"
    assert question.asked == 2


@in_virtual_time
async def test_who_is_in_a_hurry_waits_for_a_chat_and_for_nothing_else(home: Home) -> None:
    home.may[0] = False
    question = Question()
    question.answered.set()
    with home.activity.chat():
        answer = begun(home.quiet.run(question, hurry=True))
        await asyncio.sleep(LONG_S)
        assert question.asked == 0
    assert await answer == "answer"


@in_virtual_time
async def test_there_are_never_two_questions_at_once(home: Home) -> None:
    first, second = Question(), Question()
    one, other = begun(home.quiet.run(first)), begun(home.quiet.run(second))
    await until(lambda: first.running or second.running)
    await asyncio.sleep(LONG_S)
    assert first.running != second.running
    first.answered.set()
    second.answered.set()
    assert await asyncio.gather(one, other) == ["answer", "answer"]


@in_virtual_time
async def test_what_the_user_waits_for_goes_first(home: Home) -> None:
    patient, urgent = Question(), Question()
    waiting = begun(home.quiet.run(patient))
    await until(lambda: patient.running)
    hurried = begun(home.quiet.run(urgent, hurry=True))
    await until(lambda: urgent.running)
    assert patient.stopped == 1
    assert not patient.running
    urgent.answered.set()
    assert await hurried == "answer"
    patient.answered.set()
    assert await waiting == "answer"


@in_virtual_time
async def test_a_question_is_stopped_when_it_is_no_longer_allowed(home: Home) -> None:
    question = Question()
    answer = begun(home.quiet.run(question))
    await until(lambda: question.running)
    home.may[0] = False
    await until(lambda: question.stopped == 1)
    home.may[0] = True
    question.answered.set()
    assert await answer == "answer"


@in_virtual_time
async def test_an_error_is_the_askers(home: Home) -> None:
    async def fails() -> str:
        raise ValueError("no model")

    with pytest.raises(ValueError, match="no model"):
        await home.quiet.run(fails)
    question = Question()
    question.answered.set()
    assert await home.quiet.run(question) == "answer"
