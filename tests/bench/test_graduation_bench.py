"""Tests of the graduation bench: what it draws, and what it makes of its rows.

`make soak` also takes one rule all the way into the weights.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.graduation.command import measured
from bench.graduation.course import graduate
from bench.graduation.rules import requests, rules
from lull.contract.json_object import Json
from lull.pocket import language as pocket
from lull.pocket import parsing


def row(*, promoted: bool, kept: float = 1.0, lost: int = 0, number: int = 1) -> Json:
    family = {"lost": lost, "won": 0, "of": 40, "not_worse": lost < 2}
    return {
        "rule": "a rule",
        "promoted": promoted,
        "gain_kept": kept if promoted else None,
        "skill_tokens": 0.0 if promoted else None,
        "canaries": {"two rules": family},
        "try": number,
    }


def goals_of(rows: list[Json]) -> dict[str, bool]:
    return {goal["goal"].split()[0]: goal["holds"] for goal in measured(rows, seed=1)["goals"]}


def test_rules_are_of_one_or_two_parts_in_words_that_no_rule_was_trained_with() -> None:
    drawn = rules(60, 7)
    assert len({(rule.kind, rule.style) for rule in drawn}) == 60
    assert {len(rule.style.parts()) for rule in drawn} == {1, 2}
    words = {word for rule in drawn for word in (rule.style.start, rule.style.end) if word}
    assert words and words <= set(pocket.HELD_WORDS)
    assert all(parsing.parse_rule(rule.said) == (rule.kind, rule.style) for rule in drawn)


def test_a_seed_draws_the_same_rules_and_fewer_of_them_are_the_first() -> None:
    assert rules(20, 3)[:5] == rules(5, 3) != rules(5, 4)


def test_no_request_is_asked_twice_and_each_knows_its_right_answers() -> None:
    rule = rules(1, 5)[0]
    served = requests(rule, 60, "served", own=True)
    probes = requests(rule, 40, "probes", own=True, but=served)
    others = requests(rule, 40, "probes", own=False)
    assert not {one.text for one in served} & {one.text for one in probes}
    assert all(parsing.check(rule.said, one.text, one.ruled) for one in probes)
    assert all(one.ruled == one.plain for one in others)


def test_a_second_try_does_not_count_as_promoted_at_the_first() -> None:
    rows = [row(promoted=True)] * 3 + [row(promoted=False), row(promoted=True, number=2)]
    assert not goals_of(rows)["promoted"]
    assert goals_of([row(promoted=True)] * 4 + [row(promoted=False)])["promoted"]


def test_what_is_kept_and_what_is_lost_are_goals_of_the_promoted_alone() -> None:
    assert goals_of([row(promoted=True, kept=0.5)])["of"] is False
    assert goals_of([row(promoted=True, lost=5)])["canary"] is False
    assert goals_of([row(promoted=True), row(promoted=False, lost=9)])["canary"] is True


@pytest.mark.soak
@pytest.mark.full
@pytest.mark.timeout(7200)
def test_a_rule_that_the_base_never_keeps_moves_into_the_weights(tmp_path: Path) -> None:
    rule = next(one for one in rules(20, 1) if one.style.start and one.style.end)
    rows = graduate(rule, tmp_path / "home", tries=3)
    assert rows[-1]["promoted"], rows
    assert rows[-1]["gain_kept"] >= 0.9
    assert rows[-1]["skill_tokens"] == 0.0
