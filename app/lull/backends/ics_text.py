"""A calendar's bytes cut into its events, before any library sees them.

A library reads a calendar whole or not at all; here each event becomes a text of its own, so that
a bad one costs itself alone. Kept are only the lines that say when somebody is busy: titles,
people and places are forgotten at this door. Decides what belongs together; whether an event can
be used is `ics_rules`', when it happens is `ics_times`'.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from lull.core.feeds import Dropped, What, Why

LONGEST_LINE = 256 * 1024
"""Bytes of a line that is kept, unfolded. A weekly series with a thousand exceptions has 17 KB."""
MOST_LINES = 5_000
"""Of one event. Some programs write each exception of a series on a line of its own."""
MOST_PARTS = 200_000
"""Of events, busy times and zones in one feed; 10 MB of the smallest events are 420,000."""

_KEPT = frozenset(
    {
        *(b"UID", b"SEQUENCE", b"DTSTART", b"DTEND", b"DURATION"),
        *(b"RRULE", b"RDATE", b"EXDATE", b"EXRULE", b"RECURRENCE-ID"),
        *(b"STATUS", b"TRANSP", b"X-MICROSOFT-CDO-BUSYSTATUS", b"FREEBUSY"),
        *(b"TZID", b"TZOFFSETFROM", b"TZOFFSETTO"),
    }
)
_COUNTS = re.compile(
    rb"^(?:" + b"|".join(sorted({*_KEPT, b"BEGIN", b"END", b"METHOD"})) + rb")[;:].*+",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that counts. The search runs over the others at the speed of C: ten million of them take
a second."""
_QUOTED = re.compile(rb'[^":]*+(?:"[^"]*+"[^":]*+)*+:')
_TAKEN = frozenset({b"VEVENT", b"VFREEBUSY", b"VTIMEZONE"})
_IN_ZONE = frozenset({b"STANDARD", b"DAYLIGHT"})
_NAME = re.compile(rb"[A-Za-z0-9-]+(?=[;:])")
_LOOK_EVERY = 4096
"""Lines between two looks at the clock."""


@dataclass(slots=True)
class Part:
    """An event, a free/busy table or a time zone: the lines of it that count."""

    name: bytes
    lines: list[bytes] = field(default_factory=list)
    """Unfolded, without line ends."""
    ended: bool = False
    too_big: bool = False
    depth: int = 0
    """Of components inside that do not count, such as alarms."""

    def values(self, name: bytes) -> list[bytes]:
        """What stands behind each line of this name, without its parameters."""
        return [value_of(line) for line in self.lines if name_of(line) == name]

    def first(self, name: bytes) -> bytes | None:
        return next(iter(self.values(name)), None)

    @property
    def what(self) -> What:
        if self.name == b"VTIMEZONE":
            return What.ZONE
        if self.name == b"VFREEBUSY":
            return What.PERIOD
        return What.SERIES if self.values(b"RRULE") else What.EVENT

    def text(self) -> bytes:
        return b"\r\n".join([b"BEGIN:" + self.name, *self.lines, b"END:" + self.name, b""])


@dataclass(slots=True)
class Pieces:
    """All that counts of one feed."""

    is_calendar: bool = False
    parts: list[Part] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)


def name_of(line: bytes) -> bytes:
    found = _NAME.match(line)
    return found[0].upper() if found else b""


def value_of(line: bytes) -> bytes:
    """Behind the first colon that no quotation marks hold."""
    if b'"' not in line:
        return line.partition(b":")[2].strip()
    found = _QUOTED.match(line)
    return line[found.end() :].strip() if found else b""


def as_utf8(data: bytes) -> bytes:
    """Without a byte order mark, and recoded where that says UTF-16. NULs are left out: some
    programs pad with them, and they are no part of any line."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            data = data[2:].decode(encoding, errors="replace").encode("utf-8", errors="replace")
    return data.removeprefix(codecs.BOM_UTF8).replace(b"\0", b"")


def looks_like_a_page(data: bytes) -> bool:
    """Whether it begins as HTML does."""
    start = data[:2048].lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body"))


def unfolded(data: bytes) -> bytes:
    """One line each, ended by a line feed, whatever ended them before (RFC 5545, 3.1)."""
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.replace(b"\n ", b"").replace(b"\n\t", b"")


def cut(data: bytes, *, time_is_up: Callable[[], bool] = lambda: False) -> Pieces:
    """The parts of a calendar. Whatever the bytes are, this ends and raises nothing."""
    pieces = Pieces()
    cutter = _Cutter(pieces)
    for number, found in enumerate(_COUNTS.finditer(unfolded(as_utf8(data)))):
        if len(pieces.parts) >= MOST_PARTS:
            pieces.dropped.append(Dropped(what=What.CALENDAR, why=Why.TOO_MANY, n=1))
            return pieces
        if number % _LOOK_EVERY == 0 and time_is_up():
            pieces.dropped.append(Dropped(what=What.CALENDAR, why=Why.NO_TIME, n=1))
            return pieces
        cutter.take(found[0])
    cutter.end()
    return pieces


class _Cutter:
    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._part: Part | None = None
        self._open = 0
        """Calendars that have begun and not ended."""
        self._cancels = False
        """The calendar says of all that is in it that it was called off (RFC 5546, 3.2.5)."""

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
            self._pieces.dropped.append(Dropped(what=What.CALENDAR, why=Why.UNFINISHED, n=1))

    def _begin(self, name: bytes) -> None:
        if name == b"VCALENDAR":
            self._close()
            self._pieces.is_calendar = True
            self._cancels = False
            self._open += 1
        elif name in _TAKEN:
            # One inside the other: the first has lost its end.
            self._close()
            self._part = Part(name)
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
