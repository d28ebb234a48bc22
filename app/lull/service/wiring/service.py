"""Holds all parts of the assembled service, by name."""

from __future__ import annotations

from dataclasses import dataclass

from lull.backends.mlx.engine import MlxEngine
from lull.backends.ollama.facts import OllamaFacts
from lull.backends.retrieval.skill_index import WordIndex
from lull.backends.system.clock import SystemClock
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.idle.signals import IdleSource
from lull.loops.chat.serve import Serve
from lull.loops.feedback.auto_learner import AutoLearner
from lull.loops.forget import Forget
from lull.loops.idle.watch_idle import WatchIdle
from lull.loops.proof.try_out import TryOut
from lull.loops.training.training_job import TrainingJob
from lull.service.builtin.model import LocalModels
from lull.service.calendars.calendars import Calendars
from lull.service.idle.quiet import Activity
from lull.service.models.exams import ExamRequests
from lull.service.models.in_force import FollowSettings, SettingsInForce
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.service.proxy.data_plane import DataPlane
from lull.service.skills.changes import SkillChanges
from lull.service.skills.current import Current
from lull.service.wiring.learning.feedback import LearningParts
from lull.service.wiring.memory import LateExemplars
from lull.service.wiring.night.adapters import AdapterParts
from lull.service.wiring.night.weights import Weights
from lull.service.wiring.stores import Stores
from lull.service.wiring.upkeep import Upkeep
from lull.service.wiring.upstream import OllamaUpstream
from lull.service.wiring.views import Views


@dataclass(slots=True)
class Service:
    """All parts of a running service, such as its stores, proxy, engine and background jobs."""

    in_force: SettingsInForce
    paths: Paths
    clock: SystemClock
    stores: Stores
    bus: EventBus
    problems: Problems
    activity: Activity
    current: Current
    index: WordIndex
    memory: LateExemplars
    engine: MlxEngine
    local: LocalModels
    ollama: OllamaFacts
    upstream: OllamaUpstream
    serve: Serve
    data_plane: DataPlane
    learning: LearningParts
    weights: Weights
    adapters: AdapterParts
    night: TrainingJob
    forget: Forget
    watch: WatchIdle
    idle_source: IdleSource
    calendars: Calendars
    auto: AutoLearner
    changes: SkillChanges
    tries: TryOut
    following: FollowSettings
    exam_requests: ExamRequests
    views: Views
    upkeep: Upkeep
    address: str = ""
    token: str = ""
    """Token that requests need when other machines can reach the service."""

    @property
    def settings(self) -> Settings:
        return self.in_force()
