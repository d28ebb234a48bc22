"""Tests of the retrieval bench: no request ever finds itself, and its figures are right."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.private_rules import Phrasing, rule_set
from bench.private_rules.asking import SMALL_TALK
from bench.private_rules.rule import Words
from bench.retrieval import command, metaclaw
from bench.retrieval.collection import Asked, Collection, Split, may_help, private
from bench.retrieval.course import Talk, run
from bench.retrieval.distractors import distractors
from bench.retrieval.goals import goals
from bench.retrieval.libraries import library, shelf
from bench.retrieval.measures import averaged, ceilings, hit, shares
from bench.retrieval.others import OTHERS, top
from bench.retrieval.parts import Part, fresh_talk, of_part
from bench.retrieval.product import Credit, HeldOut, Lull, exemplars
from lull.core.skills.skill import SkillText, check_text

pytestmark = pytest.mark.full  # not each, but all of them

PLAIN = Asked(
    id="a",
    text="please weigh the copper kettle",
    needs=frozenset({"kettle"}),
    in_force=frozenset({"kettle", "boat"}),
    day="day01",
    order=0,
)


def _said(name: str) -> dict[Phrasing, Words]:
    return {
        phrasing: Words(name=f"{name}-{phrasing}", description=f"When {word}.", body="Do it so.")
        for phrasing, word in zip(Phrasing, ("quorbits", "zibbles", "frandles"), strict=True)
    }


def collection(*asked: Asked) -> Collection:
    return Collection(
        name="made up",
        source="made up",
        asked=asked,
        words={"kettle": _said("plumbix"), "boat": _said("gorvan")},
    )


def remembering(made: Collection, credit: Credit = Credit.RIGHT) -> HeldOut:
    return HeldOut(exemplars(made, credit, [], seed=0), made)


def found(made: Collection, split: Split, *, asked: Asked) -> list[str]:
    """Return the rules that Lull finds with right credit among forty skills."""
    filled = shelf(made, Phrasing.TERSE, 40, distractors(0, 40), 0)
    memory = remembering(made)
    memory.hide(asked, split)
    names = Lull(filled, made).found(asked.text, memory)
    return [filled.rule_of[name] for name in names if name in filled.rule_of]


@pytest.mark.parametrize("split", Split)
def test_a_request_is_never_its_own_exemplar(split: Split) -> None:
    twin = replace(PLAIN, id="b", day="day02", order=1)
    made = collection(PLAIN, twin)
    assert remembering(made).count() == 2
    assert found(made, split, asked=PLAIN) == []
    assert found(made, split, asked=twin) == []


def test_a_request_like_it_is_an_exemplar_where_the_split_allows() -> None:
    same_day = replace(PLAIN, id="b", text="please weigh the copper kettle again", order=1)
    other_day = replace(same_day, id="c", text="weigh my copper kettle", day="day02", order=2)
    made = collection(PLAIN, same_day, other_day)
    assert found(made, Split.OTHERS, asked=PLAIN) == ["kettle"]
    assert found(made, Split.UNLIKE, asked=PLAIN) == ["kettle"]
    assert found(made, Split.EARLIER, asked=PLAIN) == []
    assert found(made, Split.EARLIER, asked=other_day) == ["kettle"]
    apart = collection(PLAIN, same_day)
    assert found(apart, Split.OTHERS, asked=same_day) == ["kettle"]


def test_unlike_is_another_day_or_another_wording() -> None:
    real = replace(PLAIN, id="b", text="other")
    assert not may_help(real, PLAIN, Split.UNLIKE)
    assert may_help(replace(real, day="day02"), PLAIN, Split.UNLIKE)
    made = replace(PLAIN, wording="notes-1")
    assert not may_help(replace(real, day="day02", wording="notes-1"), made, Split.UNLIKE)
    assert may_help(replace(real, wording="notes-2"), made, Split.UNLIKE)


def test_wrong_credit_goes_to_another_skill_three_times_in_ten() -> None:
    asked = [replace(PLAIN, id=f"r{n}", text=f"weigh kettle {n}", order=n) for n in range(150)]
    made = collection(*asked)
    skills = {
        credit: [one.skill for one in exemplars(made, credit, ["spare"], seed=0)]
        for credit in (Credit.RIGHT, Credit.WRONG)
    }
    assert skills[Credit.RIGHT] == ["kettle"] * 150
    assert set(skills[Credit.WRONG]) == {"kettle", "boat", "spare"}
    assert 0.2 < 1 - skills[Credit.WRONG].count("kettle") / 150 < 0.4


def test_of_requests_that_want_nothing_three_in_ten_leave_nothing_with_wrong_credit() -> None:
    aside = tuple(
        replace(PLAIN, id=f"a{n}", text=f"polish boat {n}", needs=frozenset(), order=n)
        for n in range(150)
    )
    made = replace(collection(PLAIN), aside=aside)
    refused = {
        credit: sum(not one.skill for one in exemplars(made, credit, [], seed=0))
        for credit in (Credit.RIGHT, Credit.WRONG)
    }
    assert refused[Credit.RIGHT] == 150
    assert 90 < refused[Credit.WRONG] < 120


def test_what_is_hidden_says_nothing_and_comes_back() -> None:
    asked = [replace(PLAIN, id=f"r{n}", text=f"weigh kettle {n}", order=n) for n in range(20)]
    made = collection(*asked)
    memory = remembering(made)
    memory.naming = {"kettle": "kettle-terse"}

    def wanted() -> dict[str, float]:
        said = memory.scores_by_skill(
            "weigh kettle", client="", since=lambda _: 0, also=(), least=-1.0
        )
        return {name: one.wanted for name, one in said.items()}

    full = wanted()
    memory.hide(asked[10], Split.EARLIER)
    assert memory.count() == 10
    assert wanted()["kettle-terse"] < full["kettle-terse"]
    memory.hide(asked[0], Split.EARLIER)
    assert wanted() == {}
    memory.hide(None, Split.EARLIER)
    assert wanted() == pytest.approx(full)


def test_no_day_no_person_and_no_rule_set_is_in_both_parts() -> None:
    days = tuple(replace(PLAIN, id=f"d{n}", day=f"day{n}", order=n) for n in range(11))
    parts = [of_part(collection(*days), part) for part in Part]
    measured = [{one.day for one in part.measured} for part in parts]
    assert measured[0] | measured[1] == {one.day for one in days}
    assert not measured[0] & measured[1]
    assert all(part.asked == days for part in parts)
    assert Part.PICKED_ON.seed != Part.HELD_OUT.seed
    talk = [fresh_talk(part) for part in Part]
    assert all(len(said) > 100 for said in talk)


def test_a_hit_counts_what_is_needed_among_the_first() -> None:
    one = hit("s", "d", ["x", "a", "y", "b"], frozenset({"a", "b"}))
    assert one.recalls == (0.0, 0.5, 1.0)
    assert one.reciprocal == 0.5
    assert hit("s", "d", [], frozenset({"a"})).reciprocal == 0.0
    nothing = hit("s", "d", ["x"], frozenset({"a", "b"}))
    assert averaged([one, nothing]).recalls == (0.0, 0.25, 0.5)
    assert ceilings([frozenset("ab"), frozenset("c")]) == (0.75, 1.0, 1.0)


def test_an_interval_covers_the_mean_and_shrinks_with_days() -> None:
    dice = random.Random(0)

    def interval(days: int) -> tuple[float, float, float]:
        hits = [
            hit("s", f"d{day}", ["a"] if dice.random() < 0.5 else [], frozenset("a"))
            for day in range(days)
            for _ in range(4)
        ]
        first = shares(hits, 0)[0]
        return first.low, first.value, first.high

    few, many = interval(5), interval(200)
    assert few[0] <= few[1] <= few[2]
    assert many[0] < many[1] < many[2]
    assert many[2] - many[0] < few[2] - few[0]
    assert many[0] < 0.5 < many[2]


def test_days_are_drawn_again_whole() -> None:
    """Ten equal requests of one day count as one day, not as ten."""
    lone = [hit("s", f"d{n}", ["a"] if n % 2 else [], frozenset("a")) for n in range(8)]
    tenfold = [one for one in lone for _ in range(10)]
    assert shares(lone, 0) == shares(tenfold, 0)


def test_a_request_aside_concerns_no_rule_of_the_set_at_any_time() -> None:
    for seed in range(5):
        rules = rule_set(seed)
        aside = private(seed).aside
        texts = {one.text for one in aside}
        tasks = [r for r in rules.requests if r.task and r.text in texts]
        assert not any(rule.concerns(r.task) for r in tasks if r.task for rule in rules.rules)
        assert len(aside) >= 2 * len(rules.days)


def test_distractors_differ_are_valid_and_begin_alike() -> None:
    many = distractors(3, 10_000)
    assert len({words.name for words in many}) == 10_000
    assert distractors(3, 40) == many[:40]
    assert distractors(4, 40) != many[:40]
    for words in many[::50]:
        text = SkillText(name=words.name, description=words.description, body=words.body)
        assert check_text(text) == text


def test_a_library_is_filled_up_and_says_nothing_by_its_order() -> None:
    made = private(1)
    filled = shelf(made, Phrasing.ORDINARY, 40, distractors(0, 40), 0)
    assert len(library(filled).skills) == 40
    places = [n for n, words in enumerate(filled.skills) if words.name in filled.rule_of]
    assert len(places) == len(made.words)
    assert places != list(range(len(made.words)))


@pytest.mark.parametrize("name", OTHERS)
def test_each_contrast_ranks_the_skill_that_says_the_words(name: str) -> None:
    target = Words(
        name="copper-kettle-polish",
        description="When a copper kettle is polished: write a report on the data.",
        body="Polish the copper kettle.",
    )
    skills = [*distractors(0, 30), target]
    scores = OTHERS[name](skills).scores("polish copper kettle, data report")
    assert scores.shape == (31,)
    places = top(scores, 31)
    assert 30 in places
    if "template" not in name:
        assert places[0] == 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in the benchmark's shape with texts of our own."""
    tags = ["output_format", "file_naming", "workflow"]
    day = {"id": "day01", "preference_tags": tags, "opening": []}
    (tmp_path / "days.json").write_text(json.dumps({"name": "made up", "days": [day]}))
    rounds = [
        {
            "id": "r1",
            "question": "Put the tide tables into day01/.",
            "feedback": {"correct": "Fine.", "incorrect": "See the file naming."},
            "eval": {"command": "python scripts/check_iso8601.py day01/tides.json at"},
        },
        {
            "id": "r2",
            "question": "When is a .bak made?",
            "feedback": {"correct": "Yes.", "options": {}},
            "eval": {"options": {}, "answer": []},
        },
        {
            "id": "r3",
            "question": "Finish the tide tables.",
            "feedback": {"correct": "Fine.", "incorrect": "done.log lacks a line."},
            "eval": {"command": "python scripts/check_done_log.py done.log"},
        },
    ]
    path = tmp_path / "eval" / "day01" / "questions.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"id": "day01", "rounds": rounds}))
    return tmp_path


