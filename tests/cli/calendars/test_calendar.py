"""Tests of `lull calendar` as a person and as a script would use it.

They use the real program, a real server with a throw-away certificate, and the control socket over
a real store.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from lull.backends.calendars.calendar import IcsCalendar
from lull.backends.calendars.fetch import FeedFetch
from lull.backends.system.secret_fallbacks import FileSecrets, MemorySecrets
from lull.core.errors import LullError, SecretsError
from lull.core.ports import SecretStore
from lull.service.answers.answering import Answering
from lull.service.calendars.addresses import Addresses
from lull.service.calendars.calendars import Calendars
from lull.service.calendars.routes import calendar_routes
from lull.store.calendars.feeds import Feeds
from tests.backends.calendars.certificates import Certificate, make
from tests.backends.calendars.server import CalendarServer, Connection, answer, calendar_server
from tests.backends.calendars.texts import calendar, event
from tests.desk import Desk
from tests.doubles.fakes import FakeCoin
from tests.eventually import PATIENCE_S
from tests.running import Lull, Ran

SECRET = "key-4711"
PATH = f"/private-{SECRET}/basic.ics"


def coming(hours: float, lasts_h: float = 1, *lines: str) -> bytes:
    """Return a calendar event that begins so many hours from now."""
    start = datetime.now(UTC).replace(microsecond=0, minute=0, second=0) + timedelta(hours=hours)
    end = start + timedelta(hours=lasts_h)
    form = "%Y%m%dT%H%M%SZ"
    return event(f"DTSTART:{start:{form}}", f"DTEND:{end:{form}}", *lines)


TWO_DAYS = calendar(
    coming(24),
    coming(48, 3),
    coming(24 * 20),
    coming(30, 1, "TRANSP:TRANSPARENT"),
    coming(2, 1, "RRULE:FREQ=SECONDLY"),
)


class OpenedStore:
    """Opens the secret store that a test has set; implements OpensSecrets."""

    def __init__(self, desk: CalendarDesk) -> None:
        self._desk = desk

    def open(self, *, wait: bool = False) -> tuple[SecretStore, LullError | None]:
        return self._desk.secrets, self._desk.worry


class CalendarDesk(Desk):
    """A control socket whose calendars trust the test's certificate."""

    def __init__(self, home: Path, certificate: Certificate) -> None:
        super().__init__(home)
        self.secrets: SecretStore = FileSecrets(self.paths.secrets)
        self.worry: LullError | None = None
        self.clock.at = datetime.now(UTC)
        self.calendars = Calendars(
            Feeds(self.stores.database),
            IcsCalendar(FeedFetch(tls=certificate.trusted())),
            Addresses(OpenedStore(self)),
            clock=self.clock,
            ids=self.ids,
            coin=FakeCoin(),
        )

    def _groups(self, answering: Answering) -> list[list[web.RouteDef]]:
        return [*super()._groups(answering), calendar_routes(self.calendars, answering)]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def server(certificate: Certificate) -> Iterator[CalendarServer]:
    with calendar_server(certificate) as made:
        made.serve(PATH, answer(TWO_DAYS))
        yield made


@pytest.fixture
def service(lull: Lull, certificate: Certificate) -> Iterator[CalendarDesk]:
    with CalendarDesk(lull.home, certificate).open() as desk:
        assert isinstance(desk, CalendarDesk)
        yield desk


@pytest.fixture
def trusting(certificate: Certificate) -> dict[str, str]:
    return {"SSL_CERT_FILE": str(certificate.file)}


def ran(lull: Lull, *words: str, code: int = 0, **more: Any) -> Ran:
    done = lull.run("calendar", *words, **more)
    assert done.code == code, done
    assert SECRET not in done.out + done.err
    if code:
        assert len(done.err.strip().splitlines()) == 1
    return done


# Trying one out


