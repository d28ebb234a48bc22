"""Tests of an adapter's trial on the request path: who is answered by which adapter, for how long,
and with which skills.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest_asyncio

from lull.core.adapters.adapter import Arm, Shadow, trial_key
from lull.core.adapters.model_facts import ModelFacts
from lull.core.skills.skill import SkillKey
from lull.store.chat.holdout_assignments import HoldoutAssignments
from tests.building import FACTS, Home, assistant, prompt_text, user

OLD, NEW = "sha of the old", "sha of the new"
BODY = "When you write a menu, join the dishes with bars."


def on_trial(*, share: float = 0.1, learned: frozenset[str] = frozenset()) -> ModelFacts:
    arm = Arm(version=NEW, learned=learned)
    return replace(FACTS, adapter=OLD, shadow=Shadow(id="adapter_2", arm=arm, share=share))


def only_new(learned: frozenset[str] = frozenset()) -> ModelFacts:
    return replace(FACTS, adapter=NEW, learned=learned)


@pytest_asyncio.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path)
    yield made
    made.database.close()


async def sha_of_menu_style(home: Home) -> str:
    await home.add("menu-style", "When a menu is asked for.", BODY)
    return home.library.get(SkillKey("", "menu-style")).sha256


async def test_a_tenth_of_new_conversations_is_answered_by_the_new_one(home: Home) -> None:
    arms = [
        (await home.open(user(f"question {n}"), facts=on_trial())).stamp.policy.adapter
        for n in range(600)
    ]
    assert set(arms) == {OLD, NEW}
    assert 0.06 <= arms.count(NEW) / 600 <= 0.14


async def test_a_conversation_keeps_its_arm_for_life_also_after_a_restart(home: Home) -> None:
    seen = set()
    for n in range(12):
        facts, first = on_trial(share=0.5), user(f"question {n}")
        begun = await home.say(first, facts=facts)
        arm = begun.stamp.policy.adapter
        seen.add(arm)
        history = (first, assistant("Fine."), user("and then?"))
        assert (await home.say(*history, facts=facts)).stamp.policy.adapter == arm
        if n % 4 == 0:
            await home.restart()
        longer = (*history, assistant("Fine."), user("and now?"))
        third = await home.say(*longer, facts=facts)
        assert third.stamp.trajectory == begun.stamp.trajectory
        assert third.stamp.policy.adapter == arm
    assert seen == {OLD, NEW}


async def test_a_conversation_older_than_the_trial_stays_with_what_is_in_force(home: Home) -> None:
    for n in range(20):
        first = user(f"question {n}")
        await home.say(first, facts=replace(FACTS, adapter=OLD))
        more = (first, assistant("Fine."), user("and then?"))
        later = await home.open(*more, facts=on_trial(share=0.9))
        assert later.stamp.policy.adapter == OLD


async def test_when_the_trial_ends_everybody_is_answered_by_what_is_in_force(home: Home) -> None:
    for n in range(8):
        first = user(f"question {n}")
        await home.say(first, facts=on_trial(share=0.5))
        more = (first, assistant("Fine."), user("and then?"))
        for facts, wanted in ((replace(FACTS, adapter=OLD), OLD), (only_new(), NEW)):
            assert (await home.open(*more, facts=facts)).stamp.policy.adapter == wanted


async def test_each_toss_is_written_down_with_its_chance(home: Home) -> None:
    arms = {}
    for n in range(40):
        serving = await home.say(user(f"question {n}"), facts=on_trial(share=0.5))
        arms[serving.stamp.turn] = serving.stamp.policy.adapter
    home.database.flush()
    rows = home.database.read(
        lambda connection: connection.execute(
            "SELECT t.id, f.* FROM coin_flips f JOIN turns t ON t.trajectory = f.trajectory"
        ).fetchall()
    )
    assert {row["id"]: bool(row["left_out"]) for row in rows} == {
        turn: arm == OLD for turn, arm in arms.items()
    }
    assert {(row["client"], row["name"], row["sha256"], row["share"]) for row in rows} == {
        (*trial_key("adapter_2"), NEW, 0.5)
    }
    assert HoldoutAssignments(home.database).outcomes({trial_key("adapter_2"): NEW}) == [], (
        "none is scored"
    )


async def test_without_a_trial_no_coin_is_tossed(home: Home) -> None:
    serving = await home.open(user("hello"), facts=replace(FACTS, adapter=OLD))
    assert serving.skills.selection.assignments == ()


async def test_after_a_trial_what_was_before_answers_a_few_and_each_keeps_its_arm(
    home: Home,
) -> None:
    arm = Arm(version=OLD)
    held = Shadow(id="adapter_2", arm=arm, share=0.3, over=NEW)
    facts, seen = replace(FACTS, adapter=NEW, shadow=held), []
    for n in range(60):
        first = user(f"question {n}")
        begun = await home.say(first, facts=facts)
        seen.append(begun.stamp.policy.adapter)
        again = await home.say(first, assistant("Fine."), user("and then?"), facts=facts)
        assert again.stamp.policy.adapter == seen[-1]
    assert 6 <= seen.count(OLD) <= 30 and set(seen) == {OLD, NEW}


# Skills that an adapter has learned


async def test_a_learned_skill_is_out_of_the_prompt_while_its_adapter_answers(home: Home) -> None:
    learned = frozenset({await sha_of_menu_style(home)})
    with_ = await home.open(user("write a menu for lunch"), facts=replace(FACTS, adapter=OLD))
    assert BODY in prompt_text(with_)
    without = await home.open(user("write a menu for tea"), facts=only_new(learned))
    assert BODY not in prompt_text(without) and without.stamp.skills == ()


async def test_each_arm_of_a_trial_has_its_own_prompts(home: Home) -> None:
    facts = on_trial(share=0.5, learned=frozenset({await sha_of_menu_style(home)}))
    seen = set()
    for n in range(20):
        serving = await home.open(user(f"write a menu for day {n}"), facts=facts)
        arm = serving.stamp.policy.adapter
        assert (BODY in prompt_text(serving)) is (arm == OLD)
        seen.add(arm)
    assert seen == {OLD, NEW}


async def test_an_edited_skill_is_read_again(home: Home) -> None:
    learned = frozenset({await sha_of_menu_style(home)})
    await home.approve.edit(SkillKey("", "menu-style"), body="When you write a menu, use dashes.")
    serving = await home.open(user("write a menu for lunch"), facts=only_new(learned))
    assert "use dashes" in prompt_text(serving)


async def test_after_the_way_back_the_skill_joins_at_once(home: Home) -> None:
    learned = frozenset({await sha_of_menu_style(home)})
    first = user("write a menu for lunch")
    begun = await home.say(first, facts=only_new(learned))
    assert BODY not in prompt_text(begun)
    back = replace(FACTS, adapter=OLD)
    second = (first, assistant("Fine."), user("write a menu for dinner"))
    joined = await home.say(*second, facts=back)
    assert BODY in prompt_text(joined) and [s.name for s in joined.stamp.skills] == ["menu-style"]
    await home.restart()
    third = (*second, assistant("Fine."), user("write a menu for tea"))
    kept = await home.say(*third, facts=back)
    assert prompt_text(kept).count(BODY) == 1, "once in a conversation"
    assert prompt_text(kept).startswith(prompt_text(joined)), "no byte before it has changed"


async def test_where_suffixes_are_not_read_it_waits_for_the_next_conversation(home: Home) -> None:
    learned = frozenset({await sha_of_menu_style(home)})
    first = user("write a menu for lunch")
    await home.say(first, facts=only_new(learned))
    back = replace(FACTS, adapter=OLD, reads_suffixes=False)
    second = (first, assistant("Fine."), user("write a menu for dinner"))
    assert BODY not in prompt_text(await home.say(*second, facts=back))
    assert BODY in prompt_text(await home.open(user("write a menu for tea"), facts=back))


async def test_what_stood_in_a_prompt_before_a_promotion_stays_there(home: Home) -> None:
    learned = frozenset({await sha_of_menu_style(home)})
    first = user("write a menu for lunch")
    await home.say(first, facts=replace(FACTS, adapter=OLD))
    more = (first, assistant("Fine."), user("write a menu for dinner"))
    assert BODY in prompt_text(await home.open(*more, facts=only_new(learned)))
