"""How the arms of the days of work are compared: bounds, paired intervals, shares of a gap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.metaclaw_bench.agent import Bound, Form, play
from bench.metaclaw_bench.course import Played
from bench.metaclaw_bench.data import Day, Round
from bench.metaclaw_bench.paired import over, share_of_gap
from bench.metaclaw_bench.rows import arms_of, goals, rows_of, why_untrained
from bench.metaclaw_bench.scoring import Scored, stated
from bench.metaclaw_bench.workspace import Workspace
from bench.models.endpoint import Answer
from bench.through_lull.conditions import Condition

ROUNDS = tuple(
    Round(
        id=f"r{n}",
        question=f"Which, {n}?",
        feedback={"correct": "Those.", "options": {"A": f"A: rule {n}.", "B": "B: never."}},
        letters=("A", "B"),
        answer=frozenset("A"),
    )
    for n in range(4)
)


def results(*days: tuple[float, ...]) -> list[Scored]:
    return [
        Scored(
            day=f"day{at}", round=f"r{n}", choice=True, score=one, exact=one == 1.0, feasible=True
        )
        for at, scores in enumerate(days)
        for n, one in enumerate(scores)
    ]


# -- paired intervals ----------------------------------------------------------------------------


def test_a_gain_that_is_the_same_each_day_is_sure_however_much_days_differ() -> None:
    low, high = results((0.0,) * 5, (0.8,) * 5), results((0.2,) * 5, (1.0,) * 5)
    assert over(high, low, 0) == pytest.approx((0.2, 0.2, 0.2))
    assert over(low, high, 3) == pytest.approx((-0.2, -0.2, -0.2))


def test_a_gain_on_one_day_alone_is_not_sure() -> None:
    value, low, high = over(results(*[(0.0,)] * 9, (1.0,)), results(*[(0.0,)] * 10), 0)
    assert value == pytest.approx(0.1)
    assert low == 0.0
    assert 0.2 <= high <= 0.4


def test_days_count_by_their_rounds() -> None:
    assert over(results((1.0,), (0.0,) * 3), results((0.0,), (0.0,) * 3), 0).value == 0.25


def test_a_share_of_a_gap_is_between_its_ends_and_none_without_a_gap() -> None:
    bottom, half, top = results((0.0, 0.2)), results((0.2, 0.4)), results((0.4, 0.6))
    assert share_of_gap(half, bottom, top, 0) == pytest.approx((0.5, 0.5, 0.5))
    assert share_of_gap(bottom, bottom, top, 0) == pytest.approx((0.0, 0.0, 0.0))
    assert share_of_gap(top, bottom, top, 0) == pytest.approx((1.0, 1.0, 1.0))
    assert share_of_gap(half, bottom, bottom, 0) is None
    assert share_of_gap(half, top, bottom, 0) is None


def test_draws_of_days_without_a_gap_say_nothing_of_the_share() -> None:
    bottom, top = results((0.5,), (0.0,)), results((0.5,), (1.0,))
    assert share_of_gap(top, bottom, top, 0) == pytest.approx((1.0, 1.0, 1.0))


def test_only_arms_with_the_same_rounds_are_compared() -> None:
    with pytest.raises(ValueError, match="same rounds"):
        over(results((1.0,)), results((1.0, 1.0)), 0)
    with pytest.raises(ValueError, match="same rounds"):
        over([], [], 0)


# -- what a bound hears --------------------------------------------------------------------------


class Heard:
    """An endpoint that ticks A and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[dict[str, Any]]] = []

    def ask(self, messages: list[dict[str, Any]], _: object) -> Answer:
        self.asked.append([dict(message) for message in messages])
        text = r"\bbox{A}"
        return Answer(text=text, calls=(), message={"role": "assistant", "content": text})


def heard(tmp_path: Path, bound: Bound) -> list[list[dict[str, Any]]]:
    endpoint = Heard()
    day = Day(id="day02", opening=(), rounds=ROUNDS[2:])
    play(
        day,
        endpoint,  # type: ignore[arg-type]
        Workspace(home=tmp_path),
        identity="A clerk.",
        form=bound,
        before=ROUNDS[:2],
    )
    return endpoint.asked


def rules_in(messages: list[dict[str, Any]]) -> list[int]:
    text = "\n".join(str(message["content"]) for message in messages)
    return [n for n in range(4) if f"rule {n}." in text]


def test_who_hears_nothing_is_never_told_a_rule(tmp_path: Path) -> None:
    assert [rules_in(asked) for asked in heard(tmp_path, Bound.NOTHING)] == [[], []]


def test_who_hears_everything_knows_each_rule_once_it_could_be_said(tmp_path: Path) -> None:
    asked = heard(tmp_path, Bound.EVERYTHING)
    assert [rules_in(one) for one in asked] == [[0, 1], [0, 1, 2]]
    assert "Those." not in str(asked)


