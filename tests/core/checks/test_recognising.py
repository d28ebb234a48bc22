"""Tests of turning a rule in plain words into a check: where unsure, none is made at all."""

from __future__ import annotations

from itertools import product

import pytest

from lull.core.checks.check import Check, CheckKind, CheckSet
from lull.core.checks.check_answer import passes_check, should_propose
from lull.core.checks.rules.recognising import derive, exact_check, exact_checks

K = CheckKind


@pytest.mark.parametrize(
    ("rule", "least", "most"),
    [
        ("keep it under 100 words", None, 99),
        ("No more than fifty words, please.", None, 50),
        ("at least 20 words", 20, None),
        ("exactly ten words", 10, 10),
        ("between 30 and 50 words", 30, 50),
        ("60 words or fewer", None, 60),
        ("höchstens zwanzig Wörter", None, 20),
        ("pas plus de 30 mots", None, 30),
        ("como máximo 40 palabras", None, 40),
        ("max 15 words", None, 15),
    ],
)
def test_numbers_of_words(rule: str, least: int | None, most: int | None) -> None:
    wanted = Check(kind=K.WORDS, at_least=least, at_most=most)
    assert derive("words", rule, "", "") == wanted
    assert exact_check(rule) == wanted


@pytest.mark.parametrize(
    ("rule", "least", "most"),
    [
        ("answer me in two sentences, please", 2, 2),
        ("two-sentence answers", 2, 2),
        ("Emails must be two sentences", 2, 2),
        ("in two or three sentences", 2, 3),
        ("keep it to two sentences", None, 2),
        ("never more than two sentences", None, 2),
        ("never fewer than two sentences", 2, None),
        ("write more than two sentences", 3, None),
    ],
)
def test_an_order_of_a_number_is_taken_at_its_word(
    rule: str, least: int | None, most: int | None
) -> None:
    wanted = Check(kind=K.SENTENCES, at_least=least, at_most=most)
    assert derive("sentences", rule, "", "") == wanted
    assert exact_check(rule) == wanted


COUNTS = [
    "{} sentences are plenty",
    "{} sentences will do",
    "{} sentences are too few",
    "{} sentences or so",
    "You wrote {} sentences",
    "I have room for {} sentences",
    "Anything past {} sentences stays unread",
    "More than {} sentences is a novel",
]


@pytest.mark.parametrize("no", ["No, ", "no. ", "Nope! ", "No no, ", "Nein, ", "Non! "])
def test_a_no_to_the_answer_before_does_not_turn_the_rule_round(no: str) -> None:
    for rule in (
        "use bullet points",
        "use a numbered list",
        "start with 'Hi'",
        "answer in lower case",
    ):
        assert exact_check(rule) is not None
        assert exact_checks(no + rule) == exact_checks(rule), no + rule
    for kind, rule in (("no_emoji", "use emojis"), ("no_bullets", "use bullet points")):
        assert derive(kind, no + rule, "", "") is None
    forbids = Check(kind=K.NO_EMOJI)
    assert [exact_check(rule) for rule in ("No emojis", no + "no emojis")] == [forbids, forbids]


@pytest.mark.parametrize("refusal", ["Not like this, ", "I said no prose, ", "Oh no, "])
def test_a_negation_before_the_comma_that_may_belong_to_either_gives_no_check(
    refusal: str,
) -> None:
    """It is better to make no check than one that demands the opposite."""
    for rule in ("start with 'Hi there'", "use bullet points"):
        assert exact_check(rule) is not None
        assert exact_checks(refusal + rule) == []
    assert derive("starts_with", f"{refusal}start with 'Hi there'", "", "") is None


def test_a_negation_never_turns_into_its_opposite() -> None:
    for rule in (
        "Don't, ever, start with 'Hi'",
        "Never, for any reason, at any time, start with 'Hi'",
        "Don't greet me, start with 'Hi', or thank me",
        "Don't do the following: start with 'Hi'",
        "Not allowed: start with 'Hi'",
    ):
        found = derive("starts_with", rule, "", "")
        assert found is None or not found.must, rule
        assert all(not check.must for check in exact_checks(rule)), rule
    for rule in (
        "No bullets, write prose",
        "Not allowed: use bullets",
        "No lists please, write prose",
    ):
        assert {one.kind for one in exact_checks(rule)} <= {K.NO_BULLETS}, rule
    assert exact_check("No filler, answer in at most 25 words.") == Check(kind=K.WORDS, at_most=25)
    for rule in ("No… emojis", "No... emojis", "No emojis"):
        assert exact_check(rule) == Check(kind=K.NO_EMOJI), rule


