"""Builds the part that reads the user's busy times from calendars of appointments, with the real
clock, network and keychain.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from lull.backends.calendars.calendar import IcsCalendar
from lull.backends.system.clock import SystemClock, TimeSortedIds
from lull.core.ports import Clock
from lull.service.calendars.addresses import Addresses, OpensSecrets
from lull.service.calendars.calendars import Calendars, try_feed
from lull.service.process.problems import Problems
from lull.store.calendars.feeds import Feeds
from lull.store.sqlite.database import Database

__all__ = ["calendars_of", "feed_reader", "try_feed"]


def calendars_of(
    database: Database,
    *,
    clock: Clock,
    secrets: OpensSecrets,
    problems: Problems | None,
    changed: Callable[[], None] = lambda: None,
) -> Calendars:
    """Build the part of a service that reads from the user's calendars when the user is busy.

    `changed` is called after the known busy times have changed.
    """
    return Calendars(
        Feeds(database),
        feed_reader(),
        Addresses(secrets),
        clock=clock,
        ids=TimeSortedIds(),
        coin=random.SystemRandom(),
        problems=problems,
        changed=changed,
    )


def feed_reader() -> IcsCalendar:
    """Make the part that fetches and parses calendars."""
    return IcsCalendar()


def system_clock() -> SystemClock:
    """Return the system's clock."""
    return SystemClock()
