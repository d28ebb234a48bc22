"""Tests of checks that follow from a rule together with the answer that the user complained of."""

from __future__ import annotations

import json

import pytest

from lull.core.checks.check import Check, CheckKind, CheckLibraries
from lull.core.checks.rules.disputed import disputed_check
from lull.core.checks.rules.stated_check import proposed_check

LONG = (
    "The kettle is on.\n\nIt boils soon, I don't know when.\n\nThen pour it over the leaves. " * 4
)
SHORT = "Pour it over the leaves."
WORDS, SENTENCES = CheckKind.WORDS, CheckKind.SENTENCES


@pytest.mark.parametrize(
    ("kind", "rule", "answer", "expected"),
    [
        (WORDS, "thirty words and done, I scroll on a watch", LONG, (None, 30)),
        (
            WORDS,
            "my patience ends at around here: 30 words, that is it, each time",
            LONG,
            (None, 30),
        ),
        (WORDS, "what is in the picture, for the blind, under 12 words", LONG, (None, 11)),
        (SENTENCES, "not one for each of us, but six sentences in all", LONG, (None, 6)),
        (SENTENCES, "six sentences will do: question, method and result", LONG, (None, 6)),
        (SENTENCES, "six sentences is what the form asks for", SHORT, (6, None)),
        (SENTENCES, "six sentences is what the form asks for", LONG, (None, 6)),
        (CheckKind.PARAGRAPHS, "one paragraph now, the gaps cost paper", LONG, (None, 1)),
    ],
)
def test_the_answer_tells_whether_a_number_is_most_or_least(
    kind: CheckKind, rule: str, answer: str, expected: tuple[int | None, int | None]
) -> None:
    least, most = expected
    assert disputed_check(kind, rule, answer) == Check(kind=kind, at_least=least, at_most=most)


@pytest.mark.parametrize(
    ("kind", "rule", "answer"),
    [
        (WORDS, "I asked for an answer, not for a thousand words", SHORT),  # only exaggerated
        (WORDS, "a thousand words on tea, well done", SHORT),
        (SENTENCES, "no seven sentences for me", SHORT),
        (SENTENCES, "one sentence is what I read", SHORT),  # it has just one
        (SENTENCES, "two sentences for tea, three for cake", LONG),
        (SENTENCES, "two sentences is right in the intro", LONG),
        (SENTENCES, "if it is about tea, then two sentences", LONG),
        (SENTENCES, "each paragraph two sentences", LONG),
        (SENTENCES, "two sentences a title: that is the custom", LONG),
        (SENTENCES, "two sentences, on all 14 pages", LONG),
        (WORDS, "two sentences is what I read", LONG),  # the class counts something else
        ("", "thirty words and done", LONG),
        ("none", "thirty words and done", LONG),
        (CheckKind.ENDS, "thirty words and done", LONG),
    ],
)
def test_nothing_is_concluded_from_a_doubt(kind: str, rule: str, answer: str) -> None:
    assert disputed_check(kind, rule, answer) is None


def test_a_form_that_the_answer_lacks_is_wanted() -> None:
    said = "bullets, I told you, not one lump"
    assert disputed_check(CheckKind.BULLETS, said, LONG) == Check(kind=CheckKind.BULLETS)
    assert disputed_check(CheckKind.BULLETS, said, "- one\n- two") is None
    short_forms = "the words in full on headed paper, you hear"
    assert disputed_check(CheckKind.NO_CONTRACTIONS, short_forms, LONG) == Check(
        kind=CheckKind.NO_CONTRACTIONS
    )
    assert disputed_check(CheckKind.NO_CONTRACTIONS, short_forms, SHORT) is None


DASHED = 'The hall — built in 1908 — has "high" windows. It opens at 3 PM and serves 2 cups of tea.'


