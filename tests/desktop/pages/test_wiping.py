"""Tests of deleting data, of resetting settings, and of diagnostics, on the settings page.

What deletes asks first and says how much; what resets can be undone; diagnostics hold nothing that
was said.
"""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QPushButton

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.pages.logs import LogsPage
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.pages.settings.wipe_dialog import WipeDialog
from lull.desktop.pages.settings.wiping import delete_data_files
from lull.desktop.service.state import Phase
from lull.desktop.shared.diagnostics import bug_report, redacted
from lull.desktop.shared.diagnostics_dialog import DiagnosticsDialog
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.pages.settings.test_settings_page import settings
from tests.desktop.scripted import Scripted, status


def conversations(count: int) -> Json:
    rows = [
        {"id": f"conv_{n}", "client": "zed", "model": "pocket", "turns": 1} for n in range(count)
    ]
    return {"conversations": rows, "next": None}


def wipe_dialog(shown: Shown, page: SettingsPage) -> WipeDialog:
    page.data_card.wipe.click()
    shown.until(lambda: page.findChildren(WipeDialog))
    (dialog,) = page.findChildren(WipeDialog)
    return dialog


def test_wiping_says_how_much_goes_and_needs_a_yes(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.CONVERSATIONS] = conversations(3)
    scripted.answers[routes.FORGET] = {"done": True, "removed": {}}
    dialog = wipe_dialog(on_script, settings(on_script, scripted))
    on_script.until(lambda: "3 conversations will be deleted" in dialog.words.text())
    assert not dialog.wipe.isEnabled()
    dialog.sure.setChecked(True)
    dialog.wipe.click()
    on_script.until(lambda: "Deleted." in on_script.told)
    assert scripted.posts(routes.FORGET) == [
        {"conversation": f"conv_{n}", "yes": True} for n in range(3)
    ]


@pytest.mark.parametrize("begun", [False, True])
def test_programs_that_are_known_late_take_back_no_yes_and_stop_nothing(
    on_script: Shown, scripted: Scripted, begun: bool
) -> None:
    scripted.answers[routes.CONVERSATIONS] = conversations(3)
    scripted.answers[routes.CONVERSATION_KINDS] = {"clients": ["zed"], "models": []}
    scripted.answers[routes.FORGET] = {"done": True, "removed": {}}
    known = scripted.held[routes.CONVERSATION_KINDS] = threading.Event()
    forgetting = scripted.held[routes.FORGET] = threading.Event()
    dialog = wipe_dialog(on_script, settings(on_script, scripted))
    on_script.until(dialog.sure.isEnabled)
    assert not dialog.one.isEnabled()
    dialog.sure.setChecked(True)
    if begun:
        dialog.wipe.click()
        on_script.until(lambda: scripted.posts(routes.FORGET))
    known.set()
    on_script.until(dialog.client.count)
    assert dialog.sure.isChecked()
    assert dialog.one.isEnabled() is not begun
    if not begun:
        dialog.wipe.click()
    forgetting.set()
    on_script.until(lambda: "Deleted." in on_script.told)
    assert len(scripted.posts(routes.FORGET)) == 3


def test_another_choice_asks_for_the_yes_again(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.CONVERSATIONS] = conversations(2)
    scripted.answers[routes.CONVERSATION_KINDS] = {"clients": ["zed"], "models": []}
    dialog = wipe_dialog(on_script, settings(on_script, scripted))
    on_script.until(dialog.one.isEnabled)
    on_script.until(dialog.sure.isEnabled)
    dialog.sure.setChecked(True)
    dialog.one.setChecked(True)
    assert dialog.client.currentText() == "zed"
    assert not dialog.sure.isChecked() and not dialog.wipe.isEnabled()


