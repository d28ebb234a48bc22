"""Adds, tests, removes and refreshes the user's appointment calendars, which are read from
iCalendar feeds (URLs or files).

Feeds are stored, so that a restart knows the user's schedule before the network is up; their
addresses are kept separately. This module decides when a feed is read and when a failure is shown
as a problem; fetching and parsing are behind `FeedReader`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from lull.contract.json_object import Json
from lull.core.calendars.event import Calendar, CalendarEvent, Meaning, remaining_events
from lull.core.calendars.feeds import (
    BusySpan,
    Feed,
    FeedReading,
    FeedSource,
    FeedUnreachable,
    Health,
    Validators,
    span_at,
)
from lull.core.errors import Conflict, LullError
from lull.core.ports import Clock, Ids, RandomNumbers
from lull.service.calendars.addresses import Addresses
from lull.service.calendars.requests import (
    BUSY_TIMES_DAYS,
    days_of,
    label_of,
    meaning_of,
    source_of,
)
from lull.service.calendars.views import feed_view, reading_view
from lull.service.process.problems import Problems
from lull.store.calendars.feeds import Feeds, no_such_feed

log = logging.getLogger(__name__)

LOOK_AT_FEEDS_EVERY_S = 60.0
"""Seconds between checks whether a feed is due for reading.

Also limits the delay after the machine wakes from sleep.
"""


class FeedReader(Protocol):
    """Interface that fetches and parses a calendar feed within seconds, whatever the feed contains,
    and distinguishes the URL of a feed from a file path.
    """

    def is_address(self, location: str) -> bool:
        """Return whether a feed's location is a URL rather than a file path."""

    def host_of(self, address: str) -> str:
        """Return the host of a calendar feed's secret address, the part that may be shown. Raises
        FeedError for an invalid address.
        """

    async def read(
        self, source: FeedSource, span: BusySpan, *, means: Meaning, marks: Validators
    ) -> FeedReading | None:
        """Read a calendar feed's events in a time span; return None if the feed has not changed
        since an earlier reading returned the HTTP validators `marks`.

        `means` says what the events mean: the user is away, or busy. Raises FeedUnreachable and
        FeedError, whose texts never contain the address.
        """


