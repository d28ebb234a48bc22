"""Tests of the bench of a research pipeline, in parts and as a whole with real services.

Its gates catch wrong work, its runs go back to redo work, and its student obeys what stands in its
prompt.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.models.endpoint import Answer, Down, Endpoint, Message
from bench.pipeline.course import Played, order
from bench.pipeline.experiment import Broken, measured, problems
from bench.pipeline.gates import Desk, against_house, sent_back, wrong_with
from bench.pipeline.house import DRAWN, all_rules, broken, heard, house
from bench.pipeline.measures import MEASURES, differences, rows, silent
from bench.pipeline.run import FORMULA, MOST_ATTEMPTS, MOST_REFINEMENTS, Ran, run
from bench.pipeline.student import JUDGE, STUDENT, Student, answered, judged
from bench.pipeline.student_code import PROGRAMS
from bench.pipeline.topics import topics
from bench.pipeline.work import TASKS, Stage, table
from bench.through_lull.conditions import Condition
from lull.contract.json_object import Json
from lull.core.feedback.feedback import Scope
from lull.core.skills.stated_skill import skill_of

pytestmark = pytest.mark.full  # not each, but all of them

SEARCH = next(topic for topic in topics() if topic.id == "search")
RULES = {rule.key: rule for rule in all_rules()}
CARE = 137
"""A seed under which the student does not break off in the topic `search`."""


class Scripted:
    """The student without a server, as an endpoint, with these skills in its prompts."""

    def __init__(self, seed: int = CARE, skills: Sequence[str] = ()) -> None:
        self.seed = seed
        self.skills = list(skills)
        self.asked: list[list[Message]] = []

    def ask(self, messages: Sequence[Message], tools: Sequence[Any]) -> Answer:
        self.asked.append([dict(message) for message in messages])
        put_in: list[Json] = [{"role": "system", "content": "\n".join(self.skills)}]
        return said(answered([*put_in, *messages], self.seed))


def said(text: str) -> Answer:
    return Answer(text=text, calls=(), message={"role": "assistant", "content": text})


def done() -> Desk:
    """Return a desk with all the work of a student that was told no convention."""
    desk: list[Desk] = []

    class Watching(Scripted):
        pass

    import bench.pipeline.run as story

    runner = story._Run(SEARCH, (), Watching(), lambda stage: desk.append(runner._desk))
    assert runner.play().completed == len(Stage)
    return desk[-1]


# -- gates ---------------------------------------------------------------------------------------


def test_sound_work_passes_every_gate() -> None:
    desk = done()
    for stage in Stage:
        assert wrong_with(stage, desk.works[stage], desk) == [], stage


@pytest.mark.parametrize(
    ("stage", "old", "new", "found"),
    [
        (Stage.PLAN, "## Measure", "## Money", "no section Measure"),
        (Stage.PLAN, "binary", "ternary", "binary is not named"),
        (Stage.GATHER, "n1", "n9", "no note n9"),
        (Stage.GATHER, "n4", "n5", "does not bear"),
        (Stage.GATHER, "1960", "1961", "not of 1961"),
        (Stage.HYPOTHESES, "\n", " ", "three hypotheses"),
        (Stage.DESIGN, '"seeds": 5', '"seeds": 1', "from 3 to 30"),
        (Stage.DESIGN, '"seeds": 5', '"seeds": "5"', "whole number"),
        (Stage.DESIGN, "linear", "square", "the arms are"),
        (Stage.CODE, "def experiment(arm, seed)", "def experiment(seed)", "no function experiment"),
        (Stage.CODE, "return wanted + 1", "return wanted + 100", "cannot be"),
        (Stage.CODE, "random.Random(seed)", "random.Random()", "same seed"),
        (Stage.CODE, "import random", "import os", "only math and random"),
        (Stage.RUN, "[1, ", "[", "wants 5 seeds"),
        (Stage.RUN, "[1, 2", "[1, 1", "each once"),
        (Stage.PARSE, "linear,1,", "linear,9,", "none of the results"),
        (Stage.STATISTICS, '"n": 5', '"n": 6', "n of linear"),
        (Stage.STATISTICS, '"mean": ', '"mean": 9', "mean of"),
        (Stage.FIGURES, '"mean": ', '"mean": 9', "not what the statistics say"),
        (Stage.FIGURES, '"y": "', '"why": "', "cannot be read"),
        (Stage.DRAFT, "## Limits", "## Lines", "no section Limits"),
        (Stage.DRAFT, "n1", "n6", "n6 is none of the chosen"),
        (Stage.CITATIONS, "half of the list", "a third of it", "in these words"),
        (Stage.CITATIONS, "n1", "n2", "the draft cites"),
        (Stage.NUMBERS, '"linear"', '"none"', "belongs to an arm"),
    ],
)
def test_a_gate_catches_wrong_work(stage: Stage, old: str, new: str, found: str) -> None:
    desk = done()
    assert old in desk.works[stage]
    wrong = wrong_with(stage, desk.works[stage].replace(old, new), desk)
    assert any(found in one for one in wrong), wrong


def test_a_gate_says_of_every_stage_that_nothing_and_rubbish_are_no_work() -> None:
    desk = done()
    for stage in Stage:
        for text in ("", "   ", "I am sorry.", "[]", "{}", "null", "[1]"):
            assert wrong_with(stage, text, desk), (stage, text)


def test_a_number_from_nowhere_and_a_missing_mean_send_the_draft_back() -> None:
    desk = done()
    assert sent_back(Stage.NUMBERS, desk, ()) is None
    sound = desk.works[Stage.DRAFT]
    desk.works[Stage.DRAFT] = f"{sound} It took 123.456 days."
    found = sent_back(Stage.NUMBERS, desk, ())
    assert found is not None
    assert (found.stage, "123.456" in found.words) == (Stage.DRAFT, True)
    desk.works[Stage.DRAFT] = sound.replace("has a mean of ", "has a mean of about 1")
    assert sent_back(Stage.NUMBERS, desk, ()) is not None


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.key)
def test_each_convention_is_broken_by_whom_nobody_told_and_held_by_whom_somebody_did(
    rule: Any,
) -> None:
    for skills, held in (((), False), ((rule.said,), True)):
        runner = Scripted(skills=skills)
        ran = run(SEARCH, (), runner)
        assert ran.completed == len(Stage)
        works = [m for m in runner.asked if TASKS[rule.stage] in str(m)]
        work = answered([{"role": "system", "content": "\n".join(skills)}, *works[-1]], CARE)
        assert (not broken([rule], work)) == held
        assert broken([rule], ""), "nothing holds no convention"


def test_a_convention_is_looked_at_where_it_belongs() -> None:
    desk = done()
    early, late = RULES["risks"], RULES["seeds-9"]
    assert against_house(Stage.PLAN, desk.works[Stage.PLAN], [early, late]) == [early]
    assert against_house(Stage.DESIGN, desk.works[Stage.DESIGN], [early, late]) == []
    found = sent_back(Stage.STATISTICS, desk, [early, late])
    assert found is not None
    assert (found.stage, found.words) == (Stage.DESIGN, late.said)


# -- experiments ---------------------------------------------------------------------------------


def test_every_topic_has_a_sound_experiment_and_four_notes_that_bear_on_it() -> None:
    assert len(topics()) == 10
    for topic in topics():
        values = measured(PROGRAMS[topic.id], topic.arms, [1, 2, 3])
        assert [cell[:2] for cell in values] == [(a, s) for a in topic.arms for s in (1, 2, 3)]
        assert all(topic.low <= value <= topic.high for *_, value in values)
        assert sum(note.bears for note in topic.notes) == 4


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "from os import system",
        "import random as r",
        "x = ().__class__.__bases__",
        "x = open('/etc/passwd')",
        "x = __import__('os')",
        "x = eval('1')",
        "x = getattr(1, 'real')",
        "import random\nx = random._os",
        "x = '{0.__class__}'.format(1)",
        "try:\n    pass\nexcept ValueError:\n    pass",
        "class A:\n    pass",
        "x = f'{1}'",
    ],
)
def test_what_leads_out_of_an_experiment_is_refused(line: str) -> None:
    assert problems(f"{line}\n\n\ndef experiment(arm, seed):\n    return 1\n")


def test_an_experiment_that_hides_a_name_finds_nothing_behind_it() -> None:
    code = (
        "def hide():\n    open = 1\n    return open\n\n\n"
        "def experiment(arm, seed):\n    return open('/etc/passwd')\n"
    )
    with pytest.raises(Broken, match="NameError"):
        measured(code, ["a"], [1])


@pytest.mark.parametrize("value", ["None", "'1'", "True", "1e400", "1 / 0"])
def test_an_experiment_gives_a_number(value: str) -> None:
    with pytest.raises(Broken):
        measured(f"def experiment(arm, seed):\n    return {value}\n", ["a"], [1])


# -- a run ---------------------------------------------------------------------------------------


def test_a_convention_costs_a_retry_until_it_stands_in_the_prompt() -> None:
    rules = [RULES["risks"], RULES["semicolons"]]
    ignorant, told = Scripted(), Scripted(skills=[rule.said for rule in rules])
    first, second = run(SEARCH, rules, ignorant), run(SEARCH, rules, told)
    assert (first.completed, first.retries, first.attempts) == (12, 2, 14)
    assert (second.completed, second.retries, second.attempts) == (12, 0, 12)
    # The person says it in a message of their own, behind the answer that it is about.
    asked = next(
        messages for messages in ignorant.asked if messages[-1]["content"] == rules[0].said
    )
    assert [message["role"] for message in asked] == ["system", "user", "assistant", "user"]


def test_a_late_finding_is_a_refinement_and_what_was_made_of_the_work_is_made_anew() -> None:
    model = Scripted()
    ran = run(SEARCH, [RULES["seeds-9"]], model)
    assert (ran.completed, ran.retries, ran.cycles) == (12, 0, 1)
    again = [TASKS[stage] for stage in (Stage.CODE, Stage.RUN, Stage.PARSE, Stage.STATISTICS)]
    firsts = [messages[1]["content"] for messages in model.asked if len(messages) == 2]
    for task in again:
        assert sum(text.startswith(task) for text in firsts) == 2
    assert ran.attempts == 12 + 1 + len(again)


def test_a_stage_that_fails_for_good_ends_the_run() -> None:
    class Mute(Scripted):
        def ask(self, messages: Sequence[Message], tools: Sequence[Any]) -> Answer:
            return said("")

    ran = run(SEARCH, (), Mute())
    assert ran.completed == 0
    assert (ran.attempts, ran.retries) == (MOST_ATTEMPTS, MOST_ATTEMPTS - 1)
    assert ran.ended.startswith("plan")
    assert ran.composite == silent("search").composite == pytest.approx(0.4)


def test_a_run_goes_back_three_times_at_most() -> None:
    class Stubborn(Scripted):
        """A student that never does what the draft was sent back for."""

        def ask(self, messages: Sequence[Message], tools: Sequence[Any]) -> Answer:
            return super().ask(messages[:2], tools)

    ran = run(SEARCH, [RULES["spread"]], Stubborn())
    assert (ran.cycles, ran.completed) == (MOST_REFINEMENTS, 11)
    assert "found again" in ran.ended


def test_a_model_that_is_down_is_a_crash_and_no_exception() -> None:
    class Away(Scripted):
        def ask(self, messages: Sequence[Message], tools: Sequence[Any]) -> Answer:
            raise Down("503")

    ran = run(SEARCH, (), Away())
    assert (ran.crashed, ran.completed, ran.attempts) == (True, 0, 1)


def test_a_fence_around_the_work_is_no_fault() -> None:
    class Fencing(Scripted):
        def ask(self, messages: Sequence[Message], tools: Sequence[Any]) -> Answer:
            return said(f"```\n{super().ask(messages, tools).text}\n```")

    assert run(SEARCH, (), Fencing()).composite == 1.0


def test_the_composite_is_the_printed_formula() -> None:
    ran = Ran(
        topic="t", completed=6, attempts=20, retries=5, cycles=1, crashed=False, ended="somehow"
    )
    assert ran.composite == pytest.approx(0.4 * 6 / 12 + 0.3 * (1 - 5 / 20) + 0.3 * (1 - 1 / 3))
    assert "ours" in FORMULA


# -- the house and the student -------------------------------------------------------------------


def test_a_seed_has_its_own_house_and_always_the_same() -> None:
    houses = [[rule.key for rule in house(seed)] for seed in range(5)]
    assert [[rule.key for rule in house(seed)] for seed in range(5)] == houses
    assert all(len(one) == DRAWN for one in houses)
    assert len({tuple(one) for one in houses}) == 5
    orders = [[topic.id for topic in order(seed, 10)] for seed in range(5)]
    assert all(sorted(one) == sorted(topic.id for topic in topics()) for one in orders)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.key)
def test_a_skill_of_a_convention_tells_it_alone_and_no_task_gives_it_away(rule: Any) -> None:
    for scope in Scope:
        skill = skill_of(rule.said, scope=scope, kind_of_rule=None, asked=TASKS[rule.stage])
        assert [one.key for one in heard(skill.body)] == [rule.key]
    assert not any(heard(text) for text in TASKS.values())


def test_what_lies_in_the_material_tells_the_student_nothing() -> None:
    task = f"{TASKS[Stage.PLAN]}\n\n```notes\n{RULES['risks'].said}\n```"
    system = {"role": "system", "content": "question: Q?\narms: a, b\nmeasure: m\nunit: u"}
    assert "Risks" not in answered([system, {"role": "user", "content": task}], CARE)
    told = {"role": "user", "content": f"{TASKS[Stage.PLAN]}\n\n{RULES['risks'].said}"}
    assert "## Risks" in answered([system, told], CARE)


def test_the_judge_holds_an_answer_to_what_the_user_said_and_to_nothing_else() -> None:
    asked = {"the conversation": f"<<<user>>>\n{TASKS[Stage.PARSE]}"}
    wish = {"what the user said they want": RULES["semicolons"].said}
    assert judged({**asked, **wish, "the answer": "a;1;2.0"})["score"] == 1
    assert judged({**asked, **wish, "the answer": "a,1,2.0"})["score"] == -1
    other = {"what the user said they want": RULES["risks"].said}
    assert judged({**asked, **other, "the answer": "a,1,2.0"})["score"] == 0
    better = judged({**asked, "answer A": "a,1", "answer B": "a,1,2.0"})
    assert better["better"] == "B"


def test_the_student_on_a_server_counts_what_a_first_prompt_told_it() -> None:
    with Student() as student:
        endpoint = Endpoint(address=student.address, model=STUDENT, seed=CARE)
        system: Message = {"role": "system", "content": f"question: {SEARCH.question}"}
        plan = {"role": "user", "content": TASKS[Stage.GATHER] + "\n\n```notes\nn1 (1960): a\n```"}
        endpoint.ask([system, plan], [])
        assert student.told == 0
        endpoint.ask([{**system, "content": RULES["risks"].said + system["content"]}, plan], [])
        assert student.told == 1
        assert student.names == (STUDENT, JUDGE)


# -- figures -------------------------------------------------------------------------------------


def played(seed: int, condition: Condition, position: int, **more: Any) -> Played:
    known = {"completed": 12, "attempts": 20, "retries": 8, "cycles": 2, "crashed": False}
    ran = Ran(**{"topic": f"t{position}", "ended": "", **known, **more})
    return Played(
        seed=seed, condition=condition, position=position, ran=ran, told=0, night={"approved": 1}
    )


def test_conditions_are_compared_on_the_same_seeds_and_topics() -> None:
    cells = [(seed, position) for seed in (1, 2) for position in (1, 2, 3)]
    base = [played(*cell[:1], Condition.BASELINE, cell[1]) for cell in cells]
    better = [played(s, Condition.SKILLS, p, retries=2, attempts=14, cycles=0) for s, p in cells]
    (apart,) = differences([*base, *better], 0)
    assert apart["condition"] == "skills - baseline"
    assert apart["retry_rate"] == pytest.approx(2 / 14 - 8 / 20)
    assert apart["composite_low"] == pytest.approx(apart["composite_high"])  # every pair is alike
    made = {row["condition"]: row for row in rows([*base, *better], 0)}
    assert made["skills"]["composite"] - made["baseline"]["composite"] == pytest.approx(
        apart["composite"]
    )
    assert made["floor: says nothing"]["composite"] == pytest.approx(0.4)
    assert made["skills"]["approved"] == len(cells)


def test_a_run_that_ended_early_is_not_praised_for_few_refinements() -> None:
    base = [
        played(1, Condition.BASELINE, 1, cycles=3),
        played(1, Condition.BASELINE, 2, cycles=0, completed=1),
    ]
    ours = [played(1, Condition.SKILLS, 1, cycles=1), played(1, Condition.SKILLS, 2, cycles=1)]
    (apart,) = differences([*base, *ours], 0)
    assert apart["cycles_completed"] == -2
    assert MEASURES["cycles_completed"]([one.ran for one in base]) == 3


# -- the whole of it -----------------------------------------------------------------------------


def command(out: Path, *more: str) -> list[str]:
    words = ["pipeline", "--seeds", "1", "--topics", "2", "--seed", "3", "--out", str(out)]
    return [*words, "--work", str(out / "work"), *more]


def told(out: Path) -> Json:
    """Return the part of the result that must be the same for the same seed."""
    document = json.loads((out / "pipeline.json").read_text())
    names = ("rows", "goals", "runs", "houses", "topics", "simulated", "seeds")
    return {name: document[name] for name in names}


def test_an_unreachable_number_of_topics_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command(tmp_path), "--topics", "11"]) == 1
    assert "--topics" in capsys.readouterr().err


@pytest.mark.slow
def test_the_document_has_the_shape_of_every_bench(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(tmp_path, "--conditions", "baseline")) == 0
    document = json.loads((tmp_path / "pipeline.json").read_text())
    for name in ("bench", "at", "commit", "machine", "versions", "seeds", "simulated", "not_shown"):
        assert document[name] not in (None, ""), name
    assert document["simulated"] is True
    assert all({"goal", "value", "limit", "holds"} <= goal.keys() for goal in document["goals"])
    assert [row["condition"] for row in document["rows"]] == ["floor: says nothing", "baseline"]
    assert len(document["runs"]) == 2
    assert (tmp_path / "pipeline.png").stat().st_size > 1000
    printed = capsys.readouterr().out
    assert "simulated" in printed
    assert FORMULA in printed
    # Going on where an earlier run was: nothing is asked again, and nothing is different.
    before = told(tmp_path)
    assert main(command(tmp_path, "--conditions", "baseline")) == 0
    assert "1/2" not in capsys.readouterr().err
    assert told(tmp_path) == before


@pytest.mark.soak
@pytest.mark.timeout(2400)
def test_what_one_run_taught_a_real_lull_is_there_in_the_next_and_the_same_each_time(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert main(command(first)) == 0
    document = told(first)
    made = {row["condition"]: row for row in document["rows"]}
    assert made["passthrough - baseline"]["composite"] == 0
    assert made["skills"]["approved"] >= 1
    runs = {(one["condition"], one["position"]): one for one in document["runs"]}
    assert runs["skills", 1]["composite"] == runs["baseline", 1]["composite"]
    assert runs["skills", 1]["told"] == 0
    assert runs["skills", 2]["told"] >= 1
    assert runs["skills", 2]["retries"] < runs["baseline", 2]["retries"]
    assert main(command(second)) == 0
    assert told(second) == document


def test_a_table_is_read_with_any_of_the_usual_signs() -> None:
    for text in ("a,1,2.5", "a;1;2.5", "| a | 1 | 2.5 |", "arm,seed,value\na,1,2.5"):
        assert table(text) == [("a", 1, 2.5)]
