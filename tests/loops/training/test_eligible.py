"""Tests of which turns may train weights: no support turns, and only those of today's prompts."""

from __future__ import annotations

from lull.core.chat.messages import Finish
from lull.core.skills.skill import SkillKey
from lull.loops.training.eligible import Eligible, unchanged_since
from lull.store.chat.turn_rows import Label
from tests.building import answer
from tests.loops.classroom import BAD, GOOD, MENU, NEITHER, Classroom, ScriptedJudge, menus


def why_not(room: Classroom, turn: str) -> str:
    return room.eligible.check_turns([turn])[turn].why_not


async def good(room: Classroom, asked: str) -> str:
    (turn,) = await room.plays(asked, "an answer")
    await room.rate(turn, Label.GOOD)
    return turn


async def test_a_whole_scored_turn_under_todays_skills_is_eligible(room: Classroom) -> None:
    turn = await good(room, "tell a joke about salt")
    judged = room.eligible.check_turns([turn])[turn]
    assert (judged.why_not, judged.support) == ("", False)


async def test_nobody_learns_from_what_nobody_scored(room: Classroom) -> None:
    (turn,) = await room.plays("tell a joke about salt", "haha")
    await room.score.read_new()
    assert why_not(room, turn) == "not scored yet"


async def test_what_broke_off_is_not_learned_from(room: Classroom) -> None:
    (turn,) = await room.plays("tell a joke about salt", answer("ha", finish=Finish.HANGUP))
    await room.rate(turn, Label.GOOD)
    assert why_not(room, turn) == "the answer is incomplete"


async def test_what_taught_a_skill_and_what_is_much_like_it_never_trains(room: Classroom) -> None:
    failures = await room.failed(menus(1)[0])
    twin = await good(room, f"{menus(1)[0]}!")
    other = await good(room, "tell a joke about salt")
    proposal = await room.proposes(failures=tuple(failures))
    for _ in range(2):  # open, and approved
        judged = room.eligible.check_turns([*failures, twin, other])
        assert judged[failures[0]].support
        assert judged[failures[0]].why_not == "it was used to write or to prove a skill"
        assert judged[twin].why_not == "a similar request was used for a skill"
        assert judged[other].why_not == ""
        await room.review.approve(proposal.id) if proposal.open else None
        proposal = room.now(proposal)


async def test_what_was_replayed_in_a_proof_never_trains(room: Classroom) -> None:
    room.judge = ScriptedJudge()
    success = await good(room, "tell a joke about salt")
    failures = await room.failed(menus(1)[0])
    room.chats.answers = [lambda ask: "a | b" if MENU.body in str(ask) else "a"]
    room.judge.says = lambda q: ()
    proposal = await room.proposes(failures=tuple(failures), successes=(success,))
    assert why_not(room, success) == ""
    room.judge.says = lambda q: (GOOD if q.reference or "|" in q.answer.text else BAD,) * 3
    while await room.prove.slice():
        pass
    assert success in {pair.request for pair in room.proposals.pairs(proposal.id)}
    assert why_not(room, success) == "it was used to write or to prove a skill"


async def test_what_was_rejected_taught_nothing_and_its_turns_are_free_again(
    room: Classroom,
) -> None:
    failures = await room.failed(menus(1)[0])
    proposal = await room.proposes(failures=tuple(failures))
    assert why_not(room, failures[0])
    await room.review.reject(proposal.id, reason="no")
    assert why_not(room, failures[0]) == ""
    await room.review.undo()
    assert why_not(room, failures[0])


async def test_a_turn_whose_prompt_would_get_other_skills_today_does_not_train(
    room: Classroom,
) -> None:
    turn = await good(room, menus(1)[0])
    await room.add("menu-style", MENU.description, MENU.body)
    assert why_not(room, turn) == "its prompt would get different skills today"
    await room.approve.roll_back()
    assert why_not(room, turn) == ""
    assert room.library.get(SkillKey("", "menu-style")).status != "active"


async def test_where_skills_are_not_chosen_anew_only_turns_since_the_last_change_train(
    room: Classroom,
) -> None:
    before = await good(room, "tell a joke about salt")
    await room.add("menu-style", MENU.description, MENU.body)
    after = await good(room, "tell a joke about pepper")
    since = unchanged_since(room.library.generation)
    found = Eligible(room.rewards, room.proposals, still=since).check_turns([before, after])
    assert found[before].why_not == "its prompt would get different skills today"
    assert found[after].why_not == why_not(room, before) == ""


async def test_a_score_in_the_grey_zone_is_masked(room: Classroom) -> None:
    room.judge = ScriptedJudge(lambda _: (NEITHER,) * 3)
    (turn,) = await room.plays("tell a joke about salt", "haha")
    await room.score.read_new()
    await room.ask_judge.step(hurry=True)
    assert why_not(room, turn) == "its score is too uncertain"


async def test_what_the_user_keeps_out_teaches_nothing_and_is_let_in_again(room: Classroom) -> None:
    turn = await good(room, "tell a joke about salt")
    (failed,) = await room.failed(menus(1)[0])
    for name in (turn, failed):
        conversation = room.trajectories.turn(name).trajectory
        await room.trajectories.exclude(conversation, True, at=room.clock.now())
    judged = room.eligible.check_turns([turn])[turn]
    assert judged.why_not == judged.why_no_prompt == "you keep its conversation out of learning"
    model = room.trajectories.turn(turn).model
    assert room.rewards.failures(below=0.5, limit=9) == []
    assert room.rewards.successes(owner="", model=model, above=0.5, limit=9) == []
    assert room.rewards.recent(owner="", model=model, limit=9) == []
    conversation = room.trajectories.turn(turn).trajectory
    await room.trajectories.exclude(conversation, False, at=room.clock.now())
    assert why_not(room, turn) == ""
    assert len(room.rewards.recent(owner="", model=model, limit=9)) == 1
