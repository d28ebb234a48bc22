"""Removes a conversation that the user wants forgotten, with everything derived from it: skills,
training runs, adapters and scores.

A skill (an instruction text) that it taught is removed, or set back to its earlier text. A training
run that used it is deleted with its folder. An adapter from such a run, or built on such an
adapter, is rolled back to the youngest ancestor without it. The deleted skills and runs had also
used failures and sampled answers of other conversations; later skills and runs may use these again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from lull.core.errors import Conflict, NotFound, StoreError
from lull.core.skills.ports import LibraryInUse
from lull.core.skills.skill import SkillKey
from lull.loops.forgetting.derived import FindDerived, ForgetTables, Forgotten
from lull.loops.skills.approve import Approve
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.chat.deletion_list import ToForget
from lull.store.disk.on_disk import removals_to_disk
from lull.store.disk.uninterrupted import uninterrupted
from lull.store.forgetting.forgetting import mask_words
from lull.store.training.run_folders import RunFolders

log = logging.getLogger(__name__)

FINISHES_WITHIN_S: Final = 5.0
"""Longest wait for other programs in one try to finish; there are more tries."""


class Exemplars(Protocol):
    """Interface by which entries are deleted from the memory of past requests that skills were
    useful for. Blocking.
    """

    def remove(self, ids: list[str]) -> None:
        """Delete the entries with these ids."""

    def remove_skill(self, *, client: str, skill: str) -> None:
        """Remove a skill's remembered past requests; `client` is "" for a skill of all clients."""

    def of_turns(self, turns: Sequence[str]) -> list[str]:
        """Return the ids of the entries that came from these conversation turns."""

    def rewrite(self) -> None:
        """Rewrite the memory's files, so that deleted content is gone from the disk too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetFiles:
    """The files on disk (training runs, adapters, logs) that may hold a conversation or something
    derived from it.
    """

    runs: RunFolders
    adapters: AdapterFiles
    logs: Callable[[], Iterable[Path]]


class ForgetElsewhere(Protocol):
    """Interface for what a running service must do outside the database to forget a conversation:
    stop training runs, roll back adapters, refresh caches.
    """

    async def exemplars(self) -> Exemplars | None:
        """Open the memory of past requests that skills were useful for; None if there is none."""

    async def roll_back(self, model: str, *, to: str | None, why: str) -> None:
        """Make another adapter of the model the active one; the base model if `to` is None."""

    async def stop(self, runs: Sequence[str]) -> None:
        """Stop work on training runs that are about to be removed."""

    async def afterwards(self) -> None:
        """Refresh the service's caches after a conversation was forgotten."""