@pytest.mark.full
def test_a_calendar_is_tried_out_without_a_service_and_nothing_is_saved(
    lull: Lull, server: CalendarServer, trusting: dict[str, str]
) -> None:
    words = ("test", server.url(PATH), "--private", "--json")
    read = ran(lull, *words, env=trusting).json
    assert set(read) >= {"events", "dropped", "took_s"}
    assert [set(one) for one in read["events"]] == [{"start", "end", "kind"}] * 2
    first, second = read["events"]
    starts = [datetime.fromisoformat(one["start"]) for one in (first, second)]
    assert starts[1] - starts[0] == timedelta(days=1)
    assert first["kind"] == "busy"
    assert all(set(one) == {"what", "why", "n"} for one in read["dropped"])
    assert {(one["what"], one["n"]) for one in read["dropped"]} == {("event", 1), ("series", 1)}
    assert read["took_s"] > 0
    assert not lull.home.exists()


@pytest.mark.full
def test_times_are_local_and_days_are_counted_from_now(
    lull: Lull, server: CalendarServer, trusting: dict[str, str]
) -> None:
    for zone, offset in (("Asia/Tokyo", "+09:00"), ("UTC", "+00:00")):
        env = {**trusting, "TZ": zone}
        words = ("test", server.url(PATH), "--private", "--days", "1", "--json")
        (one,) = ran(lull, *words, env=env).json["events"]
        assert one["start"].endswith(offset) and one["end"].endswith(offset)
    more = ran(lull, *words[:-3], "--days", "30", "--json", env=env).json
    assert len(more["events"]) == 3


def test_people_see_one_line_for_each_stretch_and_each_reason(
    lull: Lull, server: CalendarServer, trusting: dict[str, str]
) -> None:
    lines = ran(lull, "test", server.url(PATH), "--private", env=trusting).out.splitlines()
    assert len(lines) == 5
    assert all("–" in line and line.endswith("busy") for line in lines[:2])
    assert "2 busy stretches in the coming 7 days" in lines[2]
    assert "Nothing was saved" in lines[2]
    assert lines[3:] == [
        "left out: 1 × event: marked as free",
        "left out: 1 × series: repeats more often than daily",
    ]


def test_a_file_is_tried_out_by_its_path(lull: Lull, tmp_path: Path) -> None:
    (tmp_path / "my calendar.ics").write_bytes(TWO_DAYS)
    read = ran(lull, "test", str(tmp_path / "my calendar.ics"), "--means", "away", "--json").json
    assert [one["kind"] for one in read["events"]] == ["away", "away"]
    gone = ran(lull, "test", str(tmp_path / "none.ics"), code=1)
    assert "The file cannot be read" in gone.err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["test", "http://example.org/key-4711"], 1, ""),
        (["test", "https://127.0.0.1/key-4711"], 1, "--private"),
        (["test", "https://me:key-4711@example.org/"], 1, "before its @"),
        (["test", "ftp://example.org/key-4711"], 1, "Only https"),
        (["test"], 2, "URL|FILE"),
        (["test", "x.ics", "--days", "0"], 2, "at least 1"),
        (["test", "x.ics", "--days", "99999"], 2, "from 1 to"),
        (["test", "x.ics", "https://example.org/key-4711"], 2, "not understood"),
        (["add", "https://example.org/key-4711"], 2, "--means"),
        (["add", "x.ics", "--means", "https://example.org/key-4711"], 2, "--means"),
        (["add", "https://example.org/key-4711", "--means", "away"], 3, "not running"),
        (["remove", "cal_1"], 3, "not running"),
        (["remove"], 2, "ID"),
        (["sync"], 2, "calendar --help"),
    ],
)
def test_what_goes_wrong_is_one_line_that_never_holds_the_address(
    lull: Lull, words: list[str], code: int, says: str
) -> None:
    done = ran(lull, *words, "--json", code=code)
    assert says in done.err
    assert set(done.json["error"]) == {"title", "detail", "hint"}


