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
from lull.loops.training.training_job import TrainingJob
from lull.service.builtin.model import LocalModels
from lull.service.calendars.calendars import Calendars
from lull.service.chat.reading import Reading
from lull.service.chat.throwing_away import ThrowingAway
from lull.service.feedback.rating import Rating
from lull.service.feedback.trust_view import TrustView
from lull.service.idle.quiet import Activity
from lull.service.models.exams import ExamRequests
from lull.service.process.backups import Backups
from lull.service.process.bus import EventBus
from lull.service.process.keep_watch import KeepWatch
from lull.service.process.problems import Problems
from lull.service.process.supervisor import Supervisor
from lull.service.proxy.data_plane import DataPlane
from lull.service.skills.changes import SkillChanges
from lull.service.skills.current import Current
from lull.service.skills.watch_library import WatchLibrary
from lull.service.wiring.in_force import FollowSettings, SettingsInForce
from lull.service.wiring.learning.feedback import LearningParts
from lull.service.wiring.memory import LateExemplars
from lull.service.wiring.night.adapters import AdapterParts
from lull.service.wiring.night.weights import Weights
from lull.service.wiring.stores import Stores
from lull.service.wiring.upstream import OllamaUpstream


@dataclass(slots=True)
class Service:
    """All parts of a running service, such as its stores, proxy, engine and background jobs."""

    in_force: SettingsInForce
    paths: Paths
    clock: SystemClock
    stores: Stores
    bus: EventBus
    problems: Problems
    current: Current
    index: WordIndex
    engine: MlxEngine
    local: LocalModels
    ollama: OllamaFacts
    upstream: OllamaUpstream
    serve: Serve
    data_plane: DataPlane
    changes: SkillChanges
    watch_library: WatchLibrary
    following: FollowSettings
    rating: Rating
    reading: Reading
    trust: TrustView
    learning: LearningParts
    watch: WatchIdle
    idle_source: IdleSource
    calendars: Calendars
    activity: Activity
    memory: LateExemplars
    supervisor: Supervisor
    weights: Weights
    adapters: AdapterParts
    night: TrainingJob
    forget: Forget
    throwing_away: ThrowingAway
    backups: Backups
    keep_watch: KeepWatch
    auto: AutoLearner
    exam_requests: ExamRequests
    address: str = ""
    token: str = ""
    """Token that requests need when other machines can reach the service."""

    @property
    def settings(self) -> Settings:
        return self.in_force()
