"""Finds all times at which a calendar's owner is busy, even if some of its events make the parsing
libraries fail.

Each event or series is expanded separately, with a time limit, so that a bad one costs only its own
busy times. Series with few recurrences come first; those that exceed their limit are tried once
more and share the remaining time. Runs in a child process.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lull.backends.calendars.rules import (
    fault_of,
    fault_of_zone,
    is_surely_outside,
    steps_until,
    why_free,
)
from lull.backends.calendars.text import FeedPart, FeedPieces, name_of
from lull.backends.calendars.timer import CpuTimeLimit, Overdue
from lull.backends.calendars.times import EventExpander, Seconds, UnusableEvent, is_known, zones_of
from lull.core.calendars.feeds import BusySpan, EntryKind, OmissionReason, OmittedEntries

QUICK_S = 0.03
"""CPU seconds allowed for each series of events in the first pass, plus STEP_S per recurrence."""
STEP_S = 15e-6
"""CPU seconds added to QUICK_S for each recurrence up to the end of the requested time span.

A recurrence takes 2 to 5 µs (two cores, 2026); rules that match nothing take longer and are
postponed.
"""
LONGEST_S = 4.0
"""Most CPU seconds for one series of events, if time remains.

A series with 5,000 changed recurrences takes 0.6 s (two cores, 2026), and several times that on a
slow machine.
"""
MOST_TIMES = 20_000
"""Most busy times read from one calendar."""
MOST_ZONES = 100
"""Most time zones that one calendar may define."""
_ZONE_S = 0.25
"""CPU seconds allowed for each time zone; the first one also loads the code that reads zones."""
_ZONES_SHARE = 0.25
"""Largest share of the calendar's time limit spent on reading time zones."""

PartGroup = list[FeedPart]
"""The parts of one event: the event itself and its changed recurrences."""


@dataclass(slots=True)
class BusyTimes:
    """The busy times found in a calendar, and which events were left out and why."""

    found: set[Seconds] = field(default_factory=set)
    dropped: Counter[tuple[EntryKind, OmissionReason]] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    """Counts of library errors by exception type and place in code, for the log."""

    def drop(self, what: EntryKind, why: OmissionReason) -> None:
        """Count an entry of the calendar that is left out, by its kind and the reason."""
        self.dropped[what, why] += 1

    def drops(self) -> list[OmittedEntries]:
        """Return how many entries were left out, for each kind and reason."""
        return [
            OmittedEntries(what=what, why=why, n=n)
            for (what, why), n in sorted(self.dropped.items())
        ]


