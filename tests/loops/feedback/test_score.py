"""Tests of scoring a turn: which source is believed, who is asked, and what silence means."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from lull.core.chat.messages import Completion, Finish, Message, Role, ToolCall, text_message
from lull.core.errors import UpstreamDown
from lull.core.feedback.calibration import Prior
from lull.core.feedback.judge import QuestionKind
from lull.core.feedback.reward import Source
from lull.core.feedback.rules import ScoreRule
from lull.core.feedback.signals import SignalKind
from lull.store.chat.turn_rows import Label
from tests.building import FACTS, answer, throw_older, user
from tests.loops.classroom import (
    BAD,
    CHECKED,
    GOOD,
    NEITHER,
    STUMBLING_BLOCK,
    Classroom,
    ScriptedJudge,
)

HOUR_S = 3600.0
AWAY = UpstreamDown("Nobody answers there.", hint="Start it.")


def calls(name: str = "shell", arguments: str = '{"command":"pytest"}') -> Completion:
    call = ToolCall(name=name, arguments=arguments, id="call_1")
    said = Message(role=Role.ASSISTANT, tool_calls=(call,))
    return Completion(message=said, finish=Finish.TOOL_CALLS)


def result(text: str) -> Message:
    return replace(text_message(Role.TOOL, text), tool_call_id="call_1")


async def unrated(room: Classroom) -> str:
    """Play a turn that nobody comments on, although its conversation went on; return it."""
    turn, _ = await room.plays("what is a lull", "a calm", "and a gale", "a storm")
    await room.score.read_new()
    return turn


# Who is believed


async def test_the_most_trusted_word_decides(room: Classroom) -> None:
    """The order of trust: a rating, then a format, then what the user said next, then the judge."""
    room.judge = ScriptedJudge(lambda _: (GOOD,) * 3)
    turn, _ = await room.plays(
        "list two dishes", "soup, bread", "no, that is wrong", "sorry", format='"json"'
    )
    spoken = []
    for said in (None, Label.GOOD):
        if said is not None:
            await room.rate(turn, said)
        await room.score.read_new()
        spoken.append(room.known(turn).reward)
    assert [reward and (reward.source, reward.value) for reward in spoken] == [
        (Source.VERIFIABLE, -1.0),
        (Source.EXPLICIT, 1.0),
    ]
    assert spoken[1] is not None and spoken[1].p_good > 0.9


@pytest.mark.parametrize("label", list(Label))
async def test_a_rating_of_a_checked_answer_outlives_a_restart_and_new_words(
    room: Classroom, label: Label
) -> None:
    turn, _ = await room.plays(
        "list two dishes", "soup, bread", "no, that is wrong", "sorry", format='"json"'
    )
    await room.rate(turn, label)
    room.judge = ScriptedJudge(lambda _: (GOOD,) * 3)
    await room.ask_judge.step(hurry=True)
    await room.restart()
    await room.book.recalibrate()
    reward = room.known(turn).reward
    assert reward is not None
    assert reward.source is Source.EXPLICIT
    assert (reward.value > 0) is (label is Label.GOOD)


async def test_a_rating_against_a_check_makes_the_check_less_sure_elsewhere(
    room: Classroom,
) -> None:
    wrong = []
    for dish in ("soup", "rice"):
        (turn,) = await room.plays("list two dishes", f"{dish}, bread", format='"json"')
        wrong.append(turn)
    await room.score.read_new()
    before = room.known(wrong[1]).reward
    await room.rate(wrong[0], Label.GOOD)
    after = room.known(wrong[1]).reward
    assert before is not None and after is not None
    assert after.source is Source.VERIFIABLE
    assert after.p_good > before.p_good


async def test_ratings_that_an_older_lull_left_to_a_check_are_scored_at_the_next_start(
    room: Classroom,
) -> None:
    (turn,) = await room.plays("list two dishes", "soup, bread", format='"json"')
    await room.score.read_new()
    await room.trajectories.label(turn, Label.GOOD, at=room.clock.now())
    await room.restart()
    await room.book.recalibrate()
    reward = room.known(turn).reward
    assert reward is not None
    assert (reward.source, reward.value) == (Source.EXPLICIT, 1.0)


async def test_a_rating_outranks_what_the_user_said_next_and_can_be_taken_back(
    room: Classroom,
) -> None:
    turn, _ = await room.plays("a menu please", "soup", "no, that is wrong", "sorry")
    await room.rate(turn, Label.GOOD)
    rated = room.known(turn).reward
    assert rated is not None
    assert (rated.source, rated.value) == (Source.EXPLICIT, 1.0)
    await room.rate(turn, None)
    heard = room.known(turn).reward
    assert heard is not None
    assert (heard.source, heard.value) == (Source.IMPLICIT, -1.0)


async def test_what_the_user_said_outranks_the_judge(room: Classroom) -> None:
    room.judge = ScriptedJudge(lambda _: (GOOD,) * 3)
    turn = await unrated(room)
    await room.ask_judge.step(hurry=True)
    judged = room.known(turn).reward
    assert judged is not None
    assert (judged.source, judged.value) == (Source.JUDGE, 1.0)
    await room.rate(turn, Label.BAD)
    rated = room.known(turn).reward
    assert rated is not None
    assert (rated.source, rated.value) == (Source.EXPLICIT, -1.0)
    assert room.known(turn).votes == (GOOD,) * 3  # kept: they say how far the judge is right


async def test_silence_is_missing_and_not_zero(room: Classroom) -> None:
    turn, last = await room.plays("what is a lull", "a calm", "and a gale", "a storm")
    await room.score.read_new()
    assert room.known(turn).reward is None
    assert room.known(last).reward is None
    assert await room.ask_judge.step() == 0  # there is none
    assert room.known(turn).reward is None


async def test_a_fault_of_the_surroundings_is_nobodys_failure(room: Classroom) -> None:
    turn, _ = await room.plays(
        "run the tests",
        calls(),
        result("Error: connect ETIMEDOUT 10.0.0.1:443\nexit code: 1"),
        user("no, that is wrong"),
        "Sorry.",
    )
    await room.score.read_new()
    known = room.known(turn)
    assert [signal.kind for signal in known.signals] == [SignalKind.ENVIRONMENT]
    assert known.reward is None


async def test_a_tool_that_failed_speaks_of_the_call(room: Classroom) -> None:
    turn, _ = await room.plays(
        "run the tests", calls(), result("2 failed, 3 passed in 0.1s\nexit code: 1"), "Two fail."
    )
    await room.score.read_new()
    reward = room.known(turn).reward
    assert reward is not None
    assert (reward.source, reward.value) == (Source.VERIFIABLE, -1.0)


async def test_asking_once_more_rejects_the_answer_before(room: Classroom) -> None:
    _, first = await room.plays("a menu please", "soup", "and one for Monday", "fish")
    again = [user("a menu please"), answer("soup").message, user("and one for Monday")]
    (second,) = await room.plays(*again, "rice")
    await room.score.read_new()
    rejected, kept = room.known(first), room.known(second)
    assert [signal.kind for signal in rejected.signals] == [SignalKind.REGENERATION]
    assert rejected.reward is not None
    assert rejected.reward.p_good < 0.35
    assert kept.reward is None


@pytest.mark.parametrize("finish", [Finish.LENGTH, Finish.HANGUP, Finish.ERROR])
async def test_an_answer_that_was_cut_is_not_rejected_by_asking_again(
    room: Classroom, finish: Finish
) -> None:
    cut = answer("fi", finish=finish)
    _, first = await room.plays("a menu please", "soup", "and one for Monday", cut)
    again = [user("a menu please"), answer("soup").message, user("and one for Monday")]
    (second,) = await room.plays(*again, "fish")
    await room.score.read_new()
    assert room.served(second).turn.trajectory == room.served(first).turn.trajectory
    assert room.known(first).signals == ()


async def test_each_turn_is_looked_at_once_however_many_look(room: Classroom) -> None:
    turn, _ = await room.plays("a menu please", "soup", "no, that is wrong", "sorry")
    counts = await asyncio.gather(*(room.score.read_new() for _ in range(5)))
    assert sum(counts) == 2
    assert len(room.known(turn).signals) == 1


async def test_what_went_well_with_a_skill_is_credited(room: Classroom) -> None:
    await room.add("menu-style", "When a menu is asked for.", "Join the dishes with bars.")
    turn, _ = await room.plays(
        "a menu please", "soup | fish", "perfect, thanks!", "You are welcome."
    )
    (without,) = await room.plays("what is a lull", "a calm")
    await room.rate(without, Label.GOOD)
    assert room.credited == [(turn, ["menu-style"])]


async def test_what_went_well_without_a_skill_is_remembered_as_such(room: Classroom) -> None:
    await room.add("menu-style", "When a menu is asked for.", "Join the dishes with bars.")
    (good,) = await room.plays("what is a lull", "a calm")
    (bad,) = await room.plays("what is a gale", "a fish")
    (served,) = await room.plays("a menu please", "soup | fish")
    await room.rate(good, Label.GOOD)
    await room.rate(bad, Label.BAD)
    await room.rate(served, Label.GOOD)
    assert set(room.went_without) == {good}
    assert room.credited == [(served, ["menu-style"])]


async def test_what_cannot_be_remembered_yet_is_remembered_with_the_next(room: Classroom) -> None:
    (first,) = await room.plays("what is a lull", "a calm")
    (other,) = await room.plays("what is a gale", "a wind")
    (last,) = await room.plays("what is a breeze", "a soft wind")
    room.may_credit = False
    await room.rate(first, Label.GOOD)
    await room.rate(other, Label.GOOD)
    await room.rate(other, Label.BAD)
    assert room.went_without == []
    room.may_credit = True
    await room.rate(last, Label.GOOD)
    assert room.went_without == [first, last]


async def test_what_went_well_by_what_the_weights_learned_is_credited_to_the_skill(
    room: Classroom,
) -> None:
    await room.add("menu-style", "When a menu is asked for.", "Join the dishes with bars.")
    await room.add("no-jokes", "When an answer is given.", "No jokes.", pinned=True)
    learned = frozenset(skill.sha256 for skill in room.library.skills.values())
    room.facts = lambda _: replace(FACTS, learned=learned)
    (menu,) = await room.plays("a menu please", "soup | fish")
    (other,) = await room.plays("what is a lull", "a calm")
    for turn in (menu, other):
        assert room.served(turn).turn.skills == ()
        await room.rate(turn, Label.GOOD)
    assert dict(room.credited) == {menu: ["menu-style"]}
    assert set(room.went_without) == {other}


async def test_what_stands_in_every_prompt_is_credited_with_no_request(room: Classroom) -> None:
    await room.add("no-jokes", "When an answer is given.", "No jokes.", pinned=True)
    (turn,) = await room.plays("what is a lull", "a calm")
    assert [one.name for one in room.served(turn).turn.skills] == ["no-jokes"]
    await room.rate(turn, Label.GOOD)
    assert room.credited == []
    assert set(room.went_without) == {turn}


async def test_what_merely_stood_beside_is_not_credited_where_that_can_be_told(
    room: Classroom,
) -> None:
    await room.add("menu-style", "When a menu is asked for.", "Join the dishes with bars.")
    await room.add("menu-wine", "When a menu is asked for.", "Name a wine.")
    (told,) = await room.plays("a menu please", "soup | fish", model=CHECKED)
    (not_told,) = await room.plays("a menu for Monday", "soup", model="llama3.2")
    for turn in (told, not_told):
        assert len(room.served(turn).turn.skills) == 2
        await room.rate(turn, Label.GOOD)
    credited = dict(room.credited)
    assert credited == {told: ["menu-style"], not_told: ["menu-style", "menu-wine"]}


# The judge


async def test_the_judge_is_asked_only_where_nobody_spoke(room: Classroom) -> None:
    room.judge = ScriptedJudge()
    turn = await unrated(room)
    corrected, _ = await room.plays("a menu please", "soup", "no, that is wrong", "sorry")
    await room.score.read_new()
    assert await room.ask_judge.step() == 1
    (question,) = room.judge.asked
    assert question.asks is QuestionKind.TURN
    assert question.messages[-1].text == "what is a lull"
    assert question.followup == "and a gale"
    judged, heard = room.known(turn).reward, room.known(corrected).reward
    assert judged is not None
    assert heard is not None
    assert (judged.source, heard.source) == (Source.JUDGE, Source.IMPLICIT)
    assert room.known(turn).judge == "judge-1"


async def test_the_judge_sees_what_the_tools_brought_back(room: Classroom) -> None:
    room.judge = ScriptedJudge()
    await room.plays(
        "what is in the file", calls("read_file", '{"path":"a"}'), result("salt"), "Salt."
    )
    await room.score.read_new()
    await room.ask_judge.step(hurry=True)
    asked = next(q for q in room.judge.asked if q.answer.tool_calls)
    assert [message.text for message in asked.results] == ["salt"]


async def test_the_last_answer_waits_for_its_users_next_words(room: Classroom) -> None:
    room.judge = ScriptedJudge()
    (turn,) = await room.plays("what is a lull", "a calm")
    await room.score.read_new()
    assert await room.ask_judge.step() == 0
    room.clock.advance(ScoreRule().settle_s)
    assert await room.ask_judge.step() == 1
    assert room.known(turn).reward is not None


@pytest.mark.parametrize("votes", [(), (GOOD,), (GOOD, BAD), (GOOD, BAD, NEITHER)])
async def test_no_verdict_leaves_the_turn_unscored_and_is_asked_for_again_ever_later(
    room: Classroom, votes: tuple[object, ...]
) -> None:
    room.judge = ScriptedJudge(lambda _: votes)  # type: ignore[arg-type,return-value]
    turn = await unrated(room)
    waits_h = []
    while room.known(turn).due is not None:
        due = room.known(turn).due
        assert due is not None
        waits_h.append((due - room.clock.now()) / timedelta(hours=1))
        room.clock.at = due
        await room.ask_judge.step()
        assert room.known(turn).reward is None
    assert waits_h == [0, 1, 2, 4]
    room.clock.advance(1000 * HOUR_S)
    asked = [q for q in room.judge.asked if q.answer.text == "a calm"]
    assert len(asked) == ScoreRule().tries


async def test_a_judge_that_cannot_be_asked_has_not_been_tried(room: Classroom) -> None:
    room.judge = ScriptedJudge(away=AWAY)
    turn = await unrated(room)
    for _ in range(2 * ScoreRule().tries):
        room.clock.advance(2 * HOUR_S)
        with pytest.raises(UpstreamDown):
            await room.ask_judge.step()
    assert (room.known(turn).tries, room.known(turn).reward) == (0, None)
    room.judge.away = None
    room.clock.advance(2 * HOUR_S)
    await room.ask_judge.step()
    reward = room.known(turn).reward
    assert reward is not None
    assert reward.value == 1.0


async def test_that_the_judge_is_away_is_said_as_long_as_turns_wait_for_it(
    room: Classroom,
) -> None:
    room.judge = ScriptedJudge(away=AWAY)
    turn = await unrated(room)
    for _ in range(3):  # once asked, then only waiting
        with pytest.raises(UpstreamDown):
            await room.ask_judge.step()
    assert len(room.judge.asked) == 1
    await room.rate(turn, Label.BAD)
    room.judge.away = None
    await room.ask_judge.step(hurry=True)
    assert await room.ask_judge.step() == 0


async def test_who_is_in_a_hurry_does_not_wait_for_another_try(room: Classroom) -> None:
    room.judge = ScriptedJudge(lambda _: ())
    turn = await unrated(room)
    await room.ask_judge.step()
    assert room.known(turn).tries == 1
    assert await room.ask_judge.step() == 0
    room.judge.says = lambda _: (BAD,) * 3
    assert await room.ask_judge.step(hurry=True) == 2
    reward = room.known(turn).reward
    assert reward is not None
    assert reward.value == -1.0
    assert room.quiet.hurried[-2:] == [True, True]


async def test_what_the_user_says_while_the_judge_thinks_is_not_lost(room: Classroom) -> None:
    (turn,) = await room.plays("what is a lull", "a calm")
    await room.score.read_new()

    async def rated() -> None:
        await room.rate(turn, Label.BAD)

    room.judge = ScriptedJudge(lambda _: (GOOD,) * 3, meanwhile=rated)
    await room.ask_judge.step(hurry=True)
    known = room.known(turn)
    assert known.reward is not None
    assert (known.reward.source, known.reward.value) == (Source.EXPLICIT, -1.0)
    assert known.votes == (GOOD,) * 3


async def test_some_checked_turns_are_judged_too_to_see_how_often_the_judge_is_right(
    room: Classroom,
) -> None:
    room.judge = ScriptedJudge(lambda _: (GOOD,) * 3)
    for coin, audited in ((0.05, True), (0.5, False)):
        room.coin = coin
        (turn,) = await room.plays("list two dishes", "soup, bread", format='"json"')
        await room.score.read_new()
        await room.ask_judge.step(hurry=True)
        known = room.known(turn)
        assert known.reward is not None
        assert known.reward.source is Source.VERIFIABLE
        assert bool(known.votes) is audited


async def test_ratings_teach_how_far_each_source_can_be_believed(room: Classroom) -> None:
    room.judge = ScriptedJudge(lambda _: (GOOD,) * 3)
    turns = [await unrated(room) for _ in range(12)]
    await room.ask_judge.step(hurry=True, limit=100)
    before = room.known(turns[0]).reward
    for turn in turns[1:]:  # the judge calls all of them good
        await room.rate(turn, Label.BAD)
    after = room.known(turns[0]).reward
    assert before is not None
    assert after is not None
    assert before.value == after.value == 1.0
    assert after.p_good < 0.65 < before.p_good


async def test_a_judge_is_believed_as_its_exam_says_and_others_as_before(room: Classroom) -> None:
    await room.book.recalibrate()
    before = room.book.calibration
    room.judge_belief = Prior(right=0.99, weight=50.0)
    await room.book.recalibrate()
    after = room.book.calibration
    assert after.p_good(1.0, Source.JUDGE) > before.p_good(1.0, Source.JUDGE)
    assert after.p_good(1.0, Source.IMPLICIT) == before.p_good(1.0, Source.IMPLICIT)


# What fails


@pytest.mark.logs("cannot be scored and is passed over")
async def test_a_turn_that_cannot_be_scored_does_not_stop_the_others(room: Classroom) -> None:
    await room.plays("a menu please", "soup", "no, join with bars", "x", model=CHECKED)
    await room.score.read_new()
    (bad,) = await room.plays("menu for Monday", STUMBLING_BLOCK, model=CHECKED)
    (good,) = await room.plays("menu for Friday", "rice | fish", model=CHECKED)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            await room.score.read_new()
    await room.score.read_new()
    assert room.known(bad).reward is None
    reward = room.known(good).reward
    assert reward is not None
    assert reward.value == 1.0


async def test_a_turn_that_was_deleted_meanwhile_is_no_fault(room: Classroom) -> None:
    room.judge = ScriptedJudge()
    turn = await unrated(room)

    async def deleted() -> None:
        await throw_older(room.database, room.clock.now())

    room.judge.meanwhile = deleted
    await room.ask_judge.step(hurry=True)
    assert room.rewards.served([turn]) == []
