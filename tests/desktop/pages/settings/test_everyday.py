"""Tests of everyday settings: some by plain names and with units, the rest folded; a theme."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from lull.config.files import describe_settings as all_settings
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.main import Desktop
from lull.desktop.pages.settings.advanced import ADVANCED_OPEN
from lull.desktop.pages.settings.editors import FieldEdit, OneOfEdit
from lull.desktop.pages.settings.lines import SettingsCard
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.shared.setting_names import EVERYDAY, LEARNING, TIMES
from lull.desktop.widgets.page import PageName
from lull.desktop.widgets.style import THEME
from lull.desktop.widgets.tokens import DARK, LIGHT
from tests.desktop.conftest import OneProcess, Shown, place_of
from tests.desktop.pages.settings.test_settings_page import field, hours, switch, typed
from tests.desktop.scripted import Scripted
from tests.desktop.tray.fake_tray import FakeTray


def rows(**changed: object) -> list[Json]:
    """Return all of Lull's settings; a keyword such as `idle__enabled` gives one another value."""
    values = {key.replace("__", "."): value for key, value in changed.items()}
    return [
        {
            "key": one.key,
            "value": values.get(one.key, one.default),
            "default": one.default,
            "reason": one.reason,
            "allowed": one.allowed,
        }
        for one in all_settings(Settings())
    ]


def whole(shown: Shown, scripted: Scripted, **changed: object) -> SettingsPage:
    """Open the page with all of Lull's settings, of which a search has made those that are
    folded.
    """
    scripted.answers[routes.SETTINGS] = {"file": "settings.toml", "settings": rows(**changed)}
    page = shown.go(PageName.SETTINGS)
    assert isinstance(page, SettingsPage)
    shown.until(lambda: page.showing_body and page.lines)
    made_by_a_search(page)
    assert len(page.lines) == len(rows())
    return page


def made_by_a_search(page: SettingsPage) -> None:
    page.search.setText("e")
    page.search.clear()


def seen(page: SettingsPage) -> set[str]:
    return {key for key, line in page.lines.items() if line.isVisible()}


def test_what_people_use_is_seen_and_the_rest_is_folded_until_it_is_asked_for(
    on_script: Shown, scripted: Scripted
) -> None:
    page = whole(on_script, scripted)
    assert seen(page) == set(EVERYDAY)
    fold = page.advanced.fold
    assert fold.text() == "Show advanced settings" and fold.accessibleName() == fold.text()
    fold.click()
    assert seen(page) == set(page.lines)
    assert fold.text() == "Hide advanced settings"
    fold.click()
    assert seen(page) == set(EVERYDAY)


@pytest.mark.full
def test_the_fold_stays_as_it_was_left(on_script: Shown, scripted: Scripted) -> None:
    page = whole(on_script, scripted)
    page.advanced.fold.click()
    assert page.kit.preferences.value(ADVANCED_OPEN, False, type=bool) is True
    again = SettingsPage(page.kit)
    on_script.bot.addWidget(again)
    again.show()
    on_script.until(lambda: seen(again) == set(page.lines))


def test_no_line_is_titled_with_a_key_and_the_tooltip_has_it(
    on_script: Shown, scripted: Scripted
) -> None:
    page = whole(on_script, scripted)
    for key, line in page.lines.items():
        said = {one.text() for one in line.findChildren(QLabel)}
        assert line.title in said
        assert not any(key in text or key.split(".")[1] == text for text in said), key
        assert line.editor.toolTip().endswith(key)


def test_cards_are_in_the_order_of_what_people_want(on_script: Shown, scripted: Scripted) -> None:
    page = whole(on_script, scripted)
    assert [card.title for card in page.cards] == [
        "My chats",
        "When Lull works",
        "What Lull learns",
        "Connection",
    ]
    assert tuple(line.key for line in page.cards[1].lines) == TIMES
    assert tuple(line.key for line in page.cards[2].lines) == LEARNING


