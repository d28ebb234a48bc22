"""Tests of the public benchmark's runner: prompts, scores, and going on after a kill.

The scripted student takes the model's part; a rule set from a seed takes the part of the days.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.metaclaw_bench import scoring
from bench.metaclaw_bench.agent import MOST_STEPS, Form, play
from bench.metaclaw_bench.course import read_journal
from bench.metaclaw_bench.data import Bench, Day, Round, read
from bench.metaclaw_bench.rows import GAIN, LEAST_GAIN, SHARE
from bench.metaclaw_bench.scoring import REMINDER, Scored, feedback, figures, picked, scored, share
from bench.metaclaw_bench.student import Student
from bench.metaclaw_bench.student_mind import STUDENT
from bench.metaclaw_bench.workspace import Workspace, copied
from bench.models.endpoint import Answer, Call, Down, Endpoint, Protocol
from bench.models.ollama_face import OllamaFace, to_openai
from bench.private_rules import rule_set
from bench.private_rules.folder import write
from bench.through_lull.progress import Progress
from lull.contract.json_object import Json
from tests.eventually import eventually

pytestmark = pytest.mark.slow  # not each, but all of them

CHOICE = Round(
    id="r1",
    question="Which?",
    feedback={"correct": "Those.", "options": {x: f"why {x}" for x in "ABCD"}},
    letters=tuple("ABCD"),
    answer=frozenset("AC"),
)


def result(day: str, score: float = 1.0, *, choice: bool = True) -> Scored:
    exact = score == 1.0
    return Scored(day=day, round="r1", choice=choice, score=score, exact=exact, feasible=True)


# -- scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        (r"\bbox{A,C}", 1.0),
        (r"I think \bbox{ c , a }.", 1.0),
        (r"first \bbox{B}, no: \bbox{A,C}", 1.0),
        (r"\bbox{A}", 0.75),
        (r"\bbox{A,B,C,D}", 0.5),
        (r"\bbox{B,D}", 0.0),
        (r"\bbox{A,E}", 0.0),
        (r"\bbox{}", 0.0),
        ("A and C", 0.0),
    ],
)
def test_a_choice_is_worth_one_less_its_mistakes_by_option(
    answer: str, score: float, tmp_path: Path
) -> None:
    made = scored(CHOICE, "day01", tmp_path, answer)
    assert (made.score, made.exact) == (score, score == 1.0)


def test_feedback_names_what_was_missed_and_what_was_wrong(tmp_path: Path) -> None:
    def said(answer: str) -> str:
        return feedback(CHOICE, scored(CHOICE, "day01", tmp_path, answer), answer)

    assert said(r"\bbox{A,B}") == "missed C: why C\nwrongly selected B: why B"
    assert said(r"\bbox{A,C}") == "Those."
    assert said("both") == REMINDER
    assert picked(r"\bbox{Z}", CHOICE.letters) is None


def test_days_are_drawn_again_whole() -> None:
    alike = [result("a", x) for x in (0.0, 1.0)] * 20 + [result("b", x) for x in (0.0, 1.0)] * 20
    assert share(alike, 0, exact=False) == (0.5, 0.5, 0.5)
    apart = [result("a", 0.0)] * 40 + [result("b", 1.0)] * 40
    assert share(apart, 0, exact=False) == (0.5, 0.0, 1.0)
    assert share(apart, 7, exact=False) == share(apart, 7, exact=False)


def test_a_crash_counts_as_asked_and_choices_stand_apart_from_files() -> None:
    crashed = Scored(
        day="a", round="r2", choice=False, score=0, exact=False, feasible=False, crashed=True
    )
    row = figures([result("a", 0.5), result("a", choice=False), crashed], 0)
    assert row["accuracy"] == 0.5
    assert (row["choice"], row["choice_exact"]) == (0.5, 0.0)
    assert (row["completion"], row["completion_feasible"]) == (0.5, 1.0)
    assert (row["rounds"], row["crashed"]) == (3, 1)


# -- a day ---------------------------------------------------------------------------------------


@dataclass
class Recorded:
    """An endpoint that keeps what it is asked and gives these answers, the last one for ever."""

    says: list[Answer | Down]
    asked: list[list[Json]] = field(default_factory=list)

    def ask(self, messages: Sequence[Json], tools: Sequence[Any]) -> Answer:
        self.asked.append(json.loads(json.dumps(list(messages))))
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, Down):
            raise said
        return said

    def result(self, call: Call, text: str) -> Json:
        return {"role": "tool", "tool_call_id": call.id, "content": text}


def words(text: str) -> Answer:
    return Answer(text=text, calls=(), message={"role": "assistant", "content": text})


def calls(name: str, **given: str) -> Answer:
    call = Call(id="c1", name=name, arguments=given)
    return Answer(text="", calls=(call,), message={"role": "assistant", "content": "", "x": name})


def a_day(*rounds: Round) -> Day:
    opening = (("user", "Good morning."), ("assistant", "Good morning. Where shall I begin?"))
    return Day(id="day01", opening=opening, rounds=rounds)


def played(
    says: list[Answer | Down], tmp_path: Path, form: Form, *rounds: Round
) -> tuple[list[Scored], Recorded]:
    endpoint = Recorded(says)
    (tmp_path / "w").mkdir()
    results = play(
        a_day(*rounds),
        endpoint,  # type: ignore[arg-type]
        Workspace(home=tmp_path / "w"),
        identity="You are a clerk.",
        form=form,
    )
    return results, endpoint


def test_the_transcript_opens_as_the_day_does_and_feedback_heads_the_next_round(
    tmp_path: Path,
) -> None:
    says: list[Answer | Down] = [words(r"\bbox{A}"), words(r"\bbox{A,C}"), words("Thanks.")]
    results, endpoint = played(says, tmp_path, Form.LABELLED, CHOICE, CHOICE)
    first, second, last = endpoint.asked
    assert [m["role"] for m in first] == ["system", "user", "assistant", "user"]
    assert first[0]["content"].startswith("You are a clerk.")
    assert [m["content"] for m in first[1:]] == [
        "Good morning.",
        "Good morning. Where shall I begin?",
        "Which?",
    ]
    assert second[-1]["content"] == "[Previous Feedback] missed C: why C\n\nWhich?"
    assert last[-1]["content"] == "[Previous Feedback] Those."
    assert [r.score for r in results] == [0.75, 1.0]


def test_feedback_may_be_a_message_of_its_own(tmp_path: Path) -> None:
    results, endpoint = played([words(r"\bbox{A}")], tmp_path, Form.OWN, CHOICE, CHOICE)
    newest = [messages[-1]["content"] for messages in endpoint.asked]
    assert newest == ["Which?", "missed C: why C", "Which?", "missed C: why C"]
    assert len(results) == 2


def test_tools_are_called_until_there_are_words_and_not_for_ever(tmp_path: Path) -> None:
    says: list[Answer | Down] = [calls("write_file", path="a.md", content="x"), words("Done.")]
    results, endpoint = played(says, tmp_path, Form.OWN, CHOICE)
    assert (tmp_path / "w" / "a.md").read_text() == "x"
    assert endpoint.asked[1][-1]["role"] == "tool"
    assert results[0].steps == 2
    (tmp_path / "again").mkdir()
    results, endpoint = played([calls("list_dir")], tmp_path / "again", Form.OWN, CHOICE)
    assert results[0].steps == MOST_STEPS


def test_a_model_that_is_down_costs_the_round_and_the_day_goes_on(tmp_path: Path) -> None:
    says: list[Answer | Down] = [Down("503"), words(r"\bbox{A,C}")]
    results, _ = played(says, tmp_path, Form.LABELLED, CHOICE, CHOICE)
    assert [(r.crashed, r.score) for r in results] == [(True, 0.0), (False, 1.0)]
    assert results[0].wrong == "503"


def test_progress_says_how_far_it_is_and_how_long_it_takes() -> None:
    out, now = io.StringIO(), iter(range(0, 1000, 10))
    progress = Progress(14, out=out, clock=lambda: float(next(now)))
    progress.skip(10)
    for _ in range(3):
        progress.step("baseline day01 r1: 0.50")
    assert out.getvalue().splitlines()[-1] == "13/14 baseline day01 r1: 0.50, 10 s left"


# -- the student ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rule set as a folder, with marks under `eval` that must never be seen anywhere else."""
    made = tmp_path_factory.mktemp("rules")
    write(rule_set(SEED), made)
    for file in (made / "eval").rglob("questions.json"):
        document = json.loads(file.read_text())
        for asked in document["rounds"]:
            asked["eval"]["note"] = f"{MARK} {asked['id']} of {document['id']}"
        file.write_text(json.dumps(document))
    return made


