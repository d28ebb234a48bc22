"""Tests of the user as scorer: two answers without a sign of the skill, and what picks decide."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from lull.core.chat.messages import Role
from lull.core.chat.picks import Comparison, Pick
from lull.core.errors import Conflict, RequestError, UpstreamDown
from lull.core.feedback.feedback import Scope
from lull.core.proof.pairs import BY_USER, SAME_WORDS
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.proof.rechecking import recheck
from lull.service.idle.quiet import Activity, QuietTimes
from lull.store.chat.turn_rows import Label
from tests.doubles.fake_chat_model import ChatAsk
from tests.eventually import PATIENCE_S, until
from tests.loops.classroom import BAD, GOOD, MENU, Classroom, ScriptedJudge, menus

RIGHT, WRONG = "soup | bread", "soup and bread"
WORDS_CHECK = '{"kind": "words", "at_most": 60}'


def told(ask: ChatAsk) -> bool:
    return any(MENU.body in m.text for m in ask.messages if m.role is Role.SYSTEM)


@pytest.fixture(autouse=True)
def obedient(room: Classroom) -> None:
    room.chats.answers = [lambda ask: RIGHT if told(ask) else WRONG]


async def waiting(room: Classroom, **more: object) -> Proposal:
    """A candidate whose automatic proof has given up, because nobody can score its replays."""
    failures = tuple(await room.failed(*menus(3)))
    proposal = await room.proposes(failures=failures, **more)
    await room.prove.slice()
    room.prove.next_finished()
    return room.now(proposal)


async def shown(room: Classroom, proposal: Proposal) -> Comparison:
    asked = await room.compare.next(proposal.id)
    assert asked.comparison is not None
    return asked.comparison


def by_the_skill(comparison: Comparison) -> Pick:
    return Pick.A if comparison.a == RIGHT else Pick.B


def by_the_other(comparison: Comparison) -> Pick:
    return Pick.B if comparison.a == RIGHT else Pick.A


async def picks(
    room: Classroom, proposal: Proposal, pick: Callable[[Comparison], Pick], times: int
) -> Proposal:
    for _ in range(times):
        comparison = await shown(room, proposal)
        await room.compare.pick(proposal.id, comparison.pair, pick(comparison))
    return room.now(proposal)


async def test_six_picks_one_way_prove_and_the_evidence_holds(room: Classroom) -> None:
    room.with_first = [True, False, True, True, False, False]
    proposal = await waiting(room)
    assert (proposal.status, proposal.needs_picks) == (ProposalStatus.UNPROVED, True)
    after = await picks(room, proposal, by_the_skill, 5)
    assert "only you can tell: 1 more to compare" in after.reason
    after = await picks(room, proposal, by_the_skill, 1)
    assert (after.status, after.needs_picks) == (ProposalStatus.PROVED, False)
    assert "6 won, 0 lost of 6 pairs" in after.reason
    assert room.prove.next_finished() == after
    evidence = room.prove.evidence(after).decode()
    assert recheck(evidence, skill_sha256=after.sha256) == []
    pairs = json.loads(evidence)["pairs"]
    assert {pair["scored_by"] for pair in pairs} == {BY_USER}
    assert {pair["request"] for pair in pairs} == set(proposal.failures)
    assert room.quiet.hurried and all(room.quiet.hurried)


async def test_picks_for_the_other_side_end_as_not_better_and_are_the_users_to_turn_down(
    room: Classroom,
) -> None:
    proposal = await waiting(room)
    after = await picks(room, proposal, by_the_other, 6)
    assert after.status is ProposalStatus.UNPROVED
    assert after.reason == "not better: it lost 6 and won 0 of its own pairs"
    assert not after.comparable
    with pytest.raises(Conflict, match="nothing to compare"):
        await room.compare.next(proposal.id)


async def test_a_pick_that_says_nothing_counts_for_nobody(room: Classroom) -> None:
    proposal = await waiting(room)
    for pick in (Pick.SAME, Pick.NEITHER):
        await picks(room, proposal, lambda _, p=pick: p, 1)  # type: ignore[misc]
    pairs = room.proposals.pairs(proposal.id)
    assert [(p.without, p.with_) for p in pairs] == [(1.0, 1.0), (0.0, 0.0)]
    assert "only you can tell: 6 more to compare" in room.now(proposal).reason


async def test_the_same_pair_is_shown_until_there_is_a_pick(room: Classroom) -> None:
    proposal = await waiting(room)
    first = await shown(room, proposal)
    asked = len(room.chats.asked)
    assert await shown(room, proposal) == first
    assert len(room.chats.asked) == asked
    await room.compare.pick(proposal.id, first.pair, Pick.A)
    assert (await shown(room, proposal)).pair != first.pair


async def test_the_answers_of_the_next_pairs_are_generated_together_with_the_first(
    room: Classroom,
) -> None:
    room.stages = lambda _: room.stage(pairs_at_once=4)
    proposal = await waiting(room)
    asked, shown_ones = [], []
    for _ in range(6):
        comparison = await shown(room, proposal)
        asked.append(len(room.chats.asked))
        shown_ones.append(comparison.pair)
        await room.compare.pick(proposal.id, comparison.pair, by_the_skill(comparison))
    assert asked == [8, 8, 8, 8, 16, 16]
    assert len(set(shown_ones)) == 6
    assert room.now(proposal).status is ProposalStatus.PROVED
    pairs = room.proposals.pairs(proposal.id)
    seeds = [ask.sampling.seed for ask in room.chats.asked]
    assert [pair.seed for pair in pairs] == seeds[0::2][:6]


async def test_the_first_pair_is_shown_while_others_are_still_written(room: Classroom) -> None:
    room.stages = lambda _: room.stage(pairs_at_once=4)
    proposal = await waiting(room)
    room.chats.hanging_after = 2
    first = await asyncio.wait_for(shown(room, proposal), PATIENCE_S)
    assert len(room.chats.asked) == 8 and room.chats.hangups == 0
    await room.compare.pick(proposal.id, first.pair, by_the_skill(first))
    second = asyncio.create_task(shown(room, proposal))
    await asyncio.sleep(0.05)
    assert not second.done() and room.chats.hangups == 0, "what is under way is waited for"
    second.cancel()
    room.compare._prepared.clear()


async def test_a_chat_makes_only_the_pair_go_on_that_is_waited_for(room: Classroom) -> None:
    activity = Activity(room.clock)
    room.compare._prepared._quiet = QuietTimes(activity, after_s=lambda: 0.0)
    room.stages = lambda _: room.stage(pairs_at_once=4)
    proposal = await waiting(room)
    room.chats.hanging = True
    first = asyncio.create_task(shown(room, proposal))
    await until(lambda: len(room.chats.asked) == 8)
    with activity.chat():
        await until(lambda: room.chats.hangups == 8)
        room.chats.hanging, room.chats.hanging_after = False, 10
    await asyncio.wait_for(first, PATIENCE_S)
    assert len(room.chats.asked) == 16
    ahead = room.compare._prepared._ahead
    assert ahead is not None and not ahead.done()
    with activity.chat():
        await until(lambda: room.chats.hangups == 14)
    await until(ahead.done)
    assert len(room.chats.asked) == 16


async def test_the_next_pair_is_generated_while_the_user_reads_the_first(room: Classroom) -> None:
    proposal = await waiting(room)
    comparison = await shown(room, proposal)
    await until(lambda: len(room.chats.asked) == 4)
    await room.compare.pick(proposal.id, comparison.pair, by_the_skill(comparison))
    room.chats.hanging = True  # nothing is generated any more
    second = await asyncio.wait_for(shown(room, proposal), PATIENCE_S)
    assert second.pair != comparison.pair
    stored = room.proposals.shown_pair(proposal.id)
    assert stored is not None and stored.pair.seed == room.chats.asked[2].sampling.seed


async def test_a_pair_that_is_being_generated_ahead_is_waited_for(room: Classroom) -> None:
    proposal = await waiting(room)
    comparison = await shown(room, proposal)
    await room.compare.pick(proposal.id, comparison.pair, by_the_skill(comparison))
    second = await shown(room, proposal)
    assert second.pair != comparison.pair
    await until(lambda: len(room.chats.asked) == 6)
    assert len({ask.sampling.seed for ask in room.chats.asked}) == 3


async def test_a_chat_ends_what_is_generated_ahead_and_nothing_begins_it_again(
    room: Classroom,
) -> None:
    activity = Activity(room.clock)
    room.compare._prepared._quiet = QuietTimes(activity, after_s=lambda: 0.0)
    proposal = await waiting(room)
    comparison = await shown(room, proposal)
    room.chats.hanging = True
    await until(lambda: len(room.chats.asked) > 2)
    asked, ahead = len(room.chats.asked), room.compare._prepared._ahead
    assert ahead is not None
    with activity.chat():
        await until(lambda: room.chats.hangups)
    await until(ahead.done)
    assert len(room.chats.asked) == asked
    room.chats.hanging = False
    await room.compare.pick(proposal.id, comparison.pair, by_the_skill(comparison))
    assert (await shown(room, proposal)).pair != comparison.pair


async def test_another_candidate_ends_what_is_generated_ahead_for_the_last_one(
    room: Classroom,
) -> None:
    first = await waiting(room)
    second = await waiting(room, text=replace(MENU, name="soup-first"))
    await shown(room, first)
    room.chats.hanging = True
    await until(lambda: len(room.chats.asked) > 2)
    room.chats.hanging = False
    assert room.chats.hangups == 0
    await shown(room, second)
    await until(lambda: room.chats.hangups)


async def test_what_cannot_be_generated_ahead_is_told_to_who_waits_for_it(room: Classroom) -> None:
    proposal = await waiting(room)
    comparison = await shown(room, proposal)
    room.chats.failure = UpstreamDown("Ollama does not answer.")
    await until(lambda: len(room.chats.asked) > 2)
    await room.compare.pick(proposal.id, comparison.pair, by_the_skill(comparison))
    with pytest.raises(UpstreamDown):
        await room.compare.next(proposal.id)
    room.chats.failure = None
    assert (await shown(room, proposal)).pair != comparison.pair


async def test_a_request_that_is_refused_does_not_undo_the_preparation(room: Classroom) -> None:
    room.stages = lambda _: room.stage(pairs_at_once=4)
    proposal = await waiting(room)
    refused = room.served(proposal.failures[0]).asked
    answers = room.chats.answers[0]
    assert callable(answers)
    refusal = RequestError("A message has an image that Lull does not keep.", status=400)
    room.chats.answers = [lambda ask: refusal if ask.newest == refused else answers(ask)]
    asked = []
    for _ in range(4):
        comparison = await shown(room, proposal)
        asked.append(len(room.chats.asked))
        await room.compare.pick(proposal.id, comparison.pair, by_the_skill(comparison))
    # At first all four, then only what was not there; the next pair is made beside that.
    assert asked[0] <= 14 and asked[-1] <= 26
    assert sum(ask.newest == refused for ask in room.chats.asked) <= 4


async def test_an_error_of_a_later_request_does_not_hold_up_the_first(room: Classroom) -> None:
    room.stages = lambda _: room.stage(pairs_at_once=4)
    proposal = await waiting(room)
    answers, asked = room.chats.answers[0], 0
    assert callable(answers)

    def fails_once(ask: ChatAsk) -> object:
        nonlocal asked
        asked += 1
        return UpstreamDown("Nobody is there.") if asked == 6 else answers(ask)

    room.chats.answers = [fails_once]  # type: ignore[list-item]
    for _ in range(6):
        comparison = await shown(room, proposal)
        await room.compare.pick(proposal.id, comparison.pair, by_the_skill(comparison))
    assert room.now(proposal).status is ProposalStatus.PROVED


async def test_answers_that_wait_are_generated_anew_where_the_prompt_is_another_now(
    room: Classroom,
) -> None:
    room.stages = lambda _: room.stage(pairs_at_once=4)
    proposal = await waiting(room)
    comparison = await shown(room, proposal)
    await room.compare.pick(proposal.id, comparison.pair, by_the_skill(comparison))
    assert len(room.chats.asked) == 8
    room.stages = lambda _: room.stage(pairs_at_once=4, system="Answer in one line.")
    await shown(room, proposal)
    assert len(room.chats.asked) == 16
    assert "Answer in one line." in room.chats.asked[-1].messages[0].text


async def test_both_answers_of_a_pair_are_made_under_one_seed_like_those_of_a_proof(
    room: Classroom,
) -> None:
    proposal = await waiting(room)
    await picks(room, proposal, by_the_skill, 4)
    asked = room.chats.asked
    seeds = [ask.sampling.seed for ask in asked]
    assert seeds[::2] == seeds[1::2]
    assert len(set(seeds)) == 5  # those of the next pair too
    assert [told(ask) for ask in asked[:2]] == [False, True]


async def test_nothing_but_the_toss_says_which_answer_comes_first(room: Classroom) -> None:
    """Ids, seeds and hashes are the same whichever answer the toss puts first."""
    proposal = await waiting(room)
    seen = []
    for first in (True, False):
        room.with_first = [first]
        comparison = await shown(room, proposal)
        stored = room.proposals.shown_pair(proposal.id)
        assert stored is not None and stored.with_first is first
        seen.append((stored.pair, {comparison.a, comparison.b}, comparison.a == RIGHT))
        await room.restart()
    assert seen[0][:2] == seen[1][:2]
    assert [one[2] for one in seen] == [True, False]


async def test_a_pick_after_a_crash_counts(room: Classroom) -> None:
    room.with_first = [True]
    proposal = await waiting(room)
    comparison = await shown(room, proposal)
    await room.restart()
    await room.compare.pick(proposal.id, comparison.pair, by_the_skill(comparison))
    (pair,) = room.proposals.pairs(proposal.id)
    assert (pair.without, pair.with_, pair.scored_by) == (0.0, 1.0, BY_USER)
    with pytest.raises(Conflict, match="not open any more"):
        await room.compare.pick(proposal.id, comparison.pair, Pick.A)


async def test_who_asks_again_after_a_crash_is_shown_the_same_request_anew(
    room: Classroom,
) -> None:
    proposal = await waiting(room)
    before = await shown(room, proposal)
    await room.restart()
    after = await shown(room, proposal)
    assert after.pair != before.pair
    assert after.request == before.request
    with pytest.raises(Conflict):
        await room.compare.pick(proposal.id, before.pair, Pick.A)
    assert room.proposals.pairs(proposal.id) == []


async def test_answers_that_are_the_same_are_not_shown(room: Classroom) -> None:
    proposal = await waiting(room)
    alike = iter(range(4))
    room.chats.answers = [
        lambda ask: WRONG if next(alike, None) is not None or not told(ask) else RIGHT
    ]
    asked = await room.compare.next(proposal.id)
    assert asked.alike == 2 and asked.comparison is not None
    assert {p.scored_by for p in room.proposals.pairs(proposal.id)} == {SAME_WORDS}


async def test_a_skill_that_changes_no_word_is_not_better(room: Classroom) -> None:
    proposal = await waiting(room)
    room.chats.answers = [WRONG]
    asked = await room.compare.next(proposal.id)
    assert (asked.comparison, asked.alike) == (None, 6)
    after = room.now(proposal)
    assert (after.status, after.needs_picks) == (ProposalStatus.UNPROVED, False)
    assert after.reason == "not better: both answers were the same, word for word, 6 times"


async def test_a_request_that_cannot_be_sent_again_is_passed_over(room: Classroom) -> None:
    proposal = await waiting(room)
    refused = menus(3)[:2]

    def answers(ask: ChatAsk) -> str | RequestError:
        if ask.newest in refused:
            return RequestError("too long", status=413)
        return RIGHT if told(ask) else WRONG

    room.chats.answers = [answers]
    assert (await shown(room, proposal)).request == menus(3)[2]


async def test_a_model_that_is_away_is_said_and_loses_nothing(room: Classroom) -> None:
    proposal = await waiting(room)
    comparison = await shown(room, proposal)
    room.stages = lambda _: None
    await room.compare.pick(proposal.id, comparison.pair, Pick.A)
    assert len(room.proposals.pairs(proposal.id)) == 1
    with pytest.raises(Conflict, match="does not answer now"):
        await room.compare.next(proposal.id)


async def test_a_pair_whose_proposal_was_edited_is_not_counted(room: Classroom) -> None:
    proposal = await waiting(room)
    comparison = await shown(room, proposal)
    await room.review.edit(proposal.id, body="When you write a menu, join with stars.")
    with pytest.raises(Conflict, match="not open any more"):
        await room.compare.pick(proposal.id, comparison.pair, Pick.A)


@pytest.mark.parametrize(
    "status",
    [ProposalStatus.QUARANTINED, ProposalStatus.DEFERRED, ProposalStatus.PROVED],
)
async def test_what_is_quarantined_put_off_or_proved_is_not_compared(
    room: Classroom, status: ProposalStatus
) -> None:
    proposal = await room.proposes(failures=tuple(await room.failed(*menus(1))), status=status)
    with pytest.raises(Conflict, match="nothing to compare"):
        await room.compare.next(proposal.id)
    assert room.chats.asked == []


async def test_what_only_retires_is_not_compared(room: Classroom) -> None:
    skill = await room.approved()
    proposal = await room.proposes(kind=ProposalKind.RETIRE, base_sha256=skill.sha256)
    with pytest.raises(Conflict):
        await room.compare.next(proposal.id)


async def test_picks_beside_a_proof_use_other_seeds(room: Classroom) -> None:
    room.judge = ScriptedJudge(lambda q: (GOOD if "|" in q.answer.text else BAD,) * 3)
    proposal = await room.proposes(failures=tuple(await room.failed(*menus(1))))
    comparison = await shown(room, proposal)
    assert await room.prove._replay_next(proposal.id)
    await room.compare.pick(proposal.id, comparison.pair, by_the_skill(comparison))
    pairs = room.proposals.pairs(proposal.id)
    assert [p.scored_by for p in pairs] == ["judge:judge-1", BY_USER]
    assert len({p.seed for p in pairs}) == 2


async def test_after_the_users_picks_past_successes_are_replayed_by_who_can_score_them(
    room: Classroom,
) -> None:
    good = await room.plays("Please tell a joke", '{"a": 1}', format='"json"')
    await room.rate(good[0], Label.GOOD)
    proposal = await waiting(room, successes=tuple(good))
    room.chats.answers = [
        lambda ask: '{"a": 1}' if "joke" in ask.newest else RIGHT if told(ask) else WRONG
    ]
    after = await picks(room, proposal, by_the_skill, 6)
    assert after.status is ProposalStatus.PROVING
    while await room.prove.slice():
        pass
    assert room.status(proposal) is ProposalStatus.PROVED
    assert "past successes stayed good" in room.now(proposal).reason


async def test_asking_for_the_proof_again_keeps_the_picks(room: Classroom) -> None:
    proposal = await waiting(room)
    await picks(room, proposal, by_the_skill, 2)
    await room.prove.restart_proof(proposal.id)
    assert room.status(proposal) is ProposalStatus.SCREENED
    await room.prove.slice()
    assert room.now(proposal).needs_picks
    assert len(room.proposals.pairs(proposal.id)) == 2


async def test_a_judge_who_comes_later_leaves_the_picks_and_another_model_does_not(
    room: Classroom,
) -> None:
    proposal = await waiting(room)
    await picks(room, proposal, by_the_skill, 2)
    room.judge = ScriptedJudge()
    await picks(room, proposal, by_the_skill, 1)
    assert len(room.proposals.pairs(proposal.id)) == 3
    room.stages = lambda _: room.stage(digest="sha256:other")
    await picks(room, proposal, by_the_skill, 1)
    assert len(room.proposals.pairs(proposal.id)) == 1


# Scope and check


async def test_another_scope_is_another_text_with_the_same_proof(room: Classroom) -> None:
    proposal = await waiting(room)
    proved = await picks(room, proposal, by_the_skill, 6)
    await room.review.edit(proposal.id, scope=Scope.ALL)
    now = room.now(proposal)
    assert (now.scope, now.text.metadata["scope"]) == (Scope.ALL, "all")
    assert now.sha256 != proved.sha256
    assert (now.status, len(room.proposals.pairs(proposal.id))) == (ProposalStatus.PROVED, 6)
    assert recheck(room.prove.evidence(now).decode(), skill_sha256=now.sha256) == []
    with pytest.raises(Conflict, match="is not the one you read"):
        await room.review.approve(proposal.id, sha256=proved.sha256)
    await room.review.edit(proposal.id, scope=Scope.KIND)
    assert room.now(proposal).sha256 == proved.sha256
    with pytest.raises(Conflict, match="already has exactly this text"):
        await room.review.edit(proposal.id, scope=Scope.KIND)


async def test_a_scope_that_changes_between_pair_and_pick_loses_neither(room: Classroom) -> None:
    proposal = await waiting(room)
    comparison = await shown(room, proposal)
    await room.review.edit(proposal.id, scope=Scope.ALL)
    await room.compare.pick(proposal.id, comparison.pair, Pick.A)
    assert len(room.proposals.pairs(proposal.id)) == 1


async def test_another_check_takes_the_verdicts_of_the_old_one_away(room: Classroom) -> None:
    proposal = await waiting(room, check=WORDS_CHECK)
    await picks(room, proposal, by_the_skill, 2)
    checked = replace(room.proposals.pairs(proposal.id)[0], seed=7, scored_by="verifier:check")
    assert await room.proposals.advance(room.now(proposal), checked)
    await room.review.edit(proposal.id, check="")
    now = room.now(proposal)
    assert (now.check, now.status, now.ground) == ("", ProposalStatus.SCREENED, None)
    assert room.proposals.pairs(proposal.id) == []


async def test_a_first_check_keeps_the_picks_and_proves_anew(room: Classroom) -> None:
    proposal = await waiting(room)
    await picks(room, proposal, by_the_skill, 2)
    await room.review.edit(proposal.id, check=WORDS_CHECK)
    now = room.now(proposal)
    assert json.loads(now.check) == json.loads(WORDS_CHECK)
    assert (now.status, now.needs_picks) == (ProposalStatus.SCREENED, False)
    assert len(room.proposals.pairs(proposal.id)) == 2


async def test_a_scope_switched_in_quarantine_stays_there(room: Classroom) -> None:
    proposal = await room.proposes(status=ProposalStatus.QUARANTINED, reason="a link")
    await room.review.edit(proposal.id, scope=Scope.ALL)
    now = room.now(proposal)
    assert (now.status, now.reason, now.scope) == (
        ProposalStatus.QUARANTINED,
        "a link",
        Scope.ALL,
    )
