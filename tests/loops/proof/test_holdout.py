"""Tests of an approved skill in use: left out at random, retired if it harms or is not needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace

import pytest

from lull.core.proof.holdout import SURE_PART, HoldoutOutcome, Toss
from lull.core.proof.pairs import Pair, PairPart
from lull.core.proof.proposal import ProposalKind, ProposalStatus
from lull.core.proof.rules import HoldoutRule
from lull.core.skills.skill import ChangeKind, SkillKey, SkillStatus
from lull.loops.chat.serving import Serving
from lull.loops.proof.measured_skills import reward_sums
from lull.store.chat.holdout_assignments import HoldoutAssignments
from lull.store.chat.turn_rows import Label
from lull.store.sqlite.database import Database
from tests.building import answer, prompt_text, user
from tests.loops.classroom import MENU, Classroom

MENU_KEY = SkillKey("", "menu-style")
SETTLED = HoldoutRule(settle_uses=0, share=0.4)


@pytest.fixture(autouse=True)
def settled(room: Classroom) -> None:
    room.holdout_rule = SETTLED


async def in_force(room: Classroom) -> None:
    await room.approved()
    room.holdout.follow()


async def asks(room: Classroom, number: int, *, with_: str = "soup") -> Serving:
    """Open a new conversation and answer its request."""
    serving = await room.open(user(f"write a menu for day {number}"))
    room.serve.recorder.record(serving, answer(with_))
    room.clock.advance(1)
    return serving


async def many(room: Classroom, count: int = 60) -> list[Serving]:
    served = [await asks(room, number) for number in range(count)]
    await room.settled()
    return served


def left_out(served: list[Serving]) -> list[Serving]:
    return [one for one in served if not one.stamp.skills]


async def test_some_conversations_go_without_it_by_the_toss_of_a_coin(room: Classroom) -> None:
    await in_force(room)
    served = await many(room)
    without = left_out(served)
    assert 10 < len(without) < 40  # of 60 at a share of 0.4
    for one in served:
        assert (MENU.body in prompt_text(one)) is bool(one.stamp.skills)
    await room.score.read_new()
    for one in served:
        await room.rate(one.stamp.turn, Label.GOOD)
    outcomes = room.assignments.outcomes({MENU_KEY: room.library.get(MENU_KEY).sha256})
    assert len(outcomes) == len(served)
    assert {outcome.tosses[MENU_KEY].share for outcome in outcomes} == {0.4}
    assert sum(outcome.tosses[MENU_KEY].left_out for outcome in outcomes) == len(without)


async def test_a_conversation_stays_what_it_was(room: Classroom) -> None:
    await in_force(room)
    (without, *_) = left_out(await many(room))
    words = without.request.messages[0]
    later = await room.open(words, answer("soup").message, user("and another menu"))
    assert later.stamp.trajectory == without.stamp.trajectory
    assert later.stamp.skills == ()
    assert MENU.body not in prompt_text(later)


async def corrected_where_left_out(room: Classroom, words: str) -> str:
    """Play a turn without the skill, left out by chance, and the user's words on it; return it."""
    await in_force(room)
    (without, *_) = left_out(await many(room))
    asked = without.request.messages[0]
    later = await room.open(asked, answer("soup").message, user(words))
    room.serve.recorder.record(later, answer("fine"))
    await room.settled()
    await room.score.read_new()
    return without.stamp.turn


async def test_a_change_of_mind_is_heard_where_chance_left_the_skill_out_too(
    room: Classroom,
) -> None:
    turn = await corrected_where_left_out(
        room, "no, when you write a menu, join the dishes with stars"
    )
    (proposal,) = await room.evolve.step()
    assert proposal.kind is ProposalKind.EDIT
    assert (proposal.key, proposal.failures) == (MENU_KEY, (turn,))
    assert "stars" in proposal.text.body and "bars" not in proposal.text.body


async def test_what_a_skill_says_is_not_proposed_again_where_chance_left_it_out(
    room: Classroom,
) -> None:
    await corrected_where_left_out(room, f"No. {MENU.body}")
    assert await room.evolve.step() == []


async def test_a_fresh_skill_is_always_in(room: Classroom) -> None:
    room.holdout_rule = replace(SETTLED, settle_uses=25)
    await in_force(room)
    served = await many(room)
    assert left_out(served[:25]) == []
    assert left_out(served[25:])


