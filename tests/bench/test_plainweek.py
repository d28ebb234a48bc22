"""Tests of the plain week's people and figures, without playing it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench.plainweek import goals, measures
from bench.plainweek.arms import ARMS, FULL, SKILLS
from bench.plainweek.notes import Notes
from bench.plainweek.people import (
    CHANGE_DAY,
    CHANGES,
    CLIENT,
    DAYS,
    FREE,
    RATED,
    SAID,
    Person,
    Request,
    Said,
    person,
    read_check,
)
from bench.plainweek.week import PROBED
from bench.workweek.arms import Pasted
from bench.workweek.finished_stretches import folder_name
from bench.workweek.person import Fault
from bench.workweek.week import Done, Played, Reviewed
from lull.core.chat.picks import Pick
from lull.core.checks.check import Check, CheckKind

SEEDS = range(goals.PERSONS)


def test_no_request_comes_twice() -> None:
    asked = [
        one.text for seed in SEEDS for day in range(1, DAYS + 1) for one in person(seed).day(day)
    ]
    probes = [one.text for seed in SEEDS for one in person(seed).probes()]
    assert len(asked) == 18 * DAYS * len(SEEDS)
    assert len({*asked, *probes}) == len(asked) + len(probes)


def test_each_day_has_every_habit_and_is_drawn_alike_again() -> None:
    for seed in SEEDS:
        for day in range(1, DAYS + 1):
            asked = person(seed).day(day)
            assert {one.habit for one in asked} == {*SAID, CHANGES, CLIENT, *RATED, FREE}
            assert asked == replace(person(seed)).day(day)


def test_rated_habits_can_be_kept_beside_what_is_said() -> None:
    for seed in SEEDS:
        someone = person(seed)
        rated = [someone.check(one, 1) for one in RATED]
        assert rated[0] != rated[1]
        for day in (1, DAYS):
            for said in (*SAID, CHANGES):
                check = someone.check(said, day)
                assert check is not None
                for one in rated:
                    assert one is not None
                    assert not one.fixed_property or one.fixed_property != check.fixed_property


def test_an_answer_is_right_by_its_own_habit_on_its_day() -> None:
    someone = _dana()
    asked = _request("said_1")
    assert someone.likes(asked, "Water it. Cheers!")
    assert not someone.likes(asked, "Water it.")
    before, after = (replace(_request(CHANGES), day=day) for day in (CHANGE_DAY - 1, CHANGE_DAY))
    assert someone.likes(before, "water it.") and not someone.likes(after, "water it.")
    assert someone.likes(after, "WATER IT.")
    free = _request(FREE)
    assert someone.likes(free, "Once there was a fox. Cheers!"), "what is said of everything"
    assert not someone.likes(free, "- Once there was a fox."), "a habit of another kind"
    assert not someone.likes(free, "  ")


def test_corrections_are_vague_and_wrong_as_often_as_said() -> None:
    said = [_dana().corrects(replace(_request("said_1"), number=n)) for n in range(2000)]
    faults = [one.fault for one in said if one is not None]
    assert len(faults) == 2000
    assert faults.count(Fault.SLIP) == pytest.approx(400, abs=60)
    assert faults.count(Fault.WRONG) == pytest.approx(200, abs=45)
    assert _dana().corrects(_request(RATED[0])) is None
    assert _dana().corrects(_request(FREE)) is None


def test_a_skill_is_judged_by_the_correction_that_it_comes_from() -> None:
    someone = _dana()
    assert someone.meant("In every answer: “close with Cheers, always”", 1).fault is Fault.NONE
    assert someone.meant("In every answer: “close with Howdy, always”", 1).fault is Fault.WRONG
    assert someone.meant("In every answer: “that will not do at all”", 1).fault is Fault.SLIP
    assert someone.meant("In every answer: “small letters only, please”", 1).fault is Fault.NONE
    assert someone.meant("In every answer: “small letters only, please”", DAYS).fault is Fault.WRONG


def test_the_person_picks_by_what_they_want_there() -> None:
    someone = _dana()
    said = someone.meant("close with Howdy, always", 1)
    assert (said.habit, said.fault) == ("said_1", Fault.WRONG)
    good, bad = "Water it. Cheers!", "Water it. Howdy"
    assert someone.picks(said, 1, good, bad) is Pick.A
    assert someone.picks(said, 1, bad, good) is Pick.B
    assert someone.picks(said, 1, good, good) is Pick.SAME
    assert someone.picks(said, 1, bad, bad) is Pick.NEITHER
    vague = someone.meant("that will not do at all", 1)
    assert someone.picks(vague, 1, good, bad) is Pick.SAME


def test_what_is_pasted_holds_in_its_own_program() -> None:
    someone = _dana()
    notes = {pasted: Notes(someone, pasted) for pasted in Pasted}
    here, desk = _request("said_1"), replace(_request(CLIENT), client="desk")
    for one in notes.values():
        one.said(here, _said(someone, here))
        one.said(here, _said(someone, here, "this will not do", Fault.SLIP))
    assert notes[Pasted.NOTHING].system(here) == ""
    assert "close with Cheers" in notes[Pasted.LAST].system(here)
    assert "will not do" not in notes[Pasted.LAST].system(here)
    assert notes[Pasted.LAST].system(desk) == "You help in a lamp shop."
    everything = notes[Pasted.EVERYTHING].system(desk)
    assert everything.startswith("You help in a lamp shop.") and "will not do" in everything
    assert "End with Cheers" in notes[Pasted.ORACLE].system(here)


def test_arms_with_skills_share_their_days_until_the_night() -> None:
    assert SKILLS.stretches[0] == FULL.stretches[0]
    assert SKILLS.stretches[1] != FULL.stretches[1]
    assert all(arm.stretches[-1].last == DAYS for arm in ARMS)


def test_figures_are_of_the_days_behind_the_night() -> None:
    weeks = [
        _week(arm.name, seed, right=arm is FULL) for seed in range(2) for arm in (SKILLS, FULL)
    ]
    (skills, full) = measures.rows(weeks, 0)
    assert (skills["right"], full["right"]) == (0.0, 1.0)
    assert full["right_by_day"] == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    (contrast,) = measures.contrasts(weeks, 0)
    assert contrast["part"] == "full, over skills" and contrast["effect"] == 1.0


def test_a_goal_of_which_nothing_happened_is_said_to_be_so() -> None:
    weeks = [_week(arm.name, 0, right=True) for arm in ARMS]
    found = {one.goal: one for one in goals.goals(weeks, 0)}
    assert "not exercised" in found["wrong or vague corrections among the approved"].measured
    trained = found["share of persons with a promoted run on ratings or groups"]
    assert not trained.holds and "not exercised" in trained.why_not
    bad = Reviewed(proposal="p", fault=Fault.WRONG, approved=True)
    good = replace(bad, proposal="q", fault=Fault.NONE)
    weeks[-1] = replace(weeks[-1], reviewed=(bad, good, good), runs={"kto promoted": 1})
    found = {one.goal: one for one in goals.goals(weeks, 0)}
    assert found["wrong or vague corrections among the approved"].value == pytest.approx(1 / 3)
    assert found["share of persons with a promoted run on ratings or groups"].value == 1.0


def test_probes_stand_by_what_was_on(tmp_path: Path) -> None:
    folder = tmp_path / folder_name(0, FULL.stretches)
    folder.mkdir()
    rows = [
        {"block": block, "weights": weights, "right": {"said_1": [block], RATED[0]: [weights]}}
        for block in (True, False)
        for weights in (True, False)
    ]
    (folder / PROBED).write_text(json.dumps(rows), "utf-8")
    found = {row["state"]: row for row in measures.probed(tmp_path, [0, 1])}
    assert found["skills, as before"]["kept_said"] == 1.0
    assert found["no skills, trained"]["kept_only_rated"] == 1.0
    assert found["no skills, as before"]["probes"] == 2


def test_a_check_is_read_as_it_was_written() -> None:
    assert read_check({"kind": "words", "at_most": 40}) == Check(kind=CheckKind.WORDS, at_most=40)
    with pytest.raises(ValueError, match="rhymes"):
        read_check({"kind": "rhymes"})


def _request(habit: str) -> Request:
    return Request(day=1, number=0, client="", habit=habit, text="How do I keep a fern?")


def _said(someone: Person, request: Request, text: str = "", fault: Fault = Fault.NONE) -> Said:
    wanted = someone.written["habits"][request.habit]
    return Said(text=text or wanted["says"][0], fault=fault)


def _week(arm: str, seed: int, *, right: bool) -> Played:
    done = tuple(
        Done(
            day=day,
            number=number,
            client="",
            kind=habit,
            right=right and day >= measures.LATE,
            prompt_tokens=10,
        )
        for day in range(1, DAYS + 1)
        for number, habit in enumerate((*SAID, CHANGES, CLIENT, *RATED, FREE))
    )
    return Played(
        arm=arm,
        seed=seed,
        done=done,
        reviewed=(),
        runs={},
        judged=0,
        asking_s=1.0,
        proving_s=0.0,
        training_s=0.0,
    )


def _dana() -> Person:
    def habit(check: dict[str, str], wish: str, *says: str) -> dict[str, object]:
        return {"check": check, "wish": wish, "says": list(says), "wrong": []}

    ends = habit({"kind": "ends_with", "value": "Cheers!"}, "End with Cheers.", "close with Cheers")
    ends["wrong"] = ["close with Howdy"]
    habits = {
        "said_1": ends,
        "said_2": habit({"kind": "numbered_list"}, "Number the steps.", "give me numbered steps"),
        "kind": habit({"kind": "bullets"}, "Bullets in recipes.", "recipes in bullet points"),
        CLIENT: habit({"kind": "upper_case"}, "Shout.", "all in capitals here")
        | {"system": "You help in a lamp shop."},
        CHANGES: {
            "before": habit({"kind": "lower_case"}, "Small.", "small letters only"),
            "after": habit({"kind": "upper_case"}, "Large.", "write it large"),
        },
    }
    return Person(seed=1, written={"habits": habits, "vague": ["that will not do at all"]})
