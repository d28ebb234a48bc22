"""Builds the parts that test LoRA adapters, put them into use and answer the control API's requests
about them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lull.config.settings import Settings
from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.gate import GateRule
from lull.core.events import EventKind
from lull.loops.adapters.gate import Gate
from lull.loops.adapters.gate_material import MaterialSources
from lull.loops.adapters.promote import Promote, PromoteRule
from lull.service.adapters.control import AdapterControl
from lull.service.adapters.publishing_host import PublishingHost
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.learning.feedback import LearningParts
from lull.service.wiring.night.training import TrainingGateParts
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.adapters.gate_measures import GateMeasures
from lull.store.feedback.live_rewards import LiveRewards


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterParts:
    """The parts that store LoRA adapters, put them into use or roll them back, and answer the
    control API's requests about them.
    """

    adapters: Adapters
    files: AdapterFiles
    promote: Promote
    control: AdapterControl


def adapters_of(
    shared: SharedParts,
    settings: Callable[[], Settings],
    *,
    learning: LearningParts,
    parts: TrainingGateParts,
    host: PublishingHost,
) -> AdapterParts:
    """Build the parts for LoRA adapters: storage, gate (the checks before an adapter answers
    users), promotion, rollback and control API.
    """
    stores, adapters, files = shared.stores, parts.adapters, parts.files
    gate = Gate(
        adapters=adapters,
        files=files,
        measures=GateMeasures(stores.database),
        host=host,
        material=_sources(shared, learning, parts),
        clock=shared.clock,
        rule=GateRule,
    )

    def tell(version: AdapterVersion) -> None:
        shared.bus.tell(EventKind.ADAPTER, adapter=version.id, status=version.status.value)

    promote = Promote(
        adapters=adapters,
        files=files,
        gate=gate,
        live=LiveRewards(stores.database),
        host=host,
        clock=shared.clock,
        rule=lambda: promote_rule(settings()),
        tell=tell,
        problems=shared.problems,
    )
    control = AdapterControl(
        adapters,
        promote,
        shared.models.built_in.reloads,
        model=lambda: settings().training.model,
        problems=shared.problems,
    )
    return AdapterParts(adapters=adapters, files=files, promote=promote, control=control)


def _sources(
    shared: SharedParts, learning: LearningParts, parts: TrainingGateParts
) -> MaterialSources:
    return MaterialSources(
        adapters=parts.adapters,
        rollouts=parts.rollouts,
        rewarding=parts.rewarding,
        ratings=parts.ratings,
        proposals=shared.stores.proposals,
        current_selection=learning.current_selection,
        verifier=learning.scoring.verifier,
        judges=parts.judges,
        curriculum=learning.curriculum,
    )


def promote_rule(settings: Settings) -> PromoteRule:
    """Return the parameters of taking trained adapters into use, by the settings."""
    training = settings.training
    return PromoteRule(
        trial_share=training.trial_share,
        trial_s=training.trial_hours * 3600.0,
        held_share=training.held_share,
    )
