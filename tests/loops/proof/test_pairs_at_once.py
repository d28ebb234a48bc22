"""Tests of proofs whose model answers several pairs of requests at the same time: they end exactly
as with one pair at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lull.core.chat.messages import Role
from lull.core.errors import LullError, RequestError, UpstreamDown
from lull.core.feedback.judge import JudgeQuestion, QuestionKind
from lull.core.feedback.reward import Vote
from lull.core.proof.proposal import Proposal, ProposalOrigin, ProposalStatus
from lull.store.chat.turn_rows import Label
from tests.doubles.fake_chat_model import ChatAsk
from tests.eventually import PATIENCE_S, until
from tests.loops.classroom import BAD, GOOD, MENU, Classroom, ScriptedJudge, menus


def told(ask: ChatAsk) -> bool:
    return any(MENU.body in m.text for m in ask.messages if m.role is Role.SYSTEM)


def by_chance(with_: float, without: float, joking: float = 1.0) -> Callable[[ChatAsk], str]:
    """A model that obeys with these probabilities, and that with the skill still tells a joke when
    asked for one with the probability `joking`; the same for the same request and seed.
    """

    def answer(ask: ChatAsk) -> str:
        drawn = hashlib.sha256(f"{ask.newest} {ask.sampling.seed} {told(ask)}".encode()).digest()
        number = int.from_bytes(drawn[:4], "big") / 2**32
        if "joke" in ask.newest:
            return "haha" if not told(ask) or number < joking else "soup"
        return "soup | bread" if number < (with_ if told(ask) else without) else "soup and bread"

    return answer


def wants_bars(question: JudgeQuestion) -> Sequence[Vote]:
    if question.asks is QuestionKind.PAIR:
        return (GOOD if question.answer.text == question.reference else BAD,) * 3
    return (GOOD if "|" in question.answer.text else BAD,) * 3


async def proposed(room: Classroom, answers: Callable[[ChatAsk], str]) -> Proposal:
    successes: list[str] = []
    for number in range(3):
        successes += await room.plays(f"Please tell a joke about salt {number}", "haha")
        await room.rate(successes[-1], Label.GOOD)
    failures = await room.failed(*menus(5))
    room.chats.answers = [answers]
    room.judge = ScriptedJudge(wants_bars)
    return await room.proposes(failures=tuple(failures), successes=tuple(successes))


def at_once(room: Classroom, number: int) -> None:
    room.stages = lambda _: room.stage(pairs_at_once=number)


async def proved(room: Classroom, proposal: Proposal) -> Proposal:
    while await room.prove.slice():
        pass
    return room.now(proposal)


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        (by_chance(1.0, 0.0), ProposalStatus.PROVED),
        (by_chance(0.8, 0.2), ProposalStatus.PROVED),
        (by_chance(0.5, 0.5), ProposalStatus.UNPROVED),
        (by_chance(0.1, 0.9), ProposalStatus.REJECTED),
        (by_chance(1.0, 0.0, joking=0.1), ProposalStatus.REJECTED),
    ],
    ids=["helps surely", "helps", "changes nothing", "harms", "spoils successes"],
)
async def test_it_ends_with_the_same_pairs_as_one_at_a_time(
    tmp_path: Path, answers: Callable[[ChatAsk], str], status: ProposalStatus
) -> None:
    ends = []
    for number in (1, 4):
        room = Classroom(tmp_path / str(number))
        try:
            at_once(room, number)
            proposal = await proposed(room, answers)
            done = await proved(room, proposal)
            ends.append((done.status, done.reason, room.proposals.pairs(proposal.id)))
            told_of = room.prove.next_finished()
            assert told_of is not None
            assert told_of.status is done.status
            assert room.prove.next_finished() is None
        finally:
            await asyncio.to_thread(room.database.close)
    assert ends[0] == ends[1]
    assert ends[0][0] is status


FEW_WORDS = '{"kind": "words", "at_most": 2}'
OWN = ProposalOrigin.EXTRACTIVE


async def with_a_check(room: Classroom, obeys: Callable[[ChatAsk], bool]) -> Proposal:
    """A proposal whose own check scores the answers, and a model that keeps it or not."""
    failures = await room.failed(*menus(5))
    room.chats.answers = [lambda ask: "soup" if obeys(ask) else "soup and bread"]
    return await room.proposes(failures=tuple(failures), check=FEW_WORDS, origin=OWN)


async def test_what_a_program_scores_counts_while_other_answers_are_written(
    room: Classroom,
) -> None:
    at_once(room, 4)
    proposal = await with_a_check(room, told)
    room.chats.hanging_after = 4
    testing = asyncio.create_task(room.prove.slice())
    await until(lambda: len(room.proposals.pairs(proposal.id)) == 2)
    assert len(room.chats.asked) == 8 and not testing.done()
    testing.cancel()
    await asyncio.gather(testing, return_exceptions=True)
    assert room.chats.hangups == 4
    room.chats.hanging_after = None
    assert (await proved(room, proposal)).status is ProposalStatus.PROVED


async def test_answers_that_are_not_needed_any_more_are_not_waited_for(room: Classroom) -> None:
    at_once(room, 3)
    proposal = await with_a_check(room, told)
    room.chats.hanging_after = 2 * 8  # of the third three, one pair too many is asked for
    done = await asyncio.wait_for(proved(room, proposal), PATIENCE_S)
    assert done.status is ProposalStatus.PROVED
    assert len(room.proposals.pairs(proposal.id)) == 8
    assert len(room.chats.asked) == 2 * 9 and room.chats.hangups == 2


@pytest.mark.parametrize("share", [(1.0, 0.0), (0.8, 0.2), (0.5, 0.5), (0.1, 0.9)])
async def test_a_program_counts_the_same_pairs_as_one_at_a_time(
    tmp_path: Path, share: tuple[float, float]
) -> None:
    ends = []
    answers = by_chance(*share)
    for number in (1, 4):
        room = Classroom(tmp_path / str(number))
        try:
            at_once(room, number)
            proposal = await with_a_check(room, lambda ask: "|" in answers(ask))
            done = await proved(room, proposal)
            ends.append((done.status, done.reason, room.proposals.pairs(proposal.id)))
        finally:
            await asyncio.to_thread(room.database.close)
    assert ends[0] == ends[1]
    assert len(ends[0][2]) >= 8


async def test_as_many_pairs_are_asked_at_the_same_time_as_the_engine_is_fast_at(
    room: Classroom,
) -> None:
    at_once(room, 4)
    obeys, asked_before_an_answer = by_chance(1.0, 0.0), list[int]()

    def answer(ask: ChatAsk) -> str:
        asked_before_an_answer.append(len(room.chats.asked))
        return obeys(ask)

    proposal = await proposed(room, answer)
    assert (await proved(room, proposal)).status is ProposalStatus.PROVED
    assert asked_before_an_answer[0] == 8
    first = room.chats.asked[:8]
    assert len({(ask.newest, ask.sampling.seed) for ask in first}) == 4
    assert sum(told(ask) for ask in first) == 4


async def test_what_the_user_decides_meanwhile_holds(room: Classroom) -> None:
    at_once(room, 4)
    proposal = await proposed(room, by_chance(1.0, 0.0))
    answers = room.chats.answers[0]
    rejected = False

    async def rejects() -> None:
        nonlocal rejected
        if not rejected:
            rejected = True
            await room.review.reject(proposal.id, reason="no")

    assert room.judge is not None
    room.judge.meanwhile = rejects
    assert callable(answers)
    await room.prove.slice()
    assert room.status(proposal) is ProposalStatus.REJECTED
    assert room.now(proposal).reason == "no"
    assert room.proposals.pairs(proposal.id) == []


@pytest.mark.parametrize("silences", [1, 2, 3], ids=["once", "twice", "always"])
async def test_a_request_without_a_verdict_changes_nothing_of_that(
    tmp_path: Path, silences: int
) -> None:
    ends = []
    for number in (1, 4):
        room = Classroom(tmp_path / str(number))
        try:
            at_once(room, number)
            proposal = await proposed(room, by_chance(0.8, 0.2))
            silent, told_nothing = menus(5)[0], list[str]()

            def judges(
                question: JudgeQuestion,
                silent: str = silent,
                told_nothing: list[str] = told_nothing,
            ) -> Sequence[Vote]:
                if question.messages[-1].text == silent and len(told_nothing) < silences:
                    told_nothing.append(silent)
                    return ()
                return wants_bars(question)

            room.judge = ScriptedJudge(judges)
            done = await proved(room, proposal)
            ends.append((done.status, done.silent, room.proposals.pairs(proposal.id)))
        finally:
            await asyncio.to_thread(room.database.close)
    assert ends[0] == ends[1]
    assert len(ends[0][1]) == silences


async def test_a_question_that_fails_costs_only_its_own_pair(room: Classroom) -> None:
    at_once(room, 4)
    obeys, asked = by_chance(1.0, 0.0), 0

    def fails_now_and_then(ask: ChatAsk) -> str | LullError:
        nonlocal asked
        asked += 1
        return UpstreamDown("Nobody is there.") if asked % 7 == 0 else obeys(ask)

    proposal = await proposed(room, fails_now_and_then)
    for _ in range(40):
        with contextlib.suppress(UpstreamDown):
            await room.prove.slice()
    assert room.status(proposal) is ProposalStatus.PROVED


@pytest.mark.parametrize("number", [1, 4])
async def test_a_request_that_the_judges_server_refuses_is_left_out(
    room: Classroom, number: int
) -> None:
    at_once(room, number)
    proposal = await proposed(room, by_chance(1.0, 0.0))
    refused = menus(5)[1]

    def judges(question: JudgeQuestion) -> Sequence[Vote]:
        if question.messages[-1].text == refused:
            raise RequestError("The prompt is longer than the window.", status=400)
        return wants_bars(question)

    room.judge = ScriptedJudge(judges)
    done = await proved(room, proposal)
    assert done.status is ProposalStatus.PROVED
    assert 1 <= done.silent.count(proposal.failures[1]) <= 3
    pairs = room.proposals.pairs(proposal.id)
    assert proposal.failures[1] not in {pair.request for pair in pairs}


async def test_what_was_counted_before_the_judge_went_away_is_said(room: Classroom) -> None:
    at_once(room, 4)
    proposal = await proposed(room, by_chance(1.0, 0.0))
    asked = 0

    def judges(question: JudgeQuestion) -> Sequence[Vote]:
        nonlocal asked
        asked += 1
        if asked > 4:
            raise UpstreamDown("Nobody is there.")
        return wants_bars(question)

    room.judge = ScriptedJudge(judges)
    assert await room.prove.slice() == 2
    assert len(room.proposals.pairs(proposal.id)) == 2


async def test_the_judge_is_asked_one_question_after_the_other(room: Classroom) -> None:
    at_once(room, 4)
    proposal = await proposed(room, by_chance(1.0, 0.0))
    at_the_judge, most = 0, 0

    async def thinks() -> None:
        nonlocal at_the_judge, most
        at_the_judge += 1
        most = max(most, at_the_judge)
        await asyncio.sleep(0)
        at_the_judge -= 1

    assert room.judge is not None
    room.judge.meanwhile = thinks
    assert (await proved(room, proposal)).status is ProposalStatus.PROVED
    assert most == 1


async def test_it_is_known_which_proposal_is_replayed(room: Classroom) -> None:
    obeys, seen = by_chance(1.0, 0.0), set[str]()

    def answer(ask: ChatAsk) -> str:
        seen.add(room.prove.replayed_now)
        return obeys(ask)

    proposal = await proposed(room, answer)
    seen.clear()
    assert room.prove.replayed_now == ""
    await proved(room, proposal)
    assert seen == {proposal.id}
    assert room.prove.replayed_now == ""
