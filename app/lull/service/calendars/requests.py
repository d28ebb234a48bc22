"""Parses requests to the control API about the user's calendar feeds. Error messages never contain
a feed's address, which is secret.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from lull.contract.json_object import Json
from lull.core.calendars.event import Meaning
from lull.core.calendars.feeds import FeedSource
from lull.core.errors import UsageError

BUSY_TIMES_DAYS = 7
"""Default number of days whose events a calendar test shows."""
MOST_DAYS = 3660
"""Largest number of days whose events a calendar test may show."""
_MAX_LABEL_LENGTH = 80


def source_of(wanted: Json, is_address: Callable[[str], bool]) -> FeedSource:
    """Return the calendar feed's address or absolute file path from the request. Raises
    UsageError.
    """
    location = wanted.get("location")
    if not isinstance(location, str) or not location.strip():
        raise UsageError("“location” is missing.", hint="Give an address or the path of a file.")
    if not location.isascii() and location != location.encode(errors="replace").decode():
        raise UsageError("“location” holds something that is not text.")
    if is_address(location):
        return FeedSource(location=location.strip(), private=wanted.get("private") is True)
    if not Path(location).is_absolute() or "\0" in location:
        raise UsageError(
            "That is neither an address nor the whole path of a file.",
            hint="An address begins with https:// or webcal://.",
        )
    return FeedSource(location=location, is_file=True)


def meaning_of(wanted: Json, default: Meaning | None = None) -> Meaning:
    """Return the requested meaning of a calendar feed's events: the user is away, or busy.

    Raises UsageError.
    """
    said = wanted.get("means") or default
    if said not in tuple(Meaning):
        raise UsageError(
            "“means” must be away or busy.",
            hint="“away”: you are away from this machine then, so learn; “busy”: do not.",
        )
    return Meaning(said)


def days_of(wanted: Json) -> int:
    """Return the requested number of days whose calendar events are shown. Raises UsageError."""
    days = wanted.get("days", BUSY_TIMES_DAYS)
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MOST_DAYS:
        raise UsageError(f"“days” must be a number from 1 to {MOST_DAYS}.")
    return days


def label_of(wanted: Json, source: FeedSource, host: str, *, taken: Collection[str]) -> str:
    """Return a unique label for a calendar feed: the requested one, else the host or file name. A
    number is appended if the label is in `taken`, the labels of the other feeds.

    Raises UsageError.
    """
    given = wanted.get("label") or ""
    if not isinstance(given, str) or not given.isprintable() or "://" in given:
        raise UsageError("That label cannot be shown.", hint="Give a word or two.")
    first = given[:_MAX_LABEL_LENGTH] or host or Path(source.location).name
    label, number = first, 1
    while label in taken:
        number += 1
        label = f"{first} ({number})"
    return label
