"""Parses the bodies of chat requests: in this process, or in a child process if they are long.

What cannot be parsed is the upstream's to judge. Only where no upstream could, because the model is
Lull's own, is the fault the client's answer.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lull.core.errors import LullError, RequestError
from lull.service.proxy.long.bodies import LongBodies, is_long
from lull.service.proxy.own_errors import OwnFaults
from lull.service.proxy.reading.body import model_named_in
from lull.service.proxy.reading.read_chat import (
    ArrivedChat,
    InProcessBody,
    ParsedChat,
    ReadableBody,
    without_traceback,
)
from lull.service.proxy.reading.unpacking import TOO_LONG, decompress_zstd
from lull.service.proxy.upstream import OwnModels

SETTLE_S = 3.0
"""Most seconds that a shutdown waits until long requests are ready to be stored; then only those of
their messages are stored that are ready. These are the newest ones, or none.
"""
UNREAD = RequestError(
    "The request is long and cannot be read now.", status=503, hint="Try again in a moment."
)
"""Error answer for a long request when the process that reads long requests has failed."""


class ParseChats:
    """Parses the bodies of chat requests."""

    def __init__(
        self,
        local: OwnModels,
        faults: OwnFaults,
        *,
        body_limit: int,
        long: LongBodies | None = None,
    ) -> None:
        """The argument `long` reads long request bodies in a child process.

        Without it all bodies are read in this process.
        """
        self._local = local
        self._faults = faults
        self._limit = body_limit
        self._long = long

    async def close(self) -> None:
        """Finish storing chat requests with long bodies, and stop the child process that reads such
        bodies.
        """
        if self._long is not None:
            await self._long.wait_for_tasks(SETTLE_S)
            await self._long.close()

    @asynccontextmanager
    async def parsed(self, arrived: ArrivedChat) -> AsyncIterator[ParsedChat]:
        """Parse a request's body; a long one is held by the child process until the end of the
        context.

        Raises RequestError if the body cannot be parsed and only Lull serves its model.
        """
        async with contextlib.AsyncExitStack() as stack:
            read: ReadableBody | None = None
            fault: RequestError | None = None
            try:
                read = await self._read(arrived, stack)
            except RequestError as error:
                fault = without_traceback(error)
            except LullError as error:
                self._faults.report_known(error)
                fault = UNREAD
            except Exception as error:  # noqa: BLE001
                # Parsing meets whatever clients send; a fault of it may not cost them the answer.
                self._faults.report("passing a request on unread", error)
            unread = fault is not None and fault.status in (TOO_LONG, UNREAD.status)
            if fault and unread and self._local.only_lull_serves(model_named_in(arrived.body.data)):
                # Only Lull has the model, so no upstream can report the error.
                raise without_traceback(fault)
            yield ParsedChat(read, fault)

    async def _read(self, arrived: ArrivedChat, stack: contextlib.AsyncExitStack) -> ReadableBody:
        """Parse a request's body. Raises RequestError."""
        body, dialect = arrived.body, arrived.dialect
        if not body.whole:
            size = f"The request has more than {self._limit} bytes."
            raise RequestError(size, status=TOO_LONG, hint="Send less at once.")
        encoding = arrived.request.headers.get("Content-Encoding", "identity")
        if self._long is not None and is_long(body.data, encoding):
            reading = self._long.reading(
                body.data, route=dialect.route, encoding=encoding, client=arrived.client.identity
            )
            return await stack.enter_async_context(reading)
        plain = body.data
        if encoding.lower() != "identity":
            plain = decompress_zstd(plain, encoding, limit=self._limit)
        return InProcessBody(dialect, plain)
