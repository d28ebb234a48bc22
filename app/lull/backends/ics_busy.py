"""All busy times of a calendar, whatever it does to the libraries that read it.

Each event or series is worked out alone, against a clock, so that a bad one costs itself alone.
What is quick goes first; what was too slow for its share shares the time that is left. Decides the
order, the shares, and what is counted as left out; runs in a child (`ics_child`).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lull.backends.ics_rules import (
    cannot_touch,
    fault_of,
    fault_of_zone,
    says_free,
    steps_until,
)
from lull.backends.ics_text import Part, Pieces, name_of
from lull.backends.ics_timer import Overdue, Stopwatch
from lull.backends.ics_times import CannotBe, Seconds, Times, is_known, zones_of
from lull.core.feeds import Dropped, Span, What, Why

QUICK_S = 0.03
STEP_S = 15e-6
"""CPU seconds for each series at first, and for each time it came around since it began. A time
takes 2 to 5 µs on two cores of 2026; rules that never come around fall behind by this."""
LONGEST_S = 1.0
"""CPU seconds for one series when there is time."""
MOST_TIMES = 20_000
MOST_ZONES = 100
_FOR_ZONES = 0.25
"""Of the time there is, at most."""

Group = list[Part]
"""What belongs to one event: itself, and the days of it that were changed."""


@dataclass(slots=True)
class BusyTimes:
    """What came of a calendar."""

    found: set[Seconds] = field(default_factory=set)
    dropped: Counter[tuple[What, Why]] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    """What libraries raised, and where: names of types and of places in code, for the log."""

    def drop(self, what: What, why: Why) -> None:
        self.dropped[what, why] += 1

    def drops(self) -> list[Dropped]:
        return [Dropped(what=what, why=why, n=n) for (what, why), n in sorted(self.dropped.items())]


def busy_times(pieces: Pieces, span: Span, *, left_s: Callable[[], float]) -> BusyTimes:
    """Every busy stretch that touches the span. `left_s` says how much time is left for it.

    For the main thread of a process of its own: it takes over the timer of CPU time.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries, about other people's texts
        return _Work(pieces, span, left_s).done()


