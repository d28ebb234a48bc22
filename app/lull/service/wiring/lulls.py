"""The watch over lulls, put together: where signals come from, what work there is, who is told."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress

from lull.backends.clock import SystemClock, TimeSortedIds
from lull.backends.idle_sources import choose_source
from lull.backends.local_zone import local_zone
from lull.backends.signals import SystemSignals
from lull.config.settings import Settings
from lull.core.events import EventKind
from lull.core.idle import Window
from lull.core.idle_rule import GateName, GateState
from lull.core.idle_signals import IdleSource
from lull.core.lull_work import LullWork
from lull.loops.proof_work import ProofWork
from lull.loops.prove import Prove
from lull.loops.watch_idle import Chats, WatchIdle, WatchRule
from lull.service.borrowed_models import BorrowedModels
from lull.service.calendars import Calendars
from lull.service.fast_loop import FastLoop
from lull.service.wiring.asking import World
from lull.store.windows import Windows

_NOT_NOW = frozenset(GateName) - {GateName.CHAT, GateName.WAIT}
"""Gates that keep Lull from asking models for itself even for a moment: all but the wait for a
lull, and chats, which are looked at more closely. What is unknown keeps nobody from a moment."""


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
    calendars: Calendars,
    fast_loop: FastLoop,
    prove: Prove,
    asked: Callable[[], Collection[str]],
    training: Callable[[], Sequence[LullWork]],
    exams: Callable[[], Sequence[LullWork]] = tuple,
) -> WatchIdle:
    """`training`: what the slow loop has to do; `exams`: models that are to be examined or made
    ready; `asked`: models that proofs ask on Ollama."""
    borrowed = BorrowedModels(
        loaded=world.ollama.loaded,
        unload=world.ollama.unload,
        asked=asked,
        activity=world.activity,
        clock=world.clock,
    )

    def queue() -> list[LullWork]:
        proofs: list[LullWork] = [
            ProofWork(
                one.proposal,
                name=one.name,
                pairs=one.pairs,
                most_pairs=prove.rule.proof.most_pairs,
                prove=fast_loop.prove_in_lull,
                clock=world.clock,
                borrow=borrowed.borrow,
                free=borrowed.give_back,
            )
            for one in fast_loop.waiting()
        ]
        return [*proofs, *exams(), *training()]

    def tell(window: Window) -> None:
        world.bus.tell(EventKind.LULL, state=window.state.value, because=window.because)

    return WatchIdle(
        source=source,
        chats=lambda: Chats(int(world.activity.busy), world.activity.quiet_s),
        events=calendars.ahead,
        calendars=calendars.known,
        woken=calendars.look_now,
        settings=lambda: settings().idle.rule,
        queue=queue,
        windows=Windows(world.stores.database),
        clock=world.clock,
        ids=TimeSortedIds(),
        tell=tell,
        problem=world.problems.told,
        # A trainer may keep its memory longer than the user needs to look something up.
        rule=WatchRule(give_back_after_s=settings().training.suspend_kill_after_s),
    )


def short_of_memory(watch: WatchIdle) -> bool:
    window = watch.window
    return window is not None and any(
        gate.closes and gate.name is GateName.MEMORY for gate in window.gates
    )


def allowed(watch: WatchIdle) -> bool:
    """Whether the judge and the writer may be asked in a quiet moment, outside of a lull."""
    window = watch.window
    return window is not None and not any(
        gate.state is GateState.CLOSED and gate.name in _NOT_NOW for gate in window.gates
    )