@pytest.mark.slow
def test_a_number_that_no_order_settles_is_no_check(subtests: pytest.Subtests) -> None:
    for number, rule, noun in product(
        ["Two", "Two or three"], COUNTS, ["sentences", "words", "bullets"]
    ):
        with subtests.test(number=number, rule=rule, noun=noun):
            said = rule.format(number).replace("sentences", noun)
            assert exact_checks(said) == []
            assert derive(noun, said, "", "") is None


def test_a_number_of_things_denied_does_not_forbid_the_thing() -> None:
    assert exact_checks("I never want ten bullets again") == []
    assert exact_check("Not one bullet point") == Check(kind=K.NO_BULLETS)


@pytest.mark.parametrize(
    ("rule", "check"),
    [
        ("Answer in German", Check(kind=K.LANGUAGE, value="de")),
        ("Réponds toujours en français", Check(kind=K.LANGUAGE, value="fr")),
        ("Answer in German, even when I write English", Check(kind=K.LANGUAGE, value="de")),
        ('End with "Best, Priya"', Check(kind=K.ENDS, value="Best, Priya")),
        ("Sign emails with „Viele Grüße, Jo“.", Check(kind=K.ENDS, value="Viele Grüße, Jo")),
        ('Never start with "Sure"', Check(kind=K.STARTS, value="Sure", must=False)),
        ("no emojis", Check(kind=K.NO_EMOJI)),
        ("please stop putting emojis everywhere", Check(kind=K.NO_EMOJI)),
        ("keine Emojis", Check(kind=K.NO_EMOJI)),
        ("Use bullet points", Check(kind=K.BULLETS)),
        ("I hate bullet points, write in prose.", Check(kind=K.NO_BULLETS)),
        ("as JSON", Check(kind=K.JSON)),
        ("lowercase", Check(kind=K.LOWER_CASE)),
        ("grams, not cups", Check(kind=K.UNITS, value="grams")),
        ("use grams and not cups", Check(kind=K.UNITS, value="grams")),
        ("use grams and no jargon", None),
        ("use bullets and not formal", None),
        ("no Fahrenheit", Check(kind=K.UNITS, value="celsius")),
        ("Use tabs, not spaces", Check(kind=K.INDENT, value="tabs")),
        ("Dates in ISO format (YYYY-MM-DD)", Check(kind=K.DATE_FORMAT, value="iso")),
        ("never use the words 'delve' or 'tapestry'",
         Check(kind=K.NOT_CONTAINS, value="delve\ntapestry")),
        ("No commas.", Check(kind=K.NO_SIGN, value="comma")),
        ("Only code, no explanation.", Check(kind=K.CODE_ONLY)),
        ("When I ask for code, no comments in the code.", Check(kind=K.NO_CODE_COMMENTS)),
        ("Don't end with a question.", Check(kind=K.NO_CLOSING_QUESTION)),
        ("I prefer two-sentence answers, exactly two sentences",
         Check(kind=K.SENTENCES, at_least=2, at_most=2)),
    ],
)  # fmt: skip
def test_exact_forms_are_known(rule: str, check: Check) -> None:
    assert exact_check(rule) == check


VAGUE = [
    "not in German",
    "Answer in German or French",
    "No emojis unless I use one first",
    "Use bullet points except for stories",
    "no emojis?",
    "about 100 words",
    "one line of context, then the answer",
    "the first two sentences are the best",
    "Each bullet starts with a verb",
    "Headings in title case",
    "No exclamation marks in headings",
    "Use the word 'synergy' at most once",
    "Always say 'guests'",
    "Keep the title under 8 words",
    "not even one word",
    "Three characters in each story",
    "Start every bullet with a capital letter",
    "Avoid filler words like 'basically' and 'actually'",
    "Be friendly and use bullet points",
    "bullet points give the board the wrong impression of every report",
    "no emojis, no abbreviations",
    "Keep the subject line under 50 characters",
    "I do eight miles a day",
    "My Excel is in Spanish",
    "Translate into German",
    "We follow ISO 690",
    "short answers",
    "",
]


def test_what_is_conditional_partial_or_vague_is_no_check(subtests: pytest.Subtests) -> None:
    for rule in VAGUE:
        with subtests.test(rule=rule):
            assert exact_check(rule) is None


def test_two_rules_in_one_are_two_checks_and_not_one() -> None:
    rule = "Keep it under 50 words. No emojis."
    assert exact_check(rule) is None
    assert {check.kind for check in exact_checks(rule)} == {K.WORDS, K.NO_EMOJI}


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("words", "short, please"),
        ("language", "in my own language"),
        ("ends_with", "sign it as usual"),
        ("units", "the ones we use here"),
        ("upper_case", "constants in capitals"),
        ("none", "no emojis"),
        ("", "no emojis"),
        ("unheard_of", "no emojis"),
    ],
)
def test_a_class_without_its_parameters_is_no_check(kind: str, rule: str) -> None:
    assert derive(kind, rule, "", "") is None


