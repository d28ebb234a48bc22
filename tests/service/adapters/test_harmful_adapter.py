"""Tests of a real service that takes an adapter back by itself whose answers are worse."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lull.backends.mlx.local_facts import read_local_model
from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.core.chat.messages import Sampling
from lull.core.chat.trajectory import PolicyVersion, Selection
from lull.resources import pocket_dir
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.chat.chain_key import chain_key
from lull.store.chat.trajectories import Trajectories
from lull.store.chat.turn_rows import Label
from lull.store.sqlite.database import Database
from tests.building import opened, turn, user
from tests.damage import stopped_database
from tests.doubles.fakes import FakeClock
from tests.eventually import eventually
from tests.loops.adapters.scripted import made
from tests.running import Lull

pytestmark = pytest.mark.slow

BEFORE = 60
SINCE = 40


async def lived(database: Database, policy: PolicyVersion, count: int, *, good: int) -> None:
    """Record conversations of one answer each, which this adapter gave, or the base; of ten, the
    user rated `good` as good.
    """
    key, clock = chain_key(database), FakeClock()
    store = Trajectories(database, key=key)
    # Promoted an hour ago: what the base answered is older, what the adapter did is newer.
    ago = timedelta(minutes=30) if policy.adapter else timedelta(hours=2)
    for number in range(count):
        name = f"{policy.adapter or 'base'}_{number}"
        one = turn(
            user(name), turn_id=f"turn_{name}", trajectory=f"conv_{name}", clock=clock, key=key
        )
        at = datetime.now(UTC) - ago + timedelta(seconds=number)
        stamp = replace(one.stamp, policy=policy, sampling=Sampling(), at=at)
        store.record(replace(one, stamp=stamp), session="", selection=Selection())
        label = Label.GOOD if number % 10 < good else Label.BAD
        await store.label(stamp.turn, label, at=at)


def scored(lull: Lull) -> bool:
    """Whether the service has scored all these conversations."""
    with stopped_database(lull.home / "lull.db") as other:
        (count,) = other.execute("SELECT count(*) FROM rewards WHERE p_good IS NOT NULL").fetchone()
    return bool(count == BEFORE + SINCE)


@pytest.mark.parametrize(("good", "stays"), [(1, False), (9, True)])
def test_one_in_force_with_which_answers_are_worse_is_taken_back(
    lull: Lull, good: int, stays: bool
) -> None:
    assert lull.serve().stop() == 0
    digest = read_local_model("pocket", pocket_dir(), sampling=Sampling()).digest
    database, files = Database(lull.home / "lull.db"), AdapterFiles(lull.home / "adapters")

    async def live() -> None:
        adapters = Adapters(database)
        version = AdapterVersion(
            id="adapter_1",
            parent=None,
            base_model="pocket",
            base_digest=digest,
            sha256=files.take_in("adapter_1", made(lull.home / "made", "adapter_1")),
            run=None,
            status=AdapterStatus.CANDIDATE,
            made=datetime.now(UTC),
        )
        await adapters.add(version)
        an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
        await adapters.promote("adapter_1", at=an_hour_ago, why="it passed its test")
        base = PolicyVersion(model=digest, adapter=None, generation=0)
        await lived(database, base, BEFORE, good=9)
        await lived(database, replace(base, adapter=version.sha256), SINCE, good=good)

    asyncio.run(live())
    database.close()
    running = lull.serve()
    eventually(lambda: scored(lull))
    assert running.stop() == 0
    # It looks at its adapters at once, and then every ten minutes; the first one may have looked
    # before or after it had scored the answers.
    running = lull.serve()
    if stays:
        assert running.stop() == 0
        assert lull.ask("adapters", "list")["active"] == "adapter_1"
        return
    eventually(lambda: lull.ask("adapters", "list")["active"] is None)
    listed = lull.ask("adapters", "list")
    assert [one["status"] for one in listed["adapters"]] == ["rolled back"]
    assert lull.ask("status")["policy"]["adapter"] is None
    assert running.chat("list: plum"), "the original model answers"
    assert running.stop() == 0
    with opened(lull.home / "lull.db") as database:
        newest = Adapters(database).moves("pocket")[0]
    assert newest.active is None and "conversations go worse with it" in newest.why
    lull.serve()
    assert lull.ask("adapters", "list")["active"] is None, "it stays taken back"