SEARCHES = [
    ("sleep hours", "idle.sleep_hours", "idle.sure_after_min"),  # names
    ("seasons", "records.keep_days", ""),  # an explanation
    ("video export or a backup", "", "idle.load_share"),
    ("idle.after_min", "idle.after_min", ""),  # a key
    ("judge.votes", "", "judge.votes"),
    ("minutes", "idle.after_min", "engine.idle_unload_min"),  # a unit
    ("Judging answers", "", "judge.temperature"),  # a card
    ("KL PENALTY", "", "training.kl_beta"),
]


@pytest.mark.full
def test_the_search_finds_in_both_parts_and_opens_advanced_where_the_hit_lies_there(
    on_script: Shown, scripted: Scripted, subtests: pytest.Subtests
) -> None:
    page = whole(on_script, scripted)
    for words, everyday, advanced in SEARCHES:
        with subtests.test(words):
            page.search.setText(words)
            found = seen(page)
            assert {everyday, advanced} - {""} <= found
            assert bool(found & set(EVERYDAY)) is bool(everyday)
            assert bool(found - set(EVERYDAY)) is bool(advanced)
            assert page.advanced.isVisible() is bool(advanced)
            page.search.clear()
            assert seen(page) == set(EVERYDAY)
            assert page.kit.preferences.value(ADVANCED_OPEN, False, type=bool) is False


def test_the_search_finds_the_theme(on_script: Shown, scripted: Scripted) -> None:
    page = whole(on_script, scripted)
    page.search.setText("dark")
    assert page.window_card.isVisible() and not page.data_card.isVisible()


def test_a_number_stands_with_its_unit_and_a_share_in_percent(
    on_script: Shown, scripted: Scripted
) -> None:
    page = whole(on_script, scripted, idle__after_min=1.0)
    away = page.lines["idle.after_min"]
    assert field(page, "idle.after_min").text() == "1"
    assert away.unit_label.isVisible() and away.unit_label.text() == "minute"
    assert page.lines["records.keep_mb"].unit_label.text() == "MB"
    page.search.setText("processor")
    load = field(page, "idle.load_share")
    assert load.text() == "30" and page.lines["idle.load_share"].unit_label.text() == "%"
    assert "from 0 to 100" in load.toolTip() and "30%" in load.toolTip()
    done = {"key": "idle.load_share", "value": 0.45, "restart_needed": False}
    scripted.answers[routes.SETTINGS] = lambda body: done if body else {"settings": rows()}
    typed(load, on_script, "45")
    wanted = {"key": "idle.load_share", "value": "0.45"}
    on_script.until(lambda: scripted.posts(routes.SETTINGS) == [wanted])
    on_script.until(lambda: on_script.told)
    assert on_script.told[-1] == "Processor use by other programs, at most: now 45%."


def test_on_and_off_is_a_switch_for_mouse_keys_and_screen_readers(
    on_script: Shown, scripted: Scripted
) -> None:
    page = whole(on_script, scripted)
    one = switch(page, "idle.battery_ok")
    assert one.text() == "off" and not one.isChecked()
    QAccessible.setActive(True)
    told = QAccessible.queryAccessibleInterface(one)
    assert told is not None
    assert told.role() is QAccessible.Role.CheckBox
    assert told.text(QAccessible.Text.Name) == "Work on battery too"
    assert "empty the battery" in told.text(QAccessible.Text.Description)
    on_script.bot.keyClick(one, Qt.Key.Key_Space)
    assert one.text() == "on" and told.state().checked
    wanted = {"key": "idle.battery_ok", "value": "true"}
    on_script.until(lambda: scripted.posts(routes.SETTINGS) == [wanted])


