"""Tests of the bench that asks whether a complaint leads to the check that was meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.reader.check_cases import CheckCase, agrees, check_cases, offered
from bench.reader.measures import check_rows
from lull.core.checks.check import Check, CheckKind
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import MessageFindings, Scope

LONG = "The kettle is on. It boils soon. Then pour it over the leaves. Wait. Drink it."
SAID = "So long again! Two sentences is what I take."


def case(meant: Check | None, *, complains: bool = True) -> CheckCase:
    exchange = Exchange(asked="How do I make tea?", answer=LONG, said=SAID)
    return CheckCase(exchange=exchange, complains=complains, lasting=True, check=meant)


def heard(check: str = "sentences", lasting: float = 0.9) -> MessageFindings:
    return MessageFindings(
        correction=0.9,
        lasting=lasting,
        thanks=0.0,
        scope=Scope.ALL,
        quote=("Two sentences is what I take.",),
        check=check,
    )


TWO = Check(kind=CheckKind.SENTENCES, at_most=2)


SENTENCES, UNITS, DATES = CheckKind.SENTENCES, CheckKind.UNITS, CheckKind.DATE_FORMAT
SIGN, ENDS = CheckKind.NO_SIGN, CheckKind.ENDS


@pytest.mark.parametrize(
    ("found", "meant", "same"),
    [
        (TWO, TWO, True),
        (TWO, Check(kind=SENTENCES, at_least=2, at_most=2), True),
        (TWO, Check(kind=SENTENCES, at_most=3), False),
        (Check(kind=SENTENCES, at_least=2), TWO, False),
        (TWO, Check(kind=CheckKind.WORDS, at_most=2), False),
        (Check(kind=UNITS, value="grams"), Check(kind=UNITS, value="metric"), True),
        (Check(kind=UNITS, value="cups"), Check(kind=UNITS, value="metric"), False),
        (Check(kind=DATES, value="day_first"), Check(kind=DATES, value="dmy"), True),
        (Check(kind=DATES, value="us"), Check(kind=DATES, value="dmy"), False),
        (Check(kind=SIGN, value="dash"), Check(kind=SIGN, value="em dash"), True),
        (Check(kind=ENDS, value="Yours, Bo"), Check(kind=ENDS, value="yours Bo"), True),
        (Check(kind=ENDS, value="Bye"), Check(kind=ENDS, value="Yours"), False),
        (Check(kind=CheckKind.BULLETS), Check(kind=CheckKind.BULLETS), True),
    ],
)
def test_a_check_agrees_if_it_tests_what_was_meant(
    found: Check, meant: Check, *, same: bool
) -> None:
    assert agrees(found, meant) is same


def test_what_is_offered_counts_as_found_and_as_right() -> None:
    cases = [(case(TWO), heard()), (case(TWO), heard("none")), (case(None), heard())]
    assert [offered(*one) for one in cases][1] is None
    found, right = check_rows(cases)
    assert (found["n"], found["share"]) == (2, 0.5)
    assert (right["n"], right["share"]) == (2, 0.5), "nobody meant the last one"


def test_nothing_is_offered_where_nothing_lasting_was_heard() -> None:
    assert offered(case(TWO), heard(lasting=0.1)) is None


def test_cases_are_read_from_files(tmp_path: Path) -> None:
    line = {"asked": "a", "answer": "b", "said": "c", "correction": True, "lasting": True}
    more = {"check_json": {"kind": "sentences", "at_most": 2}}
    (tmp_path / "who.jsonl").write_text(f"{json.dumps(line | more)}\n{json.dumps(line)}\n")
    assert [one.check for one in check_cases(tmp_path)] == [TWO, None]
