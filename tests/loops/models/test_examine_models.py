"""Tests of examining chat models one question at a time, with results that outlive a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest

from lull.core.chat.model_name import canonical
from lull.core.errors import EvolverFault, NotFound, UpstreamDown
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import MessageFindings, Scope
from lull.core.feedback.judge import JudgeQuestion
from lull.core.feedback.reward import Vote
from lull.core.idle.scheduling import WorkKind
from lull.core.models.admission import NOTHING_TO_COMPARE, SmallReaderFigures
from lull.core.models.candidates import MachineMemory
from lull.core.models.exam import ExamSheet, JudgeItem, ModelRole, ReadItem, WriteItem
from lull.core.models.ollama_model import ListedModel, ShownModel
from lull.core.skills.ports import EvolverMaterial, SkillDraft
from lull.core.skills.skill import SkillText
from lull.loops.models.exam_candidates import ExamCandidates
from lull.loops.models.exam_papers import ExamPapers
from lull.loops.models.exam_work import ExamWork
from lull.loops.models.examine_models import QUESTION_S, Examinee, ExamineModels, examine_reader
from lull.store.models.exams import Exams
from lull.store.sqlite.database import Database
from tests.building import database_at
from tests.doubles.fakes import FakeClock
from tests.eventually import PATIENCE_S, stands, until

T = TypeVar("T")
GB = 10**9
WISH = "Keep mails short."
EACH = 24


def papers() -> dict[ModelRole, ExamSheet]:
    said = f"Too long. {WISH}"
    read = [
        ReadItem(
            id=f"r{n}",
            exchange=Exchange(asked="a", answer="b", said=said),
            correction=True,
            lasting=True,
            scope="kind",
            quote=(WISH,),
        )
        for n in range(EACH)
    ]
    judge = [
        JudgeItem(
            id=f"j{n}",
            rule="r",
            request="q",
            answer="yes" if n % 2 else "no",
            kept=n % 2 == 1,
            applies=True,
        )
        for n in range(EACH)
    ]
    write = [
        WriteItem(
            id=f"w{n}",
            failures=(Exchange(asked="a", answer="b", said=WISH),),
            must=(("short",),),
            must_not=(),
        )
        for n in range(4)
    ]
    items = {ModelRole.READER: read, ModelRole.JUDGE: judge, ModelRole.WRITER: write}
    return {
        role: ExamSheet(role=role, sha256=role.value, items=tuple(of)) for role, of in items.items()
    }


@dataclass
class Pupil:
    """A fake chat model that answers well or badly, as told, in all three roles."""

    name: str
    good: bool = True
    asked: int = 0
    away: UpstreamDown | None = None
    hangs: bool = False
    light: bool = False
    version: str = "v"

    async def _answer(self) -> None:
        self.asked += 1
        if self.away is not None:
            raise self.away
        await (asyncio.Event().wait() if self.hangs else asyncio.sleep(0))

    async def read(self, exchanges: Sequence[Exchange]) -> list[MessageFindings | None]:
        await self._answer()
        heard = MessageFindings(correction=0.95, lasting=0.95, scope=Scope.KIND, quote=(WISH,))
        return [heard if self.good else None for _ in exchanges]

    async def votes(self, question: JudgeQuestion) -> tuple[Vote, ...]:
        await self._answer()
        kept = question.answer.text == "yes" or not self.good
        return (Vote(score=1 if kept else -1, reason="so"),) * 3

    async def draft(self, material: EvolverMaterial) -> SkillDraft | None:
        await self._answer()
        if not self.good:
            raise EvolverFault("It is no JSON.", answer="no")
        return SkillDraft(
            text=SkillText(name="a", description="For mails", body="Keep them short.")
        )


class AtOnce:
    async def run(self, work: Callable[[], Awaitable[T]], *, hurry: bool = False) -> T:
        return await work()


@dataclass
class Room:
    database: Database
    pupils: dict[str, Pupil] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    settings: dict[ModelRole, str] = field(default_factory=dict)
    small: SmallReaderFigures | None = field(
        default_factory=lambda: SmallReaderFigures(name="small", exam="reader", right=12, n=EACH)
    )
    clock: FakeClock = field(default_factory=FakeClock)
    form: str = "words"

    def add(self, name: str, gb: float, *, good: bool = True) -> Pupil:
        self.known[name], self.sizes[name] = f"digest of {name}", gb
        self.pupils[name] = Pupil(name=name, good=good)
        return self.pupils[name]

    async def listed(self) -> tuple[ListedModel, ...]:
        return tuple(
            ListedModel(
                name=name,
                digest=self.known[name],
                size_bytes=int(gb * GB),
                remote=name.endswith("cloud"),
            )
            for name, gb in self.sizes.items()
        )

    async def show(self, name: str) -> ShownModel:
        assert not name.endswith("cloud"), "nobody asks about what runs elsewhere"
        if name == "broken":
            raise NotFound("There is none.")
        return ShownModel(
            name=name,
            architecture="llama",
            parameters=1,
            format="gguf",
            capabilities=("completion",),
            blobs=(),
            adapters=(),
            remote=False,
        )

    async def loaded(self) -> list[str]:
        return []

    def digests(self) -> dict[str, str]:
        return {canonical(name): digest for name, digest in self.known.items()}

    async def open(self, **more: float) -> ExamineModels:
        story = ExamineModels(
            Exams(self.database),
            candidates=ExamCandidates(
                self,
                state=self,
                settings=lambda: self.settings,
                memory=lambda: MachineMemory(total_bytes=32 * GB, available_bytes=20 * GB),
            ),
            papers=ExamPapers(papers(), forms=lambda _: self.form, small=self.small),
            examinee=lambda name: Examinee(
                reader=self.pupils[name], judge=self.pupils[name], writer=self.pupils[name]
            ),
            quiet=AtOnce(),
            clock=self.clock,
            **more,
        )
        await story.load()
        await story.refresh()
        return story


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    database = database_at(tmp_path / "lull.db")
    yield Room(database)
    database.close()


async def all_of(story: ExamineModels) -> None:
    while waiting := story.waiting():
        while await story.step(waiting[0].model, waiting[0].role):
            pass


async def test_a_model_that_passes_is_admitted_in_every_role(room: Room) -> None:
    room.add("good:8b", 5)
    story = await room.open()
    assert [story.admitted(role) for role in ModelRole] == [None] * 3
    empty = await Room(room.database).open()
    assert "no chat model now" in empty.why_none_admitted(ModelRole.JUDGE)
    assert "good:8b will be tested next time you're away" in story.why_none_admitted(
        ModelRole.JUDGE
    )
    await all_of(story)
    assert [story.admitted(role) for role in ModelRole] == ["good:8b"] * 3
    assert [(one.role, one.passed, one.n) for one in story.results()] == [
        (ModelRole.READER, True, EACH),
        (ModelRole.JUDGE, True, EACH),
        (ModelRole.WRITER, True, 4),
    ]
    belief = story.judge_belief("good:8b")
    assert belief is not None and belief.right == belief.specificity == pytest.approx(13 / 14)


async def test_a_model_that_fails_says_why_and_the_next_is_asked(room: Room) -> None:
    poor, good = room.add("poor:14b", 9, good=False), room.add("good:4b", 3)
    story = await room.open()
    await all_of(story)
    assert [story.admitted(role) for role in ModelRole] == ["good:4b"] * 3
    failed = {one.role: one for one in story.results() if one.model == "poor:14b"}
    assert "weighted equally, is 50%" in failed[ModelRole.JUDGE].why
    assert all("Stopped after" in one.why for one in failed.values())
    assert poor.asked < good.asked


async def test_once_the_largest_has_passed_smaller_ones_are_left_alone(room: Room) -> None:
    room.add("large:8b", 5)
    small = room.add("small:1b", 1)
    await all_of(await room.open())
    assert small.asked == 0


async def test_an_exam_goes_on_behind_a_restart_where_it_was(room: Room) -> None:
    pupil = room.add("good:8b", 5)
    first = await room.open()
    for _ in range(10):
        await first.step("good:8b", ModelRole.READER)
    second = await room.open()
    (one, *_) = second.waiting()
    assert (one.model, one.role, one.done, one.of) == ("good:8b", ModelRole.READER, 10, EACH)
    await all_of(second)
    assert pupil.asked == 2 * EACH + 4


async def test_a_stopped_question_is_asked_again(room: Room) -> None:
    pupil = room.add("good:8b", 5)
    story = await room.open()
    pupil.hangs = True
    asking = asyncio.create_task(story.step("good:8b", ModelRole.READER))
    await until(lambda: pupil.asked)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    pupil.hangs = False
    assert await story.step("good:8b", ModelRole.READER)
    assert story.waiting()[0].done == 1


async def test_another_make_of_a_model_is_examined_anew(room: Room) -> None:
    room.add("good:8b", 5)
    story = await room.open()
    await all_of(story)
    room.known["good:8b"] = "another"
    assert story.admitted(ModelRole.JUDGE) is None  # at once, before anybody looks
    await story.refresh()
    assert [one.done for one in story.waiting()] == [0, 0, 0]
    await all_of(story)
    assert story.admitted(ModelRole.JUDGE) == "good:8b"
    assert {one.digest for one in Exams(room.database).all()} == {"another"}


async def test_a_model_that_has_gone_is_admitted_no_longer(room: Room) -> None:
    room.add("good:8b", 5)
    story = await room.open()
    await all_of(story)
    del room.known["good:8b"], room.sizes["good:8b"]
    await story.refresh()
    assert story.admitted(ModelRole.JUDGE) is None and story.results() == []
    assert story.why_none_admitted(ModelRole.JUDGE) == (
        "good:8b was tested, but it is no longer there as it was."
    )


async def test_another_prompt_is_another_exam(room: Room) -> None:
    room.add("good:8b", 5)
    await all_of(await room.open())
    room.form = "other words"
    story = await room.open()
    assert story.admitted(ModelRole.WRITER) is None and len(story.waiting()) == 3


async def test_what_is_off_costs_nothing_and_what_is_named_is_examined(room: Room) -> None:
    large, named = room.add("large:8b", 5), room.add("named:1b", 1, good=False)
    room.settings = {ModelRole.READER: "", ModelRole.JUDGE: "named:1b", ModelRole.WRITER: "none"}
    story = await room.open()
    await all_of(story)
    assert large.asked == 0 and named.asked > 0
    assert [(one.model, one.role, one.passed) for one in story.results()] == [
        ("named:1b", ModelRole.JUDGE, False)
    ]


async def test_what_runs_elsewhere_is_never_asked(room: Room) -> None:
    far = room.add("far:120b-cloud", 1)
    room.add("broken", 1)
    story = await room.open()
    await all_of(story)
    assert far.asked == 0
    assert {one.name: one.why_not for one in story.not_examined()} == {
        "far:120b-cloud": "It runs on somebody else's machine.",
        "broken": "Ollama says nothing of it.",
    }


async def test_without_the_small_readers_figures_nobody_reads_and_one_question_says_so(
    room: Room,
) -> None:
    room.small = None
    pupil = room.add("good:8b", 5)
    room.settings = {ModelRole.JUDGE: "", ModelRole.WRITER: ""}
    story = await room.open()
    await all_of(story)
    (result,) = story.results()
    assert (pupil.asked, result.passed, result.why) == (1, False, NOTHING_TO_COMPARE)


async def test_who_cannot_be_asked_has_not_failed(room: Room) -> None:
    pupil = room.add("good:8b", 5)
    pupil.away = UpstreamDown("Nobody is there.")
    story = await room.open()
    with pytest.raises(UpstreamDown):
        await story.step("good:8b", ModelRole.READER)
    assert story.waiting()[0].done == 0 and story.results() == []


async def test_a_model_that_is_too_slow_is_turned_down_after_two_questions(
    room: Room,
) -> None:
    pupil = room.add("slow:70b", 9)
    pupil.hangs = True
    room.settings = {ModelRole.JUDGE: "", ModelRole.WRITER: ""}
    story = await room.open(question_s=0.02)
    assert await story.step("slow:70b", ModelRole.READER, within_s=0.01)  # too short to tell
    assert await story.step("slow:70b", ModelRole.READER, within_s=0.02)
    assert not await story.step("slow:70b", ModelRole.READER, within_s=0.02)
    (result,) = story.results()
    assert result.passed is False and "too slow" in result.why


async def test_any_reader_can_be_measured_on_the_sheet(room: Room) -> None:
    result = await examine_reader(Pupil(name="small"), papers()[ModelRole.READER])
    assert (result.n, sum(mark.right for mark in result.marks)) == (EACH, EACH)


# As work for a lull


class NothingLent:
    async def note_loaded(self) -> None: ...

    async def unload_own(self) -> None: ...


def work(story: ExamineModels, clock: FakeClock) -> ExamWork:
    one = story.waiting()[0]
    return ExamWork(
        one,
        step=lambda within_s: story.step(one.model, one.role, within_s=within_s),
        clock=clock,
        models=NothingLent(),
    )


async def test_a_unit_ends_in_time_and_the_next_goes_on(room: Room) -> None:
    pupil = room.add("good:8b", 5)
    story = await room.open()
    made = work(story, room.clock)
    assert (made.kind, made.text) == (
        WorkKind.EXAM,
        "Testing whether good:8b understands your feedback well enough",
    )
    step, room_s = story.step, room.clock

    async def slow(model: str, role: ModelRole, *, within_s: float) -> bool:
        room_s.advance(8.0)
        return await step(model, role, within_s=within_s)

    story.step = slow  # type: ignore[method-assign]
    await made.run_slice(room.clock.monotonic_s() + 30.0)
    assert pupil.asked == 3  # a fourth would not have come to its end
    assert work(story, room.clock).progress == 3 / EACH


async def test_input_suspends_it_at_once_and_nothing_else_is_lost(room: Room) -> None:
    pupil = room.add("good:8b", 5)
    story = await room.open()
    await story.step("good:8b", ModelRole.READER)
    pupil.hangs = True
    made = work(story, room.clock)
    running = asyncio.create_task(made.run_slice(room.clock.monotonic_s() + 30.0))
    await until(lambda: pupil.asked == 2)
    await made.suspend()
    await stands()
    assert not running.done() and story.waiting()[0].done == 1
    assert pupil.asked == 2
    pupil.hangs = False
    await made.resume()
    async with asyncio.timeout(PATIENCE_S):
        await running
    assert story.waiting()[0].role is ModelRole.JUDGE


async def test_its_memory_is_given_back_in_the_middle_of_a_question(room: Room) -> None:
    pupil = room.add("good:8b", 5)
    pupil.hangs = True
    story = await room.open()
    made = work(story, room.clock)
    running = asyncio.create_task(made.run_slice(room.clock.monotonic_s() + QUESTION_S))
    await until(lambda: pupil.asked)
    await made.give_back_memory()
    await made.give_back_memory()
    async with asyncio.timeout(PATIENCE_S):
        await running