def test_the_wheel_changes_nothing(on_script: Shown, scripted: Scripted) -> None:
    page = whole(on_script, scripted, idle__sleep_hours=["22:00-06:00"])
    page.advanced.fold.click()
    editors = [
        switch(page, "idle.enabled"),
        field(page, "idle.after_min"),
        hours(page).start,
        hours(page).end,
        page.lines["log.level"].editor,
        page.window_card.theme,
        page.window_card.text_size,
    ]
    for one in editors:
        middle = one.rect().center()
        turned = QWheelEvent(
            QPointF(middle),
            QPointF(one.mapToGlobal(middle)),
            QPoint(0, 0),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(one, turned)
    assert switch(page, "idle.enabled").isChecked()
    assert field(page, "idle.after_min").text() == "1.5"
    assert hours(page).start.currentText() == "22:00"
    assert page.window_card.theme.currentIndex() == 0
    assert scripted.posts(routes.SETTINGS) == []


def test_sleep_hours_are_two_times(on_script: Shown, scripted: Scripted) -> None:
    page = whole(on_script, scripted)
    editor = hours(page)
    assert editor.start.currentText() == "not set" and not editor.end.isVisible()
    editor.start.setCurrentIndex(editor.start.findData("22:30"))
    editor.start.activated.emit(editor.start.currentIndex())
    on_script.until(lambda: scripted.posts(routes.SETTINGS))
    assert scripted.posts(routes.SETTINGS)[-1]["value"] == "22:30-07:00"
    scripted.answers[routes.SETTINGS] = {"settings": rows(idle__sleep_hours=["22:15-05:00"])}
    scripted.tell("settings")
    on_script.until(lambda: editor.start.currentText() == "22:15")
    assert editor.end.isVisible() and editor.end.currentText() == "05:00"
    assert editor.start.accessibleName() == "My sleep hours: from"
    times = [editor.start.itemText(n) for n in range(1, editor.start.count())]
    assert times == sorted(times) and "22:15" in times


def test_hours_that_differ_by_day_are_left_to_the_schedule(
    on_script: Shown, scripted: Scripted
) -> None:
    lines = ["mon-fri 23:00-07:00", "sat-sun 01:00-09:00"]
    page = whole(on_script, scripted, idle__sleep_hours=lines)
    editor = hours(page)
    assert not editor.start.isVisible() and not editor.end.isVisible()
    assert editor.lines.text() == "Mon-Fri 23:00-07:00, Sat-Sun 01:00-09:00"
    editor.several.click()
    on_script.until(on_script.desktop.window.page(PageName.SCHEDULE).isVisible)
    assert scripted.posts(routes.SETTINGS) == []


def test_one_of_a_few_texts_is_chosen(on_script: Shown, scripted: Scripted) -> None:
    page = whole(on_script, scripted)
    level = page.lines["log.level"].editor
    assert isinstance(level, OneOfEdit) and level.currentText() == "normal"
    level.setCurrentIndex(level.findData("debug"))
    level.activated.emit(level.currentIndex())
    wanted = {"key": "log.level", "value": "debug"}
    on_script.until(lambda: scripted.posts(routes.SETTINGS) == [wanted])


@pytest.mark.full
def test_what_was_changed_is_marked_and_its_card_resets_it(
    on_script: Shown, scripted: Scripted
) -> None:
    page = whole(on_script, scripted, idle__battery_ok=True, judge__votes=5)
    marked = {key for key, line in page.lines.items() if not line.mark.isHidden()}
    assert marked == {"idle.battery_ok", "judge.votes"}
    assert page.lines["idle.battery_ok"].mark.toolTip() == "Default: off."
    resets = [card.title for card in page.cards if card.reset.isEnabled()]
    assert resets == ["When Lull works"]
    page.advanced.fold.click()
    judge = page.advanced.cards["judge"]
    assert judge.reset.isEnabled() and not page.advanced.cards["log"].reset.isEnabled()
    judge.reset.click()
    on_script.until(lambda: scripted.posts(routes.SETTINGS))
    assert scripted.posts(routes.SETTINGS) == [{"key": "judge.votes", "value": "3"}]


def test_what_is_being_typed_is_not_taken_away(on_script: Shown, scripted: Scripted) -> None:
    page = whole(on_script, scripted)
    port = field(page, "service.port")
    port.clear()
    on_script.bot.keyClicks(port, "12")
    scripted.answers[routes.SETTINGS] = {"settings": rows(idle__battery_ok=True)}
    scripted.tell("settings")
    on_script.until(switch(page, "idle.battery_ok").isChecked)
    assert port.text() == "12"


def choose(page: SettingsPage, theme: str) -> None:
    box = page.window_card.theme
    box.setCurrentIndex(box.findData(theme))
    box.activated.emit(box.currentIndex())


@pytest.mark.full
def test_a_theme_acts_at_once_and_is_kept(
    on_script: Shown, scripted: Scripted, home: Path, qapp: QApplication
) -> None:
    page = whole(on_script, scripted)
    look, preferences = page.kit.look, page.kit.preferences
    assert page.window_card.theme.currentText() == "Like the system"
    choose(page, "dark")
    assert look.theme is DARK and DARK.page in qapp.styleSheet()
    assert preferences.value(THEME) == "dark"
    preferences.sync()
    place = place_of(Paths.from_environment(os.environ, "linux", home=str(home)), lambda: True)
    place = replace(place, window_socket=place.window_socket.with_name("other.sock"))
    other = Desktop(qapp, place, backend=FakeTray(there=True), spawn=lambda _: OneProcess())
    on_script.bot.addWidget(other.window)
    assert other.look.theme is DARK
    other.end()
    choose(page, "light")
    assert look.theme is LIGHT and LIGHT.page in qapp.styleSheet()
    choose(page, "system")
    assert preferences.value(THEME) == "system"


def test_a_theme_that_is_not_known_is_the_systems(show: Callable[..., Shown], home: Path) -> None:
    home.mkdir(parents=True)
    shown = show(home)
    shown.desktop.preferences.setValue(THEME, "sepia")
    card = SettingsPage(shown.desktop.kit).window_card
    assert card.theme.currentText() == "Like the system"


def test_fields_for_numbers_stand_in_one_column(on_script: Shown, scripted: Scripted) -> None:
    page = whole(on_script, scripted)
    on_script.until(lambda: seen(page))
    page.advanced.fold.click()
    cards = (*page.cards, *page.advanced.cards.values())

    def ends(card: SettingsCard) -> set[int]:
        editors = (line.editor for line in card.lines)
        fields = [one for one in editors if isinstance(one, FieldEdit) and one.of_number]
        return {one.mapTo(card, one.rect().topRight()).x() for one in fields if one.isVisible()}

    assert any(len(card.lines) > 3 for card in cards)
    on_script.until(lambda: all(len(ends(card)) <= 1 for card in cards))


def test_folded_settings_take_no_time_and_room_until_they_are_wanted(
    on_script: Shown, scripted: Scripted
) -> None:
    scripted.answers[routes.SETTINGS] = {"file": "settings.toml", "settings": rows()}
    page = on_script.go(PageName.SETTINGS)
    assert isinstance(page, SettingsPage)
    on_script.until(lambda: page.showing_body and page.lines)
    assert page.advanced.isVisible() and set(page.lines) <= set(EVERYDAY)
    page.advanced.fold.click()
    on_script.until(lambda: len(seen(page)) == len(rows()))
    page.advanced.fold.click()
    assert seen(page) <= set(EVERYDAY) and page.advanced.isVisible()


@pytest.mark.parametrize(
    ("spoken", "code", "said"),
    [
        ("en", "de", "The window is in German after a restart."),
        ("de", "system", "The window is in the system's language after a restart."),
    ],
)
def test_another_language_says_from_when_and_stays_on_offer(
    on_script: Shown, spoken: str, code: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QLocale, "uiLanguages", lambda _: ["en"])
    page = on_script.go(PageName.SETTINGS)
    assert isinstance(page, SettingsPage)
    card = page.window_card
    card._spoken = spoken
    card._choose_language(code)
    assert on_script.told == [said]
    assert on_script.desktop.window.note.undo.text() == "Restart now"
    # The note goes after some seconds, and what it offers stays.
    assert not card.restart.isHidden() and card.restart_words.text() == said
    assert [one.text() for one in card.restart.findChildren(QPushButton)] == ["Restart now"]
    card._choose_language(spoken)
    assert card.restart.isHidden() and on_script.told == [said]  # it is in force already
    page.window_card._choose_language("system")
