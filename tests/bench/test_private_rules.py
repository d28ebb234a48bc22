"""Tests of rule sets: each can be obeyed, each rule broken alone, and the seed decides it all."""

from __future__ import annotations

import dataclasses
import itertools
import json
from functools import cache
from pathlib import Path

import pytest

from bench.private_rules import Phrasing, Rule, RuleSet
from bench.private_rules import rule_set as drawn
from bench.private_rules.__main__ import main
from bench.private_rules.asking import SMALL_TALK
from bench.private_rules.checks import Check, CheckKind, Place, from_json
from bench.private_rules.conventions import FAMILIES
from bench.private_rules.rule import Style
from bench.private_rules.rule_set import Day, Request
from bench.private_rules.worker import prepare, style_of, work
from lull.core.skills.skill import SkillText, check_text

SEEDS = range(12)
rule_set = cache(drawn)


def in_force(rules: RuleSet, day: Day) -> list[Rule]:
    return [rule for rule in rules.rules if rule.id in day.in_force]


def wrong_in(request: Request, workspace: Path, answer: str) -> set[str]:
    """Return the rules whose checks fail; "" for what the request itself asks."""
    return {check.rule for check in request.checks if check.failures(workspace, answer)}


def worked(day: Day, workspace: Path, style: Style) -> list[tuple[Request, set[str]]]:
    """Do a day's tasks in order in that style; return each request with the rules that it broke."""
    seen = []
    for request in day.requests:
        if request.task is not None:
            prepare(request.task, workspace)
            answer = work(request.task, workspace, style)
            seen.append((request, wrong_in(request, workspace, answer)))
    return seen


def written(folder: Path) -> dict[str, bytes]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert main(["--seed", "7", "--out", str(tmp_path / name)]) == 0
    assert len(written(tmp_path / "one")) > 30
    assert written(tmp_path / "one") == written(tmp_path / "two")


def test_the_same_seed_gives_the_same_requests() -> None:
    assert [r.text for r in drawn(4).requests] == [r.text for r in drawn(4).requests]


def test_other_seeds_give_other_conventions_and_other_files() -> None:
    sets = [rule_set(seed) for seed in range(40)]
    for one, other in itertools.combinations(sets, 2):
        assert {rule.said for rule in one.rules} != {rule.said for rule in other.rules}
        files = [
            {(r.task.on, r.task.path or r.task.topic) for r in rules.requests if r.task}
            for rules in (one, other)
        ]
        assert not files[0] & files[1]
    # One family of conventions has many different rules.
    assert len({r.said for rules in sets for r in rules.rules if r.id == "naming"}) > 10
    assert {rule.id for rules in sets for rule in rules.rules} == set(FAMILIES)


@pytest.mark.parametrize("seed", SEEDS)
def test_who_obeys_every_rule_at_once_passes_every_check(seed: int, tmp_path: Path) -> None:
    rules = rule_set(seed)
    done = []
    for day in rules.days:
        style = style_of(in_force(rules, day))
        done += worked(day, tmp_path / day.id, style)
    assert [(request.id, wrong) for request, wrong in done if wrong] == []
    assert len(done) > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_who_forgets_one_rule_breaks_that_one_and_no_other(seed: int, tmp_path: Path) -> None:
    rules = rule_set(seed)
    last = rules.days[-1]
    for forgotten in rules.rules:
        style = style_of(rule for rule in rules.rules if rule is not forgotten)
        began = next(day for day in rules.days if day.introduces == forgotten.id)
        for day in (began, last):
            home = tmp_path / forgotten.id / day.id
            for request, wrong in worked(day, home, style):
                expected = {forgotten.id} if forgotten.id in request.rules else set()
                assert wrong == expected, request.text


@pytest.mark.parametrize("seed", SEEDS)
def test_who_does_nothing_passes_no_check(seed: int, tmp_path: Path) -> None:
    for request in rule_set(seed).requests:
        if request.task is not None:
            prepare(request.task, tmp_path)
            assert request.checks
            assert all(check.failures(tmp_path) for check in request.checks), request.text


@pytest.mark.parametrize("seed", SEEDS)
def test_no_two_rules_of_a_set_touch_the_same_aspect(seed: int) -> None:
    plain = Style()
    touched = [
        {
            field.name
            for field in dataclasses.fields(Style)
            if getattr(rule.styled(plain), field.name) is not getattr(plain, field.name)
        }
        for rule in rule_set(seed).rules
    ]
    assert all(touched)
    assert sum(map(len, touched)) == len(set().union(*touched))


