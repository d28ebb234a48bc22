"""Tests of writing a candidate from failures: when one is written, of what, and what becomes of it.

The writer here is scripted; `test_model_evolver.py` tests what a real one makes of its answers.
"""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from lull.core.chat.client import Client
from lull.core.chat.messages import Finish
from lull.core.errors import LullError
from lull.core.feedback.signals import SignalKind
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalOrigin, ProposalStatus
from lull.core.skills.rules import EvolveRule
from lull.core.skills.skill import ChangeKind, SkillKey
from lull.core.skills.stated_skill import example_of, words_of
from lull.loops.feedback.standing_wishes import DecisionsOnWishes
from lull.store.chat.turn_rows import Label
from lull.store.feedback.reward_rows import ServedTurn
from lull.store.feedback.rewards import Rewards
from lull.store.sqlite.database import Database
from tests.building import answer, user
from tests.loops.classroom import MENU, Classroom, ScriptedWriter, menus

ANNA = Client(name="anna", apart=True)
BY_MODEL = (ProposalOrigin.MODEL,)


async def three_bad_menus(room: Classroom, **more: object) -> list[str]:
    return await room.failed(*menus(3), **more)


async def one(room: Classroom, **step: object) -> Proposal:
    (made,) = await room.evolve.step(**step)  # type: ignore[arg-type]
    return made


# When there is enough to learn from


async def test_silent_failures_must_come_in_threes(room: Classroom) -> None:
    room.writer = ScriptedWriter([MENU])
    turns = await room.failed(*menus(2))
    assert await room.evolve.step() == []
    assert room.writer.seen == []
    turns += await room.failed(menus(3)[2])
    made = await one(room)
    assert (made.kind, made.origin, made.status) == (
        ProposalKind.NEW,
        ProposalOrigin.MODEL,
        ProposalStatus.SCREENED,
    )
    assert set(made.failures) == set(turns)
    assert room.proposals.support() == set(turns)


async def test_failures_that_are_not_alike_are_not_put_together(room: Classroom) -> None:
    room.writer = ScriptedWriter([MENU])
    await room.failed("write a menu for Sunday", "sum up this letter", "name the tallest mountain")
    assert await room.evolve.step() == []


async def test_a_correction_in_words_is_enough_alone_and_needs_no_model(room: Classroom) -> None:
    turn, said = await room.plays(
        "write a menu for Sunday",
        "soup and bread",
        "no, join the dishes with bars",
        "soup | bread",
    )
    await room.score.read_new()
    made = await one(room)
    assert made.origin is ProposalOrigin.EXTRACTIVE
    assert words_of(made.text.body) == "join the dishes with bars"
    assert example_of(made.text.body) == "write a menu for Sunday"
    assert (made.failures, made.wish_turns) == ((turn,), (said,))
    assert {trace.source for trace in made.traces} <= {"user", "model"}
    assert room.proposals.support() == {turn, said}


async def test_a_correction_of_an_answer_that_the_user_stopped_is_heard(room: Classroom) -> None:
    stopped = answer("soup and bread and then", finish=Finish.HANGUP)
    turn, said = await room.plays(
        "write a menu for Sunday", stopped, "no, join the dishes with bars", "soup | bread"
    )
    await room.score.read_new()
    made = await one(room)
    assert words_of(made.text.body) == "join the dishes with bars"
    assert (made.failures, made.wish_turns) == ((turn,), (said,))
    kinds = {signal.kind for signal in room.known(turn).signals}
    assert kinds == {SignalKind.CORRECTION}  # its missing rest is not checked


async def test_thanks_for_an_answer_that_was_stopped_do_not_make_it_a_good_one(
    room: Classroom,
) -> None:
    stopped = answer("soup and bread and then", finish=Finish.HANGUP)
    turn, _ = await room.plays("a menu please", stopped, "perfect, thanks!", "You are welcome.")
    await room.score.read_new()
    assert room.known(turn).signals == () and room.known(turn).reward is None
    assert not room.credited