class Calendars:
    """Adds, removes and refreshes the user's calendar feeds, and returns their events."""

    def __init__(
        self,
        store: Feeds,
        reader: FeedReader,
        addresses: Addresses,
        *,
        clock: Clock,
        ids: Ids,
        coin: RandomNumbers,
        problems: Problems | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """The function `changed` is called after the known busy times have changed."""
        self._store = store
        self._reader = reader
        self._addresses = addresses
        self._clock = clock
        self._ids = ids
        self._coin = coin
        self._problems = problems
        self._changed = changed
        self._feeds: dict[str, Feed] | None = None
        self._one_at_a_time = asyncio.Lock()
        """Held while adding or removing, but not while reading a feed, which is slow."""
        self._look_now = asyncio.Event()
        self._ahead: tuple[datetime, tuple[Feed, ...], tuple[CalendarEvent, ...]] | None = None
        """Cached result of `upcoming`: when, for which feeds, and the events."""

    # Reading

    def events(self) -> tuple[CalendarEvent, ...]:
        """Return the events (times when the user is away or busy) of all calendar feeds that were
        read recently enough, sorted by start.

        Empty before `load` has read the stored feeds. Never blocks.
        """
        now = self._clock.now()
        found = [event for feed in self.feeds() for event in feed.events(now)]
        return tuple(sorted(found, key=lambda event: (event.start, event.end, event.feed)))

    def upcoming(self) -> tuple[CalendarEvent, ...]:
        """Return the calendar events that have not ended, sorted by start; touching events of one
        feed are merged.

        The list is cached for up to a minute, because the watch for idle times asks for it ten
        times a second.
        """
        now, feeds = self._clock.now(), self.feeds()
        if self._ahead is None or self._ahead[1] != feeds or not _just_now(self._ahead[0], now):
            self._ahead = (now, feeds, remaining_events(self.events(), now))
        return self._ahead[2]

    def calendars(self) -> tuple[Calendar, ...]:
        """Return the label of each calendar feed, and whether its events mean that the user is away
        or busy.

        For a feed that could not be read for too long, the result also says how many seconds ago it
        was last read (infinite if never). Never blocks.
        """
        now = self._clock.now()
        return tuple(
            Calendar(id=feed.id, label=feed.label, means=feed.means, unread_s=_unread_s(feed, now))
            for feed in self.feeds()
        )

    def feeds(self) -> tuple[Feed, ...]:
        """Return the calendar feeds that the user has added."""
        return tuple((self._feeds or {}).values())

    async def load(self) -> None:
        """Load the stored calendar feeds into memory; the other methods call this if needed."""
        if self._feeds is None:
            stored = await asyncio.to_thread(self._store.all)
            if self._feeds is None:
                self._feeds = {feed.id: feed for feed in stored}
                self._changed()

    async def list(self) -> Json:
        """Return the JSON of all calendar feeds and their state."""
        await self.load()
        now = self._clock.now()
        return {"calendars": [feed_view(feed, now) for feed in self.feeds()]}

    # User actions

    async def test(self, wanted: Json) -> Json:
        """Read a calendar feed once as a test and return the JSON of its events; save nothing.
        Raises FeedError, UsageError.
        """
        source = source_of(wanted, self._reader.is_address)
        means, days = meaning_of(wanted, Meaning.BUSY), days_of(wanted)
        return await try_feed(self._reader, source, means=means, days=days, clock=self._clock)

    async def add(self, wanted: Json) -> Json:
        """Add a calendar feed: read it once and save it if that works.

        Raises FeedError, SecretsError, UsageError, Conflict; nothing is saved then.
        """
        await self.load()
        began_s = self._clock.monotonic_s()
        source, means = source_of(wanted, self._reader.is_address), meaning_of(wanted)
        host = "" if source.is_file else self._reader.host_of(source.location)
        await self._not_twice(source, host)
        if not source.is_file:
            await self._addresses.ready()
        now = self._clock.now()
        read = await self._reader.read(source, span_at(now), means=means, marks=Validators())
        assert read is not None, "without marks a reading is always whole"
        async with self._one_at_a_time:
            taken = [feed.label for feed in self.feeds()]
            label = label_of(wanted, source, host, taken=taken)
            feed = await self._save(source, read, host=host, label=label, means=means)
        self._changed()
        week = BusySpan(start=now, end=now + timedelta(days=BUSY_TIMES_DAYS))
        took_s = self._clock.monotonic_s() - began_s
        shown = reading_view(overlapping(read.events, week), read.dropped, took_s=took_s)
        return {"calendar": feed_view(feed, now), **shown}

    async def remove(self, name: str) -> Json:
        """Remove a calendar feed by id or unique label.

        `problem` in the result says if its address could not be removed from the keychain. Raises
        NotFound.
        """
        await self.load()
        async with self._one_at_a_time:
            feed = self._named(name)
            left = await self._addresses.forget(feed.id) if feed.host else None
            await self._store.remove(feed.id)
            self._all().pop(feed.id, None)
        self._well_again(feed)
        self._changed()
        return {
            "removed": feed.id,
            **await self.list(),
            "problem": None if left is None else left.as_dict(),
        }

    async def _save(
        self, source: FeedSource, read: FeedReading, *, host: str, label: str, means: Meaning
    ) -> Feed:
        now = self._clock.now()
        feed = Feed(
            id=self._ids.new("cal"),
            label=label,
            host=host,
            path=source.location if source.is_file else "",
            means=means,
            private=source.private,
            added_at=now,
            tried_at=now,
            due=now,
        )
        feed = feed.after_success(_signed(read, feed), now=now, draw=self._coin.random())
        if not source.is_file:
            await self._addresses.keep(feed.id, source.location)
        try:
            await self._store.add(feed)
        except BaseException:
            # Also when cancelled: an address without a feed would stay in the keychain for ever.
            if not source.is_file:
                await self._addresses.forget(feed.id)
            raise
        self._all()[feed.id] = feed
        return feed

    async def _not_twice(self, source: FeedSource, host: str) -> None:
        for feed in self.feeds():
            same = source.is_file and feed.path == source.location
            if host and feed.host == host:
                with contextlib.suppress(LullError):
                    same = await self._addresses.get(feed.id) == source.location
            if same:
                raise Conflict(
                    f"This calendar is there already: {feed.label}.",
                    hint=f"`lull calendar remove {feed.id}` takes it out.",
                )

    # Refreshing

    async def keep_fresh(self) -> None:
        """Read each calendar feed when it is due, until cancelled."""
        await self.load()
        while True:
            await self.refresh_due()
            self._look_now.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AT_FEEDS_EVERY_S):
                    await self._look_now.wait()

    def look_now(self) -> None:
        """Check now which calendar feeds are due, because the machine woke or the network is
        back.
        """
        self._look_now.set()

    async def refresh_due(self) -> None:
        """Read the calendar feeds that are due, one after the other, which needs less memory."""
        await self.load()
        for feed in self.feeds():
            if feed.is_due(self._clock.now()) and feed.id in self._all():
                await self.refresh(feed.id)

    async def refresh(self, name: str) -> Json:
        """Read one calendar feed now; a failure is recorded in the feed's state. Raises
        NotFound.
        """
        await self.load()
        feed = self._named(name)
        now = self._clock.now()
        draw = self._coin.random()
        try:
            source = await self._source_of(feed)
            read = await self._reader.read(
                source, span_at(now), means=feed.means, marks=feed.cache_validators(now)
            )
        except LullError as error:
            after = feed.after_failure(error, now=now, draw=draw)
            self._tell_failure(after, error)
        else:
            signed = None if read is None else _signed(read, feed)
            after = feed.after_success(signed, now=now, draw=draw)
            self._well_again(after)
        if feed.id in self._all() and await self._store.keep(after):
            self._all()[feed.id] = after
            self._changed()
        return feed_view(after, now)

    async def _source_of(self, feed: Feed) -> FeedSource:
        if feed.path:
            return FeedSource(location=feed.path, is_file=True)
        return FeedSource(location=await self._addresses.get(feed.id), private=feed.private)

    def _well_again(self, feed: Feed) -> None:
        if self._problems is not None:
            self._problems.clear(_problem_key(feed))

    def _tell_failure(self, feed: Feed, error: LullError) -> None:
        """Report a failure, unless it is the network and the last copy still counts."""
        lost = feed.health(self._clock.now()) is Health.LOST
        if self._problems is None or (isinstance(error, FeedUnreachable) and not lost):
            log.info("the calendar %s was not read: %s", feed.id, error.detail)
            return
        words = type(error)(f"{feed.label}: {error.detail}", hint=error.hint)
        self._problems.report(_problem_key(feed), words)

    def _all(self) -> dict[str, Feed]:
        assert self._feeds is not None, "loaded before"
        return self._feeds

    def _named(self, name: str) -> Feed:
        found = self._all().get(name)
        labelled = [feed for feed in self.feeds() if feed.label == name]
        if found is None and len(labelled) == 1:
            found = labelled[0]
        if found is None:
            raise no_such_feed(name)
        return found