MARK = "xq-hidden-canary"
SEED = 8
"""Seed whose first two days both begin with a request that needs the first day's rule."""


@pytest.fixture(scope="module")
def bench(folder: Path) -> Bench:
    return read(folder)


@pytest.fixture
def student(bench: Bench) -> Iterator[Student]:
    with Student(bench) as made:
        yield made


def test_what_stands_under_eval_is_secret_and_questions_are_not(bench: Bench) -> None:
    assert sum(MARK in text for text in bench.secrets) == 150
    everything = "\n".join(
        r.question + json.dumps(r.feedback) for d in bench.days for r in d.rounds
    )
    assert not any(text in everything for text in bench.secrets)


def test_a_prompt_with_a_secret_in_it_is_found(bench: Bench, student: Student) -> None:
    endpoint = Endpoint(address=student.address, model=STUDENT)
    endpoint.ask([{"role": "user", "content": "Hello."}], [])
    assert student.leaks == []
    secret = next(text for text in sorted(bench.secrets) if MARK in text)
    endpoint.ask([{"role": "user", "content": f"By the way, {secret}"}], [])
    assert student.leaks == [secret]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["openai", "ollama"])
def test_the_student_obeys_a_rule_only_if_it_stands_in_the_prompt(
    protocol: Protocol, bench: Bench, student: Student, tmp_path: Path
) -> None:
    endpoint = Endpoint(address=student.address, model=STUDENT, protocol=protocol)
    rules = "\n".join(rule.said for rule in rule_set(SEED).rules)
    scores = []
    for name, identity in (("ignorant", ""), ("told", rules)):
        day = bench.days[10]
        home = copied(bench.folder, day.id, tmp_path / name)
        results = play(day, endpoint, Workspace(home=home), identity=identity)
        scores.append([r.exact for r in results])
    ignorant, told = scores
    assert all(told)
    assert not all(ignorant)
    assert student.leaks == []


