"""Holds the library of skills (instruction texts) now in use, which requests and background jobs
read.
"""

from __future__ import annotations

from typing import Protocol

from lull.core.events import EventKind
from lull.core.skills.skill import Library
from lull.service.process.bus import EventBus


class LibraryIndex(Protocol):
    """Interface of the search index that finds the skills (instruction texts) for a request. It
    must be rebuilt when the skill library changes.
    """

    @property
    def built(self) -> bool:
        """Whether a library of skills (instruction texts) has been indexed already."""

    async def follow(self, library: Library) -> None:
        """Index a library of skills (instruction texts); when this returns, requests find its
        skills.
        """


class FollowsLibrary(Protocol):
    """Interface of a part that keeps up with the library of skills (instruction texts) in use, as
    the holdout does.
    """

    def follow(self) -> None:
        """Take up the skill library that has just been put into use."""


class CurrentLibrary:
    """Holds the library of skills (instruction texts) now in use, which approved changes replace as
    a whole.
    """

    def __init__(self, library: Library, index: LibraryIndex, bus: EventBus) -> None:
        self.library = library
        self._index = index
        self._bus = bus
        self._followers: list[FollowsLibrary] = []

    def tell_changes_to(self, follower: FollowsLibrary) -> None:
        """From now on tell `follower` whenever another skill library was put into use."""
        self._followers.append(follower)

    async def put_into_use(self, library: Library) -> None:
        """Index this library of skills (instruction texts) and put it into use, unless a newer one
        is in use already.
        """
        await self._index.follow(library)
        if library.generation < self.library.generation:
            return  # a newer one is already in force
        self.library = library
        for one in self._followers:
            one.follow()
        self._bus.tell(EventKind.GENERATION, generation=library.generation)