async def try_feed(
    reader: FeedReader, source: FeedSource, *, means: Meaning, days: int, clock: Clock
) -> Json:
    """Read a calendar feed once, for `lull calendar test`, and return the JSON of its events; save
    nothing.
    """
    began_s, now = clock.monotonic_s(), clock.now()
    span = BusySpan(start=now, end=now + timedelta(days=days))
    read = await reader.read(source, span, means=means, marks=Validators())
    assert read is not None, "without marks a reading is always whole"
    took_s = clock.monotonic_s() - began_s
    return reading_view(overlapping(read.events, span), read.dropped, took_s=took_s)


def overlapping(events: tuple[CalendarEvent, ...], span: BusySpan) -> list[CalendarEvent]:
    """Return those of the calendar events that overlap a time span."""
    return [event for event in events if event.start < span.end and event.end > span.start]


def _signed(read: FeedReading, feed: Feed) -> FeedReading:
    """Return the reading with the feed's id in each event."""
    return replace(read, events=tuple(replace(event, feed=feed.id) for event in read.events))


def _just_now(then: datetime, now: datetime) -> bool:
    return timedelta() <= now - then < timedelta(seconds=LOOK_AT_FEEDS_EVERY_S)


def _unread_s(feed: Feed, now: datetime) -> float | None:
    if feed.health(now) is not Health.LOST:
        return None
    age_s = feed.age_s(now)
    return float("inf") if age_s is None else age_s


def _problem_key(feed: Feed) -> str:
    return f"calendar {feed.id}"
