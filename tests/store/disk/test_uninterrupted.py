"""Tests of work that must not be cut in half: it is completed even when its caller is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from lull.core.errors import StoreError
from lull.store.disk.uninterrupted import uninterrupted


class Slow:
    """Work that ends only when a test says so."""

    def __init__(self, end: Callable[[], str] = lambda: "done") -> None:
        self.begun, self.go_on, self.ended = asyncio.Event(), asyncio.Event(), False
        self._end = end

    async def work(self) -> str:
        self.begun.set()
        await self.go_on.wait()
        self.ended = True
        return self._end()


def falls(error: Exception) -> Callable[[], str]:
    def fall() -> str:
        raise error

    return fall


async def passes(task: Awaitable[object]) -> bool:
    """Return whether a task ends without having to wait for anything."""
    for _ in range(20):
        await asyncio.sleep(0)
    return asyncio.ensure_future(task).done()


async def test_the_result_and_the_error_are_those_of_the_work() -> None:
    slow, bad = Slow(), Slow(falls(StoreError("it is full.", hint="Make room.")))
    slow.go_on.set()
    bad.go_on.set()
    assert await uninterrupted(slow.work()) == "done"
    with pytest.raises(StoreError, match="it is full"):
        await uninterrupted(bad.work())


@pytest.mark.parametrize("times", [1, 3])
async def test_who_is_cancelled_waits_for_the_end(times: int) -> None:
    slow = Slow()
    task = asyncio.create_task(uninterrupted(slow.work()))
    await slow.begun.wait()
    for _ in range(times):
        task.cancel()
        assert not await passes(task)
    slow.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert slow.ended


@pytest.mark.logs("work that nobody waits for any more failed")
async def test_an_error_that_nobody_waits_for_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    for error in (StoreError("it is full.", hint="Make room."), ValueError("a fault")):
        slow = Slow(falls(error))
        task = asyncio.create_task(uninterrupted(slow.work()))
        await slow.begun.wait()
        task.cancel()
        slow.go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert slow.ended
    assert "it was not done: The database cannot be used: it is full" in caplog.text
    assert "a fault" in caplog.text


async def test_work_that_is_itself_cancelled_ends_so() -> None:
    """Tests work that is itself cancelled, as happens when the event loop ends."""
    slow = Slow()
    work = asyncio.create_task(slow.work())

    async def wait() -> str:
        return await work

    waiting = asyncio.create_task(uninterrupted(wait()))
    await slow.begun.wait()
    waiting.cancel()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not slow.ended
