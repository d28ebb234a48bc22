"""Tests of the user's calendars over time: added, kept fresh, lost, back again and removed.

They use a real store, a real server and a clock that is moved by hand.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from lull.backends.calendars.calendar import IcsCalendar
from lull.backends.system.secret_fallbacks import EnvironmentSecrets, FileSecrets, MemorySecrets
from lull.backends.system.secrets import KeychainSecrets, open_secret_store
from lull.core.calendars.event import CalendarEvent, Meaning
from lull.core.calendars.feeds import COPY_COUNTS_FOR_S, FEED_INTERVAL_S, FeedError
from lull.core.errors import Conflict, LullError, NotFound, SecretsError, UsageError
from lull.core.ports import SecretStore
from lull.service.calendars.addresses import Addresses
from lull.service.calendars.calendars import Calendars
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.store.calendars.feeds import Feeds
from lull.store.chat.event_log import EventLog
from tests.backends.calendars.server import CalendarServer, answer
from tests.backends.calendars.texts import MEETING, MEETING_AT, calendar, daily
from tests.backends.system.test_secrets import (  # noqa: F401 - fixtures
    LockedKeychain,
    gnome_keyring,
    session_bus,
    short_folder,
)
from tests.building import database_at
from tests.doubles.fakes import FakeClock, FakeCoin, FakeIds
from tests.eventually import PATIENCE_S, eventually, until

SECRET = "key-4711"
PATH = f"/private-{SECRET}/basic.ics"
WHY = SecretsError("There is no keychain to use here.", hint="Install one.")

Change = Callable[[], Awaitable[object]]


Opening = Callable[[], tuple[SecretStore, LullError | None]]


class Desk:
    """The calendars of one home; `restart` opens them again from what was stored."""

    def __init__(self, home: Path, reader: IcsCalendar) -> None:
        self.home = home
        self.clock, self.ids = FakeClock(), FakeIds()
        self.reader = reader
        self.kept: SecretStore = FileSecrets(home / "secrets.json")
        self.worry: LullError | None = None
        self.opening: Opening = lambda: (self.kept, self.worry)
        self.waiting: Opening | None = None
        self.opened = 0
        self.changes = 0
        self.database = database_at(home / "lull.db")
        self.bus = EventBus(EventLog(self.database), self.clock)
        self.problems = Problems(self.bus)
        self.calendars = self._made()

    def _made(self) -> Calendars:
        return Calendars(
            Feeds(self.database),
            self.reader,
            Addresses(self),
            clock=self.clock,
            ids=self.ids,
            coin=FakeCoin(),
            problems=self.problems,
            changed=self._changed,
        )

    def restart(self) -> None:
        self.calendars = self._made()

    async def add(self, location: str, **more: object) -> dict:
        wanted = {"location": location, "means": "away", "private": True, **more}
        return await self.calendars.add(wanted)

    async def listed(self) -> list[dict]:
        return (await self.calendars.list())["calendars"]

    async def only(self) -> dict:
        (one,) = await self.listed()
        return one

    def times(self) -> list[tuple[str, str]]:
        return [(e.start.isoformat(), e.end.isoformat()) for e in self.calendars.events()]

    def open(self, *, wait: bool = False) -> tuple[SecretStore, LullError | None]:
        """Implements OpensSecrets."""
        if wait and self.waiting is not None:
            return self.waiting()
        self.opened += 1
        return self.opening()

    def _changed(self) -> None:
        self.changes += 1


@pytest.fixture
def desk(tmp_path: Path, reader: IcsCalendar) -> Iterator[Desk]:
    desk = Desk(tmp_path, reader)
    yield desk
    desk.bus.close()
    desk.database.close()


@pytest.fixture
def url(server: CalendarServer) -> str:
    return server.serve(PATH, answer(calendar(MEETING), ETag='"v1"'))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "work.ics"
    path.write_bytes(calendar(MEETING))
    return path


# Adding


async def test_a_feed_is_read_before_it_is_kept(desk: Desk, url: str) -> None:
    done = await desk.add(url, label="Work")
    assert desk.times() == [MEETING_AT]
    one = done["calendar"]
    assert {k: one[k] for k in ("label", "means", "private", "health", "problem", "ahead")} == {
        "label": "Work",
        "means": "away",
        "private": True,
        "health": "fresh",
        "problem": None,
        "ahead": 1,
    }
    (event,) = desk.calendars.events()
    assert event.feed == one["id"] and event.kind is Meaning.AWAY
    assert done["events"][0]["kind"] == "away"
    assert desk.changes >= 1


@pytest.mark.logs("no longer at this address")
async def test_the_address_lies_in_the_secret_store_and_nowhere_else(
    desk: Desk, url: str, caplog: pytest.LogCaptureFixture, server: CalendarServer
) -> None:
    caplog.set_level(logging.DEBUG)
    done = await desk.add(url)
    server.serve(PATH, answer(status="410 Gone"))
    desk.clock.advance(FEED_INTERVAL_S * 2)
    await desk.calendars.refresh_due()
    desk.database.flush()
    assert desk.kept.get(f"calendar.{done['calendar']['id']}") == url
    shown = json.dumps([done, await desk.calendars.list()])
    files = [path for path in desk.home.iterdir() if path.name.startswith("lull.db")]
    assert len(files) >= 1
    for told in (shown, caplog.text, repr(desk.calendars.feeds()), desk.problems.current()):
        assert SECRET not in str(told)
    assert all(SECRET.encode() not in path.read_bytes() for path in files)
    assert "127.0.0.1" in shown, "the host is shown"


@pytest.mark.parametrize("kept", [MemorySecrets(), EnvironmentSecrets({})], ids=lambda s: s.kind)
async def test_without_a_keychain_an_address_is_refused_in_words_and_never_asked(
    desk: Desk, url: str, server: CalendarServer, kept: SecretStore
) -> None:
    desk.kept, desk.worry = kept, WHY
    with pytest.raises(SecretsError, match="no keychain to use here") as caught:
        await desk.add(url)
    assert "secrets.file_fallback" in caught.value.hint
    assert SECRET not in str(caught.value)
    assert server.asked == [] and await desk.listed() == []


async def test_a_locked_keychain_is_waited_for_while_the_user_types_its_password(
    desk: Desk, url: str, tmp_path: Path
) -> None:
    keychain = LockedKeychain()

    def opened(within_s: float) -> tuple[SecretStore, LullError | None]:
        return open_secret_store(
            service="lull",
            file=tmp_path / "none",
            file_fallback=False,
            environ={},
            keychain=lambda: keychain,
            within_s=within_s,
        )

    desk.opening, desk.waiting = (lambda: opened(0.0)), (lambda: opened(PATIENCE_S))
    desk.restart()
    adding = asyncio.ensure_future(desk.add(url))
    await asyncio.to_thread(eventually, lambda: keychain.asked, bool)
    assert not adding.done() and keychain.asked == 1
    keychain.unlocked.set()
    # From here on it answers at once, however busy the machine is.
    desk.opening = desk.waiting
    await adding
    assert SECRET in str(keychain.entries)


async def test_a_file_needs_no_keychain(desk: Desk, file: Path) -> None:
    desk.kept, desk.worry = MemorySecrets(), WHY
    await desk.add(str(file))
    desk.restart()
    desk.clock.advance(FEED_INTERVAL_S * 2)
    await desk.calendars.refresh_due()
    assert desk.times() == [MEETING_AT]
    assert desk.opened == 0
    assert (await desk.only())["label"] == "work.ics"


async def test_what_cannot_be_read_is_not_kept(desk: Desk, server: CalendarServer) -> None:
    url = server.serve(PATH, answer(b"<html>"))
    with pytest.raises(FeedError, match="web page"):
        await desk.add(url)
    assert await desk.listed() == []
    assert not (desk.home / "secrets.json").exists()


async def test_a_calendar_is_followed_once(desk: Desk, url: str, file: Path) -> None:
    await desk.add(url)
    await desk.add(str(file))
    for location in (url, str(file)):
        with pytest.raises(Conflict, match="there already"):
            await desk.add(location)
    assert len(await desk.listed()) == 2


async def test_two_feeds_of_one_host_are_told_apart(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    first = await desk.add(url)
    second = await desk.add(server.serve("/other.ics", answer(calendar(daily()))), means="busy")
    host = f"127.0.0.1:{server.port}"
    labels = [done["calendar"]["label"] for done in (first, second)]
    assert labels == [host, f"{host} (2)"]
    kinds = {event.kind for event in desk.calendars.events()}
    assert kinds == {Meaning.AWAY, Meaning.BUSY}


@pytest.mark.full
@pytest.mark.parametrize(
    "wanted",
    [
        {"location": ""},
        {"location": 7},
        {"location": "relative.ics"},
        {"means": "maybe"},
        {"means": None},
        {"label": "https://example.org/key-4711"},
        {"label": "\x1b[2J"},
    ],
)
async def test_what_is_asked_wrongly_is_said_and_not_repeated(
    desk: Desk, url: str, wanted: dict
) -> None:
    with pytest.raises(UsageError) as caught:
        await desk.add(**{"location": url, **wanted})
    assert SECRET not in str(caught.value) and "\x1b" not in str(caught.value)
    assert await desk.listed() == []


# Keeping fresh


async def test_a_feed_is_asked_again_after_half_an_hour_more_or_less(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    await desk.add(url)
    desk.clock.advance(FEED_INTERVAL_S * 0.9 - 1)
    await desk.calendars.refresh_due()
    assert len(server.asked) == 1
    desk.clock.advance(FEED_INTERVAL_S * 0.2 + 1)
    await desk.calendars.refresh_due()
    await desk.calendars.refresh_due()
    assert len(server.asked) == 2
    assert server.asked[1].headers["if-none-match"] == '"v1"'


async def test_an_unchanged_feed_is_fresh_and_read_anew_twice_a_day(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    await desk.add(url)
    unchanged, whole = answer(status="304 Not Modified"), server.answers[PATH]
    server.serve(PATH, lambda c: (unchanged if "if-none-match" in c.headers else whole)(c))
    hours = 0
    while len([one for one in server.asked if "if-none-match" not in one.headers]) < 2:
        desk.clock.advance(3600)
        hours += 1
        await desk.calendars.refresh_due()
        assert (await desk.only())["health"] == "fresh"
        assert desk.times() == [MEETING_AT]
    assert 11 <= hours <= 13


async def test_the_copy_counts_for_a_day_and_its_age_is_shown(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    await desk.add(url)
    server.serve(PATH, answer(status="500 No"))
    for hour in range(1, 25):
        desk.clock.advance(3600)
        await desk.calendars.refresh_due()
        one = await desk.only()
        assert (one["health"], one["age_s"]) == ("old", hour * 3600)
        assert one["problem"]["title"] == "The calendar cannot be reached"
        assert desk.times() == [MEETING_AT]
        assert desk.problems.current() == [], "a server may be away for a while"
    desk.clock.advance(COPY_COUNTS_FOR_S - 24 * 3600 + 1)
    assert (await desk.only())["health"] == "lost"
    assert desk.times() == []


@pytest.mark.logs("The calendar cannot be")
async def test_a_lost_feed_is_a_problem_until_it_is_back(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    await desk.add(url, label="Work")
    whole = server.answers[PATH]
    server.serve(PATH, answer(status="500 No"))
    desk.clock.advance(COPY_COUNTS_FOR_S + 60)
    await desk.calendars.refresh_due()
    (problem,) = desk.problems.current()
    assert problem["detail"].startswith("Work: ")
    server.serve(PATH, whole)
    desk.clock.advance(3600)
    await desk.calendars.refresh_due()
    assert desk.problems.current() == []
    assert (await desk.only())["health"] == "fresh"


@pytest.mark.logs("no longer at this address")
async def test_an_address_that_was_changed_is_a_problem_at_once(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    await desk.add(url)
    server.serve(PATH, answer(status="410 Gone"))
    for _ in range(3):
        desk.clock.advance(FEED_INTERVAL_S * 1.2)
        await desk.calendars.refresh_due()
    (problem,) = desk.problems.current()
    assert "copy it again" in problem["hint"]
    assert desk.times() == [MEETING_AT], "the copy counts all the same"


async def test_what_may_pass_is_tried_again_soon_and_then_less_often(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    await desk.add(url)
    server.serve(PATH, answer(status="503 Busy"))
    desk.clock.advance(FEED_INTERVAL_S * 1.2)
    waits = []
    for _ in range(8):
        await desk.calendars.refresh_due()
        (feed,) = desk.calendars.feeds()
        waits.append((feed.due - desk.clock.now()).total_seconds())
        desk.clock.at = feed.due
    doubled = [60 * 2**n for n in range(5)] + [FEED_INTERVAL_S] * 3
    for wait, expected in zip(waits, doubled, strict=True):
        assert 0.9 * expected <= wait <= 1.1 * expected


@pytest.mark.parametrize(
    ("said", "least_s", "most_s"),
    [("7200", 6480, 7920), ("1", 54, 66), ("9999999", 0.9 * 86400, 1.1 * 86400)],
)
async def test_a_server_is_not_asked_before_it_wishes(
    desk: Desk, url: str, server: CalendarServer, said: str, least_s: float, most_s: float
) -> None:
    await desk.add(url)
    server.serve(PATH, answer(status="429 Too Many", Retry_After=said))
    desk.clock.advance(FEED_INTERVAL_S * 1.2)
    await desk.calendars.refresh_due()
    (feed,) = desk.calendars.feeds()
    assert least_s <= (feed.due - desk.clock.now()).total_seconds() <= most_s


async def test_a_clock_that_was_set_back_makes_no_feed_wait(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    desk.clock.advance(365 * 86400)
    await desk.add(url)
    desk.clock.at -= timedelta(days=365)
    await desk.calendars.refresh_due()
    assert len(server.asked) == 2
    assert desk.times() == [MEETING_AT]


async def test_a_restart_knows_what_was_known_without_any_network(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    await desk.add(url)
    desk.restart()
    assert desk.calendars.events() == ()
    await desk.calendars.load()
    assert desk.times() == [MEETING_AT]
    assert len(server.asked) == 1
    desk.clock.advance(FEED_INTERVAL_S * 1.2)
    await desk.calendars.refresh_due()
    assert len(server.asked) == 2, "the address came back from the secret store"


async def test_the_loop_reads_what_is_due_and_may_be_told_to_look(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    await desk.add(url)
    loop = asyncio.create_task(desk.calendars.keep_fresh())
    try:
        await asyncio.sleep(0)
        desk.clock.advance(FEED_INTERVAL_S * 1.2)
        while len(server.asked) < 2:
            desk.calendars.look_now()
            await asyncio.sleep(0.01)
    finally:
        loop.cancel()
        await asyncio.gather(loop, return_exceptions=True)


async def test_what_the_watch_weighs_follows_the_clock_and_the_feeds(
    desk: Desk, file: Path
) -> None:
    def weighed() -> list[tuple[str, str]]:
        return [(e.start.isoformat(), e.end.isoformat()) for e in desk.calendars.upcoming()]

    assert weighed() == []
    await desk.add(str(file), file=True)
    assert weighed() == [MEETING_AT]
    desk.clock.advance(3 * 86400)
    assert weighed() == [], "the meeting is over"
    desk.clock.at -= timedelta(days=3)
    assert weighed() == [MEETING_AT], "the clock was set back"
    (feed,) = desk.calendars.feeds()
    await desk.calendars.remove(feed.id)
    assert weighed() == []


# Keychains


@pytest.mark.logs("did not answer within")
async def test_a_locked_keychain_costs_the_address_and_not_the_copy(desk: Desk, url: str) -> None:
    await desk.add(url)
    desk.restart()
    locked = LockedKeychain()
    desk.kept = KeychainSecrets("Lull (test)", lambda: locked, within_s=0.1)
    desk.clock.advance(FEED_INTERVAL_S * 1.2)
    await desk.calendars.refresh_due()
    locked.unlocked.set()
    one = await desk.only()
    assert one["health"] == "old" and one["problem"]["title"] == SecretsError.title
    assert desk.times() == [MEETING_AT]


async def test_a_keychain_that_locks_itself_at_night_is_not_needed_again(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    await desk.add(url)
    locked = LockedKeychain()
    desk.kept = KeychainSecrets("Lull (test)", lambda: locked, within_s=0.1)
    desk.clock.advance(FEED_INTERVAL_S * 1.2)
    await desk.calendars.refresh_due()
    assert len(server.asked) == 2 and locked.asked == 0


async def test_the_real_keychain_keeps_an_address(
    desk: Desk,
    url: str,
    server: CalendarServer,
    gnome_keyring: Callable[..., None],  # noqa: F811
) -> None:
    gnome_keyring(unlocked=True)
    desk.kept, desk.worry = open_secret_store(
        service="Lull (test)",
        file=desk.home / "none.json",
        file_fallback=False,
        environ={},
        within_s=PATIENCE_S,
    )
    assert desk.kept.kind == "keychain"
    done = await desk.add(url)
    desk.restart()
    desk.clock.advance(FEED_INTERVAL_S * 1.2)
    await desk.calendars.refresh_due()
    assert len(server.asked) == 2
    name = f"calendar.{done['calendar']['id']}"
    assert KeychainSecrets("Lull (test)").get(name) == url
    await desk.calendars.remove(done["calendar"]["id"])
    assert KeychainSecrets("Lull (test)").get(name) is None
    assert not (desk.home / "secrets.json").exists()


# Removing


async def test_a_removed_calendar_is_forgotten_with_its_address(desk: Desk, url: str) -> None:
    done = await desk.add(url, label="Work")
    gone = await desk.calendars.remove("Work")
    assert gone == {"removed": done["calendar"]["id"], "calendars": [], "problem": None}
    assert SECRET not in (desk.home / "secrets.json").read_text()
    assert desk.times() == []
    with pytest.raises(NotFound, match="calendar list"):
        await desk.calendars.remove("Work")
    desk.restart()
    assert await desk.listed() == []


async def test_a_calendar_goes_also_where_its_address_cannot_be_taken_out(
    desk: Desk, url: str
) -> None:
    done = await desk.add(url)
    desk.restart()
    desk.kept, desk.worry = MemorySecrets(), WHY
    gone = await desk.calendars.remove(done["calendar"]["id"])
    assert "may still be in the keychain" in gone["problem"]["detail"]
    assert await desk.listed() == []


async def test_a_calendar_that_is_removed_while_it_is_read_stays_removed(
    desk: Desk, url: str, server: CalendarServer
) -> None:
    done = await desk.add(url)
    held, whole = threading.Event(), server.answers[PATH]

    def late(connection: object) -> None:
        held.wait()
        whole(connection)  # type: ignore[arg-type]

    server.serve(PATH, late)
    reading = asyncio.create_task(desk.calendars.refresh(done["calendar"]["id"]))
    await until(lambda: len(server.asked) >= 2)
    await desk.calendars.remove(done["calendar"]["id"])
    held.set()
    await reading
    assert await desk.listed() == [] and desk.times() == []
    desk.restart()
    assert await desk.listed() == []


# Events


def test_an_event_ends_after_it_begins_and_says_its_zone() -> None:
    clock = FakeClock().at
    with pytest.raises(ValueError, match="ends after"):
        CalendarEvent(start=clock, end=clock, kind=Meaning.BUSY)
    with pytest.raises(ValueError, match="aware"):
        CalendarEvent(start=clock.replace(tzinfo=None), end=clock, kind=Meaning.BUSY)