def test_what_a_round_needs_is_what_it_checks_and_explains(folder: Path) -> None:
    read = metaclaw.read(folder)
    assert [sorted(asked.needs) for asked in read.asked] == [["P1", "P2"], ["P4"], ["P4"]]
    # A rule that the day does not know is not needed: the last is the day's newest instead.
    assert all("P5" not in asked.in_force for asked in read.asked)
    assert set(read.words) == {"P1", "P2", "P3", "P4", "P5"}


def test_later_rules_are_not_there_to_be_found() -> None:
    late = replace(PLAIN, in_force=frozenset({"kettle"}))
    made = collection(late, replace(PLAIN, id="b", text="weigh the copper kettle", order=1))
    talk = Talk(ours=SMALL_TALK, fresh=("hello you",))
    seen = run(made, distractors(0, 40), [40], talk, seed=0)
    own = {arm: one for (arm, size), one in seen.items() if size == 40}
    assert len(own) == 7 + len(OTHERS)
    for one in own.values():
        assert set(one.hits) == {"a", "b"}
        assert all(len(hits) == len(Phrasing) for hits in one.hits.values())
        assert len(one.silent) == len(Phrasing) * len(SMALL_TALK)
        assert len(one.fresh) == len(Phrasing)


@pytest.mark.slow
def test_the_bench_writes_what_it_prints_and_says_what_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["retrieval", "--quick", "--strict", "--out", str(tmp_path)])
    document = json.loads((tmp_path / "retrieval.json").read_text())
    printed = capsys.readouterr().out
    assert metaclaw.LACKS in printed
    assert document["simulated"] is True
    missed = [goal for goal in document["goals"] if not goal["holds"]]
    assert code == (1 if missed else 0)
    for goal in document["goals"]:
        assert goal["goal"] in printed
    assert {row["requests"] for row in document["rows"]} == {"private rules"}
    assert {row["skills"] for row in document["rows"]} == set(command.QUICK_SIZES)
    for row in document["rows"]:
        assert row["n"] > 100
        for what in ("recall_1", "recall_3", "recall_6", "mrr", "abstained", "fresh_abstained"):
            assert 0 <= row[f"{what}_low"] <= row[what] <= row[f"{what}_high"] <= 1
            assert row.get(f"{what}_floor", 0) >= 0
        assert row["recall_1"] <= row["recall_3"] <= row["recall_6"]
        assert row["small_talk_n"] >= 60
    assert document["goals"] == [
        {"goal": g.goal, "value": g.value, "limit": g.limit, "holds": g.holds}
        | ({"measured": g.measured} if g.measured else {})
        for g in goals(document["rows"])
    ]
