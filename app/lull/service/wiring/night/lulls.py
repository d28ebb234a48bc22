"""Builds the watch for lulls (idle times in which Lull may work), with the signals of user activity
that it reads and the queue of work that it runs.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from lull.backends.idle.sources import choose_source
from lull.backends.system.clock import TimeSortedIds
from lull.backends.system.local_zone import local_zone
from lull.config.settings import Settings
from lull.core.events import EventKind
from lull.core.idle.policy import IdleWindow
from lull.core.idle.ports import OffersWork
from lull.core.idle.signals import IdleSource, StartableIdleSource
from lull.core.ports import Clock
from lull.loops.idle.decide_idle import DecideIdle
from lull.loops.idle.watch_idle import WatchIdle, WatchRule
from lull.loops.proof.lull_queue import LullQueue
from lull.service.calendars.calendars import Calendars
from lull.service.models.borrowed_models import BorrowedModels
from lull.service.wiring.base.shared import SharedParts
from lull.service.wiring.learning.feedback import LearningParts
from lull.store.idle.windows import Windows


def idle_source(
    settings: Callable[[], Settings], clock: Clock, returned: Callable[[], None]
) -> StartableIdleSource:
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


def call_soon_if_open(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Schedule a callback in the event loop from another thread; do nothing if the loop has
    closed.
    """
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


@contextmanager
def collecting_signals(source: StartableIdleSource) -> Iterator[None]:
    """Context manager that collects the signals of user activity from a source while its body
    runs.
    """
    source.start()
    try:
        yield
    finally:
        source.close()


def watch_of(
    shared: SharedParts,
    settings: Callable[[], Settings],
    *,
    source: IdleSource,
    calendars: Calendars,
    learning: LearningParts,
    training: OffersWork,
    preparing: OffersWork,
) -> WatchIdle:
    """Build the watch for lulls (idle times of the computer), which runs queued work while the user
    is away.

    `training` lists the next step of training as work that waits, `preparing` the making of a
    model's weights for it.
    """
    borrowed = BorrowedModels(
        ollama=shared.models.ollama,
        asked=learning.models.targets.asked_models,
        activity=shared.activity,
        clock=shared.clock,
    )

    queue = LullQueue(
        proving=learning.proofs.proving,
        measure=learning.proofs.measure,
        placing=learning.placing,
        exams=learning.models.exams.queue,
        preparing=preparing,
        training=training,
        models=borrowed,
        clock=shared.clock,
    )

    def tell(window: IdleWindow) -> None:
        shared.bus.tell(EventKind.LULL, state=window.state.value, because=window.because)

    windows = Windows(shared.stores.database)
    return WatchIdle(
        deciding=DecideIdle(
            source,
            chats=shared.activity,
            calendars=calendars,
            settings=lambda: settings().idle_rule,
            windows=windows,
        ),
        queue=queue,
        windows=windows,
        clock=shared.clock,
        ids=TimeSortedIds(),
        tell=tell,
        problems=shared.problems,
        # A trainer keeps its memory while the user only looks something up.
        rule=WatchRule(give_back_after_s=settings().training.suspend_kill_after_s),
    )
