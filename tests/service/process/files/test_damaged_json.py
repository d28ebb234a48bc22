"""Tests that JSON in the database which has the right type and wrong contents costs itself alone.

Another program takes keys out of each JSON value under a running service, and puts values of other
types, numbers without end and deep lists into it.
"""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import pytest

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.proof.evidence import pair_to_json
from lull.core.proof.pairs import Pair, PairPart
from lull.core.proof.proposal import ProofConditions, Trace
from lull.core.training.lesson import GraduationCourse
from lull.core.training.record import RunProgress
from lull.service.wiring.upkeep import MEASUREMENTS
from lull.store.rows.measured_rows import damaged_measurements
from tests.eventually import eventually
from tests.running import Lull
from tests.service.control.socket_client import ControlSocket
from tests.service.process.files.test_damaged_values import (
    AT,
    LISTS,
    connected,
    lived_in,
    told,
)

pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]

OTHERS: Final[tuple[object, ...]] = (None, 7, "x", [], {}, [None], {"a": 1}, 10**400, float("inf"))
DEEP: Final = "[" * 900 + "]" * 900
JSON_COLUMNS: Final = {
    "proposals": ("fields",),
    "replays": ("pair", "answers"),
    "use_replays": ("pair",),
    "shown_pairs": ("pair",),
    "support": ("marks",),
    "writing_faults": ("turns",),
    "windows": ("done",),
    "exams": ("marks", "fields"),
    "placings": ("marks",),
    "feeds": ("copy", "fault"),
    "feedback": ("heard",),
    "gate_plans": ("plan",),
    "gate_measures": ("measure",),
    "rollouts": ("skills", "prompt_ids", "samples"),
    "runs": ("fields",),
    "events": ("fields",),
    "turns": ("skills", "sampling", "suffixes"),
    "trajectories": ("selection", "suffixes"),
    "rewards": ("signals", "votes"),
}
MEASURED: Final = {
    "replays": "pair",
    "use_replays": "pair",
    "shown_pairs": "pair",
    "placings": "marks",
    "rollouts": "samples",
    "feedback": "heard",
}
IN_WORDS: Final = {200, 404, 409}
"""Answers of the page of a single thing: it is there, or is told not to be readable."""


def pair() -> Pair:
    return Pair(
        request="turn",
        part=PairPart.FAILURE,
        seed=1,
        without=0.0,
        with_=1.0,
        scored_by="judge",
        request_sha256="a",
        without_sha256="b",
        with_sha256="c",
    )


def filled(lull: Lull, tmp_path: Path) -> ControlSocket:
    """Leave a row in every table that has a column with JSON, as Lull writes it."""
    socket = lived_in(lull, tmp_path)
    with closing(connected(lull)) as database:
        (turn,) = database.execute("SELECT id FROM turns").fetchone()
        (proposal, text) = database.execute("SELECT id, fields FROM proposals").fetchone()
        fields = json.loads(text)
        ground = ProofConditions(
            model="m", engine="e", adapter=None, judge="j", generation=1, alpha=0.1
        )
        trace = Trace(sentence="Write short.", source="user", turn=turn, quoted=("short",))
        fields |= {
            "failures": [turn],
            "siblings": [turn],
            "successes": [turn],
            "wish_turns": [turn],
            "silent": [turn],
            "ground": asdict(ground) | {"look": {"seed": "s", "coin": 0.5, "after": 0}},
            "traces": [asdict(trace)],
            "flags": [{"kind": "command", "text": "x", "line": 1}],
            "until": AT,
        }
        database.execute("UPDATE proposals SET fields = ?", (json.dumps(fields),))
        one = json.dumps(pair_to_json(replace(pair(), request=turn)))
        done = [{"kind": "score", "text": "t", "used_s": 1.0, "units": 1}]
        run = {
            "round": 1,
            "graduates": "",
            "skills": {turn: ["a"]},
            "verdict": "rejected",
            "reasons": ["because"],
            "progress": asdict(RunProgress(step=1, of=2, loss=0.5)),
            "course": asdict(GraduationCourse()),
            "next_course": asdict(GraduationCourse()),
        }
        copy_ = {
            "read_at": AT,
            "busy": [[1_790_000_000, 1_790_000_600]],
            "dropped": [],
            "marks": {"etag": "", "last_modified": ""},
        }
        exam = dict.fromkeys(("score", "low", "high", "sensitivity", "specificity"), 0.5)
        samples = [{"ids": [1], "logprobs": [-0.5], "reward": 1.0}]
        sampled = ("rollout_1", turn, AT, "b", "", '["a"]', 1, "telling", 1.0, "judge", "[1]")
        adapter = ("adapter_1", None, "m", "b", "s", None, "candidate", AT, None)
        measure = {"kind": "target", "about": turn, "old": 0.0, "new": 1.0}
        skill = ("everybody", "menu-style", "a" * 64)
        rows: dict[str, tuple[object, ...]] = {
            "replays": (proposal, 1, one, '["a", "b"]'),
            "use_replays": (1, *skill, turn, AT, "m", one),
            "shown_pairs": (proposal, "pair_1", 1, one),
            "support": (turn, proposal, "failure", '["list"]'),
            "writing_faults": ("f1", AT, "", json.dumps([turn]), "e", "p", "a", AT),
            "windows": ("w1", AT, AT, AT, "why", "because", "idle", 1.0, json.dumps(done)),
            "exams": (
                *("m", "d", "judge", "e", AT, 1, '[["i", true, true]]'),
                json.dumps(exam | {"why": "", "name": "m"}),
            ),
            "placings": ("d", "m", "s", AT, "system", "w", '[["c", "system", 1]]'),
            "feeds": (
                *("feed_1", "Work", "h.example", "", "away", 0, AT, AT, AT, AT, 1),
                *('{"title": "t", "detail": "d", "hint": "h"}', json.dumps(copy_)),
            ),
            "adapters": adapter,
            "gate_plans": ("adapter_1", AT, '{"against": null, "targets": ["t"]}'),
            "gate_measures": ("adapter_1", "m1", json.dumps(measure)),
            "rollouts": (*sampled, json.dumps(samples), None, ""),
            "runs": (
                *("run_1", "kto", "rejected", "why", AT, AT, "m", "b", None, None, None),
                json.dumps(run),
            ),
        }
        for table, row in rows.items():
            marks = ", ".join("?" * len(row))
            database.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row)
    return socket