@pytest.mark.parametrize("seed", SEEDS)
def test_each_rule_is_needed_a_dozen_times_and_never_named(seed: int) -> None:
    rules = rule_set(seed)
    for rule in rules.rules:
        texts = [r.text for r in rules.requests if r.task and rule.id in r.rules]
        assert len(texts) >= 12
        for text in texts:
            assert rule.said not in text
            assert not any(example in text for example in rule.right if len(example) > 3)
            assert not any(words.name in text for words in rule.words.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_each_rule_has_three_skills_that_the_product_accepts(seed: int) -> None:
    for rule in rule_set(seed).rules:
        assert set(rule.words) == set(Phrasing)
        texts = [SkillText(name=w.name, description=w.description, body=w.body)
                 for w in rule.words.values()]  # fmt: skip
        assert [check_text(text) for text in texts] == texts
        assert len({text.name for text in texts}) == 3


def test_rules_come_one_after_the_other_and_stay() -> None:
    rules = rule_set(3)
    known: tuple[str, ...] = ()
    for day in rules.days:
        assert day.in_force[: len(known)] == known
        assert not day.introduces or day.introduces in day.in_force
        for request in day.requests:
            assert set(request.rules) <= set(day.in_force)
        known = day.in_force
    assert known == tuple(rule.id for rule in rules.rules)
    assert rules.days[-1].introduces == ""
    assert any(not request.rules for request in rules.requests)
    assert all(day.unruled for day in rules.days)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_question_has_right_and_wrong_options(seed: int) -> None:
    asked = [request for request in rule_set(seed).requests if request.options]
    assert len(asked) >= 20
    for request in asked:
        assert {right for _, right in request.options} == {True, False}
        assert len({text for text, _ in request.options}) == len(request.options)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_rule_calls_wrong_is_not_also_right(family: str) -> None:
    rules = [r for seed in range(60) for r in rule_set(seed).rules if r.id == family]
    assert rules
    for rule in rules:
        assert not set(rule.right) & set(rule.wrong)


def test_checks_survive_their_way_through_json() -> None:
    checks = [check for request in rule_set(5).requests for check in request.checks]
    read = [from_json(json.loads(json.dumps(check.to_json()))) for check in checks]
    assert [one.to_json() for one in read] == [one.to_json() for one in checks]


OF_A_FILE: list[tuple[CheckKind, dict[str, object]]] = [
    (CheckKind.FIELDS, {"path": "a[].b", "pattern": "x"}),
    (CheckKind.COUNT, {"path": "a[]", "least": 1}),
    (CheckKind.CODE, {"docstrings": True}),
    (CheckKind.TABLE, {"delimiter": ";", "columns": ["a"], "least": 1}),
    (CheckKind.COLUMN, {"column": 1, "pattern": "x"}),
    (CheckKind.LOG, {"pattern": "x", "least": 1}),
    (CheckKind.TEXT, {"pattern": "xyz"}),
]
SOMETHING_ELSE = (b"", b"\xff\xfe\x00", b"{", b"[1, 2]", b'"text"', b"def (")


def test_a_file_that_is_something_else_fails_and_raises_nothing(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for content, (kind, params) in itertools.product(SOMETHING_ELSE, OF_A_FILE):
        with subtests.test(content=content, kind=kind.value):
            (tmp_path / "file").write_bytes(content)
            check = Check(kind=kind, rule="r", place=Place(path="file"), params=params)
            assert check.failures(tmp_path)


def test_of_several_files_the_one_about_the_topic_is_read(tmp_path: Path) -> None:
    for name in ("2031_oven-repairs.json", "Rye_Flour_Deliveries.json", "flour.json"):
        (tmp_path / name).touch()
    found = Place(folder=".", keyword="flour deliveries", ending=".json").find(tmp_path)
    assert found is not None
    assert found.name == "Rye_Flour_Deliveries.json"
    assert Place(folder=".", keyword="cash counts", ending=".json").find(tmp_path) is None


def test_the_answers_stand_apart_from_what_a_day_finds(tmp_path: Path) -> None:
    main(["--seed", "2", "--out", str(tmp_path)])
    days = json.loads((tmp_path / "days.json").read_text())["days"]
    rules = rule_set(2)
    said = {rule.said for rule in rules.rules}
    assert [day["id"] for day in days] == [day.id for day in rules.days]
    shown = [*(tmp_path / "workspaces").rglob("*.*"), tmp_path / "days.json"]
    assert len(shown) > len(days)
    for file in shown:
        text = file.read_text()
        assert not any(sentence in text for sentence in said)
    questions = json.loads((tmp_path / "eval" / "day01" / "questions.json").read_text())
    kinds = [round_["type"] for round_ in questions["rounds"]]
    assert kinds.count("file_check") == 8
    assert kinds.count("multi_choice") == 2


def test_small_talk_is_plenty_and_each_utterance_another() -> None:
    assert len(set(SMALL_TALK)) == len(SMALL_TALK) >= 60
