"""Builds the watch for lulls (idle times in which Lull may work), with its signals, its queue of
work and its listeners.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial

from lull.backends.idle.signals import SystemSignals
from lull.backends.idle.sources import choose_source
from lull.backends.system.clock import SystemClock, TimeSortedIds
from lull.backends.system.local_zone import local_zone
from lull.config.settings import Settings
from lull.core.events import EventKind
from lull.core.idle.policy import IdleWindow
from lull.core.idle.rule import IdleRule
from lull.core.idle.scheduling import LullWork
from lull.core.idle.signals import IdleSource
from lull.core.skills.skill import SkillKey
from lull.loops.idle.decide_idle import ChatCounts, DecideIdle
from lull.loops.idle.watch_idle import WatchIdle, WatchRule
from lull.loops.proof.measure_placing import MeasurePlacing
from lull.loops.proof.proof_work import PlacingWork, ProofWork, UseWork
from lull.service.calendars.calendars import Calendars
from lull.service.models.borrowed_models import BorrowedModels
from lull.service.proof.proving import Proving
from lull.service.wiring.learning.feedback import LearningParts
from lull.service.wiring.shared import SharedParts
from lull.store.idle.windows import Windows


def idle_source(
    settings: Callable[[], Settings], clock: SystemClock, returned: Callable[[], None]
) -> IdleSource:
    """Choose the source of this machine's idle signals, such as the time of the last input.

    `returned` is called from a thread when the user comes back while work runs.
    """
    return choose_source(
        sys.platform,
        os.environ,
        settings().idle.source,
        clock=clock,
        zone=lambda: local_zone(os.environ),
        apps=lambda: settings().idle.exclusive_apps,
        returned=returned,
    )


def quietly(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Run a callback in the event loop from another thread, ignoring a loop that has closed."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


@contextmanager
def listening(source: IdleSource) -> Iterator[None]:
    """Context manager that collects the signals of user activity from a source while its body
    runs.
    """
    if not isinstance(source, SystemSignals):
        yield
        return
    source.start()
    try:
        yield
    finally:
        source.close()


def watch_of(
    world: SharedParts,
    settings: Callable[[], Settings],
    *,
    source: IdleSource,
    calendars: Calendars,
    learning: LearningParts,
    training: Callable[[], Sequence[LullWork]],
    exams: Callable[[], Sequence[LullWork]] = tuple,
) -> WatchIdle:
    """Build the watch for lulls (idle times of the computer), which runs queued work while the user
    is away.

    `training` and `exams` return queued work.
    """
    borrowed = BorrowedModels(
        loaded=world.models.ollama.loaded,
        unload=world.models.ollama.unload,
        asked=learning.models.stages.asked,
        activity=world.activity,
        clock=world.clock,
    )

    def queue() -> list[LullWork]:
        proofs = _proof_works(learning.proofs.proving, world.clock, borrowed)
        uses = _use_works(learning, world.clock, borrowed)
        placings = _placing_works(learning.placing, world.clock, borrowed)
        return [*proofs, *uses, *exams(), *placings, *training()]

    def tell(window: IdleWindow) -> None:
        world.bus.tell(EventKind.LULL, state=window.state.value, because=window.because)

    windows = Windows(world.stores.database)
    return WatchIdle(
        deciding=DecideIdle(
            source,
            chats=lambda: ChatCounts(int(world.activity.busy), world.activity.quiet_s),
            calendars=calendars,
            settings=lambda: idle_rule(settings()),
            windows=windows,
        ),
        queue=queue,
        windows=windows,
        clock=world.clock,
        ids=TimeSortedIds(),
        tell=tell,
        problem=world.problems.told,
        # A trainer keeps its memory while the user only looks something up.
        rule=WatchRule(give_back_after_s=settings().training.suspend_kill_after_s),
    )


def _proof_works(
    proving: Proving, clock: SystemClock, borrowed: BorrowedModels
) -> Iterator[LullWork]:
    """Yield the proofs that wait, as work for a lull."""
    for one in proving.waiting():
        yield ProofWork(
            one.proposal,
            name=one.name,
            pairs=one.pairs,
            most_pairs=one.most_pairs,
            prove=proving.in_lull,
            clock=clock,
            borrow=borrowed.borrow,
            free=borrowed.give_back,
        )


def _use_works(
    learning: LearningParts, clock: SystemClock, borrowed: BorrowedModels
) -> Iterator[LullWork]:
    """Yield the skills in force whose use is still to be measured, as work for a lull."""
    for one in learning.proofs.measure.waiting():
        yield UseWork(
            f"use:{one.skill.client}/{one.skill.name}",
            name=one.skill.name,
            pairs=0,
            most_pairs=one.left,
            prove=partial(_measured, learning.proofs.proving, one.skill),
            clock=clock,
            borrow=borrowed.borrow,
            free=borrowed.give_back,
        )


def _placing_works(
    placing: MeasurePlacing, clock: SystemClock, borrowed: BorrowedModels
) -> Iterator[LullWork]:
    """Yield the models of which it is still to be seen where they obey skills, as work for a
    lull.
    """
    for one in placing.waiting():
        yield PlacingWork(
            one.model,
            name=one.model,
            pairs=one.done,
            most_pairs=one.of,
            prove=placing.slice,
            clock=clock,
            borrow=borrowed.borrow,
            free=borrowed.give_back,
        )


async def _measured(proving: Proving, skill: SkillKey, _: str) -> int:
    return await proving.measure_in_lull(skill)


def idle_rule(settings: Settings) -> IdleRule:
    """Return the rule for when Lull may work in idle times; it allows none while Lull is switched
    off.
    """
    rule = settings.idle.rule
    return replace(rule, enabled=rule.enabled and settings.service.enabled)


def short_of_memory(watch: WatchIdle) -> bool:
    """Whether the watch for idle times found too little free memory at its last look; False before
    the first look.
    """
    return watch.window is not None and watch.window.short_of_memory


def allowed(watch: WatchIdle) -> bool:
    """Whether the models that judge answers and write skills may be asked while no chat runs, by
    the last look of the watch for idle times; False before it.
    """
    return watch.window is not None and watch.window.allows_a_question
