"""Tests of the settings page: search finds all, a change says what it did, restart is one click."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize, Qt

from lull.contract import routes
from lull.desktop.pages.settings.editors import FieldEdit, PortEdit, SwitchEdit
from lull.desktop.pages.settings.exposure import exposure_words
from lull.desktop.pages.settings.hours_edit import HoursEdit
from lull.desktop.pages.settings.model_edit import ModelEdit
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.service.down_words import ServiceState
from lull.desktop.service.state import Subject
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.pages.test_other_pages import NOBODY
from tests.desktop.scripted import Scripted, status


def settings(shown: Shown, scripted: Scripted) -> SettingsPage:
    rows = [
        ("service.port", 11435, 11435, "Where clients find it."),
        ("idle.enabled", True, True, "Whether it learns."),
        ("idle.sleep_hours", ["22:00-06:00"], [], "When you sleep."),
        ("judge.model", "auto", "auto", "Who judges."),
    ]
    scripted.answers[routes.SETTINGS] = {
        "file": "settings.toml",
        "settings": [
            {"key": k, "value": v, "default": d, "reason": r, "allowed": "such"}
            for k, v, d, r in rows
        ],
    }
    page = shown.go(PageName.SETTINGS)
    assert isinstance(page, SettingsPage)
    shown.until(lambda: page.showing_body and page.lines)
    page.search.setText("e")  # makes the lines of folded settings, too
    page.search.clear()
    assert len(page.lines) == 4
    return page


def switch(page: SettingsPage, key: str) -> SwitchEdit:
    editor = page.lines[key].editor
    assert isinstance(editor, SwitchEdit)
    return editor


def field(page: SettingsPage, key: str) -> FieldEdit:
    editor = page.lines[key].editor
    if isinstance(editor, PortEdit):
        return editor.field
    assert isinstance(editor, FieldEdit)
    return editor


def hours(page: SettingsPage) -> HoursEdit:
    editor = page.lines["idle.sleep_hours"].editor
    assert isinstance(editor, HoursEdit)
    return editor


def test_every_setting_has_its_reason_and_its_editor(on_script: Shown, scripted: Scripted) -> None:
    page = settings(on_script, scripted)
    assert hours(page).start.currentText() == "22:00"
    assert hours(page).end.currentText() == "06:00"
    page.search.setText("clients find")
    assert field(page, "service.port").isVisible()
    assert not hours(page).isVisible()


def test_beside_a_helpers_setting_stands_how_its_exam_went(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.answers[routes.STATUS] = status(helpers={"judge": NOBODY})
    page = settings(on_script, scripted)
    page.look_up("judge")  # as the Review page does
    words = page.lines["judge.model"].helper
    assert words is not None
    # Qt shows what is put into a shown page in its next turn.
    on_script.until(words.isVisible)
    assert words.text() == NOBODY["why"]


def test_a_setting_is_sent_as_it_was_typed_and_what_was_refused_is_put_back(
    on_script: Shown, scripted: Scripted
) -> None:
    page = settings(on_script, scripted)
    port = field(page, "service.port")
    scripted.refusing[routes.SETTINGS] = {"title": "No", "detail": "Too large.", "hint": ""}
    port.clear()
    on_script.bot.keyClicks(port, "99999999")
    port.editingFinished.emit()
    on_script.until(lambda: on_script.told)
    assert "Too large." in on_script.told[0]
    on_script.until(lambda: port.text() == "11435")


def test_a_switch_is_sent_at_once(on_script: Shown, scripted: Scripted) -> None:
    page = settings(on_script, scripted)
    box = switch(page, "idle.enabled")
    assert box.isChecked() and box.text() == "on"
    on_script.bot.mouseClick(box, Qt.MouseButton.LeftButton)
    assert box.text() == "off"
    wanted = {"key": "idle.enabled", "value": "false"}
    on_script.until(lambda: scripted.posts(routes.SETTINGS) == [wanted])


def test_the_search_hides_what_does_not_match_and_begins_at_the_top(
    on_script: Shown, scripted: Scripted
) -> None:
    page = settings(on_script, scripted)
    model, window, data = page.model_card, page.window_card, page.data_card
    times = page.cards[1]
    bar = page.area.verticalScrollBar()
    bar.setValue(bar.maximum())
    page.search.setText("sleep")
    assert hours(page).isVisible()
    assert not any(card.isVisible() for card in (model, window, data))
    assert bar.value() == 0
    page.search.setText("log in")
    assert window.isVisible() and not times.isVisible()
    page.search.setText("xyzzy plugh")
    assert page.none.isVisible()
    page.search.clear()
    assert model.isVisible() and times.isVisible() and not page.none.isVisible()


def test_a_filtered_card_resets_only_what_is_seen(on_script: Shown, scripted: Scripted) -> None:
    page = settings(on_script, scripted)
    for row in scripted.answers[routes.SETTINGS]["settings"]:  # type: ignore[index]
        if row["key"] == "idle.enabled":
            row["value"] = False
    scripted.tell("settings")
    on_script.until(lambda: not switch(page, "idle.enabled").isChecked())
    page.search.setText("sleep hours")
    page.cards[1].reset.click()
    on_script.until(lambda: scripted.posts(routes.SETTINGS))
    assert [one["key"] for one in scripted.posts(routes.SETTINGS)] == ["idle.sleep_hours"]


def typed(editor: FieldEdit, shown: Shown, text: str) -> None:
    editor.clear()
    shown.bot.keyClicks(editor, text)
    editor.editingFinished.emit()


def test_what_needs_a_restart_offers_one(on_script: Shown, scripted: Scripted) -> None:
    page = settings(on_script, scripted)

    def answer(body: dict[str, object]) -> dict[str, object]:
        done = {"key": "service.port", "value": 1234, "restart_needed": True}
        return done if body else {"settings": []}

    scripted.answers[routes.SETTINGS] = answer
    scripted.answers[routes.STOP] = {"stopping": True}
    assert not page.restart.isVisible()
    typed(field(page, "service.port"), on_script, "1234")
    on_script.until(page.restart.isVisible)
    assert on_script.told[-1] == "“Port for chat apps” is saved. Restart Lull to apply it."
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
    switch(page, "idle.enabled").click()
    on_script.until(lambda: "Work while I'm away: now off." in on_script.told)
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
    assert bool(exposure_words(key, text, "https://old.example")) is asks


def test_nothing_lets_data_out_without_a_second_word(on_script: Shown, scripted: Scripted) -> None:
    page = settings(on_script, scripted)
    row = {"key": "judge.allow_remote", "value": False, "default": False, "reason": "."}
    rows = scripted.answers[routes.SETTINGS]["settings"]  # type: ignore[index]
    rows.append({**row, "allowed": "such"})
    scripted.tell("settings")
    on_script.until(lambda: page.showing_body and "judge.allow_remote" in page.lines)
    box = switch(page, "judge.allow_remote")
    box.click()
    on_script.until(page.asking.isVisible)
    assert "send conversations there" in page.asking.words.text()
    on_script.bot.keyClick(page.asking, Qt.Key.Key_Return)
    on_script.until(lambda: not box.isChecked())
    assert scripted.posts(routes.SETTINGS) == []
    box.click()
    on_script.until(page.asking.isVisible)
    page.asking.allow.click()
    wanted = {"key": "judge.allow_remote", "value": "true"}
    on_script.until(lambda: scripted.posts(routes.SETTINGS) == [wanted])


def test_a_helper_is_chosen_from_the_models_of_this_machine_or_typed(
    on_script: Shown, scripted: Scripted
) -> None:
    two = [
        {"name": name, "can_learn": True, "why_not": "", "chosen": name == "qwen3:4b"}
        for name in ("qwen3:4b", "llama3:8b")
    ]
    there = {"models": two, "chosen": "qwen3:4b", "choosing": None}
    scripted.answers[routes.MODELS] = there
    page = settings(on_script, scripted)
    page.look_up("judge")
    judge = page.lines["judge.model"].editor
    assert isinstance(judge, ModelEdit)

    def offered() -> list[str]:
        return [judge.itemText(n) for n in range(judge.count())]

    on_script.until(lambda: offered() == ["automatic", "no model", "qwen3:4b", "llama3:8b"])
    assert judge.currentText() == "automatic"
    judge.setCurrentIndex(2)
    judge.activated.emit(2)
    wanted = [{"key": "judge.model", "value": "qwen3:4b"}]
    on_script.until(lambda: scripted.posts(routes.SETTINGS) == wanted)
    on_script.until(
        lambda: judge.currentText() == "automatic"
    )  # it is what this service still says
    judge.field.selectAll()
    on_script.bot.keyClicks(judge.field, "phi")
    scripted.answers[routes.MODELS] = {**there, "models": two[:1]}
    on_script.desktop.state.touch(Subject.MODELS)
    on_script.until(lambda: offered() == ["automatic", "no model", "qwen3:4b"])
    assert judge.currentText() == "phi"  # what is being typed stays
    on_script.bot.keyClick(judge.field, Qt.Key.Key_Return)
    wanted.append({"key": "judge.model", "value": "phi"})
    on_script.until(lambda: scripted.posts(routes.SETTINGS) == wanted)


def test_a_long_path_of_the_data_folder_does_not_widen_the_page(
    on_script: Shown, scripted: Scripted
) -> None:
    page = settings(on_script, scripted)
    on_script.desktop.window.resize(QSize(900, 600))
    page.data_card.where.setText("/Users/firstname.lastname/Library/" + "Application" * 40)
    on_script.until(lambda: page.area.widget().width() == page.area.viewport().width())
    assert page.area.horizontalScrollBar().maximum() == 0
    assert page.data_card.where.isReadOnly()
