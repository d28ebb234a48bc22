"""Tests of a real service beside a keychain that is open, locked, refuses, keeps silent, or dies.

Its secrets are in nothing that the user hands out, and in the end they are removed or reported as
left.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import secretstorage  # type: ignore[import-untyped]

from lull.contract import routes
from lull.desktop.pages.settings.wiping import delete_data_files
from lull.desktop.shared.diagnostics import bug_report
from tests.backends.calendars.server import CalendarServer, answer, calendar_server
from tests.backends.calendars.texts import MEETING, calendar
from tests.backends.system.test_secrets import (  # noqa: F401 - fixtures
    gnome_keyring,
    session_bus,
    short_folder,
)
from tests.building import bytes_below
from tests.doubles.private_bus import Service
from tests.eventually import eventually
from tests.running import Lull, RunningLull
from tests.service.control.socket_client import ControlSocket

pytestmark = pytest.mark.full

FEED = "private-quartzfeed0123456789"
LEFT = "may still be in the keychain"
OPEN_TO_ALL = "[service]\nbind = '0.0.0.0'\nallow_network = true\n"
Keyring = Callable[..., None]


@pytest.fixture
def lull(tmp_path: Path) -> Iterator[Lull]:
    """A Lull beside `home`, which is the keychain's own folder."""
    with RunningLull.cleaned_up(tmp_path / "lull") as made:
        yield made


@pytest.fixture
def feeds() -> Iterator[CalendarServer]:
    with calendar_server(None) as server:
        yield server


@dataclass(slots=True)
class Kept:
    """The secrets that a service has put into the keychain: a calendar's address and a token."""

    running: RunningLull
    calendar: str
    url: str
    token: str


def kept_in_it(lull: Lull, feeds: CalendarServer) -> Kept:
    url = feeds.serve(f"/{FEED}/basic.ics", answer(calendar(MEETING)))
    lull.home.mkdir()
    (lull.home / "settings.toml").write_text(OPEN_TO_ALL)
    running = lull.serve()
    added = lull.ask("calendar", "add", url, "--means", "busy", "--private")
    return Kept(running, added["calendar"]["id"], url, lull.ask("status", "--token")["token"])


def entries() -> dict[str, str]:
    """Return all entries of the keychain, by name."""
    with contextlib.closing(secretstorage.dbus_init()) as connection:
        found = secretstorage.get_default_collection(connection).get_all_items()
        return {
            item.get_attributes()["username"]: item.get_secret().decode()
            for item in found
            if "username" in item.get_attributes()
        }


def handed_out(lull: Lull, folder: Path) -> dict[str, str]:
    """Return all that a user pastes into a report or gives away, by what it is called."""
    folder.mkdir()
    lull.ask("skills", "add", "menu-style", "--description", "d", "--body", "Join with bars.")
    lull.ask("skills", "export", str(folder / "skills"))
    lull.ask("backup", str(folder / "kept.zip"))
    with zipfile.ZipFile(folder / "kept.zip") as packed:
        backup = b"".join(packed.read(name) for name in packed.namelist())
    status, settings = lull.ask("status"), lull.ask("settings")["settings"]
    checks = lull.run("doctor", "--json").json["checks"]
    log = (lull.home / "logs" / "service.log").read_text()
    given = bug_report(
        status=status,
        checks=checks,
        settings=settings,
        log=log.splitlines(),
        home=lull.home,
        user="anna",
    )
    calendars = lull.ask("calendar", "list")
    snapshot = ControlSocket(lull.home).get("/v1/snapshot")
    words = (("status",), ("doctor",), ("settings",), ("logs",), ("calendar", "list"), ("lulls",))
    return {
        "backup": backup.decode("latin-1"),
        "exports": b"".join(data for _, data in bytes_below(folder)).decode("latin-1"),
        "diagnostics": given,
        "told": json.dumps([status, settings, checks, calendars, snapshot]),
        "printed": "".join(lull.run(*one).out for one in words),
        "log": log,
    }


def holding(home: Path, *secrets: str) -> list[str]:
    forms = [form for one in secrets for form in (one.encode(), one.encode("utf-16-le"))]
    return [str(path) for path, data in bytes_below(home) if any(form in data for form in forms)]


def everything_is_deleted(lull: Lull, kept: Kept) -> list[str]:
    """Delete all data as the window's "Delete data" does; return what the service said of it."""
    control = ControlSocket(lull.home)
    gone = control.ask("POST", routes.CALENDAR_REMOVE, {"calendar": kept.calendar})
    assert gone.status == 200
    token = control.ask("POST", routes.TOKEN, {"do": "forget"})
    kept.running.stop()
    assert delete_data_files(lull.home) == []
    return [json.dumps(gone.json["problem"]), json.dumps(token.json)]


