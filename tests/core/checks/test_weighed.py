"""Tests of weighing a classifier's classes of check against the answer that the user complained
of.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from lull.core.checks.check import Check, CheckKind
from lull.core.checks.reading import to_json
from lull.core.checks.rules.stated_check import proposed_check

PROSE = "Brown the beef first, then soften the onions. Salt them well."
DASHED = "- Brown the beef\n- Soften the onions"
NUMBERED = "1. Brown the beef\n2. Soften the onions"
GREETED = "Great question! Brown the beef first."


def proposed(
    kind: str, rule: str, answer: str, *possible: str, complaint: str | None = None
) -> str:
    """The check that is proposed behind an answer, of whose message the rule is all."""
    return proposed_check(kind, rule, answer, rule if complaint is None else complaint, possible)


def check(kind: CheckKind, value: str = "") -> str:
    return to_json(Check(kind=kind, value=value))


def kinds_of(found: str) -> Sequence[str]:
    fields = json.loads(found)
    return [one["kind"] for one in fields.get("all", [fields])]


THINGS = "anything with an order to it gets them, for the kitchen"


def test_a_class_that_is_only_possible_is_meant_if_the_answer_fails_it() -> None:
    numbered = CheckKind.NUMBERED_LIST
    assert proposed("", THINGS, PROSE, numbered) == check(numbered)
    assert proposed("", THINGS, NUMBERED, numbered) == "", "the answer has it"
    assert proposed("", THINGS, PROSE, numbered, complaint="") == "", "nobody complains"
    assert proposed("", THINGS, PROSE) == ""


def test_of_several_possible_classes_the_answer_leaves_one_or_none() -> None:
    emoji = CheckKind.NO_EMOJI
    assert proposed("", THINGS, PROSE, CheckKind.NUMBERED_LIST, emoji) == check(
        CheckKind.NUMBERED_LIST
    )
    smiling = f"{PROSE} \N{GRINNING FACE}"
    assert proposed("", THINGS, smiling, CheckKind.NUMBERED_LIST, emoji) == ""


def test_of_two_possible_letter_cases_the_named_one_is_meant() -> None:
    both = (CheckKind.LOWER_CASE, CheckKind.UPPER_CASE)
    assert proposed("", "our hook wants it all in lowercase", PROSE, *both) == check(both[0])
    assert proposed("", "it is a matter of letters", PROSE, *both) == ""


def test_a_likelier_class_of_the_same_property_is_a_doubt() -> None:
    praised = "with these in front he does not forget the half"
    assert proposed("", praised, NUMBERED, CheckKind.NUMBERED_LIST, CheckKind.BULLETS) == ""
    assert proposed("", praised, NUMBERED, CheckKind.BULLETS, CheckKind.NUMBERED_LIST) != ""


def test_who_complains_of_a_form_means_its_opposite() -> None:
    said = "these points are of no use to me when I read aloud"
    unsure = (CheckKind.BULLETS, CheckKind.NO_BULLETS)
    assert proposed(CheckKind.BULLETS, said, DASHED, *unsure) == check(CheckKind.NO_BULLETS)
    assert proposed(CheckKind.BULLETS, said, PROSE, *unsure) == check(CheckKind.BULLETS)


def test_a_quoted_text_does_not_stand_for_a_class_that_is_only_possible() -> None:
    short = CheckKind.NO_CONTRACTIONS
    assert proposed("", "such fillers I skip, in full", "It's cold.", short) == check(short)
    filler = 'such fillers, "worth noting", sound hollow to us'
    assert proposed("", filler, "It's worth noting.", short) == ""
    assert proposed("", 'like "it\'s", in full please', "It's cold.", short) == check(short)


def test_what_a_rule_quotes_may_be_an_instance_of_what_it_forbids() -> None:
    preamble = CheckKind.NO_PREAMBLE
    rule = 'Drop the "great question" from now on.'
    assert proposed(preamble, rule, GREETED) == check(preamble)
    assert kinds_of(proposed("", rule, GREETED)) == ["not_contains"]
    assert kinds_of(proposed(CheckKind.NOT_CONTAINS, rule, GREETED)) == ["not_contains"]
    word = 'Never say "beef", please.'
    assert proposed(preamble, word, GREETED) == check(CheckKind.NOT_CONTAINS, "beef")
    short = 'Never write "it\'s" or "can\'t".'
    contractions = CheckKind.NO_CONTRACTIONS
    assert proposed(contractions, short, "It's cold.") == check(contractions)


def test_what_must_be_in_an_answer_may_have_its_place_from_the_class() -> None:
    rule = 'Put "Robot:" in front each time.'
    assert kinds_of(proposed(CheckKind.STARTS, rule, PROSE)) == ["starts"]
    assert kinds_of(proposed(CheckKind.CONTAINS, rule, PROSE)) == ["contains"]
    assert proposed(CheckKind.STARTS, rule, f"Robot: {PROSE}") == ""


def test_who_complains_of_what_the_words_seem_to_want_names_what_they_do_not_want() -> None:
    said = "Celsius for the oven, nobody has used Fahrenheit since the war."
    hot = "Bake at 430 °F until golden."
    assert proposed(CheckKind.UNITS, said, hot) == check(CheckKind.UNITS, "celsius")
    assert proposed(CheckKind.UNITS, said, hot, complaint="") == ""
    assert proposed(CheckKind.UNITS, said, "Bake well.") == "", "no temperature"
    counted = "At most 20 sentences."
    assert proposed(CheckKind.SENTENCES, counted, PROSE) == "", "a number is not turned round"


def test_a_wish_that_is_a_question_is_read_by_its_words() -> None:
    said = 'Could you end each answer with "over"?'
    assert proposed("", said, PROSE) == check(CheckKind.ENDS, "over")
    assert proposed("", said, PROSE, complaint="") == ""
    assert proposed("", f"Is it late? {said}", PROSE) == ""
