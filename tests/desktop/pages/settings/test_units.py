"""Tests of settings' names and units: each setting has a name for people, each number its unit."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale

from lull.config.files import describe_settings
from lull.config.settings import Settings
from lull.desktop.language.catalogue import Catalogue
from lull.desktop.language.words import set_language
from lull.desktop.pages.settings import units
from lull.desktop.pages.settings.units import NumberUnit
from lull.desktop.pages.settings.values import caution
from lull.desktop.shared.setting_names import (
    EVERYDAY,
    GROUPS,
    NAMES,
    group_title,
    title_of,
    without_keys,
)


@pytest.fixture
def decimal_comma() -> Iterator[None]:
    set_language(Catalogue(), QLocale("de"))
    yield
    set_language(Catalogue(), QLocale(QLocale.Language.English))


def in_words(key: str) -> str:
    return key.split(".")[1].replace("_", " ")


def test_every_setting_has_a_name_of_its_own_that_is_no_key() -> None:
    keys = [one.key for one in describe_settings(Settings())]
    assert set(NAMES) == set(keys)
    assert len(set(NAMES.values())) == len(NAMES)
    assert set(GROUPS) == {key.split(".")[0] for key in keys}
    same = {key for key, name in NAMES.items() if name.lower() == in_words(key)}
    assert same == {"training.learning_rate"}  # as the whole field calls it
    assert not any("_" in name for name in NAMES.values())


def test_some_fifteen_settings_stand_unfolded() -> None:
    assert 12 <= len(EVERYDAY) <= 16
    assert len(set(EVERYDAY)) == len(EVERYDAY)
    assert set(EVERYDAY) <= set(NAMES)


def test_what_a_newer_service_has_is_named_by_its_key() -> None:
    assert title_of("idle.moon_phase") == "moon phase"
    assert group_title("moon") == "Moon"


def test_a_reason_names_other_settings_as_the_page_does() -> None:
    same = "The same as after_min. It takes the values of judge.model, and some_other."
    assert without_keys(same, "idle") == (
        "The same as “I'm away after”. It takes the values of “Model that judges answers”, "
        "and some_other."
    )


def test_no_reason_says_a_key_of_a_setting() -> None:
    keys = {key.split(".")[1] for key in NAMES if "_" in key.split(".")[1]} | set(NAMES)
    for one in describe_settings(Settings()):
        said = without_keys(one.reason, one.key.split(".")[0]).split()
        assert not keys & {word.strip(".,;:()") for word in said}, one.key


def test_every_number_with_a_unit_in_its_key_has_it_in_words() -> None:
    found = {one.key: units.unit_of(one.key, one.default) for one in describe_settings(Settings())}
    assert found["idle.after_min"] is NumberUnit.MINUTES
    assert found["records.keep_mb"] is NumberUnit.MEGABYTES
    assert found["idle.load_share"] is NumberUnit.PERCENT
    assert found["learning.alpha"] is NumberUnit.PERCENT
    assert found["training.trial_hours"] is NumberUnit.HOURS
    assert found["idle.sleep_hours"] is None  # no number
    assert found["training.group_size"] is None
    assert found["idle.enabled"] is None
    assert set(found.values()) >= set(NumberUnit)
    assert all(units.unit_words(unit) for unit in NumberUnit)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (10.0, NumberUnit.MINUTES, "10"),
        (0.1, NumberUnit.MINUTES, "0.1"),
        (0.07, NumberUnit.PERCENT, "7"),
        (0.055, NumberUnit.PERCENT, "5.5"),
        (10_000_000, NumberUnit.MEGABYTES, "10000000"),
        (64, None, "64"),
    ],
)
def test_a_number_stands_in_its_field_as_people_write_it(
    value: float, unit: NumberUnit | None, text: str
) -> None:
    assert units.field_text(value, unit) == text
    assert float(units.parse_typed(text, unit)) == value


@pytest.mark.usefixtures("decimal_comma")
def test_a_number_is_typed_with_the_point_of_the_language() -> None:
    assert units.field_text(0.5, NumberUnit.MINUTES) == "0,5"
    assert units.parse_typed("0,5", NumberUnit.MINUTES) == "0.5"
    assert units.parse_typed("12,5 %", NumberUnit.PERCENT) == "0.125"


def test_what_is_no_number_goes_to_the_service_which_says_so() -> None:
    assert units.parse_typed("a lot", NumberUnit.PERCENT) == "a lot"
    assert units.parse_typed(" 12 min ", NumberUnit.MINUTES) == "12 min"


def test_a_value_is_said_with_its_unit() -> None:
    assert units.in_words(1.0, NumberUnit.MINUTES) == "1 minute"
    assert units.in_words(15.0, NumberUnit.MINUTES) == "15 minutes"
    assert units.in_words(0.25, NumberUnit.PERCENT) == "25%"
    assert units.in_words(True, None) == "on"
    assert units.in_words(2, NumberUnit.DAYS, "backup.every_days") == "2 days"
    assert units.in_words([], None) == "empty"


def test_the_bounds_of_a_share_are_told_in_percent() -> None:
    one = {"allowed": "a number from 0.05 to 0.9"}
    assert units.allowed(one, NumberUnit.PERCENT) == "a number from 5 to 90"
    assert units.allowed(one, None) == "a number from 0.05 to 0.9"
    assert units.choices({"allowed": 'one of "info", "error"'}) == ("info", "error")
    assert units.choices({"allowed": 'empty or "file:PATH"'}) == ()


def test_a_0_that_does_not_mean_nothing_is_told_in_words() -> None:
    key, days = "backup.every_days", NumberUnit.DAYS
    assert units.in_words(0, days, key) == units.field_text(0, days, key) == "off"
    assert units.unit_beside(0, days, key) == ""
    assert units.unit_beside(7, days, key) == "days"
    assert units.parse_typed(" Off ", days, key) == "0"
    assert units.parse_typed("7", days, key) == "7"
    assert units.in_words(0, days, "records.keep_days") == "for ever"
    assert units.in_words(0, NumberUnit.PERCENT, "training.trial_share") == "no trial"
    assert units.in_words(0, NumberUnit.DAYS, "guard.stale_days") == "0 days"


def test_every_setting_whose_explanation_gives_0_a_meaning_of_its_own_says_it() -> None:
    own = re.compile(
        r"\b0 (?:\(the default\) )?[a-z]+s (?:it|them|no|none|any|Lull)\b|With 0 there is no"
    )
    silent = [
        one.key
        for one in describe_settings(Settings())
        if own.search(one.reason) and not units.zero_words(0, one.key)
    ]
    assert silent == []


def test_a_number_with_marks_between_its_groups_is_that_number() -> None:
    megabytes = NumberUnit.MEGABYTES
    assert units.parse_typed("2,048", megabytes) == "2048"
    assert units.parse_typed("1,234,567", megabytes) == "1234567"
    assert units.parse_typed("1,234.5", NumberUnit.MINUTES) == "1234.5"
    for odd in ("1,5", "0,500", "1,2345", ",500"):  # who writes so means something else
        assert units.parse_typed(odd, NumberUnit.MINUTES) == odd


def test_a_german_one_thousand_five_hundred_is_not_one_and_a_half() -> None:
    set_language(Catalogue(), QLocale("de_DE"))
    assert units.parse_typed("1.500", NumberUnit.MINUTES) == "1500"
    assert units.parse_typed("1,5", NumberUnit.MINUTES) == "1.5"
    assert units.parse_typed("1.5", NumberUnit.MINUTES) == "1.5"


def test_a_model_that_is_not_here_is_questioned_unless_it_runs_elsewhere() -> None:
    here = ("qwen3:8b", "phi4:latest")
    for key, value, elsewhere, wrong in (
        ("judge.model", "qwen", False, True),
        ("judge.model", "qwen3:8b", False, False),
        ("judge.model", "phi4", False, False),
        ("judge.model", "gpt-5", True, False),
        ("judge.model", "auto", False, False),
        ("judge.model", "none", False, False),
        ("training.model", "lull-mini", False, False),
        ("log.level", "info", False, False),
    ):
        words = caution(key, value, models=here, elsewhere=elsewhere)
        assert bool(words) is wrong, (key, value)
    assert caution("judge.model", "qwen", models=(), elsewhere=False) == ""
