"""Tests of which skills a stored request would get now; failures, replays and training use it."""

from __future__ import annotations

from dataclasses import replace

from lull.core.chat.client import Client
from lull.core.proof.rules import HoldoutRule
from lull.core.skills.past_requests import PastRequestScores
from lull.core.skills.skill import ChangeKind, SkillKey
from lull.loops.chat.current_selection import without_skill_text
from tests.building import assistant, system, user
from tests.loops.classroom import MENU, Classroom, menus

MENU_KEY = SkillKey("", "menu-style")
ANNA = Client(name="anna", apart=True)


async def add_menu(room: Classroom) -> None:
    await room.add("menu-style", MENU.description, MENU.body)


def still(room: Classroom, turn: str) -> bool:
    return room.current_selection.selects_same_skills(room.served(turn))


async def test_a_turn_is_of_today_as_long_as_its_prompt_would_get_the_same(
    room: Classroom,
) -> None:
    await add_menu(room)
    (menu,) = await room.plays(menus(1)[0], "soup")
    (joke,) = await room.plays("tell a joke about salt", "haha")
    await room.add("dates", "When a calendar date is written.", "Write dates as 2026-11-21.")
    assert still(room, menu)
    assert still(room, joke)
    await room.approve.edit(MENU_KEY, body="When you write a menu, be brief.")
    assert not still(room, menu)
    assert still(room, joke)
    await room.approve.roll_back()
    assert still(room, menu)


async def test_a_turn_before_the_skill_is_not_of_today_after_it(room: Classroom) -> None:
    (menu,) = await room.plays(menus(1)[0], "soup")
    assert still(room, menu)
    await add_menu(room)
    assert not still(room, menu)
    await room.approve.switch(MENU_KEY, ChangeKind.DISABLE)
    assert still(room, menu)


async def test_a_conversation_that_is_older_than_the_skill_is_not_of_today(
    room: Classroom,
) -> None:
    """Later turns of the conversation carry the new generation's number but the old prompt."""
    facts = replace(room.facts("any"), reads_suffixes=False)  # type: ignore[type-var]
    room.facts = lambda _: facts
    await room.plays(menus(1)[0], "soup")
    await add_menu(room)
    (later,) = await room.plays(
        user(menus(1)[0]), assistant("soup"), user("and one for Monday"), "fish"
    )
    turn = room.served(later).turn
    assert (turn.generation, turn.skills) == (1, ())
    assert not still(room, later)


class Remembers:
    """Fake memory of past requests that counts every request as one that this skill is for."""

    def __init__(self, skill: str) -> None:
        self._skill = skill

    def scores_by_skill(self, text: str, **_: object) -> dict[str, PastRequestScores]:
        return {self._skill: PastRequestScores(wanted=0.9, helped=0.9, among=1)}


async def test_what_was_said_is_meant_still_though_other_skills_stand_beside_it_today(
    room: Classroom,
) -> None:
    await add_menu(room)
    await room.add("dates", "When a calendar date is written.", "Write dates as 2026-11-21.")
    (menu,) = await room.plays(menus(1)[0], "soup")
    room.index.use_memory(Remembers("dates"))
    assert not still(room, menu)
    assert room.current_selection.feedback_still_applies(room.served(menu))


async def test_what_was_said_is_not_meant_of_what_was_approved_or_taken_back_since(
    room: Classroom,
) -> None:
    (before,) = await room.plays(menus(1)[0], "soup")
    await add_menu(room)
    (after,) = await room.plays(menus(2)[1], "soup")
    assert not room.current_selection.feedback_still_applies(room.served(before))
    assert room.current_selection.feedback_still_applies(room.served(after))
    await room.approve.edit(MENU_KEY, body="When you write a menu, be brief.")
    assert not room.current_selection.feedback_still_applies(room.served(after))
    await room.approve.switch(MENU_KEY, ChangeKind.DISABLE)
    assert not room.current_selection.feedback_still_applies(room.served(after))


async def test_a_conversation_that_went_without_a_skill_by_chance_is_not_of_today(
    room: Classroom,
) -> None:
    room.holdout_rule = HoldoutRule(settle_uses=0, share=0.5)
    await room.approved()
    room.holdout.follow()
    turns = [(await room.plays(asked, "soup"))[0] for asked in menus(12)]
    served = [room.served(turn) for turn in turns]
    assert {bool(one.turn.skills) for one in served} == {True, False}
    for one in served:
        assert room.current_selection.selects_same_skills(one) is bool(one.turn.skills)


async def test_what_is_not_known_of_a_model_is_not_guessed(room: Classroom) -> None:
    (before,) = await room.plays(menus(1)[0], "soup")
    room.facts = lambda _: None
    room.current_selection = type(room.current_selection)(
        room.serve.skill_selector, in_use=room, facts=lambda _: None, kinds=room.index
    )
    assert still(room, before)  # no skill is in force, whatever the model is
    await add_menu(room)
    assert room.current_selection.skills(room.served(before)) is None
    assert not still(room, before)


async def test_a_client_kept_apart_gets_only_its_own(room: Classroom) -> None:
    await add_menu(room)
    (menu,) = await room.plays(menus(1)[0], "soup", client=ANNA)
    assert room.current_selection.skills(room.served(menu)) == ()
    await room.approve.copy(MENU_KEY, to="anna")
    chosen = room.current_selection.skills(room.served(menu))
    assert chosen is not None
    assert [skill.key for skill in chosen] == [SkillKey("anna", "menu-style")]


async def test_a_later_turn_is_asked_about_by_its_conversations_first_request(
    room: Classroom,
) -> None:
    await add_menu(room)
    _, later = await room.plays(menus(1)[0], "soup", "tell a joke about salt", "haha")
    chosen = room.current_selection.skills(room.served(later))
    assert chosen is not None
    assert [skill.name for skill in chosen] == ["menu-style"]
    assert still(room, later)


def test_injected_text_is_nobodys() -> None:
    block = "<skills>\nBe brief.\n</skills>"
    assert without_skill_text(user(f"a menu\n\n{block}")).text == "a menu"
    assert without_skill_text(system(f"You cook.\n\n{block}")).text == "You cook."
    assert "brief" not in without_skill_text(assistant(f"{block} soup <skills>Be brief.")).text