def test_the_head_s_class_needs_no_form_of_words() -> None:
    assert derive("no_emoji", "spare me the little pictures", "", "") == Check(kind=K.NO_EMOJI)
    assert derive("paragraphs", "two is my limit", "", "") == Check(kind=K.PARAGRAPHS, at_most=2)


def test_it_is_offered_only_if_the_failed_answer_fails_it() -> None:
    check = CheckSet(checks=(Check(kind=K.UNITS, value="grams"),))
    assert should_propose(check, "8 ounces of flour")
    assert not should_propose(check, "200 g of flour")
    assert not should_propose(check, "Flour.")


def test_what_is_denied_twice_or_alone_wanted_is_wanted() -> None:
    ends = Check(kind=K.ENDS, value="See you")
    wanted = Check(kind=K.CONTAINS, value="tax year")
    bullets = Check(kind=K.BULLETS)
    for rule, check in (
        ('Never close a message without "See you".', ends),
        ('Do not forget to sign off with "See you".', ends),
        ('Never end with "See you".', Check(kind=K.ENDS, value="See you", must=False)),
        ('Don\'t leave "tax year" unmentioned.', wanted),
        ('Never write me anything without "tax year" in it.', wanted),
        ('Never leave "tax year" out.', wanted),
        ('Never mention "tax year" without the amount.', None),
        ("Never leave commas out.", None),
        ('Never mention "tax year".', Check(kind=K.NOT_CONTAINS, value="tax year")),
        ("I want to see nothing but bullet points.", bullets),
        ("No bullet points, nothing but plain prose.", Check(kind=K.NO_BULLETS)),
    ):
        assert exact_check(rule) == check, rule


def test_numbered_lists_are_forbidden_alone_and_bullets_stay_allowed() -> None:
    check = exact_check("Please, no numbered lists from now on.")
    assert check == Check(kind=K.NO_BULLETS, value="numbered")
    assert passes_check(check, "1. wash\n2. dry") is False
    assert passes_check(check, "- wash\n- dry") is True
    assert passes_check(check, "Wash it in 2024. Then dry it.") is True
    assert exact_check("No bullets and no numbered lists.") != check


def test_a_style_of_quotation_marks_is_not_read_out_of_other_words() -> None:
    rule = "Leave the quotation marks out of each single answer."
    assert exact_check(rule) == Check(kind=K.NO_SIGN, value="quotation mark")
    assert exact_check("No quotation marks in any single sentence you write.") is None
    assert exact_check("Use single quotation marks.") == Check(kind=K.QUOTE_STYLE, value="single")


def test_where_a_json_key_is_quoted_no_other_word_is_one() -> None:
    for rule in (
        'Reply in JSON with the key "mood" and with no words outside of it.',
        'Reply in JSON with the key "mood" and nothing more.',
    ):
        assert exact_check(rule) == Check(kind=K.JSON, value="mood"), rule
    assert exact_check("Answer in JSON with the keys name and age.") == Check(
        kind=K.JSON, value="name\nage"
    )


def test_a_list_that_is_the_form_of_the_answer_is_no_part_of_it() -> None:
    bullets = Check(kind=K.BULLETS)
    for rule in (
        "reply to me in bullet points",
        "Explain it in bullets, always.",
        "I want the whole thing in a bulleted list.",
    ):
        assert exact_check(rule) == bullets == derive("bullets", rule, "", ""), rule
    for rule in (
        "Never write full sentences in bullet points.",
        "No full stops in bullet points.",
        "Use capitals in bullet points.",
        "In the introduction use bullet points.",
    ):
        assert exact_check(rule) is None, rule


def test_an_apostrophe_left_out_is_read() -> None:
    for rule, check in (
        ("dont use exclamation marks", Check(kind=K.NO_SIGN, value="exclamation mark")),
        ("you shouldnt use emojis", Check(kind=K.NO_EMOJI)),
        ("Dont ever use bullets", Check(kind=K.NO_BULLETS)),
    ):
        assert exact_check(rule) == check, rule


def test_a_letter_case_of_a_quoted_word_is_none_of_the_answer() -> None:
    assert exact_checks('"Stop" in capitals.') == []
    assert exact_checks("Everything in capitals.") == [Check(kind=CheckKind.UPPER_CASE)]
    assert derive("upper_case", '"Stop" in capitals, always', "", "") is None


def test_a_date_without_hyphens_is_not_the_one_with_them() -> None:
    hyphens = Check(kind=CheckKind.DATE_FORMAT, value="iso")
    assert derive("date_format", "Dates as YYYY-MM-DD.", "", "") == hyphens
    assert derive("date_format", "Dates as YYYYMMDD.", "", "") is None
