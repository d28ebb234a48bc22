"""The watch over lulls, put together: where signals come from, what work there is, who is told."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from lull.backends.clock import SystemClock, TimeSortedIds
from lull.backends.idle_sources import choose_source
from lull.backends.local_zone import local_zone
from lull.backends.signals import SystemSignals
from lull.config.settings import Settings
from lull.core.calendar_event import CalendarEvent
from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.core.idle import Window
from lull.core.idle_rule import STRAIN, GateName
from lull.core.idle_signals import IdleSource
from lull.core.lull_work import LullWork
from lull.loops.proof_work import ProofWork
from lull.loops.prove import Prove
from lull.loops.watch_idle import Chats, WatchIdle
from lull.service.fast_loop import FastLoop
from lull.service.wiring.asking import World
from lull.store.windows import Windows

_NOT_NOW = STRAIN | {GateName.LEARNING, GateName.PAUSE, GateName.CALL, GateName.APP}
"""Gates that keep Lull from asking models for itself even for a moment, however quiet it is."""


def idle_source(
    settings: Callable[[], Settings], clock: SystemClock, returned: Callable[[], None]
) -> IdleSource:
    """Where this machine's signals come from; `returned` is called from a thread when the user is
    back while work runs."""
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
    """From a thread; a loop that has just ended needs to hear nothing."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


@contextmanager
def listening(source: IdleSource) -> Iterator[None]:
    """Signals are looked for meanwhile."""
    if not isinstance(source, SystemSignals):
        yield
        return
    source.start()
    try:
        yield
    finally:
        source.close()


def watch_of(
    world: World,
    settings: Callable[[], Settings],
    *,
    source: IdleSource,
    events: Callable[[], Sequence[CalendarEvent]],
    fast_loop: FastLoop,
    prove: Prove,
) -> WatchIdle:
    def queue() -> list[LullWork]:
        return [
            ProofWork(
                one.proposal,
                name=one.name,
                pairs=one.pairs,
                most_pairs=prove.rule.proof.most_pairs,
                prove=fast_loop.prove_in_lull,
                clock=world.clock,
            )
            for one in fast_loop.waiting()
        ]

    def problem(name: str, error: LullError | None) -> None:
        if error is None:
            world.problems.went(name)
        else:
            world.problems.came(name, error)

    def tell(window: Window) -> None:
        world.bus.tell(EventKind.LULL, state=window.state.value, because=window.because)

    return WatchIdle(
        source=source,
        chats=lambda: Chats(int(world.activity.busy), world.activity.quiet_s),
        events=events,
        settings=lambda: settings().idle.rule,
        queue=queue,
        windows=Windows(world.stores.database),
        clock=world.clock,
        ids=TimeSortedIds(),
        tell=tell,
        problem=problem,
    )


def allowed(watch: WatchIdle) -> bool:
    """Whether nothing but the user's presence stands against what Lull does in quiet moments."""
    window = watch.window
    return window is None or not any(g.closes and g.name in _NOT_NOW for g in window.gates)