@pytest.mark.full
@pytest.mark.skipif(
    not Path("/proc/self/cmdline").exists(), reason="only on macOS there is no /proc"
)
def test_the_address_is_not_among_the_arguments_of_what_runs(
    lull: Lull, server: CalendarServer, trusting: dict[str, str]
) -> None:
    arguments: list[str] = []

    def look(connection: Connection) -> None:
        arguments.extend(_arguments_of_all())
        answer(TWO_DAYS)(connection)

    server.serve(PATH, look)
    words = ("calendar", "test", server.url(PATH), "--private", "--json")
    done = lull.run(*words, env=trusting, anew=True)
    assert len(done.json["events"]) == 2
    own = [line for line in arguments if "calendar" in line and "--private" in line]
    assert own, "the command itself was seen"
    assert not [line for line in arguments if SECRET in line]


def _arguments_of_all() -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # no process, or one that has ended
            continue
    return found


def test_an_address_may_come_on_standard_input(
    lull: Lull, server: CalendarServer, trusting: dict[str, str]
) -> None:
    words = ("test", "-", "--private", "--json")
    read = ran(lull, *words, stdin=server.url(PATH) + "\n", env=trusting).json
    assert len(read["events"]) == 2
    assert "no address" in ran(lull, *words, stdin="", code=2).err


# Following


def test_a_calendar_is_added_listed_and_removed(
    lull: Lull, service: CalendarDesk, server: CalendarServer
) -> None:
    assert "No calendars" in ran(lull, "list").out
    added = ran(lull, "add", server.url(PATH), "--means", "away", "--private", "--json").json
    one = added["calendar"]
    assert (one["means"], one["private"], one["health"]) == ("away", True, "fresh")
    assert one["host"] == f"127.0.0.1:{server.port}"
    assert len(added["events"]) == 2 and added["events"][0]["kind"] == "away"
    assert set(added) >= {"events", "dropped", "took_s"}
    (listed,) = ran(lull, "list", "--json").json["calendars"]
    assert {**listed, "age_s": 0} == {**one, "age_s": 0}
    text = ran(lull, "list").out
    assert one["id"] in text and "fresh" in text and f"127.0.0.1:{server.port}/…" in text
    assert "left out: 1 × series" in text
    again = ran(lull, "add", server.url(PATH), "--means", "busy", "--private", code=1)
    assert "there already" in again.err
    assert f"Removed {one['id']}." in ran(lull, "remove", one["id"]).out
    assert ran(lull, "list", "--json").json == {"calendars": []}
    assert "calendar list" in ran(lull, "remove", one["id"], code=1).err


def test_a_calendar_is_listed_without_a_service(
    lull: Lull, certificate: Certificate, server: CalendarServer
) -> None:
    assert ran(lull, "list", "--json").json == {"calendars": []}
    with CalendarDesk(lull.home, certificate).open():
        ran(lull, "add", server.url(PATH), "--means", "busy", "--private", "--label", "Work")
    (one,) = ran(lull, "list", "--json").json["calendars"]
    assert (one["label"], one["means"]) == ("Work", "busy")


def test_without_a_keychain_that_is_said_and_nothing_is_kept(
    lull: Lull, service: CalendarDesk, server: CalendarServer
) -> None:
    service.secrets = MemorySecrets()
    service.worry = SecretsError("There is no keychain to use here.", hint="Install one.")
    words = ("add", server.url(PATH), "--means", "away", "--private")
    refused = ran(lull, *words, code=1)
    assert refused.err.startswith("lull: The keychain cannot be used: ")
    assert "secrets.file_fallback" in refused.err
    assert ran(lull, "list", "--json").json == {"calendars": []}


@pytest.mark.full
def test_a_file_is_followed_by_its_whole_path(
    lull: Lull, service: CalendarDesk, tmp_path: Path
) -> None:
    (tmp_path / "work.ics").write_bytes(TWO_DAYS)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "lull.cli.main"),
            *("calendar", "add", "work.ics", "--means", "busy", "--json"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=lull.environment({"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}),
        timeout=PATIENCE_S,
    )
    one = json.loads(done.stdout)["calendar"]
    assert (one["path"], one["host"]) == (str(tmp_path / "work.ics"), None)
    assert "busy there means busy" in ran(lull, "add", *_other(tmp_path), "--means", "busy").out


def _other(folder: Path) -> list[str]:
    (folder / "other.ics").write_bytes(TWO_DAYS)
    return [str(folder / "other.ics")]
