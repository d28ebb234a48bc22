"""Tests of connecting a chat app in the window: by a real service's control API, on real files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel

from lull.desktop.pages.connect import ConnectPage
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.pages.today.page import TodayPage
from lull.desktop.service.state import Subject
from lull.desktop.shared.connect.card import ConnectCard
from lull.desktop.shared.connect.dialogs import ConnectDialog, UndoDialog
from lull.desktop.shared.connect.words import file_words
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown, live
from tests.running import RunningLull

OF_THE_USER = ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "CONTINUE_GLOBAL_DIR")
SETTINGS = b'// mine\n{\n  "vim_mode": true,\n}\n'


@pytest.fixture
def zed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Zed's settings, the only ones in the home folder of a user."""
    for name in OF_THE_USER:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setenv("SHELL", "/bin/zsh")
    file = tmp_path / "me" / ".config" / "zed" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(SETTINGS)
    return file


@pytest.fixture
def card(zed: Path, home: Path, show: Callable[..., Shown]) -> Iterator[tuple[Shown, ConnectCard]]:
    """A window in front of a service that runs as this user, and its card for connecting."""
    with RunningLull.cleaned_up(home) as lull:
        lull.serve()
        shown = live(show(home))
        page = shown.go(PageName.CONNECT)
        assert isinstance(page, ConnectPage)
        card = page.card
        shown.until(lambda: "zed" in card.rows)
        yield shown, card


def press(card: ConnectCard, name: str) -> None:
    buttons = card.findChildren(QAbstractButton)
    next(one for one in buttons if one.accessibleName() == name and one.isEnabled()).click()


def said(card: ConnectCard, client: str) -> str:
    return " | ".join(one.text() for one in card.rows[client].findChildren(QLabel))


def view(shown: Shown, client: str) -> dict[str, Any]:
    clients = shown.desktop.state.value(Subject.CLIENTS).get("clients", ())
    return next(one for one in clients if one["name"] == client)


def told_on_today(shown: Shown, words: str) -> None:
    """Check that Today says this of clients that no longer point at Lull; go back to Connect."""
    today = shown.go(PageName.TODAY)
    assert isinstance(today, TodayPage)
    shown.until(lambda: today.drifted.isVisible() is bool(words))
    assert not words or today.drifted.words.text().startswith(words)
    shown.go(PageName.CONNECT)


def test_a_file_is_named_as_a_person_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert file_words({"name": "environment"}, "/home/me/.bashrc") == (
        "your shell's start file (~/.bashrc)"
    )
    assert file_words({"name": "zed"}, "/home/me/.config/zed/x.json") == "~/.config/zed/x.json"
    assert file_words({"name": "codex"}, "/etc/codex.toml") == "/etc/codex.toml"


@pytest.mark.full
def test_a_client_is_connected_tested_drifts_and_is_undone_to_the_byte(
    card: tuple[Shown, ConnectCard], zed: Path
) -> None:
    shown, listed = card
    assert "Not connected" in said(listed, "zed")
    press(listed, "Zed: Connect…")
    dialog = listed.findChild(ConnectDialog)
    assert dialog is not None
    shown.until(dialog.do.isEnabled)
    address = shown.desktop.state.status["address"]
    assert address in dialog.change.toPlainText()
    assert "~/.config/zed/settings.json" in dialog.words.text()
    assert zed.read_bytes() == SETTINGS, "shown, and nothing written"
    dialog.do.click()
    shown.until(lambda: dialog.outcome.text().startswith("It works. "))
    assert address in zed.read_text() and b'"vim_mode": true' in zed.read_bytes()
    dialog.close_it.click()
    shown.until(lambda: "Connected" in said(listed, "zed"))

    # A test of its own, with a real request.
    press(listed, "Zed: Test")
    shown.until(lambda: "| It works. " in said(listed, "zed"))

    # Another program takes Lull's address out.
    written = zed.read_bytes()
    zed.write_bytes(b"{}\n")
    listed.again.click()
    shown.until(lambda: "No longer connected" in said(listed, "zed"))
    told_on_today(shown, "Zed no longer goes")
    zed.write_bytes(written)
    listed.again.click()
    shown.until(lambda: view(shown, "zed")["connected"])
    told_on_today(shown, "")

    press(listed, "Zed: Undo…")
    undoing = listed.findChild(UndoDialog)
    assert undoing is not None
    shown.until(undoing.do.isEnabled)
    undoing.do.click()
    shown.until(lambda: zed.read_bytes() == SETTINGS)
    shown.until(lambda: "Not connected" in said(listed, "zed"))


