"""Tests which checks are said to contradict each other, and that no answer keeps two that are."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from lull.core.checks.check import NO_LIBRARIES, Check, CheckKind, Part
from lull.core.checks.check_answer import passes_check
from lull.core.checks.rules.contradictions import cannot_both_hold

K = CheckKind
ONE_SENTENCE = Check(kind=K.SENTENCES, at_least=1, at_most=1)
THREE_BULLETS = Check(kind=K.BULLETS, at_least=3, at_most=3)
CONTRADICTING = [
    (ONE_SENTENCE, THREE_BULLETS),
    (Check(kind=K.WORDS, at_most=10), Check(kind=K.WORDS, at_least=11)),
    (Check(kind=K.WORDS, at_most=2), THREE_BULLETS),
    (Check(kind=K.LINES, at_most=2), Check(kind=K.NUMBERED_LIST, at_least=3)),
    (Check(kind=K.CHARACTERS, at_most=3), Check(kind=K.SENTENCES, at_least=4)),
    (Check(kind=K.NO_BULLETS), THREE_BULLETS),
    (Check(kind=K.NO_BULLETS, value="lists"), Check(kind=K.NUMBERED_LIST)),
    (Check(kind=K.LOWER_CASE), Check(kind=K.UPPER_CASE)),
    (Check(kind=K.CONTAINS, value="cheers"), Check(kind=K.NOT_CONTAINS, value="cheers")),
    (Check(kind=K.NO_EMOJI), Check(kind=K.NO_EMOJI, must=False)),
    (Check(kind=K.LANGUAGE, value="de"), Check(kind=K.LANGUAGE, value="fr")),
]
COMPATIBLE = [
    (Check(kind=K.WORDS, at_most=50), Check(kind=K.WORDS, at_most=30)),
    (Check(kind=K.SENTENCES, at_most=3), THREE_BULLETS),
    (Check(kind=K.WORDS, at_most=20, part=Part.ITEMS), Check(kind=K.WORDS, at_least=30)),
    (Check(kind=K.NO_BULLETS), Check(kind=K.NUMBERED_LIST)),
    (Check(kind=K.LOWER_CASE), Check(kind=K.NO_EMOJI)),
    (Check(kind=K.LANGUAGE, value="de"), Check(kind=K.LANGUAGE, value="de")),
    (Check(kind=K.LANGUAGE, value="de"), Check(kind=K.LANGUAGE, value="fr", must=False)),
]
WORDS = ("cheers", "SOUP.", "one. two. three")
ANSWERS = [
    text
    for many in range(1, 4)
    for parts in itertools.product(WORDS, repeat=many)
    for mark in ("", "- ", "1. ", "  - ")
    for end in ("", ".", "\n\nThat is all.")
    for text in ("\n".join(f"{mark}{part}" for part in parts) + end,)
]


@pytest.mark.parametrize(("one", "other"), CONTRADICTING)
def test_what_cannot_both_hold_is_told_either_way_round(one: Check, other: Check) -> None:
    assert cannot_both_hold(one, other) and cannot_both_hold(other, one)
    assert not cannot_both_hold(one, one)


@pytest.mark.parametrize(("one", "other"), COMPATIBLE)
def test_what_can_both_hold_or_is_not_known_is_no_contradiction(one: Check, other: Check) -> None:
    assert not cannot_both_hold(one, other) and not cannot_both_hold(other, one)


def test_no_answer_keeps_two_checks_that_are_said_to_contradict_each_other() -> None:
    kinds = (K.WORDS, K.SENTENCES, K.LINES, K.CHARACTERS, K.BULLETS, K.NUMBERED_LIST)
    checks = [Check(kind=kind, at_least=n) for kind in kinds for n in (2, 3, 9)]
    checks += [Check(kind=kind, at_most=n) for kind in kinds for n in (1, 2, 8)]
    checks += [one for pair in CONTRADICTING for one in pair]
    checks = list(dict.fromkeys([*checks, *(replace(one, must=False) for one in checks)]))
    kept = {
        check: {n for n, text in enumerate(ANSWERS) if passes_check(check, text, NO_LIBRARIES)}
        for check in checks
    }
    told = [pair for pair in itertools.combinations(checks, 2) if cannot_both_hold(*pair)]
    assert len(told) > 50
    wrong = [(one, other) for one, other in told if kept[one] & kept[other]]
    assert wrong == []
    assert sum(map(bool, kept.values())) > len(kept) / 2  # the answers try most of them
