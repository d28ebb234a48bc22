"""Handles `lull forget` in a running service: shows what was derived from a conversation, then
deletes it all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from lull.core.errors import UsageError
from lull.loops.derived import Forgotten
from lull.loops.forget import Forget
from lull.service.process.backups import Backups

Json = dict[str, Any]


class ForgettingRequests:
    """Answers the control API's requests to delete a conversation and all that was learned from
    it.
    """

    def __init__(
        self,
        forget: Forget,
        *,
        settle: Callable[[], None],
        bring_back: Callable[[str], Awaitable[None]],
        backups: Backups,
    ) -> None:
        """The function `settle` blocks until all requests and answers recorded so far are readable.

        The function `bring_back` restores a conversation from the trash, so that nothing of it
        stays there.
        """
        self._bring_back = bring_back
        self._backups = backups
        self._forget = forget
        self._settle = settle
        self._turn = asyncio.Lock()

    async def forget(self, wanted: Json) -> Json:
        """Delete a conversation and all that was learned from it; unless `yes` is true, only show
        what would be removed.

        Raises UsageError, NotFound, StoreError.
        """
        conversation = wanted.get("conversation")
        if not isinstance(conversation, str) or not conversation:
            raise UsageError("conversation is missing.", hint="Give its id.")
        await asyncio.to_thread(self._settle)
        async with self._turn:
            await self._bring_back(conversation)
            if wanted.get("yes") is not True:
                found = await asyncio.to_thread(self._forget.look, conversation)
                return _view(found, await self._still(), done=False)
            async with self._backups.held_off():
                done = await self._forget.forget(conversation)
            return _view(done, await self._still(), done=True)

    async def _still(self) -> list[Path]:
        return await asyncio.to_thread(self._backups.hold_more)


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
