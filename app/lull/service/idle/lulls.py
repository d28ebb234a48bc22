"""Answers requests about Lull's background work: whether it runs now and why, to pause or resume
it, and in which past idle windows it could run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lull.config.idle_settings import IdleSettings
from lull.contract.json_object import Json
from lull.core.errors import UsageError
from lull.core.idle.pausing import PauseLength, length_of
from lull.core.ports import Clock
from lull.loops.idle.lull_why import LullWhy
from lull.loops.idle.watch_idle import WatchIdle
from lull.service.calendars.calendars import Calendars
from lull.service.idle.window_views import parse_window_query, windows_view
from lull.store.idle.windows import Windows

DEFAULT_PAUSE = PauseLength.HOUR
"""How long Lull's work pauses when the request names no duration."""


class Lulls:
    """Answers the control API's requests about lulls (idle windows, in which Lull may do background
    work).
    """

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
        """Return, as JSON, the reasons why Lull does or does not do background work now."""
        await self._watch.look_again()
        return _view(await self._watch.why())

    async def pause(self, wanted: Json) -> Json:
        """Pause Lull's background work, for one hour by default. Raises UsageError.

        The request is `{"for": "tomorrow" | "for-good" | a length such as "45m", "3h" or "2d"}`.
        """
        length = wanted.get("for", DEFAULT_PAUSE.value)
        wanted_length = length_of(length) if isinstance(length, str) else None
        if wanted_length is None:
            raise UsageError(
                f"{str(length)[:40]!r} is not a valid pause length.",
                hint="Say how long, such as 45m, 3h or 2d, or tomorrow, or for-good.",
            )
        return _view(await self._watch.pause(wanted_length))

    async def resume(self, _: Json) -> Json:
        """End the user's pause of Lull's background work."""
        return _view(await self._watch.resume())

    def windows(self, query: Mapping[str, str]) -> Json:
        """Return the JSON of a page of past windows (idle times in which Lull was allowed to work),
        with calendar events, the user's absences and the set hours, for a request's time range.

        Blocking: reads the database. Raises UsageError.
        """
        wanted = parse_window_query(query, self._clock.now())
        rows = self._windows.between(wanted.start, wanted.end, limit=wanted.limit + 1)
        return windows_view(
            wanted,
            rows,
            away=self._windows.lulls(since=wanted.start),
            events=self._calendars.events(),
            calendars=self._calendars.calendars(),
            idle=self._idle(),
        )


def _view(why: LullWhy) -> Json:
    return dict(why.as_dict())
