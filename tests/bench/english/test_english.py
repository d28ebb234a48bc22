"""Tests of making the English model's lessons and cases, and of the bench's command."""

from __future__ import annotations

import json
import random
import re
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

from bench.english import served
from bench.english.build import SHARES, Lesson, counts, lessons, read, write
from bench.english.cases import GROUPS, cases
from bench.english.command import main
from bench.english.families import FAMILIES, Family
from bench.english.habits import HABITS, shown, with_habit
from bench.english.own_answers import OwnAnswer
from bench.english.own_answers import read as read_own
from bench.english.prompts import conversation
from bench.english.rules import HELD_OUT, MEASURED, TRAINED, Rule, draw, keep, kept, several
from bench.english.texts.exam import EXAM_FACTS
from bench.english.texts.questions import drawn, questions
from bench.english.texts.systems import LONGEST, client_text
from lull.core.checks.check_answer import passes_check
from lull.core.checks.signs import SIGNS
from lull.core.errors import LullError
from lull.core.skills.prompt_block import skills_block

SAMPLED = read_own(Path(__file__).with_name("own_answers.jsonl"))
"""A few answers, in the form in which the small model's own answers are kept."""


def words_of(text: str) -> int:
    return len(text.split())


def own(count: int = 120) -> list[OwnAnswer]:
    """Return many training questions with few answers, which need not fit their questions here."""
    return [
        OwnAnswer(asked=(one.text,), answer=told.answer, ended=told.ended, kind=one.kind)
        for number, one in enumerate(drawn(count, 0, held=False))
        for told in [SAMPLED[number % len(SAMPLED)]]
    ]


def made_now(count: int, seed: int) -> list[Lesson]:
    return lessons(own(), count, seed=seed, tokens_of=words_of)


@cache
def made() -> list[Lesson]:
    """Make the lessons that several tests look at, once."""
    return made_now(500, 1)


def rule(family: Family, value: str) -> Rule:
    return Rule(family=family.name, value=value, said="")


# -- changes -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_a_program_changed_keeps_the_rule_by_the_real_check() -> None:
    for family in FAMILIES:
        for value in (*family.values, *family.held_values):
            done = [family.change(one.answer, value) for one in SAMPLED]
            verdicts = [passes_check(family.check(value), one) for one in done if one]
            assert False not in verdicts, (family.name, value)
            if family.name != "not_contains":  # the word need not occur in these few
                assert True in verdicts, (family.name, value)


def test_an_answer_that_cannot_be_changed_is_left_out_and_not_bent() -> None:
    (sentences,) = (one for one in FAMILIES if one.name == "sentences")
    assert keep("Only one sentence here.", [rule(sentences, "3")]) == ""
    (avoided,) = (one for one in FAMILIES if one.name == "not_contains")
    assert keep("Nothing to see.", [rule(avoided, "people")]) == ""


def test_several_rules_are_kept_together() -> None:
    chance, worked = random.Random(3), 0
    for _ in range(300):
        first = chance.choice(TRAINED)
        rules = several(chance, first, chance.choice((2, 3)), held=False)
        assert rules[0].family == first.name
        assert len({one.family for one in rules}) == len(rules)
        answer = keep(chance.choice(SAMPLED).answer, rules)
        assert answer == "" or kept(answer, rules)
        worked += answer != ""
    assert worked > 100


def test_a_habit_is_shown_alone() -> None:
    found = {habit.name for habit in HABITS for one in SAMPLED if with_habit(one.answer, habit)}
    assert found == {habit.name for habit in HABITS} and len(found) >= 8
    assert all(
        shown(answer) == [habit.name]
        for habit in HABITS
        for one in SAMPLED
        if (answer := with_habit(one.answer, habit))
    )


# -- lessons -----------------------------------------------------------------------------------


def test_a_seed_makes_the_same_lessons() -> None:
    assert made_now(80, 5) == made_now(80, 5) != made_now(80, 6)


