"""Splits a calendar's bytes into events before any library parses them.

A library parses a calendar whole or not at all, so without splitting, one bad event would cost all
the others. Only lines that determine busy times are kept: titles, people and places are dropped
here.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from lull.core.calendars.feeds import EntryKind, OmissionReason, OmittedEntries

LONGEST_LINE = 256 * 1024
"""Most bytes of an unfolded calendar line. A weekly series with a thousand exceptions has 17 KB."""
MOST_LINES = 5_000
"""Most lines of one calendar event; some programs write each exception on its own line."""
MOST_PARTS = 200_000
"""Most events, busy times and zones in one feed; 10 MB of minimal events hold 420,000."""

_KEPT = frozenset(
    {
        *(b"UID", b"SEQUENCE", b"DTSTART", b"DTEND", b"DURATION"),
        *(b"RRULE", b"RDATE", b"EXDATE", b"EXRULE", b"RECURRENCE-ID"),
        *(b"STATUS", b"TRANSP", b"X-MICROSOFT-CDO-BUSYSTATUS", b"FREEBUSY"),
        *(b"TZID", b"TZOFFSETFROM", b"TZOFFSETTO"),
    }
)
_RELEVANT_LINE = re.compile(
    rb"^(?:" + b"|".join(sorted({*_KEPT, b"BEGIN", b"END", b"METHOD"})) + rb")[;:].*+",
    re.IGNORECASE | re.MULTILINE,
)
"""Matches a relevant line; the regex skips ten million other lines in about a second."""
_QUOTED = re.compile(rb'[^":]*+(?:"[^"]*+"[^":]*+)*:')
_PART_NAMES = frozenset({b"VEVENT", b"VFREEBUSY", b"VTIMEZONE"})
_IN_ZONE = frozenset({b"STANDARD", b"DAYLIGHT"})
_NAME = re.compile(rb"[A-Za-z0-9-]+(?=[;:])")
_LINES_PER_CHECK = 4096
"""Lines between two checks of the clock."""


@dataclass(slots=True)
class FeedPart:
    """One component of a calendar (event, free/busy table or time zone) with the lines that
    determine busy times.
    """

    name: bytes
    lines: list[bytes] = field(default_factory=list)
    """The component's lines, unfolded and without line ends."""
    ended: bool = False
    too_big: bool = False
    depth: int = 0
    """Nesting depth of ignored components, such as alarms, in which the parser is; 0 outside."""

    def values(self, name: bytes) -> list[bytes]:
        """Return the values of all of the component's lines with this property name, without
        parameters.
        """
        return [value_of(line) for line in self.lines if name_of(line) == name]

    def first(self, name: bytes) -> bytes | None:
        """Return the first value of a property, such as DTSTART; None if there is none."""
        return next(iter(self.values(name)), None)

    @property
    def what(self) -> EntryKind:
        """What kind of entry the component is, by which omissions are counted."""
        if self.name == b"VTIMEZONE":
            return EntryKind.ZONE
        if self.name == b"VFREEBUSY":
            return EntryKind.PERIOD
        return EntryKind.SERIES if self.values(b"RRULE") else EntryKind.EVENT

    def text(self) -> bytes:
        """Return the component as lines of iCalendar, from BEGIN to END."""
        return b"\r\n".join([b"BEGIN:" + self.name, *self.lines, b"END:" + self.name, b""])


@dataclass(slots=True)
class FeedPieces:
    """The components of one calendar feed that matter for busy times: events, free/busy tables,
    time zones.
    """

    is_calendar: bool = False
    parts: list[FeedPart] = field(default_factory=list)
    dropped: list[OmittedEntries] = field(default_factory=list)


def name_of(line: bytes) -> bytes:
    """Return the name of an iCalendar property line, in upper case; empty if the line has none."""
    found = _NAME.match(line)
    return found[0].upper() if found else b""


def value_of(line: bytes) -> bytes:
    """Return a calendar line's value: the text after the first colon outside quotation marks."""
    if b'"' not in line:
        return line.partition(b":")[2].strip()
    found = _QUOTED.match(line)
    return line[found.end() :].strip() if found else b""


