"""Tests of measuring in lulls where in the prompt a model obeys skills; the best place is used."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import pytest

from lull.backends.chat.placing_cases import load_placing_sheet
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.messages import Completion, Finish, Role, Sampling, text_message
from lull.core.checks.check import NO_LIBRARIES, Check, CheckKind
from lull.core.errors import ResourceError, UpstreamDown
from lull.core.models.most_used_model import ModelUse
from lull.core.proof.placing import PlacingCase, PlacingSheet
from lull.core.skills.prompt_block import Placement
from lull.core.skills.skill import Library, Skill
from lull.loops.proof.measure_placing import MeasurePlacing, PlacingModels
from lull.loops.proof.replay import ReplayTarget
from lull.store.proof.placings import Placings
from tests.building import FACTS, database_at
from tests.doubles.fake_chat_model import ChatAsk, FakeChatModel
from tests.doubles.fakes import FakeClock

T = TypeVar("T")
SHEET = PlacingSheet(
    sha256="cases",
    cases=tuple(
        PlacingCase(
            id=f"c{n}",
            rule="Begin with Noted.",
            check=Check(kind=CheckKind.STARTS, value="Noted"),
            asked=f"first {n}",
            then=f"second {n}",
            decides=n < 16,
        )
        for n in range(20)
    ),
)


SKILL = Skill(
    client="", name="menu", version=1, sha256="menu", description="When asked.", body="Say so."
)
SKILLS = Library(1, {SKILL.key: SKILL})


class AtOnce:
    async def run(self, work: Callable[[], Awaitable[T]], *, hurry: bool = False) -> T:
        return await work()


def obeys_at_the_end(ask: ChatAsk) -> str:
    """Answers of a model that obeys only skills at the end of a user message, even an old one."""
    users = [one.text for one in ask.messages if one.role is Role.USER]
    return "Noted. Yes." if any(text.endswith("</skills>") for text in users) else "Well."


@dataclass
class Room:
    """A measurement on a real database, with one model."""

    folder: Path
    chat: FakeChatModel = field(default_factory=lambda: FakeChatModel(obeys_at_the_end))
    clock: FakeClock = field(default_factory=FakeClock)
    places: dict[str, Placement] = field(default_factory=dict)
    talked: list[ModelUse] = field(default_factory=list)
    facts: dict[str, ModelFacts] = field(default_factory=dict)
    library: Library = field(default_factory=lambda: SKILLS)
    away: bool = False
    pairs_at_once: int = 1

    def __post_init__(self) -> None:
        self.database = database_at(self.folder / "lull.db")
        self.talk("llama", 5, FACTS)

    def talk(self, model: str, turns: int, facts: ModelFacts) -> None:
        self.talked.append(ModelUse(model=model, turns=turns, last=self.clock.now()))
        self.facts[model] = facts

    async def open(self, sheet: PlacingSheet = SHEET) -> MeasurePlacing:
        made = MeasurePlacing(
            store=Placings(self.database),
            sheet=sheet,
            models=PlacingModels(uses=self, here=self, in_use=self),
            quiet=AtOnce(),
            clock=self.clock,
            slice_s=30.0,
            tools=NO_LIBRARIES,
            places=self.places,
        )
        await made.load()
        await made.refresh()
        return made

    # What the measurement asks of its surroundings

    def answer_counts(self, since: datetime) -> list[ModelUse]:
        return [one for one in self.talked if one.last >= since]

    def facts_here(self, model: str) -> ModelFacts | None:
        return self.facts.get(model)

    async def open_target(self, model: str) -> ReplayTarget | None:
        if self.away:
            return None
        return replace(target(self.chat, self.facts[model]), pairs_at_once=self.pairs_at_once)


def target(chat: FakeChatModel, facts: ModelFacts) -> ReplayTarget:
    return ReplayTarget(
        chat=chat,
        system=facts.system,
        digest=facts.digest,
        engine="ollama",
        adapter=None,
        sampling=Sampling(),
    )


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path)
    yield made
    made.database.close()


async def test_the_place_that_is_obeyed_is_in_force_when_it_is_sure(room: Room) -> None:
    story = await room.open()
    assert room.places == {} and story.results()[0].place is None
    assert await story.slice("llama") > 0
    assert room.places == {FACTS.digest: Placement.TAIL}
    assert story.waiting() == [] and await story.slice("llama") == 0
    (result,) = story.results()
    assert "0 of 8 answers followed them with the rules in the system prompt" in result.why
    assert "8 after your message" in result.why


async def test_each_case_is_one_conversation_whose_rule_stays_where_it_stood(room: Room) -> None:
    story = await room.open()
    await story.slice("llama")
    for first, second in zip(room.chat.asked[::2], room.chat.asked[1::2], strict=True):
        assert second.messages[: len(first.messages)] == first.messages
        assert [one.role for one in second.messages[-2:]] == [Role.ASSISTANT, Role.USER]
    head = room.chat.asked[2].messages
    assert head[0].role is Role.USER and head[0].text.startswith("<skills>")
    system = room.chat.asked[0].messages[0]
    assert system.role is Role.SYSTEM and system.text.startswith(f"{FACTS.system}\n\n<skills>")


async def test_an_engine_that_is_fast_at_several_is_asked_in_all_places_at_the_same_time(
    tmp_path: Path,
) -> None:
    ends = []
    for number in (1, 4):
        room = Room(tmp_path / str(number), pairs_at_once=number)
        try:
            story = await room.open()
            while await story.slice("llama"):
                pass
            ends.append((story.results()[0], room.places))
            if number == 4:
                first = [ask.messages for ask in room.chat.asked[:3]]
                assert len(set(first)) == 3
                assert all(len(messages) <= 2 for messages in first)  # no answer yet
        finally:
            room.database.close()
    assert ends[0] == ends[1]


async def test_it_goes_on_where_it_stopped_and_other_cases_begin_anew(room: Room) -> None:
    story = await room.open()
    said = room.chat.answers
    room.chat.answers = [*[obeys_at_the_end] * 4, UpstreamDown("Nobody is there.")]
    assert await story.slice("llama") == 2  # four answers, two marks
    with pytest.raises(UpstreamDown):
        await story.slice("llama")
    again = await room.open()
    assert (again.waiting()[0].done, room.places) == (2, {})
    room.chat.answers = said
    await again.slice("llama")
    room.places.clear()
    assert (await room.open()).waiting() == [] and room.places[FACTS.digest] is Placement.TAIL
    room.places.clear()
    other = await room.open(replace(SHEET, sha256="other cases"))
    assert room.places == {} and other.waiting()[0].done == 0


async def test_an_answer_that_is_cut_off_is_not_scored_and_one_that_echoes_is_broken(
    room: Room,
) -> None:
    cut = Completion(message=text_message(Role.ASSISTANT, "Noted"), finish=Finish.LENGTH)
    room.chat.answers = [cut]
    story = await room.open()
    await story.slice("llama")
    (result,) = story.results()
    assert {mark.kept for mark in result.marks} == {None} and result.place is Placement.SYSTEM
    room.talk("echo", 4, replace(FACTS, digest="sha256:echo"))
    room.chat.answers = ["Noted. <skills> Begin with Noted. </skills>"]
    await story.refresh()
    await story.slice("echo")
    assert {mark.kept for mark in story.results()[1].marks} == {0}


async def test_only_models_are_measured_that_are_talked_to_and_can_be_told_there(
    room: Room,
) -> None:
    room.talk("alias", 9, FACTS)
    room.talk("pocket", 8, replace(FACTS, digest="sha256:pocket", reads_suffixes=False))
    for number in range(4):
        room.talk(f"other{number}", 4 - number, replace(FACTS, digest=f"sha256:{number}"))
    room.talked.append(ModelUse(model="gone", turns=50, last=room.clock.now()))
    story = await room.open()
    assert [one.model for one in story.waiting()] == ["alias", "other0", "other1"]
    room.library = Library(2, {})
    await story.refresh()
    assert story.waiting() == []


async def test_a_model_that_is_away_is_asked_later(room: Room) -> None:
    room.away = True
    story = await room.open()
    assert await story.slice("llama") == 0 and story.waiting()[0].done == 0


async def test_a_stopped_case_leaves_no_mark(room: Room) -> None:
    room.chat.hanging = True
    story = await room.open()
    asking = asyncio.create_task(story.slice("llama"))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert story.waiting()[0].done == 0


def test_the_shipped_cases_are_read_and_no_rule_both_decides_and_shows(tmp_path: Path) -> None:
    sheet = load_placing_sheet()
    deciding = {case.rule for case in sheet.cases if case.decides}
    showing = {case.rule for case in sheet.cases if not case.decides}
    assert (len(deciding), len(showing)) == (8, 4) and not deciding & showing
    assert len({case.id for case in sheet.cases}) == len(sheet.cases) == 36
    (tmp_path / "cases.jsonl").write_text('{"id": "a"}')
    with pytest.raises(ResourceError, match=r"cases\.jsonl"):
        load_placing_sheet(tmp_path)
