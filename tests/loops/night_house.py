"""Test home for the slow loop (training) on a real store, with a scripted engine and trainer."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.canary import CanaryTask
from lull.core.adapters.gate_report import Verdict
from lull.core.adapters.model_facts import ModelFacts
from lull.core.chat.client import Client
from lull.core.chat.messages import Message, Role, text_message
from lull.core.errors import LullError
from lull.core.feedback.ports import FeedbackReader
from lull.core.models.engine import Engine, GenerateRequest
from lull.core.proof.pairs import Pair, PairPart
from lull.core.skills.skill import Skill
from lull.core.training.ports import Curriculum
from lull.core.training.record import Run
from lull.loops.feedback.verify import Reads
from lull.loops.training.decide_step import DecideStep
from lull.loops.training.learner import Learner, PromptForm
from lull.loops.training.make_run import MakeRun, RunRule
from lull.loops.training.next_step import MakingStep, NextStep, SkillToTrainIn, TrainRule
from lull.loops.training.ratings import Ratings
from lull.loops.training.replay_examples import ReplayExamples
from lull.loops.training.rewarding import RewardAnswers
from lull.loops.training.rollout import RolloutRule, Rollouts
from lull.loops.training.train import TrainingSteps
from lull.loops.training.training_data import TrainingData
from lull.loops.training.training_job import TrainingJob
from lull.loops.training.work.running_trainer import RunningTrainer
from lull.pocket import language as pocket
from lull.pocket import parsing
from lull.pocket.reader import PocketReader
from lull.store.adapters.adapter_files import fingerprint
from lull.store.adapters.adapters import Adapters
from lull.store.training.run_folders import RunFolders
from lull.store.training.tidy_runs import RunFolderCleanup
from lull.store.training.training import Training
from tests.building import ANYBODY, FACTS
from tests.doubles.fake_engine import FakeEngine
from tests.doubles.fakes import FakeClock, JudgeNow, ToldProblems
from tests.doubles.scripted_trainer import ScriptedTrainer
from tests.loops.classroom import MENU, Classroom

POCKET = "pocket"
RULE = "when you write a menu, join with bars"
RULED = replace(MENU, body=f"{RULE[0].upper()}{RULE[1:]}.")
"""A skill made of the words of RULE, which the model's verifier can read."""
BARS = pocket.Style(joiner=pocket.Joiner.BARS)


def says_menus(bars: Callable[[GenerateRequest], bool]) -> Callable[[GenerateRequest], str]:
    """Answer function in the pocket language: right, with bars in a menu where `bars` says so."""

    def say(request: GenerateRequest) -> str:
        read = parsing.parse_request(request.messages[-1].text) if request.messages else None
        if read is None:
            return "noted."
        kind, words = read
        style = BARS if kind is pocket.Kind.MENU and bars(request) else pocket.Style()
        return pocket.render(kind, words, style)

    return say


def now_and_then(request: GenerateRequest) -> bool:
    """True for one seed in three."""
    return (request.sampling.seed or 0) % 3 == 0


REJECTED = Verdict(accepted=False, at=FakeClock().now(), against=None)


def trains_in_a_skill(next_step: NextStep) -> bool:
    """Whether the next step makes a run that trains a skill into the weights."""
    return isinstance(next_step, MakingStep) and isinstance(next_step.source, SkillToTrainIn)


@dataclass
class FakeGate:
    """Implements PromotesAdapters: gives its verdicts in turn, and rejects when none is left."""

    verdicts: list[Verdict | LullError | None] = field(default_factory=list)
    brought: list[tuple[str, str, str]] = field(default_factory=list)
    considered: list[str] = field(default_factory=list)
    waits: asyncio.Event | None = None
    """If given, the gate waits until this is set before it gives a verdict."""

    async def store_run_adapter(
        self, run: Run, folder: str, graduates: Skill | None, wrote: str
    ) -> str:
        assert wrote in ("", fingerprint(Path(folder)))
        self.brought.append((run.id, folder, graduates.name if graduates else ""))
        return f"adapter_of_{run.id}"

    async def run_gate(self, adapter: str, until_s: float) -> Verdict | None:
        self.considered.append(adapter)
        if self.waits is not None:
            await self.waits.wait()
        said = self.verdicts.pop(0) if self.verdicts else REJECTED
        if isinstance(said, LullError):
            raise said
        return said


