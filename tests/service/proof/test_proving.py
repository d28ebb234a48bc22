"""Tests of what follows a finished proof: a report, and an approval where nobody need be asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.proof.proposal import Proposal, ProposalOrigin, ProposalStatus
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.service.proof.proving import ProofRunner
from lull.store.chat.event_log import EventLog
from tests.cancelling import cancelled_within
from tests.loops.classroom import BAD, GOOD, MENU, Classroom, ScriptedJudge, menus


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Classroom]:
    made = Classroom(tmp_path)
    made.judge = ScriptedJudge(lambda q: (GOOD if "|" in q.answer.text else BAD,) * 3)
    made.chats.answers = [lambda ask: "a | b" if MENU.body in str(ask) else "a"]
    yield made
    await asyncio.to_thread(made.database.close)


@pytest.fixture
def proving(room: Classroom) -> ProofRunner:
    bus = EventBus(EventLog(room.database), room.clock)
    return ProofRunner(
        room.prove,
        review=room.review,
        holdout=room.holdout,
        measure=room.measure,
        bus=bus,
        problems=Problems(bus),
        auto_approve=lambda: True,
    )


async def two_proved(room: Classroom) -> tuple[Proposal, Proposal]:
    """Prove two proposals, without what follows: neither is reported or approved yet."""
    failures = tuple(await room.failed(*menus(2)))
    first = await room.proposes(failures=failures, origin=ProposalOrigin.EXTRACTIVE)
    other = replace(MENU, name="menu-again")
    second = await room.proposes(other, failures=failures, origin=ProposalOrigin.EXTRACTIVE)
    while await room.prove.slice():
        pass
    assert {room.status(first), room.status(second)} == {ProposalStatus.PROVED}
    return first, second


async def told(room: Classroom, *proposals: Proposal) -> bool:
    """Return whether exactly these are in force; check that each was reported as such."""
    await room.settled()
    events = EventLog(room.database).after(0)
    told = {(e.fields.get("proposal"), e.fields.get("status")) for e in events}
    ends = (ProposalStatus.PROVED, ProposalStatus.APPROVED)
    assert told == {(one.id, end.value) for one in proposals for end in ends}
    return set(room.library.skills) == {one.key for one in proposals}


async def test_where_one_was_forgotten_meanwhile_the_other_follows(
    room: Classroom, proving: ProofRunner
) -> None:
    first, second = await two_proved(room)
    await room.database.write(
        lambda connection: connection.execute("DELETE FROM proposals WHERE id = ?", (first.id,))
    )
    await proving.publish_decided()
    assert await told(room, second)


async def test_where_the_lull_ends_amid_the_first_both_follow(
    room: Classroom, proving: ProofRunner
) -> None:
    first, second = await two_proved(room)
    await cancelled_within(room.database, "INSERT ON generations", proving.publish_decided())
    assert await told(room, first, second)


async def test_what_ended_before_the_lull_did_follows(
    room: Classroom, proving: ProofRunner
) -> None:
    failures = tuple(await room.failed(*menus(2)))
    proposal = await room.proposes(failures=failures, origin=ProposalOrigin.EXTRACTIVE)
    proved = "UPDATE ON proposals WHEN NEW.status = 'proved'"

    async def lull() -> None:
        while await proving.prove_in_lull(proposal.id):
            pass

    await cancelled_within(room.database, proved, lull())
    assert await told(room, proposal)
