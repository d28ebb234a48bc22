"""The watch over lulls as JSON: why Lull works or not, and the user's word about it."""

from __future__ import annotations

from typing import Any

from lull.core.errors import UsageError
from lull.core.pausing import PauseLength
from lull.loops.watch_idle import WatchIdle, Why

Json = dict[str, Any]
DEFAULT = PauseLength.HOUR


class Lulls:
    def __init__(self, watch: WatchIdle) -> None:
        self._watch = watch

    async def why(self) -> Json:
        return _view(await self._watch.why())

    async def pause(self, wanted: Json) -> Json:
        """`{"for": "30m" | "1h" | "8h" | "tomorrow" | "for-good"}`, an hour unless it is said."""
        length = wanted.get("for", DEFAULT.value)
        if length not in set(PauseLength):
            raise UsageError(
                f"{str(length)[:40]!r} is no length of a pause.",
                hint=f"Say one of {', '.join(PauseLength)}.",
            )
        return _view(await self._watch.pause(PauseLength(length)))

    async def resume(self, _: Json) -> Json:
        return _view(await self._watch.resume())


def _view(why: Why) -> Json:
    return dict(why.as_dict())
