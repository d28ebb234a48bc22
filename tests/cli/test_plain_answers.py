"""Tests of what people try first: it is understood, or refused in a sentence that helps."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Here


def test_a_count_below_one_is_told_as_that(here: Here) -> None:
    ran = here("logs", "--lines", "-1")
    assert ran.code == 2 and "at least 1" in ran.err


@pytest.mark.parametrize("length", ["45m", "3h", "2d", "90 min", "tomorrow"])
def test_any_length_of_a_pause_is_understood(here: Here, length: str) -> None:
    assert here("pause", length).code == 3  # no service runs; the words are right


@pytest.mark.parametrize("length", ["0m", "soon", "-1h", "99999d", "1.5h"])
def test_no_length_of_a_pause_is_told_with_examples(here: Here, length: str) -> None:
    ran = here("pause", length)
    assert (ran.code == 2 and "45m" in ran.err) or "not understood" in ran.err


def test_hours_that_cannot_be_read_are_named(here: Here) -> None:
    ran = here("settings", "set", "idle.sleep_hours", "23:00-07:00, 11pm-7am")
    assert ran.code == 1
    assert 'Can\'t read "11pm-7am"' in ran.err and "22:00-06:00" in ran.err
    assert "[" not in ran.err


def test_settings_are_shown_by_group_and_by_change(here: Here) -> None:
    assert here("settings", "set", "service.port", "1234").code == 0
    group = here("settings", "show", "service", "--json").json["settings"]
    assert {one["key"].split(".")[0] for one in group} == {"service"}
    changed = here("settings", "show", "--changed", "--json").json["settings"]
    assert [one["key"] for one in changed] == ["service.port"]
    ran = here("settings", "show", "nothing")
    assert ran.code == 1 and "service" in ran.err
    assert len(here("settings", "--json").json["settings"]) > 80


def test_open_says_that_it_stays(here: Here) -> None:
    assert "stays in the foreground" in here("open", "--help").out
