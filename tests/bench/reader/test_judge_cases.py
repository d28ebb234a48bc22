"""Tests of holding answers to rules in plain words, by checks alone, on known cases.

The cases were written before the first run (ADR 0035 has what it found); by now the checks are
tuned to them, and they say only that nothing got worse.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.reader.judge_cases import judge

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("judge_cases.jsonl").read_text("utf-8").splitlines()
]


def verdict(case: dict[str, str]) -> float | str | None:
    return judge(case["rule"], case["request"], case["answer"])["kept"]


@pytest.mark.full
def test_what_a_program_can_check_is_decided() -> None:
    checkable = [case for case in CASES if case["kept"] is not None]
    decided = [case for case in checkable if verdict(case) is not None]
    assert len(decided) >= 0.85 * len(checkable)


@pytest.mark.full
def test_what_is_decided_is_right_and_the_rest_left_alone() -> None:
    wrong = [case for case in CASES if verdict(case) not in (None, case["kept"])]
    assert wrong == []


@pytest.mark.slow
def test_the_head_s_class_speaks_where_no_form_of_words_is_known() -> None:
    rule, answer = "spare me the little pictures", "done ✅"
    assert judge(rule, "x", answer) == {"kept": None, "by": None}
    found = judge(rule, "x", answer, class_of=lambda rule: "no_emoji")
    assert found == {"kept": 0.0, "by": "check"}


def test_where_head_and_words_disagree_nothing_is_said() -> None:
    found = judge("no emojis", "x", "done ✅", class_of=lambda rule: "bullets")
    assert found == {"kept": None, "by": None}


def test_a_request_that_wants_the_thing_itself_is_left_alone() -> None:
    assert judge("never apologise", "Write an apology to Kim", "Sorry, Kim.")["kept"] is None
