"""Tests of what is inserted in the service's sentences: numbers as Germans write them, and names
and users' words as they are.
"""

from __future__ import annotations

import json

import pytest

from lull.core.feedback.calibration import Estimate, may_train_on_judge, wilson
from lull.core.models.admission import share
from lull.core.text.coded_text import TextSentence, TextSkillList, coded, coded_text
from lull.desktop.language.recognising import NumberFormat, SentenceTranslator
from lull.desktop.language.words import local_number, reword_for_window, translated

pytestmark = pytest.mark.usefixtures("german")


def sent(text: str) -> str:
    """Return a text of the service as the window shows it after it went through JSON."""
    answer: dict[str, object] = json.loads(json.dumps({"text": text, **coded(text)}))
    return translated(answer)


@pytest.mark.parametrize(
    ("english", "told"),
    [
        ("1,000", "1.000"),
        ("12,345,678", "12.345.678"),
        ("12.5", "12,5"),
        ("12.5%", "12,5\u00a0%"),
        ("70%", "70\u00a0%"),
    ],
)
def test_a_number_is_rewritten(english: str, told: str) -> None:
    assert local_number(english) == told


def test_numbers_in_a_recognised_sentence_are_german() -> None:
    known = SentenceTranslator(
        {
            "It needs about %1 GB; %2 may be taken.": "Es braucht %1 GB, frei sind %2.",
            "The file has %1 bytes of data.": "Die Datei hat %1 Byte Daten.",
            "It is version %1 of %2 here.": "Hier ist Version %1 von %2.",
        },
        numbers=NumberFormat(
            {"It needs about %1 GB; %2 may be taken.": frozenset("12")}, local_number
        ),
    )
    for text, told in (
        ("It needs about 12.5 GB; 4.0 may be taken.", "Es braucht 12,5 GB, frei sind 4,0."),
        ("The file has 65,536 bytes of data.", "Die Datei hat 65.536 Byte Daten."),
        ("It is version 0.13 of 127.0.0.1 here.", "Hier ist Version 0.13 von 127.0.0.1."),
        ("It is version 70% of it here.", "Hier ist Version 70\u00a0% von it."),
    ):
        assert known.found(text) == told


def test_real_sentences_with_numbers_are_german() -> None:
    _, why = may_train_on_judge(wilson(30, 40))
    assert "75\u00a0% von 40" in reword_for_window(why)
    assert "70\u00a0%" in reword_for_window(why)
    found = Estimate(value=0.925, low=0.8, high=0.975, n=40)
    text = f"Of the skills it wrote, {share(found)} are usable; at least 80% must be."
    assert "92\u00a0% (80\u00a0%–98\u00a0%, n = 40)" in reword_for_window(text)
    text = "It needs about 12.5 GB of memory; 4.0 GB may be taken now."
    assert "12,5 GB" in reword_for_window(text) and "4,0 GB" in reword_for_window(text)


def test_a_value_is_a_name_or_somebodys_words_unless_it_is_marked_as_a_sentence() -> None:
    theirs = coded_text("your-calendar-named", "Your calendar “%1”", "Paused until you resume.")
    assert sent(theirs) == "Dein Kalender „Paused until you resume.“"
    ours = coded_text("problem-is", "%1: %2", "x", TextSentence("No calendar has been added."))
    assert sent(ours) == "x: Kein Kalender ist eingetragen."


def test_what_is_quoted_in_a_recognised_sentence_stays() -> None:
    known = SentenceTranslator(
        {
            "There is no skill called “%1” here.": "Hier gibt es keinen Skill namens „%1“.",
            "very hot": "sehr heiß",
            "It was left as %1 since.": "Es blieb seitdem %1.",
            "hot": "heiß",
        }
    )
    quoted = "There is no skill called “very hot” here."
    assert known.found(quoted) == "Hier gibt es keinen Skill namens „very hot“."
    assert known.found("It was left as very hot since.") == "Es blieb seitdem sehr heiß."
    assert known.found("It was left as hot since.") == "Es blieb seitdem hot."


def test_a_sentence_is_recognised_behind_the_place_that_it_is_about() -> None:
    known = SentenceTranslator(
        {
            "%1: %2": "%1: %2",
            "%1, line %2: %3": "%1, Zeile %2: %3",
            "It was left as it is.": "Es blieb, wie es ist.",
        }
    )
    for text, told in (
        ("a.toml: It was left as it is.", "a.toml: Es blieb, wie es ist."),
        ("a.toml, line 3: It was left as it is.", "a.toml, Zeile 3: Es blieb, wie es ist."),
        ("a: b: It was left as it is.", "a: b: Es blieb, wie es ist."),
        ("a.toml, line 3: and so on", None),
        ("one: two", None),
    ):
        assert known.found(text) == told


def test_lost_skills_are_named_by_their_titles_and_not_all() -> None:
    names = ("menu-style", "two-words", "c", "d", "e", "f")
    text = coded_text("skill-texts-changed", "Texts of %1 were changed.", TextSkillList(names))
    assert str(text) == "Texts of menu-style, two-words, c, d, e and more were changed."
    assert "„Menu style“, „Two words“, „C“, „D“, „E“ und weitere" in sent(text)
    few = coded_text("skills-unusable", "%1 cannot be used.", TextSkillList(names[:1]))
    assert sent(few).startswith("Nicht nutzbar: „Menu style“.")
