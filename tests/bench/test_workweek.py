"""Tests of the workweek bench: the simulated person, the judge, and the measures of their days."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields, replace
from pathlib import Path
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

import pytest

from bench.workweek import finished_stretches, goals, measures, reading
from bench.workweek import judge as judging
from bench.workweek.arms import (
    ALONE,
    ARMS,
    BASELINE,
    CARELESS,
    FULL,
    MAIN,
    SKILLS,
    SWITCHES,
    Arm,
    Pasted,
    Stretch,
)
from bench.workweek.command import main, print_table
from bench.workweek.notes import Notes
from bench.workweek.person import (
    ANNA,
    BEN,
    CHANGE_DAY,
    CHANGING,
    CONTESTED,
    DAYS,
    EVERYBODY,
    FREE,
    RATED,
    Fault,
    Request,
    Said,
    person,
)
from bench.workweek.person import CARELESS as CARELESS_SHARE
from bench.workweek.plan import Plan
from bench.workweek.plot import draw
from bench.workweek.week import Done, Played, Reviewed, play
from lull.pocket import language as pocket
from lull.pocket import parsing
from lull.pocket.language import Kind
from lull.store.sqlite.database import Database

pytestmark = pytest.mark.full  # not each, but all of them

SEEDS = range(1, 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_arm_is_asked_the_same_by_the_same_person(seed: int) -> None:
    days = [person(seed).day(day) for day in range(1, DAYS + 1)]
    assert days == [person(seed).day(day) for day in range(1, DAYS + 1)]
    assert person(seed) != person(seed + 100)
    for request in (request for day in days for request in day):
        assert parsing.parse_request(request.text) == (request.kind, request.words)


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
        assert (words is not None) is (bool(style) and request.kind not in RATED)
        if words is None:
            continue
        right = pocket.render(request.kind, request.words, style)
        plain = pocket.render(request.kind, request.words)
        said, slips = said + 1, slips + (words.fault is Fault.SLIP)
        if words.fault is Fault.NONE:
            assert parsing.check(words.text, request.text, right) is True
            assert parsing.check(words.text, request.text, plain) is False
        else:
            assert parsing.check(words.text, request.text, right) is None
        assert someone.fault_of(request.client, words.rule, request.day) is words.fault
    assert 0 < slips < said / 3


def test_a_careless_person_says_what_is_useless_or_harmful_as_often_as_is_printed() -> None:
    faults = [
        said.fault
        for someone in map(person, SEEDS)
        for day in range(1, DAYS + 1)
        for request in someone.day(day)
        if (said := someone.corrects(request, careless=True)) is not None
    ]
    bad = [fault for fault in faults if fault is not Fault.NONE]
    assert abs(len(bad) / len(faults) - CARELESS_SHARE) < 0.05
    assert set(bad) == {Fault.SLIP, Fault.WRONG}


@pytest.mark.parametrize("seed", SEEDS)
def test_two_habits_are_only_rated(seed: int) -> None:
    someone = person(seed)
    for request in (one for day in range(1, DAYS + 1) for one in someone.day(day)):
        if request.kind in RATED:
            assert someone.style(request.client, request.kind, request.day)
            assert someone.corrects(request, careless=True) is None
            assert someone.rates(request, right=True) and someone.rates(request, right=False)
        else:
            assert not someone.rates(request, right=False)


# -- what is pasted by hand ---------------------------------------------------------------------


def request_of(kind: Kind, day: int = 1) -> Request:
    return next(one for one in person(1).day(day) if one.kind is kind)


def said(rule: str, fault: Fault = Fault.NONE) -> Said:
    return Said(text=f"no, {rule}", rule=rule, fault=fault)


def test_by_hand_the_last_correction_of_each_kind_is_pasted_and_in_the_other_manner_all() -> None:
    request, other = request_of(Kind.LIST), request_of(Kind.MENU)
    by = {pasted: Notes(person(1), pasted) for pasted in Pasted}
    for notes in by.values():
        notes.said(request, said("Old."))
        notes.said(request, said("New."))
        notes.said(other, said("Slip.", Fault.SLIP))
        assert notes.system(request) == "" or notes is by[Pasted.ORACLE]
        notes.paste()
    assert by[Pasted.NOTHING].system(request) == ""
    assert by[Pasted.LAST].system(request) == pocket.block(["New."])
    assert by[Pasted.EVERYTHING].system(request) == pocket.block(["Old.", "New.", "Slip."])


def test_each_client_has_a_system_message_of_its_own_and_the_oracle_knows_what_is_never_said() -> (
    None
):
    anna, common = request_of(CONTESTED), request_of(Kind.LIST)
    notes = Notes(person(1), Pasted.LAST)
    notes.said(anna, said("Of a client."))
    notes.paste()
    assert notes.system(anna) and not notes.system(common)
    oracle = Notes(person(1), Pasted.ORACLE)
    assert oracle.system(request_of(FREE)) == ""
    for kind in RATED:
        wanted = person(1).style(EVERYBODY, kind, 1)
        rule = oracle.system(request_of(kind)).removeprefix(pocket.BLOCK_OPEN)
        assert parsing.parse_rule(rule.removesuffix(pocket.BLOCK_CLOSE)) == (kind, wanted)


# -- the barrier --------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A database with the tables that the barrier looks at, as the migrations of Lull make it."""
    file = tmp_path / "lull.db"
    Database(file).close()
    return file


