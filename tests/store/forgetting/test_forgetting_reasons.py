"""Tests of forgetting a skill: its name goes from the reasons why prompts had no room for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lull.core.chat.trajectory import Selection
from lull.store.chat.deletion_list import ToForget
from lull.store.chat.trajectories import Trajectories
from lull.store.forgetting.forgetting import FORGOTTEN_NAME, ForgettingRows
from tests.building import KEY, opened, turn, user

WHY = "left out velvet-bars, velvet-bars-wide: 60 tokens are allowed"


async def test_its_name_goes_from_the_reasons_of_other_conversations(tmp_path: Path) -> None:
    selection = Selection(skills=(), block="", why=WHY)
    with opened(tmp_path / "lull.db") as database:
        trajectories = Trajectories(database, key=KEY)
        done = replace(turn(user("Please write a menu"), turn_id="turn_1", number=1), note=WHY)
        trajectories.record(done, session="", selection=selection)
        database.flush()
        what = ToForget(trajectory="other", turns=(), skills=(("", "velvet-bars"),))
        await ForgettingRows(database).remove(what, {})
        rows = database.read(
            lambda connection: [
                *connection.execute("SELECT selection FROM trajectories").fetchone(),
                *connection.execute("SELECT note FROM turns").fetchone(),
            ]
        )
    for said in rows:
        assert f"left out {FORGOTTEN_NAME}, velvet-bars-wide: 60 tokens are allowed" in said
