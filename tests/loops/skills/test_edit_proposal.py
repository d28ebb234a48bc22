"""Tests of changing a proposal's scope: the sentence around the user's words follows, and what was
proved with the old sentence is proved again.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from lull.core.errors import LullError, UsageError
from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.proof.proposal import Proposal, ProposalOrigin, ProposalStatus, Trace
from lull.core.skills.skill import SkillText
from lull.core.skills.stated_skill import skill_of
from lull.store.skills.skill_md import render
from tests.building import prompt_text, user
from tests.loops.classroom import BAD, GOOD, MENU, Classroom, ScriptedJudge, menus

WORDS = "Join the dishes with bars."
TRACES = (Trace(sentence=WORDS, source="user", turn="turn_1", quoted=(WORDS,)),)


def stated(scope: Scope, *, asked: str = menus(1)[0]) -> SkillText:
    return skill_of(WORDS, scope=scope, kind_of_rule=RuleKind.PREFERENCE, asked=asked)


async def proposed(room: Classroom, scope: Scope = Scope.KIND, **more: object) -> Proposal:
    failures = tuple(await room.failed(*menus(2)))[::-1]
    return await room.proposes(
        stated(scope, asked=menus(2)[1]),
        **{
            "failures": failures,
            "origin": ProposalOrigin.EXTRACTIVE,
            "scope": scope,
            "traces": TRACES,
            "wish": WORDS,
            **more,
        },
    )


async def proved(room: Classroom) -> Proposal:
    room.judge = ScriptedJudge(lambda q: (GOOD if "|" in q.answer.text else BAD,) * 3)
    room.chats.answers = [lambda ask: "a | b" if WORDS in str(ask) else "a"]
    proposal = await proposed(room)
    while await room.prove.slice():
        pass
    assert room.status(proposal) is ProposalStatus.PROVED
    return room.now(proposal)


async def test_a_rule_for_every_request_names_none_in_the_prompt(room: Classroom) -> None:
    proposal = await proposed(room)
    changed = (await room.review.edit(proposal.id, scope=Scope.ALL)).proposal
    now = room.now(proposal)
    assert now == changed
    built = stated(Scope.ALL)
    assert (now.scope, now.text.description, now.text.body) == (
        Scope.ALL,
        built.description,
        built.body,
    )
    assert room.proposals.data(proposal.id) == render(now.text)
    assert (now.key.name, now.traces) == (proposal.key.name, TRACES)
    await room.review.approve(proposal.id, sha256=now.sha256)
    prompt = prompt_text(await room.open(user("What is the capital of Peru?")))
    assert WORDS in prompt and "menu" not in prompt


async def test_a_rule_for_similar_requests_names_the_newest_that_it_comes_from(
    room: Classroom,
) -> None:
    proposal = await proposed(room, Scope.ALL)
    await room.review.edit(proposal.id, scope=Scope.KIND)
    now = room.now(proposal)
    built = stated(Scope.KIND, asked=menus(2)[1])
    assert (now.scope, now.text.description, now.text.body) == (
        Scope.KIND,
        built.description,
        built.body,
    )
    await room.review.edit(proposal.id, scope=Scope.ALL)
    assert room.now(proposal).text.body == stated(Scope.ALL).body


async def test_what_was_proved_with_another_sentence_is_proved_again(room: Classroom) -> None:
    proposal = await proved(room)
    assert room.proposals.pairs(proposal.id)
    await room.review.edit(proposal.id, scope=Scope.ALL)
    now = room.now(proposal)
    assert (now.status, now.ground, now.reason) == (ProposalStatus.SCREENED, None, "")
    assert room.proposals.pairs(proposal.id) == []
    while await room.prove.slice():
        pass
    assert room.status(proposal) is ProposalStatus.PROVED


async def test_what_was_put_off_is_not_taken_back_to_the_proof_of_another_sentence(
    room: Classroom,
) -> None:
    proposal = await proved(room)
    await room.review.defer(proposal.id)
    await room.review.edit(proposal.id, scope=Scope.ALL)
    with pytest.raises(LullError, match="nothing to undo"):
        await room.review.undo()
    assert room.status(proposal) is ProposalStatus.SCREENED


async def test_nothing_changes_if_the_request_is_gone(room: Classroom) -> None:
    proposal = await proposed(room, Scope.ALL, failures=("turn_of_another_life",))
    with pytest.raises(UsageError, match="no longer stored"):
        await room.review.edit(proposal.id, scope=Scope.KIND)
    assert room.now(proposal) == proposal
    await room.review.edit(
        proposal.id, scope=Scope.KIND, description="When you write a list of dishes."
    )
    now = room.now(proposal)
    assert (now.scope, now.text.body) == (Scope.KIND, stated(Scope.ALL).body)


async def test_the_users_own_text_keeps_its_words_and_its_proof(room: Classroom) -> None:
    proposal = await room.proposes(replace(MENU, body="Use bars between dishes."))
    await room.review.edit(proposal.id, scope=Scope.ALL)
    now = room.now(proposal)
    assert (now.text.description, now.text.body) == (MENU.description, "Use bars between dishes.")


async def test_another_scope_brings_nothing_out_of_quarantine(room: Classroom) -> None:
    flags = (
        {"kind": "command", "text": "It runs a command.", "quote": WORDS, "severity": "quarantine"},
    )
    proposal = await proposed(
        room, status=ProposalStatus.QUARANTINED, flags=flags, reason="It runs a command."
    )
    await room.review.edit(proposal.id, scope=Scope.ALL)
    now = room.now(proposal)
    assert (now.status, now.flags) == (ProposalStatus.QUARANTINED, flags)
    assert now.text.body == stated(Scope.ALL).body


async def test_another_scope_and_description_at_once_bring_nothing_out_of_quarantine(
    room: Classroom,
) -> None:
    proposal = await proposed(room, status=ProposalStatus.QUARANTINED, reason="It runs a command.")
    await room.review.edit(proposal.id, scope=Scope.ALL, description="For all that I ask.")
    now = room.now(proposal)
    assert (now.status, now.reason) == (ProposalStatus.QUARANTINED, "It runs a command.")
    assert now.text.body == stated(Scope.ALL).body


async def test_another_scope_and_description_at_once_leave_the_users_words_theirs(
    room: Classroom,
) -> None:
    proposal = await proposed(room)
    await room.review.edit(proposal.id, scope=Scope.ALL, description="For all that I ask.")
    assert {trace.source for trace in room.now(proposal).traces} == {"user"}


async def test_a_text_for_similar_requests_may_name_none(room: Classroom) -> None:
    proposal = await room.proposes(stated(Scope.KIND, asked=""), scope=Scope.KIND)
    with pytest.raises(LullError, match="already has exactly this text"):
        await room.review.edit(proposal.id, scope=Scope.KIND)
    check = '{"kind": "words", "at_most": 60}'
    await room.review.edit(proposal.id, scope=Scope.KIND, check=check)
    assert room.now(proposal).check


async def test_several_checks_can_be_given_for_one_rule(room: Classroom) -> None:
    proposal = await room.proposes(stated(Scope.KIND, asked=""), scope=Scope.KIND)
    both = '{"all": [{"kind": "words", "at_most": 60}, {"kind": "no_emoji"}]}'
    await room.review.edit(proposal.id, check=both)
    assert room.now(proposal).check == both
    with pytest.raises(LullError, match="is a list of 1 to 8 checks"):
        await room.review.edit(proposal.id, check='{"all": []}')
    assert room.now(proposal).check == both


async def test_a_warning_about_the_example_goes_with_it(room: Classroom) -> None:
    flags = (
        {"kind": "risk", "text": "It names fish.", "quote": "fish 1", "severity": "note"},
        {"kind": "risk", "text": "It names bars.", "quote": "with bars", "severity": "note"},
        {"kind": "risk", "text": "It is long.", "quote": "Join the …", "severity": "note"},
    )
    proposal = await proposed(room, flags=flags)
    await room.review.edit(proposal.id, scope=Scope.ALL)
    assert room.now(proposal).flags == flags[1:]


async def test_of_two_changes_of_scope_at_once_one_is_refused(room: Classroom) -> None:
    proposal = await proposed(room)
    edits = (room.review.edit(proposal.id, scope=Scope.ALL) for _ in range(2))
    done = await asyncio.gather(*edits, return_exceptions=True)
    assert sum(isinstance(one, LullError) for one in done) == 1
    assert room.now(proposal).text.body == stated(Scope.ALL).body
