"""Tests of checks that follow from a rule together with the answer that the user complained of."""

from __future__ import annotations

import json

import pytest

from lull.core.checks.check import Check, CheckKind
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


def test_what_the_words_say_by_themselves_goes_first() -> None:
    said = "at least six sentences, please"
    assert json.loads(proposed_check(SENTENCES, said, SHORT))["at_least"] == 6
    assert proposed_check(SENTENCES, said, LONG) == "", "the answer has as many"
    doubtful = "six sentences is what the form asks for"
    assert json.loads(proposed_check(SENTENCES, doubtful, SHORT))["at_least"] == 6


def test_half_of_a_rule_of_two_parts_is_no_check_of_it() -> None:
    both = 'at most two sentences, and end with "So long!"'
    assert proposed_check(SENTENCES, both, LONG) == ""
    assert proposed_check(CheckKind.BULLETS, "write in lower case, please", LONG) == ""
