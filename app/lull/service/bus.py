"""Tells watchers what happened, in order, without making anything wait.

An event has its number and is with every watcher before it is on disk; a watcher that was away
gets what it missed, the newest from memory and older ones from the log. One that reads too slowly
loses its place, never our memory.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lull.core.events import Event, EventKind
from lull.core.ports import Clock
from lull.store.event_log import EventLog

QUEUE = 1000
RECENT = 2000
"""Kept in memory: a watcher that comes back must not miss what is not on disk yet."""


class Bus:
    def __init__(self, log: EventLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._seq = log.last()
        self._recent: deque[Event] = deque(maxlen=RECENT)
        self._watchers: set[asyncio.Queue[Event | None]] = set()
        self._closed = False

    @property
    def last(self) -> int:
        return self._seq

    def tell(self, kind: EventKind, **fields: object) -> None:
        self._seq += 1
        at = self._clock.now().isoformat()
        event = Event(seq=self._seq, at=at, kind=kind.value, fields=fields)
        self._recent.append(event)
        self._log.post(event)
        for queue in list(self._watchers):
            try:
                queue.put_nowait(event)
            except asyncio.QueueFull:
                self._end(queue)

    def close(self) -> None:
        """End every watch: the service is stopping."""
        self._closed = True
        for queue in list(self._watchers):
            self._end(queue)

    def _end(self, queue: asyncio.Queue[Event | None]) -> None:
        self._watchers.discard(queue)
        if queue.full():
            queue.get_nowait()
        queue.put_nowait(None)

    @asynccontextmanager
    async def watching(self, *, after: int) -> AsyncIterator[AsyncIterator[Event]]:
        """Events behind number `after`: first those missed, then each as it happens.

        A number that is yet to come (a crash can take the newest ones back) means: from now on.
        """
        queue: asyncio.Queue[Event | None] = asyncio.Queue(QUEUE)
        self._watchers.add(queue)
        if self._closed:
            self._end(queue)
        try:
            yield self._events(queue, min(after, self._seq))
        finally:
            self._watchers.discard(queue)

    async def _events(self, queue: asyncio.Queue[Event | None], after: int) -> AsyncIterator[Event]:
        seen = after
        recent = list(self._recent)
        oldest = recent[0].seq if recent else self._seq + 1
        while seen + 1 < oldest:
            page = await asyncio.to_thread(self._log.after, seen)
            older = [event for event in page if event.seq < oldest]
            for event in older:
                yield event
                seen = event.seq
            if not older:
                break
        for event in recent:
            if event.seq > seen:
                yield event
                seen = event.seq
        while (new := await queue.get()) is not None:
            if new.seq > seen:
                yield new
                seen = new.seq
