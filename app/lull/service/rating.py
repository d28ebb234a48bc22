"""The user's own word: a label on a turn, the most trusted one on a free text, and whether a
conversation is kept out of learning.

A turn that is called good teaches the exemplar memory that requests like it want its skills
(loops/score.py); taking the label back takes that back, and so does keeping its conversation out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from lull.core.errors import UsageError
from lull.core.events import EventKind
from lull.core.ports import Clock
from lull.service.bus import Bus
from lull.store.trajectories import Label, Trajectories, TurnRow

Json = dict[str, Any]
CLEAR = "clear"


class Credits(Protocol):
    """The part of an exemplar memory that a rating needs."""

    def remove(self, ids: list[str]) -> None: ...


class Rating:
    def __init__(
        self,
        trajectories: Trajectories,
        clock: Clock,
        bus: Bus | None,
        credits_: Callable[[], Credits | None],
        *,
        rated: Callable[[str], Awaitable[None]],
        view: Callable[[str], Json],
    ) -> None:
        """`rated` is told of every label, to score the turn again; `view` shows the turn then."""
        self._trajectories = trajectories
        self._clock = clock
        self._bus = bus
        self._credits = credits_
        self._rated = rated
        self._view = view

    async def rate(self, turn_id: str, label: str) -> Json:
        """The turn as it stands afterwards. Raises UsageError, NotFound."""
        if label not in (*Label, CLEAR):
            raise UsageError(f"{label[:40]!r} is no label.", hint="Say good, bad or clear.")
        value = None if label == CLEAR else Label(label)
        await self._trajectories.label(turn_id, value, at=self._clock.now())
        turn = self._trajectories.turn(turn_id)
        if value is not Label.GOOD:
            await asyncio.to_thread(self._forget_credit, turn)
        await self._rated(turn_id)
        if self._bus is not None:
            self._bus.tell(EventKind.LABEL, turn=turn_id, label=label)
        return await asyncio.to_thread(self._view, turn_id)

    async def exclude(self, conversation: str, excluded: bool) -> None:
        """Keep a conversation out of learning, or let it in again. What was already made of it
        stays: `lull forget` removes that. Raises NotFound."""
        await self._trajectories.exclude(conversation, excluded, at=self._clock.now())
        _, turns = await asyncio.to_thread(self._trajectories.get, conversation)
        for turn in turns:
            if excluded:
                await asyncio.to_thread(self._forget_credit, turn)
            elif turn.label is Label.GOOD:
                await self._rated(turn.id)
        if self._bus is not None:
            self._bus.tell(EventKind.LABEL, conversation=conversation, excluded=excluded)

    def _forget_credit(self, turn: TurnRow) -> None:
        memory = self._credits()
        if memory is not None and turn.skills:
            memory.remove([f"{turn.id}:{skill.name}" for skill in turn.skills])
