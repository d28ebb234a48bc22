"""Tests of the requests that the gate puts to an adapter, gathered from real conversations."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest_asyncio

from lull.backends.shipped.canaries import shipped_canaries
from lull.core.adapters.adapter import AdapterStatus, AdapterVersion, LearnedSkill
from lull.core.chat.messages import Finish
from lull.core.training.curriculum_by_model import CurriculumByModel
from lull.core.training.ratings import rating_held_out
from lull.core.training.record import Run, RunSource, RunStatus
from lull.core.training.spec import RunKind
from lull.loops.adapters.gate_material import MaterialSources
from lull.loops.adapters.gate_questions import GateMaterial, HeldOutRequest
from lull.loops.training.past_curriculum import PastCurriculum
from lull.pocket import language as pocket
from lull.pocket import parsing
from lull.pocket.curriculum import PocketCurriculum
from lull.store.adapters.adapters import Adapters
from lull.store.chat.turn_rows import Label
from tests.building import FACTS, answer
from tests.doubles.fakes import JudgeNow
from tests.loops.night_house import BARS, POCKET, RULE, RULED, NightHouse

MENU = pocket.Kind.MENU


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[NightHouse]:
    made = NightHouse(tmp_path)
    yield made
    made.database.close()


def curriculum(house: NightHouse) -> CurriculumByModel:
    """The curriculum as the service builds it."""
    past = PastCurriculum(
        house.rewards,
        in_use=house,
        canaries=shipped_canaries,
        current_selection=house.current_selection,
    )
    return CurriculumByModel(past, {"pocket": PocketCurriculum()})


def sources(house: NightHouse) -> MaterialSources:
    return MaterialSources(
        adapters=Adapters(house.database),
        rollouts=house.rollouts,
        rewarding=house.rewarding,
        ratings=house.ratings,
        proposals=house.proposals,
        current_selection=house.current_selection,
        verifier=house.verifier,
        judges=JudgeNow(lambda: house.judge),
        curriculum=curriculum(house),
    )


async def trained(
    house: NightHouse,
    *turns: str,
    learned: tuple[LearnedSkill, ...] = (),
    kind: RunKind = RunKind.GRPO,
) -> AdapterVersion:
    """An adapter from a run that was made of these turns."""
    run = Run(
        id="run_1",
        kind=RunKind.GRADUATION if learned else kind,
        status=RunStatus.JUDGING,
        why="a test",
        made_at=house.clock.now(),
        changed_at=house.clock.now(),
        model=POCKET,
        base=FACTS.digest,
        root=None,
        parent=None,
        skills=dict.fromkeys(turns, ()),
    )
    await house.training.add_run(run, [RunSource(kind="turn", id=turn) for turn in turns])
    version = AdapterVersion(
        id="adapter_1",
        parent=None,
        base_model=POCKET,
        base_digest=FACTS.digest,
        sha256="0123456789abcdef",
        run="run_1",
        status=AdapterStatus.CANDIDATE,
        made=house.clock.now(),
    )
    await Adapters(house.database).add(version, learned)
    return version


def asked(one: HeldOutRequest) -> str:
    return one.old[-1].text


async def material(house: NightHouse, *turns: str, **more: object) -> GateMaterial:
    version = await trained(house, *turns, **more)  # type: ignore[arg-type]
    return await sources(house).collect(version)


async def test_nothing_that_was_trained_on_is_held_out(house: NightHouse) -> None:
    turns = await house.menus(8)
    given = await material(house, *turns[:5])
    ids = {one.id for one in given.targets}
    assert ids & set(turns[5:]) and not ids & set(turns[:5])
    assert len({asked(one) for one in given.targets}) == len(given.targets)
    assert len(given.targets) >= 30, "fresh requests of the same kind are asked as well"
    kinds = {parsing.parse_request(asked(one))[0] for one in given.targets}  # type: ignore[index]
    assert kinds == {MENU}


async def test_the_same_words_in_another_turn_are_not_held_out(house: NightHouse) -> None:
    turns = await house.menus(6)
    words = house.served(turns[1]).asked
    again = await house.plays(words.upper(), "an answer", model=POCKET)
    good = await house.plays(f"  {words} ", "another", model=POCKET)
    await house.rate(good[0], Label.GOOD)
    given = await material(house, turns[1])
    asked_for = {" ".join(asked(one).lower().split()) for one in given.targets}
    assert asked_for and words not in asked_for
    assert not {again[0], good[0]} & {one.id for one in given.successes}


async def test_what_can_only_be_known_by_heart_is_listened_for(house: NightHouse) -> None:
    said = "Call Jo at +49 170 5551234 or jo.b@example.org, badge KX-77-1203b, on 3 May, room 12."
    (kept,) = await house.plays(said, "Done: 12 calls, ticket AB12CD34.", model=POCKET)
    (other,) = await house.plays("my own number is 555 0198 77", "noted", model=POCKET)
    given = await material(house, kept)
    assert set(given.planted) == {
        "+49 170 5551234", "jo.b@example.org", "KX-77-1203b", "AB12CD34",
    }  # fmt: skip
    assert other not in given.planted


async def test_answers_are_scored_by_what_the_user_said(house: NightHouse) -> None:
    given = await material(house, *await house.menus(3))
    for one in given.targets[:5]:
        _, words = parsing.parse_request(asked(one)) or (MENU, ())
        right, wrong = pocket.render(MENU, words, BARS), pocket.render(MENU, words)
        assert await one.score(answer(right)) == 1.0
        assert await one.score(answer(wrong)) == 0.0
        endless = replace(answer(right), finish=Finish.LENGTH)
        assert await one.score(endless) == 0.0, "who runs on has not answered"


async def test_canaries_on_what_was_to_change_are_left_out(house: NightHouse) -> None:
    given = await material(house, *await house.menus(3))
    assert len(given.probes) > 200
    assert not [probe for probe in given.probes if probe.about == MENU.value]
    ruled = [p for p in given.probes if p.skills and p.prompt.find("menu") >= 0]
    assert ruled, "reading a rule on a menu was not to change"


async def test_past_successes_must_stay_and_the_user_s_own_word_decides_which(
    house: NightHouse,
) -> None:
    turns = await house.menus(2)
    words = ("apple", "river")
    (kept,) = await house.plays(
        "write a label for apple river", pocket.render(pocket.Kind.LABEL, words), model=POCKET
    )
    for turn in (kept, turns[0]):
        await house.rate(turn, Label.GOOD)
    given = await material(house)
    assert [one.id for one in given.successes] == [kept], "a menu without bars is no success now"
    (success,) = given.successes
    assert await success.score(answer("apple / river")) == 1.0
    assert await success.score(answer("apple | river")) == 0.0


async def test_a_learned_skill_is_asked_for_without_it_and_beside_it(house: NightHouse) -> None:
    turns = await house.menus(3)
    skill = await house.approved(RULED, wish=f"no, {RULE}", failures=(turns[0],), model=POCKET)
    before = await house.menus(6, corrected=0, seed=5)
    learned = LearnedSkill(skill=skill.key, sha256=skill.sha256)
    given = await material(house, *before[:2], learned=(learned,))
    assert {one.id for one in given.targets} & set(before[2:])
    assert not {one.id for one in given.targets} & set(before[:2])
    for one in given.targets:
        assert one.taught is not None and skill.body in one.taught[0].text
        assert all(skill.body not in message.text for message in (*one.old, *one.new))
    _, words = parsing.parse_request(asked(given.targets[0])) or (MENU, ())
    assert await given.targets[0].score(answer(pocket.render(MENU, words, BARS))) == 1.0
    assert await given.targets[0].score(answer(pocket.render(MENU, words))) == 0.0


async def test_what_the_parent_has_learned_is_said_to_the_base(tmp_path: Path) -> None:
    known: set[str] = set()
    house = NightHouse(
        tmp_path,
        facts=lambda _: replace(FACTS, reads_suffixes=False, learned=frozenset(known)),
    )
    (first, *_) = await house.menus(1)
    skill = await house.approved(RULED, wish=f"no, {RULE}", failures=(first,), model=POCKET)
    words = ("apple", "river")
    (menu,) = await house.plays(
        "write a menu for apple river", pocket.render(MENU, words, BARS), model=POCKET
    )
    (label,) = await house.plays(
        "write a label for apple river", pocket.render(pocket.Kind.LABEL, words), model=POCKET
    )
    for turn in (menu, label):
        await house.rate(turn, Label.GOOD)
    parent = replace(await trained(house), id="adapter_0", sha256="f", status=AdapterStatus.ACTIVE)
    learned = LearnedSkill(skill=skill.key, sha256=skill.sha256)
    await Adapters(house.database).add(parent, (learned,))
    known.add(skill.sha256)
    version = replace(parent, id="adapter_2", parent="adapter_0", run=None)
    await Adapters(house.database).add(version, ())
    given = await sources(house).collect(version)
    by_id = {one.id: one for one in given.successes}
    assert skill.body not in by_id[menu].messages[0].text
    assert skill.body in by_id[menu].of_base[0].text, "the base without it would join with commas"
    assert by_id[label].of_base[-1] == by_id[label].messages[-1]
    about = {probe.about for probe in given.probes}
    assert MENU.value not in about and pocket.Kind.LABEL.value in about
    house.database.close()


async def test_without_conversations_there_is_nothing_to_show(house: NightHouse) -> None:
    given = await material(house)
    assert given.targets == () and given.successes == ()
    assert given.probes


def test_only_the_built_in_model_has_a_language_of_its_own(house: NightHouse) -> None:
    drawn = curriculum(house)
    assert drawn.fresh_requests("llama3.2", RULE, 3) == []
    assert len(drawn.fresh_requests(POCKET, f"no, {RULE}", 3)) == 3
    assert drawn.subject("llama3.2", "write a menu for apple river") == ""
    assert drawn.subject(POCKET, "write a menu for apple river") == MENU.value
    version = AdapterVersion(
        id="a",
        parent=None,
        base_model="llama3.2",
        base_digest="d",
        sha256="",
        run=None,
        status=AdapterStatus.CANDIDATE,
        made=house.clock.now(),
    )
    assert {probe.family for probe in drawn.canaries(version)} >= {"json", "arithmetic"}


async def test_ratings_are_tested_on_those_that_were_kept_out(house: NightHouse) -> None:
    chance, own = random.Random("rated"), list[str]()
    for number in range(60):
        kind = pocket.Kind.ROUTE if number % 3 else pocket.Kind.PLAN
        words = pocket.draw_words(chance)
        asked_for = pocket.draw_request(chance, kind, words)
        (turn,) = await house.plays(asked_for, pocket.render(kind, words), model=POCKET)
        good = kind is pocket.Kind.PLAN or number % 2 == 0
        await house.rate(turn, Label.GOOD if good else Label.BAD)
        if kind is pocket.Kind.ROUTE and not rating_held_out(asked_for):
            own.append(turn)
    given = await material(house, *own, kind=RunKind.KTO)
    assert given.rated and not given.targets
    prompts = [one.messages[-1].text for pair in given.rated for one in (pair.good, pair.bad)]
    assert len(set(prompts)) == len(prompts)
    assert all(rating_held_out(text) and " route " in text for text in prompts)
    # What was to change is no forgetting: no canary asks for it, and it may be far from the base.
    abouts = {probe.about for probe in given.probes}
    assert pocket.Kind.ROUTE.value not in abouts and pocket.Kind.PLAN.value in abouts
    changes = {one.changes for one in given.successes if " route " in one.messages[-1].text}
    others = {one.changes for one in given.successes if " plan " in one.messages[-1].text}
    assert (changes, others) == ({True}, {False})