def as_utf8(data: bytes) -> bytes:
    """Convert calendar bytes to UTF-8 without a byte order mark.

    NULs, which some programs pad with, are removed.
    """
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            data = data[2:].decode(encoding, errors="replace").encode("utf-8", errors="replace")
    return data.removeprefix(codecs.BOM_UTF8).replace(b"\0", b"")


def looks_like_a_page(data: bytes) -> bool:
    """Return whether the data starts like an HTML page instead of a calendar."""
    start = data[:2048].lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body"))


def unfolded(data: bytes) -> bytes:
    """Join folded calendar lines and normalize line ends to a line feed (RFC 5545, 3.1)."""
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.replace(b"\n ", b"").replace(b"\n\t", b"")


def split_components(data: bytes, *, time_is_up: Callable[[], bool] = lambda: False) -> FeedPieces:
    """Split a calendar's bytes into its components (events, free/busy tables, time zones).

    Terminates and raises nothing for any input. Stops early, and notes it, once `time_is_up` is
    true.
    """
    pieces = FeedPieces()
    cutter = _Cutter(pieces)
    for number, found in enumerate(_RELEVANT_LINE.finditer(unfolded(as_utf8(data)))):
        if len(pieces.parts) >= MOST_PARTS:
            pieces.dropped.append(
                OmittedEntries(what=EntryKind.CALENDAR, why=OmissionReason.TOO_MANY, n=1)
            )
            return pieces
        if number % _LINES_PER_CHECK == 0 and time_is_up():
            pieces.dropped.append(
                OmittedEntries(what=EntryKind.CALENDAR, why=OmissionReason.NO_TIME, n=1)
            )
            return pieces
        cutter.take(found[0])
    cutter.end()
    return pieces


class _Cutter:
    def __init__(self, pieces: FeedPieces) -> None:
        self._pieces = pieces
        self._part: FeedPart | None = None
        self._open = 0
        """Number of calendars begun and not ended."""
        self._cancels = False
        """Whether the calendar's METHOD cancels every event in it (RFC 5546, 3.2.5)."""

    def take(self, line: bytes) -> None:
        name = name_of(line)
        if name == b"BEGIN":
            self._begin(value_of(line).upper())
        elif name == b"END":
            self._end(value_of(line).upper())
        elif name == b"METHOD" and self._part is None:
            self._cancels = value_of(line).upper() == b"CANCEL"
        elif self._part is not None and not self._part.depth and name in _KEPT:
            if len(line) > LONGEST_LINE or len(self._part.lines) >= MOST_LINES:
                self._part.too_big = True
            else:
                self._part.lines.append(line)

    def end(self) -> None:
        self._close()
        if self._open:
            self._pieces.dropped.append(
                OmittedEntries(what=EntryKind.CALENDAR, why=OmissionReason.UNFINISHED, n=1)
            )

    def _begin(self, name: bytes) -> None:
        if name == b"VCALENDAR":
            self._close()
            self._pieces.is_calendar = True
            self._cancels = False
            self._open += 1
        elif name in _PART_NAMES:
            # Nested parts: the outer one is missing its end.
            self._close()
            self._part = FeedPart(name)
            if self._cancels and name == b"VEVENT":
                self._part.lines.append(b"STATUS:CANCELLED")
        elif self._part is not None:
            if self._part.name == b"VTIMEZONE" and name in _IN_ZONE:
                self._part.lines.append(b"BEGIN:" + name)
            else:
                self._part.depth += 1

    def _end(self, name: bytes) -> None:
        if name == b"VCALENDAR":
            self._close()
            self._open = max(0, self._open - 1)
        elif self._part is None:
            return
        elif name == self._part.name:
            self._part.ended = True
            self._close()
        elif self._part.name == b"VTIMEZONE" and name in _IN_ZONE and not self._part.depth:
            self._part.lines.append(b"END:" + name)
        elif self._part.depth:
            self._part.depth -= 1

    def _close(self) -> None:
        if self._part is not None and self._pieces.is_calendar:
            self._pieces.parts.append(self._part)
        self._part = None
