"""Tests of answers that are decided before their end: whatever follows, the verdict stays."""

from __future__ import annotations

import pytest

from lull.core.checks.check import Check, CheckKind, CheckSet
from lull.core.checks.check_answer import keeps_rule
from lull.core.checks.settled import is_settled

K = CheckKind
ANSWERS = (
    "Ahoy! Lisbon lies on the Tagus. It is the capital of Portugal, and old. Trams climb.",
    "Ahoyment is no word. Dr. Silva, e.g., lives in Lisbon. He has 3.5 cats. And a dog!\n\nBye",
    "lisbon is a city; it is old and it lies on the tagus river, in the west of portugal. yes",
    "Dear Ana,\n\nthank you for the letter. We come on the 3. of May.\n\nBest regards\nTom",
    "- bread\n- butter\n- jam\n\nThat is all for breakfast, unless you want `Tea` too. Enjoy 🎉 it",
    "# Lisbon\n\nFirst paragraph with some words.\n\nSecond one.\n\nThird one follows. Fourth?",
    "Use this:\n\n```python\nclass Lisbon:\n    Name = 'x'; y = 1\n```\n\nThat is it. No more.",
    "\n\n  Ahoy, matey and all the others aboard of this old ship that sails the Tagus today. ",
    "It was 5 p.m. when J. R. came home... He said: «Hola.» Then he left; nobody saw. So it is.",
    "ok",
    "",
)
CHECKS = (
    Check(kind=K.STARTS, value="Ahoy"),
    Check(kind=K.STARTS, value="Dear Ana,"),
    Check(kind=K.WORDS, at_most=8),
    Check(kind=K.CHARACTERS, at_most=60),
    Check(kind=K.SENTENCES, at_most=1),
    Check(kind=K.SENTENCES, at_most=2),
    Check(kind=K.SENTENCES, at_least=2, at_most=3),
    Check(kind=K.PARAGRAPHS, at_most=1),
    Check(kind=K.LINES, at_most=2),
    Check(kind=K.NOT_CONTAINS, value="Portugal"),
    Check(kind=K.NO_SIGN, value="semicolon"),
    Check(kind=K.NO_SIGN, value="parenthesis"),
    Check(kind=K.NO_EMOJI),
    Check(kind=K.LOWER_CASE),
    Check(kind=K.ENDS, value="So it is."),
    Check(kind=K.CONTAINS, value="Tagus"),
    Check(kind=K.BULLETS),
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.kind} {check.value}")
def test_what_a_beginning_settles_no_end_changes(check: Check) -> None:
    rule = CheckSet(checks=(check,))
    for answer in ANSWERS:
        for upto in range(len(answer) + 1):
            begun = answer[:upto]
            if is_settled(rule, begun):
                assert keeps_rule(rule, begun) is keeps_rule(rule, answer), begun
                assert keeps_rule(rule, answer) is not None


def test_a_wanted_beginning_is_settled_soon_either_way() -> None:
    rule = CheckSet(checks=(Check(kind=K.STARTS, value="Ahoy"),))
    for begins in ("Ahoy! ", "Lisbon "):
        answer = begins + "lies on the Tagus and is the capital of a country. " * 20
        settled = next(n for n in range(len(answer)) if is_settled(rule, answer[:n]))
        assert settled < 70


def test_too_many_sentences_are_settled_when_one_more_has_begun() -> None:
    rule = CheckSet(checks=(Check(kind=K.SENTENCES, at_most=2),))
    answer = "One is here. Two is here. Three is here. Four is here. Five is here. "
    settled = next(n for n in range(len(answer)) if is_settled(rule, answer[:n]))
    assert answer[:settled].count(".") == 3
    few = CheckSet(checks=(Check(kind=K.SENTENCES, at_most=9),))
    assert not any(is_settled(few, answer[:n]) for n in range(len(answer) + 1))


def test_a_rule_of_several_checks_is_answered_to_the_end() -> None:
    both = (Check(kind=K.STARTS, value="Ahoy"), Check(kind=K.SENTENCES, at_most=1))
    answer = "Lisbon lies on the Tagus, as everybody knows who was there. And more. And more. So. "
    assert is_settled(CheckSet(checks=both[:1]), answer)
    assert not is_settled(CheckSet(checks=both), answer)


def test_the_beginning_that_keeps_a_part_of_a_rule_settles_nothing() -> None:
    part = CheckSet(checks=(Check(kind=K.STARTS, value="Ahoy"),), whole=False)
    assert not is_settled(
        part, "Ahoy! Lisbon lies on the Tagus, as everybody knows who was there. "
    )
    assert is_settled(part, "Oh! Lisbon lies on the Tagus, as everybody knows who was there. ")
