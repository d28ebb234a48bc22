"""How long "pause" is: the words of the command and the time they mean.

Pure; the pause itself is a row in the store, so that it outlives a restart.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Final

MORNING: Final = time(8, 0)
"""When "tomorrow" begins: who says it in the evening does not mean midnight."""
FOR_EVER: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""The end of a pause that only `resume` ends."""


class PauseLength(StrEnum):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    asked_at: datetime
    until: datetime
    """`FOR_EVER` for one without an end. Both in UTC."""

    def over(self, now: datetime) -> bool:
        return now.astimezone(UTC) >= self.until

    def restated(self, now: datetime) -> Pause:
        """The same, or, where the clock was put back behind its beginning, as long from now: half
        an hour must not become a day. What ends in the morning still ends in the next one. `now`
        is in the user's zone."""
        at = now.astimezone(UTC)
        if at >= self.asked_at or self.until == FOR_EVER:
            return self
        if self.until.astimezone(now.tzinfo).time() == MORNING:
            return paused(PauseLength.TOMORROW, now)
        return Pause(asked_at=at, until=at + (self.until - self.asked_at))


def paused(length: PauseLength, now: datetime) -> Pause:
    """A pause asked for now. `now` is aware and in the user's zone: tomorrow is the next day there,
    at eight in the morning."""
    at = now.astimezone(UTC)
    if length is PauseLength.FOR_GOOD:
        return Pause(asked_at=at, until=FOR_EVER)
    if length is PauseLength.TOMORROW:
        day = now.date() + timedelta(days=1)
        until = datetime.combine(day, MORNING, tzinfo=now.tzinfo).astimezone(UTC)
        return Pause(asked_at=at, until=until)
    return Pause(asked_at=at, until=at + _LASTS[length])
