"""Settings: the search finds everything, a change says what it did, a restart is one click."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit

from lull.contract import routes
from lull.desktop.pages.letting_out import lets_out
from lull.desktop.service_process import ServiceState
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_other_pages import settings
from tests.desktop.scripted import Scripted


def test_the_search_hides_what_does_not_match_and_begins_at_the_top(
    on_script: Shown, scripted: Scripted
) -> None:
    page = settings(on_script, scripted)
    model, _, window, data = page._own_cards
    bar = page._scroll.verticalScrollBar()
    bar.setValue(bar.maximum())
    page.search.setText("sleep")
    assert page._editors["idle.sleep_hours"].isVisible()
    assert not any(card.isVisible() for card in (model, window, data))
    assert bar.value() == 0
    page.search.setText("log in")
    assert window.isVisible() and not page._groups["idle"].isVisible()
    page.search.setText("no such thing at all")
    assert page.none.isVisible()
    page.search.clear()
    assert model.isVisible() and page._groups["service"].isVisible() and not page.none.isVisible()


def test_a_filtered_card_resets_only_what_is_seen(on_script: Shown, scripted: Scripted) -> None:
    page = settings(on_script, scripted)
    for row in scripted.answers[routes.SETTINGS]["settings"]:  # type: ignore[index]
        if row["key"] == "idle.enabled":
            row["value"] = False
    scripted.tell("settings")
    box = page._editors["idle.enabled"]
    assert isinstance(box, QComboBox)
    on_script.until(lambda: box.currentIndex() == 1)
    page.search.setText("sleep hours")
    page._resets["idle"].click()
    on_script.until(lambda: scripted.posts(routes.SETTINGS))
    assert [one["key"] for one in scripted.posts(routes.SETTINGS)] == ["idle.sleep_hours"]


def typed(page_editor: object, shown: Shown, text: str) -> None:
    assert isinstance(page_editor, QLineEdit)
    page_editor.clear()
    shown.bot.keyClicks(page_editor, text)
    page_editor.editingFinished.emit()


def test_what_needs_a_restart_offers_one(on_script: Shown, scripted: Scripted) -> None:
    page = settings(on_script, scripted)

    def answer(body: dict[str, object]) -> dict[str, object]:
        done = {"key": "service.port", "value": 1234, "restart_needed": True}
        return done if body else {"settings": []}

    scripted.answers[routes.SETTINGS] = answer
    scripted.answers[routes.STOP] = {"stopping": True}
    assert not page.restart.isVisible()
    typed(page._editors["service.port"], on_script, "1234")
    on_script.until(page.restart.isVisible)
    assert on_script.told[-1] == "Service: port saved. Restart Lull to apply it."
    note = on_script.desktop.window.note
    assert note.undo.text() == "Restart"
    note.undo.click()
    on_script.until(lambda: scripted.posts(routes.STOP))
    assert on_script.desktop.process.state is ServiceState.RUNNING


def test_a_change_is_named_and_can_be_undone(on_script: Shown, scripted: Scripted) -> None:
    page = settings(on_script, scripted)
    rows = scripted.answers[routes.SETTINGS]

    def answer(body: dict[str, object]) -> dict[str, object]:
        done = {"key": "idle.enabled", "value": body.get("value") == "true"}
        return {**done, "restart_needed": False} if body else rows  # type: ignore[return-value]

    scripted.answers[routes.SETTINGS] = answer
    box = page._editors["idle.enabled"]
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(1)
    box.activated.emit(1)
    on_script.until(lambda: "Idle: enabled is now off." in on_script.told)
    on_script.desktop.window.note.undo.click()
    wanted = {"key": "idle.enabled", "value": "true"}
    on_script.until(lambda: scripted.posts(routes.SETTINGS)[-1] == wanted)


@pytest.mark.parametrize(
    ("key", "text", "asks"),
    [
        ("judge.allow_remote", "true", True),
        ("judge.allow_remote", "false", False),
        ("writer.allow_remote", "true", True),
        ("upstream.allow_remote_models", "true", True),
        ("service.allow_network", "true", True),
        ("service.bind", "0.0.0.0", True),
        ("service.bind", "192.168.1.7", True),
        ("service.bind", "::1", False),
        ("service.bind", "127.0.0.9", False),
        ("upstream.address", "http://gpu.local:11434", True),
        ("upstream.address", " http://gpu.local:11434", True),
        ("upstream.address", "http://gpu..local:11434", True),
        ("upstream.address", "http://localhost.example:11434", True),
        ("upstream.address", "http://[::1]:11434", False),
        ("upstream.address", "http://localhost:11434", False),
        ("upstream.address", "", False),
        ("judge.address", "http://gpu.local:8000/v1", True),
        ("judge.address", "http://127.0.0.1:1234/v1", False),
        ("writer.address", "http://gpu.local:8000/v1", True),
        ("writer.address", "", False),
        ("service.allow_origins", "https://old.example, https://new.example", True),
        ("service.allow_origins", "https://old.example", False),
        ("idle.enabled", "true", False),
    ],
)
def test_what_lets_data_out_is_told_from_what_does_not(key: str, text: str, asks: bool) -> None:
    assert bool(lets_out(key, text, "https://old.example")) is asks


def test_nothing_lets_data_out_without_a_second_word(on_script: Shown, scripted: Scripted) -> None:
    page = settings(on_script, scripted)
    row = {"key": "judge.allow_remote", "value": False, "default": False, "reason": "."}
    rows = scripted.answers[routes.SETTINGS]["settings"]  # type: ignore[index]
    rows.append({**row, "allowed": "such"})
    scripted.tell("settings")
    on_script.until(lambda: "judge.allow_remote" in page._editors)
    box = page._editors["judge.allow_remote"]
    assert isinstance(box, QComboBox)

    def choose(value: str) -> None:
        box.setCurrentIndex(box.findData(value))
        box.activated.emit(box.currentIndex())

    choose("true")
    on_script.until(page.asking.isVisible)
    assert "send conversations there" in page.asking.words.text()
    on_script.bot.keyClick(page.asking, Qt.Key.Key_Return)
    on_script.until(lambda: box.currentData() == "false")
    assert scripted.posts(routes.SETTINGS) == []
    choose("true")
    on_script.until(page.asking.isVisible)
    page.asking.allow.click()
    wanted = {"key": "judge.allow_remote", "value": "true"}
    on_script.until(lambda: scripted.posts(routes.SETTINGS) == [wanted])
