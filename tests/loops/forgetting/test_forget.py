"""Tests of forgetting a conversation: all that came of it goes, nothing else does, and no word of
it is left in any file.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lull.core.adapters.adapter import AdapterStatus, AdapterVersion
from lull.core.chat.client import Client
from lull.core.errors import NotFound
from lull.core.skills.skill import SkillKey, SkillStatus
from lull.core.training.record import Run, RunProgress, RunSource, RunStatus
from lull.core.training.rollout import SampledPolicy
from lull.core.training.spec import RunKind, RunSpec
from lull.loops.forgetting.derived import ForgetTables
from lull.loops.forgetting.forget import Forget, ForgetFiles
from lull.loops.training.next_step import Task
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.chat.turn_rows import Label
from lull.store.forgetting.forgetting import PATIENCE_S, ForgettingRows
from lull.store.sqlite.database import Database
from lull.store.training.tidy_runs import RunFolderCleanup
from tests.building import bytes_below
from tests.cancelling import cancelled_within
from tests.damage import damage_record
from tests.loops.classroom import ANYBODY, MODEL
from tests.loops.night_house import POCKET, NightHouse
from tests.loops.night_house import RULE as NIGHT_RULE

WORD = "xylophonic"
"""A word that occurs nowhere but in the conversation to be forgotten."""
RULE = f"no, when you write a menu, always begin with {WORD}"


@dataclass
class FakeExemplars:
    """Implements loops.forget.Exemplars in memory."""

    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    rewritten: int = 0

    def of_turns(self, turns: Sequence[str]) -> list[str]:
        return [one for one in self.texts if one.split(":")[0] in turns]

    def remove(self, ids: list[str]) -> None:
        for one in ids:
            del self.texts[one]

    def remove_skill(self, *, client: str, skill: str) -> None:
        self.texts = {
            one: (c, s) for one, (c, s) in self.texts.items() if (c, s) != (client, skill)
        }

    def rewrite(self) -> None:
        self.rewritten += 1


async def nothing_happens() -> None:
    pass


class MortalForgetting(ForgettingRows):
    """The real store of forgetting, which may die before it rewrites the database file."""

    def __init__(self, database: Database, dies: Callable[[str], None]) -> None:
        super().__init__(database)
        self._dies = dies

    def rewrite(self, patience_s: float = PATIENCE_S) -> list[Path]:
        self._dies("rewrite")
        return super().rewrite(patience_s)


@dataclass
class Elsewhere:
    """Stands in for the rest of a service; a test can let the power fail in it."""

    archive: Archive

    async def exemplars(self) -> FakeExemplars:
        self.archive.dies("exemplars")
        await self.archive.happens("exemplars")
        return self.archive.memory

    async def roll_back(self, model: str, *, to: str | None, why: str) -> None:
        self.archive.dies("adapters")
        at = self.archive.clock.now()
        await self.archive.adapters.roll_back(model, to, at=at, why=why)

    async def stop(self, runs: Sequence[str]) -> None:
        self.archive.dies("stop")
        self.archive.stopped += runs
        await self.archive.happens("stop")

    async def afterwards(self) -> None:
        self.archive.dies("afterwards")
        self.archive.score.wishes.clear()
        await self.archive.approve.follow()


@dataclass
class Archive(NightHouse):
    """A house that holds everything that forgetting a conversation may have to remove."""

    memory: FakeExemplars = field(default_factory=FakeExemplars)
    stopped: list[str] = field(default_factory=list)
    dies_at: str = ""
    """The step of forgetting before which the power fails."""
    meanwhile: Callable[[], Awaitable[object]] = nothing_happens
    """Happens once during forgetting, at the step `meanwhile_at`."""
    meanwhile_at: str = "exemplars"

    def start(self) -> None:
        super().start()
        self.adapters = Adapters(self.database)
        self.files = AdapterFiles(self.folder / "adapters")
        self.forgetting = MortalForgetting(self.database, self.dies)
        tables = ForgetTables(
            trajectories=self.trajectories,
            proposals=self.proposals,
            skills=self.skills,
            training=self.training,
            adapters=self.adapters,
            rewards=self.rewards,
            feedback=self.feedback,
            forgetting=self.forgetting,
        )
        files = ForgetFiles(
            runs=self.folders,
            adapters=self.files,
            logs=lambda: (self.folder / "logs").glob("*"),
        )
        self.forget = Forget(tables, files, Elsewhere(self), approve=self.approve, in_use=self)

    async def happens(self, step: str) -> None:
        """Run `meanwhile` once, when its step has come."""
        if self.meanwhile_at == step:
            work, self.meanwhile = self.meanwhile, nothing_happens
            await work()

    def dies(self, step: str) -> None:
        if self.dies_at == step:
            raise PowerCut(step)

    # What a test stores

    async def corrected(self, asked: str, rule: str, *, model: str = MODEL) -> tuple[str, str]:
        """Play a conversation in which the user corrects Lull; return (conversation, turn)."""
        turns = await self.plays(asked, "an answer", rule, "noted", model=model)
        await self.score.read_new()
        return self.trajectories.turn(turns[0]).trajectory, turns[0]

    async def held_menus(self, count: int, *, client: Client = ANYBODY) -> list[str]:
        """Hold conversations about menus: the first is corrected in words, and the later ones are
        held to these, since the skill that was made of them is approved in between.
        """
        (first,) = await self.menus(1, client=client)
        _, turns = self.trajectories.get(self.trajectories.turn(first).trajectory)
        skills_of = client.name if client.apart else ""
        await self.approved(wish_turns=(turns[-1].id,), model=POCKET, client=skills_of)
        later = await self.menus(count - 1, corrected=0, seed=2, client=client)
        return [first, *later]

    async def run_of(self, name: str, turns: Iterable[str], **more: object) -> Run:
        """Store a run of these turns with its folder, as the slow loop leaves it."""
        turns = list(turns)
        run = Run(
            id=name,
            made_at=self.clock.now(),
            changed_at=self.clock.now(),
            model="pocket",
            base=self.digest,
            progress=RunProgress(),
            skills=dict.fromkeys(turns, ()),
            **{  # type: ignore[arg-type]
                "kind": RunKind.GRPO,
                "status": RunStatus.PROMOTED,
                "why": "",
                "root": None,
                "parent": None,
                **more,
            },
        )
        where = {turn: self.trajectories.turn(turn).trajectory for turn in turns}
        sources = [RunSource(kind="turn", id=turn, trajectory=where[turn]) for turn in turns]
        await self.training.add_run(run, sources)
        self.folders.write(RunSpec(id=name, kind=RunKind.GRPO, model="m"), ())
        return run

    async def adapter_of(self, name: str, run: str, parent: str | None = None) -> AdapterVersion:
        source = self.folder / "made" / name
        source.mkdir(parents=True)
        (source / "adapters.safetensors").write_bytes(f"weights of {name}".encode())
        (source / "adapter_config.json").write_text("{}")
        version = AdapterVersion(
            id=name,
            parent=parent,
            base_model="pocket",
            base_digest=self.digest,
            sha256=self.files.take_in(name, source),
            run=run,
            status=AdapterStatus.CANDIDATE,
            made=self.clock.now(),
        )
        await self.adapters.add(version)
        await self.adapters.promote(name, at=self.clock.now(), why="a test")
        self.clock.advance(1)
        return version

    def rollouts_of(self, turns: Iterable[str]) -> list[str]:
        found = self.training.group_states(SampledPolicy(base=self.digest, adapter=""))
        return [turn for turn in turns if turn in found]

    def says(self, word: str) -> list[str]:
        """Files below the home that contain a word, in upper or lower case."""
        wanted = word.lower().encode()
        return [str(path) for path, data in bytes_below(self.folder) if wanted in data.lower()]


class PowerCut(Exception):
    pass


@pytest.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    made = Archive(tmp_path)
    yield made
    await asyncio.to_thread(made.database.close)


async def test_a_skill_that_a_conversation_taught_goes_with_every_word_of_it(
    archive: Archive,
) -> None:
    conversation, turn = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    (proposal,) = await archive.evolve.step()
    assert WORD in proposal.text.body
    await archive.review.approve(proposal.id)
    # Another conversation has it in its prompt, and is credited with it.
    (later,) = await archive.plays("please write a menu for fish and rice", "fish, rice")
    assert [skill.name for skill in archive.trajectories.turn(later).skills]
    await archive.rate(later, Label.GOOD)
    archive.memory.texts = {f"{turn}:a": ("test", "a"), f"{later}:b": ("test", "b")}
    logs = archive.folder / "logs"
    logs.mkdir()
    (logs / "lull.log").write_text(f"proposal {proposal.id}: {proposal.key.name} (screened)\n")
    (archive.folder / "lull.db.before-6").write_text(f"an older copy, with {WORD} in it")
    assert archive.says(WORD)

    found = archive.forget.find_derived(conversation)
    assert archive.says(WORD)  # only looked at
    assert found.what.skills == (("", proposal.key.name),)
    assert found.made == (f"The skill '{proposal.key.name}' is taken out.",)

    await archive.forget.forget(conversation)
    assert archive.says(WORD) == []
    with pytest.raises(NotFound):
        archive.trajectories.get(conversation)
    assert SkillKey("", proposal.key.name) not in archive.library.skills
    assert archive.proposals.undecided(everything=True) == []
    assert list(archive.memory.texts) == [f"{later}:b"] and archive.memory.rewritten
    assert proposal.key.name not in (logs / "lull.log").read_text()

    # The other conversation is whole, goes on without the skill, and never trains.
    shown = archive.trajectories.turn(later)
    assert shown.answer.text == "fish, rice"
    assert (
        archive.eligible.check_turns([later])[later].why_not
        == "its prompt would get different skills today"
    )


async def test_of_a_rejected_proposal_neither_text_nor_name_nor_reason_is_left(
    archive: Archive,
) -> None:
    conversation, _ = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    (proposal,) = await archive.evolve.step()
    name = proposal.key.name
    assert name == f"always-begin-with-{WORD}"
    await archive.review.reject(proposal.id, reason=f"no {WORD} any more")
    logs = archive.folder / "logs"
    logs.mkdir()
    # Earlier versions wrote the name into their log like this.
    (logs / "lull.log.1").write_text(f"proposal {proposal.id}: {proposal.key.name} (screened)\n")
    done = await archive.forget.forget(conversation)
    assert archive.says(WORD) == [] and archive.says(name) == []
    assert done.left == ()


async def test_what_was_damaged_and_kept_aside_is_named(archive: Archive) -> None:
    """Forgetting cannot search damaged files, so it names them."""
    conversation, _ = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    aside = [archive.folder / name for name in ("lull.db.damaged-1", "vectors.damaged-1")]
    for file in aside:
        file.write_text("damaged")
    assert (await archive.forget.forget(conversation)).left == tuple(aside)


async def test_a_proposal_whose_row_was_damaged_goes_too(archive: Archive) -> None:
    conversation, _ = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    (proposal,) = await archive.evolve.step()
    await archive.database.write(
        lambda connection: connection.execute(
            "UPDATE proposals SET bytes = bytes || x'21' WHERE id = ?", (proposal.id,)
        )
    )
    await archive.forget.forget(conversation)
    assert archive.says(WORD) == []


@pytest.mark.parametrize("column", ["status", "fields"])
async def test_a_run_and_an_adapter_whose_rows_were_damaged_go_too(
    archive: Archive, column: str
) -> None:
    conversation, turn = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    await archive.run_of("run_1", [turn])
    await archive.run_of("run_2", [], parent="run_1")
    await archive.adapter_of("adapter_1", "run_2")
    await archive.database.write(lambda c: c.execute(f"UPDATE runs SET {column} = '{{'"))
    await archive.database.write(lambda c: damage_record(c, "adapters", "adapter_1"))
    RunFolderCleanup(archive.training, archive.folders, keep=lambda: 0).sweep()
    assert not archive.folders.is_gone("run_1"), "a sweep knows it all the same"
    assert archive.training.runs() == []
    told = archive.training.damage_error()
    assert told is not None and "2 records are damaged" in told.detail
    found = archive.forget.find_derived(conversation)
    assert (sorted(found.what.runs), found.what.adapters) == (["run_1", "run_2"], ("adapter_1",))
    await archive.forget.forget(conversation)
    assert archive.says(WORD) == [] and archive.folders.is_gone("run_1")
    assert not archive.files.folder("adapter_1").exists()
    assert archive.training.damage_error() is archive.adapters.damage_error() is None


async def test_an_adapter_of_which_only_the_run_still_tells_goes_too(archive: Archive) -> None:
    conversation, turn = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    await archive.run_of("run_1", [turn], adapter="adapter_1")
    await archive.run_of("run_2", [])
    await archive.adapter_of("adapter_1", "run_1")
    await archive.adapters.roll_back("pocket", None, at=archive.clock.now(), why="a test")

    def lose(connection: sqlite3.Connection) -> None:
        damage_record(connection, "adapters", "adapter_1")
        connection.execute("DELETE FROM adapters")

    await archive.database.write(lose)
    assert archive.adapters.damage_error() is not None
    found = archive.forget.find_derived(conversation)
    assert (found.what.runs, found.what.adapters) == (("run_1",), ("adapter_1",))
    await archive.forget.forget(conversation)
    assert not archive.files.folder("adapter_1").exists()
    assert archive.adapters.damage_error() is None, "it is not missed for ever"


async def test_no_name_that_words_of_the_user_made_stands_in_a_log(
    archive: Archive, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    await archive.corrected(f"write a menu for {WORD} soup", RULE)
    (proposal,) = await archive.evolve.step()
    await archive.review.reject(proposal.id, reason="no")
    await archive.corrected(f"write a menu for {WORD} tea", RULE)
    assert not await archive.evolve.step()
    assert proposal.id in caplog.text and proposal.key.name not in caplog.text


async def test_what_another_conversation_taught_stays(archive: Archive) -> None:
    gone, _ = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    kept, turn = await archive.corrected(
        "write a letter to the bank", "no, when you write a letter, sign it with Best, Jo"
    )
    proposals = await archive.evolve.step()
    assert len(proposals) == 2
    for proposal in proposals:
        await archive.review.approve(proposal.id)
    before = archive.library
    await archive.forget.forget(gone)
    (left,) = archive.library.skills.values()
    assert left.status is SkillStatus.ACTIVE and "letter" in left.body
    assert left.sha256 in {skill.sha256 for skill in before.skills.values()}
    assert archive.trajectories.get(kept)[1][0].id == turn
    assert archive.eligible.check_turns([turn])[turn].support
    assert archive.says(WORD) == [] and archive.says("Best, Jo")


async def test_an_edit_is_taken_back_to_the_text_before(archive: Archive) -> None:
    await archive.corrected("write a menu for soup", "no, when you write a menu, end with sugar")
    (first,) = await archive.evolve.step()
    await archive.review.approve(first.id)
    conversation, _ = await archive.corrected(
        "please write a menu for fish", "no, when you write a menu, end with walnut"
    )
    (second,) = await archive.evolve.step()
    await archive.review.approve(second.id)
    key = second.key
    assert "walnut" in archive.library.get(key).body
    found = await archive.forget.forget(conversation)
    assert archive.says("walnut") == []
    assert found.what.set_back == (("", key.name, first.sha256),)
    assert archive.library.get(first.key).sha256 == first.sha256


async def test_runs_and_adapters_are_followed_to_the_last_that_went_on_from_them(
    archive: Archive,
) -> None:
    conversation, turn = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    (clean,) = await archive.plays("tell a joke about salt", "haha")
    await archive.run_of("run_0", [clean])
    root = await archive.adapter_of("adapter_0", "run_0")
    await archive.run_of("run_1", [turn, clean], root=root.sha256)
    await archive.run_of("run_2", [clean], root=root.sha256, parent="run_1")
    tainted = await archive.adapter_of("adapter_1", "run_2", parent="adapter_0")
    await archive.run_of("run_3", [clean], root=tainted.sha256)
    await archive.adapter_of("adapter_2", "run_3", parent="adapter_1")

    found = archive.forget.find_derived(conversation)
    assert set(found.what.runs) == {"run_1", "run_2", "run_3"}
    assert set(found.what.adapters) == {"adapter_1", "adapter_2"}
    await archive.forget.forget(conversation)
    assert set(archive.stopped) == {"run_1", "run_2", "run_3"}
    assert archive.adapters.in_force("pocket").active == "adapter_0"
    assert [one.id for one in archive.adapters.all()] == ["adapter_0"]
    assert [run.id for run in archive.training.runs()] == ["run_0"]
    assert sorted(p.name for p in (archive.folder / "adapters").iterdir()) == ["adapter_0"]
    assert [p.name for p in archive.folders.root.iterdir()] == ["run_0"]
    assert archive.says(WORD) == []


async def test_where_no_ancestor_is_free_of_it_the_base_answers(archive: Archive) -> None:
    conversation, turn = await archive.corrected("write a menu for soup", RULE)
    await archive.run_of("run_1", [turn])
    await archive.adapter_of("adapter_1", "run_1")
    await archive.forget.forget(conversation)
    assert archive.adapters.in_force("pocket").active is None
    assert archive.adapters.all() == []


async def test_an_ancestor_whose_files_are_gone_is_passed_over(archive: Archive) -> None:
    conversation, turn = await archive.corrected("write a menu for soup", RULE)
    (clean,) = await archive.plays("tell a joke about salt", "haha")
    parent, before = None, []
    for number in range(3):
        await archive.run_of(f"run_{number}", [clean])
        made = await archive.adapter_of(f"adapter_{number}", f"run_{number}", parent=parent)
        parent = made.id
        before.append(made)
    await archive.run_of("run_3", [turn])
    await archive.adapter_of("adapter_3", "run_3", parent=parent)
    archive.files.remove("adapter_2")  # as the last few alone are kept
    await archive.forget.forget(conversation)
    assert archive.adapters.in_force("pocket").active == "adapter_1"


@pytest.mark.parametrize("step", ["stop", "adapters", "exemplars", "afterwards", "rewrite"])
async def test_a_crash_in_between_is_finished_at_the_next_start(
    archive: Archive, step: str
) -> None:
    conversation, turn = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    (proposal,) = await archive.evolve.step()
    await archive.review.approve(proposal.id)
    await archive.run_of("run_1", [turn])
    await archive.adapter_of("adapter_1", "run_1")
    archive.dies_at = step
    with pytest.raises(PowerCut):
        await archive.forget.forget(conversation)
    archive.dies_at = ""
    await archive.restart()
    await archive.forget.finish()
    assert archive.forgetting.unfinished_deletions() == [] and not archive.forgetting.to_rewrite()
    assert archive.adapters.all() == [] and archive.training.runs() == []
    assert archive.says(WORD) == []
    with pytest.raises(NotFound):
        archive.forget.find_derived(conversation)


@pytest.mark.parametrize("step", ["stop", "adapters", "exemplars", "rewrite"])
async def test_what_failed_in_between_goes_on_when_it_is_asked_for_again(
    archive: Archive, step: str
) -> None:
    conversation, turn = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    (proposal,) = await archive.evolve.step()
    await archive.review.approve(proposal.id)
    await archive.run_of("run_1", [turn])
    await archive.adapter_of("adapter_1", "run_1")
    archive.dies_at = step
    with pytest.raises(PowerCut):
        await archive.forget.forget(conversation)
    if step == "rewrite":  # the rest of it is done, and said so
        with pytest.raises(NotFound):
            await archive.forget.forget(conversation)
        return
    archive.dies_at = ""
    found = await archive.forget.forget(conversation)
    assert (found.what.adapters, found.what.runs) == (("adapter_1",), ("run_1",))
    assert archive.forgetting.unfinished_deletions() == [] and not archive.forgetting.to_rewrite()
    assert archive.adapters.all() == [] and archive.training.runs() == []
    assert archive.says(WORD) == []


async def test_other_turns_that_were_held_to_its_words_are_scored_anew(archive: Archive) -> None:
    turns = await archive.held_menus(2)
    await archive.score.read_new()
    row = archive.known(turns[1])
    assert row.signals
    held = archive.trajectories.turn(turns[0]).trajectory
    found = await archive.forget.forget(held)
    assert found.what.said
    assert not any("you said" in s.text for s in archive.known(turns[1]).signals)
    await archive.score.read_new()
    assert not any("you said" in s.text for s in archive.known(turns[1]).signals)


async def test_who_said_the_same_in_another_room_keeps_scores_votes_and_runs(
    archive: Archive,
) -> None:
    ben = Client(name="ben", apart=True)
    hers, his = await archive.held_menus(2), await archive.held_menus(2, client=ben)
    await archive.run_of("run_1", [his[1]], kind=RunKind.KTO)
    before = archive.known(his[1])
    assert [signal.text for signal in before.signals] == [f"you said: no, {NIGHT_RULE}"]
    found = await archive.forget.forget(archive.trajectories.turn(hers[0]).trajectory)
    assert found.what.runs == ()
    assert archive.known(hers[1]).signals == ()
    assert archive.known(his[1]) == before


async def test_nor_does_what_is_answered_while_it_is_forgotten_keep_its_words(
    archive: Archive,
) -> None:
    """Until its rows are removed the wish is remembered, so that new answers are scored by it."""
    turns = await archive.held_menus(2)
    scored: list[str] = []

    async def more() -> None:
        scored.extend(await archive.menus(1, corrected=0, seed=5))
        assert archive.known(scored[0]).signals

    archive.meanwhile_at, archive.meanwhile = "stop", more
    await archive.forget.forget(archive.trajectories.turn(turns[0]).trajectory)
    assert archive.known(scored[0]).signals == ()
    await archive.score.read_new()
    assert archive.known(scored[0]).signals == ()
    assert archive.says(f"no, {NIGHT_RULE}") == []


async def test_what_was_scored_by_its_words_goes_though_it_was_trained_on_others(
    archive: Archive,
) -> None:
    turns = await archive.menus(14)
    for _ in range(8):
        if (await archive.does()).task is Task.TRAIN:
            break
    (run,) = archive.training.runs()
    wisher = archive.trajectories.turn(turns[0]).trajectory
    assert RunSource(kind="wish", id=turns[0], trajectory=wisher) in archive.training.sources(
        run.id
    )
    others = [turn for turn in run.skills if turn != turns[0]]
    await archive.run_of("run_of_others", others)
    assert archive.rollouts_of(others)

    found = await archive.forget.forget(wisher)
    assert run.id in found.what.runs
    assert archive.rollouts_of(others) == []
    assert all(archive.trajectories.turn(turn).answer.text for turn in others)


async def test_a_run_of_answers_that_were_labelled_by_its_words_goes(archive: Archive) -> None:
    turns = await archive.held_menus(3)
    (clean,) = await archive.plays("tell a joke about salt", "haha", model="pocket")
    await archive.run_of("run_1", [turns[1]], kind=RunKind.KTO)
    await archive.run_of("run_2", [clean], kind=RunKind.KTO)
    wisher = archive.trajectories.turn(turns[0]).trajectory
    found = await archive.forget.forget(wisher)
    assert found.what.runs == ("run_1",)
    assert [run.id for run in archive.training.runs()] == ["run_2"]


async def test_a_run_of_such_answers_that_is_made_meanwhile_goes_too(
    archive: Archive,
) -> None:
    """The run is made before its rows are removed, while its words are still remembered."""
    turns = await archive.held_menus(2)

    async def more() -> None:
        (late,) = await archive.menus(1, corrected=0, seed=5)
        assert archive.known(late).signals
        await archive.run_of("run_late", [late], kind=RunKind.KTO)

    archive.meanwhile_at, archive.meanwhile = "stop", more
    await archive.forget.forget(archive.trajectories.turn(turns[0]).trajectory)
    assert archive.training.runs() == []
    assert archive.folders.is_gone("run_late")


async def test_of_a_crash_the_turns_that_it_was_scored_by_are_still_known(
    archive: Archive,
) -> None:
    """After the crash their scores are gone, and a run may have been made of these turns."""
    turns = await archive.held_menus(2)
    archive.dies_at = "exemplars"
    with pytest.raises(PowerCut):
        await archive.forget.forget(archive.trajectories.turn(turns[0]).trajectory)
    await archive.run_of("run_late", [turns[1]], kind=RunKind.KTO)
    archive.dies_at = ""
    await archive.forget.finish()
    assert archive.training.runs() == []


@pytest.mark.parametrize("moment", ["INSERT ON facts", "DELETE ON turns", "DELETE ON facts"])
async def test_forgetting_is_not_left_half_done_by_who_goes_away(
    archive: Archive, moment: str
) -> None:
    conversation, _ = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    (proposal,) = await archive.evolve.step()
    await archive.review.approve(proposal.id)
    await cancelled_within(archive.database, moment, archive.forget.forget(conversation))
    assert archive.says(WORD) == [] and archive.forgetting.unfinished_deletions() == []
    assert SkillKey("", proposal.key.name) not in archive.library.skills


async def test_a_start_goes_on_where_the_file_cannot_be_rewritten(archive: Archive) -> None:
    conversation, _ = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    archive.dies_at = "rewrite"
    with pytest.raises(PowerCut):
        await archive.forget.forget(conversation)
    archive.dies_at = ""
    away = archive.database.path.rename(archive.folder / "away.db")
    error = await archive.forget.finish()
    assert error is not None and "was removed while Lull runs" in error.detail
    away.rename(archive.database.path)
    assert archive.forgetting.to_rewrite()
    assert await archive.forget.finish() is None
    assert not archive.forgetting.to_rewrite() and archive.says(WORD) == []


async def test_damaged_values_hold_up_no_deletion_and_keep_nothing_of_it(archive: Archive) -> None:
    conversation, _ = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    (proposal,) = await archive.evolve.step()
    await archive.review.approve(proposal.id)
    sha256 = archive.library.skills[SkillKey("", proposal.key.name)].sha256
    damaged = f'x{{"skills": [{{"name": "{proposal.key.name}", "sha256": "{sha256}"}}], {WORD}'
    await archive.corrected("write a menu for pear soup", "no, put the price last")

    def damage(connection: sqlite3.Connection) -> None:
        for table, column in (
            *(("trajectories", "selection"), ("trajectories", "suffixes")),
            *(("turns", "skills"), ("turns", "suffixes")),
        ):
            connection.execute(f"UPDATE {table} SET {column} = ?", (damaged,))

    await archive.database.write(damage)
    await archive.forget.forget(conversation)
    assert archive.says(WORD) == [] and archive.says(proposal.key.name) == []


@pytest.mark.parametrize(
    "list_",
    [b"garbage", b"[]", b"[" * 100_000, b'{"turns": 5}', b'{"trajectory": "c", "turns": [[{}]]}'],
    ids=lambda value: repr(value)[:30],
)
async def test_a_deletion_whose_list_is_damaged_is_finished_all_the_same(
    archive: Archive, list_: bytes
) -> None:
    conversation, _ = await archive.corrected(f"write a menu for {WORD} soup", RULE)
    (proposal,) = await archive.evolve.step()
    await archive.review.approve(proposal.id)
    await archive.database.write(
        lambda c: c.execute(
            "INSERT INTO facts VALUES (?, ?)", (f"forgetting:{conversation}", list_)
        )
    )
    assert await archive.forget.finish() is None
    assert not archive.forget.unfinished() and archive.says(WORD) == []
    assert SkillKey("", proposal.key.name) not in archive.library.skills


async def test_the_hashes_of_its_secrets_go_and_no_number_is_given_again(
    archive: Archive,
) -> None:
    """A short secret could be guessed by its hash, for the key lies in the same file."""

    def seen() -> list[tuple[str, int]]:
        sql = "SELECT mark, number FROM secrets_seen ORDER BY number"
        rows = archive.database.read(lambda connection: connection.execute(sql).fetchall())
        return [(row["mark"], row["number"]) for row in rows]

    key = "ghp_" + "Xq7Lk2Vn9Rt4Wz8Bc3Md6Hf1Jp5Sy0Gu2Ea7"
    (turn,) = await archive.plays(f"what is {key}", "a key")
    ((mark, number),) = seen()
    await archive.forget.forget(archive.trajectories.turn(turn).trajectory)
    assert [one for one, _ in seen()] != [mark]
    (later,) = await archive.plays(f"and what is {key}", "a key")
    assert [one for _, one in seen()] == [number, number + 1]
    assert str(number + 1) in archive.trajectories.turn(later).request[-1].text


async def test_a_conversation_that_is_not_there_is_said(archive: Archive) -> None:
    with pytest.raises(NotFound):
        archive.forget.find_derived("conv_none")
