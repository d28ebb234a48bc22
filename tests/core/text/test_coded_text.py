"""Tests of texts with a code: the English that people read, and the code and values in the JSON."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from lull.core.text.coded_text import (
    CodedText,
    TextClock,
    TextDuration,
    TextPercent,
    TextSkillName,
    coded,
    coded_text,
)

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))


def test_the_english_text_is_a_text_like_any_other() -> None:
    text = coded_text(
        "lost", "%2 lost %1 ago, %3 left.", TextDuration(7_200), "a %1", TextPercent(0.456)
    )
    assert text == "a %1 lost 2 h ago, 46% left."
    assert json.loads(json.dumps({"text": text})) == {"text": text}
    assert isinstance(text, CodedText) and text.code == "lost"


def test_the_json_has_code_and_values_beside_the_text() -> None:
    inner = coded_text("your", "Your calendar “%1”", "x")
    text = coded_text(
        "busy",
        "%1, %2, %3, %4, %5.",
        inner,
        TextClock(NOW, NOW),
        TextPercent(0.5),
        7,
        TextDuration(9.04),
    )
    assert text == "Your calendar “x”, 12:00, 50%, 7, 9 s."
    assert coded(text) == {
        "code": "busy",
        "values": [
            {"text": "Your calendar “x”", "code": "your", "values": ["x"]},
            {"at": "2026-11-23T12:00:00+01:00"},
            {"share": 0.5},
            7,
            {"length_s": 9.0},
        ],
    }
    assert coded(text, "because_").keys() == {"because_code", "because_values"}


def test_an_endless_length_is_no_number_in_json() -> None:
    text = coded_text("for", "For %1.", TextDuration(float("inf")))
    assert text == "For ever."
    assert coded(text)["values"] == [{"length_s": None}]


def test_a_plain_text_has_neither() -> None:
    assert coded("plain") == {}


def test_a_time_on_another_day_says_which() -> None:
    assert str(TextClock(NOW + timedelta(days=1), NOW)) == "tomorrow 12:00"


def test_a_skill_is_told_by_its_name_and_sent_as_a_skill() -> None:
    text = coded_text("testing", "Testing %1", TextSkillName("menu-style"))
    assert text == "Testing menu-style"
    assert coded(text) == {"code": "testing", "values": [{"skill": "menu-style"}]}
