"""Tests of measuring what an approved skill does, by answering past requests again without it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lull.core.errors import LullError
from lull.core.proof.in_use import MeasuredBy, UseRule
from lull.core.proof.pairs import PairPart
from lull.core.proof.rules import HoldoutRule
from lull.core.skills.skill import ChangeKind, SkillKey, SkillStatus
from lull.loops.chat.serving import Serving
from lull.store.proof.use_replays import UseReplayResults, use_key
from tests.building import ANYBODY, answer, chat, prompt_text, user
from tests.doubles.fake_chat_model import ChatAsk
from tests.loops.classroom import BAD, CHECKED, GOOD, MENU, MODEL, Classroom, ScriptedJudge

MENU_KEY = SkillKey("", "menu-style")
TOSSING = HoldoutRule(settle_uses=0, share=0.4)


@pytest.fixture(autouse=True)
def tossing(room: Classroom) -> None:
    room.holdout_rule = TOSSING


def told(ask: ChatAsk) -> bool:
    return MENU.body in str(ask.messages)


def obedient(room: Classroom) -> None:
    """Let the model join with bars where the skill says so, and otherwise with commas."""
    room.chats.answers = [lambda ask: "soup | fish" if told(ask) else "soup, fish"]


async def in_force(room: Classroom, **more: object) -> None:
    await room.approved(**more)  # type: ignore[arg-type]
    room.holdout.follow()


async def asked(room: Classroom, count: int, *, model: str = CHECKED) -> list[Serving]:
    """Play new conversations that ask for menus; return how each was served."""
    served = []
    for number in range(count):
        request = chat(user(f"write a menu for day {number}"), model=model)
        serving = await room.open(*request.messages, client=ANYBODY, request=request)
        room.serve.recorder.record(serving, answer("soup | fish"))
        room.clock.advance(1)
        served.append(serving)
    await room.settled()
    return served


async def looked(room: Classroom) -> None:
    """Do what the service does every ten minutes: find replays and let the holdout decide."""
    room.holdout.follow()
    room.holdout.set_replayable(await room.measure.find_replays(room.holdout.measured))
    await room.holdout.step()


async def lull(room: Classroom) -> int:
    """Run a lull in which all that waits is replayed; return how many replays were made."""
    await looked(room)
    done = 0
    while room.measure.waiting():
        for one in room.measure.waiting():
            done += await room.measure.slice(one.skill)
    await looked(room)
    return done


def without(served: list[Serving]) -> list[Serving]:
    return [one for one in served if MENU.body not in prompt_text(one)]


async def test_past_requests_are_answered_without_it_and_no_conversation_goes_without(
    room: Classroom,
) -> None:
    obedient(room)
    room.holdout_rule = replace(TOSSING, settle_uses=10)
    await in_force(room, model=CHECKED)
    served = await asked(room, 9)
    assert await lull(room) == 9
    measure = room.holdout.measures()[MENU_KEY]
    assert measure.by is MeasuredBy.REPLAY
    assert (measure.counts.pairs, measure.counts.better, measure.counts.worse) == (9, 9, 0)
    effect = room.holdout.effects[MENU_KEY]
    assert effect.n == 9
    assert effect.low > 0
    assert without(served + await asked(room, 60)) == []


async def test_both_answers_get_the_same_request_and_seed_and_differ_in_the_skill_alone(
    room: Classroom,
) -> None:
    obedient(room)
    await in_force(room, model=CHECKED)
    room.holdout_rule = replace(TOSSING, share=0.0)
    await asked(room, 3)
    await lull(room)
    first, second = room.chats.asked[:2]
    assert first.sampling.seed == second.sampling.seed
    assert first.messages[-1] == second.messages[-1]
    assert [told(one) for one in (first, second)] == [False, True]


async def test_each_request_is_replayed_once_also_after_a_restart(room: Classroom) -> None:
    obedient(room)
    await in_force(room, model=CHECKED)
    room.holdout_rule = replace(TOSSING, share=0.0)
    await asked(room, 4)
    assert await lull(room) == 4
    assert await lull(room) == 0
    await room.restart()
    assert await lull(room) == 0
    await asked(room, 2)
    assert await lull(room) == 2


async def test_a_skill_that_makes_answers_worse_is_retired_without_any_coin(
    room: Classroom,
) -> None:
    room.chats.answers = [lambda ask: "soup, fish" if told(ask) else "soup | fish"]
    await in_force(room, model=CHECKED)
    room.holdout_rule = replace(TOSSING, share=0.0)
    await asked(room, 20)
    await lull(room)
    assert room.library.get(MENU_KEY).status is SkillStatus.DISABLED
    ((name, why),) = room.retired
    assert name == "menu-style"
    assert "go better without it" in why


async def test_what_taught_nothing_new_is_not_taken_from_training(room: Classroom) -> None:
    obedient(room)
    await in_force(room, model=CHECKED)
    room.holdout_rule = replace(TOSSING, share=0.0)
    served = await asked(room, 4)
    await lull(room)
    assert room.proposals.support([one.stamp.turn for one in served]) == set()


# Where replays cannot tell


async def test_where_nothing_can_score_a_replay_the_coin_is_tossed(room: Classroom) -> None:
    await in_force(room)
    await asked(room, 12, model=MODEL)
    await looked(room)
    assert room.measure.waiting() == []
    assert room.holdout.measures()[MENU_KEY].by is MeasuredBy.COIN
    assert room.holdout.measures()[MENU_KEY].share == 0.4
    assert without(await asked(room, 40, model=MODEL))


async def test_where_too_few_requests_can_be_scored_the_coin_is_tossed(room: Classroom) -> None:
    obedient(room)
    room.holdout_rule = replace(TOSSING, use=UseRule(least_requests=5))
    await in_force(room, model=CHECKED)
    room.holdout_rule = replace(room.holdout_rule, settle_uses=4)
    await asked(room, 4)
    await looked(room)
    assert room.holdout.measures()[MENU_KEY].by is MeasuredBy.COIN
    assert room.measure.waiting() == []


async def test_a_judge_that_never_says_anything_leaves_it_to_the_coin(room: Classroom) -> None:
    room.judge = ScriptedJudge(says=lambda _: (GOOD, BAD))
    room.holdout_rule = replace(TOSSING, settle_uses=6)
    await in_force(room)
    await asked(room, 6, model=MODEL)
    await looked(room)
    assert room.holdout.measures()[MENU_KEY].by is MeasuredBy.REPLAY
    await lull(room)
    assert room.holdout.measures()[MENU_KEY].by is MeasuredBy.COIN


async def test_a_judge_who_knows_what_was_wished_for_makes_the_coin_needless(
    room: Classroom,
) -> None:
    obedient(room)
    room.judge = ScriptedJudge(says=lambda q: ((GOOD if "|" in q.answer.text else BAD),) * 3)
    await in_force(room)
    room.holdout_rule = replace(TOSSING, settle_uses=6)
    served = await asked(room, 6, model=MODEL)
    await lull(room)
    assert room.holdout.measures()[MENU_KEY].counts.better == 6
    assert without(served + await asked(room, 40, model=MODEL)) == []


async def test_a_skill_whose_proof_was_scored_by_replays_needs_no_coin_from_the_start(
    room: Classroom,
) -> None:
    obedient(room)
    failures = tuple(await room.failed("write a menu for Monday", model=CHECKED))
    proposal = await room.proposes(model=CHECKED, failures=failures)
    while await room.prove.slice():
        pass
    await room.review.approve(proposal.id)
    room.holdout.follow()
    assert room.holdout.measures()[MENU_KEY].by is MeasuredBy.REPLAY
    assert without(await asked(room, 40)) == []


# The first conversations


async def test_the_first_ten_conversations_after_an_approval_always_have_it(
    room: Classroom,
) -> None:
    room.holdout_rule = HoldoutRule(share=0.99)
    await in_force(room)
    served = await asked(room, 11, model=MODEL)
    assert without(served) == served[10:]


async def test_a_text_approved_anew_gets_its_own_first_ten(room: Classroom) -> None:
    room.holdout_rule = HoldoutRule(share=0.99)
    await in_force(room)
    await asked(room, 15, model=MODEL)
    await room.approve.switch(MENU_KEY, ChangeKind.DISABLE)
    await room.approve.switch(MENU_KEY, ChangeKind.ENABLE)
    room.holdout.follow()
    served = await asked(room, 11, model=MODEL)
    assert without(served) == served[10:]
    await room.restart()
    room.holdout.follow()
    assert len(without(await asked(room, 1, model=MODEL))) == 1


async def test_each_client_has_its_own_first_ten(room: Classroom) -> None:
    room.holdout_rule = HoldoutRule(share=0.99)
    await in_force(room)
    await asked(room, 15, model=MODEL)
    other = replace(ANYBODY, name="another")
    request = chat(user("write a menu for a stranger"), model=MODEL)
    serving = await room.open(*request.messages, client=other, request=request)
    assert MENU.body in prompt_text(serving)


# Trouble


async def test_a_model_that_is_away_loses_nothing(room: Classroom) -> None:
    obedient(room)
    await in_force(room, model=CHECKED)
    room.holdout_rule = replace(TOSSING, share=0.0)
    await asked(room, 3)
    await looked(room)
    room.chats.failure = LullError("It is away.")
    with pytest.raises(LullError, match="away"):
        await room.measure.slice(MENU_KEY)
    room.chats.failure = None
    assert await lull(room) == 3


async def test_a_model_that_is_not_there_is_asked_again_after_the_next_look(
    room: Classroom,
) -> None:
    obedient(room)
    await in_force(room, model=CHECKED)
    room.holdout_rule = replace(TOSSING, share=0.0)
    await asked(room, 3)
    room.stages = lambda _: None
    assert await lull(room) == 0
    room.stages = None
    assert await lull(room) == 3


async def test_what_was_pinned_or_left_out_of_learning_is_not_replayed(room: Classroom) -> None:
    obedient(room)
    await in_force(room, model=CHECKED)
    room.holdout_rule = replace(TOSSING, share=0.0)
    served = await asked(room, 4)
    await room.trajectories.exclude(served[0].stamp.trajectory, True, at=room.clock.now())
    assert await lull(room) == 3
    await asked(room, 4)
    await room.approve.switch(MENU_KEY, ChangeKind.PIN)
    assert await lull(room) == 0
    assert room.holdout.measures()[MENU_KEY].by is MeasuredBy.NOTHING


async def test_a_conversation_that_is_removed_takes_its_replays_along(room: Classroom) -> None:
    obedient(room)
    await in_force(room, model=CHECKED)
    room.holdout_rule = replace(TOSSING, share=0.0)
    served = await asked(room, 4)
    await lull(room)
    key = use_key(room.library.get(MENU_KEY))
    pairs = room.use_replays.replayed()[key].pairs
    assert {pair.part for pair in pairs} == {PairPart.SIBLING}
    gone = served[0].stamp.trajectory
    room.database.submit(
        lambda connection: connection.execute("DELETE FROM trajectories WHERE id = ?", (gone,))
    ).result()
    assert len(room.use_replays.replayed().get(key, UseReplayResults()).pairs) == 3
