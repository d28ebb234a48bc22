"""Which check, if any, belongs to a rule that a user stated."""

from __future__ import annotations

import pytest

from lull.core.checks.check import Check, CheckKind, CheckSet
from lull.core.checks.reading import all_to_json, to_json
from lull.core.checks.rules.recognising import checks_for_rule, exact_checks
from lull.core.checks.rules.stated_check import (
    MOST_WORDS,
    proposed_check,
    wording_of_checks,
)
from lull.core.checks.wording import all_in_words
from lull.core.feedback.feedback import MessageFindings
from lull.core.feedback.standing_check import standing_check

RULE = "Answer in at most 5 words."
FIVE_WORDS = Check(kind=CheckKind.WORDS, at_most=5)
LONG = "This answer has far more than five words."


def heard(*, lasts: float) -> MessageFindings:
    return MessageFindings(correction=1.0, lasting=lasts, quote=(RULE,))


def test_a_rule_has_the_one_check_that_means_the_same() -> None:
    assert checks_for_rule("", RULE) == CheckSet(checks=(FIVE_WORDS,))


def test_a_rule_that_no_program_can_test_has_none() -> None:
    assert checks_for_rule("", "Be nicer.") is None


def test_a_rule_that_needs_several_checks_has_them() -> None:
    rule = "Use at most 5 words and no emoji."
    both = CheckSet(checks=(FIVE_WORDS, Check(kind=CheckKind.NO_EMOJI)))
    assert checks_for_rule("", rule) == both
    assert proposed_check("", rule, LONG) == all_to_json(both)
    assert proposed_check("", rule, "Fine \N{GRINNING FACE}") == all_to_json(both)
    assert proposed_check("", rule, "Short enough.") == ""


def test_of_a_rule_with_a_part_that_no_program_tests_only_the_other_is_tested() -> None:
    rule = "Use at most 5 words, and always mention the price."
    part = CheckSet(checks=(FIVE_WORDS,), whole=False)
    assert checks_for_rule("", rule) == part
    assert exact_checks(rule) == []
    assert proposed_check("", rule, LONG) == all_to_json(part)
    assert proposed_check("", rule, "Short enough.") == ""


def test_a_check_is_proposed_only_where_the_answer_complained_of_fails_it() -> None:
    assert proposed_check("", RULE, LONG) == to_json(FIVE_WORDS)
    assert proposed_check("", RULE, "Short enough.") == ""
    assert proposed_check("", "Be nicer.", LONG) == ""


def test_later_answers_are_held_only_to_what_is_wanted_from_now_on() -> None:
    assert standing_check(heard(lasts=1.0)) == CheckSet(checks=(FIVE_WORDS,))
    assert standing_check(heard(lasts=0.0)) is None


@pytest.mark.parametrize(
    ("rule", "wording"),
    [
        (
            "From now on keep every answer to at most two sentences, please.",
            "at most two sentences,",
        ),
        ("Bitte antworte immer auf Deutsch", "auf Deutsch"),
        ("Never use bullet points.", "Never use bullet points."),
        (
            "Please end every mail with 'So long. And thanks.'",
            "end every mail with 'So long. And thanks.'",
        ),
        ("emojis", ""),
        ("Be kind.", ""),
        ("", ""),
        ("No emojis. " + "I am tired of them, and so is my wife. " * MOST_WORDS, ""),
    ],
)
def test_the_words_that_name_a_check_are_the_user_s_own_without_the_rest(
    rule: str, wording: str
) -> None:
    assert wording_of_checks(rule) == wording
    assert not wording or exact_checks(wording) == exact_checks(rule)


def test_a_form_that_is_forbidden_is_not_asked_for() -> None:
    """The classifier knows that a rule is about numbered lists, and not which side it takes."""
    for rule in (
        "Please never give me numbered lists again, I would rather read an ordinary paragraph.",
        "Numbered lists are nothing for me, do not use them.",
        "I cannot stand numbered lists, stop writing them without being asked.",
    ):
        for kind in ("numbered_list", "bullets"):
            checks = checks_for_rule(kind, rule)
            assert (
                checks is None or all_in_words(checks) == "The answer must have no numbered list."
            ), rule
    wanted = checks_for_rule("numbered_list", "Not like this, give me a numbered list.")
    assert wanted == CheckSet(checks=(Check(kind=CheckKind.NUMBERED_LIST),))


def test_an_emoji_at_the_start_is_a_start_to_the_classifier() -> None:
    for kind_class in ("starts_with", "ends_with", "contains", "emojis", ""):
        checks = checks_for_rule(kind_class, "put an emoji at the end of my letters")
        wanted = CheckSet(checks=(Check(kind=CheckKind.EMOJIS, value="end"),))
        assert checks == wanted, kind_class
    assert checks_for_rule("lower_case", "put an emoji at the end of my letters") is None
