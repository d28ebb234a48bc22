"""Moves old conversations into the trash in small steps, and asks the user before moving many.

A sweep, every few hours, notes how much time has passed, moves conversations over the age or size
limit into the trash, a few at a time, and empties what has been in the trash for a week. A full
trash stops the moving, so nothing leaves the trash early. Without asking, at most a tenth of the
conversations may be moved in a day. The day's count is stored before conversations are moved, so
neither a restart nor the next sweep starts it anew.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from lull.core.chat.day_count import DayCount
from lull.core.chat.retention import (
    EQUAL_SIZES,
    MOST_AT_ONCE,
    Limits,
    SweepPlan,
    UnaskedDeletions,
    may_be_emptied,
    plan,
)
from lull.core.errors import StoreError
from lull.loops.chat.lived_clock import LivedClock
from lull.store.chat.deletion_list import ToForget
from lull.store.chat.trash_files import DamagedTrash
from lull.store.forgetting.retention import Retention
from lull.store.forgetting.trash import Removal, Salvage, Trash, TrashFile

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """The result of one sweep: how many conversations it moved into the trash because of age or
    size, and how many it did not move, because the user must agree first or the trash is full.
    """

    moved: int = 0
    """Number of conversations moved into the trash."""
    ask: int = 0
    """Number of conversations over the limits that wait for the user's consent."""
    doubted: int = 0
    """Number of conversations that are too old by the wall clock alone, so the user is asked."""
    gone: int = 0
    """Number of conversations moved without asking before the user was asked about the rest."""
    full: bool = False
    """Whether some conversations wait because the trash is full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreResult:
    """How many conversations came back from the trash, and the names of trash files that could not
    be read.
    """

    conversations: int
    left: tuple[str, ...] = ()
    """Names of the files that stay in the trash, since they cannot be read."""


class Sweep:
    """Enforces the age and size limits on stored conversations by moving the oldest into the
    trash.
    """

    def __init__(
        self,
        retention: Retention,
        trash: Trash,
        clock: LivedClock,
        *,
        limits: Callable[[], Limits],
        trash_bytes: Callable[[], int],
    ) -> None:
        self._retention = retention
        self._trash = trash
        self._clock = clock
        self._limits = limits
        self._trash_bytes = trash_bytes
        self._turn = asyncio.Lock()

    async def sweep(self, *, asked: bool = False) -> SweepResult:
        """Move conversations over the age or size limits into the trash, and empty what has been
        there for long. Raises StoreError.

        `asked` means that the user agreed to move every conversation over the limits.
        """
        async with self._turn:
            lived = await self._clock.count()
            await self._empty(lived)
            unasked = (await asyncio.to_thread(self._retention.unasked_deletions)).on(
                lived.day_for_new_data
            )
            sizes = await asyncio.to_thread(self._sizes)
            moved = 0
            while True:
                found = await self._plan(lived, sizes, unasked, asked=asked)
                if not found.go or self._full():
                    await self._retention.save_unasked_deletions(replace(unasked, waits=found.held))
                    return SweepResult(
                        moved=moved,
                        ask=found.ask,
                        doubted=found.doubted,
                        gone=unasked.gone if found.held else 0,
                        full=bool(found.go),
                    )
                if not asked:
                    # Stored first: a crash in between may count too many, never too few.
                    await self._retention.save_unasked_deletions(
                        unasked.more(len(found.go[:MOST_AT_ONCE]))
                    )
                step = await self._step(found, lived, asked=asked)
                unasked = unasked if asked else unasked.more(step)
                moved += step

    def _sizes(self) -> Mapping[str, int]:
        """Return the sizes of the conversations if they matter, for reading them takes long."""
        most = self._limits().most_bytes
        over = most and self._retention.used_bytes() > most
        return self._retention.sizes() if over else EQUAL_SIZES

    async def _plan(
        self, lived: DayCount, sizes: Mapping[str, int], unasked: UnaskedDeletions, *, asked: bool
    ) -> SweepPlan:
        def look() -> SweepPlan:
            return plan(
                self._retention.ages(),
                self._limits(),
                lived=lived,
                now=self._clock.now(),
                used_bytes=self._retention.used_bytes(),
                sizes=sizes,
                unasked=unasked,
                asked=asked,
            )

        return await asyncio.to_thread(look)

    async def _step(self, found: SweepPlan, lived: DayCount, *, asked: bool) -> int:
        why = "asked" if asked else "age" if found.by_age else "size"
        bundle = Removal(
            why=why, at=self._clock.now().isoformat(), born=lived.day_for_new_data, conversations=()
        )
        moved = await self._trash.move_to_trash(found.go[:MOST_AT_ONCE], bundle)
        if not moved:
            # All of them were continued in the meantime, so they are new again.
            await self._retention.save_day_count(lived)
        log.info("%d old conversations moved to the trash (`lull trash`)", moved)
        return moved

    def _full(self) -> bool:
        held = self._trash.size_bytes()
        return held > 0 and held >= self._trash_bytes()

    async def _empty(self, lived: DayCount) -> None:
        def work() -> None:
            for one in self._trash.files():
                at = datetime.fromisoformat(one.bundle.at)
                now = self._clock.now()
                if may_be_emptied(born=one.bundle.born, at=at, lived=lived, now=now):
                    self._trash.remove(one.name)
                    log.info("%d conversations left the trash", len(one.bundle.conversations))

        await asyncio.to_thread(work)

    # The user's commands

    def trash_files(self) -> list[TrashFile]:
        """List the readable files in the trash with their conversations, oldest first. Blocking."""
        return self._trash.files()

    def unlisted(self) -> list[Path]:
        """List the files in the trash that cannot be read well enough to tell which conversations
        are in them. Blocking.
        """
        return self._trash.unlisted()

    def damaged(self) -> list[Path]:
        """List the damaged files in the trash. Blocking; reads each file once."""
        return self._trash.damaged()

    async def restore(self, name: str = "") -> RestoreResult:
        """Restore the bundle of conversations with this name from the trash, or, for "", all
        bundles that can be read.

        Raises StoreError if none can be restored.
        """
        async with self._turn:
            thrown = await asyncio.to_thread(self._trash.files)
            wanted = [one.name for one in thrown if name in ("", one.name)]
            back, failed = 0, dict[str, StoreError]()
            for one in wanted:
                try:
                    back += await self._trash.restore(one)
                except StoreError as error:
                    failed[one] = error
            if failed and len(failed) == len(wanted):
                raise next(iter(failed.values()))
            return RestoreResult(conversations=back, left=tuple(failed))

    async def restore_for_forgetting(self, conversation: str) -> Salvage | None:
        """Restore the trash file that holds this conversation into the database, so that the
        conversation can then be forgotten with everything derived from it.

        The file's other conversations come back too; they still expire by age.

        If its trash file was damaged, return what became of the file. Raises StoreError.
        """
        async with self._turn:
            salvage: Salvage | None = None
            for one in await asyncio.to_thread(self._trash.files):
                if conversation in one.bundle.conversations:
                    try:
                        await self._trash.restore(one.name, for_good=False)
                    except DamagedTrash as damage:
                        salvage = await self._trash.salvage(damage, one, conversation)
            return salvage

    async def restore_mentioning(self, what: ToForget) -> list[Path]:
        """Restore the trash files whose conversations were answered with a skill that is to be
        forgotten, or scored by a wish that is: only in the database these are removed from them.
        They still expire by age.

        Return the damaged files of which it is not known. Raises StoreError.
        """
        skills = {name for _, name in what.skills} | {name for _, name, _ in what.set_back}
        words = {*what.texts, *what.names, *skills} - {""}
        async with self._turn:
            found, unknown = await asyncio.to_thread(self._trash.files_mentioning, words, what.said)
            for name in found:
                await self._trash.restore(name, for_good=False)
        return unknown

    async def preview_restored(
        self, conversation: str, look: Callable[[bool], T]
    ) -> tuple[T, Salvage | None]:
        """Call `look` on the database as it would be with a conversation restored from the trash;
        nothing is changed. Used to show what forgetting the conversation would remove.

        `look` gets whether the conversation's file in the trash is damaged. Returns the result of
        `look`, and what would become of a damaged file. Raises StoreError.
        """
        async with self._turn:
            return await asyncio.to_thread(self._trash.simulate_restore, conversation, look)

    async def empty(self) -> int:
        """Delete everything in the trash for good, also files that cannot be read; return how many
        conversations are known to have been deleted.
        """
        async with self._turn:
            thrown = await asyncio.to_thread(self._trash.files)
            unlisted = await asyncio.to_thread(self._trash.unlisted)
            for name in (*(one.name for one in thrown), *(file.stem for file in unlisted)):
                await asyncio.to_thread(self._trash.remove, name)
            return sum(len(one.bundle.conversations) for one in thrown)
