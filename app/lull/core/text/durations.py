"""Formats durations and times of day for people: "12 min", "tomorrow 08:00"."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def format_duration(seconds: float) -> str:
    """Format a duration for people, such as "12 min" or "3 h 5 min"; rounded down to two units at
    most. Below two minutes, seconds are told: "90 s", since one of two minutes is a lot.
    """
    if seconds < 60 or (seconds < 120 and int(seconds) % 60):
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


def format_time(at: datetime, now: datetime) -> str:
    """Format the time of day of `at` in the time zone of `now`, with the day if it is not today."""
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


def add_seconds(at: datetime, seconds: float) -> datetime:
    """Return the time `seconds` of real time after `at`, in the same zone. Plain addition would add
    wall-clock time, which differs across a daylight-saving change.
    """
    return (at.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(at.tzinfo)
