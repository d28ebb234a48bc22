"""Tests of scoring without asking anybody: by standing wishes and approved checks."""

from __future__ import annotations

import pytest

from lull.core.checks.check import Check, CheckKind, CheckSet
from lull.core.feedback.reward import Source
from lull.core.feedback.signals import Signal, SignalKind
from lull.loops.feedback.verify import Verifier, Wish, is_from_wish
from tests.loops.classroom import CHECKED

SHORT = CheckSet(checks=(Check(kind=CheckKind.WORDS, at_most=2),))
A_PART = CheckSet(checks=SHORT.checks, whole=False)
BARS = CheckSet(checks=(Check(kind=CheckKind.CONTAINS, value="|"),))


def reads(wish: str, asked: str, said: str) -> bool | None:
    """A verifier that knows two wishes, and only for menus."""
    if "menu" not in asked:
        return None
    for word, sign in (("bars", "|"), ("stars", "*")):
        if wish.endswith(word):
            return sign in said
    return None


class Checks:
    """The checks of two skills; implements `ChecksOfSkills`."""

    def checks_of(self, sha256: str) -> CheckSet | None:
        return {"one": SHORT, "two": BARS, "part": A_PART}.get(sha256)


@pytest.fixture
def verifier() -> Verifier:
    return Verifier({CHECKED: reads}, checks=Checks())


def test_only_the_answers_of_a_language_with_one_right_answer_are_read(verifier: Verifier) -> None:
    assert verifier.is_exact(CHECKED)
    assert verifier.is_exact(f"{CHECKED}:latest")
    assert not verifier.is_exact("llama3.2")
    assert verifier.fulfils("llama3.2", wish="use bars", asked="a menu", answer="a | b") is None


@pytest.mark.parametrize(
    ("wish", "answer", "does"),
    [
        ("use bars", "a | b", True),
        ("use bars", "a, b", False),
        ("use bars\nuse stars", "a * b", True),  # the newest words hold
        ("use bars\nuse stars", "a | b", False),
        ("use bars\nthank you", "a | b", True),  # the newest that say something
        ("no! use bars", "a | b", True),  # a sentence of a line
        ("thank you", "a | b", None),
        ("", "a | b", None),
    ],
)
def test_the_newest_words_that_tell_decide(
    verifier: Verifier, wish: str, answer: str, does: bool | None
) -> None:
    assert verifier.fulfils(CHECKED, wish=wish, asked="a menu", answer=answer) is does


def test_a_wish_says_nothing_about_other_requests(verifier: Verifier) -> None:
    assert verifier.fulfils(CHECKED, wish="use bars", asked="a joke", answer="ha") is None


def test_of_several_standing_wishes_the_newest_about_this_request_speaks(
    verifier: Verifier,
) -> None:
    (signal,) = verifier.check_wish(
        CHECKED,
        wishes=[Wish(w, "") for w in ("use stars", "use bars", "be kind")],
        asked="a menu",
        answer="a | b",
    )
    assert (signal.value, signal.source) == (1.0, Source.VERIFIABLE)
    assert signal.text == "you said: use bars"
    assert is_from_wish(signal)
    assert verifier.check_wish(CHECKED, wishes=[], asked="a menu", answer="a | b") == ()


def test_approved_checks_speak_for_the_texts_they_came_with(verifier: Verifier) -> None:
    signals = verifier.run_skill_checks(["one", "two", "three"], "soup and bread")
    assert [signal.value for signal in signals] == [-1.0, -1.0]
    assert {signal.kind for signal in signals} == {SignalKind.CHECK}
    assert not any(is_from_wish(signal) for signal in signals)
    assert [signal.value for signal in verifier.run_skill_checks(["one", "two"], "soup |")] == [
        1.0,
        1.0,
    ]


def test_checks_of_a_part_of_a_rule_only_tell_that_it_is_broken(verifier: Verifier) -> None:
    (broken,) = verifier.run_skill_checks(["part"], "far too many")
    assert broken.value == -1.0
    assert verifier.run_skill_checks(["part"], "so few") == ()
    wish = Wish("use two words and be kind", "a menu", check=A_PART)
    told = [
        verifier.check_wish("llama3.2", wishes=[wish], asked="a menu", answer=answer)
        for answer in ("far too many", "so few")
    ]
    assert [len(signals) for signals in told] == [1, 0]


def test_a_users_check_is_no_wish_whatever_it_says() -> None:
    rated = Signal(
        kind=SignalKind.RATING, source=Source.EXPLICIT, value=1.0, text="you said: use bars"
    )
    assert not is_from_wish(rated)