@contextmanager
def changing(store: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        yield connection
        connection.commit()


def put(connection: sqlite3.Connection, table: str, **known: object) -> None:
    """Insert a row with these values, and with 0 where a value is needed and none is given."""
    needed = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[3]]
    values = dict.fromkeys(needed, 0) | known
    marks = ", ".join("?" * len(values))
    connection.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values())
    )


def test_what_is_not_stored_not_scored_or_not_heard_is_not_read(store: Path) -> None:
    with changing(store) as connection:
        put(connection, "turns", id="a", read_by_score=1)
        put(connection, "turns", id="b", read_by_score=0)
        put(connection, "feedback", turn="b", before="a", read_by="")
    assert reading.recorded(store) == 2
    assert reading.unread(store, 3) == 3
    assert reading.turns_after(store, "") == ["a", "b"]
    assert reading.turns_after(store, "a") == ["b"]
    with pytest.raises(reading.NotRead, match="3 of what was said"):
        reading.wait_until_read(store, 3, patience_s=0)


def test_the_day_goes_on_when_all_of_it_was_read_and_not_before(store: Path) -> None:
    with changing(store) as connection:
        put(connection, "turns", id="a", read_by_score=0)
    gone_on = threading.Event()

    def waits() -> None:
        reading.wait_until_read(store, 1, patience_s=600)
        gone_on.set()

    waiting = threading.Thread(target=waits)
    waiting.start()
    assert not gone_on.is_set()
    with changing(store) as connection:
        connection.execute("UPDATE turns SET read_by_score = 1")
    waiting.join()
    assert gone_on.is_set()


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


def week(arm: str, seed: int, right: float, **more: object) -> Played:
    """Return a played week in which this share of each kind's and day's ten requests is right."""
    done = tuple(
        Done(
            day=day,
            number=number,
            client=(ANNA, BEN)[number % 2] if kind is CONTESTED else EVERYBODY,
            kind=kind,
            right=number < 10 * right,
            prompt_tokens=20 if arm == FULL.name else 30,
        )
        for day in range(1, DAYS + 1)
        for kind in Kind
        for number in range(10)
    )
    known = Played(
        arm=arm,
        seed=seed,
        done=done,
        reviewed=(Reviewed(proposal="one", fault=Fault.SLIP, approved=False),),
        runs={"graduation promoted": 1, "grpo rejected": 1} if arm == FULL.name else {},
        judged=1,
        asking_s=1.0,
        proving_s=1.0,
        training_s=1.0,
    )
    return replace(known, **more)  # type: ignore[arg-type]


