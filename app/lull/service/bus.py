"""Tells watchers what happened, in order, without making anything wait.

An event has its number and is with every watcher before it is on disk; a watcher that was away
asks the log for what it missed. One that reads too slowly loses its place, never our memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lull.core.events import Event, EventKind
from lull.core.ports import Clock
from lull.store.event_log import EventLog

QUEUE = 1000


class Bus:
    def __init__(self, log: EventLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._seq = log.last()
        self._watchers: set[asyncio.Queue[Event | None]] = set()

    @property
    def last(self) -> int:
        return self._seq

    def tell(self, kind: EventKind, **fields: object) -> None:
        self._seq += 1
        at = self._clock.now().isoformat()
        event = Event(seq=self._seq, at=at, kind=kind.value, fields=fields)
        self._log.post(event)
        for queue in list(self._watchers):
            try:
                queue.put_nowait(event)
            except asyncio.QueueFull:
                self._watchers.discard(queue)
                queue.get_nowait()
                queue.put_nowait(None)

    @asynccontextmanager
    async def watching(self, *, after: int) -> AsyncIterator[AsyncIterator[Event]]:
        """Events behind number `after`: first those missed, then each as it happens."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue(QUEUE)
        self._watchers.add(queue)
        try:
            yield self._events(queue, after)
        finally:
            self._watchers.discard(queue)

    async def _events(self, queue: asyncio.Queue[Event | None], after: int) -> AsyncIterator[Event]:
        seen = after
        if after < self._seq:
            for event in await asyncio.to_thread(self._log.after, after):
                yield event
                seen = event.seq
        while (new := await queue.get()) is not None:
            if new.seq > seen:
                yield new
                seen = new.seq
