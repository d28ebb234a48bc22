"""Assembles the service: makes each of its parts once, from resources that are already open
(database, engines, HTTP sessions).
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

import aiohttp

from lull.backends.ollama.facts import OllamaFacts
from lull.backends.reader.request_kinds import RequestKinds
from lull.backends.retrieval.late_exemplars import LateExemplars
from lull.backends.retrieval.skill_index import WordIndex
from lull.backends.system.clock import SystemClock, TimeSortedIds
from lull.backends.system.secrets import (
    ANSWER_WITHIN_S,
    PROMPT_WITHIN_S,
    open_secret_store,
)
from lull.config.paths import Paths
from lull.config.settings import Settings
from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.core.ports import SecretStore
from lull.core.proof.proposal import Proposal
from lull.core.skills.skill import Library
from lull.loops.chat.known_models import KnownModels
from lull.loops.chat.lived_clock import LivedClock
from lull.loops.chat.open_turn import TurnOpener
from lull.loops.chat.select_skills import SelectSkills
from lull.loops.feedback.credit_wins import credit_in
from lull.loops.models.auto_learner import AutoLearner, LearnerPreparation
from lull.loops.models.choose_model import ChooseModel
from lull.loops.proof.holdout import Holdout
from lull.loops.skills.approve import Approve
from lull.loops.skills.from_files import FromFiles
from lull.service.builtin.model import EngineModels
from lull.service.idle.quiet import Activity
from lull.service.models.exams import ExamRequests
from lull.service.models.in_force import FollowSettings, SettingsInForce
from lull.service.models.role_settings import models_and_addresses
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.service.proxy.auth import AccessRules
from lull.service.proxy.ollama_upstream import OllamaUpstream
from lull.service.skills.changes import SkillChangeRequests
from lull.service.skills.current import CurrentLibrary
from lull.service.wiring.base.own_models import BUILT_IN, BuiltInModels
from lull.service.wiring.base.shared import ModelsHere, SharedParts
from lull.service.wiring.base.stores import Stores
from lull.service.wiring.calendars import calendars_of
from lull.service.wiring.learning.feedback import LearningParts, holdout_of, learning_of
from lull.service.wiring.learning.proofs import try_out_of
from lull.service.wiring.learning.reader import small_reader_of
from lull.service.wiring.night.lulls import call_soon_if_open, idle_source, watch_of
from lull.service.wiring.night.slow_loop import SlowLoop, slow_loop_of
from lull.service.wiring.night.weights import auto_learner_of, choose_of
from lull.service.wiring.proxy import data_plane_of
from lull.service.wiring.service import (
    AnsweringParts,
    ChosenModels,
    LullParts,
    Service,
    SkillParts,
)
from lull.service.wiring.upkeep import upkeep_of
from lull.service.wiring.views import views_of
from lull.store.chat.event_log import EventLog
from lull.store.forgetting.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenResources:
    """The resources that are open before the service is assembled: clock, database, built-in models
    and HTTP sessions.
    """

    clock: SystemClock
    stores: Stores
    models: BuiltInModels
    session: aiohttp.ClientSession
    """HTTP session for forwarding the users' own requests."""
    asking: aiohttp.ClientSession
    """HTTP session for requests that Lull itself makes."""


def put_together(
    settings: Settings, paths: Paths, door: AccessRules, opened: OpenResources
) -> Service:
    """Assemble the service from resources that are already open (database, engines, HTTP
    sessions).
    """
    common = _common_parts(settings, paths, opened)
    english = opened.models.english
    choose = choose_of(settings, paths, opened.asking, opened.clock, english)
    auto = auto_learner_of(common.shared.stores, opened.clock, choose)
    in_force = SettingsInForce(settings, learner=lambda: auto.choice.model)
    holdout = holdout_of(common.shared, in_force)
    common.current.tell_changes_to(holdout)
    serve = _serve(common, settings, holdout)
    loops = _loops(
        common, in_force, paths, auto, choose, holdout=holdout, fixing=serve.skill_selector
    )
    skills = _skills(common, loops, serve)
    return Service(
        shared=common.shared,
        answering=_answering(in_force, door, opened, common, serve, loops),
        skills=skills,
        learning=loops.learning,
        slow_loop=loops.slow,
        lulls=loops.lulls,
        choices=_choices(in_force, auto, serve, common, loops),
        views=views_of(common.shared, loops.learning, common.memory),
        upkeep=upkeep_of(
            common.shared,
            in_force,
            paths,
            current=skills.current,
            index=skills.index,
            changes=skills.changes,
        ),
    )


