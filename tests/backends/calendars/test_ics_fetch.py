"""Tests of fetching calendars over HTTP and HTTPS: which addresses are asked, and what is sent.

The answers here are honest; those of hostile servers are in test_hostile_feeds.py.
"""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import sys
from collections.abc import Iterator

import pytest

from lull.backends.calendars.address import host_of
from lull.backends.calendars.answer import MOST_CALENDAR_BYTES
from lull.backends.calendars.fetch import DownloadedFeed, FeedFetch, look_up
from lull.core.calendars.feed_address import AddressKind, IpAddress, classify_address
from lull.core.calendars.feeds import FeedError, FeedUnreachable, Validators
from tests.backends.calendars.certificates import Certificate, make
from tests.backends.calendars.server import CalendarServer, answer, calendar_server, redirect
from tests.eventually import PATIENCE_S

CALENDAR = b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"
SECRET = "/feed/key-4711.ics"

two_loopbacks = pytest.mark.skipif(
    sys.platform == "darwin", reason="127.0.0.2 is not set up on macOS"
)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def server(certificate: Certificate) -> Iterator[CalendarServer]:
    with calendar_server(certificate) as made:
        made.serve(SECRET, answer(CALENDAR))
        yield made


@pytest.fixture
def plain() -> Iterator[CalendarServer]:
    """A calendar server like `server`, but over plain HTTP."""
    with calendar_server(None) as made:
        made.serve(SECRET, answer(CALENDAR))
        yield made


@pytest.fixture
def fetch(certificate: Certificate) -> FeedFetch:
    return FeedFetch(tls=certificate.trusted())


async def got(
    fetch: FeedFetch, url: str, *, private: bool = True, marks: Validators | None = None
) -> DownloadedFeed | None:
    asked = marks or Validators()
    return await fetch.get(url, private=private, marks=asked, within_s=PATIENCE_S)


# Addresses


@pytest.mark.parametrize(
    "address",
    [
        *("https://", "https:///x.ics", "https://host:0/x", "https://host:99999/x", "https://[::1"),
        *(
            "https://ho st/x",
            "https://host/x\r\nX: y",
            "https://host/\0",
            "https://good\\@evil/x",
            "https://1.2.3.4.5/",
        ),
        *("https://127.1/", "https://0x7f000001/", "https://2130706433/", "https://0177.0.0.1/"),
        *("file:///etc/passwd", "ftp://host/x", "gopher://host/", "data:text/calendar,x"),
        *("https://me@host/x", "https://me:hunter2@host/x", "https://:@host/x", "https://@host/x"),
        "https://host/" + "x" * 5000,
    ],
)
async def test_what_is_no_address_is_refused_unasked_and_not_repeated(
    fetch: FeedFetch, address: str
) -> None:
    with pytest.raises(FeedError) as caught:
        await got(fetch, address)
    assert not isinstance(caught.value, FeedUnreachable)
    assert len(str(caught.value)) < 250
    for part in ("hunter2", "me@", "passwd", "xxxx", "2130706433"):
        assert part not in str(caught.value)


def test_only_the_host_of_an_address_is_shown() -> None:
    assert host_of("webcal://Calendar.Example.org/private-1/basic.ics?k=v#f") == (
        "calendar.example.org"
    )
    assert host_of("https://example.org:8443/x") == "example.org:8443"
    assert host_of("https://[2606:4700::1]:8443/x") == "[2606:4700::1]:8443"


async def test_webcal_is_https(fetch: FeedFetch, server: CalendarServer) -> None:
    for scheme in ("webcal", "WebCal", "webcals"):
        found = await got(fetch, server.url(SECRET).replace("https", scheme, 1))
        assert found is not None and found.body == CALENDAR


# Where it lies


