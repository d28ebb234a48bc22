"""Tests of a test that the user stops, and of tests that wait for each other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from lull.core.proof.pairs import BY_CHECK, Pair, PairPart
from lull.core.proof.proposal import Proposal, ProposalOrigin, ProposalStatus
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.service.proof.proving import ProofRunner
from lull.store.chat.event_log import EventLog
from tests.desk import Desk, proved
from tests.eventually import until
from tests.loops.classroom import BAD, GOOD, MENU, Classroom, ScriptedJudge, menus
from tests.service.control.socket_client import ControlSocket


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
        auto_approve=lambda: False,
    )


@pytest.fixture
def api(desk: Desk) -> ControlSocket:
    return ControlSocket(desk.paths.home)


class Gate:
    """Holds the judge, and with it the test that is under way, until it is opened."""

    def __init__(self, room: Classroom, *, after: int = 0) -> None:
        """It lets `after` questions to the judge pass first."""
        self._left = after
        self.opened = asyncio.Event()
        self.waits = False
        assert room.judge is not None
        room.judge.meanwhile = self._pass

    async def _pass(self) -> None:
        if self._left:
            self._left -= 1
            return
        self.waits = True
        await self.opened.wait()


async def proposed(room: Classroom, *names: str) -> list[Proposal]:
    failures = tuple(await room.failed(*menus(2)))
    return [
        await room.proposes(
            replace(MENU, name=name), failures=failures, origin=ProposalOrigin.EXTRACTIVE
        )
        for name in names
    ]


def stands(room: Classroom, proposal: Proposal) -> tuple[ProposalStatus, bool, int]:
    now = room.proposals.get(proposal.id)
    return now.status, now.stopped, len(room.proposals.pairs(proposal.id))


async def test_a_stopped_test_ends_at_once_and_goes_on_when_it_is_asked_for(
    room: Classroom, proving: ProofRunner
) -> None:
    (proposal,) = await proposed(room, "menu")
    gate = Gate(room, after=6)
    await proving.prove_now(proposal.id, wait=False)
    await until(lambda: gate.waits)
    assert proving.tests_before(proposal.id) == 0
    await proving.stop(proposal.id)
    assert stands(room, proposal) == (ProposalStatus.PROVING, True, 3)
    await until(lambda: proving.tests_before(proposal.id) is None)
    gate.opened.set()

    assert proving.waiting() == [], "no lull goes on with it"
    assert await proving.prove_in_lull(proposal.id) == 0
    await proving.prove_now(None, wait=True)
    assert stands(room, proposal) == (ProposalStatus.PROVING, True, 3)

    await proving.prove_again(proposal.id)
    assert stands(room, proposal) == (ProposalStatus.PROVING, False, 3)
    await proving.prove_now(proposal.id, wait=True)
    status, _, pairs = stands(room, proposal)
    assert (status, pairs) == (ProposalStatus.PROVED, 8)


async def test_who_waits_for_a_test_hears_that_it_was_stopped(
    room: Classroom, proving: ProofRunner
) -> None:
    (proposal,) = await proposed(room, "menu")
    gate = Gate(room)
    waits = asyncio.create_task(proving.prove_now(proposal.id, wait=True))
    await until(lambda: gate.waits)
    await proving.stop(proposal.id)
    await waits
    assert stands(room, proposal) == (ProposalStatus.PROVING, True, 0)


async def test_a_test_that_a_lull_runs_is_stopped_too(
    room: Classroom, proving: ProofRunner
) -> None:
    first, second = await proposed(room, "menu", "other-menu")
    gate = Gate(room)
    lull = asyncio.create_task(proving.prove_in_lull(first.id))
    await until(lambda: gate.waits)
    await proving.stop(first.id)
    assert await lull == 0
    assert [one.proposal for one in proving.waiting()] == [second.id]


async def test_tests_wait_their_turn_and_are_taken_back(
    room: Classroom, proving: ProofRunner
) -> None:
    first, second, third = await proposed(room, "one", "two", "three")
    gate = Gate(room)
    for one in (first, second, third):
        await proving.prove_now(one.id, wait=False)
    await until(lambda: gate.waits)
    assert [proving.tests_before(p.id) for p in (first, second, third)] == [0, 1, 2]

    await proving.stop(second.id)
    assert stands(room, second)[1] is False, "it had not begun: a lull may still test it"
    assert [proving.tests_before(p.id) for p in (first, second, third)] == [0, None, 1]

    gate.opened.set()
    await until(lambda: proving.tests_before(third.id) is None)
    assert [stands(room, p)[0] for p in (first, second, third)] == [
        ProposalStatus.PROVED,
        ProposalStatus.SCREENED,
        ProposalStatus.PROVED,
    ]


async def test_of_all_that_are_tested_one_is_stopped_and_the_rest_goes_on(
    room: Classroom, proving: ProofRunner
) -> None:
    first, second = await proposed(room, "one", "two")
    gate = Gate(room)
    await proving.prove_now(None, wait=False)
    await until(lambda: gate.waits)
    assert (proving.tests_before(first.id), proving.tests_before(second.id)) == (0, 1)
    await proving.stop(first.id)
    gate.opened.set()
    await until(lambda: stands(room, second)[0] is ProposalStatus.PROVED)
    assert stands(room, first)[1] is True


# Over the control API


def test_a_test_is_stopped_by_its_id_and_says_what_it_is_then(
    desk: Desk, api: ControlSocket
) -> None:
    made = desk.propose(replays=proved()[:3], status=ProposalStatus.PROVING, stopped=True)
    said = api.ask("POST", f"/v1/proposals/{made.id}/stop", {})
    assert said.status == 200 and desk.proofs.stopped == [made.id]
    shown = said.json["proposal"]
    assert (shown["stopped"], shown["testing"], shown["tests_before"]) == (True, False, None)
    assert (shown["standing"], shown["evidence"]["pairs"]) == ("untested", 3)


def test_what_waits_for_other_tests_says_for_how_many(desk: Desk, api: ControlSocket) -> None:
    first, second = desk.propose("first"), desk.propose("second")
    desk.proofs.before = {first.id: 0, second.id: 1}
    found = {one["name"]: one for one in api.get("/v1/proposals")["proposals"]}
    assert (found["first"]["testing"], found["first"]["tests_before"]) == (True, None)
    assert (found["second"]["testing"], found["second"]["tests_before"]) == (False, 1)


def test_what_is_not_tested_is_not_stopped(desk: Desk, api: ControlSocket) -> None:
    made = desk.propose(replays=proved(), status=ProposalStatus.PROVED)
    said = api.ask("POST", f"/v1/proposals/{made.id}/stop", {})
    assert said.status == 409 and desk.proofs.stopped == []
    assert said.json["error"]["detail"] == "The suggestion menu-style is proved."
    assert api.ask("POST", "/v1/proposals/prop_none/stop", {}).status == 404


# Of a rule with "and"


def test_of_a_rule_with_and_each_part_is_counted(desk: Desk, api: ControlSocket) -> None:
    rule = '{"all": [{"kind": "lower_case"}, {"kind": "sentences", "at_most": 1}]}'
    answers = ["one thing.", "one. two.", "three. four. five.", "One."]
    replays = [
        Pair(
            request="turn_1",
            part=PairPart.FAILURE,
            seed=n,
            without=0.0,
            with_=float(n == 0),
            scored_by=BY_CHECK,
            answers=("No. No.", answer),
        )
        for n, answer in enumerate(answers)
    ]
    desk.propose(check=rule, replays=replays, status=ProposalStatus.PROVING)
    (shown,) = api.get("/v1/proposals")["proposals"]
    kept = shown["evidence"]["kept"]
    assert (kept["pairs"], kept["with"]) == (4, 1)
    assert kept["parts"] == [
        {"check": "The answer must be in lower case throughout.", "kept": 3, "of": 4},
        {"check": "The answer must have at most 1 sentence.", "kept": 2, "of": 4},
    ]


def test_a_rule_of_one_part_is_counted_as_one(desk: Desk, api: ControlSocket) -> None:
    desk.propose(
        check='{"kind": "lower_case"}',
        replays=[replace(pair, scored_by=BY_CHECK) for pair in proved()[:3]],
        status=ProposalStatus.PROVING,
    )
    (shown,) = api.get("/v1/proposals")["proposals"]
    assert shown["evidence"]["kept"]["parts"] == []
