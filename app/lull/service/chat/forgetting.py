"""Handles `lull forget` in a running service: shows what was learned from a conversation, such as
skills (instruction texts) and LoRA adapters, then deletes it all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from lull.contract.json_object import Json
from lull.core.errors import LullError, NotFound, UsageError
from lull.loops.forgetting.derived import Forgotten
from lull.loops.forgetting.forget import Forget
from lull.service.backups.backups import Backups
from lull.service.chat.throwing_away import TrashRequests
from lull.service.process.problems import Problems
from lull.store.forgetting.trash import Salvage
from lull.store.sqlite.database import Database

FORGETTING_PROBLEM: Final = "forgetting"
TRIES_EVERY_S: Final = 30.0
"""Seconds between two tries to finish a deletion."""


class FinishForgetting:
    """Background job: finishes the deletion of conversations of which something may still be on the
    disk, because it was full or another program read the database file.
    """

    def __init__(self, forget: Forget, *, backups: Backups, problems: Problems) -> None:
        self._forget = forget
        self._backups = backups
        self._problems = problems

    async def run(self) -> None:
        """Look every half minute whether there is something to finish, until cancelled."""
        while True:
            await asyncio.sleep(TRIES_EVERY_S)
            await self.once()

    async def once(self, *, at_once: bool = False) -> LullError | None:
        """Finish what there is to finish, and show the user why it could not be; returns why.

        A backup in progress comes to its end first, unless it is to be done `at_once`.
        """
        error: LullError | None = None
        try:
            if not await asyncio.to_thread(self._forget.unfinished):
                self._problems.clear(FORGETTING_PROBLEM)
                return None
            # Stopped by each of many tries, a long backup would never come to an end.
            backups = self._backups
            async with backups.paused() if at_once else backups.none_running():
                error = await self._forget.finish()
        except LullError as why:
            error = why
        self._problems.set_or_clear(FORGETTING_PROBLEM, error)
        return error


class ForgettingRequests:
    """Answers the control API's requests to delete a conversation and all that was learned from
    it.
    """

    def __init__(
        self,
        forget: Forget,
        *,
        finishing: FinishForgetting,
        database: Database,
        trash: TrashRequests,
        backups: Backups,
    ) -> None:
        self._finishing = finishing
        self._database = database
        self._trash = trash
        self._backups = backups
        self._forget = forget
        self._turn = asyncio.Lock()

    async def forget(self, wanted: Json) -> Json:
        """Delete a conversation and all that was learned from it; unless `yes` is true, only show
        what would be removed.

        Raises UsageError, NotFound, StoreError.
        """
        conversation = wanted.get("conversation")
        if not isinstance(conversation, str) or not conversation:
            raise UsageError("“conversation” is missing.", hint="Give its id.")
        await asyncio.to_thread(self._database.place.check)
        await asyncio.to_thread(self._database.flush)
        async with self._turn:
            if wanted.get("yes") is not True:
                found, salvage = await self._trash.sweep.preview_restored(
                    conversation,
                    lambda unread: self._forget.find_derived(conversation, unread=unread),
                )
                return await self._view(found, salvage, done=False)
            # Only from the database all that came of it is found and removed.
            salvage = await self._trash.bring_back(conversation)
            unread = salvage is not None
            try:
                found = await asyncio.to_thread(
                    self._forget.find_derived, conversation, unread=unread
                )
                unsearched = await self._trash.sweep.restore_mentioning(found.what)
                async with self._backups.paused():
                    done = await self._forget.forget(conversation, unread=unread)
            except NotFound:
                # It may be gone from all rows by an earlier try, and not from the file.
                if why := await self._finishing.once(at_once=True):
                    raise why from None
                raise
            done = replace(done, left=(*done.left, *unsearched))
            return await self._view(done, salvage, done=True)

    async def _view(self, found: Forgotten, salvage: Salvage | None, *, done: bool) -> Json:
        unlisted = await asyncio.to_thread(self._trash.sweep.unlisted)
        found = replace(
            found, made=(*found.made, *_salvaged(salvage)), left=(*found.left, *unlisted)
        )
        return _view(found, await self._still(), done=done)

    async def _still(self) -> list[Path]:
        return await asyncio.to_thread(self._backups.remaining_copies)


def _salvaged(salvage: Salvage | None) -> list[str]:
    """Say what becomes of the damaged trash file in which the conversation lay."""
    if salvage is None:
        return []
    said = [f"{salvage.file} is damaged and is deleted, for the conversation lies in it."]
    if salvage.back:
        said.append(f"Of the others in it, {salvage.back} are intact and will be restored.")
    if salvage.lost:
        said.append(f"Of the others in it, {salvage.lost} cannot be read and are lost.")
    if not salvage.known:
        said.append("Its turns cannot be read, so skills that it taught are not found.")
    return said


def _view(found: Forgotten, backups: Sequence[Path], *, done: bool) -> Json:
    what = found.what
    skills = [name for _, name in what.skills] + [name for _, name, _ in what.set_back]
    return {
        "done": done,
        "removed": {
            "turns": len(what.turns),
            "skills": len(skills),
            "runs": len(what.runs),
            "adapters": len(what.adapters),
            "proposals": len(what.proposals),
        },
        "skills": skills,
        "runs": list(what.runs),
        "adapters": list(what.adapters),
        "made": list(found.made),
        "left": [str(path) for path in found.left],
        "backups": [str(path) for path in backups],
    }