ADDRESSES: list[tuple[str, AddressKind]] = [
    *((one, AddressKind.PUBLIC) for one in ("8.8.8.8", "2606:4700::1", "::ffff:8.8.8.8")),
    *((one, AddressKind.PUBLIC) for one in ("64:ff9b::808:808", "2002:808:808::1")),
    *((one, AddressKind.PRIVATE) for one in ("127.0.0.1", "127.9.9.9", "10.0.0.1", "::1")),
    *((one, AddressKind.PRIVATE) for one in ("172.16.0.1", "192.168.1.1", "100.64.0.1")),
    *((one, AddressKind.PRIVATE) for one in ("fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1")),
    *((one, AddressKind.FORBIDDEN) for one in ("169.254.169.254", "169.254.0.1", "fe80::1%1")),
    *(
        (one, AddressKind.FORBIDDEN)
        for one in ("::ffff:169.254.169.254", "fd00:ec2::254", "fd00:ec2::254%eth0")
    ),
    *((one, AddressKind.FORBIDDEN) for one in ("64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1")),
    *((one, AddressKind.FORBIDDEN) for one in ("0.0.0.0", "::", "224.0.0.1", "ff02::1")),
    *((one, AddressKind.FORBIDDEN) for one in ("255.255.255.255", "240.0.0.1", "192.0.2.1")),
    *((one, AddressKind.FORBIDDEN) for one in ("192.0.0.8", "198.18.0.1", "::a00:1", "4000::1")),
    *((one, AddressKind.FORBIDDEN) for one in ("2001:db8::1", "100.100.100.200", "fec0::1")),
    *((one, AddressKind.FORBIDDEN) for one in ("168.63.129.16", "fd20:ce::254")),
    *(("168.63.129.17", AddressKind.PUBLIC), ("fd20:ce::253", AddressKind.PRIVATE)),
    *((one, AddressKind.FORBIDDEN) for one in ("198.51.100.9", "203.0.113.9", "198.19.255.255")),
    *((one, AddressKind.FORBIDDEN) for one in ("192.88.99.1", "239.255.255.255", "0.255.1.1")),
    *((one, AddressKind.FORBIDDEN) for one in ("192.0.0.9", "192.0.0.171", "2001::1")),
    *((one, AddressKind.FORBIDDEN) for one in ("2001:1ff::1", "3fff::1", "3fff:fff:ffff::1")),
    *((one, AddressKind.FORBIDDEN) for one in ("100::1", "64:ff9b:1::808:808", "5f00::1")),
    *((one, AddressKind.FORBIDDEN) for one in ("2002:c000:201::1", "2002:e000:1::1")),
    *((one, AddressKind.PRIVATE) for one in ("2002:7f00:1::1", "2002:a00:1::1", "fdff::1")),
    # The addresses next to every private block, as no block may be too wide.
    *((one, AddressKind.PUBLIC) for one in ("1.0.0.0", "9.255.255.255", "11.0.0.0", "126.1.1.1")),
    *((one, AddressKind.PUBLIC) for one in ("128.0.0.1", "100.63.255.255", "100.128.0.0")),
    *((one, AddressKind.PUBLIC) for one in ("169.253.255.255", "169.255.0.0", "172.15.255.255")),
    *((one, AddressKind.PUBLIC) for one in ("172.32.0.1", "191.255.255.255", "192.0.1.0")),
    *((one, AddressKind.PUBLIC) for one in ("192.0.3.0", "192.88.98.1", "192.88.100.1")),
    *((one, AddressKind.PUBLIC) for one in ("192.167.255.255", "192.169.0.0", "198.17.255.255")),
    *((one, AddressKind.PUBLIC) for one in ("198.20.0.0", "198.51.99.1", "198.51.101.1")),
    *((one, AddressKind.PUBLIC) for one in ("203.0.112.1", "203.0.114.1", "223.255.255.255")),
    *((one, AddressKind.PUBLIC) for one in ("192.31.196.1", "192.52.193.1", "192.175.48.1")),
    *((one, AddressKind.PUBLIC) for one in ("2000::1", "2001:200::1", "2001:db7::1")),
    *((one, AddressKind.PUBLIC) for one in ("2001:db9::1", "2003::1", "2620:4f:8000::1")),
    *((one, AddressKind.PUBLIC) for one in ("3ffe:ffff::1", "3fff:1000::1", "2002:b00:1::1")),
]


def test_addresses_and_what_hides_in_them(subtests: pytest.Subtests) -> None:
    for address, expected in ADDRESSES:
        with subtests.test(address=address, expected=expected):
            assert classify_address(ipaddress.ip_address(address)) is expected


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_this_machine_is_asked_only_with_its_owner_s_word(
    fetch: FeedFetch, server: CalendarServer, host: str
) -> None:
    with pytest.raises(FeedError, match="on this machine or a private network") as caught:
        await got(fetch, server.url(SECRET, host), private=False)
    assert "--private" in caught.value.hint
    assert server.connections == 0, "it was not even connected to"
    found = await got(fetch, server.url(SECRET, host))
    assert found is not None and found.body == CALENDAR


