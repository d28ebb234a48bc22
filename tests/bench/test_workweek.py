"""The simulated person of the workweek, the judge beside them, and what their days come to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

import pytest

from bench.workweek import judge as judging
from bench.workweek import measures
from bench.workweek.arms import ARMS, BASELINE, FULL, SKILLS, SWITCHES, Arm, Stretch
from bench.workweek.person import (
    ANNA,
    BEN,
    CHANGE_DAY,
    CHANGING,
    CONTESTED,
    DAYS,
    EVERYBODY,
    FREE,
    person,
)
from bench.workweek.plan import Plan
from bench.workweek.week import Done, Played, play
from lull.pocket import language as pocket

pytestmark = pytest.mark.full  # not each, but all of them

SEEDS = range(1, 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_arm_is_asked_the_same_by_the_same_person(seed: int) -> None:
    days = [person(seed).day(day) for day in range(1, DAYS + 1)]
    assert days == [person(seed).day(day) for day in range(1, DAYS + 1)]
    assert person(seed) != person(seed + 100)
    for request in (request for day in days for request in day):
        assert pocket.parse_request(request.text) == (request.kind, request.words)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_person_changes_their_mind_and_two_clients_want_opposite_things(seed: int) -> None:
    someone = person(seed)
    before = someone.style(EVERYBODY, CHANGING, CHANGE_DAY - 1)
    after = someone.style(EVERYBODY, CHANGING, CHANGE_DAY)
    assert before and after and before != after
    styles = [someone.style(client, CONTESTED, DAYS) for client in (ANNA, BEN)]
    assert all(styles) and styles[0] != styles[1]
    assert not someone.style(EVERYBODY, FREE, DAYS)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_correction_states_the_habit_or_is_a_slip(seed: int) -> None:
    someone, slips, said = person(seed), 0, 0
    for request in (one for day in range(1, DAYS + 1) for one in someone.day(day)):
        words = someone.corrects(request)
        style = someone.style(request.client, request.kind, request.day)
        assert (words is not None) is bool(style)
        if words is None:
            continue
        right = pocket.render(request.kind, request.words, style)
        plain = pocket.render(request.kind, request.words)
        said, slips = said + 1, slips + words.slip
        if not words.slip:
            assert pocket.check(words.text, request.text, right) is True
            assert pocket.check(words.text, request.text, plain) is False
        else:
            assert pocket.check(words.text, request.text, right) is None
    assert 0 < slips < said / 3


@pytest.fixture
def judged() -> Iterator[tuple[judging.Judge, str]]:
    judge = judging.Judge(person(1))
    with judging.serving(judge) as address:
        yield judge, address


def score(address: str, request: str, answer: str) -> int:
    blocks = {"the conversation": f"user: {request}", "the answer": answer}
    shown = "\n\n".join(
        f"<<<{label} 0123456789ab>>>\n{text}\n<<<end of {label} 0123456789ab>>>"
        for label, text in blocks.items()
    )
    body = json.dumps({"messages": [{"role": "user", "content": shown}]}).encode()
    with urlopen(HttpRequest(f"{address}/chat/completions", body)) as answered:
        said = json.load(answered)["choices"][0]["message"]["content"]
    return int(json.loads(said)["score"])


@pytest.mark.slow
def test_the_judge_knows_what_the_person_wants_and_errs_as_often_as_it_says(
    judged: tuple[judging.Judge, str],
) -> None:
    judge, address = judged
    right = wrong = count = 0
    for day in range(1, DAYS + 1):
        judge.day = day
        for request in person(1).day(day):
            if request.kind is CONTESTED:
                continue
            count += 1
            right += score(address, request.text, person(1).wants(request)) == 1
            wrong += score(address, request.text, "nothing of the kind") == -1
    assert judge.asked == 2 * count
    for share in (right / count, wrong / count):
        assert abs(share - judging.RIGHT) < 0.06
    assert score(address, "how are you", "fine") == 0


def week(arm: str, seed: int, right: float, *, days: int = DAYS, tokens: int = 20) -> Played:
    """Of ten requests a day so many are right."""
    done = tuple(
        Done(
            day=day,
            number=number,
            client=(ANNA, BEN)[number % 2] if number < 4 else EVERYBODY,
            kind=CONTESTED if number < 4 else CHANGING,
            right=number < 10 * right,
            prompt_tokens=tokens,
        )
        for day in range(1, days + 1)
        for number in range(10)
    )
    return Played(
        arm=arm,
        seed=seed,
        done=done,
        approved=1,
        runs={},
        judged=0,
        asking_s=1.0,
        proving_s=1.0,
        training_s=1.0,
    )


def played(full: float = 0.9, tokens: int = 20) -> list[Played]:
    shares = {BASELINE.name: 0.2, SKILLS.name: 0.9, FULL.name: full}
    shares |= {arm.name: 0.7 for arm in SWITCHES}
    return [
        week(arm.name, seed, shares[arm.name], tokens=tokens if arm is FULL else 30)
        for seed in (1, 2, 3)
        for arm in ARMS
    ]


@pytest.mark.slow
def test_goals_hold_where_it_learns_and_are_missed_where_it_does_not() -> None:
    weeks = played()
    rows = measures.rows(weeks, 0)
    assert all(goal.holds for goal in measures.goals(weeks, rows))
    weeks = played(full=0.2, tokens=40)
    missed = [g.goal for g in measures.goals(weeks, measures.rows(weeks, 0)) if not g.holds]
    assert any("full: right" in goal for goal in missed)
    assert any("tokens" in goal for goal in missed)
    assert any("changed rule" in goal for goal in missed)


def test_a_part_that_does_not_help_is_called_that() -> None:
    effects = {row["part"]: row for row in measures.effects(played(), 0)}
    assert effects["KL"]["effect"] == pytest.approx(0.2)
    assert effects["KL"]["helps"] == "yes"
    worse = {row["part"]: row for row in measures.effects(played(full=0.5), 0)}
    assert worse["KL"]["helps"] == "no: it harms"
    same = {row["part"]: row for row in measures.effects(played(full=0.7), 0)}
    assert same["KL"]["helps"] == "not shown"


def test_the_floor_is_what_default_answers_get() -> None:
    assert 0.1 < measures.floor(list(SEEDS), DAYS) < 0.2


def remembered(stretch: Stretch, *, arm: str, seed: int, home: Path) -> Played:
    """A stretch that writes down what was done in its folder before it."""
    file = home / "days"
    known = file.read_text() if file.exists() else ""
    file.write_text(known + f"{stretch.night} {stretch.first}-{stretch.last};")
    day = Done(
        day=stretch.last, number=0, client="", kind=file.read_text(), right=1, prompt_tokens=1
    )
    return replace(week(arm, seed, 1.0), done=(day,), runs={str(stretch.night): 1})


@pytest.mark.slow
def test_weeks_that_begin_alike_are_one_until_they_part(tmp_path: Path) -> None:
    plan = Plan([(arm, seed) for seed in (1, 2) for arm in (SKILLS, FULL)])
    assert len(plan) == 2 * (3 + 2)
    told: list[str] = []
    weeks = plan.play(tmp_path, 2, tell=told.append, stretch=remembered)
    assert len(told) == len(plan)
    assert [(one.arm, one.seed) for one in weeks] == [
        ("skills", 1),
        ("full", 1),
        ("skills", 2),
        ("full", 2),
    ]
    skills, full = (weeks[number].done for number in (0, 1))
    assert skills[0] == full[0]
    assert skills[-1].kind == "nothing 1-5;nothing 6-6;nothing 7-10;"
    assert full[-1].kind == "nothing 1-5;skills 6-6;groups 7-10;"
    assert weeks[1].approved == 3
    assert weeks[1].runs == {"groups": 1}  # the folder that a stretch goes on from has the others


def test_an_arm_lacks_what_it_is_named_for_and_nothing_else() -> None:
    by_name = {arm.name: arm for arm in ARMS}
    for arm in SWITCHES:
        other = by_name[arm.against]
        differing = {
            field.name
            for day in range(1, DAYS + 1)
            for field in fields(Stretch)
            if getattr(on(arm, day), field.name) != getattr(on(other, day), field.name)
        }
        assert len(differing - {"first", "last"}) == 1, (arm.name, differing)
    assert BASELINE.stretches[0] != SKILLS.stretches[0]


def on(arm: Arm, day: int) -> Stretch:
    return next(stretch for stretch in arm.stretches if stretch.first <= day <= stretch.last)


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_two_days_with_the_real_service_teach_it_what_was_said_on_the_first(
    tmp_path: Path,
) -> None:
    lived = play(Stretch(first=1, last=2), arm="skills", seed=1, home=tmp_path)
    first, second = (
        [one.right for one in lived.done if one.day == day and one.kind == CHANGING]
        for day in (1, 2)
    )
    assert not any(first) and sum(second) >= len(second) - 1
    assert lived.approved >= 2
