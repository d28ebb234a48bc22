"""The watch over lulls as JSON: why Lull works or not, the user's word about it, the journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lull.config.idle_settings import IdleSettings
from lull.core.errors import UsageError
from lull.core.pausing import PauseLength
from lull.core.ports import Clock
from lull.loops.lull_why import Why
from lull.loops.watch_idle import WatchIdle
from lull.service.calendars import Calendars
from lull.service.window_views import asked, windows_view
from lull.store.windows import Windows

Json = dict[str, Any]
DEFAULT = PauseLength.HOUR


class Lulls:
    def __init__(
        self,
        watch: WatchIdle,
        *,
        windows: Windows,
        calendars: Calendars,
        idle: Callable[[], IdleSettings],
        clock: Clock,
    ) -> None:
        self._watch = watch
        self._windows = windows
        self._calendars = calendars
        self._idle = idle
        self._clock = clock

    async def why(self) -> Json:
        return _view(await self._watch.why())

    async def pause(self, wanted: Json) -> Json:
        """`{"for": "30m" | "1h" | "8h" | "tomorrow" | "for-good"}`, an hour unless it is said."""
        length = wanted.get("for", DEFAULT.value)
        if not isinstance(length, str) or length not in set(PauseLength):
            raise UsageError(
                f"{str(length)[:40]!r} is no length of a pause.",
                hint=f"Say one of {', '.join(PauseLength)}.",
            )
        return _view(await self._watch.pause(PauseLength(length)))

    async def resume(self, _: Json) -> Json:
        return _view(await self._watch.resume())

    def windows(self, query: Mapping[str, str]) -> Json:
        """A page of the journal (`window_views`). Blocks on the store. Raises UsageError."""
        wanted = asked(query, self._clock.now())
        rows = self._windows.between(wanted.start, wanted.end, limit=wanted.limit + 1)
        return windows_view(
            wanted,
            rows,
            away=self._windows.lulls(since=wanted.start),
            events=self._calendars.events(),
            calendars=self._calendars.known(),
            idle=self._idle(),
        )


def _view(why: Why) -> Json:
    return dict(why.as_dict())
