"""Tests of finding the past requests that a proposed skill is for, from its proof."""

from __future__ import annotations

from collections.abc import Sequence

from lull.contract.chat_headers import WINDOW_CLIENT
from lull.core.chat.messages import Role
from lull.core.feedback.judge import JudgeQuestion, QuestionKind
from lull.core.feedback.reward import Vote
from lull.loops.skills.proved_requests import ProvedRequests
from lull.store.feedback.reward_rows import ServedTurn
from tests.doubles.fake_chat_model import ChatAsk
from tests.loops.classroom import BAD, GOOD, MENU, Classroom, ScriptedJudge, menus


def obeys(ask: ChatAsk) -> str:
    told = any(MENU.body in m.text for m in ask.messages if m.role is Role.SYSTEM)
    return "soup | bread" if told else "soup and bread"


def wants_bars(question: JudgeQuestion) -> Sequence[Vote]:
    if question.asks is QuestionKind.PAIR:
        return (GOOD if question.answer.text == question.reference else BAD,) * 3
    return (GOOD if "|" in question.answer.text else BAD,) * 3


async def test_those_that_it_won_are_remembered_as_what_it_is_for(room: Classroom) -> None:
    room.chats.answers = [obeys]
    room.judge = ScriptedJudge(wants_bars)
    credited: list[tuple[str, list[str]]] = []

    async def credit(served: ServedTurn, skills: Sequence[str]) -> None:
        credited.append((served.asked, list(skills)))

    requests = ProvedRequests(room.proposals, room.rewards, credit)
    failures = await room.failed(*menus(3))
    proposal = await room.proposes(failures=tuple(failures))
    assert requests.won_requests(proposal) == []
    while await room.prove.slice():
        pass
    assert sorted(requests.won_requests(proposal)) == sorted(menus(3))
    assert requests.asker(proposal) == room.served(failures[0]).client
    await requests.remember(proposal)
    assert sorted(credited) == [(asked, [MENU.name]) for asked in sorted(menus(3))]


async def test_those_that_the_user_excluded_are_not_remembered(room: Classroom) -> None:
    room.chats.answers = [obeys]
    room.judge = ScriptedJudge(wants_bars)
    credited: list[str] = []

    async def credit(served: ServedTurn, _: Sequence[str]) -> None:
        credited.append(served.asked)

    failures = await room.failed(*menus(3))
    proposal = await room.proposes(failures=tuple(failures))
    while await room.prove.slice():
        pass
    excluded = room.served(failures[0]).turn.trajectory
    await room.trajectories.exclude(excluded, True, at=room.clock.now())
    await ProvedRequests(room.proposals, room.rewards, credit).remember(proposal)
    assert credited and menus(3)[0] not in credited


async def test_what_no_request_taught_is_tried_as_lulls_own_window(room: Classroom) -> None:
    async def credit(_: ServedTurn, __: Sequence[str]) -> None: ...

    requests = ProvedRequests(room.proposals, room.rewards, credit)
    assert requests.asker(await room.proposes(failures=())) == WINDOW_CLIENT
