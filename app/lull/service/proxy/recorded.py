"""Relays the answer of a chat request to the client, and records the request together
with its answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from aiohttp import web

from lull.core.chat.trajectory import TurnStamp
from lull.core.errors import LullError
from lull.core.events import EventKind
from lull.loops.chat.record_turn import TurnRecorder
from lull.service.process.bus import EventBus
from lull.service.proxy.dialects.base import AnswerReader
from lull.service.proxy.failed_requests import FailedRequests
from lull.service.proxy.forward import ProxyAnswer
from lull.service.proxy.opened_chats import OpenedChat
from lull.service.proxy.own_errors import OwnFaults
from lull.service.proxy.reading.read_chat import ArrivedChat


class RecordedRelay:
    """Relays answers to clients, reads a copy of each answer, and records it at its end."""

    def __init__(
        self,
        recorder: TurnRecorder,
        bus: EventBus,
        faults: OwnFaults,
        failed: FailedRequests | None = None,
    ) -> None:
        self.failed = failed or FailedRequests(time.monotonic)
        self._recorder = recorder
        self._bus = bus
        self._faults = faults

    async def relay(
        self,
        arrived: ArrivedChat,
        opened: OpenedChat,
        target: AbstractAsyncContextManager[ProxyAnswer],
    ) -> web.StreamResponse:
        """Relay the answer that the context manager `target` yields to the client, and record it
        with its request.

        The record is made even if the client disconnects before the first byte; an error answer is
        not recorded.
        """
        serving, hung_up = opened.keeps, True
        reader = arrived.dialect.reader(stream=opened.sent.read.chat.stream)
        try:
            async with target as answer:
                if answer.status != 200 or answer.error:
                    serving = None
                hear = self._listener(reader) if serving else None
                response = await self.failed.relay(arrived.request, answer, hear)
            hung_up = False
            return response
        except LullError:
            serving = None
            raise
        finally:
            if serving is not None:
                with self._faults.suppress_errors("this turn is not recorded"):
                    completion = reader.completion(hung_up=hung_up)
                    self._recorder.record(serving, completion, opened.kept)
                    self._tell(serving.stamp)

    def _tell(self, stamp: TurnStamp) -> None:
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
