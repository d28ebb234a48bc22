"""Tests of comparing the public benchmark's arms: bounds, paired intervals, shares of a gap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.all.days_of_work import DAYS, LATER, since
from bench.all.later import asked
from bench.metaclaw_bench.agent import Bound, Form, play
from bench.metaclaw_bench.course import Played
from bench.metaclaw_bench.data import Day, Round
from bench.metaclaw_bench.paired import over, share_of_gap
from bench.metaclaw_bench.rows import (
    GAIN,
    IN_GOALS,
    SHARE,
    arms_of,
    goals,
    rows_of,
    why_untrained,
)
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
    """An endpoint that ticks option A and keeps what it was asked."""

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


def test_who_hears_what_was_said_knows_each_rule_once_it_could_be_said(tmp_path: Path) -> None:
    asked = heard(tmp_path, Bound.SAID)
    assert [rules_in(one) for one in asked] == [[0, 1], [0, 1, 2]]
    assert "Those." not in str(asked)


def test_who_hears_everything_knows_the_days_rules_from_the_morning(tmp_path: Path) -> None:
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
    (Bound.SAID, BASE): run(BASE, (0.6,), (1.0,)),
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
    assert rows["bound: hears what was said", None]["accuracy"] == pytest.approx(0.8)
    assert rows["bound: hears everything", None]["accuracy"] == 1
    skills = rows["skills", "own message"]
    assert skills["over_baseline"] == pytest.approx(0.25)
    assert (skills["over_baseline_low"], skills["over_baseline_high"]) == pytest.approx((0.0, 0.5))
    assert skills["share_of_gap"] == pytest.approx(0.25 / 0.7)
    assert skills["share_of_said"] == pytest.approx(0.5)


def test_full_without_training_is_no_condition_and_says_why() -> None:
    rows = list(rows_of(PLAYED, 0))
    assert "full" not in {row["condition"] for row in rows}
    assert why_untrained((Form.OWN, FULL), PLAYED[Form.OWN, FULL]) == "it has no weights"
    trained = {**PLAYED, (Form.OWN, FULL): run(FULL, (0.2,), (0.9,))}
    assert "full" in {row["condition"] for row in rows_of(trained, 0)}


def test_the_form_that_people_write_comes_first_and_half_of_its_gap_is_asked() -> None:
    made = goals([FLOOR, *rows_of(PLAYED, 0)], 0)
    shares = [goal for goal in made if goal.goal.startswith(SHARE)]
    assert [goal.limit for goal in shares] == [0.5, 0.6]
    assert "message of its own" in shares[0].goal
    # Of the gap to who hears everything; the share that flatters is told beside it.
    assert all(goal.value == pytest.approx(0.25 / 0.7) for goal in shares)
    assert not any(goal.holds for goal in shares)
    assert "paired over 2 days, n = 2" in shares[0].measured
    assert "of the gap to hears what was said: 0.500" in shares[0].measured
    assert arms_of([Form.LABELLED, Form.OWN], [SKILLS]) == [
        *((bound, BASE) for bound in Bound),
        (Form.OWN, SKILLS),
        (Form.LABELLED, SKILLS),
    ]


def test_a_share_that_is_reached_holds() -> None:
    reached = {**PLAYED, (Form.OWN, SKILLS): run(SKILLS, (0.8,), (1.0,))}
    made = {goal.goal: goal for goal in goals([FLOOR, *rows_of(reached, 0)], 0)}
    assert made[f"{SHARE}, {IN_GOALS[Form.OWN]}"].value == pytest.approx(0.6 * 2 / 1.4)
    assert made[f"{SHARE}, {IN_GOALS[Form.OWN]}"].holds


def test_a_gain_must_be_sure() -> None:
    sure = {**PLAYED, (Form.LABELLED, SKILLS): run(SKILLS, (0.3,), (0.5,))}
    made = {goal.goal: goal for goal in goals([FLOOR, *rows_of(sure, 0)], 0)}
    own, labelled = (made[f"{GAIN}, {IN_GOALS[form]}"] for form in (Form.OWN, Form.LABELLED))
    assert (own.value, own.holds) == (0.0, False)  # a gain on one of two days
    assert "0.250 [0.000, 0.500], paired over 2 days" in own.measured
    assert labelled.value == pytest.approx(0.1)
    assert labelled.holds


def test_where_there_is_no_gap_the_goal_is_missed_and_says_so() -> None:
    flat = {arm: run(arm[1], (0.2,), (0.4,)) for arm in PLAYED}
    made = goals([FLOOR, *rows_of(flat, 0)], 0)
    shares = [goal for goal in made if goal.goal.startswith("share of")]
    assert len(shares) == 2
    assert not any(goal.holds for goal in shares)
    assert {goal.why_not for goal in shares} == {"there is no gap in these days"}


# -- a stored file from before the bounds --------------------------------------------------------


def stored(*, commit: str = "abc1234", digest: str = DAYS) -> dict[str, Any]:
    """Return a result file from before there were bounds, with a gain on 3 of 11 days."""
    flat = {f"day{n:02}": 0.57094 for n in range(11)}
    more = {**flat, "day01": 0.8, "day02": 0.7, "day03": 0.77}
    rows = [
        {"condition": name, "feedback": form.value, "accuracy": accuracy, "by_day": days}
        for form in (Form.LABELLED, Form.OWN)
        for name, accuracy, days in (("baseline", 0.57094, flat), ("skills", 0.62222, more))
    ]
    old = [f"skills over baseline, accuracy, {IN_GOALS[form]}" for form in Form]
    made = [{"goal": name, "value": 0.05, "limit": 0.01, "holds": True} for name in old]
    return {"rows": rows, "goals": made, "data": {"digest": digest}, "commit": commit}


def test_what_an_older_file_lacks_is_missed_with_what_its_rows_say() -> None:
    made = {goal["goal"]: goal for goal in asked(stored(), LATER)}
    share = made[f"{SHARE}, {IN_GOALS[Form.OWN]}"]
    assert (share["value"], share["limit"], share["sign"], share["holds"]) == (
        None,
        0.5,
        "≥",
        False,
    )
    assert "0.149 of the gap to `hears everything`" in share["why_not"]
    assert "0.238 of that to `hears what was said`" in share["why_not"]
    gain = made[f"{GAIN}, {IN_GOALS[Form.LABELLED]}"]
    assert "on 8 of 11 days skills gain nothing, so 3.0 % of the draws" in gain["why_not"]
    assert not gain["holds"]
    old = made[f"skills over baseline, accuracy, {IN_GOALS[Form.OWN]}"]
    assert old["replaced"]


def test_bounds_of_other_days_are_not_put_beside_a_file() -> None:
    other = stored(digest="of other days")
    made = {goal["goal"]: goal for goal in asked(other, LATER)}
    assert made[f"{SHARE}, {IN_GOALS[Form.OWN]}"]["why_not"] == "not in the file"
    assert "0.915" in since(stored())
    assert "0.915" not in since(other)


def test_a_file_with_bounds_is_not_older_and_says_its_own_goals() -> None:
    rows = [FLOOR, *rows_of(PLAYED, 0)]
    held = [{"goal": one.goal, "holds": one.holds} for one in goals(rows, 0)]
    document = {**stored(), "rows": rows, "goals": held}
    assert since(document) == ""
    made = asked(document, LATER)
    assert [{**one, "replaced": False} for one in held] == made


def test_a_script_is_not_asked_to_train(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metaclaw_bench", "--conditions", "full", "--out", str(tmp_path)]) == 1
    assert "cannot be trained" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
