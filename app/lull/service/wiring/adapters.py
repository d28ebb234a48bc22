"""Adapters, put together: where they lie, who serves them, what the gate asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lull.config.settings import Settings
from lull.core.adapter import AdapterVersion
from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.core.gate import GateRule
from lull.loops.gate import Gate
from lull.loops.gate_answers import Contest
from lull.loops.gate_material import Sources, material_of
from lull.loops.gate_questions import GateMaterial
from lull.loops.promote import Promote, PromoteRule
from lull.service.adapter_control import AdapterControl
from lull.service.publishing_host import PublishingHost
from lull.service.wiring.asking import World
from lull.service.wiring.learning import Learning
from lull.service.wiring.night import NightParts
from lull.store.adapter_files import AdapterFiles
from lull.store.adapters import Adapters
from lull.store.gate_measures import GateMeasures
from lull.store.live_rewards import LiveRewards


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterParts:
    adapters: Adapters
    files: AdapterFiles
    promote: Promote
    control: AdapterControl


def adapters_of(
    world: World,
    settings: Callable[[], Settings],
    *,
    learning: Learning,
    parts: NightParts,
    host: PublishingHost,
) -> AdapterParts:
    stores, adapters, files = world.stores, parts.adapters, parts.files
    sources = _sources(world, learning, parts)

    async def contest(version: AdapterVersion) -> Contest:
        return await host.contest(version, files.folder(version.id))

    async def material(version: AdapterVersion) -> GateMaterial:
        return await material_of(sources, version)

    gate = Gate(
        adapters=adapters,
        measures=GateMeasures(stores.database),
        contest=contest,
        material=material,
        clock=world.clock,
        rule=GateRule,
    )

    def tell(version: AdapterVersion) -> None:
        world.bus.tell(EventKind.ADAPTER, adapter=version.id, status=version.status.value)

    def problem(model: str, error: LullError | None) -> None:
        name = f"adapter of {model}"
        if error is None:
            world.problems.went(name)
        else:
            world.problems.came(name, error)

    promote = Promote(
        adapters=adapters,
        files=files,
        gate=gate,
        live=LiveRewards(stores.database),
        host=host,
        clock=world.clock,
        rule=lambda: promote_rule(settings()),
        tell=tell,
        problem=problem,
    )
    control = AdapterControl(adapters, promote, model=lambda: settings().training.model)
    return AdapterParts(adapters=adapters, files=files, promote=promote, control=control)


def _sources(world: World, learning: Learning, parts: NightParts) -> Sources:
    return Sources(
        adapters=parts.adapters,
        training=world.stores.training,
        rollouts=parts.rollouts,
        examine=parts.examine,
        proposals=world.stores.proposals,
        today=learning.today,
        verifier=learning.verifier,
        judge=parts.judge,
        curriculum=learning.curriculum,
    )


def promote_rule(settings: Settings) -> PromoteRule:
    training = settings.training
    return PromoteRule(
        trial_share=training.trial_share,
        trial_s=training.trial_hours * 3600.0,
        held_share=training.held_share,
    )
