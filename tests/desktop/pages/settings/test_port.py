"""Tests of the chat apps' port: one that another program has is not set, a free one is found."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from lull.contract import routes
from lull.desktop.pages.settings.editors import PortEdit
from lull.desktop.service.free_port import is_free
from tests.desktop.conftest import Shown
from tests.desktop.pages.settings.test_settings_page import settings, typed
from tests.desktop.scripted import Scripted
from tests.running import free_port


@pytest.fixture
def taken() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        yield other.getsockname()[1]


def editor(shown: Shown, scripted: Scripted) -> PortEdit:
    found = settings(shown, scripted).lines["service.port"].editor
    assert isinstance(found, PortEdit)
    return found


def sent(scripted: Scripted) -> list[str]:
    return [str(one["value"]) for one in scripted.posts(routes.SETTINGS)]


def test_a_port_that_another_program_has_is_told_and_not_set(
    on_script: Shown, scripted: Scripted, taken: int
) -> None:
    port = editor(on_script, scripted)
    assert not port.taken.isVisible()
    typed(port.field, on_script, str(taken))
    assert port.taken.isVisible() and str(taken) in port.taken.text()
    assert sent(scripted) == []
    free = free_port()
    typed(port.field, on_script, str(free))
    on_script.until(lambda: sent(scripted) == [str(free)])
    assert not port.taken.isVisible()


def test_a_free_port_is_found_behind_the_one_that_is_shown(
    on_script: Shown, scripted: Scripted, taken: int
) -> None:
    port = editor(on_script, scripted)
    typed(port.field, on_script, str(taken))
    port.another.click()
    on_script.until(lambda: sent(scripted))
    (found,) = sent(scripted)
    assert int(found) > taken and is_free("127.0.0.1", int(found))
    assert not port.taken.isVisible()


def test_where_any_port_may_be_taken_none_of_the_systems_is_found(
    on_script: Shown, scripted: Scripted
) -> None:
    port = editor(on_script, scripted)
    port.put(0)
    port.another.click()
    on_script.until(lambda: sent(scripted))
    assert all(int(one) > 1023 for one in sent(scripted))
