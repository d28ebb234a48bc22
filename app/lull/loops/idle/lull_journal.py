"""Records when idle windows (times when background work may run) were open and why, how they were
used, and when the user was away.

A crash loses at most a minute of the journal, and a clock that is set back never makes a window end
before it began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from lull.core.idle.forecast import HISTORY_DAYS, LEAST_LULL_S, PastLull
from lull.core.idle.policy import IdleWindow
from lull.core.idle.signals import ClockReading, IdleSignals, clock_of
from lull.core.ports import Ids
from lull.store.idle.windows import STOPPED, WindowRow, Windows, WorkDone

_SLACK: Final = timedelta(seconds=60)
"""Largest difference between two readings of when the user left, because polled input is delayed.
"""


@dataclass(slots=True)
class LullJournal:
    """The record of idle windows (times when work may run), and of lulls (times when the user was
    away).
    """

    windows: Windows
    ids: Ids
    past: list[PastLull]
    """Past lulls (times that the user was away), oldest first."""
    every_s: float = 60.0
    """Seconds between two writes of the window that is open."""
    row: WindowRow | None = None
    """The database row of the window that is open now; None while it is closed."""
    written_s: float = 0.0
    """Time of the last write of the open window, on the monotonic clock."""
    last: tuple[IdleWindow, IdleSignals] | None = None
    """The last decision, with the signals by which it was made; None before the first."""

    @classmethod
    def load(cls, windows: Windows, ids: Ids, now: datetime, *, every_s: float) -> LullJournal:
        """Load the stored journal of idle windows (times when work may run), and close the windows
        that an earlier service process left open. Blocking.
        """
        windows.close_left_open()
        windows.forget_before(now)
        past = windows.lulls(since=now - timedelta(days=HISTORY_DAYS))
        return cls(windows=windows, ids=ids, past=past, every_s=every_s)

    def follow(
        self, window: IdleWindow, signals: IdleSignals, *, used_s: float, done: Sequence[WorkDone]
    ) -> None:
        """Record what follows from a new decision: the user came back, or an idle window (a time
        when work may run) opened, goes on with the work `done`, or closed.
        """
        last, self.last = self.last, (window, signals)
        was_open = last is not None and last[0].open
        if last is not None:
            self.record_absence(last[0], clock_of(last[1]), window, signals)
        if window.open and not was_open:
            self.opened(window, signals.now, signals.monotonic_s)
        elif window.open:
            self.update_open(signals.now, signals.monotonic_s, used_s=used_s, done=done)
        elif was_open:
            by = window.closed_by.value if window.closed_by is not None else ""
            self.closed(window.because, by, signals.now, used_s=used_s, done=done)

    def stopped(self, now: datetime, *, used_s: float, done: Sequence[WorkDone]) -> None:
        """Complete the records because the service stops watching: of the open window, and of an
        absence whose end it does not see.
        """
        if self.last is None:
            return
        window, signals = self.last
        self.closed(STOPPED, "", now, used_s=used_s, done=done)
        self.record_unfinished(window, clock_of(signals))
        self.last = None

    # Windows

    def opened(self, window: IdleWindow, now: datetime, monotonic_s: float) -> None:
        """Add a database row for an idle window (a time when work may run) that has just opened."""
        self.row = WindowRow(
            id=self.ids.new("window"), opened_at=now, seen_at=now, why_opened=window.because
        )
        self._write(monotonic_s)

    def update_open(
        self, now: datetime, monotonic_s: float, *, used_s: float, done: Sequence[WorkDone]
    ) -> None:
        """Update the database row of the open idle window (a time when work may run) with the
        seconds of work (`used_s`) and the work items `done`, but at most once every `every_s`
        seconds.
        """
        if self.row is not None and monotonic_s - self.written_s >= self.every_s:
            self.row = self._seen(now, used_s, done)
            self._write(monotonic_s)

    def closed(
        self, why: str, by: str, now: datetime, *, used_s: float, done: Sequence[WorkDone]
    ) -> None:
        """Complete the database row of an idle window (a time when work may run) that has closed:
        the reason `why`, the name of the condition that closed it (`by`, "" for none), and the work
        done in it.
        """
        if self.row is not None:
            row = self._seen(now, used_s, done)
            self.windows.post(replace(row, closed_at=row.seen_at, why_closed=why, closed_by=by))
            self.row = None

    def _seen(self, now: datetime, used_s: float, done: Sequence[WorkDone]) -> WindowRow:
        assert self.row is not None
        seen_at = max(now, self.row.opened_at)
        return replace(self.row, seen_at=seen_at, used_s=used_s, done=tuple(done))

    def _write(self, monotonic_s: float) -> None:
        if self.row is not None:
            self.written_s = monotonic_s
            self.windows.post(self.row)

    # Lulls

    def record_absence(
        self, before: IdleWindow | None, last: ClockReading, window: IdleWindow, now: IdleSignals
    ) -> None:
        """Record how long the user was away, if the user has come back between the last two
        readings of the idle signals. A short absence is not recorded.
        """
        if before is None or before.somebody_here:
            return
        left_s = last.monotonic_s - before.quiet_s
        back_s = now.monotonic_s - window.quiet_s
        if now.asleep_gap_s:
            back_s = last.monotonic_s  # the machine slept through the rest
        length_s = back_s - left_s
        # Jitter in the input reading does not mean that the user came back.
        if length_s >= LEAST_LULL_S:
            began_at = last.now - timedelta(seconds=last.monotonic_s - left_s)
            self._keep(PastLull(began_at=began_at, length_s=length_s))

    def record_unfinished(self, last: IdleWindow | None, look: ClockReading) -> None:
        """Record the user's absence so far because the service stops, marked as an absence of
        unknown end.
        """
        if last is None or last.somebody_here or last.quiet_s < LEAST_LULL_S:
            return
        began_at = look.now - timedelta(seconds=last.quiet_s)
        self._keep(PastLull(began_at=began_at, length_s=last.quiet_s, seen_to_end=False))

    def _keep(self, lull: PastLull) -> None:
        lull = self._gone_on(lull)
        oldest = lull.began_at - timedelta(days=HISTORY_DAYS)
        self.past = [one for one in self.past if one.began_at >= oldest]
        self.past.append(lull)
        self.windows.post_lull(lull)

    def _gone_on(self, lull: PastLull) -> PastLull:
        """Merge a lull with the last one where they overlap.

        That happens when the service restarted during a lull, or a signal was silent for a while.
        """
        last = self.past[-1] if self.past else None
        if last is None:
            return lull
        latest = _end(last) - _SLACK if last.seen_to_end else _end(last)
        if not last.began_at - _SLACK <= lull.began_at <= latest:
            return lull
        self.past.pop()
        length_s = (_end(lull) - last.began_at).total_seconds()
        return replace(lull, began_at=last.began_at, length_s=max(last.length_s, length_s))


def _end(lull: PastLull) -> datetime:
    return lull.began_at + timedelta(seconds=lull.length_s)
