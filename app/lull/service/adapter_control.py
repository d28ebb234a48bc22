"""Adapters for whoever asks: what there is, and the user's word on which one answers.

What a promotion or a way back does is `loops/promote.py`'s; here a request is read and answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from lull.core.errors import AdapterError, LullError, UsageError
from lull.loops.promote import Promote
from lull.service.adapter_views import compared_view, listed_view, shown_view
from lull.store.adapters import Adapters

Json = dict[str, Any]
BASE: Final = "base"
"""The word for no adapter."""
LOOK_EVERY_S: Final = 600.0


class AdapterControl:
    def __init__(self, adapters: Adapters, promote: Promote, *, model: Callable[[], str]) -> None:
        """`model`: the one that learns."""
        self._adapters = adapters
        self._promote = promote
        self._model = model
        self._lost: asyncio.Queue[tuple[str, LullError]] = asyncio.Queue()

    def list(self) -> Json:
        """Blocks, as all that only reads here."""
        return listed_view(self._adapters, self._model())

    def show(self, adapter: str) -> Json:
        return shown_view(self._adapters, adapter)

    def compare(self, a: str, b: str) -> Json:
        return compared_view(self._adapters, a, b)

    async def promote(self, wanted: Json) -> Json:
        """`{"adapter"}`. What the gate turned down goes into force only with `"anyway": true`."""
        adapter = _text(wanted, "adapter")
        version = self._adapters.get(adapter)
        verdict = version.verdict
        if not (verdict is not None and verdict.accepted) and wanted.get("anyway") is not True:
            said = (
                f"the gate turned it down: {'; '.join(verdict.reasons)}"
                if verdict
                else ("the gate has not spoken on it yet")
            )
            raise AdapterError(
                f"{adapter} is not put in force, for {said}.",
                hint="`--anyway` puts it in force all the same; `rollback` takes it out again.",
            )
        await self._promote.promote(adapter, why="you promoted it")
        return await asyncio.to_thread(self.list)

    async def roll_back(self, wanted: Json) -> Json:
        """`{"to"?, "model"?}`: an id, `base`, or whatever was in force before."""
        to = wanted.get("to")
        if to is not None and not isinstance(to, str):
            raise UsageError("to is the id of an adapter.", hint="`lull adapters list` has them.")
        if to is not None and to != BASE:
            model = self._adapters.get(to).base_model
        else:
            model = str(wanted.get("model") or self._in_use())
        if to == BASE:
            await self._promote.to_base(model, why="you rolled it back")
        else:
            await self._promote.roll_back(model, to, why="you rolled it back")
        return await asyncio.to_thread(self.list)

    def _in_use(self) -> str:
        """The model that learns, or the one that has adapters where that has none."""
        models = self._adapters.models()
        chosen = self._model()
        return chosen if chosen in models or not models else models[-1]

    def in_force(self) -> tuple[str | None, str | None]:
        """Version and id of the adapter that answers for the model that learns."""
        active = self._adapters.active(self._in_use())
        return (active.sha256, active.id) if active is not None else (None, None)

    # Watching

    def lost(self, sha256: str, error: LullError) -> None:
        """The engine could not load it. Never waits."""
        self._lost.put_nowait((sha256, error))

    async def watch(self) -> None:
        """The end of a trial, the way back, and what the engine has lost."""
        while True:
            await self._promote.step()
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    sha256, error = await self._lost.get()
            except TimeoutError:
                continue
            await self._promote.lost(sha256, error)


def _text(wanted: Json, name: str) -> str:
    value = wanted.get(name)
    if not isinstance(value, str) or not value:
        raise UsageError(f"{name} is missing.", hint="`lull adapters list` has the ids.")
    return value
