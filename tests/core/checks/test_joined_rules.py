"""Which checks belong to a rule that states several things, such as "lower case, and no emoji"."""

from __future__ import annotations

import pytest

from lull.core.checks.check import Check, CheckKind, CheckSet
from lull.core.checks.rules.recognising import exact_checks, exact_set
from tests.growing import grows_like_its_size

K = CheckKind
NO_EMOJI, LOWER = Check(kind=K.NO_EMOJI), Check(kind=K.LOWER_CASE)
TWO_SENTENCES = Check(kind=K.SENTENCES, at_least=2, at_most=2)
AT_MOST_TWO = Check(kind=K.SENTENCES, at_most=2)


@pytest.mark.parametrize(
    ("rule", "checks"),
    [
        ("Lower case and at most two sentences.", {LOWER, AT_MOST_TWO}),
        ("at most two sentences, lower case", {AT_MOST_TWO, LOWER}),
        ("Lower case, at most two sentences, and no emoji.", {LOWER, AT_MOST_TWO, NO_EMOJI}),
        ("Write in German and in two sentences.",
         {Check(kind=K.LANGUAGE, value="de"), TWO_SENTENCES}),
        ("Bitte höchstens zwei Sätze und keine Emojis.", {AT_MOST_TWO, NO_EMOJI}),
        ("No commas and no semicolons.",
         {Check(kind=K.NO_SIGN, value="comma"), Check(kind=K.NO_SIGN, value="semicolon")}),
        ("Start with 'Moin' and end with 'Tschüss'.",
         {Check(kind=K.STARTS, value="Moin"), Check(kind=K.ENDS, value="Tschüss")}),
        ("lower case, and sign with -- Kim",
         {LOWER, Check(kind=K.ENDS, value="-- Kim")}),
        ("Two sentences, no emoji, end with ~K",
         {TWO_SENTENCES, NO_EMOJI, Check(kind=K.ENDS, value="~K")}),
        ("Keine Emojis, und schließ mit „Gruß, Ole“.",
         {NO_EMOJI, Check(kind=K.ENDS, value="Gruß, Ole")}),
        ("No emojis and end with 'Bye'.", {NO_EMOJI, Check(kind=K.ENDS, value="Bye")}),
        ("Use lower case, even when I do not, and at most two sentences.", {LOWER, AT_MOST_TWO}),
        ("Use at most 50 words but at least two paragraphs.",
         {Check(kind=K.WORDS, at_most=50), Check(kind=K.PARAGRAPHS, at_least=2)}),
        ("No emojis and at most two sentences.", {NO_EMOJI, AT_MOST_TWO}),
    ],
)  # fmt: skip
def test_each_joined_order_has_its_check(rule: str, checks: set[Check]) -> None:
    found = exact_set(rule)
    assert found is not None and found.whole
    assert set(found.checks) == checks and len(found.checks) == len(checks)


@pytest.mark.parametrize(
    ("rule", "checks"),
    [
        ("At most two sentences, and always explain the trade-off.", (AT_MOST_TWO,)),
        ("At most two sentences and explain it simply.", (AT_MOST_TWO,)),
        ("Explain it simply, and keep it to at most two sentences.", (AT_MOST_TWO,)),
        ("No emojis and lower case.", (NO_EMOJI,)),
        ("Write in lower case, keep the tone dry.", (LOWER,)),
        ("End with a joke and not with an emoji.", (NO_EMOJI,)),
        ("Only one paragraph, and it should all be in lower case.", (LOWER,)),
        ("A numbered list and nothing behind it.", (Check(kind=K.NUMBERED_LIST),)),
        ("Lower case and five lines or so.", (LOWER,)),
        ("At most two sentences, and the second one in italics.", (AT_MOST_TWO,)),
        ("Lower case and 'Moin' as the greeting.", (LOWER,)),
        (
            "Never start with 'Hi' and end with 'Bye'.",
            (Check(kind=K.STARTS, value="Hi", must=False),),
        ),
        ("Greet me with 'Moin' and never say 'Hi'.", (Check(kind=K.NOT_CONTAINS, value="Hi"),)),
    ],
)
def test_what_is_joined_and_not_understood_makes_the_checks_a_part(
    rule: str, checks: tuple[Check, ...]
) -> None:
    assert exact_set(rule) == CheckSet(checks=checks, whole=False)
    assert exact_checks(rule) == []


@pytest.mark.parametrize(
    "rule",
    [
        "Don't greet me and start with 'Hi'",
        "Never mention prices and answer in two sentences",
        "Use bullets and number the steps",
        "Answer in German and answer in French",
        "Open with the date and close with 'Yours, Kim'",
        "Answer in two sentences and in three sentences",
    ],
)
def test_a_negation_or_contradiction_beside_an_order_makes_no_check(rule: str) -> None:
    assert exact_set(rule) is None


@pytest.mark.parametrize(
    ("rule", "check"),
    [
        ("End with 'over and out'", Check(kind=K.ENDS, value="over and out")),
        ("Never use the phrase 'bits and bobs, and all'",
         Check(kind=K.NOT_CONTAINS, value="bits and bobs, and all")),
        ("Commence par « Bonjour » et rien d'autre avant.",
         Check(kind=K.STARTS, value="Bonjour")),
        ("List the pros and cons as bullets", Check(kind=K.BULLETS)),
        ("Never use bullets, dashes or anything like that", Check(kind=K.NO_BULLETS)),
    ],
)  # fmt: skip
def test_an_and_between_things_or_within_quotation_marks_joins_no_orders(
    rule: str, check: Check
) -> None:
    found = exact_set(rule)
    assert found is not None and found.whole and check in found.checks
    assert all(one == check or one.kind is K.NO_SIGN for one in found.checks)


def test_a_long_rule_of_many_parts_is_read_in_little_time() -> None:
    def read(size: int) -> None:
        exact_set(", ".join(["lower case and no emoji"] * size))

    assert grows_like_its_size(read, small=20)
