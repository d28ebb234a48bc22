"""Stores what the user says in Lull's window about a recorded answer: what it should have said, or
that their next message was no correction of it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lull.contract.json_object import Json
from lull.core.errors import NotFound, UsageError
from lull.core.events import EventKind
from lull.core.feedback.feedback import DENIED_BY, Feedback
from lull.core.ports import Clock, Ids
from lull.service.process.bus import EventBus
from lull.store.chat.corrections import Correction
from lull.store.chat.trajectories import Trajectories
from lull.store.feedback.feedback import FeedbackRows

if TYPE_CHECKING:
    from lull.loops.feedback.hear import CountsFeedback

MOST_CHARACTERS: Final = 20_000
"""Most characters of a correction."""


class UserWords:
    """Stores users' corrections of answers, and denials that a message was a correction."""

    def __init__(
        self,
        trajectories: Trajectories,
        feedback: FeedbackRows,
        *,
        clock: Clock,
        ids: Ids,
        bus: EventBus,
        count: CountsFeedback,
    ) -> None:
        """The function `count` scores answers again after the feedback on them has changed."""
        self._trajectories = trajectories
        self._feedback = feedback
        self._clock = clock
        self._ids = ids
        self._bus = bus
        self._count = count

    async def correct(self, answer: str, wanted: Json) -> Json:
        """Store what the user says that an answer (by its turn's id) should have been; Lull learns
        from it as from the next message of the conversation.

        Raises UsageError, NotFound.
        """
        words = wanted.get("words")
        if not isinstance(words, str) or not words.strip():
            raise UsageError("“words” are missing.", hint="Say what the answer should have been.")
        if len(words) > MOST_CHARACTERS:
            raise UsageError(
                f"A correction has at most {MOST_CHARACTERS:,} characters.",
                hint="Say it in fewer words.",
            )
        said = Correction(
            turn=self._ids.new("turn"),
            about=answer,
            words=words.strip(),
            at=self._clock.now(),
        )
        conversation = await self._trajectories.correct(said)
        self._bus.tell(EventKind.TURN_RECORDED, turn=said.turn, conversation=conversation)
        return {"turn": said.turn, "conversation": conversation}

    async def deny(self, answer: str, wanted: Json) -> Json:
        """Store that the user's message after an answer (by its turn's id) did not correct it, or
        take that back. Nothing is said about whether the answer was good.

        Raises UsageError, NotFound.
        """
        denied = wanted.get("denied")
        if not isinstance(denied, bool):
            raise UsageError("“denied” is missing.", hint="Say true or false.")
        found = await self._read(answer)
        if denied:
            none = replace(found.findings, correction=0.0)
            now = replace(found, read_by=DENIED_BY, read_at=self._clock.now(), findings=none)
            await self._feedback.save([now])
        else:
            await self._feedback.remove(found.turn, DENIED_BY)
            now = await self._read(answer)
        await self._count([now])
        return {"denied": now.read_by == DENIED_BY}

    async def _read(self, answer: str) -> Feedback:
        """Return what was found in the user's message after an answer. Raises NotFound."""
        found = (await asyncio.to_thread(self._feedback.about, [answer])).get(answer)
        if found is None:
            raise NotFound(
                f"No message after the answer {answer} was read.",
                hint="It waits to be read, or was deleted.",
            )
        return found
