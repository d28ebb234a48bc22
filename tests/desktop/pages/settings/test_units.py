"""Names and units of settings: every setting has a name for people, and a number its unit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale

from lull.config.files import show
from lull.config.settings import Settings
from lull.desktop.language.catalogue import Catalogue
from lull.desktop.pages.settings import units
from lull.desktop.pages.settings.names import (
    EVERYDAY,
    GROUPS,
    NAMES,
    group_title,
    title_of,
    without_keys,
)
from lull.desktop.pages.settings.units import SettingUnit
from lull.desktop.words import speak


@pytest.fixture
def decimal_comma() -> Iterator[None]:
    speak(Catalogue(), QLocale("de"))
    yield
    speak(Catalogue(), QLocale(QLocale.Language.English))


def in_words(key: str) -> str:
    return key.split(".")[1].replace("_", " ")


def test_every_setting_has_a_name_of_its_own_that_is_no_key() -> None:
    keys = [one.key for one in show(Settings())]
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
    for one in show(Settings()):
        said = without_keys(one.reason, one.key.split(".")[0]).split()
        assert not keys & {word.strip(".,;:()") for word in said}, one.key


def test_every_number_with_a_unit_in_its_key_has_it_in_words() -> None:
    found = {one.key: units.unit_of(one.key, one.default) for one in show(Settings())}
    assert found["idle.after_min"] is SettingUnit.MINUTES
    assert found["records.keep_mb"] is SettingUnit.MEGABYTES
    assert found["idle.load_share"] is SettingUnit.PERCENT
    assert found["learning.alpha"] is SettingUnit.PERCENT
    assert found["training.trial_hours"] is SettingUnit.HOURS
    assert found["idle.sleep_hours"] is None  # no number
    assert found["training.group_size"] is None
    assert found["idle.enabled"] is None
    assert set(found.values()) >= set(SettingUnit)
    assert all(units.unit_words(unit) for unit in SettingUnit)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (10.0, SettingUnit.MINUTES, "10"),
        (0.1, SettingUnit.MINUTES, "0.1"),
        (0.07, SettingUnit.PERCENT, "7"),
        (0.055, SettingUnit.PERCENT, "5.5"),
        (10_000_000, SettingUnit.MEGABYTES, "10000000"),
        (64, None, "64"),
    ],
)
def test_a_number_stands_in_its_field_as_people_write_it(
    value: float, unit: SettingUnit | None, text: str
) -> None:
    assert units.shown(value, unit) == text
    assert float(units.typed(text, unit)) == value


@pytest.mark.usefixtures("decimal_comma")
def test_a_number_is_typed_with_the_point_of_the_language() -> None:
    assert units.shown(0.5, SettingUnit.MINUTES) == "0,5"
    assert units.typed("0,5", SettingUnit.MINUTES) == "0.5"
    assert units.typed("12,5 %", SettingUnit.PERCENT) == "0.125"


def test_what_is_no_number_goes_to_the_service_which_says_so() -> None:
    assert units.typed("a lot", SettingUnit.PERCENT) == "a lot"
    assert units.typed(" 12 min ", SettingUnit.MINUTES) == "12 min"


def test_a_value_is_said_with_its_unit() -> None:
    assert units.said(1.0, SettingUnit.MINUTES) == "1 minute"
    assert units.said(15.0, SettingUnit.MINUTES) == "15 minutes"
    assert units.said(0.25, SettingUnit.PERCENT) == "25%"
    assert units.said(True, None) == "on"
    assert units.said([], None) == "empty"


def test_the_bounds_of_a_share_are_told_in_percent() -> None:
    one = {"allowed": "a number from 0.05 to 0.9"}
    assert units.allowed(one, SettingUnit.PERCENT) == "a number from 5 to 90"
    assert units.allowed(one, None) == "a number from 0.05 to 0.9"
    assert units.choices({"allowed": 'one of "info", "error"'}) == ("info", "error")
    assert units.choices({"allowed": 'empty or "file:PATH"'}) == ()
