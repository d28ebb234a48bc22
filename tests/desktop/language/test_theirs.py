"""Tests that the German window leaves texts of tools, users and other programs as they are, and
understands services of earlier versions.
"""

from __future__ import annotations

import re

import pytest

from lull.contract.json_object import Json
from lull.core.training.record import RunStatus, run_status_text
from lull.desktop.language.words import parsed, reword_for_window, translated
from lull.desktop.pages.chat.score_words import score_words
from lull.desktop.pages.chat.secret_words import kind_words as secret_words
from lull.desktop.pages.learning.side_by_side import check_words
from lull.desktop.pages.schedule.week_bars import bars_of
from tests.desktop.language.service_texts import FORMER
from tests.desktop.language.test_german_window import ENGLISH_WORDS

pytestmark = pytest.mark.usefixtures("german")


def signalled(text: str) -> str:
    """Return what the window says of a turn whose tool ended with this text."""
    return score_words({"eligible": True, "signals": [{"kind": "tool-result", "text": text}]})


@pytest.mark.parametrize(
    "line",
    [
        "main.c:1:10: fatal error: foo.h: No such file or directory",
        "cat: /etc/shadow: Permission denied",
        "/home/me/settings.toml cannot be read: Permission denied.",
        "Connection refused",
        "It ended well. It ended well.",
    ],
)
def test_a_tools_own_line_stays_as_it_is(line: str) -> None:
    assert line.removesuffix(".") in signalled(line)


@pytest.mark.parametrize(
    "text",
    [
        "The tool reports an error.",
        "It ended well.",
        "It ended with exit code 2.",
        "It ended with exit code -9.",
    ],
)
def test_what_lull_says_of_a_tools_result_is_german(text: str) -> None:
    said = signalled(text)
    assert text.removesuffix(".") not in said and not ENGLISH_WORDS.search(said)


@pytest.mark.parametrize(
    "text",
    [
        "dinner: a list of texts",
        "Stop: no reason",
        "budget: arithmetic",
        "a.toml: arithmetic",
        "note to self: Did you mean tea?",
        "note to self: No space left on device.",
        "dinner is not running",
        "TypeError: is not a number",
        "it has no sugar",
        "json",
        "format",
        "language",
        "arithmetic",
        "refusal",
        ": ".join(["word"] * 600),
    ],
)
def test_a_strangers_text_stays_as_it_is(text: str) -> None:
    assert reword_for_window(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "/Users/me/Library/Application Support/Lull/a.db: No space left on device.",
        "C:\\Users\\me\\a.db: No space left on device.",
        "settings.toml, line 3: not UTF-8.",
        "service.port: It must be a whole number from 1 to 65,535.",
        "Family calendar: Its server stopped sending halfway.",
        "tiny:1b: It is a mixture of experts, which cannot learn yet.",
    ],
)
def test_a_sentence_of_lull_behind_what_it_is_about_is_german(text: str) -> None:
    said = reword_for_window(text)
    assert said != text
    place = text.partition(": ")[0].partition(",")[0]
    assert said.startswith(place)


def test_each_family_of_test_tasks_has_a_german_name() -> None:
    for family, name in (("json", "JSON"), ("arithmetic", "Rechnen"), ("refusal", "Ablehnen")):
        assert check_words(f"canaries:{family}").endswith(f": {name}")
    assert check_words("canaries:of tomorrow").endswith(": of tomorrow")


def test_work_that_an_earlier_version_stored_is_german_in_the_schedule() -> None:
    now = parsed("2026-11-23T17:00:00+00:00")
    assert now is not None
    for form in (form for form in FORMER if form[0].isupper()):
        text = form.replace("%1", "tiny:1b")
        window: Json = {"opened": now.isoformat(), "closed": now.isoformat(), "seen": None}
        window |= {"used_s": 60.0, "done": [{"text": text}], "why_opened": ""}
        (bar,) = bars_of({"windows": [window]}, {}, now.date(), now)
        assert bar.text.startswith("Es wird ") and "tiny:1b" in bar.text


@pytest.mark.parametrize(
    "form", [form for form in FORMER if form[0].isalpha() and form[0].islower()]
)
def test_a_reason_that_an_earlier_version_stored_is_german(form: str) -> None:
    text = re.sub("%[1-9]", "7", form)
    told = translated({"reason": text}, "reason")
    assert told != text and not ENGLISH_WORDS.search(told) and "`" not in told


def test_a_value_of_another_version_is_never_shown_as_it_came() -> None:
    before = {"text": "you said: no emoji", "code": "signal-wish"}
    theirs = {**before, "values": [{"verbatim": "no emoji"}]}
    assert translated(theirs) == "du hast geschrieben: no emoji"
    for value in ({"of_tomorrow": 1}, ["of tomorrow"]):
        assert "tomorrow" not in translated({**before, "values": [value]})
        assert "no emoji" in translated({**before, "values": [value]})


def test_words_that_a_reader_found_hard_to_understand_are_clear() -> None:
    stuck = run_status_text(RunStatus.STUCK)
    told = translated({"text": stuck, "code": stuck.code, "values": []})
    assert told == "wartet auf deine Entscheidung"
    assert secret_words("password-hash") == "Passwort-Hash"
    assert reword_for_window("is not a number") == "ist etwas anderes als eine Zahl"
