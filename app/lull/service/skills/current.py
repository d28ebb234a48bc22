"""Holds the library of skills (instruction texts) now in use, which requests and background jobs
read.
"""

from __future__ import annotations

from collections.abc import Callable
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


class CurrentLibrary:
    """Holds the library of skills (instruction texts) now in use, which approved changes replace as
    a whole.
    """

    def __init__(self, library: Library, index: LibraryIndex, bus: EventBus) -> None:
        self.library = library
        self._index = index
        self._bus = bus
        self.after: Callable[[], None] = lambda: None
        """Function that is called after another skill library was put into use."""

    async def put_into_use(self, library: Library) -> None:
        """Index this library of skills (instruction texts) and put it into use, unless a newer one
        is in use already.
        """
        await self._index.follow(library)
        if library.generation < self.library.generation:
            return  # a newer one is already in force
        self.library = library
        self.after()
        self._bus.tell(EventKind.GENERATION, generation=library.generation)
