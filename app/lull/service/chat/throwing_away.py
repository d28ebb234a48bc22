"""Moves conversations that are too old or take too much space into a trash, where they can still be
restored for a while.

`GET /v1/trash` answers `{"steps": [{"id", "at", "why", "conversations", "turns", "mb"}],
"conversations", "mb"}`: a step is one removal, with the numbers of conversations and turns it moved
and their size in MB; the last two are totals. A POST does what its `do` says, and answers the same
with the result added.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final

from lull.contract.json_object import Json
from lull.contract.problems import DAMAGED_TRASH, FULL_TRASH, OLD_CONVERSATIONS
from lull.core.errors import NotFound, UsageError, WaitsForYourWord
from lull.loops.forgetting.sweep import RestoreResult, Sweep, SweepResult
from lull.service.process.problems import Problems
from lull.store.chat.trash_files import damage_error
from lull.store.forgetting.trash import Salvage

SWEEP_EVERY_S: Final = 6 * 3600.0
"""Seconds between the runs that move old conversations into the trash."""


class TrashRequests:
    """Moves old conversations into the trash regularly, and answers requests about the trash."""

    def __init__(self, sweep: Sweep, problems: Problems, *, settle: Callable[[], None]) -> None:
        """The function `settle` blocks until all requests and answers recorded so far are
        readable.
        """
        self.sweep = sweep
        self._problems = problems
        self._settle = settle

    async def run(self) -> None:
        """Background job: move old conversations into the trash now and every six hours, until
        cancelled.
        """
        while True:
            self._tell(await self.sweep.sweep())
            await self._tell_damage()
            await asyncio.sleep(SWEEP_EVERY_S)

    def _tell(self, swept: SweepResult) -> None:
        self._problems.set_or_clear(FULL_TRASH, _full_trash() if swept.full else None)
        self._problems.set_or_clear(OLD_CONVERSATIONS, _waiting(swept) if swept.ask else None)

    async def _tell_damage(self) -> None:
        files = await asyncio.to_thread(self.sweep.damaged)
        self._problems.set_or_clear(DAMAGED_TRASH, damage_error(files) if files else None)

    # Requests

    async def bring_back(self, conversation: str) -> Salvage | None:
        """Restore a conversation from the trash, so that `lull forget` can delete it with all that
        was learned from it. Return what could be read if its trash file was damaged; None
        otherwise.

        Raises StoreError.
        """
        salvage = await self.sweep.restore_for_forgetting(conversation)
        if salvage is not None:
            await self._tell_damage()
        return salvage

    async def list(self) -> Json:
        """Return the JSON of the removals to the trash: time, reason, numbers of conversations and
        turns and size of each, and totals; not the conversations themselves.
        """
        return await asyncio.to_thread(self._view)

    def trash_totals(self) -> Json:
        """Return the number of conversations in the trash, their size in MB, and how many went
        there on each day. Blocking.
        """
        view = self._view()
        days: Counter[str] = Counter()
        for step in view["steps"]:
            days[str(step["at"])[:10]] += step["conversations"]
        return {"conversations": view["conversations"], "mb": view["mb"], "days": days}

    async def carry_out(self, wanted: Json) -> Json:
        """Carry out what the request's `do` says: restore conversations from the trash, empty it,
        or move old ones into it now.

        Raises UsageError, NotFound, StoreError.
        """
        what = wanted.get("do")
        await asyncio.to_thread(self._settle)
        if what == "restore":
            restored = await self._restore(str(wanted.get("step") or ""))
            done = {"restored": restored.conversations, "damaged": list(restored.left)}
        elif what == "empty":
            done = {"emptied": await self.sweep.empty()}
            await self._tell_damage()
        elif what == "sweep":
            swept = await self.sweep.sweep(asked=True)
            self._tell(swept)
            done = {"moved": swept.moved}
        else:
            raise UsageError(
                "`do` is restore, sweep or empty.", hint="See the documentation of the control API."
            )
        return {**await self.list(), **done}

    async def _restore(self, step: str) -> RestoreResult:
        known = await asyncio.to_thread(self.sweep.trash_files)
        if step and step not in {one.name for one in known}:
            raise NotFound(f"There is nothing named {step} in the trash.", hint="See `lull trash`.")
        try:
            return await self.sweep.restore(step)
        finally:
            await self._tell_damage()

    def _view(self) -> Json:
        steps = [
            {
                "id": one.name,
                "at": one.bundle.at,
                "why": one.bundle.why,
                "conversations": len(one.bundle.conversations),
                "turns": one.bundle.turns,
                "mb": round(one.size_bytes / 1e6, 1),
            }
            for one in self.sweep.trash_files()
        ]
        return {
            "steps": steps,
            "conversations": sum(int(str(one["conversations"])) for one in steps),
            "mb": round(sum(float(str(one["mb"])) for one in steps), 1),
        }


def _full_trash() -> WaitsForYourWord:
    return WaitsForYourWord(
        "The trash is full, so older conversations stay until it empties by itself.",
        hint="`lull trash empty --yes` empties it now; records.trash_mb is its size.",
    )


def _waiting(swept: SweepResult) -> WaitsForYourWord:
    # Each a sentence of its own, for the window knows sentences by their wording.
    if swept.gone:
        said = (
            f"{swept.gone} conversations were moved to the trash. {swept.ask} more are over the "
            "limits that you set for their age (records.keep_days) or space (records.keep_mb). "
            "Lull does not remove more than a tenth of all conversations without asking you."
        )
    elif swept.doubted:
        said = (
            f"{swept.ask} conversations are over the limits that you set for their age "
            f"(records.keep_days) or space (records.keep_mb), {swept.doubted} of them perhaps "
            "only because the computer's clock was changed. Lull does not remove so many without "
            "asking you."
        )
    else:
        said = (
            f"{swept.ask} conversations are over the limits that you set for their age "
            "(records.keep_days) or space (records.keep_mb). Lull does not remove so many "
            "without asking you."
        )
    return WaitsForYourWord(
        said, hint="`lull trash sweep --yes` moves them to the trash; a higher limit keeps them."
    )