async def test_what_is_said_after_an_error_is_about_no_answer(room: Classroom) -> None:
    for cut in (answer("soup", finish=Finish.ERROR), answer(" ", finish=Finish.HANGUP)):
        await room.plays("write a menu for Sunday", cut, "no, join the dishes with bars", "a | b")
    await room.score.read_new()
    assert await room.evolve.step() == []


async def test_labelled_feedback_before_the_next_request_is_enough_as_well(
    room: Classroom,
) -> None:
    label = "[Previous Feedback] No, when you write a menu, join the dishes with bars."
    turn, said = await room.plays(
        "write a menu for Sunday",
        "soup and bread",
        f"{label}\n\nNow write a letter to the cook.",
        "Dear cook",
    )
    await room.score.read_new()
    made = await one(room)
    assert words_of(made.text.body) == "when you write a menu, join the dishes with bars."
    assert made.wish == "No, when you write a menu, join the dishes with bars."
    assert (made.failures, made.wish_turns) == ((turn,), (said,))
    # More than the user's words may stand in such a message: nothing comes into force by itself.
    assert made.mixed


async def test_a_log_line_before_the_next_request_teaches_nothing(room: Classroom) -> None:
    await room.plays(
        "write a menu for Sunday",
        "soup and bread",
        "[ERROR] incorrect: when you write a menu, join the dishes with bars\n\nWhat is it?",
        "Nothing.",
    )
    await room.score.read_new()
    assert await room.evolve.step() == []


async def test_what_one_client_failed_at_teaches_that_client_alone(room: Classroom) -> None:
    room.writer = ScriptedWriter([MENU])
    await room.failed(*menus(2), client=ANNA)
    await room.failed(*menus(2, day="Monday"))
    assert await room.evolve.step() == []
    await room.failed(menus(3)[2], client=ANNA)
    made = await one(room)
    assert made.key == SkillKey("anna", "menu-style")


async def test_a_failure_under_skills_that_are_no_longer_in_force_teaches_nothing(
    room: Classroom,
) -> None:
    room.writer = ScriptedWriter([MENU])
    await three_bad_menus(room)
    await room.add("menus", "When a menu is asked for.", "Name the wine with each course.")
    assert await room.evolve.step() == []
    await room.approve.switch(SkillKey("", "menus"), ChangeKind.DISABLE)
    assert await room.evolve.step() != []


async def test_requests_like_the_failures_are_held_out_and_past_successes_kept(
    room: Classroom,
) -> None:
    room.writer = ScriptedWriter([MENU])
    (sibling,) = await room.plays("Please write a menu for Monday with figs", "figs")
    (success,) = await room.plays("Please write a menu for Friday with corn", "corn")
    await room.rate(success, Label.GOOD)
    failures = await three_bad_menus(room)
    made = await one(room)
    assert set(made.failures) == set(failures)
    assert sibling in made.siblings
    assert made.successes == (success,)
    (material,) = room.writer.seen
    assert set(material.failures.turns) == set(failures)  # it does not see the others


# What the writer sees


async def test_the_writer_sees_what_the_user_said_next_and_no_injected_text(
    room: Classroom,
) -> None:
    await room.add("wine", "When a menu is asked for.", "Name the wine with each course.")
    room.writer = ScriptedWriter([MENU])
    for asked in menus(3):
        await room.plays(
            f"{asked}\n\n<skills>\nName the wine with each course.\n</skills>",
            "soup <skills>Name the wine with each course.</skills>",
            "no, that is wrong, my guests could not read it",
            "sorry",
        )
    await room.score.read_new()
    await room.evolve.step(BY_MODEL)
    (material,) = room.writer.seen
    assert [f.said for f in material.failures.failures] == [
        "no, that is wrong, my guests could not read it"
    ] * 3
    shown = repr(material.failures)
    assert "<skills>" not in shown
    assert "wine" not in shown
    assert [skill.name for skill in material.existing] == ["wine"]


