"""Tests that what went well is remembered after a restart, if it could not be remembered before."""

from __future__ import annotations

from collections.abc import Sequence

from lull.store.chat.turn_rows import Label
from tests.loops.classroom import Classroom


class Memory:
    """What is stored in the memory of past requests; counts how often it was asked."""

    def __init__(self, *turns: str) -> None:
        self.turns = turns
        self.asked = 0

    async def stored(self, turns: Sequence[str]) -> set[str]:
        self.asked += 1
        return {*turns} & {*self.turns}


async def test_what_could_not_be_remembered_is_remembered_after_a_start(room: Classroom) -> None:
    turns = [
        (await room.plays(f"what is a {word}", "a calm"))[0]
        for word in ("lull", "gale", "breeze", "storm", "squall", "mist")
    ]
    known, first, cleared, bad, excluded, last = turns
    await room.rate(known, Label.GOOD)
    room.went_without.clear()
    room.may_credit = False
    for turn in (first, cleared, bad, excluded, last):
        await room.rate(turn, Label.GOOD)
    await room.rate(cleared, None)
    await room.rate(bad, Label.BAD)
    conversation = room.served(excluded).turn.trajectory
    await room.trajectories.exclude(conversation, True, at=room.clock.now())
    room.may_credit = True
    memory = Memory(known)
    await room.new_book().credit_earlier(memory.stored)
    assert room.went_without == [first, last]


async def test_what_cannot_be_remembered_after_a_start_either_waits(room: Classroom) -> None:
    (first,) = await room.plays("what is a lull", "a calm")
    (last,) = await room.plays("what is a gale", "a wind")
    room.may_credit = False
    await room.rate(first, Label.GOOD)
    book = room.new_book()
    await book.credit_earlier(Memory().stored)
    assert room.went_without == []
    room.may_credit, room.book = True, book
    await room.rate(last, Label.GOOD)
    assert room.went_without == [first, last]


async def test_nothing_is_asked_of_the_memory_where_nothing_went_well(room: Classroom) -> None:
    (bad,) = await room.plays("what is a lull", "a fish")
    await room.rate(bad, Label.BAD)
    memory = Memory()
    await room.new_book().credit_earlier(memory.stored)
    assert memory.asked == 0


async def test_of_what_went_well_the_newest_is_looked_at(room: Classroom) -> None:
    turns = [(await room.plays(f"what is {n}", "a number"))[0] for n in range(5)]
    for turn in turns:
        await room.rate(turn, Label.GOOD)
        room.clock.advance(1)
    assert room.rewards.answered_well(above=0.5, limit=3) == turns[:1:-1]