def test_lessons_have_their_shares_and_come_back_from_their_file(tmp_path: Path) -> None:
    found = made()
    assert len(found) > 490
    told = counts(found)
    for sort, share in SHARES.items():
        assert abs(told["sorts"][sort] / len(found) - share) < 0.03, sort
    assert set(told["families"]) == {family.name for family in TRAINED}
    assert min(told["families"].values()) > len(found) / 120  # of 28 families
    assert list(read(write(found, tmp_path))) == found


@pytest.mark.full
def test_every_lesson_with_rules_keeps_them_by_the_real_check() -> None:
    families = {family.name: family for family in FAMILIES}
    for lesson in made():
        if lesson.sort in ("one", "two", "three"):
            assert len(lesson.rules) == {"one": 1, "two": 2, "three": 3}[lesson.sort]
            for name, value in lesson.rules:
                assert passes_check(families[name].check(value), lesson.answer) is True
            assert lesson.plain is not None and lesson.ended


@pytest.mark.slow
def test_where_nothing_may_change_the_base_is_asked_without_a_rule() -> None:
    for lesson in made():
        assert (lesson.plain is None) is (lesson.sort == "habit")
        if lesson.plain is not None:
            assert "<skills>" not in json.dumps(lesson.plain)
            assert ("<skills>" in json.dumps(lesson.messages)) is (lesson.sort != "plain")


def test_rules_stand_alone_behind_a_client_and_in_later_messages() -> None:
    found = [one for one in made() if one.sort in ("one", "two", "three")]
    systems = [one.messages[0]["content"] for one in found if one.messages[0]["role"] == "system"]
    alone = [text for text in systems if text.startswith("<skills>")]
    behind = [text for text in systems if "<skills>" in text and text not in alone]
    later = [one for one in found if "<skills>" in one.messages[-1]["content"]]
    turns = [one for one in found if sum(m["role"] == "user" for m in one.messages) > 1]
    assert min(map(len, (alone, behind, later, turns))) > 10


@pytest.mark.full
def test_nothing_held_out_is_in_any_lesson() -> None:
    text = "\n".join(message["content"] for lesson in made() for message in lesson.messages)
    names = {name for lesson in made() for name, _ in lesson.rules}
    assert not names & {family.name for family in HELD_OUT}
    anything = "[^”\n]{1,60}"
    for family in FAMILIES:
        # "free of commas" and "free of lists" are two rules in like words
        signs = "|".join(re.escape(plural) for _, plural in SIGNS.values())
        value_said = f"(?:{signs})" if family.name == "no_sign" else anything
        blanks = {re.escape("{it}"): anything, re.escape("{v}"): value_said}
        for wording in family.held_wordings:
            pieces = [re.escape(piece) for piece in re.split(r"(\{it\}|\{v\})", wording)]
            said = "".join(blanks.get(piece, piece) for piece in pieces)
            assert not re.search(said, text), wording
        for value in family.held_values:
            shown_value = rf"\b{value} words" if family.name == "words" else re.escape(value)
            if family.name in ("ends", "starts", "words", "json"):
                quoted = shown_value if family.name == "words" else f'"{shown_value}"'
                assert not re.search(quoted, text), value
    asked = {message["content"] for lesson in made() for message in lesson.messages}
    assert not asked & {one.text for one in questions() if one.held}
    assert not [one for one in EXAM_FACTS if one in text]


def test_a_held_out_rule_is_in_words_and_values_of_no_lesson() -> None:
    chance = random.Random(2)
    for family in MEASURED:
        new, old = (draw(chance, family, held=held) for held in (True, False))
        assert not family.held_values or new.value in ("", *family.held_values)
        assert old.value in ("", *family.values)
        assert not set(family.wordings) & set(family.held_wordings)
        assert not set(family.values) & set(family.held_values) or family.values == ("",)