async def test_metadata_is_never_asked(fetch: FeedFetch) -> None:
    for host in ("169.254.169.254", "[fd00:ec2::254]", "[fe80::1]", "0.0.0.0"):
        with pytest.raises(FeedError, match="reads no calendars from"):
            await got(fetch, f"https://{host}/latest/")


async def test_one_bad_address_spoils_a_name(
    certificate: Certificate, server: CalendarServer
) -> None:
    for found in (["8.8.8.8", "127.0.0.1"], ["127.0.0.1", "169.254.169.254"], []):

        async def resolve(_: str, __: int, found: list[str] = found) -> list[str]:
            return found

        fetch = FeedFetch(tls=certificate.trusted(), resolve=resolve)
        with pytest.raises(FeedError):
            await got(fetch, server.url(SECRET, "calendar.test"), private="169" in "".join(found))
    assert server.connections == 0


async def test_a_name_that_changes_its_mind_gains_nothing(
    certificate: Certificate, server: CalendarServer
) -> None:
    answers = [["127.0.0.1"], ["169.254.169.254"], ["169.254.169.254"]]
    asked: list[str] = []

    async def resolve(host: str, _: int) -> list[str]:
        asked.append(host)
        return answers[len(asked) - 1]

    fetch = FeedFetch(tls=certificate.trusted(), resolve=resolve)
    found = await got(fetch, server.url(SECRET, "calendar.test"))
    assert found is not None
    assert asked == ["calendar.test"], "a name is looked up once for what is judged and connected"
    assert server.asked[0].headers["host"] == f"calendar.test:{server.port}"
    with pytest.raises(FeedError, match="reads no calendars from"):
        await got(fetch, server.url(SECRET, "calendar.test"))


async def test_a_name_that_nobody_answers_may_come_back(certificate: Certificate) -> None:
    async def resolve(_: str, __: int) -> list[str]:
        raise OSError("no such host: calendar.test")

    with pytest.raises(FeedUnreachable, match="could not be looked up"):
        await got(FeedFetch(tls=certificate.trusted(), resolve=resolve), "https://calendar.test/x")


async def test_a_name_server_that_hangs_costs_no_more_than_the_rest(
    certificate: Certificate,
) -> None:
    async def resolve(_: str, __: int) -> list[str]:
        await asyncio.Event().wait()
        raise AssertionError

    fetch = FeedFetch(tls=certificate.trusted(), resolve=resolve)
    with pytest.raises(FeedUnreachable, match="did not send it within"):
        await fetch.get("https://calendar.test/x", private=False, marks=Validators(), within_s=0.2)


# Without TLS, and with the wrong one


async def test_plain_http_is_for_private_addresses_that_were_ticked(
    fetch: FeedFetch, plain: CalendarServer
) -> None:
    with pytest.raises(FeedError, match="private network"):
        await got(fetch, plain.url(SECRET), private=False)
    found = await got(fetch, plain.url(SECRET))
    assert found is not None and found.body == CALENDAR
    for private in (True, False):
        with pytest.raises(FeedError, match="not encrypted"):
            await got(fetch, "http://8.8.8.8/x.ics", private=private)