def busy_times(pieces: FeedPieces, span: BusySpan, *, left_s: Callable[[], float]) -> BusyTimes:
    """Return every busy time of a calendar that overlaps a time span.

    `left_s` returns the remaining seconds of the time limit. Call it on the main thread of a
    dedicated process: it uses the process's CPU timer.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # library warnings about the calendar's content
        return _Work(pieces, span, left_s).done()


class _Work:
    def __init__(self, pieces: FeedPieces, span: BusySpan, left_s: Callable[[], float]) -> None:
        self._pieces = pieces
        self._span = span
        self._left_s = left_s
        self._times = EventExpander(span)
        self._stopwatch = CpuTimeLimit()
        self._zones: dict[bytes, bool] = {}
        """Time zone names used in the calendar, and whether each is known."""
        self._out = BusyTimes()

    def done(self) -> BusyTimes:
        for dropped in self._pieces.dropped:
            self._out.dropped[dropped.what, dropped.why] += dropped.n
        self._learn_zones()
        for part in self._pieces.parts:
            if part.name == b"VFREEBUSY":
                self._take_periods(part)
        singles, series = self._sorted_out()
        self._expand(singles, lambda group: self._times.single(group[0]), lambda _: LONGEST_S)
        slow = self._expand(series, self._series, self._quick_s)
        if slow:
            share_s = max(2 * QUICK_S, min(LONGEST_S, self._left_s() / len(slow)))
            for group in self._expand(slow, self._series, lambda _: share_s):
                self._out.drop(group[0].what, OmissionReason.TOO_SLOW)
        return self._out

    def _quick_s(self, group: PartGroup) -> float:
        return QUICK_S + STEP_S * self._steps(group)

    def _steps(self, group: PartGroup) -> float:
        until = self._span.end.date()
        return sum(steps_until(part, until) for part in group)

    # What there is to do

    def _learn_zones(self) -> None:
        """Read the time zones that the calendar defines, except well-known names, which keep their
        standard meaning."""
        enough_s = self._left_s() * (1 - _ZONES_SHARE)
        learned = 0
        for part in self._pieces.parts:
            if part.name != b"VTIMEZONE" or is_known(part.first(b"TZID") or b""):
                continue
            learned += 1
            why = fault_of_zone(part)
            if learned > MOST_ZONES or self._left_s() < enough_s:
                why = OmissionReason.TOO_MANY
            if why is None:
                why = self._guarded(lambda part=part: self._times.learn_zone(part), _ZONE_S)  # type: ignore[misc]
            if why is not None:
                self._out.drop(EntryKind.ZONE, why)

    def _sorted_out(self) -> tuple[list[PartGroup], list[PartGroup]]:
        """Return single events, and series with the cheapest first.

        Older versions are dropped before anything else: a cancelled or moved event still replaces
        them.
        """
        groups: dict[bytes, PartGroup] = {}
        for number, part in enumerate(self._pieces.parts):
            if part.name == b"VEVENT":
                uid = part.first(b"UID") or b"\0%d" % number
                groups.setdefault(uid, []).append(part)
        singles: list[PartGroup] = []
        series: list[PartGroup] = []
        for group in groups.values():
            useful = [part for part in self._newest(group) if self._is_of_use(part)]
            for one in _told_apart(useful):
                if not all(why_free(part) for part in one):
                    (series if any(map(_repeats, one)) else singles).append(one)
        series.sort(key=self._steps)
        return singles, series

    def _is_of_use(self, part: FeedPart) -> bool:
        why = fault_of(part)
        if why is not None:
            self._out.drop(part.what, why)
            return False
        if is_surely_outside(part, self._span):
            return False
        if part.values(b"EXRULE"):
            # No library supports EXRULE any more; the days it excludes count as busy.
            self._out.drop(part.what, OmissionReason.EXCEPTIONS)
            part.lines = [line for line in part.lines if name_of(line) != b"EXRULE"]
        for name in zones_of(part):
            self._ask_for_zone(name)
        free = why_free(part)
        if free is not None:
            self._out.drop(part.what, free)
        # A cancelled recurrence must still replace that day of its series.
        return free is None or _repeats(part)

    def _ask_for_zone(self, name: bytes) -> None:
        if name not in self._zones and len(self._zones) < 10 * MOST_ZONES:
            self._zones[name] = is_known(name)
            if not self._zones[name]:
                self._out.drop(EntryKind.ZONE, OmissionReason.UNKNOWN_ZONE)

    def _newest(self, group: PartGroup) -> PartGroup:
        """Drop events with a newer version, and changed recurrences of a cancelled series.

        An unreadable version replaces nothing.
        """
        whole = [p for p in group if not _is_change(p) and (why_free(p) or not fault_of(p))]
        if len(group) == 1 or not whole:
            return group
        newest = max(map(_sequence, whole))
        gone = all(why_free(p) is OmissionReason.CANCELLED for p in whole if _sequence(p) == newest)
        kept = []
        for part in group:
            if _sequence(part) >= newest or (_is_change(part) and not gone):
                kept.append(part)
            else:
                self._out.drop(part.what, OmissionReason.SUPERSEDED)
        return kept

    # Doing it

    def _expand(
        self,
        groups: Iterable[PartGroup],
        work: Callable[[PartGroup], Iterator[Seconds]],
        limit_s: Callable[[PartGroup], float],
    ) -> list[PartGroup]:
        """Expand groups and return those that exceeded their `limit_s` of CPU time."""
        slow = []
        for group in groups:
            if self._left_s() <= 0:
                self._out.drop(group[0].what, OmissionReason.NO_TIME)
            elif len(self._out.found) >= MOST_TIMES:
                self._out.drop(group[0].what, OmissionReason.TOO_MANY)
            else:
                why = self._guarded(lambda group=group: self._take(work(group)), limit_s(group))  # type: ignore[misc]
                if why is OmissionReason.TOO_SLOW:
                    slow.append(group)
                elif why is not None:
                    self._out.drop(group[0].what, why)
        return slow

    def _series(self, group: PartGroup) -> Iterator[Seconds]:
        faults: list[OmissionReason] = []
        yield from self._times.series(group, faults)
        for why in faults:
            self._out.drop(group[0].what, why)

    def _take(self, times: Iterable[Seconds]) -> None:
        for seconds in times:
            if len(self._out.found) < MOST_TIMES:
                self._out.found.add(seconds)

    def _guarded(self, work: Callable[[], None], limit_s: float) -> OmissionReason | None:
        """Run `work` with a time limit; return why it failed, or None."""
        try:
            with self._stopwatch.limited(max(0.001, min(limit_s, self._left_s()))):
                work()
        except Overdue:
            return OmissionReason.TOO_SLOW
        except UnusableEvent as error:
            return error.why
        except Exception as error:  # noqa: BLE001 - see below
            # Three libraries with undocumented exceptions parse untrusted text: an uncaught type
            # would lose the whole feed. It is logged without its message.
            self._out.faults[_place(error)] += 1
            return OmissionReason.UNREADABLE
        return None

    def _take_periods(self, part: FeedPart) -> None:
        """Read the busy times of a free/busy table, each separately."""
        if not part.ended or part.too_big:
            self._out.drop(
                EntryKind.PERIOD, OmissionReason.TOO_BIG if part.too_big else OmissionReason.CUT_OFF
            )
            return
        for line in part.lines:
            head, _, periods = line.partition(b":")
            parameters = head.upper().replace(b'"', b"").split(b";")
            if parameters[0] == b"FREEBUSY" and b"FBTYPE=FREE" not in parameters:
                for text in periods.split(b","):
                    self._take_period(text)

    def _take_period(self, text: bytes) -> None:
        why: OmissionReason | None = OmissionReason.NO_TIME
        if self._left_s() > 0:
            why = self._guarded(lambda: self._take(self._times.period(text)), QUICK_S)
        if why is not None:
            self._out.drop(EntryKind.PERIOD, why)


def _place(error: Exception) -> str:
    """Return the exception's type and place; its message may quote the calendar."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at is not None else "?"
    return f"{type(error).__name__} at {where}"


def _is_change(part: FeedPart) -> bool:
    return bool(part.values(b"RECURRENCE-ID"))


def _repeats(part: FeedPart) -> bool:
    return any(part.values(name) for name in (b"RRULE", b"RDATE", b"RECURRENCE-ID"))


def _told_apart(group: PartGroup) -> list[PartGroup]:
    """Split whole events that share a UID; each recurring one keeps the changed recurrences."""
    changes = [part for part in group if _is_change(part)]
    whole = [part for part in group if not _is_change(part)]
    if len(whole) <= 1:
        return [group]
    return [[part, *changes] if _repeats(part) else [part] for part in whole]


def _sequence(part: FeedPart) -> int:
    text = part.first(b"SEQUENCE") or b"0"
    return int(text) if text.isdigit() and len(text) < 10 else 0