def test_what_cannot_be_forgotten_ends_it_and_says_what_is_left(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.answers[routes.CONVERSATIONS] = conversations(4)
    scripted.refusing[routes.FORGET] = {"title": "No", "detail": "The disk is full.", "hint": ""}
    dialog = wipe_dialog(on_script, settings(on_script, scripted))
    on_script.until(dialog.sure.isEnabled)
    dialog.sure.setChecked(True)
    dialog.wipe.click()
    on_script.until(
        lambda: any("4 conversations are still there" in text for text in on_script.told)
    )
    assert any("The disk is full." in text for text in on_script.told)
    assert len(scripted.posts(routes.FORGET)) == 1


def test_leaving_the_dialog_deletes_nothing(on_script: Shown, scripted: Scripted) -> None:
    scripted.answers[routes.CONVERSATIONS] = conversations(4)
    dialog = wipe_dialog(on_script, settings(on_script, scripted))
    on_script.until(dialog.sure.isEnabled)
    dialog.keep.click()
    assert dialog.isHidden()
    on_script.until(lambda: not shiboken6.isValid(dialog))
    assert scripted.posts(routes.FORGET) == []


def test_leaving_while_it_counts_says_nothing(on_script: Shown, scripted: Scripted) -> None:
    counting = scripted.held[routes.CONVERSATIONS] = threading.Event()
    dialog = wipe_dialog(on_script, settings(on_script, scripted))
    dialog.keep.click()
    on_script.until(lambda: not shiboken6.isValid(dialog))
    counting.set()
    on_script.until(lambda: not on_script.desktop.client.busy)
    assert on_script.told == []


def test_stopped_in_the_middle_it_closes_and_says_what_is_left(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.answers[routes.CONVERSATIONS] = conversations(3)
    scripted.answers[routes.FORGET] = {"done": True, "removed": {}}
    forgetting = scripted.held[routes.FORGET] = threading.Event()
    dialog = wipe_dialog(on_script, settings(on_script, scripted))
    on_script.until(dialog.sure.isEnabled)
    dialog.sure.setChecked(True)
    dialog.wipe.click()
    on_script.until(lambda: scripted.posts(routes.FORGET))
    dialog.keep.click()
    on_script.until(lambda: not shiboken6.isValid(dialog))
    forgetting.set()
    on_script.until(lambda: "Stopped: 2 conversations are still there." in on_script.told)
    assert len(scripted.posts(routes.FORGET)) == 1


def test_a_wiped_home_keeps_what_a_window_holds_open(tmp_path: Path) -> None:
    for name in ("lull.db", "settings.toml", "window.ini", "service.lock"):
        (tmp_path / name).write_text("x")
    for name in ("library", "run", "logs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").write_text("x")
    (tmp_path / "elsewhere").symlink_to(tmp_path / "run")
    assert delete_data_files(tmp_path) == []
    assert sorted(one.name for one in tmp_path.iterdir()) == ["run", "service.lock", "window.ini"]
    assert (tmp_path / "run" / "x").exists()


def test_what_puts_connected_programs_back_is_kept_and_said(
    on_script: Shown, scripted: Scripted
) -> None:
    home = on_script.desktop.kit.place.home
    record = home / "clients" / "zed-1" / "connection.json"
    record.parent.mkdir(parents=True)
    dialog = wipe_dialog(on_script, settings(on_script, scripted))
    dialog.everything.setChecked(True)
    assert "stay connected" not in dialog.words.text()
    record.write_text("{}")
    dialog.all.setChecked(True)
    dialog.everything.setChecked(True)
    assert "stay connected" in dialog.words.text()
    assert delete_data_files(home) == [] and record.exists()
    record.unlink()
    assert delete_data_files(home) == [] and not (home / "clients").exists()


def test_what_may_still_lie_in_the_keychain_is_said_with_its_name(
    on_script: Shown, scripted: Scripted
) -> None:
    kit = on_script.desktop.kit
    gone = dataclasses.replace(kit.place.service, running=lambda: False)
    place = dataclasses.replace(kit.place, service=gone)
    left = {"detail": "Its address may still be in the keychain.", "hint": "Its entry is cal_1."}
    scripted.answers[routes.CALENDARS] = {"calendars": [{"id": "cal_1"}, {"id": "cal_2"}]}
    scripted.answers[routes.CALENDAR_REMOVE] = lambda asked: {
        "problem": {"title": "x", **left} if asked["calendar"] == "cal_1" else None
    }
    scripted.refusing[routes.TOKEN] = {"title": "x", "detail": "It is locked.", "hint": ""}
    scripted.answers[routes.STOP] = {"stopping": True}
    (place.home / "settings.toml").write_text("")
    page = settings(on_script, scripted)
    dialog = WipeDialog(dataclasses.replace(kit, place=place), page)
    dialog.open()
    dialog.everything.setChecked(True)
    dialog.sure.setChecked(True)
    dialog.wipe.click()
    on_script.until(lambda: "The files are gone." in dialog.words.text())
    words = dialog.words.text()
    assert words.count("Its entry is cal_1.") == 1
    assert "Lull's access token for the network may still be in the keychain." in words
    assert f"“Lull ({place.home})”" in words
    assert "Deleted." not in on_script.told
    assert not (place.home / "settings.toml").exists()


# Reset


def test_a_group_is_reset_and_that_can_be_undone(on_script: Shown, scripted: Scripted) -> None:
    page = settings(on_script, scripted)
    by_name = {one.accessibleName(): one for one in page.findChildren(QPushButton)}
    assert not by_name["Reset Connection"].isEnabled()  # it is as it was
    scripted.answers[routes.SETTINGS]["restart_needed"] = False
    by_name["Reset When Lull works"].click()
    on_script.until(lambda: "“When Lull works” was reset." in on_script.told)
    assert scripted.posts(routes.SETTINGS) == [{"key": "idle.sleep_hours", "value": ""}]
    on_script.desktop.window.note.undo.click()
    on_script.until(lambda: len(scripted.posts(routes.SETTINGS)) == 2)
    assert scripted.posts(routes.SETTINGS)[1]["value"] == "22:00-06:00"


# Diagnostics

SECRETS = [
    "sk-proj-abcdefghijklmnop1234567890ABCDEFGHIJ",
    "https://calendar.example.org/private-0123/basic.ics",
    "webcal://calendar.example.org/x.ics",
    "anna@example.org",
    "/home/anna/lull",
    "anna",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_diagnostics_hide(secret: str) -> None:
    text = redacted(f"api_key = {secret} seen", home=Path("/home/anna/lull"), user="anna")
    assert secret not in text
    assert text.endswith("seen")


def test_diagnostics_keep_what_helps() -> None:
    text = bug_report(
        status=status(),
        checks=[{"name": "disk", "ok": False, "serious": True, "text": "Full.", "hint": "Tidy."}],
        settings=[{"key": "service.port", "value": 1, "default": 2}],
        log=["listening at http://127.0.0.1:11435"],
        home=Path("/home/me/lull"),
        user="me",
    )
    for words in (
        "FAIL disk: Full. Tidy.",
        "service.port = 1",
        "http://127.0.0.1:11435",
        "Lull 0.1",
    ):
        assert words in text


def test_they_are_read_before_they_are_saved(
    on_script: Shown, scripted: Scripted, tmp_path: Path
) -> None:
    scripted.answers[routes.DOCTOR] = {
        "checks": [{"name": "disk", "ok": True, "serious": False, "text": "Fine.", "hint": ""}]
    }
    page = settings(on_script, scripted)
    page.lull_card.diagnose.click()
    on_script.until(lambda: page.findChildren(DiagnosticsDialog))
    (dialog,) = page.findChildren(DiagnosticsDialog)
    on_script.until(dialog.save.isEnabled)
    assert "ok disk: Fine." in dialog.text.toPlainText()
    dialog.write(str(tmp_path / "d.txt"))
    assert (tmp_path / "d.txt").read_text() == dialog.text.toPlainText()
    dialog.write(str(tmp_path / "nowhere" / "d.txt"))
    on_script.until(lambda: any(text.startswith("Not saved") for text in on_script.told))


def test_without_a_service_the_log_is_what_there_is(on_script: Shown, scripted: Scripted) -> None:
    page = on_script.go(PageName.LOGS)
    assert isinstance(page, LogsPage)
    scripted.down()
    on_script.until(lambda: on_script.desktop.state.phase is Phase.DOWN)
    page.diagnose.click()
    on_script.until(lambda: page.findChildren(DiagnosticsDialog))
    (dialog,) = page.findChildren(DiagnosticsDialog)
    on_script.until(dialog.save.isEnabled)
    assert "FAIL doctor: The service is not running." in dialog.text.toPlainText()
    scripted.up()
