"""Lengths and times of day in words for a person: "12 min", "tomorrow 08:00"."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def length(seconds: float) -> str:
    """Rounded down to what one would say."""
    if seconds < 60:
        return f"{max(0, int(seconds))} s"
    if math.isinf(seconds):
        return "ever"
    minutes = int(seconds // 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def clock(at: datetime, now: datetime) -> str:
    """The time of day of `at` in the zone of `now`, with its day where that is another one."""
    local = at.astimezone(now.tzinfo)
    text = f"{local:%H:%M}"
    match (local.date() - now.date()).days:
        case 0:
            return text
        case 1:
            return f"tomorrow {text}"
        case days if 1 < days < 7:
            return f"{_DAYS[local.weekday()]} {text}"
    return f"{local.date().isoformat()} {text}"


def later(at: datetime, seconds: float) -> datetime:
    """So much later in real time, in the same zone: plain addition would move the clock on the
    wall, and that is another thing when it is put forward or back."""
    return (at.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(at.tzinfo)
