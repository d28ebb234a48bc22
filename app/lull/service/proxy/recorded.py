"""Relays the answer of a chat request to the client, and records the request together
with its answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from aiohttp import web

from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.loops.chat.serve import Serve, Serving
from lull.service.process.bus import EventBus
from lull.service.proxy.dialects.base import AnswerReader
from lull.service.proxy.failed_requests import FailedRequests
from lull.service.proxy.forward import ProxyAnswer
from lull.service.proxy.own_errors import OwnFaults
from lull.store.chat.recording import Prepared


class RecordedRelay:
    """Relays answers to clients, reads a copy of each answer, and records it at its end."""

    def __init__(
        self,
        serve: Serve,
        bus: EventBus,
        faults: OwnFaults,
        failed: FailedRequests | None = None,
    ) -> None:
        self.failed = failed or FailedRequests(time.monotonic)
        self._serve = serve
        self._bus = bus
        self._faults = faults

    async def relay(
        self,
        request: web.Request,
        target: AbstractAsyncContextManager[ProxyAnswer],
        reader: AnswerReader,
        serving: Serving | None,
        kept: asyncio.Future[Prepared] | None = None,
    ) -> web.StreamResponse:
        """Relay the answer that the context manager `target` yields to the client, and record it
        with its request.

        `serving` is the state of the request; None if it is not to be recorded. `kept` delivers the
        stored form of a long request. The record is made even if the client disconnects before the
        first byte; an error answer is not recorded.
        """
        hung_up = True
        try:
            async with target as answer:
                if answer.status != 200 or answer.error:
                    serving = None
                hear = self._listener(reader) if serving else None
                response = await self.failed.relay(request, answer, hear)
            hung_up = False
            return response
        except LullError:
            serving = None
            raise
        finally:
            if serving is not None:
                self._close(serving, reader, kept, hung_up=hung_up)

    def _close(
        self,
        serving: Serving,
        reader: AnswerReader,
        kept: asyncio.Future[Prepared] | None,
        *,
        hung_up: bool,
    ) -> None:
        with self._faults.suppress_errors("this turn is not recorded"):
            self._serve.close(serving, reader.completion(hung_up=hung_up), kept)
            stamp = serving.stamp
            self._bus.tell(EventKind.TURN_RECORDED, turn=stamp.turn, conversation=stamp.trajectory)

    def _listener(self, reader: AnswerReader) -> Callable[[bytes], None]:
        """A callback that feeds the reader until it fails; a failure only affects the recording."""
        listening = True

        def hear(chunk: bytes) -> None:
            nonlocal listening
            if not listening:
                return
            listening = False
            with self._faults.suppress_errors("this turn is recorded in part"):
                reader.feed(chunk)
                listening = True

        return hear
