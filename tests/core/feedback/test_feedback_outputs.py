"""Tests of turning a reader's probabilities into findings: quote, scope and kind of rule."""

from __future__ import annotations

import pytest

from lull.core.feedback.exchange import Exchange, readable, sentences
from lull.core.feedback.feedback import MessageFindings, RuleKind, Scope
from lull.core.feedback.outputs import POSSIBLE, Outputs, findings_from


def heard(said: str, *stated: float, **more: float) -> MessageFindings:
    classes = {"none": 1.0 - more.get("bullets", 0.0), "bullets": more.pop("bullets", 0.0)}
    labels = {"correction": 0.9, "lasting": 0.9, "kind": 0.2, "fact": 0.1, "thanks": 0.0, **more}
    outputs = Outputs(labels=labels, classes=classes, stated=stated)
    return findings_from(outputs, Exchange(asked="a", answer="b", said=said))


def test_a_lasting_wish_comes_with_scope_quote_and_kind() -> None:
    found = heard("Too long!  I like it short.\n", 0.1, 0.8, bullets=0.7)
    assert found == MessageFindings(
        correction=0.9,
        lasting=0.9,
        scope=Scope.ALL,
        scope_p=0.8,
        quote=("I like it short.",),
        kind_of_rule=RuleKind.PREFERENCE,
        check="bullets",
        possible_checks=("bullets",),
    )


def test_of_what_does_not_last_nothing_more_is_told() -> None:
    found = heard("Too long! Shorten it.", 0.9, 0.9, lasting=0.5, kind=0.9)
    assert (found.scope, found.quote, found.kind_of_rule, found.check) == (None, (), None, "")
    assert found.scope_p == 0.0


def test_where_no_sentence_is_likely_the_likeliest_is_quoted() -> None:
    assert heard("One. Two. Three.", 0.1, 0.3, 0.2).quote == ("Two.",)


def test_a_scope_of_a_kind_and_a_fact() -> None:
    found = heard("I cook for six.", 0.9, kind=0.7, fact=0.8)
    assert (found.scope, found.scope_p) == (Scope.KIND, 0.7)
    assert found.kind_of_rule is RuleKind.FACT


def test_a_class_of_check_that_is_not_likely_is_none() -> None:
    assert heard("Use bullets.", 0.9, bullets=0.49).check == ""


def test_a_class_of_check_that_is_possible_is_kept() -> None:
    assert heard("Use bullets.", 0.9, bullets=POSSIBLE).possible_checks == ("bullets",)
    assert heard("Use bullets.", 0.9, bullets=POSSIBLE - 0.01).possible_checks == ()
    labels = {"correction": 0.9, "lasting": 0.9, "kind": 0.2, "fact": 0.1, "thanks": 0.0}
    classes = {"none": 0.2, "bullets": 0.3, "lines": 0.5}
    said = Exchange(asked="a", answer="b", said="One below the other.")
    outputs = Outputs(labels=labels, classes=classes, stated=(0.9,))
    assert findings_from(outputs, said).possible_checks == ("lines", "bullets")


def test_a_long_sentence_is_quoted_as_it_was_typed_and_a_paste_is_not() -> None:
    long, paste = "and more " * 100 + "end.", "and more " * 300 + "end."
    assert heard(long, 0.9).quote == (long,)
    assert heard(f"{paste}\nShort.", 0.9, 0.2).quote == ("Short.",)
    assert heard(paste, 0.9).quote == ()
    assert not heard(paste, 0.9).lasts


@pytest.mark.parametrize(
    "unit", [".", "a.\n", "`", "```\n", "e.g. ", '."', "\n", " ", ". ", "~~~\n```\n", "😀", "x "]
)
def test_of_200_kb_both_ends_are_looked_at(unit: str) -> None:
    said = unit * (200_000 // len(unit))
    shown = readable(Exchange(asked=said, answer=said, said=said)).sentences
    assert sum(map(len, shown)) < 2_000
    assert "".join(sentences(said)) == said
