"""Tests of when the next step of training is searched for, and what a search waits for."""

from __future__ import annotations

import asyncio
import threading

import pytest

from lull.core.events import EventKind
from lull.loops.training import training_job
from lull.loops.training.training_job import wait_until_readable
from tests.eventually import stands, until
from tests.loops.night_house import NightHouse


async def test_only_an_event_that_may_change_the_material_is_followed_by_a_search(
    house: NightHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_job, "DEBOUNCE_S", 0.0)
    searching = asyncio.create_task(house.job.keep_searching())
    await until(
        lambda: len(house.told_problems.told) == 1
    )  # a search says whether there is a problem
    for kind in (EventKind.LULL, EventKind.TRAINING, EventKind.PROBLEM):
        house.job.heard(kind)
    await stands()
    await house.job.search_now()  # one at a time: one that had begun is over now
    assert len(house.told_problems.told) == 1
    for number, kind in enumerate((EventKind.TURN_RECORDED, EventKind.LABEL), 2):
        house.job.heard(kind)
        await until(lambda number=number: len(house.told_problems.told) == number)
    searching.cancel()
    await asyncio.gather(searching, return_exceptions=True)


def test_a_search_waits_for_what_is_being_written_and_for_the_memory() -> None:
    done: list[str] = []

    class Memory(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            done.append("memory")
            return super().wait(timeout)

    memory = Memory()
    memory.set()
    wait_until_readable(lambda: done.append("written"), memory)
    assert done == ["written", "memory"]


def test_a_memory_that_does_not_open_is_not_waited_for_forever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(training_job, "MEMORY_S", 0.01)
    wait_until_readable(lambda: None, threading.Event())