@pytest.mark.parametrize(
    ("kind", "rule", "complaint", "value"),
    [
        (CheckKind.NO_SIGN, "i have none of them in my own letters", "so many long dashes", "dash"),
        (CheckKind.TIME_FORMAT, "the railway clock is what we live by", "", "24h"),
        (CheckKind.TIME_FORMAT, "'PM' hurts my eyes, wherever it is", "", "24h"),
        (CheckKind.UNITS, "my scales know one system", "", "metric"),
        (CheckKind.UNITS, "what I pour I pour by the litre", "", "litres"),
        (CheckKind.QUOTE_STYLE, "„German ones“, as in every book of ours", "", "german"),
        (CheckKind.NOT_CONTAINS, "that word may retire", "'Serves', like a waiter.", "Serves"),
        (CheckKind.QUOTE_STYLE, "quotations look «so» with us", "", "guillemets"),
        (CheckKind.ENDS, 'my letters close, as ever, with "Yours, Bríd"', "", "Yours, Bríd"),
        (CheckKind.ENDS, "never that way", 'Where is "Yours, Bríd"?', "Yours, Bríd"),
        (CheckKind.CONTAINS, 'nothing goes out without "stamp duty"', "", "stamp duty"),
        (CheckKind.NO_SIGN, "those wretched — of yours, none for me: dashes", "", "dash"),
    ],
)
def test_of_what_is_named_the_answer_fails_what_is_meant(
    kind: CheckKind, rule: str, complaint: str, value: str
) -> None:
    assert disputed_check(kind, rule, DASHED, complaint=complaint or rule) == Check(
        kind=kind, value=value
    )


@pytest.mark.parametrize(
    ("kind", "rule", "complaint"),
    [
        (CheckKind.NO_SIGN, "i have none of them in my own letters", "so many semicolons"),
        (CheckKind.NO_SIGN, "i have none of them", "dashes here, quotation marks there"),
        (CheckKind.TIME_FORMAT, "3 pm is how we say it", ""),  # as the answer has it
        (CheckKind.TIME_FORMAT, "the railway clock is what we live by", ""),  # nor a complaint
        (CheckKind.UNITS, "I buy by the litre and weigh in grams", ""),
        (CheckKind.NOT_CONTAINS, "that word may retire", "'Delve' again."),
        (CheckKind.CONTAINS, 'either "north" or "south" belongs in it', ""),
        (CheckKind.CONTAINS, '"north" is nothing I would read', ""),
        (CheckKind.STARTS, 'never "high" again', 'never "high" again'),  # the answer has it
        (CheckKind.ENDS, "never that way", 'Neither "Yours" nor "Bye", where is it?'),
        (CheckKind.NOT_CONTAINS, 'just "high" at the bottom', 'just "high" at the bottom'),
        (CheckKind.QUOTE_STYLE, "quotations look like this with us", ""),
        (CheckKind.ENDS, "the bottom line is ours", 'I read "Yours, Bríd" elsewhere'),
    ],
)
def test_what_the_answer_leaves_open_stays_open(kind: CheckKind, rule: str, complaint: str) -> None:
    assert disputed_check(kind, rule, DASHED, complaint=complaint) is None


def test_letters_that_are_refused_are_not_wanted() -> None:
    shouted, plain = "THE TRAIN LEAVES AT NINE.", "The train leaves at nine."
    assert disputed_check(CheckKind.LOWER_CASE, "no more lower case, ever", plain) is None
    assert (
        disputed_check(CheckKind.UPPER_CASE, "I won't have capitals in my letters", plain) is None
    )
    wanted = disputed_check(CheckKind.LOWER_CASE, "enough of these capitals", shouted)
    assert wanted == Check(kind=CheckKind.LOWER_CASE)


def test_a_list_that_is_refused_is_not_wanted_where_the_answer_has_another_one() -> None:
    asked = "could you stop putting bullet points or numbers in front of everything you write me?"
    assert disputed_check(CheckKind.BULLETS, asked, "1. one\n2. two") is None
    assert disputed_check(CheckKind.NUMBERED_LIST, "no more numbered lists", "- one\n- two") is None


def test_a_wish_that_is_put_as_a_question_is_no_condition() -> None:
    asked = "could you stop finishing everything that way?"
    question = CheckKind.NO_CLOSING_QUESTION
    assert disputed_check(question, asked, "Done. Anything else?") == Check(kind=question)
    assert disputed_check(question, f"if it is late, {asked}", "Done. Anything else?") is None


def test_what_the_words_say_by_themselves_goes_first() -> None:
    said = "at least six sentences, please"
    assert json.loads(proposed_check(SENTENCES, said, SHORT))["at_least"] == 6
    assert proposed_check(SENTENCES, said, LONG) == "", "the answer has as many"
    doubtful = "six sentences is what the form asks for"
    assert json.loads(proposed_check(SENTENCES, doubtful, SHORT))["at_least"] == 6