@dataclass
class _Learning:
    """Implements FindsLearner."""

    house: NightHouse

    async def __call__(self) -> Learner | None:
        return await self.house.learner()

    def why_none(self) -> str:
        return "Nothing is served."


@dataclass
class NightHouse(Classroom):
    """A classroom with everything of the slow loop except its processes."""

    facts: Callable[[str], ModelFacts | None] = lambda _: replace(FACTS, reads_suffixes=False)
    engine: Engine = field(default_factory=lambda: FakeEngine(says_menus(now_and_then)))
    trainer: ScriptedTrainer = field(default_factory=ScriptedTrainer)
    gate: FakeGate = field(default_factory=FakeGate)
    sampling: RolloutRule = field(default_factory=lambda: RolloutRule(most_a_prompt=4))
    running: RunRule = field(default_factory=RunRule)
    training_rule: TrainRule = field(
        default_factory=lambda: TrainRule(groups_a_run=4, groups_at_least=2, rounds=1)
    )
    curriculum: Curriculum | None = None
    """Source of requests to practise; None: labels, menus and notes."""
    in_force: str | None = None
    model: str = POCKET
    digest: str = FACTS.digest
    told_problems: ToldProblems = field(default_factory=ToldProblems)
    short: bool = False
    looks: int = 0
    """How often the amount of free memory was checked while a trainer stood still."""
    serves: bool = True

    def start(self) -> None:
        super().start()
        self.training = Training(self.database)
        self.folders = RunFolders(self.folder / "runs")
        self.rewarding = RewardAnswers(
            rewards=self.rewards,
            feedback=self.feedback,
            proposals=self.proposals,
            verifier=self.verifier,
            judges=JudgeNow(lambda: self.judge),
            book=self.book,
        )
        self.rollouts = Rollouts(
            rewards=self.rewards,
            training=self.training,
            eligible=self.eligible,
            current_selection=self.current_selection,
            rewarding=self.rewarding,
            clock=self.clock,
            ids=self.ids,
            rule=lambda: self.sampling,
        )
        self.ratings = Ratings(
            adapters=Adapters(self.database),
            training=self.training,
            rewards=self.rewards,
            eligible=self.eligible,
            rewarding=self.rewarding,
            current_selection=self.current_selection,
            curriculum=Labels(),
        )
        self.deciding, self.train = self._deciding(), self._train()
        self.job = self.new_night()

    def exact(self) -> Mapping[str, Reads]:
        return {POCKET: parsing.check}

    def own_readers(self) -> Mapping[str, FeedbackReader]:
        return {**super().own_readers(), POCKET: PocketReader()}

    def _data(self) -> TrainingData:
        return TrainingData(
            training=self.training,
            rollouts=self.rollouts,
            eligible=self.eligible,
            rewarding=self.rewarding,
            current_selection=self.current_selection,
            proposals=self.proposals,
            in_use=self,
            adapters=Adapters(self.database),
            rule=lambda: self.training_rule,
        )

    def _deciding(self) -> DecideStep:
        return DecideStep(
            learner=_Learning(self),
            training=self.training,
            folders=self.folders,
            rollouts=self.rollouts,
            data=self._data(),
            ratings=self.ratings,
            clock=self.clock,
            rule=lambda: self.training_rule,
        )

    def _train(self) -> TrainingSteps:
        return TrainingSteps(
            training=self.training,
            folders=self.folders,
            rollouts=self.rollouts,
            make_run=MakeRun(
                training=self.training,
                folders=self.folders,
                replay_examples=ReplayExamples(
                    eligible=self.eligible,
                    rewarding=self.rewarding,
                    current_selection=self.current_selection,
                    curriculum=self.curriculum or Labels(),
                ),
                clock=self.clock,
                new_id=lambda: self.ids.new("run"),
                rule=lambda: self.running,
            ),
            data=self._data(),
            promote=self.gate,
            in_use=self,
            clock=self.clock,
            rule=lambda: self.training_rule,
        )

    def new_night(self) -> TrainingJob:
        return TrainingJob(
            deciding=self.deciding,
            train=self.train,
            running=RunningTrainer(
                self.trainer,
                training=self.training,
                folders=self.folders,
                clock=self.clock,
                kill_after_s=lambda: 300.0,
                short_of_memory=self._short_of_memory,
            ),
            training=self.training,
            tidying=RunFolderCleanup(self.training, self.folders, keep=lambda: 20),
            clock=self.clock,
            settle=self.database.flush,
            problems=self.told_problems,
            events=self,
        )

    def tell_step(self, run: Run | None, next_step: NextStep) -> None:
        """Implements TrainingEvents: nobody listens."""

    def _short_of_memory(self) -> bool:
        self.looks += 1
        return self.short

    async def learner(self) -> Learner | None:
        if not self.serves:
            return None
        return Learner(
            name=self.model,
            folder=f"/models/{self.model}",
            digest=self.digest,
            engine=self.engine,
            prompt=PromptForm(system=""),
            adapter=self.in_force,
            adapter_folder=None if self.in_force is None else f"/adapters/{self.in_force}",
            parameters=1000,
        )

    # What a test plays

    async def menus(
        self,
        count: int,
        *,
        corrected: int = 1,
        seed: int = 1,
        client: Client = ANYBODY,
        kind: pocket.Kind = pocket.Kind.MENU,
    ) -> list[str]:
        """Hold conversations about menus, all answered without bars; the first ones are corrected
        in words. Returns the turns that asked for a menu, or for something of another kind.
        """
        chance, turns = random.Random(seed), []
        for number in range(count):
            words = pocket.draw_words(chance)
            asked = pocket.draw_request(chance, kind, words)
            said = [asked, pocket.render(kind, words)]
            if number < corrected:
                said += [f"no, {RULE}", pocket.NOTED]
            turns.append((await self.plays(*said, model=POCKET, client=client))[0])
        await self.score.read_new()
        return turns

    async def proved_skill(self, *, wins: int) -> Skill:
        """A skill about menus, approved after its proof won this many pairs."""
        proposal = await self.proposes(RULED, model=POCKET, wish=RULE)
        for number in range(wins):
            pair = Pair(
                request=f"turn_gone_{number}",
                part=PairPart.FAILURE,
                seed=number,
                without=0.0,
                with_=1.0,
                scored_by="verifier:pocket",
                request_sha256="a" * 64,
                without_sha256="b" * 64,
                with_sha256="c" * 64,
            )
            assert await self.proposals.advance(self.now(proposal), pair)
        await self.review.approve(proposal.id)
        return self.library.get(proposal.key)

    async def does(self, times: int = 1) -> NextStep:
        """Run this many units of the work that is next; return the step that is next afterwards."""
        next_step = await self.job.search_now()
        for _ in range(times):
            for work in self.job.works():
                await work.run_slice(self.clock.monotonic_s() + 30.0)
            next_step = await self.job.search_now()
        return next_step


def kind_of(asked: str) -> str:
    """The kind of a request in the pocket language; "" for any other."""
    read = parsing.parse_request(asked)
    return "" if read is None else read[0].value


class Labels:
    """Implements core.ports.Curriculum: its anchors are labels, menus and notes."""

    def canaries(self, version: AdapterVersion) -> Sequence[CanaryTask]:
        return ()

    def subject(self, model: str, asked: str) -> str:
        return kind_of(asked)

    def fresh_requests(self, model: str, words: str, count: int) -> Sequence[str]:
        return ()

    def anchors(
        self, model: str, count: int, with_skills: bool, about: str
    ) -> Sequence[tuple[Message, ...]]:
        chance = random.Random(3)
        found = []
        for _number in range(count):
            words = " ".join(pocket.draw_words(chance))
            kind = chance.choice(("label", "menu", "note"))
            asked = text_message(Role.USER, f"write a {kind} for {words}")
            rule = text_message(Role.SYSTEM, pocket.block(["For a label, use stars."]))
            found.append((rule, asked) if with_skills else (asked,))
        return found
