"""Parses how long the user wants Lull's background work to pause ("tomorrow", "45m") and computes
when the pause ends.

The pause itself is stored in the database, so that it survives a restart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Final

MORNING_TIME: Final = time(8, 0)
"""Time of day at which a pause "until tomorrow" ends: people who say so in the evening do not mean
midnight.
"""
FOR_EVER: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""The end of a pause that lasts until the user resumes."""


class PauseLength(StrEnum):
    """The lengths for which the user can pause Lull's background work with one choice."""

    HALF_HOUR = "30m"
    HOUR = "1h"
    EIGHT_HOURS = "8h"
    TOMORROW = "tomorrow"
    FOR_GOOD = "for-good"


_LASTS: Final = {
    PauseLength.HALF_HOUR: timedelta(minutes=30),
    PauseLength.HOUR: timedelta(hours=1),
    PauseLength.EIGHT_HOURS: timedelta(hours=8),
}


_SPAN: Final = re.compile(r"([1-9]\d{0,4})\s*(m|min|h|d)")
_UNITS: Final = {"m": 60, "min": 60, "h": 3_600, "d": 86_400}
LONGEST: Final = timedelta(days=365)


def length_of(text: str) -> PauseLength | timedelta | None:
    """Parse the length of a pause, such as "45m", "3h", "2d" or "tomorrow"; None if the text is no
    length.
    """
    wanted = text.strip().lower()
    if wanted in set(PauseLength):
        return PauseLength(wanted)
    found = _SPAN.fullmatch(wanted)
    if found is None:
        return None
    lasts = timedelta(seconds=int(found[1]) * _UNITS[found[2]])
    return lasts if lasts <= LONGEST else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A pause of Lull's background work that the user asked for."""

    asked_at: datetime
    until: datetime
    """End of the pause, `FOR_EVER` if it has none; in UTC, as `asked_at` is."""

    def over(self, now: datetime) -> bool:
        """Return whether the pause has ended."""
        return now.astimezone(UTC) >= self.until

    def after_clock_change(self, now: datetime) -> Pause:
        """Return the pause unchanged, unless the clock was set back to before the pause began. Then
        the pause starts anew at `now`, so that half an hour does not become a day.

        A pause until the morning then ends on the next morning. `now` is in the user's zone.
        """
        at = now.astimezone(UTC)
        if at >= self.asked_at or self.until == FOR_EVER:
            return self
        if self.until.astimezone(now.tzinfo).time() == MORNING_TIME:
            return new_pause(PauseLength.TOMORROW, now)
        return Pause(asked_at=at, until=at + (self.until - self.asked_at))


def new_pause(length: PauseLength | timedelta, now: datetime) -> Pause:
    """Return a pause of Lull's background work that begins now and has the given length.

    `now` is timezone-aware and in the user's zone: "tomorrow" is eight in the morning of the next
    day there.
    """
    at = now.astimezone(UTC)
    if length is PauseLength.FOR_GOOD:
        return Pause(asked_at=at, until=FOR_EVER)
    if length is PauseLength.TOMORROW:
        day = now.date() + timedelta(days=1)
        until = datetime.combine(day, MORNING_TIME, tzinfo=now.tzinfo).astimezone(UTC)
        return Pause(asked_at=at, until=until)
    lasts = length if isinstance(length, timedelta) else _LASTS[length]
    return Pause(asked_at=at, until=at + lasts)
