"""What `lull forget` asks of the service: say what came of a conversation, then remove it all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lull.core.errors import UsageError
from lull.loops.forget import Forget, Forgotten

Json = dict[str, Any]


class Forgetting:
    def __init__(self, forget: Forget, *, settle: Callable[[], None]) -> None:
        """`settle` blocks until everything that was recorded so far can be read."""
        self._forget = forget
        self._settle = settle
        self._turn = asyncio.Lock()

    async def forget(self, wanted: Json) -> Json:
        """Raises UsageError, NotFound, StoreError."""
        conversation = wanted.get("conversation")
        if not isinstance(conversation, str) or not conversation:
            raise UsageError("conversation is missing.", hint="Give its id.")
        await asyncio.to_thread(self._settle)
        async with self._turn:
            if wanted.get("yes") is not True:
                found = await asyncio.to_thread(self._forget.look, conversation)
                return _view(found, done=False)
            return _view(await self._forget.forget(conversation), done=True)


def _view(found: Forgotten, *, done: bool) -> Json:
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
    }
