"""What is asked of the calendars, read from JSON. An address stands in no complaint."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from lull.core.calendar_event import Meaning
from lull.core.errors import UsageError
from lull.core.feeds import Source

Json = dict[str, Any]
DAYS = 7
MOST_DAYS = 3660
_LABEL_LENGTH = 80


def source_of(wanted: Json, is_address: Callable[[str], bool]) -> Source:
    """Raises UsageError."""
    location = wanted.get("location")
    if not isinstance(location, str) or not location.strip():
        raise UsageError("location is missing.", hint="Give an address or the path of a file.")
    if not location.isascii() and location != location.encode(errors="replace").decode():
        raise UsageError("location holds something that is no text.")
    if is_address(location):
        return Source(location=location.strip(), private=wanted.get("private") is True)
    if not Path(location).is_absolute() or "\0" in location:
        raise UsageError(
            "That is neither an address nor the whole path of a file.",
            hint="An address begins with https:// or webcal://.",
        )
    return Source(location=location, is_file=True)


def meaning_of(wanted: Json, default: Meaning | None = None) -> Meaning:
    """Raises UsageError."""
    said = wanted.get("means") or default
    if said not in tuple(Meaning):
        raise UsageError(
            "means must be away or busy.",
            hint="away: you are away from this machine then, so learn; busy: do not.",
        )
    return Meaning(said)


def days_of(wanted: Json) -> int:
    """Raises UsageError."""
    days = wanted.get("days", DAYS)
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MOST_DAYS:
        raise UsageError(f"days must be a number from 1 to {MOST_DAYS}.")
    return days


def label_of(wanted: Json, source: Source, host: str, *, taken: Collection[str]) -> str:
    """What was asked for, else the host or the file's name; one of its own in any case. Raises
    UsageError."""
    given = wanted.get("label") or ""
    if not isinstance(given, str) or not given.isprintable() or "://" in given:
        raise UsageError("That label cannot be shown.", hint="Give a word or two.")
    first = given[:_LABEL_LENGTH] or host or Path(source.location).name
    label, number = first, 1
    while label in taken:
        number += 1
        label = f"{first} ({number})"
    return label