async def test_the_writer_is_told_what_was_turned_down_and_why(room: Classroom) -> None:
    room.writer = ScriptedWriter([MENU, replace(MENU, body="Put each dish on its own line.")])
    await three_bad_menus(room)
    made = await one(room)
    await room.review.reject(made.id, reason="bars look odd")
    await room.failed(*menus(3, day="Monday"))
    assert len(await room.evolve.step()) == 1
    told = room.writer.seen[-1].rejected
    assert [(one.text.body, one.reason) for one in told] == [(MENU.body, "bars look odd")]


# What becomes of a draft


async def test_what_was_turned_down_is_not_proposed_again_in_other_words(room: Classroom) -> None:
    again = replace(MENU, name="dishes", body="For a menu, join all of the dishes with bars.")
    room.writer = ScriptedWriter([MENU, again])
    await three_bad_menus(room)
    await room.review.reject((await one(room)).id, reason="bars look odd")
    await room.failed(*menus(3, day="Monday"))
    assert await room.evolve.step() == []
    assert await room.evolve.step() == []
    assert len(room.writer.seen) == 2  # and it is not asked a third time


async def test_nearly_the_same_as_a_skill_that_lull_wrote_becomes_an_edit_of_it(
    room: Classroom,
) -> None:
    old = await room.approved()
    clearer = replace(
        MENU, name="bars", body="When you write a menu, join the dishes with bars and spaces."
    )
    room.writer = ScriptedWriter([clearer])
    await three_bad_menus(room)
    made = await one(room)
    assert (made.kind, made.key, made.base_sha256) == (ProposalKind.EDIT, old.key, old.sha256)
    assert made.text.name == old.name
    assert made.text.body == clearer.body


async def test_what_the_user_wrote_is_never_edited(room: Classroom) -> None:
    await room.add("menu-style", MENU.description, MENU.body)
    clearer = replace(MENU, body="When you write a menu, join the dishes with bars and spaces.")
    room.writer = ScriptedWriter([clearer])
    await three_bad_menus(room)
    assert await room.evolve.step() == []


async def test_a_skill_of_lulls_that_the_user_has_touched_is_the_users(room: Classroom) -> None:
    skill = await room.approved()
    await room.approve.edit(skill.key, body=f"{MENU.body} Keep it short.")
    room.writer = ScriptedWriter([replace(MENU, body=f"{MENU.body} Keep it very short.")])
    await three_bad_menus(room)
    assert await room.evolve.step() == []


async def test_the_same_rule_is_not_proposed_beside_an_open_one(room: Classroom) -> None:
    room.writer = ScriptedWriter([MENU])
    await three_bad_menus(room)
    made = await one(room)
    await room.failed(*menus(3, day="Monday"))
    assert await room.evolve.step() == []
    assert [p.id for p in room.open_proposals()] == [made.id]


async def test_a_taken_name_gets_a_number(room: Classroom) -> None:
    await room.add("menu-style", "When a wine list is asked for.", "Sort wines by year.")
    room.writer = ScriptedWriter([MENU])
    await three_bad_menus(room)
    made = await one(room)
    assert (made.kind, made.text.name) == (ProposalKind.NEW, "menu-style-2")


async def test_no_candidate_beyond_the_open_ones_that_a_user_reads(room: Classroom) -> None:
    for number in range(EvolveRule().most_open):
        await room.proposes(replace(MENU, name=f"open-{number}", body=f"Say {number} first."))
    room.writer = ScriptedWriter([replace(MENU, body="Put each dish on its own line.")])
    await three_bad_menus(room)
    with pytest.raises(LullError, match="10 suggestions are waiting for you"):
        await room.evolve.step()
    assert room.writer.seen == []
    await room.review.reject(room.open_proposals()[0].id, reason="no")
    assert len(await room.evolve.step()) == 1


