"""`lull show` says which skills a conversation got, and why no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from lull.core.chat.trajectory import InjectedSkill, Selection
from lull.store.chat.trajectories import Trajectories
from tests.building import KEY, assistant, opened, turn, user
from tests.cli.conftest import Here

BARS = InjectedSkill(name="bars", version=1, sha256="ff")
ASKED = user("Please write a menu for Sunday")
NO_ROOM = "left out wine: 60 tokens are allowed"
NONE_ACTIVE = "no skill is active"


def record(home: Path, *, why: str, skills: tuple[InjectedSkill, ...], turns: int = 1) -> None:
    """A conversation of this many turns, as a service that ended has left it."""
    home.mkdir()
    later = [assistant("Fine."), user("Shorter, please")]
    selection = Selection(skills=skills, block="Join with bars." if skills else "", why=why)
    with opened(home / "lull.db") as database:
        for n in range(turns):
            done = turn(ASKED, *later * n, turn_id=f"turn_{n + 1}", number=n + 1)
            done = replace(done, stamp=replace(done.stamp, skills=skills))
            done = done if skills else replace(done, note=why)
            Trajectories(database, key=KEY).record(done, session="", selection=selection)


def shown(here: Here) -> tuple[list[dict[str, Any]], str]:
    turns: list[dict[str, Any]] = here("show", "--json").json["turns"]
    return turns, here("show").out


def test_what_had_no_room_is_named_beside_what_went_in(here: Here, home: Path) -> None:
    record(home, why=NO_ROOM, skills=(BARS,))
    (only,), words = shown(here)
    assert only["why_skills"] == NO_ROOM
    assert f"skills: bars v1 ({NO_ROOM})\n" in words


def test_why_there_is_no_skill_is_said_once(here: Here, home: Path) -> None:
    record(home, why=NONE_ACTIVE, skills=())
    (only,), words = shown(here)
    assert only["why_skills"] == only["note"] == NONE_ACTIVE
    assert f"skills: none ({NONE_ACTIVE})\n" in words
    assert words.count(NONE_ACTIVE) == 1


def test_only_the_turn_that_chose_says_why(here: Here, home: Path) -> None:
    record(home, why=NO_ROOM, skills=(BARS,), turns=2)
    (first, second), words = shown(here)
    assert (first["why_skills"], second["why_skills"]) == (NO_ROOM, None)
    assert words.count(NO_ROOM) == 1


def test_where_nothing_was_left_out_nothing_is_said(here: Here, home: Path) -> None:
    record(home, why="", skills=(BARS,))
    (only,), words = shown(here)
    assert only["why_skills"] is None
    assert "skills: bars v1\n" in words
