"""Opens the turn of a chat request, and puts the skills (instruction texts) that were chosen for it
into its body.

Whatever fails here, the request goes on as the client sent it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from lull.contract.chat_headers import (
    RECORD_HEADER,
    SESSION_HEADER,
    SKILLS_HEADER,
    WINDOW_CLIENT,
)
from lull.core.skills.prompt_block import Injection
from lull.loops.chat.open_turn import TurnOpener
from lull.loops.chat.serving import Serving
from lull.service.proxy.answer_sources import ChatSource
from lull.service.proxy.own_errors import OwnFaults
from lull.service.proxy.reading.read_chat import ArrivedChat, BodyToSend, ReadableBody
from lull.store.chat.recording import Prepared

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedChat:
    """A chat request whose turn is open: it is ready to be sent."""

    sent: BodyToSend
    """The body that the model gets."""
    serving: Serving | None = None
    """What was decided for its turn; None if nothing was, since Lull is off or failed here."""
    keeps: Serving | None = None
    """What of the request is recorded with its answer; None where nothing is."""
    kept: asyncio.Future[Prepared] | None = None
    """The request as it will be stored, where a child process prepares that."""


class OpenChats:
    """Opens the turns of chat requests and puts the chosen skills (instruction texts) into their
    bodies.
    """

    def __init__(self, opener: TurnOpener, faults: OwnFaults, *, record: bool) -> None:
        """With `record` False no turn is recorded."""
        self._opener = opener
        self._faults = faults
        self._record = record

    async def opened(
        self, arrived: ArrivedChat, body: ReadableBody, source: ChatSource
    ) -> OpenedChat:
        """Open the turn of a request that `source` will answer, put skills into its body, and say
        what is to be recorded of it.
        """
        sent, serving = BodyToSend(arrived.body.data, body), None
        if not arrived.bare:
            sent, serving = await self._with_skills(arrived, sent, source)
        wanted = arrived.request.headers.get(RECORD_HEADER, "").lower() != "no"
        keeps = serving if self._record and wanted and not body.idle else None
        kept = body.prepare_record() if keeps is not None else None
        return OpenedChat(sent=sent, serving=serving, keeps=keeps, kept=kept)

    async def _with_skills(
        self, arrived: ArrivedChat, unchanged: BodyToSend, source: ChatSource
    ) -> tuple[BodyToSend, Serving | None]:
        """Return the body with skills put in, or as it came, and the request's state."""
        headers, body = arrived.request.headers, unchanged.read
        # Only the window is asked for its wish, so that no other chat pays for it.
        unwanted = arrived.client.name == WINDOW_CLIENT and headers.get(SKILLS_HEADER, "") == "no"
        with self._faults.suppress_errors("serving without skills"):
            serving = await self._opener.open(
                body.chat,
                client=arrived.client,
                route=arrived.dialect.route,
                session=headers.get(SESSION_HEADER, "")[:200],
                injectable=body.injectable and not unwanted,
                facts=source.facts,
                on_trial=not unwanted,
            )
            self._faults.clear()
            if unwanted:
                return unchanged, serving.without_skills("the window asked for none")
            sent, why = await self._injected(unchanged, serving.injection)
            return sent, serving.without_skills(why) if why else serving
        return unchanged, None

    async def _injected(
        self, unchanged: BodyToSend, injection: Injection
    ) -> tuple[BodyToSend, str]:
        """Return the body with skills put in, and ""; or as it came, and why."""
        if injection.empty:
            return unchanged, ""
        with self._faults.suppress_errors("sending the original request"):
            try:
                return await unchanged.with_skills(injection), ""
            except ValueError as error:
                log.info("no skills put in: %s", error)
                return unchanged, "the body has no place for them"
        return unchanged, "Lull failed to put them in"
