"""Tests of the editor for hours of the week on the Settings page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QLocale
from pytestqt.qtbot import QtBot

from lull.core.idle.hours import parse_hours
from lull.desktop.language.catalogue import Catalogue
from lull.desktop.language.words import set_language
from lull.desktop.pages.settings import units
from lull.desktop.pages.settings.editors import editor_for
from lull.desktop.pages.settings.hours_edit import HoursEdit

HOURS = ("idle.sleep_hours", "idle.allowed_hours", "idle.blocked_hours")
Made = Callable[..., tuple[HoursEdit, list[str]]]


@pytest.fixture
def made(qtbot: QtBot) -> Made:
    def make(*lines: str, key: str = HOURS[1]) -> tuple[HoursEdit, list[str]]:
        editor = editor_for({"key": key, "value": list(lines)}, lambda: None)
        assert isinstance(editor, HoursEdit)
        entered: list[str] = []
        editor.entered.connect(entered.append)
        qtbot.addWidget(editor)
        editor.put(list(lines))
        editor.show()
        return editor, entered

    return make


def choose(box: object, text: str) -> None:
    box.setCurrentIndex(box.findText(text))  # type: ignore[attr-defined]
    box.activated.emit(box.currentIndex())  # type: ignore[attr-defined]


@pytest.mark.slow
def test_no_hours_are_typed_so_that_none_can_be_taken_for_others(made: Made) -> None:
    for key in HOURS:
        editor, entered = made(key=key)
        assert editor.start.currentText() == "not set" and not editor.days.isVisible()
        choose(editor.start, "22:00")
        assert entered == ["22:00-07:00"]


@pytest.mark.slow
def test_days_are_chosen_by_their_names(made: Made) -> None:
    editor, entered = made("mon-fri 22:00-06:00")
    assert editor.days.currentText() == "Monday to Friday"
    choose(editor.days, "Saturday and Sunday")
    choose(editor.days, "every day")
    choose(editor.start, "not set")
    assert entered == ["sat-sun 22:00-06:00", "22:00-06:00", ""]


@pytest.mark.slow
def test_what_a_line_says_is_shown_in_whatever_form_it_was_written(made: Made) -> None:
    for line, days, start, end in (
        ("daily 09:00-17:00", "every day", "09:00", "17:00"),
        ("weekdays 9:00-17:15", "Monday to Friday", "09:00", "17:15"),
        ("sun, sat 00:00-24:00", "Saturday and Sunday", "00:00", "00:00"),
        ("fri-mon 22:00-06:00", "Fri-Mon", "22:00", "06:00"),
        ("wed 10:00 - 11:00", "Wed", "10:00", "11:00"),
    ):
        editor, entered = made(line)
        shown = [box.currentText() for box in (editor.days, editor.start, editor.end)]
        assert shown == [days, start, end], line
        choose(editor.end, editor.end.currentText())
        assert parse_hours(entered[-1]) == parse_hours(line)


@pytest.mark.slow
def test_hours_that_begin_when_they_end_last_all_day_and_say_so(made: Made) -> None:
    editor, _ = made("07:00-07:00")
    assert editor.note.isVisible() and "all day" in editor.note.text()
    editor, _ = made("07:00-08:00")
    assert not editor.note.isVisible()


def test_hours_are_told_with_the_names_of_days_in_the_windows_language() -> None:
    set_language(Catalogue(), QLocale("de_DE"))
    assert units.in_words(["mon-fri 22:00-06:00"], None, HOURS[0]) == "Mo-Fr 22:00-06:00"
