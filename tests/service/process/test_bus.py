"""Tests of the event bus: watchers get all that they missed, once; slow ones are dropped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lull.core.events import Event, EventKind
from lull.service.process.bus import QUEUE_LENGTH, RECENT_EVENTS, EventBus
from lull.store.chat.event_log import EventLog
from lull.store.sqlite.database import Database
from tests.building import database_at
from tests.doubles.fakes import FakeClock


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = database_at(tmp_path / "lull.db")
    yield made
    made.close()


@pytest.fixture
def bus(database: Database) -> EventBus:
    return EventBus(EventLog(database), FakeClock())


async def first(bus: EventBus, count: int, *, after: int) -> list[int]:
    seen: list[int] = []
    async with bus.watching(after=after) as events:
        async for event in events:
            seen.append(event.seq)
            if len(seen) == count:
                break
    return seen


def tell(bus: EventBus, count: int) -> None:
    for _ in range(count):
        bus.tell(EventKind.SETTINGS)


async def test_numbers_grow_by_one_and_nothing_is_missed(bus: EventBus) -> None:
    tell(bus, 3)
    async with bus.watching(after=1) as events:
        tell(bus, 2)
        assert [(await anext(events)).seq for _ in range(4)] == [2, 3, 4, 5]


async def test_what_is_not_on_disk_yet_is_not_missed(bus: EventBus) -> None:
    tell(bus, 50)  # the writer may not have begun
    assert await first(bus, 50, after=0) == list(range(1, 51))


async def test_a_long_absence_is_made_up_for(bus: EventBus, database: Database) -> None:
    tell(bus, RECENT_EVENTS + 1500)
    database.flush()
    count = RECENT_EVENTS + 1500
    assert await first(bus, count, after=0) == list(range(1, count + 1))


async def test_a_restart_goes_on_counting(bus: EventBus, database: Database) -> None:
    tell(bus, 1200)
    database.flush()
    again = EventBus(EventLog(database), FakeClock())
    assert again.last == 1200
    tell(again, 1)
    assert await first(again, 1201, after=0) == list(range(1, 1202))


async def test_a_number_from_the_future_means_from_now_on(bus: EventBus) -> None:
    tell(bus, 5)
    async with bus.watching(after=900) as events:
        tell(bus, 1)
        assert (await anext(events)).seq == 6


async def test_a_slow_watcher_loses_its_place_and_can_come_back(bus: EventBus) -> None:
    async with bus.watching(after=0) as events:
        tell(bus, QUEUE_LENGTH + 100)
        seen: list[Event] = [event async for event in events]
    assert seen[0].seq == 1
    last = seen[-1].seq
    rest = QUEUE_LENGTH + 100 - last
    if rest:
        assert await first(bus, rest, after=last) == list(range(last + 1, QUEUE_LENGTH + 101))


async def test_closing_ends_every_watch(bus: EventBus) -> None:
    async with bus.watching(after=0) as events, bus.watching(after=0) as others:
        tell(bus, 1)
        bus.close()
        assert [event.seq async for event in events] == [1]
        assert [event.seq async for event in others] == [1]
    async with bus.watching(after=0) as late:
        assert [event.seq async for event in late] == [1]
