"""Tests of measuring where a model obeys skills: which cases are asked, when a place is surely
best, and what is reported.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from lull.core.checks.check import Check, CheckKind
from lull.core.proof.placing import (
    KeptShare,
    PlacingCase,
    PlacingMark,
    PlacingResult,
    PlacingSheet,
    best_place,
    kept_share,
    next_case,
    with_best_place,
)
from lull.core.skills.prompt_block import Placement

SYSTEM, HEAD, TAIL = Placement


def sheet(decide: int = 24, show: int = 12) -> PlacingSheet:
    def case(name: str, decides: bool) -> PlacingCase:
        return PlacingCase(
            id=name,
            rule="Say so.",
            check=Check(kind=CheckKind.CONTAINS, value="so"),
            asked="a",
            then="b",
            decides=decides,
        )

    shown = [case(f"s{n}", False) for n in range(show)]
    return PlacingSheet(sha256="x", cases=(*shown, *(case(f"d{n}", True) for n in range(decide))))


Obeys = Mapping[Placement, Sequence[int | None]]
"""Scores for successive cases, by place in the prompt; the last one is repeated."""


def asked(cases: PlacingSheet, obeys: Obeys) -> list[PlacingMark]:
    """Ask all cases of a model that scores as `obeys` says, and return the marks."""
    marks: list[PlacingMark] = []
    while (found := next_case(cases, marks)) is not None:
        case, (place, *_) = found
        own = obeys[place]
        kept = own[min(len(marks) // len(Placement), len(own) - 1)]
        marks.append(PlacingMark(case=case.id, place=place, kept=kept))
    return marks


def test_all_places_are_asked_and_those_cases_first_that_decide() -> None:
    marks = asked(sheet(2, 1), {SYSTEM: [1], HEAD: [1], TAIL: [1]})
    assert [(mark.case, mark.place) for mark in marks] == [
        (case, place) for case in ("d0", "d1", "s0") for place in Placement
    ]


def test_the_system_text_stays_where_nothing_is_surely_better() -> None:
    cases = sheet()
    assert best_place(cases, []) is SYSTEM
    assert best_place(cases, asked(cases, {SYSTEM: [1], HEAD: [1], TAIL: [0]})) is SYSTEM
    some = asked(cases, {SYSTEM: [1], HEAD: [2] * 6 + [1], TAIL: [2, 0, 2, 0, 2, 1]})
    assert best_place(cases, some) is SYSTEM


def test_a_place_that_is_surely_better_ends_the_choice_early_and_is_shown_by_other_cases() -> None:
    cases = sheet()
    marks = asked(cases, {SYSTEM: [0], HEAD: [0], TAIL: [2]})
    deciding = {mark.case for mark in marks if mark.case.startswith("d")}
    assert 8 <= len(deciding) < 12 and best_place(cases, marks) is TAIL
    assert len({mark.case for mark in marks} - deciding) == 12
    done = with_best_place(
        PlacingResult(model="m", digest="d", sheet="x", marks=tuple(marks)), cases
    )
    assert done.place is TAIL
    assert done.why == (
        "Skills are put after your message: there the model clearly follows rules more often. In "
        "tests with other rules, 0 of 24 answers followed them with the rules in the system "
        "prompt, 0 before your message, 24 after your message."
    )


def test_of_two_places_that_are_surely_better_the_one_is_used_that_keeps_more() -> None:
    cases = sheet()
    assert best_place(cases, asked(cases, {SYSTEM: [0], HEAD: [2], TAIL: [1]})) is HEAD


def test_a_case_that_could_not_be_checked_in_some_place_counts_in_none() -> None:
    cases = sheet()
    marks = asked(cases, {SYSTEM: [0], HEAD: [None, 2], TAIL: [0]})
    assert kept_share(cases, marks, SYSTEM, decides=True).n % 2 == 0
    assert kept_share(cases, marks[:3], SYSTEM, decides=True) == KeptShare(kept=0, n=0)
    lost = asked(cases, {SYSTEM: [None], HEAD: [2], TAIL: [2]})
    assert best_place(cases, lost) is SYSTEM
    done = with_best_place(
        PlacingResult(model="m", digest="d", sheet="x", marks=tuple(lost)), cases
    )
    assert done.why.endswith("more often.")


def test_what_is_not_ended_is_not_settled() -> None:
    cases = sheet(2, 1)
    begun = PlacingResult(
        model="m", digest="d", sheet="x", marks=(PlacingMark(case="d0", place=SYSTEM, kept=1),)
    )
    assert with_best_place(begun, cases) is begun


@pytest.mark.slow
@pytest.mark.full
def test_a_model_that_obeys_alike_everywhere_seldom_gets_another_place() -> None:
    """At most one in twenty does by chance, however often the model obeys."""
    cases, dice = sheet(show=0), random.Random(5)
    for share in (0.3, 0.5, 0.8):
        wrong = 0
        for _ in range(300):
            scores = {
                place: [sum(dice.random() < share for _ in range(2)) for _ in range(24)]
                for place in Placement
            }
            wrong += best_place(cases, asked(cases, scores)) is not SYSTEM
        assert wrong / 300 <= 0.05
