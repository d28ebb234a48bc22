"""Interfaces for running Lull's own work without disturbing the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from lull.core.idle.scheduling import LullWork

T = TypeVar("T")


class QuietRunner(Protocol):
    """Interface that runs Lull's own work only while the user's models are not in use."""

    async def run(self, work: Callable[[], Awaitable[T]], *, hurry: bool = False) -> T:
        """Wait until the user's models have not been used for a while, then run the work and return
        its result.

        An incoming request cancels the work, which is started again later, so it must be safe to
        repeat. With `hurry`, for work that the user asked for or that runs while the user is away,
        there is no such wait: only a chat that is being answered is waited for.
        """


class OffersWork(Protocol):
    """Interface of what lists background work that waits for a lull (an idle time of the
    computer).
    """

    def works(self) -> Sequence[LullWork]:
        """Return the work that waits now; cheap, as it is called ten times a second."""


class BorrowsModels(Protocol):
    """Interface to a model server that keeps track of the models which only Lull's own background
    work had it load, and removes them from its memory afterwards.
    """

    async def note_loaded(self) -> None:
        """Note which models the server has in memory before Lull's own work asks one, so that later
        only those that this work had the server load are removed again.
        """

    async def unload_own(self) -> None:
        """Remove from the server's memory the models that only Lull's own work had it load. Quick;
        never raises.
        """
