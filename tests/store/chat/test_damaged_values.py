"""Tests that a damaged value of a row costs itself alone: all else of the conversations is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lull.config.paths import Paths
from lull.core.chat.trajectory import Selection
from lull.core.errors import LullError
from lull.service.answers import checks
from lull.service.wiring.base.stores import Stores, open_stores
from tests.building import turn, user

COLUMNS = [
    *(("turns", "skills"), ("turns", "sampling"), ("turns", "suffixes")),
    *(("trajectories", "selection"), ("trajectories", "suffixes")),
    *(("rewards", "votes"), ("rewards", "signals")),
]
DAMAGE = ["x[]", "[", "", "7", '"text"', "[7]", '{"a": 1}', "[" * 100_000]


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    made = open_stores(Paths(home=tmp_path, temporary=tmp_path))
    with closing(made.database):
        for name in ("apple", "pear"):
            one = turn(user(name), turn_id=f"t-{name}", trajectory=f"c-{name}")
            made.trajectories.record(one, session="", selection=Selection())
        made.database.submit(
            lambda c: c.execute(
                "INSERT INTO rewards (turn, at, source, value, p_good)"
                " VALUES ('t-apple', ?, 'explicit', 1.0, 1.0)",
                ("2026-11-29T10:00:00+00:00",),
            )
        ).result()
        yield made


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_damaged_value_costs_itself_alone(
    stores: Stores, table: str, column: str, subtests: pytest.Subtests
) -> None:
    id_ = {"turns": "t-apple", "trajectories": "c-apple", "rewards": "t-apple"}[table]
    key = "turn" if table == "rewards" else "id"
    for damage in DAMAGE:
        stores.database.submit(
            lambda c, said=damage: c.execute(
                f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (said, id_)
            )
        ).result()
        with subtests.test(damage=damage[:20]):
            listed, _ = stores.trajectories.page(limit=10)
            assert {row.title for row in listed} == {"apple", "pear"}
            _, (turn_,) = stores.trajectories.get("c-apple")
            assert turn_.request[-1].text == "apple"
            stores.rewards.of(["t-apple"])
            assert len(stores.rewards.served(["t-apple", "t-pear"])) == 2
            stores.rewards.unscored_turns(limit=10)
    with pytest.raises(LullError, match="1 values in "):
        checks.store(stores.database, stores.trajectories)
