"""Tests of reading hostile calendars over real HTTPS: what they cost, and what is kept of them.

Each takes at most ten seconds of processor time and 512 MB, the good meeting in it is kept, the
service goes on meanwhile, and one clear line says what was wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from pathlib import Path

import psutil
import pytest

from lull.backends.calendars.calendar import IcsCalendar
from lull.backends.calendars.fetch import FeedFetch
from lull.core.calendars.event import Meaning
from lull.core.calendars.feeds import FeedError, FeedReading, FeedSource, Validators
from tests.backends.calendars.certificates import Certificate
from tests.backends.calendars.conftest import berlin
from tests.backends.calendars.hostile_contents import CONTENTS, MANY, Content
from tests.backends.calendars.hostile_servers import PATH, SERVERS, Server
from tests.backends.calendars.server import CalendarServer, answer
from tests.backends.calendars.texts import MEETING_AT, SPAN
from tests.eventually import PATIENCE_S

pytestmark = pytest.mark.full

MOST_MB = 512
TURNS = 5
"""Turns that other tasks of the event loop must get before a held answer goes on."""

HELD = """
import sys
with open(sys.argv[1], "rb") as door:
    door.read()
from lull.backends.calendars import child
sys.exit(child.main())
"""
"""The calendar reader's child, which first waits until the test closes the pipe `door`."""


async def read(reader: IcsCalendar, url: str) -> FeedReading:
    source = FeedSource(location=url, private=True)
    found = await reader.read(source, SPAN, means=Meaning.AWAY, marks=Validators())
    assert found is not None
    return found


async def unhindered(work: asyncio.Task[FeedReading], door: Path) -> int:
    """Let the waiting child go on after `TURNS` turns of other tasks; return peak memory in bytes.

    A reader that blocked the event loop would never be let go.
    """
    turns, most, me = 0, 0, psutil.Process()
    held: int | None = None
    while not work.done():
        await asyncio.sleep(0.01)
        most = max(most, me.memory_info().rss)
        if held is None:
            with contextlib.suppress(OSError):  # the child does not wait there yet
                held = os.open(door, os.O_WRONLY | os.O_NONBLOCK)
        elif turns < TURNS:
            turns += 1
            if turns == TURNS:
                os.close(held)
    assert turns == TURNS, "the reader came, and waited"
    return most


@pytest.fixture
def door(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "door")
    return tmp_path / "door"


@pytest.fixture
def waiting(certificate: Certificate, door: Path) -> IcsCalendar:
    """A calendar reader like `reader`, whose child first waits at the named pipe `door`."""
    return IcsCalendar(
        FeedFetch(tls=certificate.trusted()),
        environ=berlin(),
        command=(sys.executable, "-c", HELD, str(door)),
        within_s=PATIENCE_S,
    )


def test_the_set_is_large_enough() -> None:
    names = [str(one) for one in (*CONTENTS, *SERVERS)]
    assert len(names) == len(set(names)) >= 100


@pytest.mark.parametrize("content", CONTENTS, ids=str)
async def test_a_hostile_calendar_loses_only_what_is_bad(
    content: Content, server: CalendarServer, waiting: IcsCalendar, door: Path
) -> None:
    url = server.serve(PATH, answer(content.body(), Content_Type="text/calendar"))
    before = psutil.Process().memory_info().rss
    work = asyncio.create_task(read(waiting, url))
    most = await unhindered(work, door)
    found = await work
    assert 0 < found.peak_mb < MOST_MB
    assert most - before < 150 << 20, "a calendar is held, never unfolded, by the service"
    times = {(event.start.isoformat(), event.end.isoformat()) for event in found.events}
    assert MEETING_AT in times
    assert all(event.kind is Meaning.AWAY for event in found.events)
    left = [(one.what.value, one.why.value) for one in found.dropped]
    assert len(left) == len(set(left)) <= 5
    for what, why in content.left_out:
        assert any(what in w and why in y for w, y in left), left
    if not content.left_out:
        slow = {
            (w, y) for w, y in left if any(w == what and why in y for what, why in content.if_slow)
        }
        assert set(left) == slow


@pytest.mark.parametrize("hostile", SERVERS, ids=str)
async def test_a_hostile_server_is_refused_in_one_clear_line(
    hostile: Server,
    server: CalendarServer,
    reader: IcsCalendar,
    hasty: IcsCalendar,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    url = hostile.install(server)
    server.held.clear()
    work = asyncio.create_task(read(hasty if hostile.slow else reader, url))
    while not server.connections and not work.done():  # noqa: ASYNC110 - of another thread
        await asyncio.sleep(0)
    for _ in range(TURNS):
        await asyncio.sleep(0)
    server.held.set()  # a fetch that blocked the event loop would never be answered
    with pytest.raises(FeedError) as caught:
        await work
    error = caught.value
    line = str(error)
    assert hostile.says in line
    assert "\n" not in line and len(line) < 300
    assert PATH not in line + caplog.text and str(server.port) not in line
    assert error.__cause__ is None and error.__suppress_context__


STARVED = """
import resource
from lull.backends.calendars import busy, child, text
with open("/proc/self/statm") as statm:
    has = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (has + (1 << 20), has + (1 << 20)))
child.main()
"""
"""The calendar reader's child, limited to one megabyte more memory than it already uses."""


@pytest.mark.skipif(sys.platform != "linux", reason="limits itself as Linux does")
@pytest.mark.parametrize(
    "dies", [STARVED, "import os; os.kill(os.getpid(), 9)"], ids=["starved", "killed"]
)
async def test_a_reader_without_memory_is_said_and_the_next_one_reads(
    server: CalendarServer, reader: IcsCalendar, certificate: Certificate, dies: str
) -> None:
    (content,) = [one for one in CONTENTS if one.name == "five thousand events"]
    url = server.serve(PATH, answer(content.body()))
    starved = IcsCalendar(
        FeedFetch(tls=certificate.trusted()),
        environ=berlin(),
        command=(sys.executable, "-c", dies),
        within_s=PATIENCE_S,
    )
    with pytest.raises(FeedError, match="ran out of memory or time") as caught:
        await read(starved, url)
    assert "\n" not in str(caught.value) and PATH not in str(caught.value)
    assert (await read(reader, url)).events


async def test_five_thousand_events_are_all_there(
    server: CalendarServer, reader: IcsCalendar
) -> None:
    (content,) = [one for one in CONTENTS if one.name == "five thousand events"]
    found = await read(reader, server.serve("/feed", answer(content.body())))
    starts = {event.start for event in found.events}
    assert len(starts) > MANY * 0.9, "those before the span began are not asked for"


async def test_the_slowest_server_is_left_after_six_seconds_of_the_service_s_own_patience(
    server: CalendarServer, as_served: IcsCalendar
) -> None:
    (drip,) = [one for one in SERVERS if one.name == "the body drips"]
    with pytest.raises(FeedError, match="did not send it within 6 s"):
        await read(as_served, drip.install(server))
