"""Tests of the idle settings: how the file's [idle] group becomes the rule for idle windows."""

from __future__ import annotations

from pathlib import Path

import pytest

from lull.config.files import read, set_value
from lull.config.idle_settings import IdleSettings
from lull.config.reading import parse_settings
from lull.core.errors import SettingsError
from lull.core.idle import hours
from lull.core.idle.rule import IdleRule


def test_the_defaults_are_the_rules() -> None:
    assert IdleSettings().rule == IdleRule()


def test_what_the_file_says_becomes_the_rule() -> None:
    text = """
[idle]
after_min = 5
sleep_hours = ["mon-fri 23:00-07:00", "sat,sun 00:00-09:30"]
blocked_hours = ["daily 18:00-20:00"]
exclusive_apps = ["Tetris"]
battery_ok = true
"""
    rule = parse_settings(text, "settings.toml").idle.rule
    assert rule.after_s == 300.0
    assert rule.sleep_hours == (
        hours.parse_hours("mon-fri 23:00-07:00"),
        hours.parse_hours("sat-sun 00:00-09:30"),
    )
    assert rule.blocked_hours == (hours.parse_hours("18:00-20:00"),)
    assert rule.exclusive_apps == ("Tetris",)
    assert rule.battery_ok


@pytest.mark.parametrize(
    ("text", "after_s", "answer_after_s"),
    [
        ("", 90.0, 600.0),
        ("after_min = 0.1", 6.0, 6.0),
        ("after_min = 0.1\nanswer_after_min = 3", 6.0, 180.0),
        ("after_min = 5", 300.0, 600.0),
        ("after_min = 20", 1200.0, 600.0),
    ],
)
def test_a_wait_made_shorter_than_usual_counts_after_an_answer_too(
    text: str, after_s: float, answer_after_s: float
) -> None:
    rule = parse_settings(f"[idle]\n{text}", "settings.toml").idle.rule
    assert (rule.after_s, rule.answer_after_s) == (after_s, answer_after_s)


def test_hours_can_be_set_from_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    set_value(file, "idle.sleep_hours", "mon-fri 23:00-07:00, sat-sun 00:00-09:30")
    assert len(read(file).idle.rule.sleep_hours) == 2


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ('sleep_hours = ["23-7"]', "hours such as"),
        ('blocked_hours = ["mon 25:00-26:00"]', "hours such as"),
        ("after_min = 0", "from 0.1"),
        ('source = "file:"', "file:PATH"),
        ('source = "file:signals.json"', "absolute path"),
        ('source = "file:./signals.json"', "absolute path"),
        ('source = "file:~nosuchuser-at-all/x"', "absolute path"),
        ('source = "file:/tmp/a\\u0000b"', "absolute path"),
    ],
)
def test_what_cannot_be_is_refused_with_a_word_of_what_can(line: str, hint: str) -> None:
    with pytest.raises(SettingsError, match="line 2") as refused:
        parse_settings(f"[idle]\n{line}\n", "settings.toml")
    assert hint in refused.value.hint
