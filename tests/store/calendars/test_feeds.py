"""Tests of the table of calendar feeds: what is stored comes back, and what is gone stays gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lull.core.calendars.event import CalendarEvent, Meaning
from lull.core.calendars.feeds import (
    EntryKind,
    Feed,
    FeedCopy,
    OmissionReason,
    OmittedEntries,
    Validators,
)
from lull.core.errors import NotFound
from lull.store.calendars.feeds import Feeds
from tests.building import opened

AT = datetime(2026, 11, 23, 3, tzinfo=UTC)
COPY = FeedCopy(
    read_at=AT,
    events=(
        CalendarEvent(start=AT, end=AT + timedelta(hours=1), kind=Meaning.BUSY, feed="feed_1"),
    ),
    dropped=(OmittedEntries(what=EntryKind.EVENT, why=OmissionReason.FREE, n=2),),
    marks=Validators(etag='"a"'),
)
FEED = Feed(
    id="feed_1",
    label="Work",
    host="calendar.test",
    path="",
    means=Meaning.BUSY,
    private=True,
    added_at=AT,
    tried_at=AT,
    due=AT + timedelta(minutes=15),
)


@pytest.fixture
def feeds(tmp_path: Path) -> Iterator[Feeds]:
    with opened(tmp_path / "lull.db") as database:
        yield Feeds(database)


async def test_a_feed_comes_back_as_it_was_stored_with_and_without_a_copy(feeds: Feeds) -> None:
    await feeds.add(FEED)
    assert feeds.all() == [FEED]
    fetched = replace(FEED, seen_at=AT, copy=COPY)
    failed = replace(fetched, failures=2, fault={"title": "It failed.", "detail": "", "hint": ""})
    for changed in (fetched, failed, fetched):
        assert await feeds.keep(changed)
        assert feeds.all() == [changed]


async def test_feeds_stand_in_the_order_in_which_they_were_added(feeds: Feeds) -> None:
    later = replace(FEED, id="feed_0", added_at=AT + timedelta(seconds=1))
    await feeds.add(later)
    await feeds.add(FEED)
    assert [feed.id for feed in feeds.all()] == ["feed_1", "feed_0"]


async def test_what_was_fetched_for_a_removed_feed_does_not_bring_it_back(feeds: Feeds) -> None:
    await feeds.add(FEED)
    await feeds.remove(FEED.id)
    assert not await feeds.keep(replace(FEED, copy=COPY))
    assert feeds.all() == []
    with pytest.raises(NotFound):
        await feeds.remove(FEED.id)
