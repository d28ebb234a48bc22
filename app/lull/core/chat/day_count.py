"""Measures elapsed days without trusting the wall clock.

An empty CMOS battery or a resumed virtual machine makes the clock jump by years, and back. So the
age of stored data is counted in days on which Lull existed. A calendar day counts once the clock
has shown it to Lull, and so do the days between two such days that are at most a week apart; no day
counts twice. Days found when the program starts count from the next start on; while the program
runs, only measured time counts. So nothing ages merely because of what the clock shows at one
start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

LONGEST_ABSENCE_DAYS: Final = 7
"""The longest absence in days that counts in full; of a longer one only the day of return counts,
because the clock may have jumped.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCount:
    """The number of days that have passed since Lull's first start, counted so that a wrong system
    clock cannot distort it much; it measures the age of stored data. Immutable.
    """

    spans: tuple[tuple[int, int], ...] = ()
    """First and last date of each unbroken run of counted days, as date ordinals, in order."""
    sure: float = 0.0
    """Number of certain days, which ages of stored data are measured in."""
    seen_at_start: int = 0
    """Number of days counted when this run of Lull began; they become certain at the next start."""

    @property
    def seen(self) -> int:
        """The number of days that were counted."""
        return sum(last - first + 1 for first, last in self.spans)

    @property
    def day_for_new_data(self) -> float:
        """The day number (days since Lull's first start) that is stored with new data. Where the
        count of days is uncertain this is its higher value, so that the age of data is never
        overestimated.
        """
        return max(self.sure, float(self.seen))

    def age(self, born: float) -> float:
        """Return the age in days of data that were stored with the day number `born` (days since
        Lull's first start).
        """
        return self.sure - born

    def after_restart(self) -> DayCount:
        """Return the day count as it is when the program starts again. The days counted up to its
        previous start are now certain.
        """
        sure = max(self.sure, float(self.seen_at_start))
        return replace(self, sure=sure, seen_at_start=self.seen)

    def after_running(self, days: float) -> DayCount:
        """Return the day count after the program ran for `days` more days, as measured by a
        reliable timer.
        """
        return replace(self, sure=self.sure + max(0.0, days))

    def after_seeing_day(self, day: int) -> DayCount:
        """Return the day count after the system clock showed this calendar day, given as its
        ordinal (days since the year 1).
        """
        before = max((last for _, last in self.spans if last <= day), default=None)
        near = before is not None and day - before <= LONGEST_ABSENCE_DAYS
        first = before + 1 if near and before is not None else day
        return replace(self, spans=_joined([*self.spans, (min(first, day), day)]))


def _joined(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)
