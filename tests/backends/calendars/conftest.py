from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from lull.backends.calendars.calendar import IcsCalendar
from lull.backends.calendars.fetch import FeedFetch
from tests.backends.calendars.certificates import Certificate, make
from tests.backends.calendars.server import CalendarServer, calendar_server
from tests.eventually import PATIENCE_S


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def server(certificate: Certificate) -> Iterator[CalendarServer]:
    with calendar_server(certificate) as made:
        yield made


@pytest.fixture
def reader(certificate: Certificate) -> IcsCalendar:
    """A calendar reader that trusts the test's certificate, in Berlin, with a long time limit.

    The limit suits a slow machine. What a hostile calendar may cost is bounded all the same: the
    child process has only so many seconds of processor time.
    """
    fetch = FeedFetch(tls=certificate.trusted())
    return IcsCalendar(fetch, environ=berlin(), within_s=PATIENCE_S)


@pytest.fixture
def as_served(certificate: Certificate) -> IcsCalendar:
    """A calendar reader like `reader`, but with the service's own time limit."""
    return IcsCalendar(FeedFetch(tls=certificate.trusted()), environ=berlin())


@pytest.fixture
def hasty(certificate: Certificate) -> IcsCalendar:
    """A calendar reader like `reader`, but with 1.5 s, for servers that never finish an answer."""
    fetch = FeedFetch(tls=certificate.trusted())
    return IcsCalendar(fetch, environ=berlin(), within_s=1.5)


def berlin() -> dict[str, str]:
    return {**os.environ, "TZ": "Europe/Berlin"}