def test_who_knows_everything_knows_the_days_rules_from_the_morning(tmp_path: Path) -> None:
    asked = heard(tmp_path, Bound.BEFOREHAND)
    assert [rules_in(one) for one in asked] == [[0, 1, 2, 3]] * 2


def test_what_is_said_twice_is_told_once() -> None:
    assert stated(ROUNDS[:2]) == "A: rule 0.\nB: never.\nA: rule 1."


# -- rows and goals ------------------------------------------------------------------------------


def run(condition: Condition, *days: tuple[float, ...], why: str = "") -> list[Played]:
    night = {"skills": 1, "approved": 1, "not_approved": [], "trained": 0, "why_not_trained": why}
    of = results(*days)
    return [
        Played(
            day=name,
            results=tuple(r for r in of if r.day == name),
            night=night if condition.learns else {},
        )
        for name in dict.fromkeys(r.day for r in of)
    ]


BASE, SKILLS, FULL = Condition.BASELINE, Condition.SKILLS, Condition.FULL
PLAYED = {
    (Bound.NOTHING, BASE): run(BASE, (0.0,), (0.0,)),
    (Bound.EVERYTHING, BASE): run(BASE, (0.6,), (1.0,)),
    (Bound.BEFOREHAND, BASE): run(BASE, (1.0,), (1.0,)),
    (Form.OWN, BASE): run(BASE, (0.2,), (0.4,)),
    (Form.OWN, SKILLS): run(SKILLS, (0.2,), (0.9,)),
    (Form.OWN, FULL): run(FULL, (0.2,), (0.9,), why="it has no weights"),
    (Form.LABELLED, BASE): run(BASE, (0.2,), (0.4,)),
    (Form.LABELLED, SKILLS): run(SKILLS, (0.2,), (0.9,)),
}
FLOOR = {"condition": "floor: does nothing", "completion": 0.0, "crashed": 0}


def test_bounds_are_rows_and_shares_are_of_the_model_alone_to_them() -> None:
    rows = {(row["condition"], row.get("feedback")): row for row in rows_of(PLAYED, 0)}
    assert rows["bound: hears nothing", None]["accuracy"] == 0
    assert rows["bound: hears everything", None]["accuracy"] == pytest.approx(0.8)
    assert rows["bound: knows everything", None]["accuracy"] == 1
    skills = rows["skills", "own message"]
    assert skills["over_baseline"] == pytest.approx(0.25)
    assert (skills["over_baseline_low"], skills["over_baseline_high"]) == pytest.approx((0.0, 0.5))
    assert skills["share_of_gap"] == pytest.approx(0.5)
    assert skills["share_of_whole"] == pytest.approx(0.25 / 0.7)


def test_full_without_training_is_no_condition_and_says_why() -> None:
    rows = list(rows_of(PLAYED, 0))
    assert "full" not in {row["condition"] for row in rows}
    assert why_untrained((Form.OWN, FULL), PLAYED[Form.OWN, FULL]) == "it has no weights"
    trained = {**PLAYED, (Form.OWN, FULL): run(FULL, (0.2,), (0.9,))}
    assert "full" in {row["condition"] for row in rows_of(trained, 0)}


def test_the_form_that_people_write_comes_first_and_half_of_its_gap_is_asked() -> None:
    made = goals([FLOOR, *rows_of(PLAYED, 0)], 0)
    shares = [goal for goal in made if goal.goal.startswith("share of the reachable gap")]
    assert [goal.limit for goal in shares] == [0.5, 0.6]
    assert "message of its own" in shares[0].goal
    assert all(goal.value == pytest.approx(0.5) for goal in shares)
    assert "paired over 2 days" in shares[0].measured
    assert not shares[1].holds
    assert arms_of([Form.LABELLED, Form.OWN], [SKILLS]) == [
        *((bound, BASE) for bound in Bound),
        (Form.OWN, SKILLS),
        (Form.LABELLED, SKILLS),
    ]


def test_where_there_is_no_gap_the_goal_is_missed_and_says_so() -> None:
    flat = {arm: run(arm[1], (0.2,), (0.4,)) for arm in PLAYED}
    made = goals([FLOOR, *rows_of(flat, 0)], 0)
    shares = [goal for goal in made if goal.goal.startswith("share of")]
    assert len(shares) == 4
    assert not any(goal.holds for goal in shares)
    assert {goal.why_not for goal in shares} == {"there is no gap in these days"}


def test_a_script_is_not_asked_to_train(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metaclaw_bench", "--conditions", "full", "--out", str(tmp_path)]) == 1
    assert "cannot be trained" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
