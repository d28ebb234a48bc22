"""Tests of a proof from its first pair to its end: when it pauses or restarts, what it says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from lull.core.chat.messages import Role
from lull.core.errors import LullError, RequestError, UpstreamDown
from lull.core.feedback.judge import JudgeQuestion, QuestionKind
from lull.core.feedback.reward import Vote
from lull.core.proof.pairs import PairPart
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalOrigin, ProposalStatus
from lull.core.proof.rules import ProveRule
from lull.loops.proof.replay import ReplayTarget
from lull.store.chat.turn_rows import Label
from tests.cancelling import cancelled_within
from tests.doubles.fake_chat_model import ChatAsk, FakeChatModel
from tests.loops.classroom import BAD, CHECKED, GOOD, MENU, MODEL, Classroom, ScriptedJudge, menus

AWAY = UpstreamDown("Nobody answers there.")
ANSWER_S = 5.0


def told(ask: ChatAsk) -> bool:
    return any(MENU.body in m.text for m in ask.messages if m.role is Role.SYSTEM)


def obeys(ask: ChatAsk) -> str:
    return "soup | bread" if told(ask) else "soup and bread"


def wants_bars(question: JudgeQuestion) -> Sequence[Vote]:
    if question.asks is QuestionKind.PAIR:
        return (GOOD if question.answer.text == question.reference else BAD,) * 3
    return (GOOD if "|" in question.answer.text else BAD,) * 3


@pytest.fixture(autouse=True)
def obedient(room: Classroom) -> None:
    """Set a model that obeys and answers in five seconds, and a judge that knows the wish."""

    def answers(ask: ChatAsk) -> str:
        room.clock.advance(ANSWER_S)
        return obeys(ask)

    room.chats.answers = [answers]
    room.judge = ScriptedJudge(wants_bars)


async def candidate(room: Classroom, *, model: str = MODEL, **more: Any) -> Proposal:
    failures = await room.failed(*menus(3), model=model)
    return await room.proposes(failures=tuple(failures), model=model, **more)


async def prove(room: Classroom, proposal: Proposal) -> Proposal:
    while await room.prove.slice():
        pass
    return room.now(proposal)


# To its end


async def test_a_skill_that_helps_is_proved_and_its_evidence_says_on_what(room: Classroom) -> None:
    proposal = await candidate(room)
    proved = await prove(room, proposal)
    assert proved.status is ProposalStatus.PROVED
    pairs = room.proposals.pairs(proposal.id)
    assert len(pairs) <= ProveRule().proof.most_pairs
    assert {pair.request for pair in pairs} == set(proposal.failures)
    evidence = json.loads(room.prove.evidence(proved))
    assert evidence["skill_sha256"] == proposal.sha256
    assert room.proposals.support() == set(proposal.failures)
    assert room.prove.next_finished() == room.now(proposal)
    assert room.prove.next_finished() is None  # told once


async def test_a_proof_that_ends_as_its_lull_does_is_told_all_the_same(room: Classroom) -> None:
    proposal = await candidate(room)
    proved = "UPDATE ON proposals WHEN NEW.status = 'proved'"
    await cancelled_within(room.database, proved, prove(room, proposal))
    told = room.prove.next_finished()
    assert told is not None and told.status is ProposalStatus.PROVED


async def test_a_skill_that_changes_nothing_is_unproved(room: Classroom) -> None:
    room.chats.answers = ["soup and bread"]
    done = await prove(room, await candidate(room))
    assert done.status is ProposalStatus.UNPROVED
    assert done.reason == "your model did not keep this rule in 12 of 12 tries"


async def test_a_skill_that_spoils_past_successes_is_rejected(room: Classroom) -> None:
    successes = []
    for number in range(3):
        successes += await room.plays(f"Please tell a joke about salt {number}", "haha")
        await room.rate(successes[-1], Label.GOOD)
    room.chats.answers = [
        lambda ask: "haha" if "joke" in ask.newest and not told(ask) else obeys(ask)
    ]
    done = await prove(room, await candidate(room, successes=tuple(successes)))
    assert done.status is ProposalStatus.REJECTED
    assert done.reason.startswith("it did harm: ") and done.turned_down_by_test
    assert done in room.proposals.rejected("")  # remembered


async def test_a_skill_that_makes_worse_what_it_should_mend_is_rejected(room: Classroom) -> None:
    room.chats.answers = [lambda ask: "soup and bread" if told(ask) else "soup | bread"]
    done = await prove(room, await candidate(room))
    assert done.status is ProposalStatus.REJECTED


async def test_where_nobody_can_score_it_waits_for_the_users_picks(
    room: Classroom,
) -> None:
    room.judge = None
    done = await prove(room, await candidate(room))
    assert done.status is ProposalStatus.UNPROVED
    assert done.needs_picks
    assert done.reason == (
        f"only you can tell: compare 6 pairs of answers (`lull review compare {done.id}`)"
    )
    assert room.chats.asked == []
    assert room.prove.evidence(done) == b""


@pytest.mark.parametrize(
    "status",
    [ProposalStatus.QUARANTINED, ProposalStatus.DEFERRED, ProposalStatus.STALE],
)
async def test_what_is_quarantined_or_put_off_is_given_to_no_model(
    room: Classroom, status: ProposalStatus
) -> None:
    proposal = await candidate(room, status=status)
    assert await room.prove.slice() == 0
    assert await room.prove.slice(only=proposal.id) == 0
    assert room.chats.asked == []


async def test_what_only_retires_is_not_replayed(room: Classroom) -> None:
    skill = await room.approved()
    proposal = await candidate(room, kind=ProposalKind.RETIRE, base_sha256=skill.sha256)
    assert await room.prove.slice() == 0
    assert room.status(proposal) is ProposalStatus.SCREENED


# In slices


async def test_a_slice_ends_within_half_a_minute_and_the_next_goes_on(room: Classroom) -> None:
    proposal = await candidate(room)
    began_s = room.clock.monotonic_s()
    first = await room.prove.slice()
    assert first > 0
    assert room.clock.monotonic_s() - began_s <= ProveRule().slice_s + 2 * ANSWER_S
    before = room.proposals.pairs(proposal.id)
    assert len(before) == first
    await room.prove.slice()
    after = room.proposals.pairs(proposal.id)
    assert after[:first] == before
    assert len(after) > first


async def test_a_proof_goes_on_after_a_restart(room: Classroom) -> None:
    proposal = await candidate(room)
    await room.prove.slice()
    before = room.proposals.pairs(proposal.id)
    await room.restart()
    assert (await prove(room, proposal)).status is ProposalStatus.PROVED
    after = room.proposals.pairs(proposal.id)
    assert after[: len(before)] == before
    assert len({(pair.request, pair.seed) for pair in after}) == len(after)


async def test_the_oldest_candidate_is_brought_to_its_end_first(room: Classroom) -> None:
    first = await candidate(room)
    second = await room.proposes(replace(MENU, name="later"), failures=first.failures)
    slices = 0
    while room.status(first) is not ProposalStatus.PROVED:
        assert room.proposals.pairs(second.id) == []
        await room.prove.slice()
        slices += 1
    assert slices > 1


# On another ground


@pytest.mark.parametrize("what", ["model", "adapter", "judge"])
async def test_on_another_model_adapter_or_judge_a_proof_begins_anew(
    room: Classroom, what: str
) -> None:
    proposal = await candidate(room)
    await room.prove.slice()
    before = room.proposals.pairs(proposal.id)
    assert before
    if what == "judge":
        room.judge = ScriptedJudge(wants_bars, version="judge-2")
    else:
        other = {"digest": "sha256:other"} if what == "model" else {"adapter": "abc"}
        room.stages = lambda _: room.stage(**other)
        room.chats.adapters = {"abc"}
    await room.prove.slice()
    after = room.proposals.pairs(proposal.id)
    assert len(after) <= len(before)
    ground = room.now(proposal).ground
    assert ground is not None
    assert (ground.model, ground.adapter, ground.judge) == {
        "model": ("sha256:other", None, "judge-1"),
        "adapter": ("sha256:base", "abc", "judge-1"),
        "judge": ("sha256:base", None, "judge-2"),
    }[what]
    if what == "judge":
        assert {pair.scored_by for pair in after} == {"judge:judge-2"}


@pytest.mark.full
@pytest.mark.slow
async def test_a_candidate_must_reach_more_beside_others_that_are_open(room: Classroom) -> None:
    lone = await candidate(room)
    await prove(room, lone)
    for number in range(8):  # useless ones
        room.chats.answers = ["soup and bread"]
        other = await room.proposes(replace(MENU, name=f"useless-{number}"), failures=lone.failures)
        await prove(room, other)
    last = await room.proposes(replace(MENU, name="last"), failures=lone.failures)
    await room.prove.slice()
    first_ground, last_ground = room.now(lone).ground, room.now(last).ground
    assert first_ground is not None
    assert last_ground is not None
    assert last_ground.alpha < first_ground.alpha == ProveRule().proof.alpha


async def test_a_proof_can_be_begun_anew_by_the_user(room: Classroom) -> None:
    room.judge = ScriptedJudge(lambda _: ())
    proposal = await candidate(room)
    assert (await prove(room, proposal)).status is ProposalStatus.UNPROVED
    room.judge.says = wants_bars
    anew = await room.prove.restart_proof(proposal.id)
    assert (anew.status, anew.silent, anew.ground) == (ProposalStatus.SCREENED, (), None)
    assert (await prove(room, proposal)).status is ProposalStatus.PROVED


# What cannot be scored or asked


async def test_a_request_without_a_verdict_three_times_is_left_out(room: Classroom) -> None:
    proposal = await candidate(room)
    silent = menus(3)[0]
    room.judge = ScriptedJudge(
        lambda q: () if q.messages[-1].text == silent else wants_bars(q)  # type: ignore[union-attr]
    )
    proved = await prove(room, proposal)
    assert proved.status is ProposalStatus.PROVED
    assert proved.silent.count(proposal.failures[0]) == 3
    assert proposal.failures[0] not in {p.request for p in room.proposals.pairs(proposal.id)}
    asked = [q for q in room.judge.asked if q.messages[-1].text == silent]
    assert len(asked) == 3


FEW_WORDS = '{"kind": "words", "at_most": 3}'
UNCOUNTED = "今日は魚とパンとスープと果物です"
"""An answer in a script without spaces, whose words nothing counts."""


@pytest.mark.parametrize("uncounted", [0.3, 0.7])
async def test_one_request_is_enough_though_its_check_often_cannot_tell(
    room: Classroom, uncounted: float
) -> None:
    def answers(ask: ChatAsk) -> str:
        drawn = hashlib.sha256(f"{ask.sampling.seed}".encode()).digest()
        if drawn[0] < 256 * uncounted:
            return UNCOUNTED
        return "soup, bread" if told(ask) else "soup and bread and fish"

    room.judge = None
    room.chats.answers = [answers]
    (failure,) = await room.failed(*menus(1))
    own = ProposalOrigin.EXTRACTIVE
    proposal = await room.proposes(failures=(failure,), check=FEW_WORDS, origin=own)
    proved = await prove(room, proposal)
    assert (proved.status, proved.needs_picks) == (ProposalStatus.PROVED, False)
    assert proved.silent
    assert all(pair.won for pair in room.proposals.pairs(proposal.id))


async def test_a_check_that_never_can_tell_ends_the_proof_after_two_dozen_tries(
    room: Classroom,
) -> None:
    room.judge = None
    room.chats.answers = [UNCOUNTED]
    (failure,) = await room.failed(*menus(1))
    own = ProposalOrigin.EXTRACTIVE
    proposal = await room.proposes(failures=(failure,), check=FEW_WORDS, origin=own)
    asked = len(room.chats.asked)
    done = await prove(room, proposal)
    assert (done.status, done.needs_picks) == (ProposalStatus.UNPROVED, True)
    assert len(room.chats.asked) - asked == 2 * 24
    assert len({ask.sampling.seed for ask in room.chats.asked[asked:]}) == 24


async def test_no_verdict_at_all_is_unproved_and_never_a_loss(room: Classroom) -> None:
    room.judge = ScriptedJudge(lambda _: (GOOD, BAD))
    proposal = await candidate(room)
    done = await prove(room, proposal)
    assert done.status is ProposalStatus.UNPROVED
    assert room.proposals.pairs(proposal.id) == []


async def test_a_request_that_cannot_be_sent_again_is_left_out(room: Classroom) -> None:
    proposal = await candidate(room)
    broken = menus(3)[1]

    def refuses(ask: ChatAsk) -> str | LullError:
        if ask.newest == broken:
            return RequestError("A message has an image that Lull does not keep.", status=400)
        return obeys(ask)

    room.chats.answers = [refuses]
    proved = await prove(room, proposal)
    assert proved.status is ProposalStatus.PROVED
    assert proposal.failures[1] not in {p.request for p in room.proposals.pairs(proposal.id)}


@pytest.mark.parametrize("status", [404, 403, 500])
async def test_a_model_that_is_not_there_costs_no_request_its_place(
    room: Classroom, status: int
) -> None:
    room.chats.failure = RequestError("no such model", status=status)
    proposal = await candidate(room)
    with pytest.raises(RequestError):
        await room.prove.slice()
    assert room.now(proposal).silent == ()


async def test_a_model_that_is_away_does_not_stop_the_proofs_on_others(room: Classroom) -> None:
    gone = FakeChatModel(name="gone")
    gone.failure = AWAY
    first = await candidate(room, model="gone")
    second = await room.proposes(
        replace(MENU, name="later"),
        model=CHECKED,
        failures=tuple(await room.failed(*menus(3, day="Monday"), model=CHECKED)),
    )

    def stages(model: str) -> ReplayTarget:
        return room.stage(chat=gone) if model == "gone" else room.stage()

    room.stages = stages
    while room.status(second) is not ProposalStatus.PROVED:
        assert await room.prove.slice() > 0
    with pytest.raises(UpstreamDown):  # once nothing else is left, it is said
        await room.prove.slice()
    assert room.status(first) is ProposalStatus.PROVING


async def test_a_model_of_which_nothing_is_known_now_waits(room: Classroom) -> None:
    room.stages = lambda _: None
    proposal = await candidate(room)
    assert await room.prove.slice() == 0
    assert room.status(proposal) is ProposalStatus.SCREENED


async def test_a_judge_that_is_away_is_no_verdict_and_nothing_is_counted(room: Classroom) -> None:
    assert room.judge is not None
    room.judge.away = AWAY
    proposal = await candidate(room)
    with pytest.raises(UpstreamDown):
        await room.prove.slice()
    assert room.now(proposal).silent == ()
    assert room.proposals.pairs(proposal.id) == []
    room.judge.away = None
    assert (await prove(room, proposal)).status is ProposalStatus.PROVED


# The user's word


@pytest.mark.parametrize("decision", ["reject", "defer", "approve", "edit"])
async def test_what_the_user_decides_while_a_pair_is_replayed_stands(
    room: Classroom, decision: str
) -> None:
    proposal = await candidate(room)
    done: dict[str, Callable[[], Any]] = {
        "reject": lambda: room.review.reject(proposal.id, reason="no"),
        "defer": lambda: room.review.defer(proposal.id),
        "approve": lambda: room.review.approve(proposal.id),
        "edit": lambda: room.review.edit(proposal.id, body="Join with stars."),
    }

    async def decides() -> None:
        assert room.judge is not None
        room.judge.meanwhile = None
        await done[decision]()

    assert room.judge is not None
    room.judge.meanwhile = decides
    await room.prove.slice()
    wanted = {
        "reject": ProposalStatus.REJECTED,
        "defer": ProposalStatus.DEFERRED,
        "approve": ProposalStatus.APPROVED,
    }
    now = room.now(proposal)
    if decision == "edit":
        assert now.text.body == "Join with stars."
        assert now.sha256 != proposal.sha256
        for pair in room.proposals.pairs(proposal.id):
            assert pair.with_sha256  # each of them of the new text
    else:
        assert now.status is wanted[decision]
        assert room.proposals.pairs(proposal.id) == []


async def test_siblings_and_successes_that_were_replayed_are_support(room: Classroom) -> None:
    (sibling,) = await room.plays("Please write a menu for Monday with figs", "soup")
    proposal = await candidate(room, siblings=(sibling,))
    assert sibling not in room.proposals.support()
    await prove(room, proposal)
    parts = {pair.part for pair in room.proposals.pairs(proposal.id)}
    assert parts == {PairPart.FAILURE, PairPart.SIBLING}
    assert sibling in room.proposals.support()