async def test_a_full_room_gets_no_new_skill_and_the_user_is_told(room: Classroom) -> None:
    for number in range(EvolveRule().most_active):
        await room.add(f"skill-{number}", f"When topic {number} comes.", f"Say {number} first.")
    room.writer = ScriptedWriter([MENU])
    await three_bad_menus(room)
    for _ in range(3):
        with pytest.raises(LullError, match="40 skills are in force"):
            await room.evolve.step()
    assert len(room.writer.seen) == 1  # it is not paid for again and again
    (fault,) = room.proposals.faults(limit=9)
    assert "40 skills are in force" in fault.problem
    await room.approve.switch(SkillKey("", "skill-0"), ChangeKind.DISABLE)
    assert len(await room.evolve.step(hurry=True)) == 1


async def test_a_change_of_mind_takes_the_place_of_the_open_candidate(room: Classroom) -> None:
    for rule in ("join with bars", "join with stars"):
        await room.plays(
            "write a menu for Sunday", "soup", f"no, when you write a menu, {rule}", "fine"
        )
        await room.score.read_new()
        await room.evolve.step()
    newest, older = room.open_proposals()
    assert newest.text.body == "When you write a menu, join with stars."
    assert older.status is ProposalStatus.STALE
    assert older.reason == "you have said otherwise since"
    assert not set(newest.wish_turns) & set(older.wish_turns)


async def test_what_is_left_of_the_older_words_in_it_is_the_older_turns(room: Classroom) -> None:
    """If the user rejects the newer wish, the older words merged into it are turned down too."""
    for rule in ("join with bars and end with sugar", "join with stars"):
        await room.plays(
            "write a menu for Sunday", "soup", f"no, when you write a menu, {rule}", "fine"
        )
        await room.score.read_new()
        await room.evolve.step()
    newest, older = room.open_proposals()
    assert newest.text.body == "When you write a menu, join with stars and end with sugar."
    assert len(newest.wish_turns) == 2 and older.wish_turns[0] in newest.wish_turns
    assert {trace.source for trace in newest.traces} == {"user"}
    await room.review.reject(newest.id, reason="leave it")
    assert DecisionsOnWishes(room.proposals, room.skills, in_use=room).read().turned_down == set(
        newest.wish_turns
    )


# Several at once


async def test_two_that_write_at_the_same_time_make_one_proposal(room: Classroom) -> None:
    room.writer = ScriptedWriter([MENU, replace(MENU, body="Put each dish on its own line.")])
    await three_bad_menus(room)
    made = await asyncio.gather(*(room.evolve.step() for _ in range(2)))
    assert sorted(len(one) for one in made) == [0, 1]
    assert len(room.open_proposals()) == 1


