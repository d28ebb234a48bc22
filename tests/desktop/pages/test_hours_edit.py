"""Tests of drawn hours: they mean the same as the setting's lines that they become."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from lull.core.idle.hours import parse_hours
from lull.desktop.language.hours_words import example_hours, hours_typed, hours_words
from lull.desktop.language.language_choice import ENGLISH, apply_language
from lull.desktop.pages.schedule.hours_edit import (
    holds,
    lines_of,
    week_of,
    with_stretch,
    without_stretch,
)

QUARTERS = st.integers(0, 95)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["23:00-07:00"],
        ["mon-fri 23:00-07:00"],
        ["mon-fri 09:00-10:00", "sat 12:00-13:00"],
        ["mon 09:00-10:00", "wed 09:00-10:00"],
        ["sun 22:00-06:00"],
        ["00:00-24:00"],
        ["fri 22:00-24:00", "sat 00:00-24:00"],
    ],
)
def test_lines_come_back_as_they_were(lines: list[str]) -> None:
    assert lines_of(week_of(lines)) == lines


def test_a_stretch_is_put_in_and_taken_out() -> None:
    week = with_stretch(week_of(["mon-fri 09:00-10:00"]), 1, (10 * 60, 12 * 60))
    assert lines_of(week) == [
        "mon 09:00-10:00",
        "wed-fri 09:00-10:00",
        "tue 09:00-12:00",
    ]
    week = without_stretch(week, 1, (9 * 60 + 30, 11 * 60))
    assert week[1] == ((540, 570), (660, 720))
    assert holds(week, 1, 545)
    assert not holds(week, 1, 570)


def test_a_night_cut_on_one_morning_stays_whole_on_the_others() -> None:
    week = without_stretch(week_of(["23:00-07:00"]), 2, (6 * 60, 7 * 60))
    assert "tue 23:00-06:00" in lines_of(week)
    assert week_of(lines_of(week)) == week


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6), QUARTERS, QUARTERS), max_size=12))
def test_whatever_is_drawn_the_lines_say_the_same(
    drawn: list[tuple[bool, int, int, int]],
) -> None:
    week = week_of(["23:00-07:00"])
    for add, day, one, other in drawn:
        low, high = sorted((one * 15, other * 15))
        if low < high:
            week = (with_stretch if add else without_stretch)(week, day, (low, high + 15))
    assert week_of(lines_of(week)) == week


# The days in words


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    apply_language(qapp, "de")
    yield
    apply_language(qapp, ENGLISH)


LINES = ["mon-fri 23:00-07:00", "tue,thu 12:00-13:00", "sat 10:00-11:00", "22:00-06:00"]


@pytest.mark.usefixtures("german")
def test_hours_have_the_days_of_the_window_s_language() -> None:
    assert hours_words("mon-fri 23:00-07:00") == "Mo-Fr 23:00-07:00"
    assert hours_words("weekdays 09:00-10:00") == "werktags 09:00-10:00"
    assert example_hours() == "Mo-Fr 23:00-07:00, Sa-So 00:00-09:30"
    assert hours_words("tea time") == "tea time"


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Mo–Fr 23:00–07:00", "mon-fri 23:00-07:00"),
        ("Montag-Mittwoch 09:00-10:00", "mon-wed 09:00-10:00"),
        ("di., do. 12:00-13:00", "tue, thu 12:00-13:00"),
        ("täglich 22:00-06:00", "daily 22:00-06:00"),
        ("mon-fri 23:00-07:00", "mon-fri 23:00-07:00"),
        ("Teezeit", "Teezeit"),
    ],
)
def test_typed_hours_are_kept_as_the_settings_write_them(typed: str, kept: str) -> None:
    assert hours_typed(typed) == kept


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("language", [ENGLISH, "de"])
def test_hours_that_are_shown_are_read_again(qapp: QApplication, language: str, line: str) -> None:
    apply_language(qapp, language)
    try:
        assert parse_hours(hours_typed(hours_words(line))) == parse_hours(line)
    finally:
        apply_language(qapp, ENGLISH)