# Shared by requests and loops


@dataclass(frozen=True, slots=True, kw_only=True)
class _CommonParts:
    shared: SharedParts
    current: CurrentLibrary
    index: WordIndex
    memory: LateExemplars
    files: FromFiles


def _common_parts(settings: Settings, paths: Paths, opened: OpenResources) -> _CommonParts:
    stores, clock = opened.stores, opened.clock
    bus, index = EventBus(EventLog(stores.database), clock), WordIndex()
    current = CurrentLibrary(Library(0, {}), index, bus)

    def tell(proposal: Proposal) -> None:
        name, status = proposal.key.name, proposal.status.value
        bus.tell(EventKind.PROPOSAL, proposal=proposal.id, name=name, status=status)

    files = FromFiles(stores.skills, stores.proposals, clock=clock, ids=TimeSortedIds(), tell=tell)
    shared = SharedParts(
        stores=stores,
        clock=LivedClock(clock, Retention(stores.database)),
        bus=bus,
        problems=Problems(bus),
        models=ModelsHere(
            local=EngineModels(clock=clock),
            built_in=opened.models,
            ollama=_ollama(opened.session, settings, bus),
            places={},
        ),
        asking=opened.asking,
        in_use=current,
        approve=Approve(stores.skills, clock, in_use=current, files=files),
        activity=Activity(clock),
    )
    return _CommonParts(
        shared=shared, current=current, index=index, memory=LateExemplars(paths.chroma), files=files
    )


def _ollama(session: aiohttp.ClientSession, settings: Settings, bus: EventBus) -> OllamaFacts:
    return OllamaFacts(
        session,
        settings.upstream.resolved(os.environ, own_port=settings.service.port),
        on_change=lambda ok: bus.tell(EventKind.UPSTREAM, ok=ok),
    )


# Answering requests


def _serve(common: _CommonParts, settings: Settings, holdout: Holdout) -> TurnOpener:
    shared = common.shared
    return TurnOpener(
        trajectories=shared.stores.trajectories,
        skills=shared.stores.skills,
        in_use=shared.in_use,
        index=common.index,
        clock=shared.clock,
        ids=TimeSortedIds(),
        rule=settings.skills.rule,
        models=KnownModels(
            within_s=settings.skills.facts_within_ms / 1000, places=shared.models.places
        ),
        holdout=holdout,
    )


# Learning


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loops:
    learning: LearningParts
    slow: SlowLoop
    lulls: LullParts


def _loops(
    common: _CommonParts,
    settings: SettingsInForce,
    paths: Paths,
    auto: AutoLearner,
    choose: ChooseModel,
    *,
    holdout: Holdout,
    fixing: SelectSkills,
) -> _Loops:
    # The loops ask the watch, and the watch asks the loops for work, so it is built last; the
    # lambdas are not called before the service runs.
    learning = learning_of(
        common.shared,
        settings,
        holdout=holdout,
        fixing=fixing,
        kinds=common.index,
        credit=credit_in(common.memory),
        reader=small_reader_of(settings(), paths),
        allowed=lambda: lulls.watch.allows_a_question,
    )
    slow = slow_loop_of(
        choose,
        common.shared,
        settings,
        paths,
        learning=learning,
        memory=common.memory,
        short_of_memory=lambda: lulls.watch.short_of_memory,
    )
    lulls = _lulls(common.shared, settings, paths, learning, slow, auto)
    return _Loops(learning=learning, slow=slow, lulls=lulls)