@pytest.mark.slow
def test_a_server_of_openai_alone_gets_an_ollamas_face(
    bench: Bench, student: Student, tmp_path: Path
) -> None:
    rules = "\n".join(rule.said for rule in rule_set(SEED).rules)
    behind = Endpoint(address=student.address, model=STUDENT)
    with OllamaFace(behind, [STUDENT], window_tokens=4096) as face:
        native = Endpoint(address=face.address, model=STUDENT, protocol="ollama")
        home = copied(bench.folder, "day11", tmp_path / "w")
        results = play(bench.days[10], native, Workspace(home=home), identity=rules)
    assert all(result.exact for result in results)
    assert sum(result.steps for result in results) > len(results)  # tools were called


def test_what_is_asked_natively_is_asked_of_openai() -> None:
    call = {"function": {"name": "read_file", "arguments": {"path": "a"}}}
    messages = [
        {"role": "user", "content": "Read a and b."},
        {"role": "assistant", "tool_calls": [call, call]},
        {"role": "tool", "tool_name": "read_file", "content": "1"},
        {"role": "tool", "tool_name": "read_file", "content": "2"},
    ]
    options = {"temperature": 0, "seed": 4, "num_predict": 9}
    schema = {"type": "object"}
    asked = to_openai(
        {"model": "m", "messages": messages, "options": options, "format": schema, "stream": True}
    )
    assert (asked["temperature"], asked["seed"], asked["max_tokens"]) == (0, 4, 9)
    assert asked["response_format"]["json_schema"]["schema"] == schema
    assert asked["stream"] is False
    said = asked["messages"]
    ids = [one["id"] for one in said[1]["tool_calls"]]
    assert len(set(ids)) == 2
    assert [message["tool_call_id"] for message in said[2:]] == ids
    assert json.loads(said[1]["tool_calls"][0]["function"]["arguments"]) == {"path": "a"}


