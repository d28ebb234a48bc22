"""Tests of a chat request from arrival to record: its conversation, its skills, its failures."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lull.core.adapters.adapter import trial_key
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.context_window import TokenRate, reply_reserve
from lull.core.chat.messages import (
    Completion,
    Finish,
    Message,
    MessagePart,
    PartKind,
    Role,
    Sampling,
    Usage,
)
from lull.core.chat.trajectory import NOTHING_KNOWN, HoldoutAssignment, Selection
from lull.core.skills.prompt_block import Placement
from lull.core.skills.skill import ChangeKind, SkillKey
from lull.loops.chat.choose_skills import window_of
from lull.loops.chat.selected_skills import SelectedSkills
from lull.loops.chat.serving import Serving
from tests.building import (
    ANYBODY,
    FACTS,
    Home,
    answer,
    assistant,
    chat,
    prompt_text,
    system,
    user,
)

MENU = SkillKey("", "menu-style")
ASKS = user("Please write a menu for Sunday")
APART = Client(name="cursor", apart=True)


@pytest.fixture
async def home(tmp_path: Path):  # type: ignore[no-untyped-def]
    made = Home(tmp_path)
    yield made
    await asyncio.to_thread(made.database.close)


async def add_menu(home: Home, **more: object) -> None:
    await home.add("menu-style", "When a menu is asked for.", "Join the dishes with bars.", **more)


async def add_dates(home: Home) -> None:
    await home.add("dates", "When a calendar date is written.", "Write dates as 2026-11-21.")


def names(serving: Serving) -> list[str]:
    return [skill.name for skill in serving.stamp.skills]


# What goes in


async def test_a_request_gets_its_skill_behind_the_models_own_system(home: Home) -> None:
    await add_menu(home)
    serving = await home.say(ASKS)
    assert names(serving) == ["menu-style"]
    assert "Join the dishes with bars." in serving.injection.system
    assert serving.injection.model_system == "Be kind."
    assert serving.stamp.policy.generation == 1
    own = await home.say(system("Be brief."), ASKS)
    assert own.injection.model_system == ""


async def test_small_talk_gets_nothing_and_the_body_stays_as_it_was(home: Home) -> None:
    await add_menu(home)
    serving = await home.say(user("Hi, how are you?"))
    assert serving.injection.empty
    assert serving.skills.selection.why


async def test_a_pinned_skill_goes_into_every_conversation(home: Home) -> None:
    await add_menu(home, pinned=True)
    assert names(await home.say(user("Hi!"))) == ["menu-style"]


async def test_disabled_and_deleted_skills_go_into_none(home: Home) -> None:
    await add_menu(home)
    await home.approve.switch(MENU, ChangeKind.DISABLE)
    assert names(await home.say(ASKS)) == []
    await home.approve.switch(MENU, ChangeKind.ENABLE)
    assert names(await home.say(ASKS)) == ["menu-style"]
    await home.approve.switch(MENU, ChangeKind.DELETE)
    assert names(await home.say(ASKS)) == []


async def test_a_client_kept_apart_sees_only_its_own(home: Home) -> None:
    await add_menu(home)
    await home.add("menu-own", "When a menu is asked for.", "Cursor's.", client="cursor")
    assert names(await home.say(ASKS, client=APART)) == ["menu-own"]
    # What a program calls itself opens no room.
    assert names(await home.say(ASKS, client=Client(name="cursor"))) == ["menu-style"]
    assert names(await home.say(ASKS, client=Client(name="zed"))) == ["menu-style"]
    assert names(await home.say(ASKS, client=Client(name="zed", apart=True))) == []


async def test_uses_are_counted_once_a_conversation_and_by_client(home: Home) -> None:
    await add_menu(home)
    first = await home.say(ASKS, said="a")
    await home.say(*first.request.messages, assistant("a"), user("another menu"))
    await home.say(ASKS, client=Client(name="zed"))
    await asyncio.to_thread(home.database.flush)
    assert home.skills.uses_by_client() == {"test": {MENU: 1}, "zed": {MENU: 1}}


async def test_a_program_named_like_a_client_kept_apart_counts_for_itself(home: Home) -> None:
    await add_menu(home)
    await home.add("menu-own", "When a menu is asked for.", "Cursor's.", client="cursor")
    await home.say(ASKS, client=APART)
    await home.say(ASKS, client=Client(name="cursor"))
    await asyncio.to_thread(home.database.flush)
    own = SkillKey("cursor", "menu-own")
    assert home.skills.uses_by_client() == {"/c/cursor": {own: 1}, "cursor": {MENU: 1}}


async def test_a_client_kept_apart_that_has_no_skills_gets_none_of_everybodys(home: Home) -> None:
    await add_menu(home)
    await home.approve.switch(MENU, ChangeKind.PIN)
    stranger = Client(name="zed", apart=True)
    assert names(await home.say(ASKS, client=stranger)) == []
    await home.add("menu-own", "When a menu is asked for.", "Cursor's.", client="cursor")
    assert names(await home.say(ASKS, client=stranger)) == []
    assert names(await home.say(ASKS, client=Client(name="zed"))) == ["menu-style"]


# Sticky


async def talk(home: Home, turns: int, *, at_turn: dict[int, object] | None = None) -> list[str]:
    """Hold a conversation and return its prompts; `at_turn` maps turns to events before them."""
    history: list[Message] = []
    prompts = []
    for number in range(turns):
        change = (at_turn or {}).get(number)
        if callable(change):
            await change()
        history.append(user(f"Please write menu number {number} with the date"))
        serving = await home.say(*history, said=f"Soup {number} | cake {number}")
        prompts.append(prompt_text(serving))
        history.append(assistant(f"Soup {number} | cake {number}"))
    return prompts


def kept_share(prompts: list[str]) -> float:
    """Share of all bytes of earlier prompts that each next prompt repeats as its prefix."""
    pairs = list(pairwise(prompts))
    kept = 0
    for before, after in pairs:
        same = next(
            (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before)
        )
        kept += min(same, len(before))
    return kept / sum(len(before) for before, _ in pairs)


async def test_the_prompt_of_20_turns_is_a_stable_prefix(home: Home) -> None:
    await add_menu(home)
    prompts = await talk(home, 20)
    assert "Join the dishes" in prompts[0]
    assert kept_share(prompts) == 1


@pytest.mark.parametrize("place", [Placement.HEAD, Placement.TAIL])
async def test_skills_stand_where_the_model_was_seen_to_obey_them_and_stay_there(
    home: Home, place: Placement
) -> None:
    await add_menu(home)
    home.places[FACTS.digest] = place
    prompts = await talk(home, 20, at_turn={3: lambda: add_dates(home), 7: home.restart})
    assert kept_share(prompts) == 1
    assert all(prompt.count("Join the dishes") == 1 for prompt in prompts)
    assert all(prompt.count("Write dates as") == 1 for prompt in prompts[3:])
    opening, asked = prompts[0].index("<skills>"), prompts[0].index("Please write menu")
    assert (opening < asked) is (place is Placement.HEAD)
    assert prompts[0].index("<user>") < opening


async def test_such_a_turn_is_recorded_with_its_skills_and_the_models_own_system_text(
    home: Home,
) -> None:
    await add_menu(home)
    home.places[FACTS.digest] = Placement.TAIL
    serving = await home.say(ASKS, said="a | b")
    assert [skill.name for skill in serving.stamp.skills] == ["menu-style"]
    assert (serving.injection.system, serving.injection.model_system) == ("", "")
    assert serving.skills.selection.why == ""
    of_a_tool = await home.say(user("Write my menu"), Message(role=Role.TOOL), said="a")
    assert of_a_tool.injection.system  # no message of the user's to add to
    home.places[FACTS.digest] = Placement.HEAD
    facts = replace(FACTS, reads_suffixes=False)
    alone = await home.say(user("Please write a menu for Monday"), said="c", facts=facts)
    assert alone.injection.system and not alone.injection.prefixes


async def test_it_stays_one_through_changes_restarts_and_late_facts(home: Home) -> None:
    await add_menu(home)

    async def disable() -> None:
        await home.approve.switch(MENU, ChangeKind.DISABLE)

    prompts = await talk(
        home,
        20,
        at_turn={
            3: lambda: add_dates(home),
            7: home.restart,
            9: disable,
            12: lambda: home.approve.roll_back(1),
            15: home.restart,
        },
    )
    assert kept_share(prompts) >= 0.95
    assert kept_share(prompts) == 1
    assert "Write dates as" not in prompts[2]
    assert "Write dates as" in prompts[3]
    assert all(prompt.count("Write dates as") == 1 for prompt in prompts[3:])
    assert all(prompt.count("Join the dishes") == 1 for prompt in prompts)


async def test_a_skill_approved_meanwhile_joins_the_newest_message_and_stays_there(
    home: Home,
) -> None:
    first = await home.say(user("hello"), said="a")
    await add_menu(home)
    history = [*first.request.messages, assistant("a")]
    small = await home.say(*history, user("thanks"), said="b")
    assert small.injection.empty
    history += [user("thanks"), assistant("b"), ASKS]
    joined = await home.say(*history, said="c")
    assert joined.injection.system == ""
    assert [index for index, _ in joined.injection.suffixes] == [4]
    history += [assistant("c"), user("And another menu")]
    for _ in range(2):
        later = await home.say(*history)
        assert later.injection == joined.injection
        assert names(later) == ["menu-style"]
        await home.restart()


async def test_a_skill_changed_meanwhile_joins_with_its_new_text(home: Home) -> None:
    await add_menu(home)
    first = await home.say(ASKS, said="a")
    await home.approve.edit(MENU, body="Join the dishes with dots.")
    second = await home.say(ASKS, assistant("a"), user("Write the menu for Monday"))
    assert second.injection.system == first.injection.system
    assert "dots" in second.injection.suffixes[0][1]
    assert [skill.version for skill in second.stamp.skills] == [1, 2]


async def test_suffixes_never_outgrow_the_budget_of_the_conversation(home: Home) -> None:
    history: list[Message] = []
    for number in range(12):
        body = f"Rule {number} for each menu. " * 12
        await home.add(f"menu-{number}", "When a menu is asked for.", body)
        history += [user(f"Write menu {number}")]
        serving = await home.say(*history, said=f"m{number}")
        history += [assistant(f"m{number}")]
        rate = TokenRate()
        taken = rate.text_tokens(serving.injection.system) if serving.injection.system else 0
        taken += sum(rate.text_tokens(text) for _, text in serving.injection.suffixes)
        assert taken <= home.rule.budget_tokens


async def test_a_regenerated_answer_has_the_same_prompt(home: Home) -> None:
    first = await home.say(user("hello"), said="a")
    await add_menu(home)
    history = [*first.request.messages, assistant("a"), ASKS]
    once = await home.say(*history, said="b")
    twice = await home.say(*history, said="another b")
    assert prompt_text(once) == prompt_text(twice)
    assert once.stamp.trajectory == twice.stamp.trajectory
    await home.restart()
    assert prompt_text(await home.say(*history)) == prompt_text(once)


async def test_a_changed_model_gets_its_own_system_text(home: Home) -> None:
    await add_menu(home)
    await home.say(ASKS, said="a")
    other = replace(FACTS, digest="sha256:other", system="Be funny.")
    later = await home.say(ASKS, assistant("a"), user("more"), facts=other)
    assert later.injection.model_system == "Be funny."


# Facts that come too late


async def test_facts_that_come_too_late_cost_the_skills_not_the_reply(home: Home) -> None:
    await add_menu(home)
    serving = await home.say(ASKS, facts=None, said="a")
    assert serving.injection.empty
    assert serving.skills.known == NOTHING_KNOWN
    assert serving.stamp.policy.model == "llama3.2"
    assert serving.stamp.policy.generation == 1
    later = await home.say(ASKS, assistant("a"), user("Write the menu again"))
    assert later.injection.system == ""
    assert [index for index, _ in later.injection.suffixes] == [2]


async def test_a_skill_not_chosen_at_the_late_look_does_not_join_later(home: Home) -> None:
    await add_menu(home)
    await home.say(user("hello"), facts=None, said="a")
    await home.say(user("hello"), assistant("a"), user("thanks"), said="b")
    later = await home.say(user("hello"), assistant("a"), user("thanks"), assistant("b"), ASKS)
    assert later.injection.empty


async def test_facts_late_on_a_later_turn_change_no_byte(home: Home) -> None:
    await add_menu(home)
    first = await home.say(ASKS, said="a")
    for _ in range(2):
        later = await home.say(ASKS, assistant("a"), user("more"), facts=None)
        assert later.injection == first.injection
        await home.restart()


# The window


@pytest.mark.full
@pytest.mark.slow
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    sizes=st.lists(st.integers(1, 4000), min_size=1, max_size=8),
    max_tokens=st.none() | st.integers(-1, 9000),
    bodies=st.integers(1, 900),
    seed=st.integers(0, 9),
)
def test_in_a_window_of_4k_skills_never_take_the_room_of_history(
    tmp_path_factory: pytest.TempPathFactory,
    sizes: list[int],
    max_tokens: int | None,
    bodies: int,
    seed: int,
) -> None:
    async def play() -> None:
        home = Home(tmp_path_factory.mktemp("home"))
        try:
            await converse(home, sizes, max_tokens, bodies, random.Random(seed))
        finally:
            await asyncio.to_thread(home.database.close)

    asyncio.run(play())


async def converse(
    home: Home, sizes: list[int], max_tokens: int | None, bodies: int, chance: random.Random
) -> None:
    facts = replace(FACTS, window_tokens=4096)
    rate = TokenRate()
    history: list[Message] = []
    for number, size in enumerate(sizes):
        if chance.random() < 0.6:
            await home.add(
                f"menu-{number}", "When a menu is asked.", "w " * bodies, pinned=number % 2 == 0
            )
        history.append(user("menu " + "x" * size))
        request = chat(*history, sampling=Sampling(max_tokens=max_tokens))
        serving = await home.open(request=request, facts=facts)
        injection = serving.injection
        if not injection.empty:
            added = injection.system + injection.model_system
            taken = rate.text_tokens(added) + sum(
                rate.text_tokens(text) for _, text in injection.suffixes
            )
            reply = reply_reserve(4096, max_tokens)
            assert rate.prompt_tokens(history) + taken + reply <= 4096 + 3
        assert bool(serving.stamp.skills) != injection.empty
        home.serve.recorder.record(serving, answer(f"a{number}"))
        history.append(assistant(f"a{number}"))


async def test_a_history_that_outgrows_the_window_loses_its_skills_first(home: Home) -> None:
    await add_menu(home)
    facts = replace(FACTS, window_tokens=4096)
    first = await home.say(ASKS, said="a", facts=facts)
    assert names(first) == ["menu-style"]
    long = user("words " * 1900)
    later = await home.say(ASKS, assistant("a"), long, facts=facts, said="b")
    assert later.injection.empty
    assert names(later) == []
    assert "the window is nearly full" in later.skills.selection.why
    more = (ASKS, assistant("a"), long, assistant("b"), user("more"))
    assert (await home.say(*more, facts=facts)).injection.empty
    await home.restart()
    assert (await home.say(*more, facts=facts)).injection.empty


async def test_so_does_a_history_whose_skills_joined_a_later_message(home: Home) -> None:
    facts = replace(FACTS, window_tokens=4096)
    history = [ASKS, assistant("a"), user("write a menu for two")]
    await home.say(ASKS, said="a", facts=facts)
    await add_menu(home)
    second = await home.say(*history, said="b", facts=facts)
    assert len(second.injection.suffixes) == 1
    assert second.injection.system == ""
    long = await home.say(*history, assistant("b"), user("words " * 1900), facts=facts)
    assert long.injection.empty


async def test_the_clients_own_window_counts(home: Home) -> None:
    await add_menu(home)
    small = await home.open(request=chat(ASKS, window_tokens=64))
    assert small.injection.empty
    assert (await home.open(request=chat(ASKS, window_tokens=2048))).window_tokens == 2048


@pytest.mark.parametrize(("asked", "longest", "window"), [(512, 4096, 512), (9000, 4096, 4096)])
def test_a_window_that_a_model_cannot_have_is_none(asked: int, longest: int, window: int) -> None:
    facts = replace(FACTS, window_tokens=2048, longest_tokens=longest)
    assert window_of(chat(ASKS, window_tokens=asked), facts) == window


async def test_a_prompt_that_the_upstream_cut_is_noted(home: Home) -> None:
    serving = await home.open(user("word " * 8000))
    home.serve.recorder.record(serving, answer("a", prompt_tokens=4100))
    await asyncio.to_thread(home.database.flush)
    assert "cut this prompt" in home.trajectories.turn(serving.stamp.turn).note


async def test_pictures_do_not_teach_the_token_rate(home: Home) -> None:
    picture = Message(role=Role.USER, parts=(MessagePart(kind=PartKind.IMAGE, text="x" * 300),))
    serving = await home.open(picture)
    home.serve.recorder.record(serving, answer("a", prompt_tokens=1500))
    assert home.serve.recorder._rates == {}


# Where a request stands


async def test_the_same_first_words_are_a_new_conversation_with_a_fresh_look(home: Home) -> None:
    first = await home.say(ASKS)
    await add_menu(home)
    again = await home.say(ASKS)
    assert first.stamp.trajectory != again.stamp.trajectory
    assert names(again) == ["menu-style"]
    with_system = await home.say(system("Be brief."), ASKS)
    assert with_system.stamp.number == 1


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(
    "sent_back",
    [
        "Fine.",
        "  Fine.\n",
        "<think>So…</think>Fine.",
        "Something the client made of it",
    ],
)
async def test_a_history_goes_on_where_it_was(home: Home, sent_back: str, restart: bool) -> None:
    await add_menu(home)
    thinking = Message(
        role=Role.ASSISTANT,
        parts=(
            MessagePart(kind=PartKind.THINKING, text="So…"),
            MessagePart(kind=PartKind.TEXT, text="\n\nFine."),
        ),
    )
    first = await home.open(ASKS)
    home.serve.recorder.record(first, Completion(message=thinking, finish=Finish.STOP))
    if restart:
        await home.restart()
    second = await home.say(ASKS, assistant(sent_back), user("thanks"))
    assert second.stamp.trajectory == first.stamp.trajectory
    assert second.stamp.number == 2
    assert second.injection == first.injection
    await asyncio.to_thread(home.database.flush)
    row, turns = home.trajectories.get(first.stamp.trajectory)
    assert (row.turns, [turn.number for turn in turns]) == (2, [1, 2])


async def test_two_conversations_that_begin_alike_part_at_their_answers(home: Home) -> None:
    one = await home.say(user("hi"), said="Hello!")
    two = await home.say(user("hi"), said="Hey!")
    to_one = await home.say(user("hi"), assistant("Hello!"), user("a"))
    to_two = await home.say(user("hi"), assistant("Hey!"), user("b"))
    assert to_one.stamp.trajectory == one.stamp.trajectory
    assert to_two.stamp.trajectory == two.stamp.trajectory


async def test_two_equal_conversations_stay_byte_stable(home: Home) -> None:
    await add_menu(home)
    one = await home.say(ASKS, said="a")
    two = await home.say(ASKS, said="a")
    for text in ("b", "c"):
        later = await home.say(ASKS, assistant("a"), user(text))
        assert later.stamp.trajectory in (one.stamp.trajectory, two.stamp.trajectory)
        assert later.injection == one.injection


async def test_a_session_header_names_the_conversation(home: Home) -> None:
    first = await home.say(user("a"), session="s-1")
    same = await home.say(user("quite another"), session="s-1")
    other = await home.say(user("a"), session="s-2")
    others = await home.say(user("a"), session="s-1", client=Client(name="zed"))
    assert same.stamp.trajectory == first.stamp.trajectory
    assert same.stamp.number == 2
    assert len({first.stamp.trajectory, other.stamp.trajectory, others.stamp.trajectory}) == 3
    await home.restart()
    after = await home.say(user("x"), session="s-1")
    assert (after.stamp.trajectory, after.stamp.number) == (first.stamp.trajectory, 3)
    await home.say(user("x"), session="half \udcff of a header")


async def test_a_session_with_another_history_gets_no_suffix_on_a_wrong_message(
    home: Home,
) -> None:
    await home.say(user("hello"), session="s", said="a")
    await add_menu(home)
    joined = await home.say(user("hello"), assistant("a"), ASKS, session="s")
    assert joined.skills.suffixes[0].message == 2
    shorter = await home.say(user("x"), session="s")
    assert shorter.injection.suffixes == ()
    shifted = await home.say(user("x"), user("y"), assistant("z"), user("w"), session="s")
    assert all(shifted.request.messages[i].role is Role.USER for i, _ in shifted.injection.suffixes)


async def test_requests_at_once_do_not_meddle(home: Home) -> None:
    await add_menu(home)
    opened = await asyncio.gather(*(home.open(ASKS) for _ in range(20)))
    for number, serving in enumerate(opened):
        home.serve.recorder.record(serving, answer(f"answer {number}"))
    assert len({s.stamp.trajectory for s in opened}) == 20
    assert len({prompt_text(s) for s in opened}) == 1
    later = await asyncio.gather(
        *(home.open(ASKS, assistant(f"answer {n}"), user("more")) for n in range(20))
    )
    assert [s.stamp.trajectory for s in later] == [s.stamp.trajectory for s in opened]


async def test_what_answers_is_fixed_when_the_request_arrives(home: Home) -> None:
    serving = await home.open(ASKS)
    await add_menu(home)
    home.serve.recorder.record(serving, answer("a"))
    await asyncio.to_thread(home.database.flush)
    assert home.trajectories.turn(serving.stamp.turn).generation == 0
    assert home.trajectories.turn(serving.stamp.turn).skills == ()


async def test_odd_requests_are_served_and_recorded(home: Home) -> None:
    await add_menu(home, pinned=True)
    odd = [
        (),
        (user(""),),
        (assistant("I begin"),),
        (system("only a system"),),
        (Message(role=Role.TOOL, tool_call_id="x"),),
        (user("half \ud83d"),),
        (user("a"), Message(role=Role.ASSISTANT), Message(role=Role.TOOL), user("b")),
    ]
    for messages in odd:
        serving = await home.say(*messages, said="")
        await asyncio.to_thread(home.database.flush)
        assert home.trajectories.turn(serving.stamp.turn).request == messages


async def test_a_history_of_a_thousand_messages_goes_on(home: Home) -> None:
    history = [message for n in range(500) for message in (user(f"q{n}"), assistant(f"answer {n}"))]
    first = await home.say(*history, user("last"), said="a")
    await home.restart()
    later = await home.say(*history, user("last"), assistant("a"), user("more"))
    assert later.stamp.trajectory == first.stamp.trajectory


async def test_a_raw_prompt_is_recorded_and_left_alone(home: Home) -> None:
    await add_menu(home, pinned=True)
    serving = await home.say(ASKS, injectable=False)
    assert serving.injection.empty
    assert serving.skills.selection.why == "not a chat"


@pytest.mark.parametrize("finish", [Finish.HANGUP, Finish.ERROR])
async def test_a_conversation_goes_on_after_an_answer_that_broke_off(
    home: Home, finish: Finish
) -> None:
    first = await home.open(ASKS)
    home.serve.recorder.record(first, answer("half", finish=finish))
    await home.restart()
    later = await home.say(ASKS, assistant("half"), user("go on"))
    assert later.stamp.trajectory == first.stamp.trajectory


async def test_skills_that_could_not_be_written_in_are_not_recorded_as_used(home: Home) -> None:
    await add_menu(home)
    serving = (await home.open(ASKS)).without_skills("no place")
    assert serving.injection.empty
    home.serve.recorder.record(serving, answer("a"))
    await asyncio.to_thread(home.database.flush)
    turn = home.trajectories.turn(serving.stamp.turn)
    assert (turn.skills, turn.note) == ((), "no place")
    assert home.skills.uses() == {}


async def test_why_an_answer_had_no_skill_is_told_as_it_was_then_and_only_where_it_is_known(
    home: Home,
) -> None:
    async def noted(*messages: Message) -> str:
        serving = await home.say(*messages, said="b")
        await asyncio.to_thread(home.database.flush)
        return home.trajectories.turn(serving.stamp.turn).note

    assert await noted(user("hello")) == "no skill is active"
    history = [user("hello"), assistant("b"), user("hi")]
    assert await noted(*history) == "no skill is active"
    await add_menu(home)
    history += [assistant("b"), user("thanks")]
    assert await noted(*history) == "no skill is about this"
    raw = (*history, assistant("b"), user("bye"))
    await add_dates(home)
    serving = await home.say(*raw, injectable=False)
    await asyncio.to_thread(home.database.flush)
    assert home.trajectories.turn(serving.stamp.turn).note == ""


async def test_the_adapter_on_trial_is_counted_though_no_skill_could_be_written_in(
    home: Home,
) -> None:
    def assignment(name: str) -> HoldoutAssignment:
        return HoldoutAssignment(client="", name=name, sha256="s", left_out=False, share=0.1)

    trial, held_out = assignment(trial_key("ada_1").name), assignment("menu-style")
    chosen = SelectedSkills(selection=Selection(assignments=(held_out, trial), learned=("abc",)))
    assert chosen.without_skills("no place").selection == Selection(
        why="no place", assignments=(trial,), learned=("abc",)
    )


# A store that fails


@pytest.mark.logs("cannot be found again", "found again", "records are dropped")
async def test_a_closed_store_costs_the_record_never_the_reply(home: Home) -> None:
    await add_menu(home)
    await asyncio.to_thread(home.database.close)
    for _ in range(3):
        serving = await home.open(user("a"), assistant("b"), ASKS)
        assert names(serving) == ["menu-style"]
        home.serve.recorder.record(serving, answer("c"))
    assert (await home.open(user("a"), session="s")).stamp.number == 1


@pytest.mark.logs("recording failed", "recording works again")
async def test_a_locked_store_delays_the_record_only(home: Home) -> None:
    other = sqlite3.connect(home.database.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    serving = await home.say(ASKS, said="a")
    later = await home.say(ASKS, assistant("a"), user("b"))
    assert later.stamp.trajectory == serving.stamp.trajectory
    other.execute("ROLLBACK")
    other.close()
    await asyncio.to_thread(home.database.flush)
    assert home.trajectories.counts() == (1, 2)


@pytest.mark.logs("recording failed", "recording works again")
async def test_a_store_without_its_tables_never_stops_an_answer(home: Home) -> None:
    home.database.submit(lambda c: c.execute("DROP TABLE turns")).result()
    serving = await home.open(ASKS)
    home.serve.recorder.record(serving, answer("a"))
    await asyncio.to_thread(home.database.flush)


async def test_counts_in_answers_bring_the_estimate_closer(home: Home) -> None:
    serving = await home.open(user("word " * 400))
    done = replace(answer("a"), usage=Usage(prompt_tokens=450))
    home.serve.recorder.record(serving, done)
    assert home.serve.recorder._rates[FACTS.digest].per_character < TokenRate().per_character


async def test_models_are_told_apart_by_digest(home: Home) -> None:
    for number in range(300):
        facts = ModelFacts(digest=f"d{number}", window_tokens=None, system="", template_sha256="")
        serving = await home.open(request=chat(user("w " * 400), model=f"m{number}"), facts=facts)
        home.serve.recorder.record(serving, answer("a", prompt_tokens=300))
    assert len(home.serve.recorder._rates) <= 256
    assert ANYBODY.name == "test"