def test_what_lies_in_it_is_handed_out_by_nothing_and_goes_with_everything(
    lull: Lull,
    tmp_path: Path,
    feeds: CalendarServer,
    gnome_keyring: Keyring,  # noqa: F811
) -> None:
    gnome_keyring(unlocked=True)
    kept = kept_in_it(lull, feeds)
    there = entries()
    assert there == {f"calendar.{kept.calendar}": kept.url, "network-token": kept.token}
    given = handed_out(lull, tmp_path / "given")
    assert all(given.values())
    for secret in (FEED, kept.token):
        assert [name for name, text in given.items() if secret in text] == [], secret
    assert holding(lull.home, FEED, kept.token) == []

    # A later service finds them there, one that was killed too.
    kept.running.kill()
    kept.running = lull.serve()
    assert lull.ask("status", "--token")["token"] == kept.token

    assert LEFT not in "".join(everything_is_deleted(lull, kept))
    assert entries() == {}
    assert holding(tmp_path, kept.token) == []


@pytest.mark.filterwarnings("ignore:unclosed.*bus:ResourceWarning")
def test_what_a_locked_one_keeps_is_said_to_be_left(
    lull: Lull,
    feeds: CalendarServer,
    gnome_keyring: Keyring,  # noqa: F811
) -> None:
    gnome_keyring(unlocked=True)
    kept = kept_in_it(lull, feeds)
    kept.running.stop()
    gnome_keyring(unlocked=False)
    kept.running = lull.serve()
    assert kept.running.address
    problem = next(p for p in lull.ask("status")["problems"] if "keychain" in p["title"])
    assert "forgotten when Lull stops" in problem["detail"]
    token = lull.ask("status", "--token")["token"]
    assert token != kept.token
    assert holding(lull.home, FEED, kept.token, token) == []
    calendar, token_gone = everything_is_deleted(lull, kept)
    assert LEFT in calendar and f"calendar.{kept.calendar}" in calendar
    assert LEFT in token_gone and "network-token" in token_gone
    gnome_keyring(unlocked=True)
    assert set(entries()) == {f"calendar.{kept.calendar}", "network-token"}


@pytest.mark.parametrize("silent", [False, True], ids=["refuses", "hangs"])
@pytest.mark.usefixtures("session_bus")
def test_one_that_does_not_serve_is_said_and_nothing_takes_its_place(
    lull: Lull, feeds: CalendarServer, *, silent: bool
) -> None:
    url = feeds.serve(f"/{FEED}/basic.ics", answer(calendar(MEETING)))
    lull.home.mkdir()
    (lull.home / "settings.toml").write_text(OPEN_TO_ALL)
    bus = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    with Service(bus, "org.freedesktop.secrets", silent=silent) as keychain:
        running = lull.serve()
        assert keychain.asked
        token = lull.ask("status", "--token")["token"]
        assert running.get("/api/version", {"Authorization": f"Bearer {token}"}).status == 200
        problems = {p["title"] for p in lull.ask("status")["problems"]}
        assert "The keychain cannot be used" in problems
        # Lull waits for the prompt of a keychain that hangs, for longer than this test waits.
        adding = threading.Thread(
            target=lull.run, args=("calendar", "add", url, "--means", "busy", "--private")
        )
        if silent:
            asked = len(keychain.asked)
            adding.start()
            eventually(lambda: len(keychain.asked) > asked)
            assert running.get("/api/version", {"Authorization": f"Bearer {token}"}).status == 200
        else:
            refused = lull.run("calendar", "add", url, "--means", "busy", "--private")
            assert refused.code == 1 and FEED not in refused.err
            assert "needs a keychain" in refused.err and refused.err.count("\n") == 1
        assert feeds.asked == []
        assert holding(lull.home, FEED, token) == []
        assert not (lull.home / "secrets.json").exists()
        assert running.stop() == 0
        if silent:
            adding.join()


def test_one_that_dies_meanwhile_costs_what_it_kept_and_nothing_else(
    lull: Lull,
    feeds: CalendarServer,
    gnome_keyring: Keyring,  # noqa: F811
) -> None:
    gnome_keyring(unlocked=True)
    kept = kept_in_it(lull, feeds)
    with contextlib.closing(secretstorage.dbus_init()) as connection:
        reply = connection.send_and_get_reply(_pid_of("org.freedesktop.secrets"))
    os.kill(reply.body[0], signal.SIGKILL)
    bearer = {"Authorization": f"Bearer {kept.token}"}
    assert kept.running.get("/api/version", bearer).status == 200
    (one,) = lull.ask("calendar", "list")["calendars"]
    assert one["health"] == "fresh"
    assert holding(lull.home, FEED, kept.token) == []
    calendar, token_gone = everything_is_deleted(lull, kept)
    assert LEFT in calendar and LEFT in token_gone


def _pid_of(name: str) -> Any:
    from jeepney.bus_messages import message_bus  # type: ignore[import-untyped]

    return message_bus.GetConnectionUnixProcessID(name)
