"""The user's own label on a turn, the most trusted word on a free text.

A good turn whose skills were retrieved teaches the exemplar memory that requests like it want
them; taking the label back takes that back.
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

    def add(self, *, id: str, text: str, client: str, skill: str) -> None: ...  # noqa: A002

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
        await self._rated(turn_id)
        await asyncio.to_thread(self._credit, turn, good=value is Label.GOOD)
        if self._bus is not None:
            self._bus.tell(EventKind.LABEL, turn=turn_id, label=label)
        return await asyncio.to_thread(self._view, turn_id)

    def _credit(self, turn: TurnRow, *, good: bool) -> None:
        memory = self._credits()
        if memory is None or not turn.skills:
            return
        row, _ = self._trajectories.get(turn.trajectory)
        asked = next((m.text for m in reversed(turn.request) if m.text), "")
        for skill in turn.skills:
            mark = f"{turn.id}:{skill.name}"
            if good and asked:
                memory.add(id=mark, text=asked, client=row.client, skill=skill.name)
            else:
                memory.remove([mark])