def played(full: float = 0.95, persons: int = 8, **more: object) -> list[Played]:
    """Return played weeks of all arms for so many persons."""
    right = {BASELINE.name: 0.2, SKILLS.name: 0.9, FULL.name: full}
    right |= {arm.name: 0.7 for arm in SWITCHES} | {CARELESS.name: 0.7}
    return [
        week(arm.name, seed, right.get(arm.name, 0.9), **more)
        for seed in range(1, persons + 1)
        for arm in ARMS
    ]


def test_goals_hold_where_it_learns_and_are_missed_where_it_does_not() -> None:
    assert [one.goal for one in goals.goals(played(full=1.0), 0) if not one.holds] == []
    missed = {one.goal: one for one in goals.goals(played(full=0.2, persons=3), 0) if not one.holds}
    assert len(missed) == 3
    assert any("only weights can learn" in goal for goal in missed)
    assert any("less baseline" in goal for goal in missed)
    assert any("persons" in goal for goal in missed)
    for one in goals.goals(played(), 0)[:-1]:
        assert "95 %" in one.measured and "8 persons" in one.measured


def test_no_difference_is_not_one_above_nothing() -> None:
    same = goals.goals(played(full=0.9), 0)[0]
    assert (
        not same.holds and same.why_not == "Runs in full: 8 graduation promoted, 8 grpo rejected."
    )
    idle = goals.goals(played(full=0.9, runs={}), 0)[0]
    assert idle.why_not == "Runs in full: none began. No run on ratings: not exercised."


def test_a_rule_that_is_forgotten_and_a_client_that_disturbs_miss_their_goals() -> None:
    weeks = [
        replace(one, done=tuple(_spoilt(d) for d in one.done)) if one.arm == SKILLS.name else one
        for one in played()
    ]
    missed = [one.goal for one in goals.goals(weeks, 0) if not one.holds]
    assert any("day after it was said" in goal for goal in missed)
    assert any("second client" in goal for goal in missed)


def _spoilt(one: Done) -> Done:
    forgot = one.kind == CHANGING and one.day == CHANGE_DAY + 1
    return replace(one, right=False) if forgot or one.client == ANNA else one


def test_a_part_that_does_not_help_is_called_that() -> None:
    effects = {row["part"]: row for row in measures.effects(played(), 0)}
    assert effects["KL"]["effect"] == pytest.approx(0.3)  # whole answers: 10 of 10 against 7
    assert effects["KL"]["helps"] == "yes"
    worse = {row["part"]: row for row in measures.effects(played(full=0.5), 0)}
    assert worse["KL"]["helps"] == "no: it harms"
    same = {row["part"]: row for row in measures.effects(played(full=0.7), 0)}
    assert same["KL"]["helps"] == "not shown"


def test_a_part_that_never_acted_is_not_exercised_whatever_the_arms_differ_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    approved = (Reviewed(proposal="one", fault=Fault.NONE, approved=True),)
    weeks = played(runs={}, judged=0, reviewed=approved)
    effects = measures.effects(weeks, 0)
    assert {row["helps"] for row in effects} == {"not exercised"}
    assert all("effect" not in row for row in effects)
    rows = [*measures.rows(weeks, 0), *effects]
    print_table({"rows": rows, "look": "", "floor": 0.2})
    assert "proof gate: not exercised" in capsys.readouterr().out
    draw(measures.rows(weeks, 0), effects, path=tmp_path / "weeks.png")
    assert (tmp_path / "weeks.png").stat().st_size > 0


def test_a_switch_without_its_week_is_left_out_and_one_with_it_says_how_often_it_acted() -> None:
    main = [one for one in played() if one.arm in {arm.name for arm in MAIN}]
    assert measures.effects(main, 0) == []
    found = {row["part"]: row["acted"] for row in measures.effects(played(), 0)}
    assert found == {"judge": 8, "proof gate": 8, "graduation": 8, "separation": 8, "KL": 8}