class Forget:
    """Removes a conversation and everything derived from it, such as skills, training runs and
    adapters.
    """

    def __init__(
        self,
        tables: ForgetTables,
        files: ForgetFiles,
        elsewhere: ForgetElsewhere,
        *,
        approve: Approve,
        in_use: LibraryInUse,
    ) -> None:
        self._tables = tables
        self._files = files
        self._elsewhere = elsewhere
        self._approve = approve
        self._in_use = in_use
        self._derived = FindDerived(tables, in_use=in_use)
        self._turn = asyncio.Lock()

    def find_derived(self, conversation: str, *, unread: bool = False) -> Forgotten:
        """Find what forgetting the conversation would remove, such as skills and adapters made from
        it. Blocking.

        With `unread` the conversation may be missing in the database, because it could not be read
        from a damaged file; otherwise NotFound is raised. A deletion that was begun and failed is
        found with all that it was to remove, for some of it may be gone already.
        """
        unfinished = self._tables.forgetting.unfinished_deletions()
        begun = [what for what in unfinished if what.trajectory == conversation]
        found = self._derived.find(conversation, unread=unread or bool(begun))
        for what in begun:
            found = replace(found, what=what.joined(found.what))
        return found

    async def forget(self, conversation: str, *, unread: bool = False) -> Forgotten:
        """Remove a conversation and everything derived from it, such as skills and adapters. Raises
        StoreError, and NotFound unless `unread` says that the conversation existed but could not be
        read.

        Once removal has begun, it goes on even if the caller is cancelled.
        """
        async with self._turn:
            found = await asyncio.to_thread(partial(self.find_derived, conversation, unread=unread))
            left = await uninterrupted(self._intended(found.what))
        return Forgotten(what=found.what, made=found.made, left=tuple(left))

    async def _intended(self, what: ToForget) -> list[Path]:
        await self._tables.forgetting.save_deletion(what)
        await self._removed(what)
        return await asyncio.to_thread(self._tables.forgetting.rewrite)

    def unfinished(self) -> bool:
        """Return whether something of a forgotten conversation may still be on the disk. Blocking:
        reads the database.
        """
        rows = self._tables.forgetting
        return rows.to_rewrite() or bool(rows.unfinished_deletions())

    async def finish(self) -> StoreError | None:
        """Finish deleting for good the conversations that the user wanted forgotten, and all
        derived from them (skills, adapters …), where a crash, a full disk or a program that reads
        the database file prevented this.

        Returns the error if only the database file could not be rewritten.
        """
        async with self._turn:
            for what in await asyncio.to_thread(self._tables.forgetting.unfinished_deletions):
                log.info("going on forgetting %s", what.trajectory)
                await uninterrupted(self._removed(await asyncio.to_thread(self._whole, what)))
            if await asyncio.to_thread(self._tables.forgetting.to_rewrite):
                try:
                    await asyncio.to_thread(self._tables.forgetting.rewrite, FINISHES_WITHIN_S)
                except StoreError as error:
                    return error
        return None

    def _whole(self, what: ToForget) -> ToForget:
        """Return the list of what to delete; if it is damaged, a new one of what is still found."""
        return what if what.turns else self.find_derived(what.trajectory, unread=True).what

    async def _removed(self, what: ToForget) -> None:
        """Remove everything but what is left in unused parts of the database file; each step is
        idempotent.
        """
        await self._elsewhere.stop(what.runs)
        await self._take_out_adapters(what)
        await self._take_out_skills(what)
        bodies = {s.sha256: s.body for s in self._in_use.library.skills.values()}
        what = await self._remove(what, bodies)
        try:
            await self._forget_exemplars(what)
        finally:  # the rows are gone, so nothing may go on by what was read of them
            await self._elsewhere.afterwards()
        # Until then answers may have been scored by its wishes.
        what = await self._remove(what, bodies)
        await asyncio.to_thread(self._remove_files, what)
        await self._tables.forgetting.mark_rows_deleted(what)

    async def _remove(self, what: ToForget, bodies: Mapping[str, str]) -> ToForget:
        """Remove the rows, including those of runs made since the search."""
        # Read before the scores are removed, which record the wishes they came from.
        now = await asyncio.to_thread(self._derived.turns_scored_by_wishes, what.said, what.owner)
        what = replace(what, held=tuple(dict.fromkeys((*what.held, *now))))
        await self._tables.forgetting.remove(what, bodies)
        late = await asyncio.to_thread(self._made_meanwhile, what)
        if late:
            what = replace(what, runs=(*what.runs, *late))
            await self._elsewhere.stop(late)
            await self._tables.forgetting.remove(what, bodies)
        return what

    def _made_meanwhile(self, what: ToForget) -> tuple[str, ...]:
        """Return the runs made from the conversation between the search and the removal."""
        made = self._tables.training.made_of(
            trajectory=what.trajectory, skills=what.texts, turns=what.held
        )
        return tuple(run.id for run in made if run.id not in what.runs)

    async def _take_out_adapters(self, what: ToForget) -> None:
        for adapter in what.adapters:
            try:
                model = await asyncio.to_thread(self._tables.adapters.model_of, adapter)
            except NotFound:
                continue
            force = await asyncio.to_thread(self._tables.adapters.in_force, model)
            if adapter in (force.active, force.shadow, force.held):
                to = await asyncio.to_thread(self._ancestor, force.active, set(what.adapters))
                await self._elsewhere.roll_back(model, to=to, why="a conversation was forgotten")
        # Children first: an adapter's row is referenced by those trained on top of it.
        for adapter in reversed(what.adapters):
            try:
                await self._tables.adapters.remove(adapter)
            except (NotFound, Conflict) as error:
                log.info("%s: %s", adapter, error)
            await asyncio.to_thread(self._files.adapters.remove, adapter)

    def _ancestor(self, adapter: str | None, tainted: set[str]) -> str | None:
        """Return an adapter's youngest ancestor that was not trained on the conversation and whose
        files still exist.
        """
        known = {one.id: one.sha256 for one in self._tables.adapters.all() if one.id not in tainted}
        for one in self._tables.adapters.lineage(adapter):
            if one in known and not self._files.adapters.damage(one, known[one]):
                return one
        return None

    async def _take_out_skills(self, what: ToForget) -> None:
        library = self._in_use.library
        wanted: dict[SkillKey, str | None] = {SkillKey(c, n): None for c, n in what.skills}
        wanted |= {SkillKey(c, n): sha256 for c, n, sha256 in what.set_back}
        there = {key: sha256 for key, sha256 in wanted.items() if key in library.skills}
        if there:
            await self._approve.restore_texts(there, why="a conversation was forgotten")

    def _remove_files(self, what: ToForget) -> None:
        for run in what.runs:
            self._files.runs.remove(run)
        self._tables.skills.folders.forget(
            [SkillKey(client, name) for client, name in what.skills],
            [SkillKey(client, name) for client, name, _ in what.set_back],
            what.texts,
        )
        for file in self._files.logs():
            mask_words(file, [*self._names(what), what.trajectory, *what.turns])
        folders = self._tables.skills.folders
        removals_to_disk((self._files.runs.root, self._files.adapters.root, folders.root))

    def _names(self, what: ToForget) -> set[str]:
        """Return the names of the skills and proposals to delete, since a name is made of the words
        that taught the skill. Names that remaining skills share are left out.
        """
        names = {name for _, name in what.skills} | set(what.names)
        stay = self._in_use.library.skills.keys() - {SkillKey(c, n) for c, n in what.skills}
        return names - {key.name for key in stay}

    async def _forget_exemplars(self, what: ToForget) -> None:
        memory = await self._elsewhere.exemplars()
        if memory is None:
            return

        def work() -> None:
            memory.remove(memory.of_turns(what.turns))
            for client, name in what.skills:
                memory.remove_skill(client=client, skill=name)
            memory.rewrite()

        await asyncio.to_thread(work)
