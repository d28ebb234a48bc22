"""Tests of rules about a part of an answer: which part, what is wished, for which requests."""

from __future__ import annotations

import pytest

from lull.core.checks.check import Check, CheckKind, CheckSet, Part
from lull.core.checks.check_answer import passes_check
from lull.core.checks.reading import parse, to_json
from lull.core.checks.rules.recognising import checks_for_rule, exact_check

K = CheckKind


@pytest.mark.parametrize(
    ("rule", "check"),
    [
        ("Lines of code no longer than 79 characters",
         Check(kind=K.CHARACTERS, at_most=79, part=Part.CODE_LINES)),
        ("Don't use more than 10 lines of code", Check(kind=K.LINES, at_most=10, part=Part.CODE)),
        ("At most three bullets in a list", Check(kind=K.LINES, at_most=3, part=Part.LIST)),
        ("No sentence longer than 20 words", Check(kind=K.WORDS, at_most=20, part=Part.SENTENCES)),
        ("Every bullet must be under 12 words", Check(kind=K.WORDS, at_most=11, part=Part.ITEMS)),
        ("The closing line must start with 'Source:'",
         Check(kind=K.STARTS, value="Source:", part=Part.LAST_LINE)),
        ("SQL keywords in upper case", Check(kind=K.UPPER_CASE, part=Part.SQL_KEYWORDS)),
        ("No semicolons in javascript", Check(kind=K.NO_SIGN, value="semicolon", part=Part.CODE)),
        ("Keep it to one paragraph", Check(kind=K.PARAGRAPHS, at_least=1, at_most=1)),
        ("Don't write more than 50 words", Check(kind=K.WORDS, at_most=50)),
        ("entre 20 et 30 mots", Check(kind=K.WORDS, at_least=20, at_most=30)),
        ("menos de treinta y cinco palabras", Check(kind=K.WORDS, at_most=34)),
        ("fünfundzwanzig Wörter höchstens", Check(kind=K.WORDS, at_most=25)),
        ("Une seule phrase par réponse", Check(kind=K.SENTENCES, at_least=1, at_most=1)),
        ("Never answer in French", Check(kind=K.LANGUAGE, value="fr", must=False)),
        ("Distances in kilometres only", Check(kind=K.UNITS, value="kilometres,only")),
        ("JSON with the keys city and country, nothing more",
         Check(kind=K.JSON, value="city\ncountry")),
        ("An emoji at the end of every post", Check(kind=K.EMOJIS, value="end")),
        ("No emojis. Ever.", Check(kind=K.NO_EMOJI)),
    ],
)  # fmt: skip
def test_a_rule_about_a_part_is_a_check_of_that_part(rule: str, check: Check) -> None:
    assert exact_check(rule) == check
    assert parse(to_json(check)) == check


@pytest.mark.parametrize(
    ("head", "rule", "check"),
    [
        ("not_contains", "Each recipe says the word 'nuts' somewhere",
         Check(kind=K.CONTAINS, value="nuts")),
        ("not_contains", "The words 'free returns' belong in all texts",
         Check(kind=K.CONTAINS, value="free returns")),
        ("contains", "'Utilize' is on my blacklist, use 'use'",
         Check(kind=K.NOT_CONTAINS, value="Utilize")),
        ("", "Le mot « client » est interdit, on dit « hôte »",
         Check(kind=K.NOT_CONTAINS, value="client")),
        ("", "Say 'guests', never 'customers'", Check(kind=K.NOT_CONTAINS, value="customers")),
        ("not_contains", "Never call him Bob, he's Robert",
         Check(kind=K.NOT_CONTAINS, value="Bob")),
        ("starts_with", "Always open with the answer, not with 'Sure'",
         Check(kind=K.STARTS, value="Sure", must=False)),
        ("no_closing_question", "no, from now on always end your answers with the word cheers",
         Check(kind=K.ENDS, value="cheers")),
        ("no_emoji", "Answer in at most two sentences",
         Check(kind=K.SENTENCES, at_most=2)),
        ("lines", "Antworten in genau drei Sätzen",
         Check(kind=K.SENTENCES, at_least=3, at_most=3)),
    ],
)  # fmt: skip
def test_the_words_say_which_way_a_rule_points(head: str, rule: str, check: Check) -> None:
    assert checks_for_rule(head, rule) == CheckSet(checks=(check,))


@pytest.mark.parametrize(
    ("head", "rule"),
    [
        ("contains", "Always say 'guests'"),
        ("contains", "Use the word 'synergy' at most once"),
        ("ends_with", "Close with 'Yours' and my name"),
        ("no_emoji", "Little pictures at the end of every post"),
        ("no_apology", "Speak to me with affection"),
        ("no_sign", "No exclamation marks in headings"),
        ("json", "As data, please"),
        ("no_contractions", 'Letters want "could not" and "was not" written out, all of them'),
        ("bullets", "no emojis"),
    ],
)
def test_what_is_not_understood_is_no_check_whatever_the_head_says(head: str, rule: str) -> None:
    assert checks_for_rule(head, rule) is None


@pytest.mark.parametrize(
    ("check", "answer", "verdict"),
    [
        (Check(kind=K.LINES, at_most=2, part=Part.LIST), "Take:\n- a\n- b", True),
        (Check(kind=K.LINES, at_most=2, part=Part.LIST), "Take a and b.", None),
        (Check(kind=K.UPPER_CASE, part=Part.SQL_KEYWORDS), "SELECT a\nFROM b\nGROUP by a;", False),
        (Check(kind=K.NOT_CONTAINS, value="var", part=Part.CODE), "const variance = 'var';", True),
        (Check(kind=K.NOT_CONTAINS, value="SELECT *"), "SELECT id FROM t", True),
        (Check(kind=K.EMOJIS, at_least=1, at_most=1), "Sunday! ☕ Come early. 🧺", False),
        (Check(kind=K.JSON, value="a\nb"), '{"a": 1, "c": 2}', False),
        (Check(kind=K.UNITS, value="miles"), "212 miles, which is 341 km", None),
        (Check(kind=K.UNITS, value="miles,only"), "212 miles, which is 341 km", False),
    ],
)
def test_a_part_keeps_it_breaks_it_or_is_not_there(
    check: Check, answer: str, verdict: bool | None
) -> None:
    assert passes_check(check, answer) is verdict
