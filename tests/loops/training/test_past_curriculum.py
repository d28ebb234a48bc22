"""Tests of training and gate material in plain language, from answers the user was content with."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.core.adapters.canary import CanaryTask
from lull.core.adapters.canary_checks import CanaryKind, CanaryRule
from lull.core.chat.client import Client
from lull.core.chat.messages import Role
from lull.core.skills.prompt_block import CLOSING, OPENING
from lull.core.skills.skill import ChangeKind, SkillKey
from lull.loops.training.past_curriculum import PastCurriculum
from lull.store.chat.turn_rows import Label
from tests.building import system, user
from tests.loops.classroom import MENU, MODEL, Classroom

LETTER = "When a letter is asked for, sign it with Jo."
CANARY = CanaryTask(
    id="json/1", family="json", prompt="say so", wanted=CanaryRule(kind=CanaryKind.EXACT)
)


@pytest.fixture
def past(room: Classroom) -> PastCurriculum:
    return PastCurriculum(
        room.rewards,
        in_use=room,
        canaries=lambda: (CANARY,),
        current_selection=room.current_selection,
    )


async def content_with(room: Classroom, *asked: str, **more: object) -> list[str]:
    turns = []
    for one in asked:
        turns += await room.plays(one, "Here it is.", **more)  # type: ignore[arg-type]
    for turn in turns:
        await room.rate(turn, Label.GOOD)
    return turns


async def test_anchors_are_requests_whose_answers_the_user_was_content_with(
    room: Classroom, past: PastCurriculum
) -> None:
    await content_with(room, "name a river", "sum up this letter")
    await room.failed("tell a joke")
    await room.plays("what is a lull", "a calm")
    prompts = past.anchors(MODEL, 9, False)
    assert {prompt[-1].text for prompt in prompts} == {"name a river", "sum up this letter"}
    assert prompts == past.anchors(MODEL, 9, False)
    assert len(past.anchors(MODEL, 1, False)) == 1


async def test_what_lull_put_in_is_not_in_an_anchor(room: Classroom, past: PastCurriculum) -> None:
    await room.add("menu-style", MENU.description, MENU.body)
    (turn,) = await content_with(room, "write a menu for Sunday")
    assert room.served(turn).turn.skills
    ((asked,),) = past.anchors(MODEL, 9, False)
    assert asked.text == "write a menu for Sunday"


async def test_with_skills_the_one_that_must_stay_followed_stands_before_most(
    room: Classroom, past: PastCurriculum
) -> None:
    await content_with(room, *(f"question {n} about trains" for n in range(40)))
    assert past.anchors(MODEL, 40, True) == []  # no skill is in force
    await room.add("menu-style", MENU.description, MENU.body)
    await room.add("letters", "When a letter is asked for.", LETTER)
    prompts = past.anchors(MODEL, 40, True, LETTER)
    assert len(prompts) == 40
    for head, asked in prompts:
        assert head.role is Role.SYSTEM and asked.role is Role.USER
        assert head.text.startswith(OPENING) and head.text.endswith(CLOSING)
    share = sum(LETTER in head.text for head, _ in prompts) / len(prompts)
    assert 0.6 < share < 1.0


async def test_the_clients_own_system_text_stays_beside_the_skill(
    room: Classroom, past: PastCurriculum
) -> None:
    turns = await room.plays(system("You are brief."), user("name a river"), "the Po")  # type: ignore[arg-type]
    await room.rate(turns[-1], Label.GOOD)
    await room.add("menu-style", MENU.description, MENU.body)
    ((head, asked),) = past.anchors(MODEL, 9, True, MENU.body)
    assert head.text.startswith("You are brief.") and MENU.body in head.text
    assert asked.text == "name a river"


async def test_a_skill_that_is_switched_off_stands_before_none(
    room: Classroom, past: PastCurriculum
) -> None:
    await content_with(room, "name a river")
    await room.add("menu-style", MENU.description, MENU.body)
    await room.approve.switch(SkillKey("", "menu-style"), ChangeKind.DISABLE)
    assert past.anchors(MODEL, 9, True) == []


async def test_fresh_requests_are_like_the_words_and_had_no_skill(
    room: Classroom, past: PastCurriculum
) -> None:
    for asked in ("write a menu for Sunday", "write a menu for Sunday", "tell a joke about salt"):
        await room.plays(asked, "so")
    assert past.fresh_requests(MODEL, "write a menu", 9) == ["write a menu for Sunday"]
    assert past.fresh_requests(MODEL, "write a menu", 0) == []
    await room.add("menu-style", MENU.description, MENU.body)
    await room.plays("write a menu for Monday", "so")
    assert past.fresh_requests(MODEL, "write a menu", 9) == ["write a menu for Sunday"]


async def test_one_models_and_everybodys_past_alone(room: Classroom, past: PastCurriculum) -> None:
    await content_with(room, "name a river", client=Client(name="anna", apart=True))
    await content_with(room, "name a lake", model="another")
    assert past.anchors(MODEL, 9, False) == []
    assert past.fresh_requests(MODEL, "name a river", 9) == []


def test_what_is_kept_whole_is_the_shipped_set(past: PastCurriculum) -> None:
    version = AdapterVersion(
        id="a",
        parent=None,
        base_model=MODEL,
        base_digest="d",
        sha256="",
        run=None,
        status=AdapterStatus.CANDIDATE,
        made=datetime(2026, 11, 21, tzinfo=UTC),
    )
    assert past.canaries(version) == (CANARY,)
    assert past.subject(MODEL, "write a menu for apple river") == ""
