"""Tests of the supervisor: a background task that fails is restarted, later each time.

While it fails it is listed among the problems.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lull.core.errors import StoreError
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.service.process.supervisor import STEADY_S, Supervisor
from lull.store.chat.event_log import EventLog
from tests.building import database_at
from tests.doubles.fakes import FakeClock


@dataclass(slots=True)
class Sleeper:
    """A stand-in for `asyncio.sleep` that waits on the fake clock."""

    clock: FakeClock
    waits: list[float] = field(default_factory=list)
    due: list[tuple[float, asyncio.Future[None]]] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        if seconds != STEADY_S:
            self.waits.append(seconds)
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.due.append((self.clock.passed_s + seconds, future))
        await future

    async def pass_time(self, seconds: float) -> None:
        await settled()
        self.clock.advance(seconds)
        for at, future in self.due:
            if at <= self.clock.passed_s and not future.done():
                future.set_result(None)
        await settled()


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.fixture
def problems(tmp_path: Path) -> Iterator[Problems]:
    database = database_at(tmp_path / "lull.db")
    yield Problems(EventBus(EventLog(database), FakeClock()))
    database.close()


@pytest.fixture
def sleeper() -> Sleeper:
    return Sleeper(FakeClock())


@pytest.mark.logs("the job failed", "Something went wrong: A background task failed")
async def test_it_is_restarted_later_each_time_and_then_left(
    problems: Problems, sleeper: Sleeper
) -> None:
    runs = 0

    async def faulty() -> None:
        nonlocal runs
        runs += 1
        raise ValueError("what a user wrote")

    supervisor = Supervisor(problems, sleeper.clock, sleep=sleeper.sleep)
    kept = asyncio.create_task(supervisor.keep("the job", faulty))
    for _ in range(10):
        await sleeper.pass_time(60)
    await kept
    assert sleeper.waits == [1, 2, 4, 8, 16]
    assert runs == 6
    (problem,) = problems.current()
    assert problem["detail"] == "A background task failed (the job): ValueError."
    assert problem["hint"] == "It stays off until Lull is started again. See `lull logs`."
    assert "what a user wrote" not in str(problem)


@pytest.mark.logs("the job failed", "The database cannot be used: the disk is full")
async def test_what_somebody_can_mend_is_tried_until_it_is_and_said_once(
    problems: Problems, sleeper: Sleeper, caplog: pytest.LogCaptureFixture
) -> None:
    room, end = False, asyncio.Event()

    async def writes() -> None:
        if not room:
            raise StoreError("the disk is full.", hint="Make room.")
        await end.wait()

    supervisor = Supervisor(problems, sleeper.clock, sleep=sleeper.sleep)
    kept = asyncio.create_task(supervisor.keep("the job", writes))
    for _ in range(30):
        await sleeper.pass_time(60)
    assert sleeper.waits == [1, 2, 4, 8, 16, *[60] * 26]
    assert [p["hint"] for p in problems.current()] == ["Make room."]
    assert len([r for r in caplog.records if r.levelname in ("WARNING", "ERROR")]) == 2
    room = True
    await sleeper.pass_time(60)
    await sleeper.pass_time(STEADY_S)
    assert problems.current() == []
    end.set()
    await kept


@pytest.mark.logs("the job failed", "The database cannot be used: it is locked")
async def test_the_problem_goes_when_the_job_has_run_for_a_while(
    problems: Problems, sleeper: Sleeper
) -> None:
    runs = 0
    end = asyncio.Event()

    async def falls_once() -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            raise StoreError("it is locked.", hint="Wait.")
        await end.wait()

    supervisor = Supervisor(problems, sleeper.clock, sleep=sleeper.sleep)
    kept = asyncio.create_task(supervisor.keep("the job", falls_once))
    await sleeper.pass_time(1)
    assert runs == 2
    assert [p["detail"] for p in problems.current()] == ["it is locked."], "not well yet"
    await sleeper.pass_time(STEADY_S)
    assert problems.current() == []
    end.set()
    await kept


@pytest.mark.logs("the job failed", "Something went wrong: A background task failed")
async def test_falls_of_long_ago_count_no_more(problems: Problems, sleeper: Sleeper) -> None:
    async def faulty() -> None:
        raise ValueError

    supervisor = Supervisor(problems, sleeper.clock, sleep=sleeper.sleep)
    kept = asyncio.create_task(supervisor.keep("the job", faulty))
    for _ in range(8):
        await sleeper.pass_time(700)
    assert set(sleeper.waits) == {1.0}
    kept.cancel()
    await asyncio.gather(kept, return_exceptions=True)


async def test_a_job_that_returns_is_done(problems: Problems, sleeper: Sleeper) -> None:
    async def fine() -> None:
        await asyncio.sleep(0)

    await Supervisor(problems, sleeper.clock, sleep=sleeper.sleep).keep("the job", fine)
    assert problems.current() == []


async def test_cancelling_cancels_the_job(problems: Problems, sleeper: Sleeper) -> None:
    cancelled = asyncio.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    supervisor = Supervisor(problems, sleeper.clock, sleep=sleeper.sleep)
    kept = asyncio.create_task(supervisor.keep("the job", endless))
    await settled()
    kept.cancel()
    await asyncio.gather(kept, return_exceptions=True)
    assert cancelled.is_set()
    assert problems.current() == []