def _lulls(
    shared: SharedParts,
    settings: SettingsInForce,
    paths: Paths,
    learning: LearningParts,
    slow: SlowLoop,
    auto: AutoLearner,
) -> LullParts:
    preparing = LearnerPreparation(
        auto,
        models=slow.weights.choose,
        setting=settings,
        clock=shared.clock,
    )
    calendars = calendars_of(
        shared.stores.database,
        clock=shared.clock,
        secrets=SecretsOfHome(settings, paths),
        problems=shared.problems,
        changed=lambda: watch.nudge(),  # noqa: PLW0108  there is no watch yet
    )
    loop = asyncio.get_running_loop()
    source = idle_source(
        settings, shared.clock, returned=lambda: call_soon_if_open(loop, watch.nudge)
    )
    watch = watch_of(
        shared,
        settings,
        source=source,
        calendars=calendars,
        learning=learning,
        training=slow.job,
        preparing=preparing,
    )
    return LullParts(calendars=calendars, source=source, watch=watch)


# The groups of the service


def _answering(
    in_force: SettingsInForce,
    door: AccessRules,
    opened: OpenResources,
    common: _CommonParts,
    serve: TurnOpener,
    loops: _Loops,
) -> AnsweringParts:
    upstream = OllamaUpstream(common.shared.models.ollama, built_in=BUILT_IN)
    data_plane = data_plane_of(
        common.shared,
        in_force(),
        door,
        opened.session,
        serve,
        upstream,
        loops.slow.weights,
        off=lambda: not in_force.settings.service.enabled,
    )
    return AnsweringParts(data_plane=data_plane, upstream=upstream)


def _skills(common: _CommonParts, loops: _Loops, serve: TurnOpener) -> SkillParts:
    shared = common.shared
    return SkillParts(
        current=common.current,
        index=common.index,
        memory=common.memory,
        changes=SkillChangeRequests(shared.approve, common.files, shared.stores.skills),
        tries=try_out_of(
            shared, loops.learning.proofs.requests, serve.skill_selector, common.index
        ),
        shipped_kinds=RequestKinds.shipped,
    )


def _choices(
    in_force: SettingsInForce,
    auto: AutoLearner,
    serve: TurnOpener,
    common: _CommonParts,
    loops: _Loops,
) -> ChosenModels:
    following = FollowSettings(
        in_force,
        learner=loops.slow.weights.learner,
        auto=auto,
        promote=loops.slow.adapters.promote,
        job=loops.slow.job,
        serve=serve,
        watch=loops.lulls.watch,
        bus=common.shared.bus,
        problems=common.shared.problems,
    )
    exam_requests = ExamRequests(
        loops.learning.models.exams.examine,
        settings=lambda: models_and_addresses(in_force()),
        done=in_force.ask_again.set,
    )
    return ChosenModels(
        in_force=in_force, following=following, auto=auto, exam_requests=exam_requests
    )


@dataclass(frozen=True, slots=True)
class SecretsOfHome:
    """Opens the secret store that belongs to Lull's home folder; implements OpensSecrets."""

    settings: SettingsInForce
    paths: Paths

    def open(self, *, wait: bool = False) -> tuple[SecretStore, LullError | None]:
        within_s = PROMPT_WITHIN_S if wait else ANSWER_WITHIN_S
        return open_secrets(self.settings(), self.paths, within_s=within_s)


def open_secrets(
    settings: Settings, paths: Paths, *, within_s: float = ANSWER_WITHIN_S
) -> tuple[SecretStore, LullError | None]:
    """Open the secret store (the keychain or a file); return it and any error with it. Blocking,
    for seconds.
    """
    return open_secret_store(
        service=paths.keychain_service,
        file=paths.secrets,
        file_fallback=settings.secrets.file_fallback,
        environ=os.environ,
        within_s=within_s,
    )
