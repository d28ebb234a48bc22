"""Tests of the last look in the loop: a coin decides once on a proof that used all its pairs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from lull.core.chat.messages import Role
from lull.core.errors import Conflict
from lull.core.feedback.judge import JudgeQuestion, QuestionKind
from lull.core.feedback.reward import Vote
from lull.core.proof.last_look import LastLook, last_look, number_from_seed
from lull.core.proof.pairs import Pair, PairPart
from lull.core.proof.proof import ProofRule, ShownBy, decide
from lull.core.proof.proposal import Proposal, ProposalStatus
from lull.core.proof.rechecking import recheck
from lull.core.proof.rules import ProveRule
from lull.core.skills.skill import SkillKey
from lull.service.proof.verifying import verify_stored_proof
from lull.store.chat.turn_rows import Label
from tests.doubles.fake_chat_model import ChatAsk
from tests.loops.classroom import BAD, GOOD, MENU, Classroom, ScriptedJudge, menus

RULE = ProofRule(first_pairs=9, most_pairs=14, success_pairs=1, least_success_pairs=1)
COURSE = "+.+-+.+..+..+-"
"""Outcomes of pairs, repeated; when all pairs are used the e-value is between 1 and 20."""


def told(ask: ChatAsk) -> bool:
    return any(MENU.body in m.text for m in ask.messages if m.role is Role.SYSTEM)


def says(question: JudgeQuestion) -> tuple[Vote, ...]:
    if question.asks is QuestionKind.PAIR:
        return (GOOD if question.answer.text == question.reference else BAD,) * 3
    return (GOOD if "|" in question.answer.text else BAD,) * 3


@pytest.fixture(autouse=True)
def half_hearted(room: Classroom) -> None:
    """A model that obeys only now and then, and a judge that looks at the answer alone."""
    course: Iterator[str] = itertools.cycle(COURSE)
    outcomes: dict[tuple[str, int | None], str] = {}

    def answers(ask: ChatAsk) -> str:
        room.clock.advance(5.0)
        if "joke" in ask.newest:
            return "haha |"
        pair = (ask.newest, ask.sampling.seed)
        if pair not in outcomes:
            outcomes[pair] = next(course)
        good = outcomes[pair] == ("+" if told(ask) else "-")
        return "soup | bread" if good else "soup and bread"

    room.chats.answers = [answers]
    room.judge = ScriptedJudge(says)
    room.proving = ProveRule(proof=RULE)
    room.learn()


async def candidate(room: Classroom, *, accepted: bool, **more: object) -> Proposal:
    """A proposal whose coin accepts it, or does not, when its pairs are used up."""
    failures = tuple(await room.failed(*menus(3)))
    chosen = MENU
    for number in range(1000):
        chosen = replace(MENU, description=f"When menu {number} is asked for.")
        made = await room.proposes(chosen, failures=failures, **more)
        coin = last_look(f"{made.id} {made.sha256}").coin
        if coin < 0.05 if accepted else coin > 0.95:
            return made
        await room.review.reject(made.id, reason="another coin")
    raise AssertionError("no coin fell so")


async def prove(room: Classroom, proposal: Proposal) -> Proposal:
    while await room.prove.slice(only=proposal.id):
        pass
    return room.now(proposal)


def look_of(proposal: Proposal) -> LastLook:
    assert proposal.last_look is not None
    return proposal.last_look


@pytest.mark.parametrize("accepted", [True, False])
async def test_when_the_pairs_are_spent_the_coin_decides(room: Classroom, accepted: bool) -> None:
    proposal = await candidate(room, accepted=accepted)
    done = await prove(room, proposal)
    assert done.status is (ProposalStatus.PROVED if accepted else ProposalStatus.UNPROVED)
    assert "final draw" in done.reason
    look = look_of(done)
    assert (look.after, look.coin) == (RULE.most_pairs, number_from_seed(look.seed))
    assert look.seed == f"{proposal.id} {proposal.sha256}"
    assert len(room.proposals.pairs(proposal.id)) == RULE.most_pairs
    evidence = room.prove.evidence(done).decode()
    assert recheck(evidence, skill_sha256=done.sha256, rule=RULE) == []
    assert json.loads(evidence)["decision"]["shown_by"] == ("last look" if accepted else "")


async def test_verify_draws_the_coin_again_and_says_how_it_was_accepted(room: Classroom) -> None:
    done = await prove(room, await candidate(room, accepted=True))
    await room.review.approve(done.id)
    found = verify_stored_proof(
        room.skills, room.proposals, name=done.key.name, client="", rule=RULE
    )
    assert found["holds"] is True
    assert found["why"].startswith("Proved by the final draw on 3 requests")
    assert f"drawn again from the seed “{look_of(done).seed}”" in found["why"]
    assert found["evidence"]["shown_by"] == "last look"
    file = room.skills.folders.folder(SkillKey("", done.key.name)) / "evidence.json"
    document = json.loads(file.read_text())
    document["look"]["seed"] = "another"
    document["look"]["coin"] = number_from_seed("another")
    file.write_text(json.dumps(document))
    found = verify_stored_proof(
        room.skills, room.proposals, name=done.key.name, client="", rule=RULE
    )
    assert found["holds"] is False
    assert "Its final draw differs from what was recorded." in found["why"]


async def test_a_proof_begun_anew_gets_the_same_coin(room: Classroom) -> None:
    done = await prove(room, await candidate(room, accepted=False))
    await room.prove.restart_proof(done.id)
    assert room.now(done).last_look is None
    assert room.proposals.pairs(done.id) == []
    again = await prove(room, done)
    assert (look_of(again).coin, again.status) == (look_of(done).coin, ProposalStatus.UNPROVED)


async def test_another_scope_or_check_tosses_no_other_coin(room: Classroom) -> None:
    proposal = await candidate(room, accepted=False)
    await room.prove.slice(only=proposal.id)
    before = look_of(room.now(proposal))
    await room.review.edit(proposal.id, check='{"kind": "words", "at_most": 60}')
    assert room.now(proposal).sha256 != proposal.sha256
    assert look_of(room.now(proposal)).seed == before.seed


async def test_a_look_that_accepted_waits_for_past_successes_and_stays(room: Classroom) -> None:
    successes = []
    for number in range(3):
        successes += await room.plays(f"Please tell a joke about salt {number}", "haha |")
        await room.rate(successes[-1], Label.GOOD)
    proposal = await candidate(room, accepted=True, successes=tuple(successes))
    while not look_of_or_none(room, proposal):
        assert await room.prove.slice(only=proposal.id)
    waiting = room.now(proposal)
    assert look_of(waiting).after == RULE.most_pairs - RULE.least_success_pairs
    # From here on more pairs would be allowed, and none is replayed for the benefit.
    room.proving = ProveRule(proof=replace(RULE, first_pairs=40, most_pairs=80))
    room.learn()
    done = await prove(room, proposal)
    pairs = room.proposals.pairs(proposal.id)
    own = [pair for pair in pairs if pair.part is not PairPart.SUCCESS]
    assert len(own) == look_of(done).after
    assert done.status is ProposalStatus.PROVED


def look_of_or_none(room: Classroom, proposal: Proposal) -> bool:
    look = room.now(proposal).last_look
    return look is not None and look.after > 0


async def test_no_pick_counts_after_the_last_look(room: Classroom) -> None:
    done = await prove(room, await candidate(room, accepted=True))
    waits = replace(done, status=ProposalStatus.PROVING)
    await room.proposals.change(done.id, lambda _: waits)
    with pytest.raises(Conflict, match="has had its final draw"):
        await room.compare.next(done.id)


async def test_a_pair_that_comes_in_after_the_last_look_is_not_kept(room: Classroom) -> None:
    done = await prove(room, await candidate(room, accepted=True))
    waits = replace(done, status=ProposalStatus.PROVING)
    await room.proposals.change(done.id, lambda _: waits)
    late = replace(room.proposals.pairs(done.id)[0], seed=1)
    assert not await room.proposals.advance(waits, late)
    untaken = replace(look_of(done), after=0)
    assert done.ground is not None
    older = replace(waits, ground=replace(done.ground, look=untaken))
    assert not await room.proposals.advance(older, replace(late, part=PairPart.SUCCESS))
    assert await room.proposals.advance(waits, replace(late, part=PairPart.SUCCESS))
    assert look_of(room.now(done)).after == RULE.most_pairs


# Proofs that were stored before there was a last look


async def test_a_proof_from_before_draws_its_coin_when_it_goes_on(room: Classroom) -> None:
    proposal = await candidate(room, accepted=True)
    await room.prove.slice(only=proposal.id)
    await room.database.write(
        lambda connection: connection.execute(
            "UPDATE proposals SET fields = json_remove(fields, '$.ground.look')"
        )
    )
    old = room.now(proposal)
    assert old.ground is not None
    assert old.last_look is None
    kept = room.proposals.pairs(proposal.id)
    assert 0 < len(kept) < RULE.first_pairs
    done = await prove(room, proposal)
    assert room.proposals.pairs(proposal.id)[: len(kept)] == kept
    assert done.status is ProposalStatus.PROVED
    assert look_of(done).seed == f"{proposal.id} {proposal.sha256}"


async def test_neighbours_do_not_count_a_lucky_coin_as_twenty(room: Classroom) -> None:
    done = await prove(room, await candidate(room, accepted=True))
    pairs: list[Pair] = room.proposals.pairs(done.id)
    decision = decide(pairs, RULE, successes=0, look=done.last_look)
    assert decision.shown_by is ShownBy.LAST_LOOK
    other = await room.proposes(replace(MENU, name="later"), failures=done.failures)
    await room.prove.slice(only=other.id)
    ground = room.now(other).ground
    assert ground is not None
    assert ground.alpha == pytest.approx(min(RULE.alpha, 0.10 / 2))