@pytest.mark.parametrize("wrong", ["another name", "nobody's", "over"])
async def test_a_certificate_must_be_right(
    wrong: str, certificate: Certificate, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made, trusted = certificate, certificate.trusted()
    if wrong == "nobody's":
        made = make(tmp_path_factory.mktemp("other"))
    elif wrong == "over":
        made = make(tmp_path_factory.mktemp("over"), days=-1)
        trusted = made.trusted()
    host = "other.test" if wrong == "another name" else "calendar.test"

    async def resolve(_: str, __: int) -> list[str]:
        return ["127.0.0.1"]

    with calendar_server(made) as server:
        server.serve(SECRET, answer(CALENDAR))
        with pytest.raises(FeedError, match="certificate can't be trusted") as caught:
            await got(FeedFetch(tls=trusted, resolve=resolve), server.url(SECRET, host))
        assert "4711" not in str(caught.value)
        assert server.asked == [], "nothing was asked, so nothing was given away"


# Elsewhere


async def test_three_redirects_are_followed_and_each_is_asked_without_the_last_one_s_address(
    fetch: FeedFetch, server: CalendarServer
) -> None:
    server.serve("/1", redirect("/2", "301 Moved Permanently"))
    server.serve("/2", redirect(server.url("/3"), "307 Temporary Redirect"))
    server.serve("/3", redirect(server.url(SECRET, "localhost"), "308 Permanent Redirect"))
    found = await got(fetch, server.url("/1"))
    assert found is not None and found.body == CALENDAR
    assert all("referer" not in one.headers for one in server.asked)
    assert all("cookie" not in one.headers for one in server.asked)


@two_loopbacks
async def test_a_stranger_cannot_point_at_the_user_s_own_network(certificate: Certificate) -> None:
    def judge(address: IpAddress) -> AddressKind:
        """Classify addresses as usual, except that 127.0.0.2 plays a server on the open network."""
        return AddressKind.PUBLIC if str(address) == "127.0.0.2" else classify_address(address)

    fetch = FeedFetch(tls=certificate.trusted(), judge=judge)
    with (
        calendar_server(certificate) as home,
        calendar_server(certificate, address="127.0.0.2") as stranger,
    ):
        home.serve(SECRET, answer(CALENDAR))
        home.serve("/away", redirect(stranger.url(SECRET)))
        stranger.serve(SECRET, answer(CALENDAR))
        stranger.serve("/in", redirect(home.url(SECRET)))
        for private in (True, False):
            with pytest.raises(FeedError, match="It redirects to a server"):
                await got(fetch, stranger.url("/in"), private=private)
        assert home.connections == 0
        assert (await got(fetch, stranger.url(SECRET), private=False)) is not None
        assert (await got(fetch, home.url("/away"))) is not None, "outwards is no harm"


# What is sent and what comes


async def test_the_marks_of_one_answer_are_sent_with_the_next_question(
    fetch: FeedFetch, server: CalendarServer
) -> None:
    when = "Sat, 21 Nov 2026 08:00:00 GMT"
    url = server.serve("/1", answer(CALENDAR, ETag='W/"v1"', Last_Modified=when))
    first = await got(fetch, url)
    assert first is not None
    assert first.marks == Validators(etag='W/"v1"', last_modified=when)
    assert "if-none-match" not in server.asked[0].headers
    server.serve("/1", answer(status="304 Not Modified"))
    assert await got(fetch, url, marks=first.marks) is None
    sent = server.asked[1].headers
    assert (sent["if-none-match"], sent["if-modified-since"]) == ('W/"v1"', when)
    assert sent["accept-encoding"] == "gzip"
    assert sent["user-agent"].startswith("Lull/")


async def test_a_mark_that_could_not_be_sent_back_is_forgotten(
    fetch: FeedFetch, server: CalendarServer
) -> None:
    for mark in ("x" * 1000, "\xe9t\xe9", ""):
        found = await got(fetch, server.serve("/1", answer(CALENDAR, ETag=mark)))
        assert found is not None and found.marks == Validators()


async def test_packed_calendars_are_unpacked(fetch: FeedFetch, server: CalendarServer) -> None:
    body = CALENDAR * 1000
    url = server.serve("/1", answer(gzip.compress(body), Content_Encoding="gzip"))
    found = await got(fetch, url)
    assert found is not None and found.body == body


@pytest.mark.parametrize("more", [0, 1])
async def test_the_largest_calendar_is_ten_megabytes_packed_or_not(
    fetch: FeedFetch, server: CalendarServer, more: int
) -> None:
    body = b"x" * (MOST_CALENDAR_BYTES + more)
    for url in (
        server.serve("/1", answer(body)),
        server.serve("/2", answer(gzip.compress(body, 1), Content_Encoding="gzip")),
    ):
        if more:
            with pytest.raises(FeedError, match="larger than 10 MB"):
                await got(fetch, url)
        else:
            found = await got(fetch, url)
            assert found is not None and found.body == body


async def test_a_server_says_when_it_may_be_asked_again(
    fetch: FeedFetch, server: CalendarServer
) -> None:
    for said, seconds in (("120", 120.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0), ("soon", None)):
        url = server.serve("/1", answer(status="503 Busy", Retry_After=said))
        with pytest.raises(FeedUnreachable) as caught:
            await got(fetch, url)
        assert caught.value.retry_after_s == seconds


async def test_the_system_s_own_resolver_knows_this_machine() -> None:
    found = await look_up("localhost", 443)
    assert found
    assert {classify_address(ipaddress.ip_address(one)) for one in found} == {AddressKind.PRIVATE}
