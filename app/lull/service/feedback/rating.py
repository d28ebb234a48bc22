"""Lets users rate answers, and exclude conversations from learning.

A good rating stores the request in the exemplar memory (past requests and the skills useful for
them), so that similar requests get the same skills, or none. Clearing the rating or excluding the
conversation removes it from there. A rating counts also where that memory does not work: what could
not be removed is a problem that the user sees, and is removed once it works again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Protocol

from lull.contract.json_object import Json
from lull.core.errors import UsageError
from lull.core.events import EventKind
from lull.core.ports import Clock
from lull.core.skills.past_requests import NO_SKILL
from lull.service.process.bus import EventBus
from lull.service.process.problems import Problems
from lull.store.chat.trajectories import Label, Trajectories, TurnRow

CLEAR = "clear"
"""Value of a rating request that removes the rating of an answer."""
PROBLEM = "past requests"
"""Key of the problem that the exemplar memory does not work, which the next success clears."""


class RemovesExemplars(Protocol):
    """Interface to remove entries from the exemplar memory (past requests for which a skill was
    useful), as when a rating is cleared.
    """

    def remove(self, ids: list[str]) -> None:
        """Remove the entries with these ids. Raises StoreError if they can only be removed later,
        which is then done before anything else is stored.
        """

    def of_turns(self, turns: Sequence[str]) -> list[str]:
        """Return the ids of the entries that came from these turns. Raises StoreError."""


class OpenedExemplars(Protocol):
    """Interface of what opens the exemplar memory (past requests for which a skill was useful) some
    time after the service's start.
    """

    @property
    def exemplars(self) -> RemovesExemplars | None:
        """The exemplar memory; None while it is not open."""


class ScoresRated(Protocol):
    """Interface that scores an answer again after the user has rated it."""

    async def on_rated(self, turn: str) -> None:
        """Score this rated answer again."""


class ShowsTurns(Protocol):
    """Interface that shows a recorded request with its answer as the control API does."""

    def turn(self, turn_id: str) -> Json:
        """Return the JSON of a recorded request with its answer. Blocking. Raises NotFound."""


class Rating:
    """Stores users' ratings of answers, and excludes conversations from learning."""

    def __init__(
        self,
        trajectories: Trajectories,
        clock: Clock,
        bus: EventBus | None,
        *,
        memory: OpenedExemplars,
        scoring: ScoresRated,
        conversations: ShowsTurns,
        problems: Problems,
    ) -> None:
        self._trajectories = trajectories
        self._clock = clock
        self._bus = bus
        self._memory = memory
        self._scoring = scoring
        self._conversations = conversations
        self._problems = problems

    async def rate(self, turn_id: str, label: str) -> Json:
        """Rate a recorded answer as good or bad, or clear its rating; returns its new JSON.

        Raises UsageError, NotFound.
        """
        if label not in (*Label, CLEAR):
            raise UsageError(f"{label[:40]!r} is not a label.", hint="Say good, bad or clear.")
        value = None if label == CLEAR else Label(label)
        await self._trajectories.label(turn_id, value, at=self._clock.now())
        turn = self._trajectories.turn(turn_id)
        if value is not Label.GOOD:
            await self._forget_credit([turn])
        await self._scoring.on_rated(turn_id)
        if self._bus is not None:
            self._bus.tell(EventKind.LABEL, turn=turn_id, label=label)
        return await asyncio.to_thread(self._conversations.turn, turn_id)

    async def exclude(self, conversation: str, excluded: bool) -> None:
        """Exclude a conversation from learning, or include it again.

        What was already learned from it stays; `lull forget` removes that. Raises NotFound.
        """
        await self._trajectories.exclude(conversation, excluded, at=self._clock.now())
        _, turns = await asyncio.to_thread(self._trajectories.get, conversation)
        if excluded:
            await self._forget_credit(turns)
        for turn in turns:
            if turn.label is Label.GOOD and not excluded:
                await self._scoring.on_rated(turn.id)
        if self._bus is not None:
            self._bus.tell(EventKind.LABEL, conversation=conversation, excluded=excluded)

    async def forget_refused(self) -> None:
        """Remove from the exemplar memory what ratings and exclusions could not remove while it was
        not open, as when its process could not start until Lull ended.

        Raises StoreError.
        """
        memory = self._memory.exemplars
        refused = await asyncio.to_thread(self._trajectories.not_to_learn_from)
        if memory is None or not refused:  # then the memory's process is not started for nothing
            return

        def work() -> None:
            stored = memory.of_turns(refused)
            turns = {one.partition(":")[0] for one in stored}
            credited = _credited(self._trajectories.turn(turn) for turn in turns)
            if wrong := [one for one in stored if one in credited]:
                memory.remove(wrong)

        await asyncio.to_thread(work)

    async def _forget_credit(self, turns: Sequence[TurnRow]) -> None:
        memory = self._memory.exemplars
        if memory is not None and turns:
            ids = sorted(_credited(turns))
            await self._problems.attempt(PROBLEM, lambda: asyncio.to_thread(memory.remove, ids))


def _credited(turns: Iterable[TurnRow]) -> set[str]:
    """Return the ids under which these turns may be stored because they went well."""
    return {
        f"{turn.id}:{name}"
        for turn in turns
        for name in (NO_SKILL, *(skill.name for skill in turn.skills))
    }
