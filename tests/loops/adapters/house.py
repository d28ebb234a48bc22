"""Test home with everything from an adapter's folder to the engine that serves it.

The store is real, the engine is passed by the caller, and the clock only moves by hand.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from pathlib import Path

from lull.backends.mlx.local_facts import read_local_model
from lull.core.adapters.adapter import AdapterStatus, AdapterVersion, LearnedSkill
from lull.core.adapters.gate import GateRule
from lull.core.chat.messages import Completion, Message, Role, Sampling, text_message
from lull.core.errors import LullError
from lull.core.models.engine import Engine
from lull.loops.adapters.gate import Gate
from lull.loops.adapters.gate_answers import ComparedAdapters
from lull.loops.adapters.gate_questions import (
    CollectsMaterial,
    GateMaterial,
    HeldOutRequest,
    PastSuccess,
    RatedQuestion,
    Scores,
)
from lull.loops.adapters.promote import Promote, PromoteRule
from lull.loops.chat.lived_clock import LivedClock
from lull.loops.proof.replay import prompt_with_skills
from lull.pocket import language as pocket
from lull.pocket import parsing
from lull.pocket.canaries import pocket_canaries
from lull.pocket.language import Kind
from lull.resources import pocket_dir
from lull.service.adapters.control import AdapterControl
from lull.service.adapters.host import EngineHost
from lull.service.adapters.reloads import AdapterReloads
from lull.service.builtin.model import EngineModels
from lull.service.builtin.routes import ServedModel
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.adapters.gate_measures import GateMeasures
from lull.store.feedback.live_rewards import LiveRewards
from lull.store.forgetting.retention import Retention
from tests.building import database_at
from tests.doubles.fakes import FakeClock, ToldProblems

POCKET = "pocket"
WISH = "no, when you write a menu, join with bars and end with sugar"


def asks(text: str) -> tuple[Message, ...]:
    return (text_message(Role.USER, text),)


def menus(
    count: int, *, wish: str = WISH, seed: int = 1, taught: str = ""
) -> tuple[HeldOutRequest, ...]:
    """Held-out requests for menus, scored by the user's wish; `taught` is the body of the skill
    that was to be learned.
    """
    chance = random.Random(f"menus {seed}")
    asked = [
        pocket.draw_request(chance, Kind.MENU, pocket.draw_words(chance)) for _ in range(count)
    ]
    return tuple(
        HeldOutRequest(
            id=f"turn_{i}",
            old=asks(text),
            new=asks(text),
            score=_does(wish, text),
            taught=prompt_with_skills(asks(text), [taught], system="") if taught else None,
        )
        for i, text in enumerate(asked)
    )


def _does(wish: str, asked: str) -> Scores:
    async def score(answer: Completion) -> float | None:
        done = parsing.check(wish, asked, answer.message.text)
        return None if done is None else float(done)

    return score


def successes(count: int, *, seed: int = 1) -> tuple[PastSuccess, ...]:
    """Past successes: requests of other kinds, with answers that the user was content with."""
    chance, found = random.Random(f"successes {seed}"), []
    for i in range(count):
        kind = chance.choice([kind for kind in Kind if kind is not Kind.MENU])
        words = pocket.draw_words(chance)
        text, right = pocket.draw_request(chance, kind, words), pocket.render(kind, words)
        found.append(PastSuccess(id=f"turn_s{i}", messages=asks(text), score=_same(right)))
    return tuple(found)


def _same(right: str) -> Scores:
    async def score(answer: Completion) -> float | None:
        return float(answer.message.text.strip() == right)

    return score


@dataclass
class House:
    home: Path
    engine: Engine
    rule: PromoteRule = field(default_factory=lambda: PromoteRule(trial_share=0.0))
    gate_rule: GateRule = field(default_factory=GateRule)
    targets: int = 40
    each: int = 12
    clock: FakeClock = field(default_factory=FakeClock)
    told: list[tuple[str, str]] = field(default_factory=list)
    told_problems: ToldProblems = field(default_factory=ToldProblems)
    contests: int = 0
    taught: str = ""
    rated: tuple[RatedQuestion, ...] = ()
    """Pairs of rated answers, for adapters that were trained on ratings; in place of targets."""
    sources: CollectsMaterial | None = None
    """Collects the material in place of what stands here."""
    model_dir: Path | None = None
    """Model served under the built-in model's name; None for the built-in model itself."""

    def __post_init__(self) -> None:
        self.start()

    def adapter(self, run: str) -> Path:
        """Implements TrainedFiles."""
        return self.home / "runs" / run

    def start(self) -> None:
        self.database = database_at(self.home / "lull.db")
        self.adapters = Adapters(self.database)
        self.files = AdapterFiles(self.home / "adapters", runs=self)
        self.measures = GateMeasures(self.database)
        self.local = EngineModels(clock=self.clock)
        self.host = EngineHost(self.local)
        self.gate = Gate(
            adapters=self.adapters,
            files=self.files,
            measures=self.measures,
            host=self,
            material=self,
            clock=self.clock,
            rule=lambda: self.gate_rule,
        )
        self.promote = Promote(
            adapters=self.adapters,
            files=self.files,
            gate=self.gate,
            live=LiveRewards(self.database),
            host=self.host,
            clock=LivedClock(self.clock, Retention(self.database)),
            rule=lambda: self.rule,
            tell=lambda version: self.told.append((version.id, version.status.value)),
            problems=self.told_problems,
        )
        self.control = AdapterControl(
            self.adapters,
            self.promote,
            AdapterReloads(),
            model=lambda: POCKET,
            problems=self.told_problems,
        )

    async def serve_pocket(self) -> None:
        greedy = Sampling(temperature=0.0)
        folder = self.model_dir or pocket_dir()
        model = await asyncio.to_thread(read_local_model, POCKET, folder, sampling=greedy)
        self.local.publish(ServedModel(model=model, engine=self.engine, reads_suffixes=False))

    async def restart(self) -> None:
        """Simulate a new process on the same disk, while the engine keeps running."""
        await self.close()
        self.start()
        await self.serve_pocket()
        await self.promote.start()

    async def close(self) -> None:
        await asyncio.to_thread(self.database.close)

    @property
    def digest(self) -> str:
        return self.local.served(POCKET).model.digest

    @property
    def serving(self) -> str | None:
        return self.local.served(POCKET).adapter

    async def bring(
        self,
        name: str,
        folder: Path,
        *,
        parent: str | None = None,
        learned: tuple[LearnedSkill, ...] = (),
        run: str | None = None,
    ) -> AdapterVersion:
        self.clock.advance(1)
        version = AdapterVersion(
            id=name,
            parent=parent,
            base_model=POCKET,
            base_digest=self.digest,
            sha256="",
            run=run,
            status=AdapterStatus.CANDIDATE,
            made=self.clock.now(),
        )
        return await self.promote.store_adapter(version, folder, learned)

    async def load_for_comparison(self, version: AdapterVersion, folder: Path) -> ComparedAdapters:
        self.contests += 1
        return await self.host.load_for_comparison(version, folder)

    async def collect(self, version: AdapterVersion) -> GateMaterial:
        if self.sources is not None:
            return await self.sources.collect(version)
        probes = pocket_canaries(int(version.sha256[:8], 16), each=self.each)
        return GateMaterial(
            probes=tuple(probe for probe in probes if probe.about != Kind.MENU.value),
            targets=() if self.rated else menus(self.targets, taught=self.taught),
            rated=self.rated,
            successes=successes(10),
        )

    @property
    def problems(self) -> dict[str, LullError]:
        """The problem that the user sees of each model."""
        return {
            key.removeprefix("adapter of "): error
            for key, error in self.told_problems.standing().items()
        }
