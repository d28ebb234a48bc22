"""Tests of finding clients that no longer point at Lull, by files on a real disk."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from lull.backends.clients.installed import ProgramsOnPath
from lull.loops.clients.overview import ClientOverview
from lull.service.clients.connecting import ConnectingLock, ConnectParts
from lull.service.clients.drifted import check_clients, drifted_clients
from tests.doubles.fakes import FakeClock
from tests.loops.clients.test_connect import SETTINGS, TO, ZED, Person


@pytest.fixture
def me(tmp_path: Path) -> Person:
    return Person(tmp_path)


def parts_of(person: Person) -> ConnectParts:
    return ConnectParts(
        user=person.user,
        connections=person.connections,
        connecting=person.walk,
        overview=ClientOverview(
            person.walk, person.user, ProgramsOnPath(str(person.user.home / "bin"))
        ),
        lock=cast(ConnectingLock, None),
        try_out=lambda *_: {},
        own_model="lull-mini",
        clock=FakeClock(),
    )


def test_where_lull_wrote_nothing_nothing_has_drifted(me: Person) -> None:
    me.has(ZED, SETTINGS)
    assert check_clients(parts_of(me), TO.address)["ok"]
    assert drifted_clients(parts_of(me), TO.address) == []


def test_a_client_that_points_elsewhere_is_named_with_what_brings_it_back(me: Person) -> None:
    path, parts = me.has(ZED, SETTINGS), parts_of(me)
    me.connect("zed")
    assert check_clients(parts, TO.address + "/")["ok"]
    path.write_text(path.read_text().replace(TO.address, "http://127.0.0.1:11434"))
    (found,) = drifted_clients(parts, TO.address)
    assert found.name == "zed"
    said = check_clients(parts, TO.address)
    assert not said["ok"] and not said["serious"]
    assert "lull connect zed" in said["hint"]


def test_when_lull_moves_to_another_port_every_client_has_drifted(me: Person) -> None:
    for name in ("zed", "aider"):
        me.connect(name)
    elsewhere = "http://127.0.0.1:12000"
    assert {one.name for one in drifted_clients(parts_of(me), elsewhere)} == {"zed", "aider"}