async def test_the_uses_before_a_restart_count(room: Classroom) -> None:
    room.holdout_rule = replace(SETTLED, settle_uses=25)
    await in_force(room)
    await many(room, 25)
    await room.restart()
    room.holdout.follow()
    assert left_out(await many(room, 20))


@pytest.mark.parametrize("whose", ["written", "pinned", "touched", "share 0"])
async def test_what_is_the_users_own_is_never_left_out(room: Classroom, whose: str) -> None:
    if whose == "written":
        await room.add("menu-style", MENU.description, MENU.body)
    else:
        await room.approved()
    if whose == "pinned":
        await room.approve.switch(MENU_KEY, ChangeKind.PIN)
    elif whose == "touched":
        await room.approve.edit(MENU_KEY, body=f"{MENU.body} Keep it short.")
    elif whose == "share 0":
        room.holdout_rule = replace(SETTLED, share=0.0)
    room.holdout.follow()
    assert left_out(await many(room, 30)) == []


# Harm


async def harm(room: Classroom, count: int = 120) -> None:
    """Play conversations that go badly with the skill and well without, until Lull retires it."""
    for number in range(count):
        serving = await asks(room, number)
        await room.settled()
        await room.rate(serving.stamp.turn, Label.BAD if serving.stamp.skills else Label.GOOD)
        if number % 10 == 9:
            await room.holdout.step()
            if room.library.get(MENU_KEY).status is not SkillStatus.ACTIVE or room.open_proposals():
                return


async def test_a_skill_that_surely_harms_is_taken_out_and_the_user_is_told(
    room: Classroom,
) -> None:
    await in_force(room)
    await harm(room)
    assert room.library.get(MENU_KEY).status is SkillStatus.DISABLED
    ((name, why),) = room.retired
    assert name == "menu-style"
    assert "go better without it" in why
    assert room.skills.generations()[-1].change is ChangeKind.RETIRE
    assert MENU.body not in prompt_text(await room.open(user("write a menu")))


@pytest.mark.full
@pytest.mark.slow
async def test_a_skill_that_does_nothing_is_kept(room: Classroom) -> None:
    await in_force(room)
    for number in range(80):
        serving = await asks(room, number)
        await room.settled()
        await room.rate(serving.stamp.turn, Label.BAD if number % 2 else Label.GOOD)
    await room.holdout.step()
    assert room.library.get(MENU_KEY).status is SkillStatus.ACTIVE
    assert room.retired == []
    effect = room.holdout.effects[MENU_KEY]
    assert effect.low < 0 < effect.high
    assert effect.n == 80


@pytest.mark.full
async def test_a_skill_that_surely_helps_is_left_out_of_far_fewer_conversations(
    room: Classroom,
) -> None:
    await in_force(room)
    for number in range(60):
        serving = await asks(room, number)
        await room.settled()
        await room.rate(serving.stamp.turn, Label.GOOD if serving.stamp.skills else Label.BAD)
    assert {
        assignment.share for assignment in (await asks(room, 60)).skills.selection.assignments
    } == {0.4}
    await room.holdout.step()
    (assignment,) = (await asks(room, 61)).skills.selection.assignments
    assert assignment.share == pytest.approx(0.4 * SURE_PART)


async def test_a_skill_that_the_user_has_brought_back_is_only_proposed_for_retirement(
    room: Classroom,
) -> None:
    await in_force(room)
    await harm(room)
    await room.approve.switch(MENU_KEY, ChangeKind.ENABLE)
    for _ in range(3):
        await room.holdout.step()
    assert room.library.get(MENU_KEY).status is SkillStatus.ACTIVE
    assert len(room.retired) == 1
    (proposal,) = room.open_proposals()
    assert proposal.kind is ProposalKind.RETIRE
    assert "go better without it" in proposal.reason


class SlowAssignments(HoldoutAssignments):
    """Assignments that run `meanwhile` on the event loop's thread while they are read."""

    meanwhile: Callable[[], Coroutine[object, object, object]] | None = None

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.loop = asyncio.get_running_loop()

    def outcomes(self, texts: dict[SkillKey, str]) -> list[HoldoutOutcome]:
        found = super().outcomes(texts)
        if self.meanwhile is not None:
            asyncio.run_coroutine_threadsafe(self.meanwhile(), self.loop).result(10)
        return found