class _Work:
    def __init__(self, pieces: Pieces, span: Span, left_s: Callable[[], float]) -> None:
        self._pieces = pieces
        self._span = span
        self._left_s = left_s
        self._times = Times(span)
        self._stopwatch = Stopwatch()
        self._zones: dict[bytes, bool] = {}
        """Those that were asked for, and whether they are known."""
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
                self._out.drop(group[0].what, Why.TOO_SLOW)
        return self._out

    def _quick_s(self, group: Group) -> float:
        return QUICK_S + STEP_S * self._steps(group)

    def _steps(self, group: Group) -> float:
        until = self._span.end.date()
        return sum(steps_until(part, until) for part in group)

    # What there is to do

    def _learn_zones(self) -> None:
        """Zones that a calendar defines itself. A name that the world knows means what the world
        says, whatever the calendar says of it."""
        enough_s = self._left_s() * (1 - _FOR_ZONES)
        learned = 0
        for part in self._pieces.parts:
            if part.name != b"VTIMEZONE" or is_known(part.first(b"TZID") or b""):
                continue
            learned += 1
            why = fault_of_zone(part)
            if learned > MOST_ZONES or self._left_s() < enough_s:
                why = Why.TOO_MANY
            if why is None:
                why = self._guarded(lambda part=part: self._times.learn_zone(part), 2 * QUICK_S)  # type: ignore[misc]
            if why is not None:
                self._out.drop(What.ZONE, why)

    def _sorted_out(self) -> tuple[list[Group], list[Group]]:
        """Single events, and series, the cheapest first.

        Which version of an event is the newest is asked before anything else: one that is
        cancelled, or moved out of sight, still takes the place of those before it.
        """
        groups: dict[bytes, Group] = {}
        for number, part in enumerate(self._pieces.parts):
            if part.name == b"VEVENT":
                uid = part.first(b"UID") or b"\0%d" % number
                groups.setdefault(uid, []).append(part)
        singles: list[Group] = []
        series: list[Group] = []
        for group in groups.values():
            useful = [part for part in self._newest(group) if self._is_of_use(part)]
            for one in _told_apart(useful):
                if not all(says_free(part) for part in one):
                    (series if any(map(_repeats, one)) else singles).append(one)
        series.sort(key=self._steps)
        return singles, series

    def _is_of_use(self, part: Part) -> bool:
        why = fault_of(part)
        if why is not None:
            self._out.drop(part.what, why)
            return False
        if cannot_touch(part, self._span):
            return False
        if part.values(b"EXRULE"):
            # No library reads them any more; the days they take out count as busy.
            self._out.drop(part.what, Why.EXCEPTIONS)
            part.lines = [line for line in part.lines if name_of(line) != b"EXRULE"]
        for name in zones_of(part):
            self._ask_for_zone(name)
        free = says_free(part)
        if free is not None:
            self._out.drop(part.what, free)
        # One day of a series that is cancelled must still take the place of that day.
        return free is None or _repeats(part)

    def _ask_for_zone(self, name: bytes) -> None:
        if name not in self._zones and len(self._zones) < 10 * MOST_ZONES:
            self._zones[name] = is_known(name)
            if not self._zones[name]:
                self._out.drop(What.ZONE, Why.UNKNOWN_ZONE)

    def _newest(self, group: Group) -> Group:
        """Without whole events whose newer version is there, too, and without changed days of a
        series that was cancelled. What cannot be read replaces nothing: good events are kept."""
        whole = [p for p in group if not _is_change(p) and (says_free(p) or not fault_of(p))]
        if len(group) == 1 or not whole:
            return group
        newest = max(map(_sequence, whole))
        gone = all(says_free(p) is Why.CANCELLED for p in whole if _sequence(p) == newest)
        kept = []
        for part in group:
            if _sequence(part) >= newest or (_is_change(part) and not gone):
                kept.append(part)
            else:
                self._out.drop(part.what, Why.SUPERSEDED)
        return kept

    # Doing it

    def _expand(
        self,
        groups: Iterable[Group],
        work: Callable[[Group], Iterator[Seconds]],
        limit_s: Callable[[Group], float],
    ) -> list[Group]:
        """What took longer than its `limit_s` of CPU time is given back."""
        slow = []
        for group in groups:
            if self._left_s() <= 0:
                self._out.drop(group[0].what, Why.NO_TIME)
            elif len(self._out.found) >= MOST_TIMES:
                self._out.drop(group[0].what, Why.TOO_MANY)
            else:
                why = self._guarded(lambda group=group: self._take(work(group)), limit_s(group))  # type: ignore[misc]
                if why is Why.TOO_SLOW:
                    slow.append(group)
                elif why is not None:
                    self._out.drop(group[0].what, why)
        return slow

    def _series(self, group: Group) -> Iterator[Seconds]:
        faults: list[Why] = []
        yield from self._times.series(group, faults)
        for why in faults:
            self._out.drop(group[0].what, why)

    def _take(self, times: Iterable[Seconds]) -> None:
        for seconds in times:
            if len(self._out.found) < MOST_TIMES:
                self._out.found.add(seconds)

    def _guarded(self, work: Callable[[], None], limit_s: float) -> Why | None:
        """Do it, against the clock; why it could not be done."""
        try:
            with self._stopwatch.limited(max(0.001, min(limit_s, self._left_s()))):
                work()
        except Overdue:
            return Why.TOO_SLOW
        except CannotBe as error:
            return error.why
        except Exception as error:  # noqa: BLE001 - see below
            # Three libraries, none of which says what it raises, on a stranger's text: a type that
            # was not thought of would cost the whole feed. It is told, without what it says.
            self._out.faults[_place(error)] += 1
            return Why.UNREADABLE
        return None

    def _take_periods(self, part: Part) -> None:
        """Busy times of a free/busy table; each stands by itself."""
        if not part.ended or part.too_big:
            self._out.drop(What.PERIOD, Why.TOO_BIG if part.too_big else Why.CUT_OFF)
            return
        for line in part.lines:
            head, _, periods = line.partition(b":")
            parameters = head.upper().replace(b'"', b"").split(b";")
            if parameters[0] == b"FREEBUSY" and b"FBTYPE=FREE" not in parameters:
                for text in periods.split(b","):
                    self._take_period(text)

    def _take_period(self, text: bytes) -> None:
        why: Why | None = Why.NO_TIME
        if self._left_s() > 0:
            why = self._guarded(lambda: self._take(self._times.period(text)), QUICK_S)
        if why is not None:
            self._out.drop(What.PERIOD, why)


def _place(error: Exception) -> str:
    """The type and where it was raised; its words may quote the calendar."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at is not None else "?"
    return f"{type(error).__name__} at {where}"


def _is_change(part: Part) -> bool:
    return bool(part.values(b"RECURRENCE-ID"))


def _repeats(part: Part) -> bool:
    return any(part.values(name) for name in (b"RRULE", b"RDATE", b"RECURRENCE-ID"))


def _told_apart(group: Group) -> list[Group]:
    """Several whole events under one name are several events; each keeps what changes its days."""
    changes = [part for part in group if _is_change(part)]
    whole = [part for part in group if not _is_change(part)]
    if len(whole) <= 1:
        return [group]
    return [[part, *changes] if _repeats(part) else [part] for part in whole]


def _sequence(part: Part) -> int:
    text = part.first(b"SEQUENCE") or b"0"
    return int(text) if text.isdigit() and len(text) < 10 else 0