def test_doing_nothing_passes_no_file_check(bench: Bench, tmp_path: Path) -> None:
    days = [(day, copied(bench.folder, day.id, tmp_path / day.id)) for day in bench.days]
    floors = scoring.floors(days)
    assert figures(floors["does nothing"], 0)["completion"] == 0
    assert figures(floors["does nothing"], 0)["accuracy"] == 0
    assert 0 < figures(floors["ticks every letter"], 0)["accuracy"] < 0.15


# -- the whole of it -----------------------------------------------------------------------------


def command(folder: Path, out: Path, *more: str) -> list[str]:
    words = ["metaclaw_bench", "--data", str(folder), "--days", "2", "--out", str(out), "--strict"]
    return [*words, "--work", str(out / "work"), *more]


def told(out: Path) -> Json:
    """Return the part of the result that must be the same for the same seed."""
    document = json.loads((out / "metaclaw_bench.json").read_text())
    return {name: document[name] for name in ("rows", "goals", "infeasible", "data", "simulated")}


def plays(words: list[str], out: Path) -> Json:
    """Run the bench and return the part of its result that the seed decides.

    Two days are too few for an interval or a share of a gap to be asked of them, so the gain itself
    is; every other goal must hold.
    """
    code = main(words)
    document = told(out)
    missed = [goal["goal"] for goal in document["goals"] if not goal["holds"]]
    assert code == (1 if missed else 0)  # --strict
    assert all(name.startswith((GAIN, SHARE)) for name in missed)
    (skills,) = (row for row in document["rows"] if row["condition"] == "skills")
    assert skills["over_baseline"] >= LEAST_GAIN
    return document


@pytest.mark.soak
@pytest.mark.timeout(2400)
def test_conditions_and_bounds_against_real_services(
    folder: Path, bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = plays(command(folder, tmp_path, "--feedback", "own message"), tmp_path)
    rows = {row["condition"]: row for row in document["rows"]}
    bounds = ["bound: hears nothing", "bound: hears what was said", "bound: hears everything"]
    assert list(rows)[2:] == [*bounds, "baseline", "passthrough", "skills"]
    assert rows["passthrough"]["accuracy"] == rows["baseline"]["accuracy"]
    # What the first day taught is known on the second from its first round on.
    assert rows["skills"]["skills"] >= 1
    assert rows["skills"]["by_day"]["day01"] == rows["baseline"]["by_day"]["day01"]
    assert rows["skills"]["by_day"]["day02"] > rows["baseline"]["by_day"]["day02"]
    printed = capsys.readouterr().out
    for what in (
        "simulated",
        "floor: ticks every letter",
        "floor: does nothing",
        "[",
        "n = ",
        *bounds,
    ):
        assert what in printed
    kept = b"".join(file.read_bytes() for file in (tmp_path / "work").rglob("*") if file.is_file())
    assert b"SQLite format 3" in kept
    assert bench.days[0].rounds[0].question[:40].encode() in kept  # what Lull keeps is among it
    assert MARK.encode() not in kept


@pytest.mark.soak
@pytest.mark.timeout(2400)
def test_a_killed_run_goes_on_and_comes_to_the_same(folder: Path, tmp_path: Path) -> None:
    more = ["--conditions", "baseline", "skills", "--feedback", "own message"]
    whole = plays(command(folder, tmp_path / "whole", *more), tmp_path / "whole")
    cut = tmp_path / "cut"
    with subprocess.Popen(
        [sys.executable, "-m", "bench", *command(folder, cut, *more)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            eventually(lambda: list(cut.rglob("skills/days.jsonl")))
        finally:
            os.kill(process.pid, signal.SIGKILL)
    assert not (cut / "metaclaw_bench.json").exists()
    (journal,) = cut.rglob("skills/days.jsonl")
    done = len(read_journal(journal))
    assert 1 <= done <= 2
    with journal.open("a") as half:
        half.write('{"day": "day0')
    assert plays(command(folder, cut, *more), cut) == whole


def test_an_endpoint_needs_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["metaclaw_bench", "--endpoint", "http://127.0.0.1:9", "--out", str(tmp_path)]
    assert main(words) == 1
    assert "--model" in capsys.readouterr().err
