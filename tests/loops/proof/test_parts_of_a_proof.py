"""Tests of what a candidate is proved on: failures, held-out requests and past successes."""

from __future__ import annotations

from lull.core.proof.proposal import Proposal
from lull.store.chat.turn_rows import Label
from tests.loops.classroom import Classroom

ASKED = "Please write a menu for Sunday with soup"


async def proposed(room: Classroom) -> tuple[Proposal, dict[str, str]]:
    """A proposal from a correction, beside similar requests that went well or were not rated."""
    (good,) = await room.plays("Please write a menu for Monday with figs", "figs")
    await room.rate(good, Label.GOOD)
    (other,) = await room.plays("Please write a menu for Friday with rice", "rice")
    failed, said = await room.plays(ASKED, "soup", "no, in a menu join the dishes with bars", "ok")
    await room.score.read_new()
    (made,) = await room.evolve.step()
    return made, {"good": good, "other": other, "failed": failed, "said": said}


async def test_no_request_stands_in_two_parts(room: Classroom) -> None:
    made, turns = await proposed(room)
    assert made.failures == (turns["failed"],)
    assert made.successes == (turns["good"],)
    assert made.siblings == (turns["other"],)


async def test_the_users_own_correction_is_not_held_out(room: Classroom) -> None:
    made, turns = await proposed(room)
    assert made.wish_turns == (turns["said"],)
    assert turns["said"] not in made.siblings