def test_a_switch_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--arms", "no luck"])
    assert "there is no arm 'no luck'" in capsys.readouterr().err


def test_arms_of_one_person_have_no_interval() -> None:
    rows = {row["arm"]: row for row in measures.rows(played(persons=1), 0)}
    assert rows[FULL.name]["low"] is None
    (first, *_) = measures.contrasts(played(persons=1), 0)
    assert first["helps"] == "too few persons"


def test_the_floor_is_what_default_answers_get() -> None:
    assert 0.1 < measures.floor(list(SEEDS)) < 0.2


def remembered(stretch: Stretch, *, arm: str, seed: int, home: Path) -> Played:
    """Play a stretch so that it tells what was played in its folder before it."""
    file = home / "days"
    known = file.read_text() if file.exists() else ""
    file.write_text(known + f"{stretch.night} {stretch.first}-{stretch.last};")
    day = Done(
        day=stretch.last, number=0, client="", kind=file.read_text(), right=True, prompt_tokens=1
    )
    seen = (Reviewed(proposal=f"to {stretch.last}", fault=Fault.WRONG, approved=True),)
    return week(arm, seed, 1.0, done=(day,), reviewed=seen, runs={str(stretch.night): 1})


def never(stretch: Stretch, *, arm: str, seed: int, home: Path) -> Played:
    raise AssertionError("it was played already")


@pytest.mark.slow
def test_weeks_that_begin_alike_are_one_until_they_part_and_none_is_played_twice(
    tmp_path: Path,
) -> None:
    plan = Plan([(arm, seed) for seed in (1, 2) for arm in (SKILLS, FULL)])
    assert len(plan) == 2 * (3 + 2)
    half = tmp_path / finished_stretches.folder_name(1, SKILLS.stretches[:1]) / "home"
    half.mkdir(parents=True)
    (half / "days").write_text("a killed run left this;")
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
    assert skills[-1].kind == "nothing 1-6;nothing 7-8;nothing 9-10;"
    assert full[-1].kind == "nothing 1-6;all 7-8;all 9-10;"
    assert weeks[1].approved == 3
    assert weeks[1].runs == {"all": 1}  # the folder that a stretch goes on from has the others
    before_s = finished_stretches.spent_s(tmp_path)
    assert before_s > 0
    assert plan.play(tmp_path, 2, tell=told.append, stretch=never) == weeks
    assert told[-1] == "10 of 10 are there from an earlier run"
    assert finished_stretches.spent_s(tmp_path) == before_s


def test_the_state_of_the_code_is_the_same_until_it_changes() -> None:
    state = finished_stretches.state_of_the_code()
    assert state == finished_stretches.state_of_the_code()
    assert len(state.mark) == 12
    assert state.said == state.commit if state.committed else state.mark in state.said


def test_a_proposal_counts_once_and_as_approved_if_it_ever_was() -> None:
    early, late = (
        week(FULL.name, 1, 1.0, reviewed=reviewed)
        for reviewed in (
            (
                Reviewed(proposal="a", fault=Fault.NONE, approved=True),
                Reviewed(proposal="b", fault=Fault.NONE, approved=False),
            ),
            (
                Reviewed(proposal="a", fault=Fault.NONE, approved=False),
                Reviewed(proposal="b", fault=Fault.WRONG, approved=True),
            ),
        )
    )
    found = {one.proposal: one for one in early.then(late).reviewed}
    assert len(found) == 2 and all(one.approved for one in found.values())
    assert found["b"].fault is Fault.WRONG


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
    assert on(ALONE, 1) == replace(on(SKILLS, 1), alone=True)


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
    assert reading.unread(tmp_path / "lull.db", reading.recorded(tmp_path / "lull.db")) == 0