def test_half_of_a_rule_of_two_parts_is_no_check_of_it() -> None:
    both = 'at most two sentences, and end with "So long!"'
    two, end = {"kind": "sentences", "at_most": 2}, {"kind": "ends", "value": "So long!"}
    assert json.loads(proposed_check(SENTENCES, both, LONG)) == {"all": [two, end]}
    assert proposed_check(CheckKind.BULLETS, "write in lower case, please", LONG) == ""


def test_a_form_is_not_meant_where_the_words_name_a_sign_that_the_answer_has() -> None:
    lump = "Cool, dark, dry; best in the shell; cracked only just before."
    assert disputed_check(CheckKind.BULLETS, "I need no semicolons here", lump) is None
    with_dashes = disputed_check(CheckKind.BULLETS, "one below the other, with a dash", lump)
    assert with_dashes == Check(kind=CheckKind.BULLETS), "the answer has no dash"
    named = "no semicolons, and do it as bullet points"
    assert disputed_check(CheckKind.BULLETS, named, lump) == Check(kind=CheckKind.BULLETS)


def test_a_list_that_is_asked_for_is_no_part_of_the_answer() -> None:
    said = "set the whole thing out in bullets, I skim"
    assert disputed_check(CheckKind.BULLETS, said, LONG) == Check(kind=CheckKind.BULLETS)
    assert disputed_check(CheckKind.LOWER_CASE, said, LONG) is None
    assert disputed_check(CheckKind.BULLETS, "in titles no lump, I skim", LONG) is None


def test_an_answer_in_prose_lacks_the_json_that_a_program_wants() -> None:
    said = "the tables for the import are read by a program, one object a key"
    json_only = Check(kind=CheckKind.JSON)
    assert disputed_check(CheckKind.JSON, said, LONG) == json_only
    assert disputed_check(CheckKind.JSON, said, '{"a": 1}') is None


TABS, FOUR = "```python\nif x:\n\ty()\n```", "```python\nif x:\n    y()\n```"


def test_of_two_indentations_the_one_that_the_code_lacks_is_meant() -> None:
    def wanted(said: str, answer: str) -> Check | None:
        return disputed_check(CheckKind.INDENT, said, answer, complaint=said)

    both = "my editor knows tabs, and your spaces make it complain"
    assert wanted(both, FOUR) == Check(kind=CheckKind.INDENT, value="tabs")
    assert wanted(both, LONG) is None, "no code"
    spaces = "2 spaces, our linter says"
    two = Check(kind=CheckKind.INDENT, value="spaces", at_least=2, at_most=2)
    assert wanted(spaces, FOUR) == wanted(spaces, TABS) == two
    assert wanted("what an indentation", FOUR) is None


def test_a_sign_that_stands_alone_in_the_rule_is_the_one_that_is_not_wanted() -> None:
    answer = "Call us & the garage (5 %), and keep the bill - always."
    said = "that twiddly & is nothing for a letter"
    ampersand = Check(kind=CheckKind.NO_SIGN, value="ampersand")
    assert disputed_check(CheckKind.NOT_CONTAINS, said, answer) == ampersand
    assert disputed_check(CheckKind.NOT_CONTAINS, said, "Call us.") is None
    assert disputed_check(CheckKind.NOT_CONTAINS, "not that - ever", answer) is None
    assert disputed_check(CheckKind.NOT_CONTAINS, "neither & nor %", answer) is None


def test_a_language_that_is_refused_is_not_wanted() -> None:
    def wanted(said: str) -> Check | None:
        speaks_german = CheckLibraries(detect=lambda text: ("de", 1.0), fits_schema=lambda *_: None)
        answer = "Der Zug fährt um neun Uhr ab, und zwar von Gleis drei."
        return disputed_check(CheckKind.LANGUAGE, said, answer, complaint=said, tools=speaks_german)

    assert wanted("no latin with me") is None
    assert wanted("no, it is french that we speak") == Check(kind=CheckKind.LANGUAGE, value="fr")
    assert wanted("no latin, it is french here") == Check(kind=CheckKind.LANGUAGE, value="fr")


def test_of_two_date_formats_the_narrower_one_is_meant() -> None:
    def wanted(said: str) -> Check | None:
        return disputed_check(CheckKind.DATE_FORMAT, said, "On March 14, 2026.", complaint=said)

    assert wanted("day first, 14 March 2026, wherever it is") == Check(
        kind=CheckKind.DATE_FORMAT, value="written_dmy"
    )
    assert wanted("2026-03-14 or 14.03.2026, wherever it is") is None
