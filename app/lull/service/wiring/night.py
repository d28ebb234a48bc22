"""The slow loop, put together: the model that learns, what may train it, and who judges it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lull.backends.clock import TimeSortedIds
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.adapter import AdapterStatus, AdapterVersion, Learned
from lull.core.events import EventKind
from lull.core.model_name import canonical
from lull.core.models.exam import Role as Helps
from lull.core.ports import Judge, Trainer
from lull.core.skill import Skill
from lull.core.training_record import Run
from lull.core.verdict import Verdict
from lull.loops.eligible import Eligible
from lull.loops.examine import Examine
from lull.loops.keeping import Keeping
from lull.loops.learner import Learner
from lull.loops.make_run import MakeRun, RunRule
from lull.loops.night import Night
from lull.loops.outlook import Outlook, TrainRule
from lull.loops.promote import Promote
from lull.loops.rollout import RolloutRule, Rollouts
from lull.loops.stock import Stock
from lull.loops.train import Train
from lull.service.wiring.asking import World
from lull.service.wiring.learning import Learning
from lull.service.wiring.memory import Memory
from lull.store.adapter_files import AdapterFiles
from lull.store.adapters import Adapters
from lull.store.run_folders import RunFolders

log = logging.getLogger(__name__)

MEMORY_S: Final = 60.0
"""The memory of past requests takes seconds to open; where it never does, nights go on without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learners:
    """Which model learns, by the settings as they stand."""

    world: World
    settings: Callable[[], Settings]
    adapters: Adapters
    files: AdapterFiles

    async def __call__(self) -> Learner | None:
        name = self.settings().training.model
        if not self.world.local.serves(name):
            return None
        served = self.world.local.served(name)
        force = self.adapters.in_force(served.model.name)
        folder = str(self.files.folder(force.active)) if force.active is not None else None
        return Learner(
            name=served.model.name,
            folder=str(served.model.folder),
            digest=served.model.digest,
            engine=served.engine,
            system=served.system,
            adapter=served.adapter,
            adapter_folder=folder if served.adapter is not None else None,
            parameters=served.model.parameters,
            on_trial=force.shadow or "",
        )

    def why_none(self) -> str:
        name = self.settings().training.model
        return (
            f"The weights of '{name}' were not made ready, so it cannot learn."
            f" `lull model choose {name}` makes them; `lull model list` shows what can learn here."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoteGate:
    """Implements loops.train.Gate over the adapters' own story."""

    promote: Promote
    world: World

    async def bring(self, run: Run, folder: str, graduates: Skill | None) -> str:
        adapters = Adapters(self.world.stores.database)
        active = adapters.active(run.model)
        version = AdapterVersion(
            id=run.id.replace("run_", "adapter_", 1),
            parent=active.id if active is not None else None,
            base_model=run.model,
            base_digest=run.base,
            sha256="",
            run=run.id,
            status=AdapterStatus.CANDIDATE,
            made=self.world.clock.now(),
        )
        learned = [Learned(skill=graduates.key, sha256=graduates.sha256)] if graduates else []
        return (await self.promote.bring(version, Path(folder), learned)).id

    async def consider(self, adapter: str, until_s: float) -> Verdict | None:
        return await self.promote.consider(adapter, until_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class NightParts:
    """What the slow loop and the gate share."""

    folders: RunFolders
    adapters: Adapters
    files: AdapterFiles
    eligible: Eligible
    examine: Examine
    rollouts: Rollouts
    judge: Callable[[], Judge | None]
    """None where there is none but the model that learns."""


def parts_of(
    world: World, settings: Callable[[], Settings], paths: Paths, learning: Learning
) -> NightParts:
    stores = world.stores
    eligible = Eligible(stores.rewards, stores.proposals, still=learning.today.still)

    def judge() -> Judge | None:
        return _other_judge(learning, settings())

    examine = Examine(
        rewards=stores.rewards,
        heard=stores.feedback,
        proposals=stores.proposals,
        verifier=learning.verifier,
        judge=judge,
        calibration=lambda: learning.score.calibration,
    )
    return NightParts(
        folders=RunFolders(paths.home / "runs"),
        adapters=Adapters(stores.database),
        files=AdapterFiles(paths.home / "adapters"),
        eligible=eligible,
        examine=examine,
        judge=judge,
        rollouts=Rollouts(
            rewards=stores.rewards,
            training=stores.training,
            eligible=eligible,
            today=learning.today,
            examine=examine,
            clock=world.clock,
            ids=TimeSortedIds(),
            rule=lambda: rollout_rule(settings()),
        ),
    )


def night_of(
    world: World,
    settings: Callable[[], Settings],
    parts: NightParts,
    *,
    learning: Learning,
    trainer: Trainer,
    promote: Promote,
    memory: Memory,
    short_of_memory: Callable[[], bool],
) -> Night:
    def settle() -> None:
        """Which skills a request would get decides what may train, and without the past requests
        that answer would be another one in a moment."""
        world.stores.database.flush()
        memory.asked.wait(MEMORY_S)

    def tell(run: Run | None, outlook: Outlook) -> None:
        world.bus.tell(
            EventKind.TRAINING,
            task=outlook.task.value,
            run=run.id if run is not None else None,
            status=run.status.value if run is not None else None,
        )

    return Night(
        train=_train_of(world, settings, parts, learning),
        trainer=trainer,
        gate=PromoteGate(promote=promote, world=world),
        training=world.stores.training,
        folders=parts.folders,
        clock=world.clock,
        settle=settle,
        keep_runs=lambda: settings().training.keep_runs,
        kill_after_s=lambda: settings().training.suspend_kill_after_s,
        short_of_memory=short_of_memory,
        problem=world.problems.told,
        tell=tell,
    )


def _train_of(
    world: World, settings: Callable[[], Settings], parts: NightParts, learning: Learning
) -> Train:
    stores, clock, ids = world.stores, world.clock, TimeSortedIds()
    folders, adapters, rollouts = parts.folders, parts.adapters, parts.rollouts
    eligible, examine = parts.eligible, parts.examine
    learners = Learners(world=world, settings=settings, adapters=adapters, files=parts.files)
    make_run = MakeRun(
        training=stores.training,
        folders=folders,
        keeping=Keeping(
            eligible=eligible, examine=examine, today=learning.today, curriculum=learning.curriculum
        ),
        clock=clock,
        new_id=lambda: ids.new("run"),
        rule=lambda: run_rule(settings()),
    )

    def learned() -> frozenset[str]:
        active = adapters.active(settings().training.model)
        return frozenset(
            one.sha256 for one in adapters.learned(active.id if active is not None else None)
        )

    return Train(
        learner=learners,
        why_no_learner=learners.why_none,
        training=stores.training,
        folders=folders,
        rollouts=rollouts,
        make_run=make_run,
        stock=Stock(
            training=stores.training,
            rollouts=rollouts,
            eligible=eligible,
            examine=examine,
            today=learning.today,
            proposals=stores.proposals,
            library=world.library,
            learned=learned,
            rule=lambda: train_rule(settings()),
        ),
        library=world.library,
        clock=clock,
        rule=lambda: train_rule(settings()),
    )


def _other_judge(learning: Learning, settings: Settings) -> Judge | None:
    """A judge, unless it is the model that learns: nobody marks their own work."""
    judge = learning.asked.named(Helps.JUDGE)
    same = canonical(judge) == canonical(settings.training.model)
    return None if same and not settings.judge.address else learning.asked.judge()


# Settings as rules


def rollout_rule(settings: Settings) -> RolloutRule:
    training = settings.training
    return RolloutRule(
        group_size=training.group_size,
        most_a_prompt=training.rollouts_a_prompt,
        answer_tokens=training.answer_tokens,
        groups_at_once=max(1, settings.engine.max_batch // training.group_size),
    )


def run_rule(settings: Settings) -> RunRule:
    training = settings.training
    return RunRule(
        replay_share=training.replay_share,
        groups_a_step=training.groups_a_step,
        answers_a_step=training.answers_a_step,
        learning_rate=training.learning_rate,
        rank=training.rank,
        kl_beta=training.kl_beta,
        memory_share=training.memory_share,
        graduation_epochs=training.graduation_epochs,
        answer_tokens=training.answer_tokens,
    )


def train_rule(settings: Settings) -> TrainRule:
    training = settings.training
    return TrainRule(
        enabled=training.enabled,
        groups=training.groups,
        single_answers=training.single_answers,
        graduation=training.graduation,
        groups_a_run=training.groups_a_run,
        groups_at_least=training.groups_at_least,
        rounds=training.rounds,
        labels_a_run=training.labels_a_run,
        labels_of_the_rarer=training.labels_of_the_rarer,
        graduation_prompts=training.graduation_prompts,
    )
