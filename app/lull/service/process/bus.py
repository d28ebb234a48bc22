"""Event bus: passes the service's events to all subscribers in order, without blocking the
publisher.

An event is numbered and reaches every watcher before it is on disk. A watcher that reconnects gets
the events it missed, recent ones from memory and older ones from the log. A watcher that reads too
slowly is disconnected, so memory stays bounded.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lull.core.events import Event, EventKind
from lull.core.ports import Clock
from lull.store.chat.event_log import EventLog

QUEUE_LENGTH = 1000
"""Most unread events of a watcher before it is disconnected."""
RECENT_EVENTS = 2000
"""Number of newest events kept in memory, for watchers that reconnect before these are on disk."""


class EventBus:
    """Numbers the service's events, logs them and passes them to every watcher (subscriber)."""

    def __init__(self, log: EventLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._seq = log.last()
        self._recent: deque[Event] = deque(maxlen=RECENT_EVENTS)
        self._watchers: set[asyncio.Queue[Event | None]] = set()
        self._closed = False

    @property
    def last(self) -> int:
        """Number of the newest published event."""
        return self._seq

    def tell(self, kind: EventKind, **fields: object) -> None:
        """Publish an event to every watcher (subscriber). Never blocks."""
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
        """End all watchers' streams, because the service is stopping."""
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
        """Context manager that yields a stream of all events whose number is above `after`: first
        those already published, then new ones as they come.

        If `after` is above the newest number (a crash can lose the newest events), the stream holds
        only new events.
        """
        queue: asyncio.Queue[Event | None] = asyncio.Queue(QUEUE_LENGTH)
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