@pytest.mark.slow
async def test_no_request_waits_for_the_estimate_and_what_the_user_does_meanwhile_holds(
    room: Classroom,
) -> None:
    room.assignments_of = SlowAssignments
    await room.restart()
    await in_force(room)
    for number in range(60):
        serving = await asks(room, number)
        await room.settled()
        await room.rate(serving.stamp.turn, Label.BAD if serving.stamp.skills else Label.GOOD)

    async def pinned() -> None:
        await room.approve.switch(MENU_KEY, ChangeKind.PIN)

    assert isinstance(room.assignments, SlowAssignments)
    room.assignments.meanwhile = pinned
    await room.holdout.step()
    assert room.library.get(MENU_KEY).pinned
    assert room.library.get(MENU_KEY).status is SkillStatus.ACTIVE
    assert room.retired == []
    assert MENU_KEY in room.holdout.effects


# Unused


async def test_a_skill_that_nobody_needs_any_more_is_proposed_for_retirement_once(
    room: Classroom,
) -> None:
    await in_force(room)
    await many(room, 12)
    room.clock.advance(59 * 86400)
    await room.holdout.step()
    assert room.open_proposals() == []
    room.clock.advance(2 * 86400)
    await room.holdout.step()
    (proposal,) = room.open_proposals()
    assert (proposal.kind, proposal.status) == (ProposalKind.RETIRE, ProposalStatus.UNPROVED)
    assert "in no conversation since 2026-11-21" in proposal.reason
    assert room.library.get(MENU_KEY).status is SkillStatus.ACTIVE  # the user decides
    await room.review.reject(proposal.id, reason="at Christmas")
    await room.holdout.step()
    assert room.open_proposals() == []


async def test_a_skill_that_was_never_used_counts_from_its_approval(room: Classroom) -> None:
    await in_force(room)
    await room.holdout.step()
    assert room.open_proposals() == []
    room.clock.advance(61 * 86400)
    await room.holdout.step()
    assert [p.kind for p in room.open_proposals()] == [ProposalKind.RETIRE]


async def test_where_too_many_fit_the_users_own_keep_their_place(room: Classroom) -> None:
    await in_force(room)
    menu = room.library.get(MENU_KEY)
    own = replace(menu, name="own", sha256="of the user's own text")
    assert list(room.holdout.prefers([own, menu], 1, "a menu")) == [own]
    assert list(room.holdout.prefers([menu, own], 1, "a menu")) == [menu]
    assert list(room.holdout.prefers([menu], 1, "a menu")) == [menu]


async def test_what_fits_best_is_in_whatever_is_tried_beside_it(room: Classroom) -> None:
    await in_force(room)
    for number in range(4):
        await room.approved(replace(MENU, name=f"other-{number}", body=f"{MENU.body} {number}"))
    room.holdout.follow()
    fits = [room.library.get(SkillKey("", f"other-{number}")) for number in range(4)]
    taken = [tuple(room.holdout.prefers(fits, 2, f"menu {n}")) for n in range(30)]
    assert {chosen[0] for chosen in taken} == {fits[0]}
    assert {chosen[1] for chosen in taken} == set(fits[1:])


def test_a_skill_is_credited_with_the_trajectories_that_had_it() -> None:
    out, in_ = Toss(left_out=True, share=0.4), Toss(left_out=False, share=0.4)
    outcomes = [
        HoldoutOutcome(good=1.0, tosses={MENU_KEY: in_}),
        HoldoutOutcome(good=0.25, tosses={MENU_KEY: in_}),
        HoldoutOutcome(good=0.0, tosses={MENU_KEY: out}),
    ]
    assert reward_sums(outcomes, {}) == {MENU_KEY: (1.25, 0.75)}


def test_a_skill_is_credited_with_the_replays_that_had_it() -> None:
    pair = Pair(
        request="t", part=PairPart.SIBLING, seed=1, without=1.0, with_=0.5, scored_by="judge:1"
    )
    assert reward_sums([], {MENU_KEY: [pair]}) == {MENU_KEY: (0.5, 0.5)}
