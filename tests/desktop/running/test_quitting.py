"""Tests of Quit: it asks first where chat apps would be left without answers."""

from __future__ import annotations

import threading

import pytest

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.running.quitting import QUIT, QuitDialog
from lull.desktop.service.down_words import ServiceState
from lull.desktop.service.service_process import ServiceProcess
from tests.desktop.conftest import Shown
from tests.desktop.scripted import Scripted

UNDO = routes.CLIENT_DO.format(name="{}", action="undo")


def client(name: str, *, connected: bool = True, known: bool = True) -> Json:
    return {
        "name": name,
        "title": name.title(),
        "version": "1",
        "installed": True,
        "writable": True,
        "connected": connected,
        "drifted": False,
        "known": known,
        "files": [],
        "by_hand": "",
        "note": "",
    }


@pytest.fixture
def own(on_script: Shown, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """A window that started its service, so that Quit would stop it."""
    monkeypatch.setattr(ServiceProcess, "stops_with_window", property(lambda _: True))
    return on_script


@pytest.fixture
def own_none(on_script: Shown) -> Shown:
    """A window whose service the user stopped."""
    on_script.desktop.process._timer.stop()
    on_script.desktop.process.state = ServiceState.STOPPED
    return on_script


def asked(shown: Shown) -> QuitDialog:
    shown.desktop.ask_to_quit()
    shown.until(lambda: shown.desktop.window.findChild(QuitDialog))
    found = shown.desktop.window.findChild(QuitDialog)
    assert isinstance(found, QuitDialog)
    return found


def listed(scripted: Scripted, *clients: Json) -> None:
    scripted.answers[routes.CLIENTS] = {"address": "http://127.0.0.1:11435", "clients": clients}


def test_connected_apps_are_named_and_lull_can_keep_running(own: Shown, scripted: Scripted) -> None:
    listed(scripted, client("aider"), client("zed"), client("codex", connected=False))
    dialog = asked(own)
    assert "answers through Lull: Aider, Zed." in dialog.words.text()
    assert not dialog.always.isVisible()  # each time, where chat apps would get no answers
    own.desktop.ask_to_quit()  # asked again, it is the same dialog
    dialog.keep_it.click()
    own.until(lambda: own.desktop.window.findChild(QuitDialog) is None)
    assert not own.tray.ended
    asked(own).quit_it.click()
    assert own.tray.ended


def test_they_are_disconnected_one_after_the_other_and_then_it_quits(
    own: Shown, scripted: Scripted
) -> None:
    listed(scripted, client("aider"), client("zed"), client("shell", known=False))
    for name in ("aider", "zed"):
        scripted.answers[UNDO.format(name)] = {"name": name, "undone": True, "changes": []}
    dialog = asked(own)
    assert dialog.undo.isVisible()
    dialog.undo.click()
    own.until(lambda: own.tray.ended)
    undone = [path for method, path, _ in scripted.asked if method == "POST"]
    assert undone == [UNDO.format("aider"), UNDO.format("zed")]


def test_where_one_cannot_be_disconnected_it_stays_and_says_so(
    own: Shown, scripted: Scripted
) -> None:
    listed(scripted, client("aider"), client("zed"))
    scripted.refusing[UNDO.format("aider")] = {"title": "Conflict", "detail": "No.", "hint": ""}
    dialog = asked(own)
    dialog.undo.click()
    own.until(dialog.problem.isVisible)
    assert dialog.problem.text().startswith("Aider could not be disconnected.")
    assert dialog.undo.isEnabled() and not own.tray.ended
    assert [path for _, path, _ in scripted.asked if "undo" in path] == [UNDO.format("aider")]
    dialog.quit_it.click()
    assert own.tray.ended


def test_a_chat_app_that_was_set_up_by_hand_is_not_left_without_a_word(
    own: Shown, scripted: Scripted
) -> None:
    listed(scripted, client("aider", connected=False))
    dialog = asked(own)
    assert "no answers until you start Lull again" in dialog.words.text()
    assert "an app that uses its address" in dialog.words.text()
    assert "apps get their answers" not in dialog.words.text() and not dialog.undo.isVisible()
    assert not own.tray.ended
    dialog.quit_it.click()
    assert own.tray.ended


def test_a_service_that_says_nothing_holds_up_no_quit(own: Shown, scripted: Scripted) -> None:
    said = scripted.held[routes.CLIENTS] = threading.Event()
    own.desktop.quitting._too_late.setInterval(50)
    asked(own).quit_it.click()
    assert own.tray.ended
    said.set()


def test_where_no_service_runs_quit_asks_nothing(own_none: Shown) -> None:
    own_none.desktop.ask_to_quit()
    assert own_none.tray.ended


def test_a_service_that_was_found_goes_on_and_that_is_said_until_it_is_known(
    on_script: Shown, scripted: Scripted
) -> None:
    listed(scripted, client("aider"))
    dialog = asked(on_script)
    assert "service goes on when you quit: apps that use it" in dialog.words.text()
    assert not dialog.undo.isVisible()
    dialog.reject()
    on_script.until(lambda: on_script.desktop.window.findChild(QuitDialog) is None)
    on_script.desktop.preferences.setValue(QUIT, True)
    on_script.desktop.ask_to_quit()
    assert on_script.tray.ended
