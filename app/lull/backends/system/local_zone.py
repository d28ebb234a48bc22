"""Finds the system's time zone, with its daylight saving time.

The zone is looked up on every call, because a laptop travels.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_FOLDER = "zoneinfo/"


def local_zone(environ: Mapping[str, str], etc: Path = Path("/etc")) -> tzinfo:
    """Return the time zone named by TZ or /etc/localtime, else one with that file's rules.

    Without both, return the C library's zone.
    """
    told = environ.get("TZ", "").removeprefix(":")
    zone = _named(told or _linked(etc / "localtime"))
    if zone is None and not told:
        zone = _copied(etc / "localtime")
    return zone or SYSTEM


def _named(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _linked(localtime: Path) -> str:
    """Return the time zone's name if the file is a link into the zone folder; "" otherwise."""
    try:
        target = str(localtime.readlink())
    except OSError:
        return ""
    return target.rpartition(_FOLDER)[2] if _FOLDER in target else ""


def _copied(localtime: Path) -> ZoneInfo | None:
    try:
        with localtime.open("rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return None


class _SystemZone(tzinfo):
    """The C library's time zone. An ambiguous local time means the first one unless `fold` is
    set."""

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        return None if at is None else self._offset(at)

    def dst(self, at: datetime | None) -> timedelta | None:
        return None if at is None else timedelta(0)

    def tzname(self, at: datetime | None) -> str | None:
        return None if at is None else "local"

    def fromutc(self, at: datetime) -> datetime:
        offset = _offset_at(at.replace(tzinfo=UTC).timestamp())
        wall = (at + offset).replace(fold=0)
        # The local time is ambiguous, and this is its second occurrence.
        return wall if self._offset(wall) == offset else wall.replace(fold=1)

    def _offset(self, at: datetime) -> timedelta:
        wall_s = at.replace(tzinfo=UTC, fold=0).timestamp()
        earlier, later = _offset_at(wall_s - 86400), _offset_at(wall_s + 86400)
        fits = [
            offset
            for offset in (earlier, later)
            if _offset_at(wall_s - offset.total_seconds()) == offset
        ]
        if not fits:  # the clock skips this time: use the offset before (or after) the gap
            return later if at.fold else earlier
        return fits[-1] if at.fold else fits[0]


def _offset_at(seconds: float) -> timedelta:
    return timedelta(seconds=time.localtime(seconds).tm_gmtoff)


SYSTEM = _SystemZone()
"""The C library's time zone, used where the system's zone has no name."""
