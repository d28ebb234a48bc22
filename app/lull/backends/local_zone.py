"""The zone of the clock on the user's wall, with its daylight saving.

A fixed offset would be right for half of the year. Asked anew each time, because a laptop travels.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_FOLDER = "zoneinfo/"


def local_zone(environ: Mapping[str, str], etc: Path = Path("/etc")) -> tzinfo:
    """By the name in TZ or behind /etc/localtime, else by that file's own rules; where neither is
    (Windows), by what the C library says of each moment."""
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
    """Its name, when the file is a link to the one of that name."""
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
    """The C library's zone. A wall clock that shows one time twice means the first of them, unless
    `fold` says otherwise."""

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        return None if at is None else self._offset(at)

    def dst(self, at: datetime | None) -> timedelta | None:
        return None if at is None else timedelta(0)

    def tzname(self, at: datetime | None) -> str | None:
        return None if at is None else "local"

    def fromutc(self, at: datetime) -> datetime:
        offset = _offset_at(at.replace(tzinfo=UTC).timestamp())
        wall = (at + offset).replace(fold=0)
        # Shown before, by a clock that has been put back since: this is the second time.
        return wall if self._offset(wall) == offset else wall.replace(fold=1)

    def _offset(self, at: datetime) -> timedelta:
        wall_s = at.replace(tzinfo=UTC, fold=0).timestamp()
        earlier, later = _offset_at(wall_s - 86400), _offset_at(wall_s + 86400)
        fits = [
            offset
            for offset in (earlier, later)
            if _offset_at(wall_s - offset.total_seconds()) == offset
        ]
        if not fits:  # the clock skips this time: read on as if it had not
            return later if at.fold else earlier
        return fits[-1] if at.fold else fits[0]


def _offset_at(seconds: float) -> timedelta:
    return timedelta(seconds=time.localtime(seconds).tm_gmtoff)


SYSTEM = _SystemZone()
"""On its own, for a zone that has no name."""
