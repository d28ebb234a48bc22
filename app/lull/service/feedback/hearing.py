"""Handles `lull read` in a running service: lists the feedback found in users' messages, and has
messages read again.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lull.contract.json_object import Json
from lull.core.errors import UsageError
from lull.core.feedback.feedback import Feedback
from lull.service.feedback.views import PAGE, listed_view, reread_view
from lull.store.feedback.feedback import FeedbackRows

if TYPE_CHECKING:
    from lull.loops.feedback.hear import CountsFeedback, Hear


class FeedbackRequests:
    """Answers the control API's requests about the feedback that was read from users' messages."""

    def __init__(self, rows: FeedbackRows, hear: Hear, *, count: CountsFeedback) -> None:
        """The function `count` adds newly read feedback to the answers' scores and writes skills
        from it.
        """
        self._rows = rows
        self._hear = hear
        self._count = count

    def list_feedback(self, *, conversation: str = "", after: str = "", limit: int = PAGE) -> Json:
        """Return the JSON list of the feedback found in users' messages, newest first: all of one
        `conversation`, or a page of at most `limit` entries that begins after the turn `after`.

        Blocking: reads the database.
        """
        return list_feedback(self._rows, conversation=conversation, after=after, limit=limit)

    async def reread(self, wanted: Json) -> Json:
        """Read users' messages for feedback now: those not read yet, and once more those that were
        read by another model than the current one.

        `wanted` is `{"again": true, "conversation": ID or nothing}`; with an id, only messages of
        that conversation are read again. Raises UsageError, and LullError when the reading model
        fails.
        """
        conversation = wanted.get("conversation") or ""
        if wanted.get("again") is not True or not isinstance(conversation, str):
            raise UsageError("`again` is missing.", hint="Say true to have messages read anew.")
        read: list[tuple[Feedback | None, Feedback]] = []
        old = await asyncio.to_thread(self._all, conversation)
        if not conversation:
            while fresh := await self._hear.step(hurry=True):
                read += [(None, one) for one in fresh]
        read += [(one.before, one.now) for one in await self._hear.read_again(old)]
        await self._count([one for _, one in read])
        read.sort(key=lambda pair: pair[1].turn, reverse=True)
        return reread_view(read, waiting=await asyncio.to_thread(self._rows.count_waiting))

    def _all(self, conversation: str) -> list[Feedback]:
        if conversation:
            return self._rows.of_conversation(conversation)
        found: list[Feedback] = []
        while page := self._rows.newest(limit=500, after=found[-1].turn if found else ""):
            found += page
        return found


def list_feedback(
    rows: FeedbackRows, *, conversation: str = "", after: str = "", limit: int = PAGE
) -> Json:
    """Return the JSON list of the feedback found in users' messages, newest first: all of one
    `conversation`, or a page of at most `limit` entries that begins after the turn `after`.

    It needs only the database, so `lull read` also works without a running service. Blocking.
    """
    waiting = rows.count_waiting()
    if conversation:
        return listed_view(rows.of_conversation(conversation)[::-1], waiting=waiting)
    found = rows.newest(limit=limit + 1, after=after)
    return listed_view(found[:limit], waiting=waiting, following=len(found) > limit)
