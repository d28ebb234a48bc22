"""Tests of the search on the Settings page: what somebody types is found where it is set."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QAbstractButton

from lull.desktop.pages.settings.finding import Query, queries, said_in
from lull.desktop.pages.settings.page import SettingsPage
from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown
from tests.desktop.pages.settings.test_everyday import seen, whole
from tests.desktop.scripted import Scripted


def meets(typed: str, *texts: str) -> bool:
    """Whether a typed text is found exactly."""
    return next(queries(typed)).fits(said_in(texts))


def is_near(typed: str, *texts: str) -> bool:
    """Whether a typed text is found although a letter is wrong."""
    words = next(queries(typed)).words
    return Query(words=words, needed=len(words), mends=True).fits(said_in(texts))


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("batt", "Battery charge, at least"),  # a beginning
        ("ordner", "Datenordner"),  # a part of a longer word
        ("notifications", "each notification"),  # another ending
        ("calendars", "Calendar"),
        ("training", "Train models"),
        ("logs", "The log"),
        ("privacy", "nothing private"),
        ("größe", "Textgröße"),
        ("groesse", "Textgröße"),
        ("strasse", "Straße"),
        ("IDLE.AFTER_MIN", "idle.after_min"),
        ("file's", "the file's folder"),
    ],
)
def test_a_word_is_found_by_beginning_part_ending_and_spelling(typed: str, text: str) -> None:
    assert meets(typed, text)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("batery", "Battery"),  # left out
        ("langauge", "Language"),  # swapped
        ("notifcatoin", "Notifications"),  # two, in a long word
        ("prot", "Port for chat apps"),
        ("klaender", "Kalender"),
    ],
)
def test_a_word_is_found_with_a_typing_mistake(typed: str, text: str) -> None:
    assert not meets(typed, text) and is_near(typed, text)


@pytest.mark.parametrize(
    ("typed", "text"),
    [("dark", "Data"), ("gpu", "cpu"), ("ab", "ba"), ("contrast", "control"), ("end", "send")],
)
def test_another_word_is_not_found(typed: str, text: str) -> None:
    assert not is_near(typed, text)


def test_without_words_everything_is_found() -> None:
    assert meets("", "x") and meets(" ?! ", "x") and len(list(queries(" "))) == 1


def found(page: SettingsPage) -> tuple[set[str], set[str]]:
    """Return the keys of the settings and the titles of the other cards that are shown."""
    cards = {type(card).__name__ for card in page.own_cards if card.isVisible()}
    return seen(page), cards


@pytest.mark.full
def test_every_card_and_setting_takes_part_in_the_search(
    on_script: Shown, scripted: Scripted, subtests: pytest.Subtests
) -> None:
    page = whole(on_script, scripted)
    for words, key, card in (
        ("restart", "", "LullCard"),
        ("diagnostics", "", "LullCard"),
        ("privacy", "", "PrivacyCard"),
        ("dark theme", "", "WindowCard"),
        ("notifications", "", "WindowCard"),
        ("calendar", "", "ElsewhereCard"),
        ("export", "", "ElsewhereCard"),
        ("delete data", "", "DataCard"),
        ("sleep", "idle.sleep_hours", ""),
        ("warnings and errors", "log.level", ""),  # a choice
        ("temperature", "judge.temperature", ""),  # folded
    ):
        with subtests.test(words):
            page.search.setText(words)
            keys, cards = found(page)
            assert {key, card} - {""} <= keys | cards
            assert not page.none.isVisible()
    page.search.setText("temperature")
    assert page.advanced.isVisible() and page.lines["judge.temperature"].isVisible()
    page.search.setText("advanced")
    assert page.lines["judge.temperature"].isVisible()


def test_on_other_pages_only_the_line_that_was_meant_is_left(
    on_script: Shown, scripted: Scripted
) -> None:
    page = whole(on_script, scripted)
    page.search.setText("calendars")
    lines = page.elsewhere_card.lines
    assert {name for name, line in lines.items() if line.isVisible()} == {PageName.SCHEDULE}
    for words in ("on other pages", ""):
        page.search.setText(words)
        assert all(line.isVisible() for line in lines.values())


def test_what_is_only_close_is_shown_with_a_word_about_it(
    on_script: Shown, scripted: Scripted
) -> None:
    page = whole(on_script, scripted)
    page.search.setText("batery")
    assert "idle.battery_ok" in seen(page)
    assert page.none.isVisible() and page.none.text() == "Nothing matches exactly. This is close."
    page.search.setText("how do I get a dark theme")
    assert page.window_card.isVisible() and seen(page) == set()
    page.search.setText("battery theme")
    assert page.none.text() == "Nothing has all of these words. This has some of them."
    assert page.window_card.isVisible() and "idle.battery_ok" in seen(page)
    page.search.setText("xyzzyplugh")
    assert seen(page) == set() and page.none.text().startswith("Nothing matches. ")
    page.search.clear()
    assert not page.none.isVisible()


def test_privacy_tells_which_settings_let_something_out(
    on_script: Shown, scripted: Scripted
) -> None:
    page = whole(on_script, scripted)
    card = page.privacy_card
    assert card.words.text().startswith("None of your conversations are sent")
    page = whole(on_script, scripted, judge__allow_remote=True)
    on_script.until(lambda: card.words.text().startswith("These settings let data leave"))
    (show,) = card.findChildren(QAbstractButton)
    on_script.until(show.isVisible)
    assert show.accessibleName() == "Show “Let another computer judge”"
    show.click()
    assert "judge.allow_remote" in seen(page)


def test_a_value_that_is_allowed_but_names_nothing_here_is_questioned(
    on_script: Shown, scripted: Scripted
) -> None:
    page = whole(on_script, scripted, backup__folder="/nowhere/at/all")
    page.search.setText("backup folder")
    line = page.lines["backup.folder"]
    on_script.until(line.caution.isVisible)
    assert line.caution.text() == "This folder doesn't exist. No backup is made until it does."