def changed(value: Any) -> Iterator[tuple[str, str]]:
    """Give, with a name, each JSON text that is this value without one key or with another value in
    one place.
    """
    for path in places(value):
        for other in (*OTHERS, ...):
            made, name = changed_at(value, path, other), f"{path}={str(other)[:12]}"
            if path and (other is ... or made != value):
                yield name, json.dumps(made)
        if path:
            deep = json.dumps(changed_at(value, path, "DEEP")).replace('"DEEP"', DEEP)
            yield f"{path}=deep", deep


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner: list[tuple[Any, Any]] = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        inner = list(enumerate(value))[:1]
    for key, one in inner:
        yield from places(one, (*path, key))


def changed_at(value: Any, path: tuple[Any, ...], other: object) -> Any:
    made = copy.deepcopy(value)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    if path and other is ...:
        del inner[path[-1]]
    elif path:
        inner[path[-1]] = other
    return made


def pages(lull: Lull) -> list[str]:
    """Return the addresses of every single thing's own page."""
    with closing(connected(lull)) as database:
        (turn, trajectory) = database.execute("SELECT id, trajectory FROM turns").fetchone()
        (proposal,) = database.execute("SELECT id FROM proposals").fetchone()
    return [
        routes.PROPOSAL.format(id=proposal),
        routes.PROPOSAL_PAIRS.format(id=proposal),
        routes.CONVERSATION.format(id=trajectory),
        routes.TURN.format(id=turn),
        routes.ADAPTER.format(id="adapter_1"),
        routes.TRAIN_RUN.format(id="run_1"),
        f"{routes.PROPOSALS}?all=1",
        f"{routes.SKILLS_VERIFY}?name=menu-style",
    ]


def failing(socket: ControlSocket, lists: list[str], single: list[str]) -> list[tuple[str, Json]]:
    """Ask every address and return which are not answered, or with a fault of Lull."""
    bad = []
    for path in (*lists, *single):
        said = socket.ask("GET", path)
        if said.status != 200 and (path in lists or said.status not in IN_WORDS):
            bad.append((path, said.json))
    return bad


@pytest.mark.logs("failed", "damage", "put right", "cannot be read")
@pytest.mark.parametrize("table", JSON_COLUMNS)
def test_json_with_wrong_contents_costs_no_list(
    lull: Lull, tmp_path: Path, subtests: pytest.Subtests, table: str
) -> None:
    socket = filled(lull, tmp_path)
    single = pages(lull)
    with closing(connected(lull)) as database:
        rows = database.execute(f"SELECT * FROM {table}").fetchall()
        assert rows
        bad = failing(socket, list(LISTS), single)
        assert bad == [], json.dumps(bad)
        for column in JSON_COLUMNS[table]:
            values = database.execute(f"SELECT {column} FROM {table}").fetchall()
            (text,) = max(values, key=lambda row: len(row[0] or ""))
            for name, damaged in changed(json.loads(text)):
                with subtests.test(column=column, damage=name):
                    database.execute(f"UPDATE {table} SET {column} = ?", (damaged,))
                    assert failing(socket, list(LISTS), single) == []
                database.execute(f"DELETE FROM {table}")
                marks = ", ".join("?" * len(rows[0]))
                database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def test_a_damaged_measurement_is_removed_and_told_and_the_whole_ones_stay(
    lull: Lull, tmp_path: Path
) -> None:
    filled(lull, tmp_path)
    lull.services[-1].stop()
    with closing(connected(lull)) as database:
        database.row_factory = sqlite3.Row
        assert damaged_measurements(database, MEASUREMENTS) == {}
        before = {table: ids(database, table) for table in MEASURED}
        lull.serve()
        lull.services[-1].stop()
        assert {table: ids(database, table) for table in MEASURED} == before
        for table, column in MEASURED.items():
            within = "'$.seed', '$.kind', '$.correction', '$[0][2]', '$[0].ids'"
            database.execute(f"UPDATE {table} SET {column} = json_remove({column}, {within})")
            assert set(damaged_measurements(database, MEASUREMENTS)[table]) == ids(database, table)
        lull.serve()
        socket = ControlSocket(lull.home)
        said = eventually(lambda: [one for one in told(socket) if "were damaged" in one])
        assert len(said) == 1, said
        for table in MEASURED:
            assert f"{table} (" in said[0]
            assert ids(database, table) == set() or table == "feedback"


def ids(database: sqlite3.Connection, table: str) -> set[object]:
    """Return what tells the rows of a table apart."""
    key = [row[1] for row in database.execute(f"PRAGMA table_info({table})") if row[5]]
    return set(map(tuple, database.execute(f"SELECT {', '.join(key)} FROM {table}")))
