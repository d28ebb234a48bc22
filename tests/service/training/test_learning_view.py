"""Tests of the learning page's data: rewards by day, with and without what was learned.

It also has the marks of what changed. All of it must match what was stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lull.contract.json_object import Json
from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.core.adapters.measurement import Measure, MeasureKind
from lull.core.chat.trajectory import InjectedSkill, Selection, Turn
from lull.core.feedback.reward import Reward, Source
from lull.service.training.learning_view import MOST_POINTS, learning_view
from lull.store.adapters.adapters import Adapters
from lull.store.adapters.gate_measures import GateMeasures
from lull.store.chat.trajectories import Trajectories
from lull.store.feedback.answer_scores import EVERY_ANSWER, AnswerChoice, AnswerScores
from lull.store.feedback.reward_rows import RewardRow
from lull.store.feedback.rewards import Rewards
from lull.store.sqlite.database import Database
from tests.building import KEY, opened, turn, user

NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
SKILL = InjectedSkill(name="menu-style", version=1, sha256="a" * 64)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with opened(tmp_path / "lull.db") as made:
        yield made


def answered(number: int, at: datetime, *, skills: bool, adapter: str | None) -> Turn:
    made = turn(user(f"q{number}"), turn_id=f"turn_{number}", trajectory=f"conv_{number}")
    policy = replace(made.stamp.policy, adapter=adapter)
    worn = (SKILL,) if skills else ()
    return replace(made, stamp=replace(made.stamp, at=at, skills=worn, policy=policy))


async def put(
    database: Database,
    answers: list[tuple[datetime, float, bool, str | None]],
    whose: Sequence[tuple[str, str]] = (),
    source: Source = Source.JUDGE,
) -> None:
    """Store scored answers; `whose` names the client and model of each."""
    store = Trajectories(database, key=KEY)
    for number, (at, _, skills, adapter) in enumerate(answers):
        made = answered(number, at, skills=skills, adapter=adapter)
        if whose:
            client, model = whose[number]
            made = replace(made, stamp=replace(made.stamp, client=client, model=model))
        store.record(made, session="", selection=Selection())
    database.flush()
    rows = [
        RewardRow(turn=f"turn_{number}", reward=Reward(value=1.0, p_good=good, source=source))
        for number, (_, good, _, _) in enumerate(answers)
    ]
    await Rewards(database).save(rows, read=(), at=NOON)


def view(
    database: Database, since: datetime | None = None, wanted: AnswerChoice = EVERY_ANSWER
) -> Json:
    return learning_view(AnswerScores(database), (), since, (), wanted)


async def test_of_two_answers_rated_bad_none_is_good(database: Database) -> None:
    bad = (NOON, 0.01, False, None)
    await put(database, [bad, bad], source=Source.EXPLICIT)
    told = view(database)
    assert [day["reward"] for day in told["days"]] == [0.0]
    assert told["baseline"] == {"reward": 0.0, "n": 2}


async def test_a_day_is_told_with_and_without_what_was_learned(database: Database) -> None:
    day = timedelta(days=1)
    await put(
        database,
        [
            (NOON, 0.2, False, None),
            (NOON, 0.4, False, None),
            (NOON + day, 0.8, True, None),
            (NOON + day, 0.6, True, "sha"),
            (NOON + day, 0.1, False, None),
        ],
    )
    shown = view(database)
    first, second = shown["days"]
    assert (first["n"], first["reward"]) == (2, 0.3)
    assert first["with_skills"] == {"reward": None, "n": 0}
    assert second["with_skills"] == {"reward": 0.7, "n": 2}
    assert second["without_skills"] == {"reward": 0.1, "n": 1}
    assert second["with_adapter"] == {"reward": 0.6, "n": 1}
    assert shown["baseline"] == {"reward": 0.2333, "n": 3}
    assert [point["reward"] for point in shown["points"]] == [0.2, 0.4, 0.8, 0.6, 0.1]
    later = view(database, NOON + day / 2)
    assert [one["n"] for one in later["days"]] == [3]
    assert later["baseline"]["n"] == 3


async def test_answers_are_told_of_one_client_one_model_and_one_skill(database: Database) -> None:
    day = timedelta(days=1)
    await put(
        database,
        [
            (NOON, 0.2, False, None),
            (NOON, 0.9, True, None),
            (NOON + day, 0.3, False, None),
            (NOON + day, 0.5, True, None),
        ],
        whose=[("editor", "m"), ("editor", "other"), ("", "m"), ("editor", "m")],
    )
    of_editor = view(database, wanted=AnswerChoice(client="editor"))
    assert [point["reward"] for point in of_editor["points"]] == [0.2, 0.9, 0.5]
    assert of_editor["baseline"] == {"reward": 0.2, "n": 1}
    assert view(database, wanted=AnswerChoice(client=""))["baseline"] == {"reward": 0.3, "n": 1}
    both = AnswerChoice(client="editor", model="m")
    assert [point["reward"] for point in view(database, wanted=both)["points"]] == [0.2, 0.5]
    with_it = view(database, wanted=AnswerChoice(skill="menu-style"))
    assert [point["reward"] for point in with_it["points"]] == [0.9, 0.5]
    assert [one["n"] for one in with_it["days"]] == [1, 1]
    assert with_it["days"][0]["without_skills"] == {"reward": 0.2, "n": 1}
    other = view(database, wanted=AnswerChoice(skill="other"))
    assert other["points"] == []
    assert [one["with_skills"]["n"] for one in other["days"]] == [0, 0]
    assert [one["without_skills"]["n"] for one in other["days"]] == [2, 2]
    assert view(database, wanted=AnswerChoice(model="nobody' --"))["days"] == []


@pytest.mark.full
async def test_many_answers_are_few_points_that_keep_their_mean(database: Database) -> None:
    many = MOST_POINTS + 500
    goods = [number % 2 for number in range(many)]
    await put(
        database,
        [(NOON + timedelta(seconds=n), float(good), False, None) for n, good in enumerate(goods)],
    )
    points = view(database)["points"]
    assert len(points) <= MOST_POINTS
    assert sum(point["n"] for point in points) == many
    mean = sum(point["reward"] * point["n"] for point in points) / many
    assert mean == pytest.approx(sum(goods) / many)


async def test_held_out_scores_are_what_the_gate_measured(database: Database) -> None:
    adapters, measures = Adapters(database), GateMeasures(database)
    version = AdapterVersion(
        id="adapter_1",
        parent=None,
        base_model="m",
        base_digest="d",
        sha256="s",
        run=None,
        status=AdapterStatus.CANDIDATE,
        made=NOON,
    )
    await adapters.add(version)
    await measures.store_plan("adapter_1", {}, at=NOON)
    for number, (kind, old, new) in enumerate(
        [
            (MeasureKind.TARGET, 0.0, 1.0),
            (MeasureKind.TARGET, 1.0, 1.0),
            (MeasureKind.TARGET, None, 1.0),
            (MeasureKind.PROBE, 0.0, 0.0),
        ]
    ):
        await measures.keep("adapter_1", f"m{number}", Measure(kind=kind, old=old, new=new))
    await adapters.promote("adapter_1", at=NOON, why="The gate let it pass.")
    shown = view(database)
    assert shown["held_out"] == [
        {"adapter": "adapter_1", "at": NOON.isoformat(), "before": 0.5, "after": 1.0, "pairs": 2}
    ]
    (move,) = shown["moves"]
    assert (move["move"], move["active"]) == ("promote", "adapter_1")


def test_a_new_home_has_nothing_to_draw(database: Database) -> None:
    shown = view(database)
    assert shown["days"] == shown["points"] == shown["held_out"] == []
    assert shown["baseline"] == {"reward": None, "n": 0}
