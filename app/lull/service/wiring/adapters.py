"""Adapters, put together: where they lie, who serves them, what the gate asks."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lull.config.settings import Settings
from lull.core import pocket
from lull.core.adapter import AdapterVersion
from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.core.gate import GateRule
from lull.core.model_name import canonical
from lull.core.probe import Probe, probes_from
from lull.core.probe_pocket import pocket_probes
from lull.loops.gate import Gate
from lull.loops.gate_answers import Contest
from lull.loops.gate_material import Sources, material_of
from lull.loops.gate_questions import GateMaterial
from lull.loops.promote import Promote, PromoteRule
from lull.resources import probes_dir
from lull.service.adapter_control import AdapterControl
from lull.service.publishing_host import PublishingHost
from lull.service.wiring.asking import World
from lull.service.wiring.learning import Learning
from lull.service.wiring.night import NightParts
from lull.service.wiring.own_models import BUILT_IN
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
        probes=probes_for,
        fresh=fresh_requests,
        subject=subject,
    )


def promote_rule(settings: Settings) -> PromoteRule:
    training = settings.training
    return PromoteRule(
        trial_share=training.trial_share,
        trial_s=training.trial_hours * 3600.0,
        held_share=training.held_share,
    )


# Canaries


def probes_for(version: AdapterVersion) -> Sequence[Probe]:
    """The built-in model speaks a language of its own; its canaries are drawn anew for each
    adapter, so that none can have been trained on."""
    if _is_pocket(version.base_model):
        return pocket_probes(int(version.sha256[:8] or "0", 16))
    return shipped_probes()


@lru_cache(maxsize=1)
def shipped_probes() -> tuple[Probe, ...]:
    """Raises ResourceError."""
    files = sorted(probes_dir().glob("*.json"))
    return tuple(one for file in files for one in probes_from(json.loads(file.read_text("utf-8"))))


def subject(model: str, asked: str) -> str:
    request = pocket.parse_request(asked) if _is_pocket(model) else None
    return request[0].value if request is not None else ""


def fresh_requests(model: str, words: str, count: int) -> list[str]:
    """Of the kind that the user's words are about; the same ones for the same words."""
    said = (pocket.parse_rule(line) for line in reversed(words.splitlines()))
    rule = next((rule for rule in said if rule is not None), None)
    if rule is None or not _is_pocket(model):
        return []
    chance = random.Random(f"fresh {words}")
    return [pocket.draw_request(chance, rule[0], pocket.draw_words(chance)) for _ in range(count)]


def _is_pocket(model: str) -> bool:
    return canonical(model) == canonical(BUILT_IN)
