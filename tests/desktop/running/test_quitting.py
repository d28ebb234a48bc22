"""Tests of Quit: it asks first where chat apps would be left without answers."""

from __future__ import annotations

import threading

import pytest

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.running.quitting import QuitDialog
from lull.desktop.service_process import ServiceProcess
from lull.desktop.state import Phase
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
    assert dialog.words.text().endswith("Aider, Zed.")
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


def test_what_nothing_is_connected_to_quits_at_once(own: Shown, scripted: Scripted) -> None:
    listed(scripted, client("aider", connected=False))
    own.desktop.ask_to_quit()
    own.until(lambda: own.tray.ended)


def test_a_service_that_says_nothing_holds_up_no_quit(own: Shown, scripted: Scripted) -> None:
    said = scripted.held[routes.CLIENTS] = threading.Event()
    own.desktop.quitting._too_late.setInterval(50)
    own.desktop.ask_to_quit()
    own.until(lambda: own.tray.ended)
    said.set()


def test_a_service_that_was_found_goes_on_so_nothing_is_asked(
    on_script: Shown, scripted: Scripted
) -> None:
    listed(scripted, client("aider"))
    assert on_script.desktop.state.phase is Phase.LIVE
    on_script.desktop.ask_to_quit()
    assert on_script.tray.ended