def test_the_test_asks_the_model_that_the_app_asks_for_and_says_who_answered(
    card: tuple[Shown, ConnectCard], zed: Path
) -> None:
    shown, listed = card
    address = shown.desktop.state.status["address"]
    ollama = f'"language_models": {{"ollama": {{"api_url": "{address}"}}}}'
    model = '"agent": {"default_model": {"provider": "ollama", "model": "pocket"}}'
    zed.write_text(f"{{{ollama}, {model}}}")
    listed.again.click()
    shown.until(lambda: view(shown, "zed")["connected"])
    press(listed, "Zed: Test")
    shown.until(lambda: "| It works. " in said(listed, "zed"))
    assert "Lull asked pocket, the model that the settings of Zed name. The model answered: “" in (
        said(listed, "zed")
    )
    zed.write_text(f"{{{ollama}, {model.replace('pocket', 'nobody')}}}")
    press(listed, "Zed: Test")
    shown.until(lambda: "| The test failed. " in said(listed, "zed"))
    assert "Lull asked nobody, the model that the settings of Zed name." in said(listed, "zed")


def test_connect_is_a_page_that_settings_and_today_lead_to(
    card: tuple[Shown, ConnectCard],
) -> None:
    shown, listed = card
    page = shown.desktop.window.page(PageName.CONNECT)
    assert isinstance(page, ConnectPage) and page.accessibleName() == "Connect"
    assert page.address.text() == shown.desktop.state.status["address"]
    settings = shown.go(PageName.SETTINGS)
    assert isinstance(settings, SettingsPage) and not listed.isVisible()
    settings.look_up("connect a chat app")
    line = settings.elsewhere_card.lines[PageName.CONNECT]
    shown.until(line.isVisible)
    line.findChildren(QAbstractButton)[0].click()
    shown.until(listed.isVisible)


@pytest.mark.full
def test_what_is_written_is_what_was_shown_and_a_later_change_is_kept(
    card: tuple[Shown, ConnectCard], zed: Path
) -> None:
    shown, listed = card
    press(listed, "Zed: Connect…")
    dialog = listed.findChild(ConnectDialog)
    assert dialog is not None
    shown.until(dialog.do.isEnabled)
    mine = SETTINGS.replace(b"true", b"false")
    zed.write_bytes(mine)
    dialog.do.click()
    shown.until(lambda: any("was changed since you saw" in one for one in shown.told))
    assert zed.read_bytes() == mine
    shown.until(lambda: dialog.do.isEnabled() and "false" in dialog.change.toPlainText())
    dialog.do.click()
    shown.until(lambda: dialog.outcome.text().startswith("It works. "))
    dialog.close_it.click()

    # A line of the user's own after Lull's: Undo shows it first, and keeps it.
    zed.write_bytes(zed.read_bytes().replace(b"// mine", b"// still mine"))
    listed.again.click()
    shown.until(lambda: "Connected" in said(listed, "zed"))
    press(listed, "Zed: Undo…")
    undoing = listed.findChild(UndoDialog)
    assert undoing is not None
    shown.until(undoing.do.isEnabled)
    assert "changed since" in undoing.words.text()
    assert "// still mine" in undoing.change.toPlainText()
    undoing.do.click()
    kept = mine.replace(b"// mine", b"// still mine")
    shown.until(lambda: zed.read_bytes() == kept)