def test_the_block_is_the_programs_own() -> None:
    turns = [{"role": "user", "content": "Hi!"}]
    bodies = ["Be brief.", "Be kind."]
    alone = conversation(turns, bodies)
    assert alone == [{"role": "system", "content": skills_block(bodies)}, *turns]
    behind = conversation(turns, bodies, client="You are Mira.")
    assert behind[0]["content"] == f"You are Mira.\n\n{skills_block(bodies)}"
    later = conversation(turns, bodies, later=True)
    assert later == [{"role": "user", "content": f"Hi!\n\n{skills_block(bodies)}"}]
    assert conversation(turns, ()) == turns


def test_a_clients_text_is_as_long_as_wanted_and_no_longer() -> None:
    chance = random.Random(1)
    lengths = [words_of(client_text(chance, 150, words_of, held=held)) for held in (0, 1) * 20]
    assert min(lengths) > 120 and max(lengths) <= 150 < LONGEST


# -- cases -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_cases_are_of_held_out_requests_that_the_base_would_answer_against_the_rule() -> None:
    held = [one for one in questions() if one.held]
    base = {one.text: SAMPLED[n % len(SAMPLED)].answer for n, one in enumerate(held)}

    def drawn_again(group: str) -> bool:
        first, second = (cases(group, 5, base, held, seed=4, tokens_of=words_of) for _ in "12")
        return first == second

    assert all(map(drawn_again, GROUPS))
    for group in GROUPS:
        found = cases(group, 60, base, held, seed=4, tokens_of=words_of)
        assert len(found) == 60
        for case in found:
            assert case.question.held
            assert case.passes(base[case.question.text]) is (group == "other kinds")
            assert ("<skills>" in case.messages[0]["content"]) and len(case.messages) == 2
            family_held = {one.name for one in HELD_OUT}
            assert ({one.family for one in case.rules} <= family_held) is (group == "held families")
            if group == "own kind":
                assert {one.kind for one in case.rules} == {case.question.kind}
            if group == "other kinds":
                assert case.question.kind not in {one.kind for one in case.rules}


# -- the command -------------------------------------------------------------------------------


def test_while_no_model_is_shipped_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(served, "SHIPPED", tmp_path / "english")
    file = tmp_path / "cases.jsonl"
    file.write_text('{"rules": ["No commas."], "system": "", "request": "Hi!"}\n')
    assert main(["--cases", str(file), "--json"]) == 1
    told = capsys.readouterr()
    assert told.out == "" and len(told.err.splitlines()) == 1
    assert "not there yet" in told.err and "bench.english.make" in told.err


def test_a_line_that_is_no_case_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    good = {"rules": ["No commas."], "request": "Hi!"}
    for bad in ("{", "[]", "7", '{"rules": "No commas.", "request": "Hi!"}', '{"rules": []}',
                '{"rules": [1], "request": "Hi!"}', '{"rules": [], "request": ""}'):  # fmt: skip
        file.write_text(f"{json.dumps(good)}\n\n{bad}\n", "utf-8")
        with pytest.raises(LullError, match=r"cases\.jsonl:3"):
            served.read_cases(file)
    file.write_text(json.dumps(good), "utf-8")
    (case,) = served.read_cases(file)
    assert asdict(case) == {"rules": ("No commas.",), "system": "", "request": "Hi!"}
    with pytest.raises(LullError, match="cannot be read"):
        served.read_cases(tmp_path / "none.jsonl")


@pytest.mark.full
def test_cases_go_through_a_real_service_and_leave_no_rule_behind(tmp_path: Path) -> None:
    """It runs on the toy model, which answers at once: the way is tested, not the answers."""
    rule_words = 'In stories, always end with the word "zig".'
    asked = [
        served.OutsideCase(rules=(rule_words, "Be brief."), system="", request="hello"),
        served.OutsideCase(rules=(rule_words,), system="You are Mira.", request="hello again"),
    ]
    answers = list(served.answered(asked, tmp_path / "home", model="pocket"))
    assert len(answers) == 2 and all(answers)
    with pytest.raises(LullError, match="does not offer no-such-model"):
        list(served.answered(asked, tmp_path / "other", model="no-such-model"))
