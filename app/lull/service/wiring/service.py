"""Defines the groups of parts that make up the running service, by what they are for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lull.backends.reader.request_kinds import RequestKinds
from lull.backends.retrieval.late_exemplars import LateExemplars
from lull.backends.retrieval.skill_index import WordIndex
from lull.config.settings import Settings
from lull.core.idle.signals import StartableIdleSource
from lull.loops.idle.watch_idle import WatchIdle
from lull.loops.models.auto_learner import AutoLearner
from lull.loops.proof.try_out import TryOut
from lull.service.calendars.calendars import Calendars
from lull.service.chat.forgetting import FinishForgetting, ForgettingRequests
from lull.service.models.exams import ExamRequests
from lull.service.models.in_force import FollowSettings, SettingsInForce
from lull.service.proxy.data_plane import DataPlane
from lull.service.proxy.ollama_upstream import OllamaUpstream
from lull.service.skills.changes import SkillChangeRequests
from lull.service.skills.current import CurrentLibrary
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.learning.feedback import LearningParts
from lull.service.wiring.night.slow_loop import SlowLoop
from lull.service.wiring.upkeep import Upkeep
from lull.service.wiring.views import Views


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringParts:
    """The parts that answer chat requests: the proxy, and the state of the
    upstream Ollama.
    """

    data_plane: DataPlane
    upstream: OllamaUpstream


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillParts:
    """The skills (instruction texts) in use, the indexes by which a request finds them, and the
    parts by which users change and try them.
    """

    current: CurrentLibrary
    index: WordIndex
    memory: LateExemplars
    changes: SkillChangeRequests
    tries: TryOut
    shipped_kinds: Callable[[], RequestKinds]
    """Loads the classifier of request kinds that ships with Lull."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LullParts:
    """The watch for lulls (idle times of the computer), and the signals and calendars by which it
    finds them.
    """

    watch: WatchIdle
    source: StartableIdleSource
    calendars: Calendars


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenModels:
    """The current settings, and the parts that choose, by these settings, the model to train and
    the models that judge answers and write skills.
    """

    in_force: SettingsInForce
    following: FollowSettings
    auto: AutoLearner
    exam_requests: ExamRequests


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The parts of a running service, grouped by what they are for."""

    shared: SharedParts
    answering: AnsweringParts
    skills: SkillParts
    learning: LearningParts
    slow_loop: SlowLoop
    lulls: LullParts
    choices: ChosenModels
    views: Views
    upkeep: Upkeep

    @property
    def settings(self) -> Settings:
        """The settings that are in force now."""
        return self.choices.in_force()


def finishing_of(service: Service) -> FinishForgetting:
    """Return the job that finishes the deletion of forgotten conversations."""
    return FinishForgetting(
        service.slow_loop.forget,
        backups=service.upkeep.backups,
        problems=service.shared.problems,
    )


def forgetting_of(service: Service) -> ForgettingRequests:
    """Return what answers requests to delete a conversation and all that was learned from it."""
    return ForgettingRequests(
        service.slow_loop.forget,
        finishing=finishing_of(service),
        database=service.shared.stores.database,
        trash=service.upkeep.throwing_away,
        backups=service.upkeep.backups,
    )
