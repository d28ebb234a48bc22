"""The user's calendars, put together: real clock, real network, real keychain."""

from __future__ import annotations

import random
from collections.abc import Callable

from lull.backends.clock import SystemClock, TimeSortedIds
from lull.backends.ics_address import host_of, is_address
from lull.backends.ics_calendar import IcsCalendar
from lull.core.errors import LullError
from lull.core.ports import Clock, SecretStore
from lull.service.calendars import CalendarParts, Calendars, tried
from lull.service.problems import Problems
from lull.store.database import Database
from lull.store.feeds import Feeds

__all__ = ["calendars_of", "feed_reader", "is_address", "tried"]


def calendars_of(
    database: Database,
    *,
    clock: Clock,
    secrets: Callable[[], tuple[SecretStore, LullError | None]],
    problems: Problems | None,
    changed: Callable[[], None] = lambda: None,
) -> Calendars:
    """`secrets` blocks for seconds and is asked in a thread, when there is a feed to read."""
    return Calendars(
        CalendarParts(
            feeds=Feeds(database),
            reader=feed_reader(),
            host_of=host_of,
            is_address=is_address,
            secrets=secrets,
            clock=clock,
            ids=TimeSortedIds(),
            coin=random.SystemRandom(),
            problems=problems,
            changed=changed,
        )
    )


def feed_reader() -> IcsCalendar:
    return IcsCalendar()


def system_clock() -> SystemClock:
    return SystemClock()