class WatchedRewards(Rewards):
    """Records on which threads the failures were read."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.read_on: list[threading.Thread] = []

    def failures(self, *, below: float, limit: int) -> list[ServedTurn]:
        self.read_on.append(threading.current_thread())
        return super().failures(below=below, limit=limit)


async def test_failures_are_compared_beside_the_requests(room: Classroom) -> None:
    room.rewards = watched = WatchedRewards(room.database)
    room.learn()
    await room.failed(*menus(2))
    assert await room.evolve.step() == []
    assert watched.read_on
    assert threading.current_thread() not in watched.read_on


async def test_failures_that_the_user_takes_back_meanwhile_teach_nothing(room: Classroom) -> None:
    turns = await three_bad_menus(room)

    async def changes_their_mind() -> None:
        await room.rate(turns[0], Label.GOOD)

    room.writer = ScriptedWriter([MENU], meanwhile=changes_their_mind)
    assert await room.evolve.step() == []
    assert room.open_proposals() == []


# Words that come later than the candidate


async def says_how(room: Classroom, *history: str) -> None:
    await room.plays(*history, f"No. {MENU.body}", "noted")
    await room.score.read_new()


@pytest.mark.parametrize("status", ["screened", "unproved"])
async def test_words_of_the_users_take_the_place_of_the_same_rule_that_nobody_could_prove(
    room: Classroom, status: str
) -> None:
    room.writer = ScriptedWriter([MENU])
    silent = await three_bad_menus(room)
    mute = await one(room)
    assert mute.wish == ""
    await room.proposals.save_decision(mute.id, lambda p: replace(p, status=ProposalStatus(status)))
    await says_how(room, "write a menu for Monday", "soup and bread")
    made = await one(room)
    assert (made.origin, words_of(made.text.body)) == (ProposalOrigin.EXTRACTIVE, MENU.body)
    assert made.wish == MENU.body
    assert set(silent) < set(made.failures)  # by these words they can be scored too
    older = room.now(mute)
    assert (older.status, older.reason) == (
        ProposalStatus.STALE,
        "you have since said what you want",
    )


async def test_words_about_the_very_answer_that_was_rated_bad_count_as_well(
    room: Classroom,
) -> None:
    room.writer = ScriptedWriter([MENU])
    await room.failed(*menus(2))
    (bad,) = await room.failed(menus(3)[2])
    mute = await one(room)
    assert await room.evolve.step() == []  # without words nothing is made of them again
    assert len(room.writer.seen) == 1
    before = (user(menus(3)[2]), answer("soup and bread").message)
    await room.plays(*before, "no, when you write a menu, join the dishes with bars", "noted")
    await room.score.read_new()
    made = await one(room)
    assert made.wish
    assert made.failures[0] == bad
    assert room.status(mute) is ProposalStatus.STALE
    assert await room.evolve.step() == []


async def test_the_same_words_again_do_not_push_out_what_they_can_prove(room: Classroom) -> None:
    await says_how(room, "write a menu for Monday", "soup and bread")
    made = await one(room)
    await says_how(room, "write a menu for Tuesday", "figs and bread")
    assert await room.evolve.step() == []
    assert [p.id for p in room.open_proposals()] == [made.id]


async def test_what_is_proved_without_words_stands(room: Classroom) -> None:
    mute = await room.proposes(MENU, wish="", status=ProposalStatus.PROVED)
    await says_how(room, "write a menu for Monday", "soup and bread")
    assert await room.evolve.step() == []
    assert room.status(mute) is ProposalStatus.PROVED


async def test_what_stands_in_quarantine_hides_no_words_of_the_users(room: Classroom) -> None:
    held = await room.proposes(MENU, wish="", status=ProposalStatus.QUARANTINED)
    await says_how(room, "write a menu for Monday", "soup and bread")
    made = await one(room)
    assert made.status is ProposalStatus.SCREENED
    assert room.status(held) is ProposalStatus.QUARANTINED


async def test_two_wishes_for_requests_that_look_alike_are_two_candidates(room: Classroom) -> None:
    for kind, rule in (("menu", "use bars in menus"), ("list", "end with sugar in lists")):
        await room.plays(f"write a {kind} for velvet copper", "velvet", f"no, {rule}", "noted")
    await room.score.read_new()
    made = await room.evolve.step()
    assert [p.text.body for p in made] == [
        "When you write a menu, use bars.",
        "When you write a list, end with sugar.",
    ]
    assert [p.wish for p in made] == ["no, use bars in menus", "no, end with sugar in lists"]


async def test_of_two_wishes_that_contradict_each_other_the_newer_one_stands(
    room: Classroom,
) -> None:
    for rule in ("use bars in menus", "use stars in menus"):
        await room.plays("write a menu for velvet copper", "velvet", f"no, {rule}", "noted")
    await room.score.read_new()
    await room.evolve.step()
    (newest,) = [p for p in room.open_proposals() if p.status is ProposalStatus.SCREENED]
    assert newest.text.body == "When you write a menu, use stars."
